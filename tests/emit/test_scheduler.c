/* The coroutine scheduler: the order in which coroutines run, how a run ends, and the detection
 * of deadlocks. */
#include "emit/scheduler.h"

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
          each_coroutine_has_its_own_stack)
