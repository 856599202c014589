/* If a rank sends and receives at a time, the send is started, so that a ring of ranks does not
 * deadlock. */
#include "tracer/patterns.h"

static void message(const tracer_sink *sink, tracer_kind kind, int peer, uint64_t bytes,
                    bool at_once)
{
    tracer_record record = {.kind = kind, .peer = peer, .bytes = bytes, .time_us = -1};

    sink->emit(sink->context, &record, at_once);
}

/* The two halves of an exchange of messages. */
typedef struct {
    int peer;
    uint64_t bytes;
} part;

static void exchange(const tracer_sink *sink, part to, part from, bool at_once)
{
    message(sink, TRACER_START_SEND, to.peer, to.bytes, at_once);
    message(sink, TRACER_RECEIVE, from.peer, from.bytes, at_once);
}

static int modulo(int value, int size)
{
    return ((value % size) + size) % size;
}

/* In the binomial tree with root 0: the distance to the parent, which is the lowest set bit; for
 * the root, the first power of two that is not below the size. */
static int distance_up(int relative, int size)
{
    int distance = 1;

    while (distance < size && (relative & distance) == 0)
        distance *= 2;
    return distance;
}

/* Whether the rank is a leaf of that tree. */
static bool is_leaf(int relative, int size)
{
    return relative % 2 == 1 || relative + 1 >= size;
}

void tracer_broadcast(const tracer_place *place, uint64_t bytes, const tracer_sink *sink)
{
    int relative = modulo(place->rank - place->root, place->size);
    int distance = distance_up(relative, place->size);

    if (relative != 0)
        message(sink, TRACER_RECEIVE, modulo(place->rank - distance, place->size), bytes,
                relative == distance);
    for (distance /= 2; distance > 0; distance /= 2)
        if (relative + distance < place->size)
            message(sink, TRACER_SEND, modulo(place->rank + distance, place->size), bytes,
                    relative == 0);
}

void tracer_reduce(const tracer_place *place, uint64_t bytes, const tracer_sink *sink)
{
    int relative = modulo(place->rank - place->root, place->size);
    int up = distance_up(relative, place->size);

    for (int distance = 1; distance < up; distance *= 2)
        if (relative + distance < place->size)
            message(sink, TRACER_RECEIVE, modulo(place->rank + distance, place->size), bytes,
                    is_leaf(relative + distance, place->size));
    if (relative != 0)
        message(sink, TRACER_SEND, modulo(place->rank - up, place->size), bytes,
                is_leaf(relative, place->size));
}

static void rooted(const tracer_place *place, uint64_t own, tracer_bytes parts, tracer_kind of_root,
                   tracer_kind of_others, const tracer_sink *sink)
{
    if (place->rank != place->root) {
        message(sink, of_others, place->root, own, true);
        return;
    }
    for (int other = 0; other < place->size; other++)
        if (other != place->root)
            message(sink, of_root, other, parts.of(parts.context, other), true);
}

void tracer_gather(const tracer_place *place, uint64_t own, tracer_bytes parts,
                   const tracer_sink *sink)
{
    rooted(place, own, parts, TRACER_RECEIVE, TRACER_SEND, sink);
}

void tracer_scatter(const tracer_place *place, uint64_t own, tracer_bytes parts,
                    const tracer_sink *sink)
{
    rooted(place, own, parts, TRACER_SEND, TRACER_RECEIVE, sink);
}

void tracer_allgather(const tracer_place *place, tracer_bytes parts, const tracer_sink *sink)
{
    int right = modulo(place->rank + 1, place->size), left = modulo(place->rank - 1, place->size);

    for (int step = 0; step + 1 < place->size; step++) {
        int passed_on = modulo(place->rank - step, place->size);
        int passed_to = modulo(passed_on - 1, place->size);

        exchange(sink, (part){right, parts.of(parts.context, passed_on)},
                 (part){left, parts.of(parts.context, passed_to)}, step == 0);
    }
}

void tracer_alltoall(const tracer_place *place, tracer_bytes to, tracer_bytes from,
                     const tracer_sink *sink)
{
    for (int step = 1; step < place->size; step++) {
        int receiver = modulo(place->rank + step, place->size);
        int sender = modulo(place->rank - step, place->size);

        exchange(sink, (part){receiver, to.of(to.context, receiver)},
                 (part){sender, from.of(from.context, sender)}, true);
    }
}

void tracer_scan(const tracer_place *place, uint64_t bytes, const tracer_sink *sink)
{
    if (place->rank > 0)
        message(sink, TRACER_RECEIVE, place->rank - 1, bytes, place->rank == 1);
    if (place->rank + 1 < place->size)
        message(sink, TRACER_SEND, place->rank + 1, bytes, place->rank == 0);
}

void tracer_barrier(const tracer_place *place, const tracer_sink *sink)
{
    for (int distance = 1; distance < place->size; distance *= 2)
        exchange(sink, (part){modulo(place->rank + distance, place->size), 0},
                 (part){modulo(place->rank - distance, place->size), 0}, distance == 1);
}
