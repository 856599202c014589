/* The rounds as sends and receives. */
#include "linkmap/steps.h"

#include <stdlib.h>

#include "base/memory.h"
#include "linkmap/rounds.h"

typedef struct {
    uint64_t bisections; /* drawn so far */
    size_t *order;
} step_state;

cb_status linkmap_set_up(bench_rank *me)
{
    step_state *state = cb_allocate(1, sizeof(*state), "the rounds of a map");

    me->part = state;
    if (state == NULL)
        return CB_ERROR_MEMORY;
    state->order = cb_allocate(me->place.participants, sizeof(*state->order), "a bisection");
    return state->order != NULL ? CB_OK : CB_ERROR_MEMORY;
}

void linkmap_tear_down(bench_rank *me)
{
    step_state *state = me->part;

    if (state != NULL)
        free(state->order);
    free(state);
    me->part = NULL;
}

cb_status linkmap_step_pairs(bench_rank *me)
{
    const size_t hosts = me->place.participants, self = me->place.index;

    for (size_t round = 0; round < rounds_count(hosts); round++) {
        const size_t partner = rounds_partner(hosts, round, self);

        if (partner == self)
            continue;
        CB_TRY(bench_send(me, linkmap_peer(me, partner)));
        CB_TRY(bench_receive(me, linkmap_peer(me, partner)));
    }
    return CB_OK;
}

cb_status linkmap_step_bisection(bench_rank *me)
{
    step_state *state = me->part;
    const size_t hosts = me->place.participants, self = me->place.index;
    bool sends;
    size_t partner;

    rounds_bisect(hosts, me->lists.seed, state->bisections++, state->order);
    partner = rounds_opposite(state->order, hosts, self, &sends);
    if (partner == self)
        return CB_OK;
    return sends ? bench_send(me, linkmap_peer(me, partner))
                 : bench_receive(me, linkmap_peer(me, partner));
}

cb_status linkmap_step_one_to_all(bench_rank *me)
{
    for (size_t source = 0; source < me->place.participants; source++)
        if (source != me->place.index)
            CB_TRY(bench_receive(me, linkmap_peer(me, source)));
        else
            for (size_t peer = 0; peer < me->peer_count; peer++)
                CB_TRY(bench_send(me, peer));
    return CB_OK;
}
