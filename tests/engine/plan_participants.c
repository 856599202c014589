/* Which ranks participate in a measurement, and in which role. */
#include "farm/options.h"
#include "tests/engine/plans.h"

START_TEST(participants_are_the_first_ranks_of_the_job)
{
    bench_options options = default_options();

    assert_participants(&cb_oneway, &options, (bench_measurement){.count = 2}, 17, LIST(0, 1));
    assert_participants(&cb_alltoall, &options, (bench_measurement){.count = 3}, 17, LIST(0, 1, 2));
    assert_participants(&cb_pairs, &options, (bench_measurement){.count = 4}, 17, LIST(0, 1, 2, 3));
    assert_participants(&cb_outfarm, &options, (bench_measurement){.count = 2}, 17, LIST(0, 1, 2));
    assert_participants(&cb_funnel, &options, (bench_measurement){.count = 3}, 17,
                        LIST(0, 1, 2, 3));
    assert_participants(&cb_calibrate, &options, (bench_measurement){.count = 2}, 17, LIST(0, 1));
    assert_participants(&cb_calibrate, &options, (bench_measurement){.count = 3}, 17,
                        LIST(0, 1, 2));
}
END_TEST

START_TEST(given_receivers_follow_the_source_in_the_given_order)
{
    bench_options options = default_options();

    options.receivers = LIST(7, 3, 5);
    assert_participants(&cb_outfarm, &options, (bench_measurement){.count = 3}, 17,
                        LIST(0, 7, 3, 5));
    assert_participants(&cb_outfarm, &options, (bench_measurement){.count = 2}, 17, LIST(0, 7, 3));
}
END_TEST

START_TEST(all_candidates_of_a_changing_list_participate)
{
    bench_options options = default_options();
    bench_measurement changing = {.count = 2, .list = BENCH_ROTATE};

    assert_participants(&cb_multicast, &options, changing, 5, LIST(0, 1, 2, 3, 4));
    ck_assert_uint_eq(plan_layout(&cb_multicast, &options, &changing, 5).stages[1], 4);
    ck_assert_uint_eq(plan_candidates(&options, &changing, 5), 4);
    changing.list = BENCH_FIXED;
    ck_assert_uint_eq(plan_candidates(&options, &changing, 5), 2);
    changing.list = BENCH_ROTATE;
    options.receivers = LIST(4, 2, 1);
    assert_participants(&cb_multicast, &options, changing, 5, LIST(0, 4, 2, 1));
    ck_assert_uint_eq(plan_layout(&cb_multicast, &options, &changing, 5).stages[1], 3);
}
END_TEST

START_TEST(a_fixed_list_has_as_many_candidates_as_entries)
{
    bench_options options = default_options();
    bench_measurement fixed = {.count = 2};

    ck_assert_uint_eq(plan_layout(&cb_multicast, &options, &fixed, 5).stages[1], 2);
}
END_TEST

START_TEST(roles_are_as_large_as_their_shares)
{
    ck_assert_uint_eq(shape_role_size(&cb_pairs, 0, 6), 3);
    ck_assert_uint_eq(shape_role_size(&cb_pairs, 1, 6), 3);
    ck_assert_uint_eq(shape_role_size(&cb_funnel, 0, 6), 1);
    ck_assert_uint_eq(shape_role_size(&cb_funnel, 1, 6), 6);
    ck_assert_uint_eq(shape_role_size(&cb_alltoall, 0, 6), 6);
    ck_assert_uint_eq(shape_role_size(&cb_alltoall, 1, 6), 0);
    ck_assert_uint_eq(shape_role_size(&cb_calibrate, 2, 2), 0);
    ck_assert_uint_eq(shape_role_size(&cb_calibrate, 2, 3), 1);
}
END_TEST

START_TEST(only_the_ranks_of_a_shape_participate)
{
    bench_options options = default_options();

    assert_participants(&cb_pushfarm, &options, (bench_measurement){.shape = farm_shape(2, 1)}, 17,
                        LIST(0, 1, 2, 3));
    assert_participants(&cb_pipeline, &options,
                        (bench_measurement){.shape = {.stages = {2, 1, 1}, .stage_count = 3}}, 17,
                        LIST(0, 1, 2, 3));
}
END_TEST

UNIT_PART(part_participants, participants_are_the_first_ranks_of_the_job,
          given_receivers_follow_the_source_in_the_given_order,
          all_candidates_of_a_changing_list_participate,
          a_fixed_list_has_as_many_candidates_as_entries, roles_are_as_large_as_their_shares,
          only_the_ranks_of_a_shape_participate)
