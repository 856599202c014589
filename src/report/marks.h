/* Marks: signs at the end of a row that must be read with care. Every mark stands once, in the
 * table of marks.c; the text form, benchmarks.json, and through it reports and documentation have
 * it from there. */
#ifndef REPORT_MARKS_H
#define REPORT_MARKS_H

#include <stdbool.h>

#include "report/columns.h"
#include "report/row.h"
#include "report/stream.h"

/* When a row that has the column has the mark. */
typedef enum {
    REPORT_MARK_PRESENT, /* always */
    REPORT_MARK_TRUE,    /* its flag is true */
    REPORT_MARK_IS,      /* its text is `text` */
    REPORT_MARK_IS_NOT,  /* its text is not `text` */
    REPORT_MARK_ABOVE,   /* its number is above `above` */
    REPORT_MARK_COUNTED, /* one of the technology's counters that are marked is above 0 */
} report_mark_condition;

typedef struct {
    char sign;
    report_column column;
    report_mark_condition when;
    const char *text;
    double above;
    bool is_of_trial; /* not in rows of a rate found by --find-rate */
    const char *meaning, *remedy;
} report_mark;

enum { REPORT_MARKS_MOST = 32 };

/* The table; `*count` is the number of its rows, at most REPORT_MARKS_MOST. */
const report_mark *report_marks(size_t *count);

bool report_mark_applies(const report_mark *mark, const report_row *row);

/* Write all marks as an array `key`. */
void report_describe_marks(report_stream *out, const char *key);

#endif
