/* Read result documents (combench-result/1, at most 256 MiB), for tools that evaluate them. Hides
 * the JSON library. */
#ifndef REPORT_READING_H
#define REPORT_READING_H

#include <stddef.h>

#include "base/status.h"

typedef struct report_reading report_reading;

/* Read a document. CB_ERROR_USAGE, logged with file, line, cause and remedy, if it does not exist
 * or is not a result; CB_ERROR_MEMORY. Free with report_reading_close, which accepts NULL. */
cb_status report_reading_open(const char *path, report_reading **out);
void report_reading_close(report_reading *reading);

/* Values at a dotted path, which is made by printf as in report_put_text (report.h). count: number
 * of elements of an array, 0 if there is none. text: owned by the reading, or NULL. number: NaN if
 * absent. */
size_t report_reading_count(const report_reading *reading, const char *path);
const char *report_reading_text(const report_reading *reading, const char *path, ...)
    __attribute__((format(printf, 2, 3)));
double report_reading_number(const report_reading *reading, const char *path, ...)
    __attribute__((format(printf, 2, 3)));

#endif
