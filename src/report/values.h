/* Values of JSON documents, and dotted paths to them. Internal to src/report.
 *
 * A part of a path that is a number is the index of an array; a part in brackets is a key with any
 * characters: "environment.hosts.0.tuning.[net.core.rmem_max]". */
#ifndef REPORT_VALUES_H
#define REPORT_VALUES_H

#include <jansson.h>
#include <stdbool.h>

/* A number, as an integer if it is whole. NULL if it is not finite (not measured). */
json_t *report_value_number(double value);

/* A text; NULL for NULL and "". Invalid UTF-8 is replaced, so that any host name gives a valid
 * document. */
json_t *report_value_text(const char *text);

/* A copy of `text` in which each byte that is not part of a UTF-8 sequence is replaced by U+FFFD.
 * The caller frees it; NULL if memory runs out. */
char *report_clean_utf8(const char *text);

/* Set `value` at `path` and create objects and arrays on the way. Takes the reference, also on
 * failure. False if memory runs out or a part of the path is a plain value. */
bool report_path_set(json_t *root, const char *path, json_t *value);

/* The value at `path`, borrowed, or NULL. */
json_t *report_path_get(const json_t *root, const char *path);

#endif
