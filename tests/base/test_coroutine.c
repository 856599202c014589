/* Coroutines: their order, what their stacks keep, those that have not ended, an overflow. */
#include "base/coroutine.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/unit.h"

enum { EACH = 3, STACK = 64 * 1024 };

typedef struct {
    cb_coroutines *all;
    char order[32];
    size_t used;
} story;

/* Its letter in small, then, after it has left, in capitals. */
static void tell_twice(void *context, size_t index)
{
    story *told = context;
    char letters[2] = {(char)('a' + index), (char)('A' + index)};

    told->order[told->used++] = letters[0];
    cb_coroutines_leave(told->all);
    told->order[told->used++] = letters[1];
}

START_TEST(each_goes_on_where_it_left)
{
    story told = {.used = 0};

    ck_assert_int_eq(cb_coroutines_create(EACH, STACK, tell_twice, &told, &told.all), CB_OK);
    for (size_t i = 0; i < EACH; i++)
        ck_assert(!cb_coroutines_resume(told.all, EACH - 1 - i));
    for (size_t i = 0; i < EACH; i++)
        ck_assert(cb_coroutines_resume(told.all, i));
    ck_assert_str_eq(told.order, "cbaABC");
    cb_coroutines_free(told.all);
}
END_TEST

START_TEST(some_are_freed_before_they_begin_or_end)
{
    story told = {.used = 0};

    ck_assert_int_eq(cb_coroutines_create(EACH, STACK, tell_twice, &told, &told.all), CB_OK);
    ck_assert(!cb_coroutines_resume(told.all, 1));
    ck_assert(cb_coroutines_resume(told.all, 1));
    ck_assert(!cb_coroutines_resume(told.all, 0));
    cb_coroutines_free(told.all);
    ck_assert_str_eq(told.order, "bBa");
}
END_TEST

/* More than the limit of mappings allows with two for each. */
START_TEST(there_are_more_than_a_process_may_have_mappings)
{
    enum { MANY = 100000 };
    story told = {.used = 0};

    ck_assert_int_eq(cb_coroutines_create(MANY, STACK, tell_twice, &told, &told.all), CB_OK);
    ck_assert(!cb_coroutines_resume(told.all, 0));
    ck_assert(cb_coroutines_resume(told.all, 0));
    cb_coroutines_free(told.all);
}
END_TEST

/* An array as large as the stack. */
static void overflow(void *context, size_t index)
{
    volatile char large[STACK];

    (void)index;
    for (size_t i = 0; i < STACK; i++)
        large[i] = 0;
    if (large[0] == 0)
        cb_coroutines_leave(((story *)context)->all);
}

START_TEST(an_overflow_ends_the_process)
{
    story told = {.used = 0};
    const pid_t child = fork();
    int status;

    if (child == 0) {
        freopen("/dev/null", "w", stderr);
        if (cb_coroutines_create(EACH, STACK, overflow, &told, &told.all) == CB_OK)
            cb_coroutines_resume(told.all, 1);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(!WIFEXITED(status) || WEXITSTATUS(status) != 0, "nothing was found");
}
END_TEST

START_TEST(stacks_beyond_the_address_space_are_an_error)
{
    story told = {.used = 0};

    ck_assert_int_eq(cb_coroutines_create(EACH, (size_t)1 << 50, overflow, &told, &told.all),
                     CB_ERROR_MEMORY);
}
END_TEST

UNIT_MAIN("coroutine", each_goes_on_where_it_left, some_are_freed_before_they_begin_or_end,
          there_are_more_than_a_process_may_have_mappings, an_overflow_ends_the_process,
          stacks_beyond_the_address_space_are_an_error)
