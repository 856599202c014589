/* Ranks are taken one after the other. Each time the hosts that have one left are compared by two
 * numbers that the placement gives them; the lowest wins, and among equals the one that comes first
 * after the host taken last. */
#include "engine/placement.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
    size_t left;     /* ranks that have no part yet */
    size_t taken;    /* that have */
    size_t of_stage; /* of them, in the stage that is being filled */
    size_t next;     /* no rank before this one is left */
} host_state;

typedef struct {
    host_state *states;
    size_t host_count, last; /* last: the host that was taken last */
} placing;

typedef struct {
    double first, second;
} preference; /* lower is better */

typedef preference (*prefer)(const host_state *host, size_t steps_after_last, size_t host_count);

/* The host taken last is the last of its round, and yet the first choice. */
static preference prefer_block(const host_state *host, size_t steps, size_t host_count)
{
    (void)host;
    return (preference){(double)(steps % host_count), 0};
}

static preference prefer_cyclic(const host_state *host, size_t steps, size_t host_count)
{
    (void)host;
    (void)host_count;
    return (preference){(double)steps, 0};
}

/* In proportion to the ranks that a host has, so that a small one is not full of the first role. */
static preference prefer_spread(const host_state *host, size_t steps, size_t host_count)
{
    double room = (double)(host->taken + host->left);

    (void)steps;
    (void)host_count;
    return (preference){(double)(host->of_stage + 1) / room, (double)host->taken / room};
}

/* A stage stays where it has begun; it begins where least is, and there where most has room. */
static preference prefer_packed(const host_state *host, size_t steps, size_t host_count)
{
    (void)steps;
    (void)host_count;
    return (preference){host->of_stage > 0 ? -1 : (double)host->taken, -(double)host->left};
}

enum { BLOCK, CYCLIC, SPREAD, PACKED, PLACEMENTS };

const char *const placement_names[PLACEMENTS + 1] = {"block", "cyclic", "spread", "packed", NULL};

static const prefer preferences[PLACEMENTS] = {
    [BLOCK] = prefer_block,
    [CYCLIC] = prefer_cyclic,
    [SPREAD] = prefer_spread,
    [PACKED] = prefer_packed,
};

/* The host to take the next rank from: of those that have one left the preferred one. */
static size_t choose_host(const placing *all, prefer preference_of)
{
    preference best = {0, 0};
    size_t chosen = all->host_count;

    for (size_t steps = 1; steps <= all->host_count; steps++) {
        size_t host = (all->last + steps) % all->host_count;
        preference found;

        if (all->states[host].left == 0)
            continue;
        found = preference_of(&all->states[host], steps, all->host_count);
        if (chosen == all->host_count || found.first < best.first ||
            (found.first == best.first && found.second < best.second)) {
            best = found;
            chosen = host;
        }
    }
    return chosen;
}

cb_status placement_make(const char *placement, const bench_shape *shape, const int *hosts,
                         size_t job_ranks, int *ranks)
{
    placing all = {.host_count = 0};
    size_t place = 0, rule = 0;

    while (rule + 1 < PLACEMENTS && strcmp(placement_names[rule], placement) != 0)
        rule++;
    for (size_t rank = 0; rank < job_ranks; rank++)
        if ((size_t)hosts[rank] >= all.host_count)
            all.host_count = (size_t)hosts[rank] + 1;
    all.states = cb_allocate(all.host_count, sizeof(*all.states), "the placement of ranks");
    if (all.states == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < job_ranks; rank++)
        all.states[hosts[rank]].left++;
    for (size_t stage = 0; stage < shape->stage_count; stage++) {
        for (size_t host = 0; host < all.host_count; host++)
            all.states[host].of_stage = 0;
        for (size_t i = 0; i < shape->stages[stage]; i++, place++) {
            size_t host = place == 0 ? (size_t)hosts[0] : choose_host(&all, preferences[rule]);
            host_state *state = &all.states[host];

            while ((size_t)hosts[state->next] != host)
                state->next++;
            ranks[place] = (int)state->next++;
            state->left--;
            state->taken++;
            state->of_stage++;
            all.last = host;
        }
    }
    free(all.states);
    return CB_OK;
}
