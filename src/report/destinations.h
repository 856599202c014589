/* The destinations of a farm in the text form. Internal to src/report. */
#ifndef REPORT_DESTINATIONS_H
#define REPORT_DESTINATIONS_H

#include <jansson.h>
#include <stdio.h>

/* Of the destinations of a row, which may be NULL, a line for each that is much slower than the
 * others: whose median latency is more than twice the median of all. */
void report_write_slow_destinations(FILE *stream, const json_t *destinations);

#endif
