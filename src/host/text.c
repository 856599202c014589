/* Texts that the operating system gives, brought into the fixed fields of a result: files below a
 * root folder, KEY=value lines, and one clean line that ends visibly where it had to be cut. */
#include "host/text.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char dots[] = "...";

/* How many bytes came; files in /proc may come in pieces. */
static size_t read_all(int file, char *text, size_t bytes)
{
    size_t length = 0;
    ssize_t piece;

    while (length < bytes && (piece = read(file, text + length, bytes - length)) > 0)
        length += (size_t)piece;
    return length;
}

static bool is_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];

        if (iscntrl(byte) && !isspace(byte))
            return false;
    }
    return length > 0;
}

bool host_read_text(const char *root, const char *path, char *text, size_t bytes)
{
    char full_path[PATH_MAX];
    int file, path_length;
    size_t length;

    text[0] = '\0';
    path_length = snprintf(full_path, sizeof(full_path), "%s/%s", root, path);
    if (path_length < 0 || (size_t)path_length >= sizeof(full_path))
        return false;
    file = open(full_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not hold us up */
    if (file < 0)
        return false;
    length = read_all(file, text, bytes - 1);
    close(file);
    text[is_text(text, length) ? length : 0] = '\0';
    return text[0] != '\0';
}

/* Where the value begins when `line` is that of `key`, else NULL. */
static const char *value_in_line(const char *line, const char *key, char separator)
{
    size_t key_length = strlen(key);

    if (strncmp(line, key, key_length) != 0)
        return NULL;
    line += key_length;
    line += strspn(line, " \t");
    return *line == separator ? line + 1 : NULL;
}

bool host_find_value(const char *text, const char *key, char separator, char *value, size_t bytes)
{
    value[0] = '\0';
    for (const char *line = text; *line != '\0'; line += strspn(line, "\n")) {
        size_t length = strcspn(line, "\n");
        const char *begin = value_in_line(line, key, separator);

        if (begin != NULL) {
            snprintf(value, bytes, "%.*s", (int)(line + length - begin), begin);
            return true;
        }
        line += length;
    }
    return false;
}

void host_end_in_dots(char *text, size_t bytes, char separator)
{
    char *end;

    if (bytes < sizeof(dots))
        return;
    end = text + bytes - sizeof(dots);
    *end = '\0';
    if (strrchr(text, separator) != NULL)
        end = strrchr(text, separator) + 1;
    memcpy(end, dots, sizeof(dots));
}

static bool is_blank(char byte)
{
    return isspace((unsigned char)byte) != 0;
}

static char clean(char byte)
{
    if (is_blank(byte))
        return ' ';
    return isascii((unsigned char)byte) && isgraph((unsigned char)byte) ? byte : '?';
}

void host_fit_text(const char *text, char *fitted, size_t bytes)
{
    const char *end = text + strlen(text);
    size_t length = 0;

    while (end > text && is_blank(end[-1]))
        end--;
    for (; text < end && length + 1 < bytes; text++)
        if (!is_blank(*text) || (length > 0 && fitted[length - 1] != ' '))
            fitted[length++] = clean(*text);
    fitted[length] = '\0';
    if (text < end)
        host_end_in_dots(fitted, bytes, ' ');
}
