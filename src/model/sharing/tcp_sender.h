/* The sender of one direction of a TCP connection, as a function of time. It follows Linux 6: Reno
 * with selective acknowledgements, RACK, proportional rate reduction, tail loss probes and F-RTO.
 * Left out: ECN, the undoing of a reduction that was not necessary, limits of the receive window.
 * Knows nothing of networks. Internal to src/model. */
#ifndef MODEL_SHARING_TCP_SENDER_H
#define MODEL_SHARING_TCP_SENDER_H

#include <stddef.h>

#include "model/sharing/tcp.h"

/* A segment that was sent and is not yet acknowledged. It starts where the one before it ends. */
typedef struct {
    uint64_t end;
    double sent_us; /* for the last time */
    uint8_t flags;  /* SEGMENT_... in tcp_sender.c */
} tcp_segment;

typedef enum { TCP_OPEN, TCP_DISORDER, TCP_REDUCED, TCP_RECOVERY, TCP_LOSS } tcp_state;
typedef enum { TCP_TIMER_NONE, TCP_TIMER_RETRANSMIT, TCP_TIMER_PROBE, TCP_TIMER_REORDER } tcp_timer;

typedef struct {
    uint64_t unacknowledged, next, written; /* positions */
    uint64_t segment_bytes;
    tcp_segment *segments; /* a ring */
    size_t first, count, room;
    size_t sacked, lost, resent; /* numbers of segments: arrived beyond a gap; taken for lost; of
                                    those sent again, not yet known to have left */

    tcp_state state;
    uint64_t high;                         /* where the present recovery ends */
    size_t window, window_part, threshold; /* in segments */
    size_t window_before, reduction_delivered, reduction_sent;
    bool limited;    /* the window was full */
    size_t most_out; /* segments in flight since `usage_end` was sent */
    uint64_t usage_end;
    size_t window_used;
    double window_us; /* when the window was last used in full, or reduced */

    double smoothed_us, deviation_us, deviation_most_us, variation_us, least_us; /* round trips */
    uint64_t round_end;

    double rack_sent_us, rack_us; /* of the segment sent last of those that have arrived */
    uint64_t rack_end;
    bool rack_advanced;

    tcp_timer timer;
    double timer_us;
    unsigned timeouts;                       /* in a row */
    uint64_t probe_end;                      /* 0: no probe is out */
    bool probe_due, probe_resent, first_try; /* first_try: F-RTO */
    bool new_data;                           /* was sent since tcp_sender_settle */
    bool new_data_first;                     /* to be sent before what is taken for lost */
    double last_sent_us;
} tcp_sender;

/* The handshake took `round_trip_us`. */
void tcp_sender_open(tcp_sender *sender, uint64_t segment_bytes, double round_trip_us);
void tcp_sender_close(tcp_sender *sender);

/* The application writes. */
void tcp_sender_write(tcp_sender *sender, uint64_t bytes, double now_us);

/* Take what is to be sent now: reserve room (false: out of memory) and take the next data, until
 * there is none; then settle, which sets the timer. */
bool tcp_sender_reserve(tcp_sender *sender);
bool tcp_sender_take(tcp_sender *sender, double now_us, tcp_data *data);
void tcp_sender_settle(tcp_sender *sender, double now_us);

/* An acknowledgement arrives, or the timer has expired (timer_us). Then take what is to be sent. */
void tcp_sender_acknowledge(tcp_sender *sender, const tcp_acknowledgement *acknowledgement,
                            double now_us);
void tcp_sender_expire(tcp_sender *sender, double now_us);

#endif
