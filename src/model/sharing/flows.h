/* How messages share the links: what evaluation sees of this folder. Each rule is a table of
 * operations, in a file of its own. Internal to src/model. */
#ifndef MODEL_SHARING_FLOWS_H
#define MODEL_SHARING_FLOWS_H

#include "model/sharing/traffic.h"

typedef struct {
    ccmod_status (*open)(ccmod_traffic *traffic);
    void (*close)(ccmod_traffic *traffic);
    /* The message, with its slots made, has `work_us` of quiet time to do from now on. */
    ccmod_status (*start)(ccmod_traffic *traffic, uint32_t message, double work_us);
    /* All that starts in this instant has started. */
    ccmod_status (*settle)(ccmod_traffic *traffic);
    /* When the traffic changes by itself: the next end of a message or change of background;
     * infinite when nothing moves. */
    double (*next)(ccmod_traffic *traffic);
    /* Go to traffic->now_us. Messages that end within an instant are taken off the links and
     * appended to traffic->ended, after the rates before any of them was taken off. */
    ccmod_status (*pass)(ccmod_traffic *traffic);
    /* In mode split the latency passes after the links and not before them: messages come to their
     * first link in the order of their sends. */
    bool latency_after;
} flow_operations;

/* The article's rule, in time that hardly depends on the number of live messages; either rule of
 * fluid sharing by recomputing everything at each horizon; and one packet after the other. */
extern const flow_operations ccmod_flows_clock, ccmod_flows_plain, ccmod_flows_fifo;

#endif
