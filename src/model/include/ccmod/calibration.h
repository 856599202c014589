/* Calibrations: the time of a message on the quiet network (without other traffic), the files, the
 * fit to measurements, and the parts of a message's time. */
#ifndef CCMOD_CALIBRATION_H
#define CCMOD_CALIBRATION_H

#include <stdbool.h>
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
    uint64_t
        to_bytes; /* upper limit of the sizes, inclusive; the last line holds for all larger ones */
    double overhead_us;
    double latency_us;
    double us_per_byte;
} ccmod_line;

/* Values are fitted to measurements, not taken from a nominal bandwidth. */
typedef struct {
    ccmod_line lines[CCMOD_LINES]; /* by ascending to_bytes */
    size_t line_count;             /* at least 1 */
    double hop_us; /* added to the latency for each link of a route after the second */
    double gap_us; /* minimum time that a message occupies its links, the endpoint's own rate; time
                      beyond bytes * us_per_byte is subtracted from the latency */
    uint64_t
        eager_bytes;   /* mode split: a send of fewer bytes returns before its receive is posted */
    double barrier_us; /* from the last arrival to the release */
    /* How long a message occupies its links, latency_us + bytes * us_per_byte, by its size as
     * above: the rate of consecutive messages, which may differ from the rate within a single one.
     * Replaces bytes * us_per_byte and gap_us; the rest of the quiet time is latency. Not used if
     * hold_count is 0. */
    ccmod_line holds[CCMOD_LINES];
    size_t hold_count;
    /* How much longer two messages take that leave a node, arrive at it, or pass it in opposite
     * directions: from 1, nothing is shared, to 2, they share one link. 0: unknown, which means 2,
     * 2 and 1, a full-duplex link. See ccmod_network_share_ends. */
    double out_contention, in_contention, duplex_contention;
    /* How long an acknowledgement occupies its links. It travels back over them and nothing waits
     * for it, as with stream sockets: one for every second packet of a sender, and one for a single
     * packet at the end of a message, at once, or, if the receiver usually answers, after 40 ms
     * unless its answer carries it. 0: none. Only with share rule fifo; not for multicasts. */
    double acknowledgement_us;
    /* How messages are cut into packets, if measured: the payload of a packet and the header of
     * each further one. The bytes of lines and holds are then those of a message and of the headers
     * of all its packets but the first, so that each packet is a step of the time. payload_bytes 0:
     * unknown, and headers are part of the lines. See ccmod_network_use_packets. */
    uint64_t payload_bytes;
    double header_bytes;
    unsigned share_rule; /* how messages share a link, if measured: 1 + a ccmod_share; 0: unknown */
    double barrier_round_us; /* if measured: of each round of a barrier, beyond barrier_us; there
                                are log2 of the processors, rounded up */
} ccmod_calibration;

/* How long a barrier of `processors` takes, from the last arrival to the release. */
CCMOD_API double ccmod_barrier_us(const ccmod_calibration *calibration, size_t processors);

/* One line for all sizes, no eager sends, all else 0; `bandwidth_MBps` > 0. */
CCMOD_API ccmod_calibration ccmod_calibration_line(double overhead_us, double latency_us,
                                                   double bandwidth_MBps);

/* Read a calibration file (docs/reference/model.md); `name` is used in errors, which have file,
 * line, cause and remedy. Memory is independent of the file. */
CCMOD_API ccmod_status ccmod_calibration_open(const char *path, ccmod_calibration *out,
                                              ccmod_error *error);
CCMOD_API ccmod_status ccmod_calibration_read(FILE *stream, const char *name,
                                              ccmod_calibration *out, ccmod_error *error);

/* Write a calibration file with nine digits. The caller checks the stream for errors. */
CCMOD_API void ccmod_calibration_write(const ccmod_calibration *calibration, FILE *stream);

/* A measurement: the time of a message of that size on the quiet network, half a round trip. */
typedef struct {
    double bytes, time_us;
} ccmod_point;

typedef struct {
    size_t segments; /* exact number of lines, at most 8; 0: as many as the points support */
    size_t segments_allowed; /* with `segments` 0: this number, or fewer if the points do not allow
                                it; 0: not used */
    uint64_t packet_bytes; /* > 0: two lines, one up to this size and one above, as in the article;
                              `segments` must be 0 or 2 */
    double residual_limit; /* reject lines with a larger rms residual: share of each time or, with
                              `plain`, of the rms time */
    bool plain; /* least squares of the residuals in us, as in the article's listing 2, instead of
                   residuals relative to each time; breaks between lines are the same */
    uint64_t payload_bytes; /* > 0: lines over the bytes on the links, see ccmod_calibration */
    double header_bytes;
} ccmod_fit_wish;

/* How well a line describes its points; residuals are shares of the measured time. */
typedef struct {
    size_t points;
    double from_bytes, to_bytes;
    double rms_residual, worst_residual, worst_bytes;
} ccmod_fit;

/* The bytes that a message has on the links, see payload_bytes of a calibration. */
CCMOD_API double ccmod_bytes_on_links(uint64_t payload_bytes, double header_bytes, double bytes);

/* Times that have a line of their own. */
typedef struct {
    const ccmod_point *points;
    size_t count;
} ccmod_point_set;

/* Find the packets with which lines describe the times best: lone messages and streams, for
 * example, have different lines and the same packets. False if the times do not show packets: a
 * line without them describes the times as well, no line describes them to 3 %, or there are too
 * few sizes. */
CCMOD_API bool ccmod_calibration_find_packets(const ccmod_point_set *sets, size_t count,
                                              uint64_t *payload_bytes, double *header_bytes);

/* Fit lines to points in any order; a line's upper limit is the largest size that it was fitted to.
 * No part of a line is negative: if the best line has one, the best line without it is used. The
 * start-up is all in latency_us; members other than the lines are 0. fits[i] belongs to lines[i].
 */
CCMOD_API ccmod_status ccmod_calibration_fit(const ccmod_point *points, size_t count,
                                             const ccmod_fit_wish *wish, ccmod_calibration *out,
                                             ccmod_fit fits[CCMOD_LINES], ccmod_error *error);

/* The same for how long messages occupy their links: sets only holds and hold_count. */
CCMOD_API ccmod_status ccmod_calibration_fit_holds(const ccmod_point *points, size_t count,
                                                   const ccmod_fit_wish *wish,
                                                   ccmod_calibration *calibration,
                                                   ccmod_fit fits[CCMOD_LINES], ccmod_error *error);

/* Divide the start-up of each line: `overhead_us` of it, or all if it is less, occupies the sender;
 * the rest is latency. */
CCMOD_API void ccmod_calibration_divide(ccmod_calibration *calibration, double overhead_us);

/* The parts of T_quiet. In mode paper contention stretches their sum, in mode split only
 * transfer_us, which comes last. */
typedef struct {
    double overhead_us; /* occupies the sender's processor */
    double latency_us;
    double transfer_us; /* the bytes on the links */
} ccmod_delay;

/* From the calibration's line for the size, with hop_us and gap_us; packet headers are included in
 * the fitted line. `hops`: number of links of the route. */
CCMOD_API ccmod_delay ccmod_default_quiet_delay(const ccmod_calibration *calibration, size_t hops,
                                                uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
