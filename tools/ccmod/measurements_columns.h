/* A list of measurements, and how it is read from two columns of text, from any other program: size
 * in bytes and time in us. */
#ifndef TOOLS_CCMOD_MEASUREMENTS_COLUMNS_H
#define TOOLS_CCMOD_MEASUREMENTS_COLUMNS_H

#include <stdio.h>

#include <ccmod/ccmod.h>

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

/* Release the points. */
void measurements_close(measurements *found);

/* One more point; false without memory. */
bool measurements_add(measurements *found, double bytes, double time_us);

/* Two columns, size in bytes and time in us; more columns are refused, "#" begins a comment.
 * `round_trips`: times are of the way there and back. */
ccmod_status measurements_read_columns(FILE *stream, const char *name, bool round_trips,
                                       measurements *out, ccmod_error *error);

#endif
