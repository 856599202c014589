/* Random numbers: the published sequences of splitmix64 and xoshiro256**, and uniformity. */
#include "base/random.h"

#include "tests/common/unit.h"

START_TEST(mix_steps_through_the_splitmix64_sequence)
{
    /* of seed 1234567; the generator adds the increment to its state at each step */
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u,
                                        9817491932198370423u, 4593380528125082431u,
                                        16408922859458223821u};

    for (uint64_t i = 0; i < 5; i++)
        ck_assert_uint_eq(cb_mix64(1234567 + i * 0x9e3779b97f4a7c15u), expected[i]);
}
END_TEST

START_TEST(next_gives_the_xoshiro256starstar_sequence)
{
    static const uint64_t expected[] = {11520u,
                                        0u,
                                        1509978240u,
                                        1215971899390074240u,
                                        1216172134540287360u,
                                        607988272756665600u,
                                        16172922978634559625u,
                                        8476171486693032832u,
                                        10595114339597558777u,
                                        2904607092377533576u};
    cb_random random = {.state = {1, 2, 3, 4}};

    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        ck_assert_uint_eq(cb_random_next(&random), expected[i]);
}
END_TEST

START_TEST(the_seed_goes_through_splitmix64)
{
    cb_random random = cb_random_seed(1234567);

    ck_assert_uint_eq(random.state[0], 6457827717110365317u);
    ck_assert_uint_eq(random.state[3], 4593380528125082431u);
}
END_TEST

START_TEST(seed_0_gives_a_state_that_is_not_all_zero)
{
    cb_random random = cb_random_seed(0);

    ck_assert_uint_ne(random.state[0] | random.state[1] | random.state[2] | random.state[3], 0);
}
END_TEST

/* 16 cells, 15 degrees of freedom: a true generator exceeds 37.7 for one seed in 1000. The seed
 * is fixed. */
START_TEST(below_draws_all_values_equally_often)
{
    enum { CELLS = 16, DRAWS = 160000 };
    cb_random random = cb_random_seed(42);
    uint64_t counts[CELLS] = {0};
    double chi_square = 0;

    for (int i = 0; i < DRAWS; i++)
        counts[cb_random_below(&random, CELLS)]++;
    for (int i = 0; i < CELLS; i++) {
        double excess = (double)counts[i] - (double)DRAWS / CELLS;

        chi_square += excess * excess / ((double)DRAWS / CELLS);
    }
    ck_assert_double_lt(chi_square, 37.7);
}
END_TEST

/* With bound 3 * 2^62 a plain remainder would give the lowest third twice as often as the others:
 * half of all draws. 1/3 of 30000 is 10000, with a standard deviation of 82. */
START_TEST(below_has_no_bias_at_large_bounds)
{
    const uint64_t third = UINT64_C(1) << 62;
    cb_random random = cb_random_seed(7);
    int lowest = 0;

    for (int i = 0; i < 30000; i++)
        lowest += cb_random_below(&random, 3 * third) < third;
    ck_assert_int_gt(lowest, 9600);
    ck_assert_int_lt(lowest, 10400);
}
END_TEST

START_TEST(below_1_is_always_0)
{
    cb_random random = cb_random_seed(1);

    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(cb_random_below(&random, 1), 0);
}
END_TEST

START_TEST(unit_stays_below_1_at_the_largest_draw)
{
    /* rotl(s1 * 5, 7) * 9 is 2^64 - 1 for this s1: the inverses of 5 and 9 undo the products */
    const uint64_t ninth = UINT64_MAX * UINT64_C(0x8e38e38e38e38e39);
    const uint64_t turned = (ninth >> 7) | (ninth << 57);
    cb_random random = {.state = {0, turned * UINT64_C(0xcccccccccccccccd), 0, 0}};
    double value = cb_random_unit(&random);

    ck_assert_double_lt(value, 1.0);
    ck_assert_double_gt(value, 1.0 - 0x1p-52);
}
END_TEST

/* The mean of 100000 draws has a standard deviation of 0.0009. */
START_TEST(unit_has_the_mean_of_a_uniform_distribution)
{
    cb_random random = cb_random_seed(3);
    double sum = 0;

    for (int i = 0; i < 100000; i++)
        sum += cb_random_unit(&random);
    ck_assert_double_eq_tol(sum / 100000, 0.5, 0.004);
}
END_TEST

UNIT_MAIN("random", mix_steps_through_the_splitmix64_sequence,
          next_gives_the_xoshiro256starstar_sequence, the_seed_goes_through_splitmix64,
          seed_0_gives_a_state_that_is_not_all_zero, below_draws_all_values_equally_often,
          below_has_no_bias_at_large_bounds, below_1_is_always_0,
          unit_stays_below_1_at_the_largest_draw, unit_has_the_mean_of_a_uniform_distribution)
