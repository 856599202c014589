/* The rows of a result document: figures that are known well enough, and their medians. */
#ifndef TOOLS_CCMOD_MEASUREMENTS_ROWS_H
#define TOOLS_CCMOD_MEASUREMENTS_ROWS_H

#include "report/reading.h"
#include "tools/ccmod/measurements_columns.h"

/* A time, and how far its 95 % interval reaches to the farther side. */
typedef struct {
    double us, reach_us;
} measured_time;

/* Of a row: whether a text has this value; the median of a figure, NaN where it is missing. */
bool measurements_is(const report_reading *reading, size_t row, const char *key, const char *value);
measured_time measurements_time(const report_reading *reading, size_t row, const char *figure);

/* Whether a time is above 0 and known to a fifth; its median where it is, else NaN. */
bool measurements_certain(measured_time time);
double measurements_median(const report_reading *reading, size_t row, const char *figure);

/* Values whose median counts. */
typedef struct {
    double values[MEASUREMENTS_SIZES];
    size_t count;
} measured_values;

/* One more, as long as there is room; NaN is none. */
void measurements_note(measured_values *list, double value);

/* Their median, NaN of an empty list; the list is sorted. */
double measurements_middle(measured_values *list);

#endif
