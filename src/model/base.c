/* Version and errors of the library. An error's text and place go to the caller's ccmod_error only.
 */
#include <ccmod/base.h>

#include <stdarg.h>
#include <stdio.h>

const char *ccmod_version(void)
{
    return CCMOD_VERSION;
}

ccmod_status ccmod_fail(ccmod_error *error, ccmod_status status, const char *file, size_t line,
                        const char *format, ...)
{
    va_list arguments;
    int used = 0;

    if (error == NULL)
        return status;
    error->status = status;
    error->line = line;
    if (file != NULL && line > 0)
        used = snprintf(error->text, CCMOD_ERROR_BYTES, "%.200s:%zu: ", file, line);
    else if (file != NULL)
        used = snprintf(error->text, CCMOD_ERROR_BYTES, "%.200s: ", file);
    if (used < 0)
        used = 0;
    va_start(arguments, format);
    vsnprintf(error->text + used, CCMOD_ERROR_BYTES - (size_t)used, format, arguments);
    va_end(arguments);
    return status;
}
