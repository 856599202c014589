/* Receives in the order of the sends: records move as late as they must and no later than where
 * they are done, and any order of completion becomes one without a deadlock. */
#include "tracer/order.h"

#include <stdlib.h>

#include "base/random.h"
#include "tests/common/unit.h"

enum { MOST = 24, ROUNDS = 20000 };

static tracer_receipt blocking(uint64_t place, uint64_t bytes)
{
    return (tracer_receipt){.place = place, .done = place, .bytes = bytes};
}

static tracer_receipt started(uint64_t place, uint64_t done, uint64_t bytes)
{
    return (tracer_receipt){.place = place, .done = done, .bytes = bytes};
}

static void expect(const tracer_arrangement *found, size_t index, uint64_t after, uint64_t bytes)
{
    ck_assert_uint_eq(found->index, index);
    ck_assert_uint_eq(found->after, after);
    ck_assert_uint_eq(found->bytes, bytes);
}

START_TEST(what_is_in_order_stays)
{
    tracer_receipt receipts[] = {blocking(1, 8), started(3, 9, 16), blocking(5, 24)};
    const uint64_t sent[] = {8, 16, 24};
    tracer_arrangement found[3];

    tracer_order(receipts, 3, sent, found);
    expect(&found[0], 0, 1, 8);
    expect(&found[1], 1, 3, 16);
    expect(&found[2], 2, 5, 24);
}
END_TEST

START_TEST(what_was_started_in_advance_moves_after_what_came_first)
{
    tracer_receipt receipts[] = {started(1, 9, 100), blocking(4, 0), blocking(6, 0)};
    const uint64_t sent[] = {0, 0, 100};
    tracer_arrangement found[3];

    tracer_order(receipts, 3, sent, found);
    expect(&found[0], 1, 4, 0);
    expect(&found[1], 2, 6, 0);
    expect(&found[2], 0, 6, 100);
}
END_TEST

/* The message that came first was kept by the MPI library. */
START_TEST(blocking_receives_take_each_others_bytes)
{
    tracer_receipt receipts[] = {blocking(2, 8), blocking(4, 0)};
    const uint64_t sent[] = {0, 8};
    tracer_arrangement found[2];

    tracer_order(receipts, 2, sent, found);
    expect(&found[0], 0, 2, 0);
    expect(&found[1], 1, 4, 8);
}
END_TEST

static int compare_places(const void *left, const void *right)
{
    const tracer_receipt *a = left, *b = right;

    return (a->place > b->place) - (a->place < b->place);
}

/* Receipts at different even places, each done there or at a later odd one. */
static size_t draw(cb_random *random, tracer_receipt *receipts, uint64_t *sent)
{
    const size_t count = 1 + cb_random_below(random, MOST);

    for (size_t i = 0; i < count; i++) {
        uint64_t place = 2 * (i + cb_random_below(random, 3) * MOST), wait;

        wait = place + 1 + 2 * cb_random_below(random, 2 * MOST);
        receipts[i] =
            cb_random_below(random, 2) == 0 ? blocking(place, 0) : started(place, wait, 0);
        receipts[i].bytes = cb_random_below(random, 3);
        sent[i] = cb_random_below(random, 3);
    }
    qsort(receipts, count, sizeof(*receipts), compare_places);
    return count;
}

START_TEST(no_receive_moves_back_or_beyond_its_wait)
{
    cb_random random = cb_random_seed(1);
    tracer_receipt receipts[MOST];
    tracer_arrangement found[MOST];
    uint64_t sent[MOST];

    for (size_t round = 0; round < ROUNDS; round++) {
        const size_t count = draw(&random, receipts, sent);
        uint64_t after = 0;
        bool seen[MOST] = {false};

        tracer_order(receipts, count, sent, found);
        for (size_t k = 0; k < count; k++) {
            const tracer_receipt *receipt = &receipts[found[k].index];

            UNIT_REQUIRE(found[k].index < count && !seen[found[k].index],
                         "round %zu, message %zu of %zu", round, k, count);
            seen[found[k].index] = true;
            UNIT_REQUIRE(found[k].bytes == sent[k], "round %zu, message %zu of %zu", round, k,
                         count);
            UNIT_REQUIRE(found[k].after >= after, "round %zu, message %zu of %zu", round, k, count);
            UNIT_REQUIRE(found[k].after >= receipt->place && found[k].after <= receipt->done,
                         "round %zu, message %zu of %zu", round, k, count);
            UNIT_REQUIRE(found[k].after == receipt->place || found[k].after < receipt->done,
                         "round %zu, message %zu of %zu", round, k, count);
            after = found[k].after;
        }
    }
}
END_TEST

UNIT_MAIN("order", what_is_in_order_stays, what_was_started_in_advance_moves_after_what_came_first,
          blocking_receives_take_each_others_bytes, no_receive_moves_back_or_beyond_its_wait)
