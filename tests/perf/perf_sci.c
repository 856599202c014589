/* The technology sci against the limit that shared memory itself sets: half round trips, and
 * streams, each against the same thing done by hand (copy in, flag, copy out) between the same two
 * processes, block by block in turn. All data are referred to on both sides, by one sum of words:
 * by hand in the copy, over sci where they arrived; word by word and, for large ones, by that of
 * the engine as well, which adds eight at a time. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "engine/traffic.h"
#include "tests/perf/contest.h"
#include "tests/transport/sci/pair.h"

enum {
    TURNS = 21,
    ROUNDS = 400,
    LARGEST = 65536,
    SLOTS = 15,
    /* Data, then a flag in a line of its own, then two lines that are not used: beside the data of
     * the next slot the flag costs 35 ns a message, since processors fetch pairs of lines. Not a
     * multiple of a page, at which the slots would displace each other from the cache. */
    SLOT_BYTES = LARGEST + 192,
    STREAM = 300
};

/* Memory of both processes: for each of them slots that the other fills, and a count of those that
 * it has emptied. */
typedef struct {
    _Alignas(64) uint64_t emptied[8];
    _Alignas(64) unsigned char slots[SLOTS][SLOT_BYTES];
} bare_side;

static bare_side *sides;

typedef struct {
    pair_end *end;
    size_t bytes;
    bool wide;               /* the sum of the engine */
    bool unread;             /* no sum: the data are copied, or lie where they arrived */
    uint64_t sent, received; /* by hand */
    uint64_t sum;
    unsigned char source[LARGEST], copy[LARGEST];
} contender;

/* Of all data. */
static inline void refer_to(contender *c, const void *data, size_t bytes)
{
    if (!c->unread)
        c->sum += c->wide ? traffic_touch(data, bytes) : contest_sum(data, bytes);
}

/* By hand */

static void bare_send(contender *c)
{
    bare_side *there = &sides[!c->end->rank];
    unsigned char *slot = there->slots[c->sent % SLOTS];

    while (c->sent - __atomic_load_n(&there->emptied[0], __ATOMIC_ACQUIRE) == SLOTS)
        continue;
    memcpy(slot, c->source, c->bytes);
    c->sent++;
    __atomic_store_n((uint64_t *)(void *)(slot + LARGEST), c->sent, __ATOMIC_RELEASE);
}

static void bare_receive(contender *c)
{
    bare_side *here = &sides[c->end->rank];
    unsigned char *slot = here->slots[c->received % SLOTS];

    while (__atomic_load_n((uint64_t *)(void *)(slot + LARGEST), __ATOMIC_ACQUIRE) !=
           c->received + 1)
        continue;
    memcpy(c->copy, slot, c->bytes);
    refer_to(c, c->copy, c->bytes);
    c->received++;
    if (c->received % (SLOTS / 2) == 0)
        __atomic_store_n(&here->emptied[0], c->received, __ATOMIC_RELEASE);
}

/* The plainest program: one slot, whose flag is in a line of its own; copies in and out, and
 * nothing else. For messages that alternate. With a ring of slots, as several messages in flight
 * need it, it shows what the ring alone costs. */

static inline void put_plainly(contender *c, unsigned char *slot)
{
    memcpy(slot, c->source, c->bytes);
    __atomic_store_n((uint64_t *)(void *)(slot + LARGEST), ++c->sent, __ATOMIC_RELEASE);
}

static inline void take_plainly(contender *c, const unsigned char *slot)
{
    c->received++;
    while (__atomic_load_n((const uint64_t *)(const void *)(slot + LARGEST), __ATOMIC_ACQUIRE) !=
           c->received)
        continue;
    memcpy(c->copy, slot, c->bytes);
}

static void plain_send(contender *c)
{
    put_plainly(c, sides[!c->end->rank].slots[0]);
}

static void plain_receive(contender *c)
{
    take_plainly(c, sides[c->end->rank].slots[0]);
}

static void ring_send(contender *c)
{
    put_plainly(c, sides[!c->end->rank].slots[c->sent % SLOTS]);
}

static void ring_receive(contender *c)
{
    take_plainly(c, sides[c->end->rank].slots[c->received % SLOTS]);
}

/* Over sci */

static void sci_send_one(contender *c)
{
    transport_buffer *buffer = transport_buffer_create(c->end->factory, c->bytes);

    PAIR_REQUIRE(buffer != NULL, PAIR_WRONG);
    PAIR_REQUIRE(transport_send(c->end->node, buffer) == CB_OK, PAIR_LOST);
}

static void sci_receive_one(contender *c)
{
    transport_buffer *buffer = NULL;

    PAIR_REQUIRE(transport_receive(c->end->node, &buffer) == CB_OK, PAIR_LOST);
    refer_to(c, buffer->data, buffer->size);
    transport_buffer_release(buffer);
}

/* Patterns */

typedef struct {
    void (*send)(contender *c);
    void (*receive)(contender *c);
} way;

static const way bare = {bare_send, bare_receive}, plain = {plain_send, plain_receive},
                 plain_ring = {ring_send, ring_receive}, sci = {sci_send_one, sci_receive_one};

static void bounce(const way *by, contender *c)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (c->end->rank == 0)
            by->send(c);
        by->receive(c);
        if (c->end->rank == 1)
            by->send(c);
    }
}

/* One message back ends it. */
static void stream(const way *by, contender *c)
{
    for (int i = 0; i < STREAM; i++)
        if (c->end->rank == 0)
            by->send(c);
        else
            by->receive(c);
    if (c->end->rank == 0)
        by->receive(c);
    else
        by->send(c);
}

static double timed(void (*pattern)(const way *by, contender *c), const way *by, contender *c)
{
    uint64_t began_ns = cb_now_ns();

    pattern(by, c);
    return (double)(cb_now_ns() - began_ns);
}

typedef struct {
    const char *name;
    const way *by_hand;
    void (*pattern)(const way *by, contender *c);
    double messages; /* of a block */
    size_t bytes;
    bool wide;
    double bound; /* of sci's time over that by hand */
} contest;

static const contest contests[] = {
    {"half round trip", &bare, bounce, 2.0 * ROUNDS, 8, false, 1.15},
    {"half round trip", &bare, bounce, 2.0 * ROUNDS, 64, false, 1.15},
    {"half round trip", &bare, bounce, 2.0 * ROUNDS, 256, false, 1.25},
    {"half round trip", &bare, bounce, 2.0 * ROUNDS, 1024, false, 1.25},
    {"half round trip", &bare, bounce, 2.0 * ROUNDS, 8192, false, 1.00},
    {"half round trip", &bare, bounce, 2.0 * ROUNDS, 65536, false, 1.00},
    {"stream", &bare, stream, STREAM, 8192, false, 1.25},
    {"stream", &bare, stream, STREAM, 65536, false, 1.25},
    {"half, wide sum", &bare, bounce, 2.0 * ROUNDS, 1024, true, 1.25},
    {"half, wide sum", &bare, bounce, 2.0 * ROUNDS, 8192, true, 1.00},
    {"half, wide sum", &bare, bounce, 2.0 * ROUNDS, 65536, true, 1.00},
    {"stream, wide sum", &bare, stream, STREAM, 8192, true, 1.25},
    {"stream, wide sum", &bare, stream, STREAM, 65536, true, 1.25},
    {"plainest, half", &plain, bounce, 2.0 * ROUNDS, 64, false, 1.15},
    {"plainest, half", &plain, bounce, 2.0 * ROUNDS, 1024, false, 1.15},
    {"plainest, half", &plain, bounce, 2.0 * ROUNDS, 8192, false, 1.15},
    {"plainest, half", &plain, bounce, 2.0 * ROUNDS, 65536, false, 1.15},
    {"plainest, ring", &plain_ring, bounce, 2.0 * ROUNDS, 64, false, 1.15},
    {"plainest, ring", &plain_ring, bounce, 2.0 * ROUNDS, 1024, false, 1.15},
    {"plainest, ring", &plain_ring, bounce, 2.0 * ROUNDS, 8192, false, 1.15},
};

static void compete(const contest *what, contender *c)
{
    double by_hand[TURNS], over_sci[TURNS], ratio[TURNS];

    c->bytes = what->bytes;
    c->wide = what->wide;
    c->unread = what->by_hand == &plain || what->by_hand == &plain_ring;
    what->pattern(what->by_hand, c);
    what->pattern(&sci, c);
    for (int turn = 0; turn < TURNS; turn++) {
        by_hand[turn] = timed(what->pattern, what->by_hand, c);
        over_sci[turn] = timed(what->pattern, &sci, c);
        ratio[turn] = over_sci[turn] / by_hand[turn];
    }
    if (c->end->rank != 0)
        return;
    contest_median(ratio, TURNS);
    printf("%-16s %6zu %9.1f %9.1f  %6.3f [%.3f, %.3f]\n", what->name, what->bytes,
           contest_median(by_hand, TURNS) / what->messages,
           contest_median(over_sci, TURNS) / what->messages, ratio[TURNS / 2], ratio[TURNS / 4],
           ratio[3 * TURNS / 4]);
    printf("target: sci over bare memory, %s of %zu bytes: %.3f at most %.2f\n", what->name,
           what->bytes, ratio[TURNS / 2], what->bound);
}

static void compete_in_all(pair_end *end)
{
    contender *c = calloc(1, sizeof(*c));

    PAIR_REQUIRE(c != NULL, PAIR_REFUSED);
    contest_bind(end->rank);
    c->end = end;
    if (end->rank == 0)
        printf("%-16s %6s %9s %9s  %6s\n%-16s %6s %9s %9s  %6s\n", "", "size", "by hand", "sci",
               "ratio", "what", "bytes", "ns", "ns", "[quartiles]");
    for (size_t i = 0; i < sizeof(contests) / sizeof(contests[0]); i++)
        compete(&contests[i], c);
    fflush(stdout);
    free(c);
}

int main(void)
{
    pair_plan plan = {.form = {.outstanding = SLOTS, .bytes = LARGEST, .spare = 2, .lines = true},
                      .message_bytes = LARGEST,
                      .wait = TRANSPORT_WAIT_SPIN,
                      .bodies = {compete_in_all, compete_in_all}};
    int outcomes[2];

    sides = mmap(NULL, 2 * sizeof(*sides), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (sides == MAP_FAILED)
        return 1;
    pair_run(&plan, outcomes);
    return outcomes[0] != 0 || outcomes[1] != 0;
}
