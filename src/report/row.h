/* One row of a result: a value for each column that was measured.
 *
 * The row owns copies of all values. report_add moves them into a document and leaves the row
 * empty; report_row_clear frees a row that is not added. Setting a column twice, or with a function
 * for another type, is a programming error and caught by an assertion. If memory runs out,
 * report_add fails, so other calls need no check. */
#ifndef REPORT_ROW_H
#define REPORT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parameters.h"
#include "report/columns.h"
#include "stats/stats.h"

/* Zero-initialised: empty. Members are private to src/report. */
typedef struct {
    struct json_t *values[REPORT_COLUMNS]; /* NULL: absent */
    bool broken;                           /* memory ran out */
} report_row;

void report_row_clear(report_row *row);

/* Clear all values but conditions of the measurement and what the verification found. */
void report_row_keep_conditions(report_row *row);

/* A number that is not finite, a NULL or empty text, an empty summary, distribution or array leave
 * the column absent. */
void report_set_number(report_row *row, report_column column, double value);
void report_set_text(report_row *row, report_column column, const char *text);
void report_set_flag(report_row *row, report_column column, bool flag);
void report_set_summary(report_row *row, report_column column, const stats_summary *summary);
void report_set_numbers(report_row *row, report_column column, const double *values, size_t count);

/* A histogram of times in ns; divided by `divisor` and stored in us. */
void report_set_distribution(report_row *row, report_column column,
                             const stats_histogram *histogram_ns, double divisor);

/* Counters of the technology, if it has any. */
void report_set_counters(report_row *row, const cb_counts *counts);

/* Set members of columns of type MEMBERS and LIST by a dotted path made by printf: "source",
 * "interval.0", "%zu.rank". report_set_member_percentiles sets those of a distribution, without its
 * histogram. */
void report_set_member(report_row *row, report_column column, double value, const char *path, ...)
    __attribute__((format(printf, 4, 5)));
void report_set_member_text(report_row *row, report_column column, const char *text,
                            const char *path, ...) __attribute__((format(printf, 4, 5)));
void report_set_member_flag(report_row *row, report_column column, bool flag, const char *path, ...)
    __attribute__((format(printf, 4, 5)));
/* An array of numbers, with null for one that is not finite. */
void report_set_member_numbers(report_row *row, report_column column, const double *values,
                               size_t count, const char *path, ...)
    __attribute__((format(printf, 5, 6)));
void report_set_member_percentiles(report_row *row, report_column column,
                                   const stats_histogram *histogram_ns, const char *path, ...)
    __attribute__((format(printf, 4, 5)));

/* The mean of a summary if it has one, else its median; NaN if absent. */
double report_row_figure(const report_row *row, report_column column);

/* The value at a path in a column ("" for the whole value). number: NaN if absent. text: NULL if
 * absent; valid until the row is cleared. flag: false if absent. has: whether there is a value. */
double report_row_number(const report_row *row, report_column column, const char *path);
const char *report_row_text(const report_row *row, report_column column, const char *path);
bool report_row_flag(const report_row *row, report_column column, const char *path);
bool report_row_has(const report_row *row, report_column column);

/* For the forms: the value of a cell as a new reference, or NULL; and the row as a JSON object in
 * the order of the columns, which shares the row's values. */
struct json_t *report_row_cell(const report_row *row, report_column column,
                               const report_cell *cell);
struct json_t *report_row_json(const report_row *row);

#endif
