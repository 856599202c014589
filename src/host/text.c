/* Texts of the operating system, fitted into the fixed fields of a result: files below a root
 * folder, KEY=value lines, and one line of ASCII that ends visibly where it had to be cut. */
#include "host/internal.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char dots[] = "...";

bool host_read_text(const char *root, const char *path, char *text, size_t bytes)
{
    char full_path[PATH_MAX];
    int file, path_length;
    size_t length = 0;
    ssize_t piece;

    text[0] = '\0';
    path_length = snprintf(full_path, sizeof(full_path), "%s/%s", root, path);
    if (path_length < 0 || (size_t)path_length >= sizeof(full_path))
        return false;
    file = open(full_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    if (file < 0)
        return false;
    /* Files in /proc may come in pieces. */
    while (length < bytes - 1 && (piece = read(file, text + length, bytes - 1 - length)) > 0)
        length += (size_t)piece;
    close(file);
    text[length] = '\0';
    for (size_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)text[i]) && !isspace((unsigned char)text[i]))
            text[0] = '\0';
    return text[0] != '\0';
}

bool host_find_value(const char *text, const char *key, char separator, char *value, size_t bytes)
{
    const size_t key_length = strlen(key);

    value[0] = '\0';
    for (const char *line = text; *line != '\0'; line += strspn(line, "\n")) {
        const char *end = line + strcspn(line, "\n");

        if (strncmp(line, key, key_length) == 0) {
            const char *at = line + key_length + strspn(line + key_length, " \t");

            if (*at == separator) {
                snprintf(value, bytes, "%.*s", (int)(end - at - 1), at + 1);
                return true;
            }
        }
        line = end;
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

void host_fit_text(const char *text, char *fitted, size_t bytes)
{
    const char *end = text + strlen(text);
    size_t length = 0;

    while (end > text && is_blank(end[-1]))
        end--;
    for (; text < end && length + 1 < bytes; text++) {
        if (is_blank(*text)) {
            if (length > 0 && fitted[length - 1] != ' ')
                fitted[length++] = ' ';
        } else
            fitted[length++] =
                isascii((unsigned char)*text) && isgraph((unsigned char)*text) ? *text : '?';
    }
    fitted[length] = '\0';
    if (text < end)
        host_end_in_dots(fitted, bytes, ' ');
}
