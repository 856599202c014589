#include "config.h"

#include "tools/ccmod/measurements_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A figure whose 95 % interval reaches farther than this share is none. */
static const double uncertain = 0.2;

bool measurements_is(const report_reading *reading, size_t row, const char *key, const char *value)
{
    const char *found = report_reading_text(reading, "results.%zu.%s", row, key);

    return found != NULL && strcmp(found, value) == 0;
}

measured_time measurements_time(const report_reading *reading, size_t row, const char *figure)
{
    double median = report_reading_number(reading, "results.%zu.%s.median", row, figure);
    double low = report_reading_number(reading, "results.%zu.%s.ci95.0", row, figure);
    double high = report_reading_number(reading, "results.%zu.%s.ci95.1", row, figure);
    bool known = !isnan(median) && !isnan(low) && !isnan(high);

    return (measured_time){median, known ? fmax(median - low, high - median) : (double)NAN};
}

bool measurements_certain(measured_time time)
{
    return time.us > 0 && time.reach_us <= uncertain * time.us;
}

double measurements_median(const report_reading *reading, size_t row, const char *figure)
{
    measured_time time = measurements_time(reading, row, figure);

    return measurements_certain(time) ? time.us : (double)NAN;
}

static int by_value(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

void measurements_note(measured_values *list, double value)
{
    if (list->count < MEASUREMENTS_SIZES && !isnan(value))
        list->values[list->count++] = value;
}

double measurements_middle(measured_values *list)
{
    size_t count = list->count;

    qsort(list->values, count, sizeof(list->values[0]), by_value);
    return count > 0 ? (list->values[(count - 1) / 2] + list->values[count / 2]) / 2 : (double)NAN;
}
