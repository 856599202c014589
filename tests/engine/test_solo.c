/* The engine's measurement in one process: with the control plane for one process, the
 * technology null with simulated costs, and a simulated clock. That clock advances only when it
 * is read, when the process sleeps, and by the cost of each message. So every figure is known,
 * and load on the machine changes none. */
#include "engine/measurement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "engine/pass.h"
#include "engine/rank.h"
#include "benchmarks/registry.h"
#include "tests/common/unit.h"
#include "transport/common/group.h"
#include "transport/transport.h"

extern const transport_technology transport_null;

enum { RANKS = 9, READING_NS = 10, LEAST_BLOCKS = 20, STEPS_RECORDED = 200000 };

/* The simulated clock. When it is off, the real one is read, which Check uses for its own
 * timing. */

static bool clock_is_ours;
static uint64_t now_ns;
static uint64_t meter_price_ns; /* of a reading of the processor time */

static void advance(uint64_t ns)
{
    now_ns += ns;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
    if (!clock_is_ours)
        return (int)syscall(SYS_clock_gettime, id, now);
    advance(id == CLOCK_PROCESS_CPUTIME_ID ? meter_price_ns : READING_NS);
    *now = (struct timespec){.tv_sec = (time_t)(now_ns / 1000000000),
                             .tv_nsec = (long)(now_ns % 1000000000)};
    return 0;
}

int nanosleep(const struct timespec *duration, struct timespec *left)
{
    if (!clock_is_ours)
        return (int)syscall(SYS_nanosleep, duration, left);
    advance((uint64_t)duration->tv_sec * 1000000000 + (uint64_t)duration->tv_nsec);
    return 0;
}

/* Costs of messages */

typedef uint64_t (*price)(void);

static price message_price;
static uint64_t harness_price_ns;

static uint64_t one_microsecond(void)
{
    return 1000;
}

static uint64_t five_milliseconds(void)
{
    return 5000000;
}

/* One to ten microseconds, changing every millisecond. */
static uint64_t unsteady(void)
{
    return 1000 + cb_mix64(now_ns / 1000000) % 9000;
}

/* A hundred times the normal cost during the first 40 ms of the measurement. */
static uint64_t slow_at_first(void)
{
    return now_ns < 1040000000 ? 100000 : 1000;
}

/* Slow until the blocks are long enough for this cost per step, then fast. */
static uint64_t slow_through_the_warm_up(void)
{
    return now_ns < 1050000000 ? 100000 : 1000;
}

/* Three times the normal cost after half a second. */
static uint64_t slow_later(void)
{
    return now_ns < 1500000000 ? 1000 : 3000;
}

/* A microsecond while this process has the core; then other processes get a time slice. */
static uint64_t next_to_others(void)
{
    const uint64_t turn_ns = 4000000;
    uint64_t turns = now_ns / turn_ns;

    return cb_mix64(turns) % 4 > 0 ? 1000 : turn_ns * (1 + cb_mix64(turns) % 3);
}

/* Operations of null with a cost: that of a message for the technology, that of the harness for
 * the baseline. */
static uint64_t price_over(const transport_factory *factory)
{
    return strcmp(factory->ops.name, "null") == 0 ? harness_price_ns : message_price();
}

static cb_status priced_send(transport_node *node, transport_buffer *buffer)
{
    advance(price_over(node->factory));
    return transport_null.send(node, buffer);
}

static cb_status priced_group_receive(transport_group *group, transport_buffer **out,
                                      transport_node **from)
{
    advance(price_over(group->factory));
    return transport_null.group_receive(group, out, from);
}

static cb_status priced_group_send(transport_group *group, transport_buffer *buffer)
{
    advance(price_over(group->factory));
    return transport_null.group_send(group, buffer);
}

static uint64_t groups_made;

static cb_status priced_group_create(transport_factory *factory, transport_node *const *nodes,
                                     size_t count, transport_node *root, bool multicast,
                                     transport_group **out)
{
    groups_made++;
    advance(100000000);
    return transport_plain_create(factory, nodes, count, root, multicast, out);
}

/* Every received message has one flipped bit. */
static cb_status corrupting_receive(transport_node *node, transport_buffer **out)
{
    CB_TRY(transport_null.receive(node, out));
    ((unsigned char *)(*out)->data)[5] ^= 2;
    return CB_OK;
}

/* A session of one rank that has peers. */

typedef struct {
    transport_technology technology, harness;
    bench_options options;
    engine_job job;
    engine_session session;
    int hosts[RANKS], machines[RANKS], ranks[RANKS];
    unsigned cores[RANKS], host_cores[1];
    char bindings[RANKS][HOST_TEXT];
} bench;

static void make_bench(bench *b, const benchmark *definition)
{
    *b = (bench){.options = {.mode = "default",
                             .precision_pct = 2,
                             .max_time_s = 1.5,
                             .window = 64,
                             .wait = "auto",
                             .touch = "all",
                             .buffers = "hot",
                             .seed = 1},
                 .host_cores = {RANKS}};
    b->harness = transport_null;
    b->harness.send = priced_send;
    b->harness.group_receive = priced_group_receive;
    b->harness.group_send = priced_group_send;
    b->technology = b->harness;
    b->technology.name = "priced";
    b->session = (engine_session){.job = &b->job};
    b->job = (engine_job){.definition = definition,
                          .options = &b->options,
                          .machines = {.hosts = b->hosts,
                                       .host_count = 1,
                                       .machines = b->machines,
                                       .cores = b->cores,
                                       .bindings = b->bindings,
                                       .host_cores = b->host_cores}};
    for (int rank = 0; rank < RANKS; rank++) {
        b->ranks[rank] = rank;
        b->cores[rank] = RANKS;
    }
    message_price = one_microsecond;
    harness_price_ns = 7;
    meter_price_ns = READING_NS;
}

static void open_bench(bench *b)
{
    transport_bootstrap bootstrap = {.size = RANKS};

    ck_assert_int_eq(control_open(false, &b->session.plane), CB_OK);
    ck_assert_int_eq(transport_open(&b->technology, &bootstrap, &b->session.technology), CB_OK);
    ck_assert_int_eq(transport_open(&b->harness, &bootstrap, &b->session.null), CB_OK);
}

/* Memory that a rank does not release would show here. */
static void close_bench(bench *b)
{
    counting_free(&b->session.counting);
    ck_assert_int_eq(transport_close(b->session.technology), CB_OK);
    ck_assert_int_eq(transport_close(b->session.null), CB_OK);
    control_close(b->session.plane);
}

static size_t participants_of(const bench *b, const bench_measurement *measurement)
{
    int ranks[RANKS];

    return plan_participants(b->session.job->definition, &b->options, measurement, RANKS, ranks);
}

/* Times are those of the simulated clock, which starts at 1 s. */
static cb_status measure_as(bench *b, const bench_measurement *measurement,
                            measurement_outcome *out)
{
    measurement_setting setting = {
        .session = &b->session, .planned = measurement, .ranks = b->ranks};
    cb_status status;

    open_bench(b);
    setting.participants = participants_of(b, measurement);
    setting.team = control_everyone(b->session.plane);
    setting.oversubscribed =
        machines_oversubscribed(&b->session.job->machines, b->ranks, setting.participants);
    now_ns = 1000000000;
    clock_is_ours = true;
    status = measurement_run(&setting, out);
    clock_is_ours = false;
    close_bench(b);
    return status;
}

static measurement_outcome measure(bench *b)
{
    bench_measurement measurement = {
        .mode = &b->session.job->definition->modes[0], .count = 2, .size_bytes = 64};
    measurement_outcome outcome;

    ck_assert_int_eq(measure_as(b, &measurement, &outcome), CB_OK);
    return outcome;
}

/* Stopping */

START_TEST(a_steady_figure_stops_after_the_minimum_of_blocks)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_twoway);
    outcome = measure(&b);
    ck_assert_str_eq(outcome.stopped_by, "precision");
    ck_assert_uint_eq(outcome.block_count, LEAST_BLOCKS);
    measurement_outcome_free(&outcome);
}
END_TEST

START_TEST(an_unsteady_figure_uses_all_of_its_time)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_twoway);
    b.options.precision_pct = 0.01;
    message_price = unsteady;
    outcome = measure(&b);
    ck_assert_str_eq(outcome.stopped_by, "max-time");
    ck_assert_uint_gt(outcome.block_count, 10 * LEAST_BLOCKS);
    measurement_outcome_free(&outcome);
}
END_TEST

START_TEST(a_coarser_precision_is_reached_sooner)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_twoway);
    b.options.precision_pct = 10;
    message_price = unsteady;
    outcome = measure(&b);
    ck_assert_str_eq(outcome.stopped_by, "precision");
    ck_assert_uint_gt(outcome.block_count, LEAST_BLOCKS);
    measurement_outcome_free(&outcome);
}
END_TEST

static double step_ns(const measurement_outcome *outcome)
{
    return outcome->blocks_ns[0] / (double)outcome->steps;
}

/* A reading that takes as long as a tenth of a block would show if it were within one. */
START_TEST(meters_are_read_outside_of_the_blocks)
{
    bench b;
    measurement_outcome cheap, dear;

    make_bench(&b, &cb_twoway);
    cheap = measure(&b);
    make_bench(&b, &cb_twoway);
    meter_price_ns = 100000;
    dear = measure(&b);
    ck_assert_double_eq_tol(step_ns(&dear), step_ns(&cheap), 1e-3 * step_ns(&cheap));
    measurement_outcome_free(&cheap);
    measurement_outcome_free(&dear);
}
END_TEST

START_TEST(meters_count_the_time_and_the_steps_of_all_blocks)
{
    bench b;
    measurement_outcome outcome;
    double blocks_ns = 0;

    make_bench(&b, &cb_twoway);
    outcome = measure(&b);
    for (size_t i = 0; i < outcome.block_count; i++)
        blocks_ns += outcome.blocks_ns[i];
    ck_assert_uint_ge(outcome.base.timed.steps, outcome.steps * outcome.block_count);
    ck_assert_double_ge((double)outcome.base.timed.elapsed_ns, blocks_ns);
    /* The simulated clock is that of the processor, too. */
    ck_assert_uint_ge(outcome.base.timed.total[0], outcome.base.timed.elapsed_ns);
    ck_assert_double_eq_tol((double)outcome.base.timed.elapsed_ns /
                                (double)outcome.base.timed.steps,
                            step_ns(&outcome), 0.1 * step_ns(&outcome));
    measurement_outcome_free(&outcome);
}
END_TEST

static void assert_within_max_time(price of_a_message)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_twoway);
    b.options.precision_pct = 0.01;
    message_price = of_a_message;
    harness_price_ns = of_a_message();
    outcome = measure(&b);
    ck_assert_uint_le(now_ns - 1000000000, 1600000000);
    measurement_outcome_free(&outcome);
}

START_TEST(all_passes_together_take_at_most_max_time)
{
    assert_within_max_time(one_microsecond);
    assert_within_max_time(unsteady);
    assert_within_max_time(five_milliseconds);
    assert_within_max_time(slow_later);
    assert_within_max_time(next_to_others);
}
END_TEST

/* As in a pipeline, where timing starts after its first event has passed all stages. */
START_TEST(time_outside_blocks_counts_towards_max_time)
{
    static benchmark untimed;
    bench b;
    measurement_outcome outcome;

    untimed = cb_twoway;
    untimed.modes[0].roles[0].timed = false;
    make_bench(&b, &untimed);
    outcome = measure(&b);
    ck_assert_uint_le(now_ns - 1000000000, 1600000000);
    measurement_outcome_free(&outcome);
}
END_TEST

/* Building a group takes a fifteenth of the time limit. Two are built, as many as start within a
 * tenth of it. */
START_TEST(building_groups_takes_at_most_its_share_of_max_time)
{
    uint64_t receivers[] = {1, 2, 3, 4};
    bench_measurement measurement = {
        .mode = &cb_multicast.modes[0], .count = 4, .size_bytes = 64, .own_multicast = true};
    measurement_outcome outcome;
    bench b;

    make_bench(&b, &cb_multicast);
    b.options.receivers = (cb_list){receivers, 4};
    b.technology.group_create = priced_group_create;
    b.technology.group_destroy = transport_plain_destroy;
    groups_made = 0;
    ck_assert_int_eq(measure_as(&b, &measurement, &outcome), CB_OK);
    ck_assert_uint_eq(groups_made, 3); /* two in 0.15 s, and the one that is used */
    ck_assert_double_ge(outcome.group_create_ns, 1e8);
    measurement_outcome_free(&outcome);
}
END_TEST

/* Estimated step time of batches */

START_TEST(the_step_time_is_estimated_from_the_last_three_batches)
{
    batch_pace pace = {.count = 0};

    pace_note(&pace, 9000, 1);
    pace_note(&pace, 4000, 4);
    ck_assert_double_eq(pace_latest_ns(&pace), 1000);
    ck_assert_double_eq(pace_slowest_ns(&pace), 9000);
    pace_note(&pace, 5000, 10);
    pace_note(&pace, 8000, 10);
    ck_assert_double_eq(pace_latest_ns(&pace), 800);
    ck_assert_double_eq(pace_slowest_ns(&pace), 1000);
}
END_TEST

START_TEST(the_size_of_a_batch_assumes_the_slowest_step_time)
{
    batch_pace pace = {.count = 0};

    ck_assert(isinf(pace_affordable(&pace, 1000, 1e6)));
    pace_note(&pace, 100, 10);
    pace_note(&pace, 200, 10);
    ck_assert_double_eq(pace_affordable(&pace, 1000, 1e6), 50);
    ck_assert_double_lt(pace_affordable(&pace, -1, 1e6), 0);
}
END_TEST

START_TEST(a_batch_takes_a_quarter_of_the_limit_or_an_eighth_where_batches_differ)
{
    batch_pace pace = {.count = 0};

    pace_note(&pace, 100, 10);
    pace_note(&pace, 125, 10);
    ck_assert_double_eq(pace_affordable(&pace, 1e6, 1e6), 0.25e6 / 12.5);
    pace_note(&pace, 160, 10);
    ck_assert_double_eq(pace_affordable(&pace, 1e6, 1e6), 0.125e6 / 16);
}
END_TEST

/* Blocks */

START_TEST(the_time_of_a_step_is_that_of_a_block_over_its_steps)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_twoway);
    outcome = measure(&b);
    for (size_t i = 0; i < outcome.block_count; i++) {
        double step_ns = outcome.blocks_ns[i] / (double)outcome.steps;

        ck_assert_double_ge(step_ns, 1000);
        ck_assert_double_lt(step_ns, 1010); /* with the clock: under 1 % */
    }
    measurement_outcome_free(&outcome);
}
END_TEST

START_TEST(blocks_take_longer_where_ranks_share_cores)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_twoway);
    b.host_cores[0] = 1;
    outcome = measure(&b);
    ck_assert_double_ge(outcome.blocks_ns[0], 5e6);
    measurement_outcome_free(&outcome);
}
END_TEST

/* A step of two microseconds and a window of 1000: sixteen windows exceed the length of a block,
 * and 24 such blocks fit into the time. */
START_TEST(a_block_of_a_stream_holds_sixteen_windows)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_outfarm);
    b.options.window = 1000;
    outcome = measure(&b);
    ck_assert_uint_eq(outcome.steps, 16000);
    measurement_outcome_free(&outcome);
}
END_TEST

START_TEST(a_slow_start_makes_no_short_blocks_of_a_stream)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_outfarm);
    b.options.window = 1000;
    message_price = slow_through_the_warm_up;
    outcome = measure(&b);
    ck_assert_uint_eq(outcome.steps, 16000);
    measurement_outcome_free(&outcome);
}
END_TEST

START_TEST(a_block_of_a_stream_is_short_enough_for_24_of_them)
{
    const double second_ns = 1e9, millisecond_ns = 1e6;
    uint64_t steps =
        measurement_block_steps(1000, millisecond_ns, second_ns, 1u << 20); /* 4 s of windows */

    ck_assert_uint_ge(steps, 10000);
    ck_assert_uint_le(steps * 1000 * 24, (uint64_t)second_ns);
    /* without a window, or with a short one, the time of a block decides, and its minimum is one
     * step */
    ck_assert_uint_eq(measurement_block_steps(1000, millisecond_ns, second_ns, 0), 1000);
    ck_assert_uint_eq(measurement_block_steps(1000, millisecond_ns, second_ns, 32), 1000);
    ck_assert_uint_eq(measurement_block_steps(second_ns, millisecond_ns, second_ns, 64), 1);
    ck_assert_uint_eq(measurement_block_steps(millisecond_ns, millisecond_ns, second_ns, 1), 16);
}
END_TEST

START_TEST(two_buffers_of_the_largest_size_are_allocated_before_measuring)
{
    ck_assert_uint_eq(rank_buffers_beforehand(1u << 30, 66), 2);
    ck_assert_uint_eq(rank_buffers_beforehand((16u << 20) + 1, 66), 2);
    ck_assert_uint_eq(rank_buffers_beforehand(1u << 20, 66), 24);
    ck_assert_uint_eq(rank_buffers_beforehand(64, 66), 74);
    ck_assert_uint_eq(rank_buffers_beforehand(0, 66), 74);
}
END_TEST

START_TEST(warm_up_is_not_counted)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_twoway);
    message_price = slow_at_first;
    outcome = measure(&b);
    for (size_t i = 0; i < outcome.block_count; i++)
        ck_assert_double_lt(outcome.blocks_ns[i] / (double)outcome.steps, 1010);
    measurement_outcome_free(&outcome);
}
END_TEST

START_TEST(ranks_that_do_not_time_add_no_samples)
{
    static benchmark untimed;
    bench b;
    measurement_outcome outcome;

    untimed = cb_twoway;
    untimed.modes[0].roles[0].timed = false;
    make_bench(&b, &untimed);
    b.options.max_time_s = 0.05;
    outcome = measure(&b);
    for (size_t i = 0; i < outcome.block_count; i++)
        ck_assert_double_eq(outcome.blocks_ns[i], 0);
    ck_assert_uint_eq(outcome.histogram->samples, 0);
    measurement_outcome_free(&outcome);
}
END_TEST

/* Single steps */

START_TEST(the_histogram_has_every_step_of_its_pass)
{
    bench b;
    measurement_outcome outcome;
    uint64_t sum = 0;

    make_bench(&b, &cb_twoway);
    message_price = unsteady;
    outcome = measure(&b);
    for (size_t cell = 0; cell < STATS_HISTOGRAM_CELLS; cell++)
        sum += outcome.histogram->counts[cell];
    ck_assert_uint_gt(sum, 10000);
    ck_assert_uint_le(sum, STEPS_RECORDED);
    ck_assert_uint_eq(outcome.histogram->samples, sum);
    ck_assert_uint_eq(outcome.histogram->dropped, 0);
    measurement_outcome_free(&outcome);
}
END_TEST

START_TEST(a_single_step_includes_the_time_of_one_clock_reading)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_twoway);
    outcome = measure(&b);
    ck_assert_uint_eq(outcome.histogram->maximum_ns, 1000 + READING_NS);
    ck_assert_uint_eq(outcome.histogram->counts[stats_histogram_cell(1000 + READING_NS)],
                      outcome.histogram->samples);
    measurement_outcome_free(&outcome);
}
END_TEST

/* Baselines */

START_TEST(the_harness_cost_is_the_time_of_a_step_over_null)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_twoway);
    harness_price_ns = 50;
    outcome = measure(&b);
    ck_assert_double_ge(outcome.harness_ns, 50);
    ck_assert_double_lt(outcome.harness_ns, 50.5);
    measurement_outcome_free(&outcome);
}
END_TEST

START_TEST(the_cost_of_touching_is_reported_only_where_packets_are_touched)
{
    bench b;
    measurement_outcome outcome;

    make_bench(&b, &cb_twoway);
    outcome = measure(&b);
    ck_assert_double_gt(outcome.base.touch_ns, 0);
    measurement_outcome_free(&outcome);
    b.options.touch = "none";
    outcome = measure(&b);
    ck_assert_double_lt(outcome.base.touch_ns, 0);
    measurement_outcome_free(&outcome);
}
END_TEST

START_TEST(corrupted_data_ends_the_measurement_without_baselines)
{
    bench b;
    measurement_outcome outcome;
    bench_measurement measurement = {.mode = &cb_twoway.modes[0], .count = 2, .size_bytes = 64};

    make_bench(&b, &cb_twoway);
    b.technology.receive = corrupting_receive;
    ck_assert_int_eq(measure_as(&b, &measurement, &outcome), CB_ERROR_DATA);
    ck_assert_double_lt(outcome.harness_ns, 0);
    ck_assert_double_lt(outcome.base.touch_ns, 0);
    measurement_outcome_free(&outcome);
}
END_TEST

/* All programs */

static void assert_measured(bench *b, const bench_measurement *measurement)
{
    measurement_outcome outcome;

    ck_assert_int_eq(measure_as(b, measurement, &outcome), CB_OK);
    ck_assert_uint_ge(outcome.block_count, LEAST_BLOCKS);
    ck_assert_uint_gt(outcome.histogram->samples, 0);
    ck_assert_double_gt(outcome.harness_ns, 0);
    ck_assert((b->session.job->definition->lists && measurement->list != BENCH_NEW) ==
              (outcome.group_create_ns >= 0));
    ck_assert((outcome.group_free_ns >= 0) == (outcome.group_create_ns >= 0));
    for (size_t i = 0; i < outcome.block_count; i++)
        ck_assert_double_gt(outcome.blocks_ns[i], 0);
    measurement_outcome_free(&outcome);
}

START_TEST(every_mode_of_every_program_runs_over_null)
{
    static const benchmark *const all[] = {&cb_oneway,  &cb_twoway, &cb_alltoall, &cb_pairs,
                                           &cb_outfarm, &cb_funnel, &cb_calibrate};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        for (const bench_mode *mode = all[i]->modes; mode->name != NULL; mode++) {
            bench_measurement measurement = {.mode = mode, .size_bytes = 64};
            bench b;

            make_bench(&b, all[i]);
            measurement.count = all[i]->counted == &counted_pair ? 2 : 4;
            if (mode->processors > 0)
                measurement.count = mode->processors;
            assert_measured(&b, &measurement);
        }
}
END_TEST

/* The control plane has one rank only; the other ranks have made-up names. */
START_TEST(every_list_and_multicast_runs_over_null)
{
    uint64_t receivers[RANKS - 1] = {1, 2, 3, 4, 5, 6, 7, 8};

    for (size_t mode = 0; mode < 2; mode++)
        for (int list = BENCH_FIXED; list <= BENCH_NEW; list++)
            for (int own = 0; own <= 1; own++) {
                bench_measurement measurement = {.mode = &cb_multicast.modes[mode],
                                                 .count = 4,
                                                 .size_bytes = 64,
                                                 .list = (bench_list)list,
                                                 .own_multicast = own != 0};
                bench b;

                make_bench(&b, &cb_multicast);
                b.options.receivers = (cb_list){receivers, RANKS - 1};
                assert_measured(&b, &measurement);
            }
}
END_TEST

/* Different data */

enum { FARMED = 4, FARMED_BYTES = 64 };

static struct {
    const void *places[RANKS]; /* by destination: its last packet ... */
    unsigned char contents[RANKS][FARMED_BYTES];
    uint64_t rounds; /* in which packets of different destinations were compared */
} farmed;

/* A packet released by a send is the next one that the pool gives out: only packets that are in
 * memory at the same time differ. */
static cb_status noting_send(transport_node *node, transport_buffer *buffer)
{
    size_t rank = (size_t)node->rank;

    UNIT_REQUIRE(buffer->size == FARMED_BYTES, "a packet of %zu bytes", buffer->size);
    farmed.places[rank] = buffer->data;
    memcpy(farmed.contents[rank], buffer->data, FARMED_BYTES);
    if (rank == FARMED) {
        farmed.rounds++;
        for (size_t one = 1; one <= FARMED; one++)
            for (size_t other = 1; other < one; other++) {
                UNIT_REQUIRE(farmed.places[one] != farmed.places[other],
                             "packets %zu and %zu share memory", one, other);
                UNIT_REQUIRE(memcmp(farmed.contents[one], farmed.contents[other], FARMED_BYTES) !=
                                 0,
                             "packets %zu and %zu have the same data", one, other);
            }
    }
    return priced_send(node, buffer);
}

START_TEST(outfarming_sends_different_data_from_different_memory)
{
    for (const bench_mode *mode = cb_outfarm.modes; mode->name != NULL; mode++) {
        bench_measurement measurement = {.mode = mode, .count = FARMED, .size_bytes = FARMED_BYTES};
        measurement_outcome outcome;
        bench b;

        make_bench(&b, &cb_outfarm);
        b.technology.send = noting_send;
        farmed.rounds = 0;
        ck_assert_int_eq(measure_as(&b, &measurement, &outcome), CB_OK);
        ck_assert_uint_gt(farmed.rounds, LEAST_BLOCKS);
        measurement_outcome_free(&outcome);
    }
}
END_TEST

/* Lists */

enum { LISTED = 4, BROADCASTS_NOTED = 64, LISTS_IN_TURN = 16 };

static struct {
    unsigned members[BROADCASTS_NOTED]; /* set of ranks */
    size_t broadcasts;
    size_t made, freed; /* multicast groups */
    size_t living, most_living;
} listed;

static cb_status noting_group_create(transport_factory *factory, transport_node *const *nodes,
                                     size_t count, transport_node *root, bool multicast,
                                     transport_group **out)
{
    if (multicast) {
        listed.made++;
        listed.living++;
        listed.most_living =
            listed.living > listed.most_living ? listed.living : listed.most_living;
    }
    return transport_plain_create(factory, nodes, count, root, multicast, out);
}

static void noting_group_destroy(transport_group *group)
{
    listed.freed += group->multicast;
    listed.living -= group->multicast;
    transport_plain_destroy(group);
}

static cb_status noting_group_send(transport_group *group, transport_buffer *buffer)
{
    unsigned members = 0;

    UNIT_REQUIRE(group->count == LISTED, "a list of %zu members", group->count);
    for (size_t i = 0; i < group->count; i++)
        members |= 1u << group->nodes[i]->rank;
    UNIT_REQUIRE(__builtin_popcount(members) == LISTED, "the members %#x", members);
    if (listed.broadcasts < BROADCASTS_NOTED)
        listed.members[listed.broadcasts] = members;
    listed.broadcasts++;
    return priced_group_send(group, buffer);
}

/* Broadcast to lists of four of the first `candidates` destinations, by multicast. */
static void broadcast_to(bench_list list, size_t candidates)
{
    uint64_t receivers[RANKS - 1] = {1, 2, 3, 4, 5, 6, 7, 8};
    bench_measurement measurement = {.mode = &cb_multicast.modes[0],
                                     .count = LISTED,
                                     .size_bytes = 64,
                                     .list = list,
                                     .own_multicast = true};
    measurement_outcome outcome;
    bench b;

    make_bench(&b, &cb_multicast);
    b.options.receivers = (cb_list){receivers, candidates};
    b.technology.group_create = noting_group_create;
    b.technology.group_destroy = noting_group_destroy;
    b.technology.group_send = noting_group_send;
    memset(&listed, 0, sizeof(listed));
    ck_assert_int_eq(measure_as(&b, &measurement, &outcome), CB_OK);
    ck_assert_uint_gt(listed.broadcasts, BROADCASTS_NOTED);
    measurement_outcome_free(&outcome);
}

/* Number of different sets of members among the noted broadcasts. */
static size_t different_lists(void)
{
    size_t different = 0;

    for (size_t i = 0; i < BROADCASTS_NOTED; i++) {
        size_t k = 0;

        while (k < i && listed.members[k] != listed.members[i])
            k++;
        different += k == i;
    }
    return different;
}

START_TEST(members_change_if_there_are_more_candidates_than_members)
{
    static const bench_list changing[] = {BENCH_ROTATE, BENCH_RANDOM, BENCH_NEW};

    for (size_t i = 0; i < sizeof(changing) / sizeof(changing[0]); i++) {
        broadcast_to(changing[i], 2 * LISTED);
        ck_assert_uint_ge(different_lists(), 8);
        for (size_t k = LISTS_IN_TURN; k < BROADCASTS_NOTED; k++)
            ck_assert_uint_eq(listed.members[k], listed.members[k - LISTS_IN_TURN]);
        broadcast_to(changing[i], LISTED);
        ck_assert_uint_eq(different_lists(), 1);
    }
    broadcast_to(BENCH_FIXED, 2 * LISTED);
    ck_assert_uint_eq(different_lists(), 1);
}
END_TEST

START_TEST(rotating_lists_take_in_the_next_destination)
{
    broadcast_to(BENCH_ROTATE, 2 * LISTED);
    for (size_t i = 1; i < BROADCASTS_NOTED; i++)
        if (i % LISTS_IN_TURN != 0)
            ck_assert_int_eq(__builtin_popcount(listed.members[i] ^ listed.members[i - 1]), 2);
}
END_TEST

/* Besides those of one broadcast, the baseline over null makes none here. */
START_TEST(a_new_list_has_a_group_for_its_broadcast_only)
{
    broadcast_to(BENCH_NEW, 2 * LISTED);
    ck_assert_uint_eq(listed.made, listed.broadcasts);
    ck_assert_uint_eq(listed.freed, listed.broadcasts);
    ck_assert_uint_eq(listed.most_living, 1);
    broadcast_to(BENCH_RANDOM, 2 * LISTED);
    ck_assert_uint_lt(listed.made, listed.broadcasts);
    ck_assert_uint_eq(listed.made % LISTS_IN_TURN, 0);
    ck_assert_uint_eq(listed.most_living, LISTS_IN_TURN);
}
END_TEST

START_TEST(new_lists_are_those_that_are_drawn_at_random)
{
    unsigned random[BROADCASTS_NOTED];

    broadcast_to(BENCH_RANDOM, 2 * LISTED);
    memcpy(random, listed.members, sizeof(random));
    broadcast_to(BENCH_NEW, 2 * LISTED);
    ck_assert_mem_eq(listed.members, random, sizeof(random));
}
END_TEST

START_TEST(sources_that_alternate_have_equal_shares)
{
    bench_measurement measurement = {.mode = &cb_funnel.modes[1], .count = 4, .size_bytes = 64};
    measurement_outcome outcome;
    double sum = 0;
    bench b;

    make_bench(&b, &cb_funnel);
    ck_assert_int_eq(measure_as(&b, &measurement, &outcome), CB_OK);
    ck_assert_uint_eq(outcome.share_count, 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(outcome.shares[i], 0.25, 0.01);
        sum += outcome.shares[i];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-12);
    measurement_outcome_free(&outcome);
}
END_TEST

START_TEST(shares_over_fewer_than_four_windows_are_omitted)
{
    bench_measurement measurement = {.mode = &cb_funnel.modes[1], .count = 4, .size_bytes = 64};
    measurement_outcome outcome;
    bench b;

    make_bench(&b, &cb_funnel);
    b.options.window = 1u << 20;
    ck_assert_int_eq(measure_as(&b, &measurement, &outcome), CB_OK);
    ck_assert_uint_gt(outcome.block_count, 0);
    ck_assert_uint_eq(outcome.share_count, 0);
    measurement_outcome_free(&outcome);
}
END_TEST

UNIT_MAIN("solo", a_steady_figure_stops_after_the_minimum_of_blocks,
          an_unsteady_figure_uses_all_of_its_time, a_coarser_precision_is_reached_sooner,
          meters_are_read_outside_of_the_blocks, meters_count_the_time_and_the_steps_of_all_blocks,
          all_passes_together_take_at_most_max_time, time_outside_blocks_counts_towards_max_time,
          building_groups_takes_at_most_its_share_of_max_time,
          the_step_time_is_estimated_from_the_last_three_batches,
          the_size_of_a_batch_assumes_the_slowest_step_time,
          a_batch_takes_a_quarter_of_the_limit_or_an_eighth_where_batches_differ,
          the_time_of_a_step_is_that_of_a_block_over_its_steps,
          blocks_take_longer_where_ranks_share_cores, a_block_of_a_stream_holds_sixteen_windows,
          a_slow_start_makes_no_short_blocks_of_a_stream,
          a_block_of_a_stream_is_short_enough_for_24_of_them,
          two_buffers_of_the_largest_size_are_allocated_before_measuring, warm_up_is_not_counted,
          ranks_that_do_not_time_add_no_samples, the_histogram_has_every_step_of_its_pass,
          a_single_step_includes_the_time_of_one_clock_reading,
          the_harness_cost_is_the_time_of_a_step_over_null,
          the_cost_of_touching_is_reported_only_where_packets_are_touched,
          corrupted_data_ends_the_measurement_without_baselines,
          every_mode_of_every_program_runs_over_null, every_list_and_multicast_runs_over_null,
          outfarming_sends_different_data_from_different_memory,
          members_change_if_there_are_more_candidates_than_members,
          rotating_lists_take_in_the_next_destination,
          a_new_list_has_a_group_for_its_broadcast_only,
          new_lists_are_those_that_are_drawn_at_random, sources_that_alternate_have_equal_shares,
          shares_over_fewer_than_four_windows_are_omitted)
