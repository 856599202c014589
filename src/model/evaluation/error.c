/* Errors of the library: text and place go into the caller's ccmod_error, nowhere else. */
#include <ccmod/ccmod.h>

#include <stdarg.h>
#include <stdio.h>

/* "FILE:LINE: ", as far as it is known; the number of characters. */
static size_t write_place(char *text, const char *file, size_t line)
{
    int length = 0;

    if (file != NULL && line > 0)
        length = snprintf(text, CCMOD_ERROR_BYTES, "%.200s:%zu: ", file, line);
    else if (file != NULL)
        length = snprintf(text, CCMOD_ERROR_BYTES, "%.200s: ", file);
    else
        text[0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

cb_status ccmod_fail(ccmod_error *error, cb_status status, const char *file, size_t line,
                     const char *format, ...)
{
    va_list arguments;
    size_t used;

    if (error == NULL)
        return status;
    error->status = status;
    error->line = line;
    used = write_place(error->text, file, line);
    va_start(arguments, format);
    vsnprintf(error->text + used, CCMOD_ERROR_BYTES - used, format, arguments);
    va_end(arguments);
    return status;
}
