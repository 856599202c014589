/* The values of a row, stored as JSON: whole numbers as integers, text as valid UTF-8,
 * distributions as percentiles and cells in use. */
#include "report/row.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/values.h"

enum { PATH_BYTES = 128 };

void report_row_clear(report_row *row)
{
    for (size_t i = 0; i < REPORT_COLUMNS; i++)
        json_decref(row->values[i]);
    *row = (report_row){.broken = false};
}

void report_row_keep_conditions(report_row *row)
{
    for (size_t i = 0; i < REPORT_COLUMNS; i++)
        if (!report_columns[i].condition && i != REPORT_VERIFY) {
            json_decref(row->values[i]);
            row->values[i] = NULL;
        }
}

/* Takes the reference to `value`; NULL means that memory ran out. */
static void store(report_row *row, report_column column, json_t *value)
{
    row->values[column] = value;
    row->broken = row->broken || value == NULL;
}

static void expect_unset(const report_row *row, report_column column, report_type type)
{
    assert(column < REPORT_COLUMNS);
    assert(report_columns[column].type == type);
    assert(row->values[column] == NULL);
    (void)row;
    (void)column;
    (void)type;
}

void report_set_number(report_row *row, report_column column, double value)
{
    expect_unset(row, column, REPORT_TYPE_NUMBER);
    if (isfinite(value))
        store(row, column, report_value_number(value));
}

void report_set_text(report_row *row, report_column column, const char *text)
{
    expect_unset(row, column, REPORT_TYPE_TEXT);
    if (text != NULL && text[0] != '\0')
        store(row, column, report_value_text(text));
}

void report_set_flag(report_row *row, report_column column, bool flag)
{
    expect_unset(row, column, REPORT_TYPE_FLAG);
    store(row, column, json_boolean(flag));
}

static json_t *array_of(const double *values, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, report_value_number(values[i]));
    return array;
}

/* Fewer than STATS_INTERVAL_MINIMUM values give no 95 % interval. */
void report_set_summary(report_row *row, report_column column, const stats_summary *summary)
{
    json_t *object;

    expect_unset(row, column, REPORT_TYPE_SUMMARY);
    if (summary->count == 0)
        return;
    object = json_object();
    if (summary->mean > 0)
        json_object_set_new(object, "mean", report_value_number(summary->mean));
    json_object_set_new(object, "median", report_value_number(summary->median));
    if (summary->count >= STATS_INTERVAL_MINIMUM)
        json_object_set_new(object, "ci95",
                            array_of((const double[]){summary->ci95_low, summary->ci95_high}, 2));
    json_object_set_new(object, "min", report_value_number(summary->minimum));
    json_object_set_new(object, "max", report_value_number(summary->maximum));
    store(row, column, object);
}

void report_set_numbers(report_row *row, report_column column, const double *values, size_t count)
{
    expect_unset(row, column, REPORT_TYPE_NUMBERS);
    if (values != NULL && count > 0)
        store(row, column, array_of(values, count));
}

/* Distributions */

static json_t *microseconds(double ns, double divisor)
{
    return report_value_number(ns / 1000.0 / divisor);
}

/* A percentile needs ten samples beyond it; with fewer it would only repeat outliers. NULL if
 * nothing was recorded. */
static json_t *percentiles_of(const stats_histogram *histogram, double divisor)
{
    static const struct {
        const char *key;
        double quantile;
        uint64_t one_in; /* one of this many samples is beyond it */
    } percentiles[] = {
        {"p50", 0.5, 2}, {"p90", 0.9, 10}, {"p99", 0.99, 100}, {"p99_9", 0.999, 1000}};
    const uint64_t samples_beyond = 10;
    json_t *object;

    if (histogram == NULL || histogram->samples + histogram->dropped == 0)
        return NULL;
    object = json_object();
    for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
        if (histogram->samples / percentiles[i].one_in >= samples_beyond)
            json_object_set_new(
                object, percentiles[i].key,
                microseconds(stats_histogram_quantile(histogram, percentiles[i].quantile),
                             divisor));
    if (histogram->samples > 0)
        json_object_set_new(object, "max", microseconds((double)histogram->maximum_ns, divisor));
    json_object_set_new(object, "samples", json_integer((json_int_t)histogram->samples));
    json_object_set_new(object, "dropped", json_integer((json_int_t)histogram->dropped));
    return object;
}

/* From the first cell in use to the last; consecutive empty cells become one. */
static json_t *cells_in_use(const stats_histogram *histogram, double divisor)
{
    json_t *bounds = json_array(), *counts = json_array();
    size_t first = 0, last = STATS_HISTOGRAM_CELLS - 1, next;

    while (histogram->counts[first] == 0)
        first++;
    while (histogram->counts[last] == 0)
        last--;
    json_array_append_new(bounds, microseconds((double)stats_histogram_bound(first), divisor));
    for (size_t cell = first; cell <= last; cell = next) {
        next = cell + 1;
        while (histogram->counts[cell] == 0 && histogram->counts[next] == 0)
            next++;
        json_array_append_new(counts, json_integer((json_int_t)histogram->counts[cell]));
        json_array_append_new(bounds, microseconds((double)stats_histogram_bound(next), divisor));
    }
    return json_pack("{s:o, s:o}", "bounds", bounds, "counts", counts);
}

void report_set_distribution(report_row *row, report_column column,
                             const stats_histogram *histogram_ns, double divisor)
{
    json_t *object = percentiles_of(histogram_ns, divisor);

    expect_unset(row, column, REPORT_TYPE_DISTRIBUTION);
    if (object == NULL)
        return;
    if (histogram_ns->samples > 0)
        json_object_set_new(object, "histogram", cells_in_use(histogram_ns, divisor));
    store(row, column, object);
}

/* Members */

__attribute__((format(printf, 4, 0))) static void store_member(report_row *row,
                                                               report_column column, json_t *value,
                                                               const char *format,
                                                               va_list arguments)
{
    bool list = report_columns[column].type == REPORT_TYPE_LIST;
    char path[PATH_BYTES];

    assert(list || report_columns[column].type == REPORT_TYPE_MEMBERS);
    vsnprintf(path, sizeof(path), format, arguments);
    if (row->values[column] == NULL)
        store(row, column, list ? json_array() : json_object());
    assert(report_path_get(row->values[column], path) == NULL);
    row->broken = !report_path_set(row->values[column], path, value) || row->broken;
}

void report_set_member(report_row *row, report_column column, double value, const char *path, ...)
{
    va_list arguments;

    va_start(arguments, path);
    if (isfinite(value))
        store_member(row, column, report_value_number(value), path, arguments);
    va_end(arguments);
}

void report_set_member_text(report_row *row, report_column column, const char *text,
                            const char *path, ...)
{
    va_list arguments;

    va_start(arguments, path);
    if (text != NULL && text[0] != '\0')
        store_member(row, column, report_value_text(text), path, arguments);
    va_end(arguments);
}

void report_set_member_flag(report_row *row, report_column column, bool flag, const char *path, ...)
{
    va_list arguments;

    va_start(arguments, path);
    store_member(row, column, json_boolean(flag), path, arguments);
    va_end(arguments);
}

void report_set_member_numbers(report_row *row, report_column column, const double *values,
                               size_t count, const char *path, ...)
{
    json_t *array = json_array();
    va_list arguments;

    for (size_t i = 0; i < count; i++)
        json_array_append_new(array,
                              isfinite(values[i]) ? report_value_number(values[i]) : json_null());
    va_start(arguments, path);
    store_member(row, column, array, path, arguments);
    va_end(arguments);
}

void report_set_member_percentiles(report_row *row, report_column column,
                                   const stats_histogram *histogram_ns, const char *path, ...)
{
    json_t *percentiles = percentiles_of(histogram_ns, 1.0);
    va_list arguments;

    va_start(arguments, path);
    if (percentiles != NULL)
        store_member(row, column, percentiles, path, arguments);
    va_end(arguments);
}

void report_set_counters(report_row *row, const cb_counts *counts)
{
    json_t *object;

    expect_unset(row, REPORT_COUNTERS, REPORT_TYPE_COUNTERS);
    if (counts->set == NULL)
        return;
    object = json_object();
    for (size_t i = 0; i < counts->set->count; i++)
        if (counts->values[i] != CB_COUNTER_ABSENT)
            json_object_set_new(object, counts->set->rows[i].key,
                                json_integer((json_int_t)counts->values[i]));
    store(row, REPORT_COUNTERS, json_pack("{s:o}", counts->set->group, object));
}

/* What a row has */

/* Borrowed reference. */
static json_t *value_at(const report_row *row, report_column column, const char *path)
{
    json_t *value = row->values[column];

    return value == NULL || path[0] == '\0' ? value : report_path_get(value, path);
}

double report_row_number(const report_row *row, report_column column, const char *path)
{
    const json_t *value = value_at(row, column, path);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static double figure_of_summary(const json_t *summary)
{
    const json_t *mean = json_object_get(summary, "mean");
    const json_t *figure = mean != NULL ? mean : json_object_get(summary, "median");

    return json_is_number(figure) ? json_number_value(figure) : (double)NAN;
}

double report_row_figure(const report_row *row, report_column column)
{
    return figure_of_summary(row->values[column]);
}

const char *report_row_text(const report_row *row, report_column column, const char *path)
{
    return json_string_value(value_at(row, column, path));
}

bool report_row_flag(const report_row *row, report_column column, const char *path)
{
    return json_is_true(value_at(row, column, path));
}

bool report_row_has(const report_row *row, report_column column)
{
    return row->values[column] != NULL;
}

/* Absent numbers are ignored: fmin and fmax return the other argument for NaN. */
static double number_of_cell(json_t *value, const report_cell *cell)
{
    double found = (double)NAN;

    if (cell->shows == REPORT_LEAST || cell->shows == REPORT_MOST) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            const json_t *element = json_array_get(value, i);
            const json_t *number =
                cell->path[0] == '\0' ? element : report_path_get(element, cell->path);
            double one = json_is_number(number) ? json_number_value(number) : (double)NAN;

            found = cell->shows == REPORT_LEAST ? fmin(found, one) : fmax(found, one);
        }
    } else if (cell->shows == REPORT_SUM_OF_OTHERS) {
        const char *name;
        json_t *member;

        found = 0;
        json_object_foreach(value, name, member)
        {
            if (strcmp(name, cell->path) != 0)
                found += json_number_value(member);
        }
    } else if (cell->shows == REPORT_HALF_WIDTH_PCT) {
        const json_t *interval = json_object_get(value, "ci95");
        double figure = figure_of_summary(value);
        double low = json_number_value(json_array_get(interval, 0));
        double high = json_number_value(json_array_get(interval, 1));

        if (interval != NULL && figure > 0.0)
            found = 50.0 * (high - low) / figure;
    } else if (cell->shows == REPORT_FIGURE) {
        found = figure_of_summary(value);
    }
    return found;
}

json_t *report_row_cell(const report_row *row, report_column column, const report_cell *cell)
{
    if (cell->shows == REPORT_VALUE)
        return json_incref(value_at(row, column, cell->path));
    if (row->values[column] == NULL)
        return NULL;
    return report_value_number(number_of_cell(row->values[column], cell));
}

json_t *report_row_json(const report_row *row)
{
    json_t *object = json_object();

    for (size_t i = 0; i < REPORT_COLUMNS; i++) {
        if (row->values[i] == NULL)
            continue;
        if (report_columns[i].type == REPORT_TYPE_COUNTERS)
            json_object_update(object, row->values[i]);
        else
            json_object_set(object, report_columns[i].key, row->values[i]);
    }
    return object;
}
