/* Values of documents, in the spelling that all forms share, and dotted paths to them:
 * "environment.hosts.0.tuning.[net.core.rmem_max]". A part of a path that is a number is an index
 * of an array; a part in brackets is a key as it stands. Internal to src/report. */
#ifndef REPORT_VALUES_H
#define REPORT_VALUES_H

#include <jansson.h>
#include <stdbool.h>

/* A number: an integer where it is whole, else a real. NULL when it is not finite (not measured).
 */
json_t *report_value_number(double value);

/* A text; NULL for NULL and "". What is not UTF-8 is replaced, so that no host name can spoil a
 * document. */
json_t *report_value_text(const char *text);

/* A copy of `text` with every byte that belongs to no UTF-8 sequence replaced by U+FFFD. The caller
 * frees it; NULL when there is no memory. */
char *report_clean_utf8(const char *text);

/* Put `value` (whose reference is taken, also on failure) at `path`, making the objects and arrays
 * on the way. False when there is no memory or a part of the path is a plain value already. */
bool report_path_set(json_t *root, const char *path, json_t *value);

/* The value at `path`, borrowed, or NULL. */
json_t *report_path_get(const json_t *root, const char *path);

#endif
