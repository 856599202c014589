/* The two heaps of ccmod_flows_clock.c, apart from what they are used for: the messages of a link
 * by their ends, and the links by the ends of their first messages. Inline, since they are what the
 * time of an evaluation goes into. Internal to src/model. */
#ifndef MODEL_CLOCK_HEAPS_H
#define MODEL_CLOCK_HEAPS_H

#include "model/engine.h"

/* 12 bytes: there may be one for every link. */
typedef struct __attribute__((packed, aligned(4))) {
    double time_us;
    uint32_t cell;
} cell_entry;

typedef struct {
    cell_entry *heap;
    size_t count, room;
    engine_list scratch; /* messages */
} clock_flow;

static inline clock_flow *flow_of(const ccmod_engine *engine)
{
    return engine->flow;
}

/* The heap of a cell's own messages, by finish: a pairing heap through child (the first), sibling
 * (the next), and back (the one before, or the parent of a first child). */

static inline uint32_t meld(engine_message *pool, uint32_t left, uint32_t right)
{
    if (left == ENGINE_NONE)
        return right;
    if (right == ENGINE_NONE)
        return left;
    if (pool[right].finish < pool[left].finish) {
        uint32_t other = left;

        left = right;
        right = other;
    }
    pool[right].sibling = pool[left].child;
    if (pool[left].child != ENGINE_NONE)
        pool[pool[left].child].back = right;
    pool[right].back = left;
    pool[left].child = right;
    return left;
}

/* One heap of the heaps in a list of siblings: in pairs from the front, then all from the back. */
static inline uint32_t meld_siblings(engine_message *pool, uint32_t first)
{
    uint32_t pairs = ENGINE_NONE, whole = ENGINE_NONE;

    while (first != ENGINE_NONE) {
        uint32_t second = pool[first].sibling;
        uint32_t rest = second != ENGINE_NONE ? pool[second].sibling : ENGINE_NONE;
        uint32_t pair;

        pool[first].sibling = ENGINE_NONE;
        if (second != ENGINE_NONE)
            pool[second].sibling = ENGINE_NONE;
        pair = meld(pool, first, second);
        pool[pair].sibling = pairs;
        pairs = pair;
        first = rest;
    }
    while (pairs != ENGINE_NONE) {
        uint32_t rest = pool[pairs].sibling;

        pool[pairs].sibling = ENGINE_NONE;
        whole = meld(pool, whole, pairs);
        pairs = rest;
    }
    return whole;
}

static inline void heap_insert(engine_message *pool, engine_cell *cell, uint32_t message)
{
    pool[message].child = pool[message].sibling = pool[message].back = ENGINE_NONE;
    cell->heap = meld(pool, cell->heap, message);
    cell->own++;
}

static inline void heap_remove(engine_message *pool, engine_cell *cell, uint32_t message)
{
    engine_message *removed = &pool[message];
    uint32_t below = meld_siblings(pool, removed->child);

    cell->own--;
    if (cell->heap == message) {
        cell->heap = below;
    } else {
        if (pool[removed->back].child == message)
            pool[removed->back].child = removed->sibling;
        else
            pool[removed->back].sibling = removed->sibling;
        if (removed->sibling != ENGINE_NONE)
            pool[removed->sibling].back = removed->back;
        cell->heap = meld(pool, cell->heap, below);
    }
    if (cell->heap != ENGINE_NONE)
        pool[cell->heap].back = ENGINE_NONE;
}

/* The heap of cells */

static inline void put(ccmod_engine *engine, size_t at, cell_entry entry)
{
    flow_of(engine)->heap[at] = entry;
    engine->cells[entry.cell].place = (uint32_t)at;
}

static inline void sift_up(ccmod_engine *engine, size_t at, cell_entry entry)
{
    const cell_entry *heap = flow_of(engine)->heap;

    while (at > 0 && heap[(at - 1) / 2].time_us > entry.time_us) {
        put(engine, at, heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(engine, at, entry);
}

static inline void sift_down(ccmod_engine *engine, size_t at, cell_entry entry)
{
    const clock_flow *flow = flow_of(engine);
    const cell_entry *heap = flow->heap;
    size_t below;

    while ((below = 2 * at + 1) < flow->count) {
        if (below + 1 < flow->count && heap[below + 1].time_us < heap[below].time_us)
            below++;
        if (entry.time_us <= heap[below].time_us)
            break;
        put(engine, at, heap[below]);
        at = below;
    }
    put(engine, at, entry);
}

static inline void remove_top(ccmod_engine *engine)
{
    clock_flow *flow = flow_of(engine);
    cell_entry last = flow->heap[--flow->count];

    engine->cells[flow->heap[0].cell].place = ENGINE_NONE;
    if (flow->count > 0)
        sift_down(engine, 0, last);
}

#endif
