/* What a message costs on the quiet network: a calibration, its files, how it is fitted to
 * measurements, and the parts of a message's time. */
#ifndef CCMOD_CALIBRATION_H
#define CCMOD_CALIBRATION_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ccmod/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CCMOD_LINES = 16 };

/* One line of T_quiet(bytes) = overhead + latency + bytes * us_per_byte. */
typedef struct {
    uint64_t to_bytes; /* the line holds up to this size, inclusive; the last one for all above */
    double overhead_us;
    double latency_us;
    double us_per_byte;
} ccmod_line;

/* Fitted to measurements, never to a nominal bandwidth. */
typedef struct {
    ccmod_line lines[CCMOD_LINES]; /* by ascending to_bytes */
    size_t line_count;             /* at least 1 */
    double hop_us;        /* added to the latency for each link of a route beyond the second */
    double gap_us;        /* a message occupies its links at least so long: the endpoint's own rate;
                             what that is more than bytes * us_per_byte is taken off the latency */
    uint64_t eager_bytes; /* mode split: a send of fewer bytes returns before its receive */
    double barrier_us;    /* from the last arrival to the release */
    /* How long a message keeps its links, latency_us + bytes * us_per_byte, by its size as above:
     * the rate at which messages follow each other, which need not be that of the bytes of a lone
     * one. In the place of bytes * us_per_byte and of gap_us; the rest of the quiet time is
     * latency. Without any (hold_count 0) those hold. */
    ccmod_line holds[CCMOD_LINES];
    size_t hold_count;
    /* How much longer two messages take that leave a node, that come to it, and that pass it in the
     * two directions: from 1, nothing is shared, to 2, they share one link. 0: not known, which is
     * taken for 2, 2 and 1, a full-duplex link. See ccmod_network_share_ends. */
    double out_contention, in_contention, duplex_contention;
    /* How long an acknowledgement keeps its links, which goes back over them and for which no one
     * waits, as stream sockets have them: one for every second packet that has come from a sender,
     * and one for a single packet at the end of a message, at once, or, of a receiver that answers,
     * 40 ms later unless what it sends there carries it. 0: none. Share rule fifo alone has them; a
     * multicast has none. */
    double acknowledgement_us;
} ccmod_calibration;

/* One line for all sizes, no eager sends, and zeros; `bandwidth_MBps` > 0. */
CCMOD_API ccmod_calibration ccmod_calibration_line(double overhead_us, double latency_us,
                                                   double bandwidth_MBps);

/* Read a calibration file (docs/reference/model.md); `name` stands in errors, which tell file,
 * line, cause and remedy. Memory does not depend on the file. */
CCMOD_API ccmod_status ccmod_calibration_open(const char *path, ccmod_calibration *out,
                                              ccmod_error *error);
CCMOD_API ccmod_status ccmod_calibration_read(FILE *stream, const char *name,
                                              ccmod_calibration *out, ccmod_error *error);

/* Write it as such a file, with nine digits. Errors of the stream are the caller's to ask for. */
CCMOD_API void ccmod_calibration_write(const ccmod_calibration *calibration, FILE *stream);

/* A measurement: what a message of a size takes on the quiet network, half of a round trip. */
typedef struct {
    double bytes, time_us;
} ccmod_point;

typedef struct {
    size_t segments; /* the exact number of lines, at most 8; 0: as many as the points support */
    uint64_t packet_bytes; /* above 0: two lines, one up to this size and one above, as in the
                              article; `segments` is 0 or 2 then */
    double
        residual_limit; /* refuse lines that miss their points by more (rms, share of the time) */
} ccmod_fit_wish;

/* How well a line describes its points; residuals are shares of the measured time. */
typedef struct {
    size_t points;
    double from_bytes, to_bytes;
    double rms_residual, worst_residual, worst_bytes;
} ccmod_fit;

/* Fit lines to points in any order; a line's break lies at the largest size that it was fitted to.
 * No part of a line is negative: where the best line's is, the best one without it is taken. All of
 * the start-up is in latency_us, and what is no part of a line is 0. fits[i] tells of lines[i]. */
CCMOD_API ccmod_status ccmod_calibration_fit(const ccmod_point *points, size_t count,
                                             const ccmod_fit_wish *wish, ccmod_calibration *out,
                                             ccmod_fit fits[CCMOD_LINES], ccmod_error *error);

/* The same for how long messages keep their links: fills holds and hold_count alone. */
CCMOD_API ccmod_status ccmod_calibration_fit_holds(const ccmod_point *points, size_t count,
                                                   const ccmod_fit_wish *wish,
                                                   ccmod_calibration *calibration,
                                                   ccmod_fit fits[CCMOD_LINES], ccmod_error *error);

/* Divide the start-up of each line: `overhead_us` of it, or all where it is less, occupies the
 * sender; the rest is latency. */
CCMOD_API void ccmod_calibration_divide(ccmod_calibration *calibration, double overhead_us);

/* The parts of T_quiet. In mode paper their sum is stretched by contention, in mode split the last
 * one alone, which comes after the others. */
typedef struct {
    double overhead_us; /* the sender's processor */
    double latency_us;
    double transfer_us; /* the bytes on the links */
} ccmod_delay;

/* By the calibration's line for the size, with hop_us and gap_us; the packets' headers are in the
 * fitted line already. `hops`: links of the route. */
CCMOD_API ccmod_delay ccmod_default_quiet_delay(const ccmod_calibration *calibration, size_t hops,
                                                uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
