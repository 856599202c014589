/* The supervisor's loops over queues inside the process: how the open loop detects that the farm
 * cannot carry a rate (no free slot, waiting for decisions), how it draws arrivals, and that the
 * closed loop times no farm that runs empty. No result depends on the speed of the machine. */
#include "farm/loops.h"

#include "base/clock.h"
#include "farm/messages.h"
#include "farm/passes.h"
#include "tests/engine/loop.h"
#include "tests/common/unit.h"

enum { EVENTS = 101, MIDDLE = 51 };

typedef struct {
    side supervisor; /* per destination */
    queue decisions;
    uint64_t issued, decided;
    uint64_t decide_at; /* number of events issued before the first decision */
    uint64_t looks;
    uint64_t watched, in_flight_then; /* number of events decided at that time */
    uint64_t timeout_ns;
    unsigned pauses_left;
    stats_histogram latency;
} farm;

static farm f; /* static, since the step functions of the engine pass no test context */

static void decide(void)
{
    transport_buffer *buffer = calloc(1, sizeof(*buffer));
    farm_message message = {.event = f.decided++};

    *buffer = (transport_buffer){.data = malloc(sizeof(message)),
                                 .size = sizeof(message),
                                 .capacity = sizeof(message),
                                 .owner = &f.supervisor.factory.base};
    memcpy(buffer->data, &message, sizeof(message));
    *(f.decisions.first == NULL ? &f.decisions.first : f.decisions.end) = buffer;
    f.decisions.end = &buffer->next;
    buffer->owner->held++;
    if (f.decided == f.watched)
        f.in_flight_then = f.issued - f.decided;
}

static cb_status issue(bench_rank *me)
{
    (void)me;
    f.issued++;
    return CB_OK;
}

static cb_status issue_and_decide(bench_rank *me)
{
    CB_TRY(issue(me));
    decide();
    return CB_OK;
}

/* The farm as the supervisor sees it: after the polls during which the machine is suspended,
 * every second poll finds a decision. */
static void work(void *context)
{
    (void)context;
    if (f.pauses_left > 0) {
        f.pauses_left--;
        cb_sleep_ns(50000000);
        return;
    }
    if (f.issued >= f.decide_at && f.decided < f.issued && ++f.looks % 2 == 0)
        decide();
}

static rate_tally run_load(const farm_load *load, bench_action step)
{
    const bench_actions actions = {.step = step};
    farm_rank part = {.role = FARM_SUPERVISOR, .sources = 1, .destinations = 1, .labelled = true};
    rate_tally tally;

    make_side(&f.supervisor, 1, 1);
    f.supervisor.nodes[0].in = &f.decisions;
    f.supervisor.factory.go_on = work;
    f.supervisor.me.part = &part;
    ck_assert_int_eq(farm_ledger_create(1, load->in_flight, &part.supervisor.ledger), CB_OK);
    ck_assert_int_eq(
        farm_begin(&f.supervisor.me, 0, load->events, &farm_fragments_touched, f.timeout_ns),
        CB_OK);
    ck_assert_int_eq(farm_supervise(&f.supervisor.me, &actions, load, &tally), CB_OK);
    ck_assert_uint_eq(tally.decided, load->events);
    farm_ledger_free(&part.supervisor.ledger);
    return tally;
}

/* An open loop with a rate so high that all its events are due at once. */
static rate_tally supervise(bench_action step, uint64_t in_flight, uint64_t decide_at)
{
    const farm_load load = {.events = EVENTS,
                            .in_flight = in_flight,
                            .latencies = &f.latency,
                            .open = true,
                            .rate_hz = 1e12,
                            .arrivals = &rate_arrivals_periodic};

    f = (farm){.decide_at = decide_at};
    return run_load(&load, step);
}

START_TEST(a_suspended_machine_loses_no_event)
{
    const farm_load load = {.events = 3, .in_flight = 1};

    f = (farm){.timeout_ns = 200000000, .pauses_left = 6};
    ck_assert_uint_eq(run_load(&load, issue).errors, 0); /* no decision was late */
}
END_TEST

START_TEST(a_supervisor_that_always_finds_a_decision_reports_no_waiting)
{
    rate_tally tally = supervise(issue_and_decide, 4, 0);

    ck_assert_double_eq(tally.waited_ns, 0);
}
END_TEST

START_TEST(a_supervisor_without_decisions_while_events_are_due_reports_waiting)
{
    ck_assert_double_gt(supervise(issue, 4, 0).waited_ns, 0);
}
END_TEST

START_TEST(waiting_after_the_last_issue_is_not_counted)
{
    ck_assert_double_eq(supervise(issue, EVENTS, EVENTS).waited_ns, 0);
}
END_TEST

START_TEST(events_in_flight_are_counted_at_the_middle_and_at_the_end)
{
    rate_tally tally = supervise(issue, EVENTS, EVENTS);

    ck_assert_uint_eq(tally.in_flight_middle, MIDDLE);
    ck_assert_uint_eq(tally.in_flight_end, EVENTS);
    tally = supervise(issue, 8, 0);
    ck_assert_uint_eq(tally.in_flight_middle, 8);
    ck_assert_uint_eq(tally.in_flight_end, 8);
}
END_TEST

/* For any ratio of block length to events in flight, the supervisor still issues an event for
 * each decision when the last block ends. */
START_TEST(a_closed_loop_is_as_full_at_the_end_of_its_last_block_as_before)
{
    static const uint64_t in_flights[] = {1, 4, 7, 40}, blocks[] = {1, 4, 10};
    double marks_ns[64];

    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            farm_load load = farm_closed_load(in_flights[i], blocks[k], 3);
            rate_tally tally;

            load.marks_ns = marks_ns;
            f = (farm){.watched = load.lead_in + 3 * blocks[k]};
            tally = run_load(&load, issue);
            ck_assert_uint_ge(tally.marks, 3 + 1);
            ck_assert_uint_eq(f.in_flight_then,
                              in_flights[i] - 1); /* one of them is being decided */
        }
}
END_TEST

START_TEST(blocks_below_half_of_the_intended_time_are_too_short)
{
    ck_assert(!farm_blocks_too_short(1000, 500, 1e6, 1e9));
    ck_assert(farm_blocks_too_short(999, 500, 1e6, 1e9));
    ck_assert(!farm_blocks_too_short(1e6, 500, 1e6, 1e9));
}
END_TEST

START_TEST(short_blocks_are_kept_if_time_lacks_for_twenty_longer_ones)
{
    ck_assert(farm_blocks_too_short(1, 500, 1e6, 23e6));
    ck_assert(!farm_blocks_too_short(1, 500, 1e6, 20e6));
}
END_TEST

START_TEST(arrivals_depend_only_on_the_seed_and_the_number_of_earlier_open_loops)
{
    bench_options options = {.arrivals = "poisson", .seed = 7};
    const engine_job job = {.options = &options};
    engine_session session = {.job = &job};
    measurement_setting setting = {.session = &session};
    farm_run one = {.base.setting = &setting, .next_event = 10};
    farm_run other = {.base.setting = &setting, .next_event = 5000};
    uint64_t first = rate_next_load(&one.base, 1000, EVENTS).seed;

    ck_assert_uint_eq(rate_next_load(&other.base, 1000, EVENTS).seed, first);
    ck_assert_uint_ne(rate_next_load(&one.base, 1000, EVENTS).seed, first);
    options.seed = 8;
    other.base.open_runs = 0;
    ck_assert_uint_ne(rate_next_load(&other.base, 1000, EVENTS).seed, first);
}
END_TEST

UNIT_MAIN("farm_loops", a_suspended_machine_loses_no_event,
          a_supervisor_that_always_finds_a_decision_reports_no_waiting,
          a_supervisor_without_decisions_while_events_are_due_reports_waiting,
          waiting_after_the_last_issue_is_not_counted,
          events_in_flight_are_counted_at_the_middle_and_at_the_end,
          a_closed_loop_is_as_full_at_the_end_of_its_last_block_as_before,
          blocks_below_half_of_the_intended_time_are_too_short,
          short_blocks_are_kept_if_time_lacks_for_twenty_longer_ones,
          arrivals_depend_only_on_the_seed_and_the_number_of_earlier_open_loops)
