/* The coroutine scheduler: the order in which coroutines run, how a run ends, and the detection
 * of deadlocks. */
#include "emit/scheduler.h"

#include <math.h>
#include <string.h>

#include "tests/common/unit.h"

enum { MEMBERS = 3 };

typedef struct {
    emit_scheduler *scheduler;
    char order[64];
    size_t used;
    int gate; /* set by the last coroutine */
} story;

static void tell(story *told, size_t member)
{
    told->order[told->used++] = (char)('a' + member);
}

static story run_story(emit_coroutine part, size_t count, cb_status expected)
{
    story told = {.gate = 0};

    ck_assert_int_eq(emit_scheduler_create(count, part, &told, &told.scheduler), CB_OK);
    ck_assert_int_eq(emit_scheduler_run(told.scheduler), expected);
    emit_scheduler_free(told.scheduler);
    return told;
}

static cb_status take_turns(void *context, size_t member)
{
    story *told = context;

    for (int i = 0; i < 2; i++) {
        tell(told, member);
        emit_scheduler_progress(told->scheduler);
        emit_scheduler_pause(told->scheduler);
    }
    return CB_OK;
}

START_TEST(coroutines_run_in_turn)
{
    ck_assert_str_eq(run_story(take_turns, MEMBERS, CB_OK).order, "abcabc");
}
END_TEST

static cb_status wait_for_last(void *context, size_t member)
{
    story *told = context;

    if (member == MEMBERS - 1)
        told->gate = 1;
    while (!told->gate)
        emit_scheduler_pause(told->scheduler);
    tell(told, member);
    return CB_OK;
}

START_TEST(a_waiting_coroutine_continues_after_another_has_ended)
{
    ck_assert_str_eq(run_story(wait_for_last, MEMBERS, CB_OK).order, "cab");
}
END_TEST

static cb_status wait_for_ever(void *context, size_t member)
{
    story *told = context;

    while (member > 0)
        emit_scheduler_pause(told->scheduler);
    return CB_OK;
}

START_TEST(a_deadlock_of_all_coroutines_is_an_error)
{
    (void)run_story(wait_for_ever, MEMBERS, CB_ERROR_TRANSPORT);
}
END_TEST

static cb_status fail_second(void *context, size_t member)
{
    story *told = context;

    tell(told, member);
    return member == 1 ? CB_ERROR_DATA : CB_OK;
}

START_TEST(a_failure_of_one_coroutine_ends_all)
{
    ck_assert_str_eq(run_story(fail_second, MEMBERS, CB_ERROR_DATA).order, "ab");
}
END_TEST

/* By time: each coroutine waits for a time that an event sets; events tell a number. */

static double next_event(void *context)
{
    const story *told = context;

    return told->gate < MEMBERS ? 10 * told->gate : (double)INFINITY;
}

static cb_status pass_event(void *context)
{
    story *told = context;
    const int number = told->gate++;

    told->order[told->used++] = (char)('0' + number);
    return emit_scheduler_resume_at(told->scheduler, (size_t)(MEMBERS - 1 - number), 10 * number);
}

static cb_status wait_for_event(void *context, size_t member)
{
    story *told = context;

    emit_scheduler_pause(told->scheduler);
    tell(told, member);
    return CB_OK;
}

START_TEST(events_happen_before_coroutines_of_the_same_time)
{
    story told = {.gate = 1};
    const emit_events events = {next_event, pass_event, &told};

    ck_assert_int_eq(emit_scheduler_create(2, wait_for_event, &told, &told.scheduler), CB_OK);
    ck_assert_int_eq(emit_scheduler_run_by_time(told.scheduler, &events), CB_OK);
    ck_assert_str_eq(told.order, "1b2a");
    emit_scheduler_free(told.scheduler);
}
END_TEST

/* Each coroutine has its own stack, large enough for the calls of a benchmark. */
static cb_status use_stack(void *context, size_t member)
{
    story *told = context;
    char own[32 * 1024];

    memset(own, (int)member, sizeof(own));
    emit_scheduler_progress(told->scheduler);
    emit_scheduler_pause(told->scheduler);
    for (size_t i = 0; i < sizeof(own); i++)
        if (own[i] != (char)member)
            return CB_ERROR_DATA;
    return CB_OK;
}

START_TEST(each_coroutine_has_its_own_stack)
{
    (void)run_story(use_stack, 1000, CB_OK);
}
END_TEST

UNIT_MAIN("scheduler", coroutines_run_in_turn,
          a_waiting_coroutine_continues_after_another_has_ended,
          a_deadlock_of_all_coroutines_is_an_error, a_failure_of_one_coroutine_ends_all,
          events_happen_before_coroutines_of_the_same_time, each_coroutine_has_its_own_stack)
