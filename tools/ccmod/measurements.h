/* Measurements from which a calibration is made. */
#ifndef TOOLS_CCMOD_MEASUREMENTS_H
#define TOOLS_CCMOD_MEASUREMENTS_H

#include <stdio.h>

#include <ccmod/ccmod.h>
#include "report/reading.h"

enum { MEASUREMENTS_ORIGIN_BYTES = 512, MEASUREMENTS_SIZES = 128 };

/* Streams of packets up to this size show the endpoint, not the link. */
enum { MEASUREMENTS_SMALL_BYTES = 64 };

/* Times at sizes, in no order. */
typedef struct {
    ccmod_point points[MEASUREMENTS_SIZES];
    size_t count;
} measured_times;

typedef struct {
    ccmod_point *points; /* one way on the quiet network */
    size_t count, room;
    size_t left_out;    /* not known well enough */
    double gap_us;      /* between small messages of a stream; NaN: not measured */
    double eager_bytes; /* NaN: not known */
    /* Of cb_calibrate alone: how long a packet keeps the next one waiting, of one stream and of two
     * that leave a node or come to it; how much longer a packet takes that meets another on its
     * way; what a small send costs its processor. NaN: not measured. */
    measured_times holds, leaving, coming, meeting;
    double send_us;
    double waiting_us; /* how much longer a packet takes in a ring than in an exchange */
    /* The contention constants, when measurements_find_contentions has been called. */
    double out_contention, in_contention, duplex_contention;
    double eager_tried_bytes;               /* the largest message whose receive was late, or NaN */
    char origin[MEASUREMENTS_ORIGIN_BYTES]; /* what they are, for people, printable */
} measurements;

/* Read the result of cb_calibrate or cb_oneway (a JSON document, that is: it begins with a brace),
 * or two columns. What is wrong is logged. Closed in any case. */
cb_status measurements_read(const char *path, bool round_trips, measurements *out);
void measurements_close(measurements *found);

/* Two columns, size in bytes and time in us; more columns are refused, "#" begins a comment.
 * `round_trips`: times are of the way there and back. */
ccmod_status measurements_read_columns(FILE *stream, const char *name, bool round_trips,
                                       measurements *out, ccmod_error *error);

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

/* What a result of cb_calibrate tells beside its points, which are there. */
void measurements_read_flows(const report_reading *reading, measurements *found);

/* What flows take from each other, beside the fitted holds of the calibration; without holds NaN.
 */
void measurements_find_contentions(measurements *found, const ccmod_calibration *calibration);

/* How long an acknowledgement keeps its links: what a packet waits in a ring, but no longer than a
 * message without bytes; 0 where there is none, or what waits is less than half of that. */
double measurements_acknowledgement(const measurements *found,
                                    const ccmod_calibration *calibration);

/* One more point; false without memory. */
bool measurements_add(measurements *found, double bytes, double time_us);

#endif
