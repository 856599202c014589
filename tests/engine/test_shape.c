/* Stages of ranks, their roles, and who talks to whom. */
#include "engine/shape.h"

#include <stdio.h>
#include <string.h>

#include "benchmarks/registry.h"
#include "tests/common/unit.h"

enum { MOST = 64 };

static const benchmark chain = {
    .counted = BENCH_TOPOLOGY,
    .roles = {{"source", BENCH_COUNT, BENCH_CHAIN, 0, 0},
              {"stage", BENCH_COUNT, BENCH_CHAIN, 0, 0},
              {"last stage", BENCH_COUNT, BENCH_CHAIN, 0, 0}},
};

static const benchmark farm = {
    .counted = BENCH_FARM,
    .roles = {{"supervisor", BENCH_ONE, BENCH_ALL, BENCH_SECOND | BENCH_THIRD, BENCH_THIRD},
              {"source", BENCH_COUNT, BENCH_ALL, BENCH_FIRST | BENCH_THIRD, BENCH_FIRST},
              {"destination", BENCH_COUNT, BENCH_ALL, BENCH_FIRST | BENCH_SECOND, BENCH_SECOND}},
};

static bench_shape parsed(const char *text)
{
    bench_shape shape;

    ck_assert_int_eq(shape_parse(text, &shape), CB_OK);
    return shape;
}

/* "2 3! 4": the peers, marked where they are heard. */
static const char *peers_of(const benchmark *definition, const bench_shape *shape,
                            size_t participant)
{
    static char text[256];
    size_t peers[MOST], used = 0;
    bool heard[MOST];
    size_t count = shape_peers(definition, shape, participant, peers, heard);

    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%zu%s", i > 0 ? " " : "",
                                 peers[i], heard[i] ? "!" : "");
    return text;
}

START_TEST(a_topology_is_read_and_written_alike)
{
    static const char *const texts[] = {"4-2-1", "9-3-1", "1-1", "8-8-4-4-2-2-1-1"};
    char text[SHAPE_TEXT];

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        bench_shape shape = parsed(texts[i]);

        shape_text(&shape, text);
        ck_assert_str_eq(text, texts[i]);
    }
}
END_TEST

START_TEST(what_is_no_topology_is_refused)
{
    static const char *const texts[] = {
        "",    "4",      "4-",    "-4",  "4--2",    "4-3",    "2-4",
        "0-0", "4-2-1x", "4 2 1", "4-0", "99999-1", "4-2-1 ", "1-1-1-1-1-1-1-1-1"};
    bench_shape shape;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_msg(shape_parse(texts[i], &shape) == CB_ERROR_USAGE, "'%s' was taken", texts[i]);
}
END_TEST

START_TEST(ranks_stand_in_stages_one_after_the_other)
{
    bench_shape shape = parsed("4-2-1");
    static const size_t stages[] = {0, 0, 0, 0, 1, 1, 2};

    ck_assert_uint_eq(shape_ranks(&shape), 7);
    for (size_t i = 0; i < 7; i++)
        ck_assert_uint_eq(shape_stage(&shape, i), stages[i]);
    ck_assert_uint_eq(shape_span(&shape, 1).first, 4);
    ck_assert_uint_eq(shape_span(&shape, 1).count, 2);
}
END_TEST

START_TEST(the_ends_of_a_topology_have_roles_of_their_own)
{
    bench_shape shape = parsed("8-4-2-1");

    ck_assert_uint_eq(shape_role(&chain, &shape, 0), 0);
    ck_assert_uint_eq(shape_role(&chain, &shape, 1), 1);
    ck_assert_uint_eq(shape_role(&chain, &shape, 2), 1);
    ck_assert_uint_eq(shape_role(&chain, &shape, 3), 2);
}
END_TEST

START_TEST(a_topology_without_a_middle_has_its_ends)
{
    bench_shape shape = parsed("3-1");

    ck_assert_uint_eq(shape_role(&chain, &shape, 0), 0);
    ck_assert_uint_eq(shape_role(&chain, &shape, 1), 2);
}
END_TEST

START_TEST(each_stage_hears_its_inputs_and_feeds_one)
{
    bench_shape shape = parsed("6-2-1");

    ck_assert_str_eq(peers_of(&chain, &shape, 0), "6");
    ck_assert_str_eq(peers_of(&chain, &shape, 5), "7");
    ck_assert_str_eq(peers_of(&chain, &shape, 6), "0! 1! 2! 8");
    ck_assert_str_eq(peers_of(&chain, &shape, 7), "3! 4! 5! 8");
    ck_assert_str_eq(peers_of(&chain, &shape, 8), "6! 7!");
}
END_TEST

START_TEST(a_farms_roles_hear_as_their_rows_say)
{
    bench_shape shape = shape_of_farm(2, 3);

    ck_assert_str_eq(peers_of(&farm, &shape, 0), "1 2 3! 4! 5!");
    ck_assert_str_eq(peers_of(&farm, &shape, 2), "0! 3 4 5");
    ck_assert_str_eq(peers_of(&farm, &shape, 5), "0 1! 2!");
}
END_TEST

START_TEST(others_begin_after_oneself)
{
    bench_shape shape = shape_of_count(&cb_alltoall, 4);

    ck_assert_str_eq(peers_of(&cb_alltoall, &shape, 1), "2! 3! 0!");
}
END_TEST

START_TEST(a_twin_has_the_same_index)
{
    bench_shape shape = shape_of_count(&cb_pairs, 6);

    ck_assert_str_eq(peers_of(&cb_pairs, &shape, 1), "4!");
    ck_assert_str_eq(peers_of(&cb_pairs, &shape, 5), "2!");
}
END_TEST

START_TEST(shapes_are_the_same_when_all_stages_are)
{
    bench_shape one = parsed("4-2-1"), other = parsed("4-2-1"), longer = parsed("4-2-1-1");

    ck_assert(shape_same(&one, &other));
    ck_assert(!shape_same(&one, &longer));
}
END_TEST

/* Placement */

typedef struct {
    const char *placement;
    bench_shape shape;
    const char *hosts; /* of each rank of the job, a digit */
    const char *ranks; /* that take part, in the order of their places */
} placement_case;

static void assert_placed(const placement_case *wanted)
{
    size_t job_ranks = strlen(wanted->hosts), used = 0;
    int hosts[MOST], ranks[MOST];
    char text[256] = "";

    for (size_t rank = 0; rank < job_ranks; rank++)
        hosts[rank] = wanted->hosts[rank] - '0';
    ck_assert_int_eq(shape_place(wanted->placement, &wanted->shape, hosts, job_ranks, ranks),
                     CB_OK);
    for (size_t i = 0; i < shape_ranks(&wanted->shape); i++)
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i > 0 ? " " : "", ranks[i]);
    ck_assert_str_eq(text, wanted->ranks);
}

#define ASSERT_PLACED(...) assert_placed(&(placement_case){__VA_ARGS__})
#define STAGES(...)                                                                                \
    {                                                                                              \
        .stages = {__VA_ARGS__}, .stage_count = sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t)   \
    }

START_TEST(in_blocks_a_host_is_filled_before_the_next)
{
    ASSERT_PLACED("block", STAGES(2, 2), "00001111", "0 1 2 3");
    ASSERT_PLACED("block", STAGES(2, 2), "010101", "0 2 4 1");
}
END_TEST

START_TEST(in_a_cycle_no_host_is_taken_twice_running)
{
    ASSERT_PLACED("cyclic", STAGES(1, 4), "000111222", "0 3 6 1 4");
    ASSERT_PLACED("cyclic", STAGES(1, 4), "010101", "0 1 2 3 4");
}
END_TEST

START_TEST(a_cycle_passes_over_hosts_that_are_full)
{
    ASSERT_PLACED("cyclic", STAGES(1, 4), "00012", "0 3 4 1 2");
}
END_TEST

START_TEST(spread_roles_are_on_hosts_in_proportion_to_their_ranks)
{
    ASSERT_PLACED("spread", STAGES(1, 1), "0011", "0 2");
    ASSERT_PLACED("spread", STAGES(4, 4), "00111111", "0 2 3 4 5 6 1 7");
}
END_TEST

START_TEST(packed_roles_have_hosts_of_their_own)
{
    ASSERT_PLACED("packed", STAGES(1, 4, 4), "000011112222", "0 4 5 6 7 8 9 10 11");
}
END_TEST

START_TEST(packed_roles_share_the_emptiest_hosts_where_there_are_too_few)
{
    ASSERT_PLACED("packed", STAGES(1, 4, 4), "0000000011111111", "0 8 9 10 11 1 2 3 4");
}
END_TEST

START_TEST(a_packed_role_begins_where_there_is_most_room)
{
    ASSERT_PLACED("packed", STAGES(1, 3), "001222", "0 3 4 5");
}
END_TEST

START_TEST(placed_by_whatever_rule_rank_0_is_the_first)
{
    for (size_t i = 0; shape_placements[i] != NULL; i++)
        ASSERT_PLACED(shape_placements[i], STAGES(1), "01", "0");
}
END_TEST

UNIT_MAIN("shape", a_topology_is_read_and_written_alike, what_is_no_topology_is_refused,
          ranks_stand_in_stages_one_after_the_other, the_ends_of_a_topology_have_roles_of_their_own,
          a_topology_without_a_middle_has_its_ends, each_stage_hears_its_inputs_and_feeds_one,
          a_farms_roles_hear_as_their_rows_say, others_begin_after_oneself,
          a_twin_has_the_same_index, shapes_are_the_same_when_all_stages_are,
          in_blocks_a_host_is_filled_before_the_next, in_a_cycle_no_host_is_taken_twice_running,
          a_cycle_passes_over_hosts_that_are_full,
          spread_roles_are_on_hosts_in_proportion_to_their_ranks,
          packed_roles_have_hosts_of_their_own,
          packed_roles_share_the_emptiest_hosts_where_there_are_too_few,
          a_packed_role_begins_where_there_is_most_room,
          placed_by_whatever_rule_rank_0_is_the_first)
