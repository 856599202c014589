/* Waits in virtual time: the clock advances when it is read, when a rank sleeps or yields, and as a
 * poll says. */
#include "engine/wait.h"

#include <string.h>

#include "tests/common/unit.h"

/* What a reading of the clock, a yield and a wake-up after a sleep take. */
enum { READING_NS = 20, YIELD_NS = 500, WAKE_UP_NS = 50000, SLEEPS_MOST = 100 };

static struct {
    uint64_t now_ns;
    uint64_t sleeps_ns[SLEEPS_MOST];
    size_t sleeps, yields, readings;
} machine;

int __wrap_clock_gettime(clockid_t id, struct timespec *out);
int __wrap_sched_yield(void);
void __wrap_cb_sleep_ns(uint64_t ns);

int __wrap_clock_gettime(clockid_t id, struct timespec *out)
{
    (void)id;
    machine.readings++;
    machine.now_ns += READING_NS;
    *out = (struct timespec){.tv_sec = (time_t)(machine.now_ns / 1000000000),
                             .tv_nsec = (long)(machine.now_ns % 1000000000)};
    return 0;
}

int __wrap_sched_yield(void)
{
    machine.yields++;
    machine.now_ns += YIELD_NS;
    return 0;
}

void __wrap_cb_sleep_ns(uint64_t ns)
{
    ck_assert_uint_lt(machine.sleeps, SLEEPS_MOST);
    machine.sleeps_ns[machine.sleeps++] = ns;
    machine.now_ns += ns + WAKE_UP_NS;
}

/* A source of messages. */
typedef struct {
    uint64_t polls, poll_ns; /* so far; what a poll takes */
    uint64_t empty;          /* polls before a result */
    cb_status result;
} source;

static cb_status poll_source(void *context)
{
    source *from = context;

    machine.now_ns += from->poll_ns;
    return from->polls++ < from->empty ? CB_EMPTY : from->result;
}

static const wait_terms without_end = {.due_ns = WAIT_WITHOUT_END, .timeout_ns = WAIT_WITHOUT_END};

static void begin(void)
{
    memset(&machine, 0, sizeof(machine));
    machine.now_ns = 1000000000;
}

static wait_terms terms_under(transport_wait wait)
{
    const transport_factory factory = {.polls_yield = false};
    wait_terms terms = without_end;

    terms.manner = wait_manner_of(wait, &factory);
    return terms;
}

START_TEST(a_message_ends_the_wait)
{
    source from = {.empty = 1000, .poll_ns = 100};

    begin();
    ck_assert_int_eq(wait_for(&without_end, poll_source, &from), CB_OK);
    ck_assert_uint_eq(from.polls, 1001);
}
END_TEST

START_TEST(an_error_of_the_source_ends_the_wait)
{
    source from = {.empty = 3, .result = CB_ERROR_TRANSPORT};

    begin();
    ck_assert_int_eq(wait_for(&without_end, poll_source, &from), CB_ERROR_TRANSPORT);
    ck_assert_uint_eq(from.polls, 4);
}
END_TEST

START_TEST(a_wait_without_end_reads_no_clock)
{
    source from = {.empty = 1000};

    begin();
    ck_assert_int_eq(wait_for(&without_end, poll_source, &from), CB_OK);
    ck_assert_uint_eq(machine.readings, 0);
}
END_TEST

START_TEST(a_due_time_ends_the_wait_and_is_never_early)
{
    static const transport_wait waits[] = {TRANSPORT_WAIT_SPIN, TRANSPORT_WAIT_YIELD,
                                           TRANSPORT_WAIT_BLOCK};

    for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
        source from = {.empty = UINT64_MAX, .poll_ns = 100};
        wait_terms terms = terms_under(waits[i]);

        begin();
        terms.due_ns = machine.now_ns + 3000000;
        ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_EMPTY);
        ck_assert_uint_ge(machine.now_ns, terms.due_ns);
        ck_assert_uint_le(machine.now_ns, terms.due_ns + 1000);
    }
}
END_TEST

START_TEST(a_past_due_time_allows_one_poll)
{
    source there = {.empty = 0}, late = {.empty = 1};
    wait_terms terms = without_end;

    begin();
    terms.due_ns = machine.now_ns - 1;
    ck_assert_int_eq(wait_for(&terms, poll_source, &there), CB_OK);
    ck_assert_int_eq(wait_for(&terms, poll_source, &late), CB_EMPTY);
    ck_assert_uint_eq(late.polls, 1);
}
END_TEST

START_TEST(a_timeout_of_0_allows_one_poll)
{
    const transport_factory factory = {.polls_yield = false};
    const wait_terms terms = wait_terms_of_loss(&factory, 0);
    source from = {.empty = UINT64_MAX};

    begin();
    ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_EMPTY);
    ck_assert_uint_eq(from.polls, 1);
}
END_TEST

START_TEST(a_timeout_ends_the_wait_after_its_time)
{
    const transport_factory factory = {.polls_yield = false};
    const wait_terms terms = wait_terms_of_loss(&factory, 5000000);
    source from = {.empty = UINT64_MAX, .poll_ns = 100};
    uint64_t begun_ns;

    begin();
    begun_ns = machine.now_ns;
    ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_EMPTY);
    ck_assert_uint_ge(machine.now_ns - begun_ns, 5000000);
    ck_assert_uint_le(machine.now_ns - begun_ns, 5002000);
    ck_assert_uint_gt(machine.yields, 0);
    ck_assert_uint_eq(machine.sleeps, 0);
}
END_TEST

START_TEST(a_pause_counts_at_most_20_ms_towards_a_timeout)
{
    const transport_factory factory = {.polls_yield = false};
    const wait_terms terms = wait_terms_of_loss(&factory, 200000000);
    source comes = {.empty = 10, .poll_ns = 5000000000}, never = comes;

    begin();
    ck_assert_int_eq(wait_for(&terms, poll_source, &comes), CB_OK);
    never.empty = UINT64_MAX;
    ck_assert_int_eq(wait_for(&terms, poll_source, &never), CB_EMPTY);
    ck_assert_uint_eq(never.polls, 11);
}
END_TEST

START_TEST(a_wait_that_spins_neither_yields_nor_sleeps)
{
    const wait_terms terms = terms_under(TRANSPORT_WAIT_SPIN);
    source from = {.empty = 1000};

    begin();
    ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_OK);
    ck_assert_uint_eq(machine.yields + machine.sleeps, 0);
}
END_TEST

START_TEST(a_wait_that_yields_does_so_once_a_poll)
{
    const wait_terms terms = terms_under(TRANSPORT_WAIT_YIELD);
    source from = {.empty = 1000};

    begin();
    ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_OK);
    ck_assert_uint_eq(machine.yields, 1000);
    ck_assert_uint_eq(machine.sleeps, 0);
}
END_TEST

START_TEST(polls_that_have_yielded_are_followed_by_no_other_yield)
{
    const transport_factory factory = {.polls_yield = true};
    wait_terms terms = wait_terms_of_loss(&factory, WAIT_WITHOUT_END);
    source from = {.empty = 1000};

    begin();
    ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_OK);
    terms.manner = wait_manner_of(TRANSPORT_WAIT_YIELD, &factory);
    ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_OK);
    ck_assert_uint_eq(machine.yields, 0);
}
END_TEST

START_TEST(a_wait_that_blocks_yields_first_and_then_sleeps_longer_and_longer)
{
    const wait_terms terms = terms_under(TRANSPORT_WAIT_BLOCK);
    source from = {.empty = 64 + 20};

    begin();
    ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_OK);
    ck_assert_uint_eq(machine.yields, 64);
    ck_assert_uint_eq(machine.sleeps, 20);
    for (size_t i = 1; i < machine.sleeps; i++)
        ck_assert_uint_ge(machine.sleeps_ns[i], machine.sleeps_ns[i - 1]);
    ck_assert_uint_lt(machine.sleeps_ns[0], 100000);
    ck_assert_uint_eq(machine.sleeps_ns[19], 1000000);
}
END_TEST

START_TEST(a_sleep_is_a_part_of_the_time_waited)
{
    wait_terms terms = without_end;
    source from = {.empty = 50, .poll_ns = 1000000};
    uint64_t waited_ns = 0;

    terms.manner = (wait_manner){.longest_sleep_ns = UINT64_MAX, .sleep_part = 16};
    begin();
    ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_OK);
    for (size_t i = 0; i < machine.sleeps; i++) {
        waited_ns += from.poll_ns + READING_NS;
        ck_assert(machine.sleeps_ns[i] == 20000 || machine.sleeps_ns[i] <= waited_ns / 16);
        waited_ns += machine.sleeps_ns[i] + WAKE_UP_NS;
    }
    ck_assert_uint_eq(machine.sleeps, 50);
    ck_assert_uint_gt(machine.sleeps_ns[49], 1000000);
}
END_TEST

START_TEST(no_sleep_begins_close_to_a_due_time_or_lasts_beyond_half_the_time_to_it)
{
    wait_terms terms = without_end;
    uint64_t slept_ns = 0;

    terms.manner = (wait_manner){.yields = true, .longest_sleep_ns = WAIT_WITHOUT_END};
    begin();
    terms.due_ns = machine.now_ns + 2000000;
    wait_until(&terms);
    for (size_t i = 0; i < machine.sleeps; i++) {
        const uint64_t left_ns = 2000000 - slept_ns;

        ck_assert_uint_gt(left_ns, 100000);
        ck_assert_uint_le(machine.sleeps_ns[i], left_ns / 2);
        slept_ns += machine.sleeps_ns[i] + WAKE_UP_NS;
    }
    ck_assert_uint_ge(machine.sleeps, 3);
    ck_assert_uint_gt(machine.yields, 0);
}
END_TEST

START_TEST(a_clock_may_be_read_after_each_sixteenth_poll_only)
{
    wait_terms terms = without_end;
    source from = {.empty = 160};

    terms.manner.unclocked_polls = 15;
    begin();
    terms.due_ns = machine.now_ns + 1000000;
    ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_OK);
    ck_assert_uint_eq(machine.readings, 10);
}
END_TEST

static void count_call(void *context)
{
    ++*(unsigned *)context;
}

START_TEST(a_signal_is_noticed_between_polls)
{
    volatile sig_atomic_t seen = 0;
    unsigned calls = 0;
    source from = {.empty = 5};
    wait_terms terms = without_end;

    terms.watch = (wait_watch){&seen, count_call, &calls};
    ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_OK);
    ck_assert_uint_eq(calls, 0);
    seen = SIGTERM;
    from.polls = 0;
    ck_assert_int_eq(wait_for(&terms, poll_source, &from), CB_OK);
    ck_assert_uint_eq(calls, 5);
}
END_TEST

START_TEST(a_pause_of_a_loop_with_an_overdue_event_does_not_sleep)
{
    wait_terms terms = terms_under(TRANSPORT_WAIT_BLOCK);
    wait_state idle = {.polls = 1000, .begun_ns = 1};

    begin();
    terms.due_ns = machine.now_ns - 1;
    wait_pause(&terms, &idle, machine.now_ns);
    ck_assert_uint_eq(machine.sleeps, 0);
    ck_assert_uint_eq(machine.yields, 1);
    terms.due_ns = WAIT_WITHOUT_END;
    wait_pause(&terms, &idle, machine.now_ns);
    ck_assert_uint_eq(machine.sleeps, 1);
}
END_TEST

UNIT_MAIN("wait", a_message_ends_the_wait, an_error_of_the_source_ends_the_wait,
          a_wait_without_end_reads_no_clock, a_due_time_ends_the_wait_and_is_never_early,
          a_past_due_time_allows_one_poll, a_timeout_of_0_allows_one_poll,
          a_timeout_ends_the_wait_after_its_time, a_pause_counts_at_most_20_ms_towards_a_timeout,
          a_wait_that_spins_neither_yields_nor_sleeps, a_wait_that_yields_does_so_once_a_poll,
          polls_that_have_yielded_are_followed_by_no_other_yield,
          a_wait_that_blocks_yields_first_and_then_sleeps_longer_and_longer,
          a_sleep_is_a_part_of_the_time_waited,
          no_sleep_begins_close_to_a_due_time_or_lasts_beyond_half_the_time_to_it,
          a_clock_may_be_read_after_each_sixteenth_poll_only, a_signal_is_noticed_between_polls,
          a_pause_of_a_loop_with_an_overdue_event_does_not_sleep)
