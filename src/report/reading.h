/* Result documents that a program of the suite wrote, read back: for what is derived from them. Who
 * reads needs not know the JSON library. A document is bounded (256 MiB), and read as a whole. */
#ifndef REPORT_READING_H
#define REPORT_READING_H

#include <stddef.h>

#include "base/status.h"

typedef struct report_reading report_reading;

/* Read a document of schema combench-result/1. CB_ERROR_USAGE, logged with file, line, cause and
 * remedy, when there is none under `path` or it is none. Freed by report_reading_close; NULL is
 * accepted there. */
cb_status report_reading_open(const char *path, report_reading **out);
void report_reading_close(report_reading *reading);

/* What stands at a dotted path, as report_put_text writes it (report.h), made by printf: the number
 * of elements of an array, 0 where there is none; a text, the reading's, or NULL; a number, or NaN.
 */
size_t report_reading_count(const report_reading *reading, const char *path);
const char *report_reading_text(const report_reading *reading, const char *path, ...)
    __attribute__((format(printf, 2, 3)));
double report_reading_number(const report_reading *reading, const char *path, ...)
    __attribute__((format(printf, 2, 3)));

#endif
