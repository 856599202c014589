/* Stages of ranks, their roles, and which ranks communicate. */
#include "engine/definition.h"

#include <stdio.h>
#include <string.h>

#include "benchmarks/registry.h"
#include "farm/options.h"
#include "tests/common/unit.h"

enum { MOST = 64 };

static const benchmark chain = {
    .roles = {{"source", BENCH_COUNT, BENCH_CHAIN, 0, 0},
              {"stage", BENCH_COUNT, BENCH_CHAIN, 0, 0},
              {"last stage", BENCH_COUNT, BENCH_CHAIN, 0, 0}},
};

static const benchmark farm = {
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

/* "2 3! 4": the peers, with ! for those that are received from. */
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

START_TEST(a_topology_is_printed_as_it_is_parsed)
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

START_TEST(an_invalid_topology_is_refused)
{
    static const char *const texts[] = {
        "",    "4",      "4-",    "-4",  "4--2",    "4-3",    "2-4",
        "0-0", "4-2-1x", "4 2 1", "4-0", "99999-1", "4-2-1 ", "1-1-1-1-1-1-1-1-1"};
    bench_shape shape;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_msg(shape_parse(texts[i], &shape) == CB_ERROR_USAGE, "'%s' was taken", texts[i]);
}
END_TEST

START_TEST(ranks_are_assigned_to_stages_in_order)
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

START_TEST(first_and_last_stage_have_distinct_roles)
{
    bench_shape shape = parsed("8-4-2-1");

    ck_assert_uint_eq(shape_role(&chain, &shape, 0), 0);
    ck_assert_uint_eq(shape_role(&chain, &shape, 1), 1);
    ck_assert_uint_eq(shape_role(&chain, &shape, 2), 1);
    ck_assert_uint_eq(shape_role(&chain, &shape, 3), 2);
}
END_TEST

START_TEST(a_topology_of_two_stages_has_no_middle_role)
{
    bench_shape shape = parsed("3-1");

    ck_assert_uint_eq(shape_role(&chain, &shape, 0), 0);
    ck_assert_uint_eq(shape_role(&chain, &shape, 1), 2);
}
END_TEST

START_TEST(each_rank_receives_from_its_inputs_and_sends_to_one_rank)
{
    bench_shape shape = parsed("6-2-1");

    ck_assert_str_eq(peers_of(&chain, &shape, 0), "6");
    ck_assert_str_eq(peers_of(&chain, &shape, 5), "7");
    ck_assert_str_eq(peers_of(&chain, &shape, 6), "0! 1! 2! 8");
    ck_assert_str_eq(peers_of(&chain, &shape, 7), "3! 4! 5! 8");
    ck_assert_str_eq(peers_of(&chain, &shape, 8), "6! 7!");
}
END_TEST

START_TEST(roles_of_a_farm_receive_as_the_table_of_roles_says)
{
    bench_shape shape = farm_shape(2, 3);

    ck_assert_str_eq(peers_of(&farm, &shape, 0), "1 2 3! 4! 5!");
    ck_assert_str_eq(peers_of(&farm, &shape, 2), "0! 3 4 5");
    ck_assert_str_eq(peers_of(&farm, &shape, 5), "0 1! 2!");
}
END_TEST

START_TEST(the_list_of_other_ranks_starts_after_the_own_rank)
{
    bench_shape shape = shape_of_count(&cb_alltoall, 4);

    ck_assert_str_eq(peers_of(&cb_alltoall, &shape, 1), "2! 3! 0!");
}
END_TEST

START_TEST(paired_ranks_have_the_same_index)
{
    bench_shape shape = shape_of_count(&cb_pairs, 6);

    ck_assert_str_eq(peers_of(&cb_pairs, &shape, 1), "4!");
    ck_assert_str_eq(peers_of(&cb_pairs, &shape, 5), "2!");
}
END_TEST

START_TEST(shapes_are_equal_if_all_stages_are)
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
    const char *hosts; /* host of each rank of the job, a digit each */
    const char *ranks; /* number of participating ranks, in the order of their positions */
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

START_TEST(block_placement_fills_one_host_before_the_next)
{
    ASSERT_PLACED("block", STAGES(2, 2), "00001111", "0 1 2 3");
    ASSERT_PLACED("block", STAGES(2, 2), "010101", "0 2 4 1");
}
END_TEST

START_TEST(cyclic_placement_never_uses_a_host_twice_in_succession)
{
    ASSERT_PLACED("cyclic", STAGES(1, 4), "000111222", "0 3 6 1 4");
    ASSERT_PLACED("cyclic", STAGES(1, 4), "010101", "0 1 2 3 4");
}
END_TEST

START_TEST(cyclic_placement_skips_full_hosts)
{
    ASSERT_PLACED("cyclic", STAGES(1, 4), "00012", "0 3 4 1 2");
}
END_TEST

START_TEST(spread_placement_divides_roles_in_proportion_to_the_ranks_of_hosts)
{
    ASSERT_PLACED("spread", STAGES(1, 1), "0011", "0 2");
    ASSERT_PLACED("spread", STAGES(4, 4), "00111111", "0 2 3 4 5 6 1 7");
}
END_TEST

START_TEST(packed_placement_gives_each_role_its_own_hosts)
{
    ASSERT_PLACED("packed", STAGES(1, 4, 4), "000011112222", "0 4 5 6 7 8 9 10 11");
}
END_TEST

START_TEST(packed_roles_share_the_emptiest_hosts_where_hosts_are_too_few)
{
    ASSERT_PLACED("packed", STAGES(1, 4, 4), "0000000011111111", "0 8 9 10 11 1 2 3 4");
}
END_TEST

START_TEST(packed_placement_starts_a_role_at_the_host_with_most_free_ranks)
{
    ASSERT_PLACED("packed", STAGES(1, 3), "001222", "0 3 4 5");
}
END_TEST

START_TEST(rank_0_is_first_under_every_placement)
{
    for (size_t i = 0; shape_placements[i] != NULL; i++)
        ASSERT_PLACED(shape_placements[i], STAGES(1), "01", "0");
}
END_TEST

UNIT_MAIN("shape", a_topology_is_printed_as_it_is_parsed, an_invalid_topology_is_refused,
          ranks_are_assigned_to_stages_in_order, first_and_last_stage_have_distinct_roles,
          a_topology_of_two_stages_has_no_middle_role,
          each_rank_receives_from_its_inputs_and_sends_to_one_rank,
          roles_of_a_farm_receive_as_the_table_of_roles_says,
          the_list_of_other_ranks_starts_after_the_own_rank, paired_ranks_have_the_same_index,
          shapes_are_equal_if_all_stages_are, block_placement_fills_one_host_before_the_next,
          cyclic_placement_never_uses_a_host_twice_in_succession, cyclic_placement_skips_full_hosts,
          spread_placement_divides_roles_in_proportion_to_the_ranks_of_hosts,
          packed_placement_gives_each_role_its_own_hosts,
          packed_roles_share_the_emptiest_hosts_where_hosts_are_too_few,
          packed_placement_starts_a_role_at_the_host_with_most_free_ranks,
          rank_0_is_first_under_every_placement)
