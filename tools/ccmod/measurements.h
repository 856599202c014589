/* Measurements from which a calibration is made. */
#ifndef TOOLS_CCMOD_MEASUREMENTS_H
#define TOOLS_CCMOD_MEASUREMENTS_H

#include <stdio.h>

#include "model/ccmod.h"

enum { MEASUREMENTS_ORIGIN_BYTES = 512 };

typedef struct {
    ccmod_point *points; /* one way on the quiet network */
    size_t count, room;
    size_t left_out;    /* not known well enough */
    double gap_us;      /* between small messages of a stream; NaN: not measured */
    double eager_bytes; /* NaN: not known */
    char origin[MEASUREMENTS_ORIGIN_BYTES]; /* what they are, for people, printable */
} measurements;

/* Read the result of cb_oneway (a JSON document, that is: it begins with a brace), or two columns.
 * What is wrong is logged. Closed in any case. */
cb_status measurements_read(const char *path, bool round_trips, measurements *out);
void measurements_close(measurements *found);

/* Two columns, size in bytes and time in us; more columns are refused, "#" begins a comment.
 * `round_trips`: times are of the way there and back. */
cb_status measurements_read_columns(FILE *stream, const char *name, bool round_trips,
                                    measurements *out, ccmod_error *error);

/* One more point; false without memory. */
bool measurements_add(measurements *found, double bytes, double time_us);

#endif
