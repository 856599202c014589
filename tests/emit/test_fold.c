/* Folding of records into loops: unrolling the loops gives the original records, and repetitive
 * streams become few items. */
#include "emit/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/common/unit.h"

enum { RANKS = 13 };

typedef struct {
    fold_record *records;
    size_t count, room;
} sequence;

static void sequence_add(sequence *to, fold_record record)
{
    if (to->count == to->room) {
        to->room = to->room > 0 ? 2 * to->room : 1024;
        to->records = realloc(to->records, to->room * sizeof(*to->records));
        ck_assert_ptr_nonnull(to->records);
    }
    to->records[to->count++] = record;
}

static void unroll(const fold_item *items, size_t length, uint64_t iteration, sequence *to)
{
    for (size_t i = 0; i < length; i++) {
        fold_record record = items[i].record;

        for (uint64_t turn = 0; turn < items[i].count; turn++)
            unroll(items[i].body, items[i].length, turn, to);
        if (items[i].count > 0)
            continue;
        if (items[i].stride > 0)
            record.peer = (uint32_t)((record.peer + items[i].stride * iteration) % RANKS);
        sequence_add(to, record);
    }
}

static size_t count_items(const fold_item *items, size_t length)
{
    size_t count = length;

    for (size_t i = 0; i < length; i++)
        count += count_items(items[i].body, items[i].length);
    return count;
}

/* Fold a sequence, compare the unrolled result with it, and free it. Returns the number of
 * items. */
static size_t expect_exact(sequence *given)
{
    fold_state fold = {.ranks = RANKS};
    sequence found = {0};
    size_t items;

    for (size_t i = 0; i < given->count; i++)
        ck_assert_int_eq(fold_add(&fold, &given->records[i]), CB_OK);
    ck_assert_int_eq(fold_finish(&fold), CB_OK);
    unroll(fold.items, fold.count, 0, &found);
    ck_assert_uint_eq(found.count, given->count);
    for (size_t i = 0; i < found.count; i++) {
        const fold_record *one = &given->records[i], *other = &found.records[i];

        ck_assert_msg(one->kind == other->kind && one->peer == other->peer &&
                          one->bytes == other->bytes && one->time_us == other->time_us,
                      "record %zu of %zu: kind %d, peer %u; folded it is kind %d, peer %u", i,
                      found.count, (int)one->kind, one->peer, (int)other->kind, other->peer);
    }
    items = count_items(fold.items, fold.count);
    fold_free(&fold);
    free(found.records);
    free(given->records);
    *given = (sequence){0};
    return items;
}

static fold_record draw_record(cb_random *random, uint64_t peers)
{
    fold_record drawn = {.kind = (fold_kind)cb_random_below(random, FOLD_COMPUTE + 1)};

    if (drawn.kind == FOLD_COMPUTE)
        drawn.time_us = 1 + (double)cb_random_below(random, 2);
    else
        drawn.bytes = 8 * cb_random_below(random, 2);
    if (drawn.kind <= FOLD_RECEIVE)
        drawn.peer = (uint32_t)cb_random_below(random, peers);
    return drawn;
}

START_TEST(a_stream_without_repetition_is_unchanged)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        cb_random random = cb_random_seed(seed);
        uint64_t peers = 1 + cb_random_below(&random, RANKS);
        uint64_t length = cb_random_below(&random, 400);
        sequence given = {0};

        for (uint64_t i = 0; i < length; i++)
            sequence_add(&given, draw_record(&random, peers));
        (void)expect_exact(&given);
    }
}
END_TEST

/* A random part: a record, or repeated parts whose peers may change with each iteration,
 * sometimes with a deviation. */
static void draw_part(cb_random *random, unsigned depth, uint32_t shift, sequence *to)
{
    uint64_t parts = 1 + cb_random_below(random, 4), times = 1 + cb_random_below(random, 6);
    uint32_t stride = (uint32_t)cb_random_below(random, 3);
    cb_random body = *random;

    if (depth == 0 || cb_random_below(random, 4) == 0) {
        fold_record record = draw_record(random, 3);

        if (record.kind <= FOLD_RECEIVE)
            record.peer = (record.peer + shift) % RANKS;
        sequence_add(to, record);
        return;
    }
    for (uint64_t turn = 0; turn < times; turn++) {
        cb_random again = body;

        for (uint64_t part = 0; part < parts; part++)
            draw_part(&again, depth - 1, shift + (uint32_t)turn * stride, to);
        if (cb_random_below(random, 30) == 0)
            sequence_add(to, draw_record(random, RANKS));
        *random = again;
    }
}

START_TEST(nested_repetitions_with_differences_unfold_exactly)
{
    const uint64_t seeds = getenv("CB_CHECK_FULL") != NULL ? 300 : 30;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        cb_random random = cb_random_seed(seed);
        sequence given = {0};

        for (size_t part = 0; part < 6; part++)
            draw_part(&random, 3, 0, &given);
        (void)expect_exact(&given);
    }
}
END_TEST

static fold_record send_to(uint32_t peer)
{
    return (fold_record){.kind = FOLD_SEND, .peer = peer, .bytes = 64};
}

static fold_record receive_from(uint32_t peer)
{
    return (fold_record){.kind = FOLD_RECEIVE, .peer = peer, .bytes = 16};
}

START_TEST(a_repeated_record_becomes_a_loop)
{
    sequence given = {0};

    for (int i = 0; i < 1000; i++)
        sequence_add(&given, send_to(1));
    ck_assert_uint_eq(expect_exact(&given), 2);
}
END_TEST

START_TEST(a_rotation_of_peers_becomes_a_nested_loop)
{
    sequence given = {0};

    for (uint32_t i = 0; i < 1000; i++) {
        sequence_add(&given, receive_from(4 + i % 5));
        sequence_add(&given, send_to(4 + i % 5));
    }
    ck_assert_uint_eq(expect_exact(&given), 4);
}
END_TEST

START_TEST(a_rotation_of_peers_may_wrap_after_the_last_rank)
{
    sequence given = {0};

    for (uint32_t i = 0; i < RANKS - 1; i++)
        sequence_add(&given, send_to((7 + i) % RANKS));
    ck_assert_uint_eq(expect_exact(&given), 2);
}
END_TEST

/* A window of 64 packets with an acknowledgement after each 32. */
START_TEST(a_repetition_between_start_and_end_becomes_a_loop)
{
    sequence given = {0};

    for (int i = 0; i < 5000; i++) {
        if (i >= 64 && i % 32 == 0)
            sequence_add(&given, receive_from(1));
        sequence_add(&given, send_to(1));
    }
    ck_assert_uint_le(expect_exact(&given), 9);
}
END_TEST

START_TEST(a_short_sequence_for_each_peer_becomes_one_loop)
{
    sequence given = {0};

    for (uint32_t i = 0; i < 24; i++)
        sequence_add(&given, receive_from(1 + i / 2));
    ck_assert_uint_eq(expect_exact(&given), 3);
}
END_TEST

START_TEST(a_repetition_is_found_when_its_last_loop_is_complete)
{
    sequence given = {0};

    for (int turn = 0; turn < 100; turn++) {
        sequence_add(&given, receive_from(0));
        for (uint32_t i = 1; i < 10; i++)
            sequence_add(&given, send_to(i));
    }
    ck_assert_uint_eq(expect_exact(&given), 4);
}
END_TEST

START_TEST(an_unfinished_iteration_is_written_after_its_loop)
{
    sequence given = {0};

    for (uint32_t i = 0; i < 40; i++) {
        sequence_add(&given, receive_from(0));
        sequence_add(&given, send_to(1 + i % 4));
    }
    sequence_add(&given, receive_from(0));
    sequence_add(&given, receive_from(0));
    ck_assert_uint_le(expect_exact(&given), 6);
}
END_TEST

UNIT_MAIN("fold", a_stream_without_repetition_is_unchanged,
          nested_repetitions_with_differences_unfold_exactly, a_repeated_record_becomes_a_loop,
          a_rotation_of_peers_becomes_a_nested_loop,
          a_rotation_of_peers_may_wrap_after_the_last_rank,
          a_repetition_between_start_and_end_becomes_a_loop,
          a_short_sequence_for_each_peer_becomes_one_loop,
          a_repetition_is_found_when_its_last_loop_is_complete,
          an_unfinished_iteration_is_written_after_its_loop)
