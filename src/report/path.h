/* Dotted paths into a document: "environment.hosts.0.tuning.[net.core.rmem_max]". A part that is a
 * number is an index of an array; a part in brackets is a key as it stands. Internal to src/report.
 */
#ifndef REPORT_PATH_H
#define REPORT_PATH_H

#include <jansson.h>
#include <stdbool.h>

/* Put `value` (whose reference is taken, also on failure) at `path`, making the objects and arrays
 * on the way. False when there is no memory or a part of the path is a plain value already. */
bool report_path_set(json_t *root, const char *path, json_t *value);

/* The value at `path`, borrowed, or NULL. */
json_t *report_path_get(const json_t *root, const char *path);

#endif
