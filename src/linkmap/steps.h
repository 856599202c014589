/* Steps of a map: its messages without acknowledgements, for plain passes and traces. */
#ifndef LINKMAP_STEPS_H
#define LINKMAP_STEPS_H

#include "engine/traffic.h"

/* Index among the peers of the participant with that index. */
static inline size_t linkmap_peer(const bench_rank *me, size_t participant)
{
    const size_t count = me->place.participants;

    return (participant + count - me->place.index - 1) % count;
}

/* A packet each way between all pairs, round by round. */
cb_status linkmap_step_pairs(bench_rank *me);

/* A packet from each host of one half to its partner in the other; another bisection each step. */
cb_status linkmap_step_bisection(bench_rank *me);

/* Host by host: a packet to each other host. */
cb_status linkmap_step_one_to_all(bench_rank *me);

/* Allocate and free what they keep: me->part. */
cb_status linkmap_set_up(bench_rank *me);
void linkmap_tear_down(bench_rank *me);

#endif
