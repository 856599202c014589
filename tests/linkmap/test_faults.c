/* The tests of a map on synthetic samples: each fault is named with its direction, nothing else is,
 * and noise alone raises no alarm. */
#include "linkmap/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "linkmap/figures.h"
#include "linkmap/polish.h"
#include "tests/common/unit.h"

enum { HOSTS = 16, CYCLES = 12 };

static const double usual_s[MAP_QUANTITIES] = {
    [MAP_WAKE] = 1e-3, [MAP_LATENCY] = 2e-4, [MAP_ONE_WAY] = 8e-3, [MAP_BOTH_WAYS] = 9e-3};

/* A map whose times vary by `noise` (standard deviation of the logarithm). */
static map_samples quiet_map(size_t hosts, size_t cycles, double noise, uint64_t seed)
{
    const size_t count = cycles * hosts * hosts * MAP_QUANTITIES;
    float *values = calloc(count, sizeof(*values));
    cb_random random = cb_random_seed(seed);

    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < count; i++) {
        const size_t pair = i / MAP_QUANTITIES % (hosts * hosts), quantity = i % MAP_QUANTITIES;

        values[i] = pair / hosts == pair % hosts
                        ? NAN
                        : (float)(usual_s[quantity] * exp(noise * cb_random_normal(&random)));
        if (quantity == MAP_LOSS)
            values[i] = 0;
    }
    return (map_samples){
        .hosts = hosts, .cycles = cycles, .values = values, .factor = 1.5, .stall_s = 0.05};
}

static float *sample_of(const map_samples *map, size_t cycle, size_t from, size_t to)
{
    return (float *)(uintptr_t)map_sample(map, cycle, from, to);
}

/* All messages from one host, or to it, take longer. */
static void slow_down(map_samples *map, size_t host, bool out, double factor)
{
    for (size_t cycle = 0; cycle < map->cycles; cycle++)
        for (size_t other = 0; other < map->hosts; other++) {
            float *sample =
                out ? sample_of(map, cycle, host, other) : sample_of(map, cycle, other, host);

            sample[MAP_ONE_WAY] *= (float)factor;
            sample[MAP_BOTH_WAYS] *= (float)factor;
        }
}

/* A part of the samples of a host, in both directions, are delayed. */
static void stall(map_samples *map, size_t host, double share, double delay_s, uint64_t seed)
{
    cb_random random = cb_random_seed(seed);

    for (size_t cycle = 0; cycle < map->cycles; cycle++)
        for (size_t other = 0; other < map->hosts; other++)
            if (cb_random_unit(&random) < share) {
                sample_of(map, cycle, host, other)[MAP_ONE_WAY] += (float)delay_s;
                sample_of(map, cycle, other, host)[MAP_BOTH_WAYS] += (float)delay_s;
            }
}

static size_t found_in(const map_samples *map, map_fault *faults)
{
    map_figures figures;
    size_t count;

    ck_assert_int_eq(map_analyse(map, &figures, faults, &count), CB_OK);
    map_figures_free(&figures);
    return count;
}

static void expect_fault(const map_fault *found, map_kind kind, map_direction direction, int host,
                         int peer)
{
    ck_assert_str_eq(map_kind_name(found->kind), map_kind_name(kind));
    ck_assert_str_eq(map_direction_name(found->direction), map_direction_name(direction));
    ck_assert_int_eq(found->host, host);
    ck_assert_int_eq(found->peer, peer);
}

static void free_map(map_samples *map)
{
    free((void *)(uintptr_t)map->values);
}

START_TEST(noise_alone_raises_no_alarm)
{
    static const struct {
        size_t hosts, cycles;
        double noise;
    } cases[] = {{4, 6, 0.05}, {5, 7, 0.3}, {8, 6, 0.3}, {16, 12, 0.2}, {33, 6, 0.1}};
    const uint64_t seeds = 60;
    map_fault faults[MAP_FAULTS_MOST];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t alarms = 0;

        for (uint64_t seed = 0; seed < seeds; seed++) {
            map_samples map = quiet_map(cases[i].hosts, cases[i].cycles, cases[i].noise, seed);

            alarms += found_in(&map, faults) > 0;
            free_map(&map);
        }
        ck_assert_msg(alarms <= 1, "%zu of %zu maps of %zu hosts without a fault raised an alarm",
                      alarms, (size_t)seeds, cases[i].hosts);
    }
}
END_TEST

START_TEST(stalls_of_all_hosts_alike_raise_no_alarm)
{
    const uint64_t seeds = 40;
    map_fault faults[MAP_FAULTS_MOST];
    size_t alarms = 0;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        map_samples map = quiet_map(HOSTS, CYCLES, 0.1, seed);

        for (size_t host = 0; host < HOSTS; host++)
            stall(&map, host, 0.05, 0.3, seed * HOSTS + host);
        alarms += found_in(&map, faults) > 0;
        free_map(&map);
    }
    ck_assert_msg(alarms <= 1, "%zu of %zu maps raised an alarm", alarms, (size_t)seeds);
}
END_TEST

/* As on a machine without enough cores: three samples in ten take several times as long. */
START_TEST(samples_that_are_often_late_raise_no_alarm)
{
    const uint64_t seeds = 20;
    map_fault faults[MAP_FAULTS_MOST];
    size_t alarms = 0;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        map_samples map = quiet_map(33, 8, 0.1, seed);
        cb_random random = cb_random_seed(seed);

        for (size_t cycle = 0; cycle < map.cycles; cycle++)
            for (size_t pair = 0; pair < map.hosts * map.hosts; pair++)
                for (size_t quantity = 0; quantity < MAP_LOSS; quantity++)
                    if (cb_random_unit(&random) < 0.3)
                        sample_of(&map, cycle, pair / map.hosts, pair % map.hosts)[quantity] *=
                            (float)(2 + 8 * cb_random_unit(&random));
        alarms += found_in(&map, faults) > 0;
        free_map(&map);
    }
    ck_assert_msg(alarms <= 1, "%zu of %zu maps raised an alarm", alarms, (size_t)seeds);
}
END_TEST

START_TEST(a_delay_of_the_whole_machine_is_no_fault)
{
    map_samples map = quiet_map(HOSTS, CYCLES, 0.1, 3);
    map_fault faults[MAP_FAULTS_MOST];

    for (size_t from = 0; from < HOSTS; from++)
        for (size_t to = 0; to < HOSTS; to++)
            for (size_t quantity = 0; quantity < MAP_LOSS; quantity++)
                sample_of(&map, 5, from, to)[quantity] *= 100;
    ck_assert_uint_eq(found_in(&map, faults), 0);
    free_map(&map);
}
END_TEST

START_TEST(a_slow_host_is_named_with_its_direction)
{
    map_fault faults[MAP_FAULTS_MOST];

    for (int way = 0; way < 3; way++) {
        map_samples map = quiet_map(HOSTS, CYCLES, 0.1, 5);

        if (way != 1)
            slow_down(&map, 3, true, 4);
        if (way != 0)
            slow_down(&map, 3, false, 4);
        ck_assert_uint_eq(found_in(&map, faults), 1);
        expect_fault(&faults[0], MAP_SLOW,
                     way == 0   ? MAP_OUT
                     : way == 1 ? MAP_IN
                                : MAP_BOTH_DIRECTIONS,
                     3, MAP_NOWHERE);
        ck_assert_double_eq_tol(faults[0].factor, 4, 0.6);
        free_map(&map);
    }
}
END_TEST

START_TEST(a_single_slow_pair_is_named_with_its_direction)
{
    map_fault faults[MAP_FAULTS_MOST];

    for (int way = 0; way < 2; way++) {
        map_samples map = quiet_map(HOSTS, CYCLES, 0.1, 7);

        for (size_t cycle = 0; cycle < CYCLES; cycle++) {
            sample_of(&map, cycle, 2, 9)[MAP_ONE_WAY] *= 3;
            if (way == 1)
                sample_of(&map, cycle, 9, 2)[MAP_ONE_WAY] *= 3;
        }
        ck_assert_uint_eq(found_in(&map, faults), 1);
        expect_fault(&faults[0], MAP_SLOW, way == 0 ? MAP_OUT : MAP_BOTH_DIRECTIONS, 2, 9);
        free_map(&map);
    }
}
END_TEST

START_TEST(a_lossy_host_and_a_flapping_one_are_distinguished)
{
    map_samples map = quiet_map(HOSTS, CYCLES, 0.1, 11);
    map_fault faults[MAP_FAULTS_MOST];

    slow_down(&map, 3, true, 10);
    slow_down(&map, 3, false, 10);
    stall(&map, 2, 0.25, 0.21, 1);
    stall(&map, 5, 0.03, 1.2, 2);
    ck_assert_uint_eq(found_in(&map, faults), 3);
    expect_fault(&faults[0], MAP_FLAPPING, MAP_BOTH_DIRECTIONS, 5, MAP_NOWHERE);
    expect_fault(&faults[1], MAP_LOSSY, MAP_BOTH_DIRECTIONS, 2, MAP_NOWHERE);
    expect_fault(&faults[2], MAP_SLOW, MAP_BOTH_DIRECTIONS, 3, MAP_NOWHERE);
    ck_assert_uint_gt(faults[1].samples, faults[1].stalls);
    free_map(&map);
}
END_TEST

START_TEST(a_flapping_host_is_found_among_short_stalls_of_all)
{
    map_samples map = quiet_map(HOSTS, CYCLES, 0.1, 29);
    map_fault faults[MAP_FAULTS_MOST];

    for (size_t host = 0; host < HOSTS; host++)
        stall(&map, host, 0.05, 0.1, host);
    stall(&map, 5, 0.06, 1.2, 2);
    ck_assert_uint_eq(found_in(&map, faults), 1);
    expect_fault(&faults[0], MAP_FLAPPING, MAP_BOTH_DIRECTIONS, 5, MAP_NOWHERE);
    free_map(&map);
}
END_TEST

START_TEST(a_single_unsteady_pair_is_named)
{
    map_samples map = quiet_map(HOSTS, CYCLES, 0.1, 13);
    map_fault faults[MAP_FAULTS_MOST];

    for (size_t cycle = 0; cycle < CYCLES; cycle += 3)
        sample_of(&map, cycle, 4, 8)[MAP_ONE_WAY] += 0.2F;
    ck_assert_uint_eq(found_in(&map, faults), 1);
    expect_fault(&faults[0], MAP_LOSSY, MAP_OUT, 4, 8);
    free_map(&map);
}
END_TEST

START_TEST(lost_packets_count_as_stalls)
{
    map_samples map = quiet_map(HOSTS, CYCLES, 0.1, 17);
    map_fault faults[MAP_FAULTS_MOST];

    for (size_t other = 0; other < HOSTS; other += 2)
        for (size_t cycle = 0; cycle < CYCLES; cycle++) {
            float *sample = sample_of(&map, cycle, 6, other);

            sample[MAP_ONE_WAY] = NAN;
            sample[MAP_LOSS] = other == 6 ? 0 : 0.1F;
        }
    ck_assert_uint_eq(found_in(&map, faults), 1);
    ck_assert_str_eq(map_kind_name(faults[0].kind), "lossy");
    ck_assert_int_eq(faults[0].host, 6);
    free_map(&map);
}
END_TEST

/* exp(-mean) is 0 for the number of events of a host in such a map. */
START_TEST(a_lossy_host_is_found_in_a_long_map_where_all_lose_packets)
{
    enum { LONG = 300 };
    map_samples map = quiet_map(HOSTS, LONG, 0.1, 31);
    map_fault faults[MAP_FAULTS_MOST];
    cb_random random = cb_random_seed(32);

    for (size_t cycle = 0; cycle < LONG; cycle++)
        for (size_t from = 0; from < HOSTS; from++)
            for (size_t to = 0; to < from; to++)
                if (cb_random_unit(&random) < (from == 9 || to == 9 ? 0.9 : 0.2)) {
                    sample_of(&map, cycle, from, to)[MAP_LOSS] = 0.1F;
                    sample_of(&map, cycle, to, from)[MAP_LOSS] = 0.1F;
                }
    ck_assert_uint_eq(found_in(&map, faults), 1);
    ck_assert_str_eq(map_kind_name(faults[0].kind), "lossy");
    ck_assert_int_eq(faults[0].host, 9);
    free_map(&map);
}
END_TEST

START_TEST(pairs_are_compared_with_those_of_equal_distance)
{
    map_samples map = quiet_map(HOSTS, CYCLES, 0.05, 19);
    map_fault faults[MAP_FAULTS_MOST];
    int distances[HOSTS * HOSTS];

    for (size_t from = 0; from < HOSTS; from++)
        for (size_t to = 0; to < HOSTS; to++) {
            const bool far = from / 4 != to / 4;

            distances[from * HOSTS + to] = far ? 2 : 1;
            for (size_t cycle = 0; cycle < CYCLES && far; cycle++)
                sample_of(&map, cycle, from, to)[MAP_ONE_WAY] *= 5;
        }
    map.distances = distances;
    ck_assert_uint_eq(found_in(&map, faults), 0);
    free_map(&map);
}
END_TEST

START_TEST(a_polish_finds_the_effects_beside_a_few_outliers)
{
    double values[HOSTS * HOSTS];
    map_polish polish;

    for (size_t from = 0; from < HOSTS; from++)
        for (size_t to = 0; to < HOSTS; to++)
            values[from * HOSTS + to] =
                from == to ? (double)NAN : 2 * (from == 1 ? 3 : 1) * (to == 4 ? 5 : 1);
    values[7 * HOSTS + 8] *= 100;
    ck_assert_int_eq(map_decompose(values, HOSTS, &polish), CB_OK);
    ck_assert_double_eq_tol(polish.overall, log(2), 1e-9);
    ck_assert_double_eq_tol(polish.out[1], log(3), 1e-9);
    ck_assert_double_eq_tol(polish.in[4], log(5), 1e-9);
    ck_assert_double_eq_tol(polish.residuals[7 * HOSTS + 8], log(100), 1e-9);
    map_polish_free(&polish);
}
END_TEST

START_TEST(a_map_without_samples_has_no_faults)
{
    map_samples map = quiet_map(HOSTS, CYCLES, 0.1, 23);
    map_fault faults[MAP_FAULTS_MOST];

    for (size_t cycle = 0; cycle < CYCLES; cycle++)
        for (size_t pair = 0; pair < HOSTS * HOSTS; pair++)
            for (size_t quantity = 0; quantity < MAP_QUANTITIES; quantity++)
                sample_of(&map, cycle, pair / HOSTS, pair % HOSTS)[quantity] = NAN;
    ck_assert_uint_eq(found_in(&map, faults), 0);
    free_map(&map);
}
END_TEST

/* More slow pairs than a row has room for do not hide what was lost. */
START_TEST(lost_hosts_come_first)
{
    bool lost[HOSTS] = {[3] = true},
         lost_pairs[HOSTS * HOSTS] = {[1 * HOSTS + 2] = true, [1 * HOSTS + 3] = true};
    map_fault faults[MAP_FAULTS_MOST];
    size_t count = MAP_FAULTS_MOST;

    for (size_t i = 0; i < count; i++)
        faults[i] = (map_fault){.kind = MAP_SLOW, .host = (int)i, .peer = 0};
    map_put_lost_first(HOSTS, lost, lost_pairs, faults, &count);
    ck_assert_uint_eq(count, MAP_FAULTS_MOST);
    ck_assert_int_eq(faults[0].kind, MAP_LOST);
    ck_assert_int_eq(faults[0].host, 3);
    ck_assert_int_eq(faults[0].peer, MAP_NOWHERE);
    ck_assert_int_eq(faults[1].kind, MAP_LOST);
    ck_assert_int_eq(faults[1].host, 1);
    ck_assert_int_eq(faults[1].peer, 2);
    for (size_t i = 2; i < count; i++)
        ck_assert_int_eq(faults[i].host, (int)i - 2);
}
END_TEST

UNIT_MAIN("faults", noise_alone_raises_no_alarm, stalls_of_all_hosts_alike_raise_no_alarm,
          samples_that_are_often_late_raise_no_alarm, a_delay_of_the_whole_machine_is_no_fault,
          a_slow_host_is_named_with_its_direction, a_single_slow_pair_is_named_with_its_direction,
          a_lossy_host_and_a_flapping_one_are_distinguished,
          a_flapping_host_is_found_among_short_stalls_of_all, a_single_unsteady_pair_is_named,
          lost_packets_count_as_stalls, a_lossy_host_is_found_in_a_long_map_where_all_lose_packets,
          pairs_are_compared_with_those_of_equal_distance,
          a_polish_finds_the_effects_beside_a_few_outliers, a_map_without_samples_has_no_faults,
          lost_hosts_come_first)
