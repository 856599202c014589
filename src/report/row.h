/* One measurement: a value for each column that was measured. Whoever measures sets values by
 * column; what is never set is absent from every form.
 *
 * The row owns its values: all that is handed over is copied at once. report_add takes them into a
 * document and leaves the row empty; report_row_clear frees those of a row that is not added.
 * A column that is set twice, or by a function for another type, is a mistake in the program and
 * ends it by an assertion. When there is no memory report_add fails: no call here has to be
 * checked. */
#ifndef REPORT_ROW_H
#define REPORT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parameters.h"
#include "report/columns.h"
#include "stats/stats.h"

/* Zero-initialised = empty. The members are for src/report alone. */
typedef struct {
    struct json_t *values[REPORT_COLUMNS]; /* NULL: absent */
    bool broken;                           /* there was no memory for a value */
} report_row;

void report_row_clear(report_row *row);

/* A number that is not finite, a text that is NULL or empty, a summary or a distribution of nothing
 * and an array without values leave the column absent. */
void report_set_number(report_row *row, report_column column, double value);
void report_set_text(report_row *row, report_column column, const char *text);
void report_set_flag(report_row *row, report_column column, bool flag);
void report_set_summary(report_row *row, report_column column, const stats_summary *summary);
void report_set_numbers(report_row *row, report_column column, const double *values, size_t count);

/* Of times in ns, divided by `divisor`, in us. */
void report_set_distribution(report_row *row, report_column column,
                             const stats_histogram *histogram_ns, double divisor);

/* What a technology counted; nothing, where it has no counters. */
void report_set_counters(report_row *row, const cb_counts *counts);

/* Members of columns of type MEMBERS and LIST, by a dotted path made by printf: "source",
 * "interval.0", "%zu.rank". The percentiles are those of a distribution, without its histogram. */
void report_set_member(report_row *row, report_column column, double value, const char *path, ...)
    __attribute__((format(printf, 4, 5)));
void report_set_member_text(report_row *row, report_column column, const char *text,
                            const char *path, ...) __attribute__((format(printf, 4, 5)));
void report_set_member_flag(report_row *row, report_column column, bool flag, const char *path, ...)
    __attribute__((format(printf, 4, 5)));
void report_set_member_percentiles(report_row *row, report_column column,
                                   const stats_histogram *histogram_ns, const char *path, ...)
    __attribute__((format(printf, 4, 5)));

/* What the row has at a path within a column, "" for its whole value: a number or NaN, a text
 * (until the row is cleared) or NULL, a flag that is set; and whether there is anything. */
double report_row_number(const report_row *row, report_column column, const char *path);
const char *report_row_text(const report_row *row, report_column column, const char *path);
bool report_row_flag(const report_row *row, report_column column, const char *path);
bool report_row_has(const report_row *row, report_column column);

/* For the forms. The value of a cell: a new reference, or NULL when it is absent; and the row as a
 * JSON object in the order of the columns, which shares its values. */
struct json_t *report_row_cell(const report_row *row, report_column column,
                               const report_cell *cell);
struct json_t *report_row_json(const report_row *row);

#endif
