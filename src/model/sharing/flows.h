/* How messages share the links: the interface to evaluation. Each rule is a table of operations in
 * its own file. Internal to src/model. */
#ifndef MODEL_SHARING_FLOWS_H
#define MODEL_SHARING_FLOWS_H

#include "model/sharing/traffic.h"

typedef struct {
    ccmod_status (*open)(ccmod_traffic *traffic);
    void (*close)(ccmod_traffic *traffic);
    /* Start a message, with its slots made and `work_us` of quiet time to do. If it is
     * MESSAGE_ALONE then, the caller calls `leave` when it ends, unless it is MESSAGE_JOINED by
     * that time. */
    ccmod_status (*start)(ccmod_traffic *traffic, uint32_t message, double work_us);
    /* All messages of this instant have started. */
    ccmod_status (*settle)(ccmod_traffic *traffic);
    /* Time of the next internal change: the end of a message or a change of background; infinite if
     * none. */
    double (*next)(ccmod_traffic *traffic);
    /* Advance to traffic->now_us. Messages that end within the instant leave the links and are
     * appended to traffic->ended; all of them ended at the rates before any was removed. */
    ccmod_status (*pass)(ccmod_traffic *traffic);
    /* In mode split the latency passes after the links instead of before: messages reach their
     * first link in the order of their sends. */
    bool latency_after;
    /* A message that is alone leaves its links; NULL: none ever is. */
    void (*leave)(ccmod_traffic *traffic, uint32_t message);
} flow_operations;

/* The article's rule, in time nearly independent of the number of messages; either rule of fluid
 * sharing, recomputed at each horizon; and one packet after the other. */
extern const flow_operations ccmod_flows_clock, ccmod_flows_plain, ccmod_flows_fifo;

/* Frames of TCP connections, which ports of switches drop when their buffers are full. */
extern const flow_operations ccmod_flows_tcp;

/* The last one with the signals of horizons. */
extern const flow_operations ccmod_flows_fifo_observed;

#endif
