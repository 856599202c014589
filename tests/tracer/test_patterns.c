/* Collectives as messages: for any number of ranks and any root each message that is sent is
 * received, in the order of sending, with its bytes, and all can be done without waiting for each
 * other in a ring; and each does what its name says. */
#include "tracer/patterns.h"

#include <string.h>

#include "tests/common/unit.h"

enum { MOST_RANKS = 9, MOST_RECORDS = 64 };

typedef struct {
    tracer_record records[MOST_RECORDS];
    bool at_once[MOST_RECORDS];
    size_t count, done;
} script;

static script scripts[MOST_RANKS];
static int ranks;

/* Write the pattern of one rank into its script. */
typedef void (*pattern)(const tracer_place *place, const tracer_sink *sink);

static void keep(void *context, const tracer_record *record, bool at_once)
{
    script *into = context;

    ck_assert_uint_lt(into->count, MOST_RECORDS);
    ck_assert_int_ge(record->peer, 0);
    ck_assert_int_lt(record->peer, ranks);
    into->at_once[into->count] = at_once;
    into->records[into->count++] = *record;
}

static void write_scripts(pattern which, int size, int root)
{
    ranks = size;
    memset(scripts, 0, sizeof(scripts));
    for (int rank = 0; rank < size; rank++) {
        const tracer_place place = {rank, size, root};
        const tracer_sink sink = {keep, &scripts[rank]};

        which(&place, &sink);
    }
}

/* Messages in transit for each pair, in order. */
typedef struct {
    uint64_t bytes[MOST_RECORDS];
    bool at_once[MOST_RECORDS];
    size_t sent, received;
} channel;

static channel channels[MOST_RANKS][MOST_RANKS];

/* One step of a rank; a blocking send waits until its receiver has reached the receive. */
static int step(int rank)
{
    script *own = &scripts[rank];
    tracer_record *record = &own->records[own->done];

    if (own->done == own->count)
        return 0;
    if (record->kind == TRACER_RECEIVE) {
        channel *from = &channels[record->peer][rank];

        if (from->received == from->sent)
            return 0;
        ck_assert_uint_eq(record->bytes, from->bytes[from->received]);
        ck_assert_int_eq(own->at_once[own->done], from->at_once[from->received]);
        from->received++;
    } else {
        channel *to = &channels[rank][record->peer];
        script *other = &scripts[record->peer];
        const tracer_record *there = &other->records[other->done];

        if (record->kind == TRACER_SEND &&
            (other->done == other->count || there->kind != TRACER_RECEIVE || there->peer != rank))
            return 0;
        to->at_once[to->sent] = own->at_once[own->done];
        to->bytes[to->sent++] = record->bytes;
    }
    own->done++;
    return 1;
}

/* Run all scripts to their ends. */
static void perform(void)
{
    int moved;

    memset(channels, 0, sizeof(channels));
    do {
        moved = 0;
        for (int rank = 0; rank < ranks; rank++)
            moved += step(rank);
    } while (moved > 0);
    for (int rank = 0; rank < ranks; rank++)
        ck_assert_msg(scripts[rank].done == scripts[rank].count, "rank %d of %d waits for ever",
                      rank, ranks);
    for (int from = 0; from < ranks; from++)
        for (int to = 0; to < ranks; to++)
            ck_assert_uint_eq(channels[from][to].sent, channels[from][to].received);
}

static uint64_t sent_bytes(void)
{
    uint64_t sum = 0;

    for (int rank = 0; rank < ranks; rank++)
        for (size_t i = 0; i < scripts[rank].count; i++)
            sum += scripts[rank].records[i].kind == TRACER_RECEIVE ? 0
                                                                   : scripts[rank].records[i].bytes;
    return sum;
}

static uint64_t part_of(const void *context, int rank)
{
    (void)context;
    return 100 + (uint64_t)rank;
}

/* Messages between two ranks must agree on both sides. */
static uint64_t between(const void *context, int other)
{
    return 1000 + (uint64_t)(*(const int *)context * other);
}

static const tracer_bytes parts = {part_of, NULL};

static void broadcast(const tracer_place *place, const tracer_sink *sink)
{
    tracer_broadcast(place, 10, sink);
}

static void reduce(const tracer_place *place, const tracer_sink *sink)
{
    tracer_reduce(place, 10, sink);
}

static void gather(const tracer_place *place, const tracer_sink *sink)
{
    tracer_gather(place, part_of(NULL, place->rank), parts, sink);
}

static void scatter(const tracer_place *place, const tracer_sink *sink)
{
    tracer_scatter(place, part_of(NULL, place->rank), parts, sink);
}

static void allgather(const tracer_place *place, const tracer_sink *sink)
{
    tracer_allgather(place, parts, sink);
}

static void alltoall(const tracer_place *place, const tracer_sink *sink)
{
    const tracer_bytes both = {between, &place->rank};

    tracer_alltoall(place, both, both, sink);
}

static void scan(const tracer_place *place, const tracer_sink *sink)
{
    tracer_scan(place, 10, sink);
}

/* The sum of bytes that all ranks send. */
static uint64_t of_tree(int size)
{
    return 10 * (uint64_t)(size - 1);
}

static uint64_t of_parts(int size, int root)
{
    uint64_t sum = 0;

    for (int rank = 0; rank < size; rank++)
        sum += rank == root ? 0 : part_of(NULL, rank);
    return sum;
}

START_TEST(trees_and_stars_deliver_all_data_from_every_root)
{
    for (int size = 1; size <= MOST_RANKS; size++)
        for (int root = 0; root < size; root++) {
            const struct {
                pattern which;
                uint64_t bytes;
            } rows[] = {
                {broadcast, of_tree(size)},     {reduce, of_tree(size)},
                {gather, of_parts(size, root)}, {scatter, of_parts(size, root)},
                {scan, of_tree(size)},
            };

            for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                write_scripts(rows[i].which, size, root);
                ck_assert_uint_eq(sent_bytes(), rows[i].bytes);
                perform();
            }
        }
}
END_TEST

START_TEST(exchanges_deliver_every_part_to_all)
{
    for (int size = 1; size <= MOST_RANKS; size++) {
        uint64_t all = of_parts(size, -1), pairs = 0;

        for (int one = 0; one < size; one++)
            for (int other = 0; other < size; other++)
                pairs += one == other ? 0 : between(&one, other);
        write_scripts(allgather, size, 0);
        ck_assert_uint_eq(sent_bytes(), all * (uint64_t)(size - 1));
        perform();
        write_scripts(alltoall, size, 0);
        ck_assert_uint_eq(sent_bytes(), pairs);
        perform();
        write_scripts(tracer_barrier, size, 0);
        ck_assert_uint_eq(sent_bytes(), 0);
        perform();
    }
}
END_TEST

START_TEST(a_broadcast_reaches_every_rank_once)
{
    for (int size = 2; size <= MOST_RANKS; size++) {
        write_scripts(broadcast, size, 1);
        for (int rank = 0; rank < size; rank++) {
            int received = 0;

            for (size_t i = 0; i < scripts[rank].count; i++)
                received += scripts[rank].records[i].kind == TRACER_RECEIVE;
            ck_assert_int_eq(received, rank == 1 ? 0 : 1);
        }
    }
}
END_TEST

/* The same holds where a rank receives nothing before. In exchanges of all with all nothing
 * depends on a receive anyhow. */
START_TEST(initial_sends_depend_on_no_receive)
{
    static const pattern patterns[] = {broadcast, reduce,    gather,        scatter,
                                       scan,      allgather, tracer_barrier};

    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        for (int size = 1; size <= MOST_RANKS; size++)
            for (int root = 0; root < size; root++) {
                write_scripts(patterns[i], size, root);
                for (int rank = 0; rank < size; rank++) {
                    bool heard = false;

                    for (size_t k = 0; k < scripts[rank].count; k++)
                        if (scripts[rank].records[k].kind == TRACER_RECEIVE)
                            heard = true;
                        else
                            ck_assert_int_eq(scripts[rank].at_once[k], !heard);
                }
            }
}
END_TEST

UNIT_MAIN("patterns", trees_and_stars_deliver_all_data_from_every_root,
          exchanges_deliver_every_part_to_all, a_broadcast_reaches_every_rank_once,
          initial_sends_depend_on_no_receive)
