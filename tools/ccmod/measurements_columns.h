/* A list of measurements, and reading it from two columns of text of any program: size in bytes and
 * time in us. */
#ifndef TOOLS_CCMOD_MEASUREMENTS_COLUMNS_H
#define TOOLS_CCMOD_MEASUREMENTS_COLUMNS_H

#include <stdio.h>

#include <ccmod/ccmod.h>

enum { MEASUREMENTS_ORIGIN_BYTES = 512, MEASUREMENTS_SIZES = 128 };

/* Streams of packets up to this size show the endpoint, not the link. */
enum { MEASUREMENTS_SMALL_BYTES = 64 };

/* Times of sizes, in any order. */
typedef struct {
    ccmod_point points[MEASUREMENTS_SIZES];
    size_t count;
} measured_times;

typedef struct {
    ccmod_point *points; /* one way on the quiet network */
    size_t count, room;
    size_t left_out;    /* number of uncertain points that were skipped */
    double gap_us;      /* between small messages of a stream; NaN: not measured */
    double eager_bytes; /* NaN: not known */
    /* From cb_calibrate only: how long a packet delays the next one, for one stream and for two
     * that leave a node or arrive at it; how much longer a packet takes that meets another in the
     * opposite direction; processor time of a small send. NaN: not measured. */
    measured_times holds, leaving, coming, meeting;
    double send_us;
    double barrier_round_us;     /* of the smallest exchange */
    double waiting_us;           /* how much longer a packet takes in a ring than in an exchange */
    measured_times first_of_two; /* how much longer the first of two packets that meet takes */
    bool between_hosts;
    bool over_tcp;       /* technology tcp between hosts, where acknowledgements are certain */
    bool over_datagrams; /* technology udp between hosts: a message is one packet */
    /* Contention constants, set by measurements_find_contentions. */
    double out_contention, in_contention, duplex_contention;
    double eager_tried_bytes; /* the largest message of the late-receive test, or NaN */
    char origin[MEASUREMENTS_ORIGIN_BYTES]; /* description of the source for people, printable */
} measurements;

/* Release the points. */
void measurements_close(measurements *found);

/* Add a point; false if out of memory. */
bool measurements_add(measurements *found, double bytes, double time_us);

/* Read two columns, size in bytes and time in us; more columns are an error, "#" begins a comment.
 * `round_trips`: times are of both directions. */
ccmod_status measurements_read_columns(FILE *stream, const char *name, bool round_trips,
                                       measurements *out, ccmod_error *error);

#endif
