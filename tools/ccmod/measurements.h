/* Measurements from which a calibration is made. */
#ifndef TOOLS_CCMOD_MEASUREMENTS_H
#define TOOLS_CCMOD_MEASUREMENTS_H

#include <stdio.h>

#include "model/ccmod.h"
#include "report/reading.h"

enum { MEASUREMENTS_ORIGIN_BYTES = 512, MEASUREMENTS_HOLDS = 128 };

typedef struct {
    ccmod_point *points; /* one way on the quiet network */
    size_t count, room;
    size_t left_out;    /* not known well enough */
    double gap_us;      /* between small messages of a stream; NaN: not measured */
    double eager_bytes; /* NaN: not known */
    /* Of cb_calibrate alone: how long each packet of a stream keeps the next one waiting; what a
     * small send costs its processor; contention constants. NaN: not measured. */
    ccmod_point holds[MEASUREMENTS_HOLDS];
    size_t hold_count;
    double send_us, out_contention, in_contention, duplex_contention;
    double eager_tried_bytes;               /* the largest message whose receive was late, or NaN */
    char origin[MEASUREMENTS_ORIGIN_BYTES]; /* what they are, for people, printable */
} measurements;

/* Read the result of cb_calibrate or cb_oneway (a JSON document, that is: it begins with a brace),
 * or two columns. What is wrong is logged. Closed in any case. */
cb_status measurements_read(const char *path, bool round_trips, measurements *out);
void measurements_close(measurements *found);

/* Two columns, size in bytes and time in us; more columns are refused, "#" begins a comment.
 * `round_trips`: times are of the way there and back. */
cb_status measurements_read_columns(FILE *stream, const char *name, bool round_trips,
                                    measurements *out, ccmod_error *error);

/* Of a row: whether a text has this value; the median of a figure, or NaN where it is not known to
 * a fifth. */
bool measurements_is(const report_reading *reading, size_t row, const char *key, const char *value);
double measurements_median(const report_reading *reading, size_t row, const char *figure);

/* What a result of cb_calibrate tells beside its points, which are there. */
void measurements_read_flows(const report_reading *reading, measurements *found);

/* One more point; false without memory. */
bool measurements_add(measurements *found, double bytes, double time_us);

#endif
