/* Messages in memory: the pool, the slots of their routes, the receivers of multicasts, and what
 * they take on the quiet network. Internal to src/model. */
#ifndef MODEL_SHARING_MESSAGES_H
#define MODEL_SHARING_MESSAGES_H

#include "model/sharing/traffic.h"

/* A place in the pool, for a message or an item. */
ccmod_status ccmod_pool_take_new(ccmod_traffic *traffic, uint32_t *out);

/* Hot. Of a million messages none is in a cache: the place that is taken next is fetched ahead. */
static inline ccmod_status pool_take(ccmod_traffic *traffic, uint32_t *out)
{
    if (traffic->free_message == TRAFFIC_NONE)
        return ccmod_pool_take_new(traffic, out);
    *out = traffic->free_message;
    traffic->free_message = traffic->pool[*out].sibling;
    if (traffic->free_message != TRAFFIC_NONE)
        __builtin_prefetch(&traffic->pool[traffic->free_message], 1);
    return CCMOD_OK;
}

static inline void pool_give(ccmod_traffic *traffic, uint32_t number)
{
    traffic->pool[number].sibling = traffic->free_message;
    traffic->free_message = number;
}

/* The message, with its fan. */
void ccmod_message_give(ccmod_traffic *traffic, uint32_t number);

/* The message takes the route to its destination, or the tree to those of its fan: the cells
 * become its slots. */
ccmod_status ccmod_message_take_route(ccmod_traffic *traffic, uint32_t number);
/* The slots are free again; the message has none. */
void ccmod_message_give_route(ccmod_traffic *traffic, uint32_t number);

/* Receivers of a multicast, all of them unmatched. */
ccmod_status ccmod_fan_make(ccmod_traffic *traffic, const ccmod_record *record, uint32_t *out);

/* The parts of its delay on the quiet network; what links add to it is in the latency. */
ccmod_delay ccmod_message_delay(ccmod_traffic *traffic, const traffic_message *message);
double ccmod_message_links_latency(const ccmod_traffic *traffic, const traffic_message *message);

/* The message as it is now, for a signal; the steady state is to be filled in by the caller. The
 * route is valid until the next call. */
ccmod_message ccmod_message_describe(ccmod_traffic *traffic, uint32_t number);

/* Hot. The delay of a message on the quiet network without what its links add; valid until the next
 * call. */
static inline const ccmod_delay *message_quiet_delay(ccmod_traffic *traffic, size_t hops,
                                                     uint64_t bytes)
{
    if (bytes != traffic->known_bytes || hops != traffic->known_hops) {
        traffic->known_bytes = bytes;
        traffic->known_hops = hops;
        traffic->known_delay =
            ccmod_quiet_delay(traffic->network, traffic->calibration, hops, bytes);
    }
    return &traffic->known_delay;
}

/* How long after its start a message comes to its first link, and how long after its last link it
 * arrives. In mode paper the links have it all the time. */
static inline double message_before_links_us(const ccmod_traffic *traffic, const ccmod_delay *delay)
{
    if (traffic->parameters.mode != CCMOD_SPLIT)
        return 0;
    return traffic->latency_after ? delay->overhead_us : delay->overhead_us + delay->latency_us;
}

static inline double message_after_links_us(const ccmod_traffic *traffic, const ccmod_delay *delay)
{
    bool after = traffic->latency_after && traffic->parameters.mode == CCMOD_SPLIT;

    return after ? delay->latency_us : 0;
}

#endif
