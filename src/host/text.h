/* Texts that the operating system gives, brought into the fixed fields of a result. Private to
 * src/host. */
#ifndef HOST_TEXT_H
#define HOST_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { HOST_FILE_BYTES = 4096 }; /* sysfs gives at most a page, and so does the command line */

/* The first `bytes` - 1 bytes of the file `path` below the folder `root`. False, with an empty
 * text, when there is no such file, it is empty, or it holds control bytes and so is no text. */
bool host_read_text(const char *root, const char *path, char *text, size_t bytes);

/* The value in the first line of `text` that reads KEY, blanks, `separator`, value. False, with an
 * empty value, when there is none. */
bool host_find_value(const char *text, const char *key, char separator, char *value, size_t bytes);

/* `text` on one line of ASCII: every run of blanks and newlines is one blank, none stands at an
 * end, and what is not ASCII is a '?'. What does not fit `bytes` ends with host_end_in_dots. */
void host_fit_text(const char *text, char *fitted, size_t bytes);

/* Mark a text that fills all of `bytes` as cut: it ends in "..." after the last `separator` that
 * leaves room for it, so that no word or number is halved, or anywhere when there is none. */
void host_end_in_dots(char *text, size_t bytes, char separator);

#endif
