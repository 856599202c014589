/* Frame of the unit test programs: one suite and one main function. A test file defines its
 * tests, lists them in UNIT_MAIN and is named after the module that it tests. If a program has
 * several files, each lists its tests in a UNIT_PART, and one of them has UNIT_MAIN_OF all
 * parts. */
#ifndef TESTS_COMMON_UNIT_H
#define TESTS_COMMON_UNIT_H

#include <check.h>
#include <stdlib.h>
#include <time.h>

enum { UNIT_TIMEOUT_S = 60 };

/* UNIT_AWAIT(is_asleep(thread), "the thread %d does not sleep", thread): poll until the condition
 * holds. A test that never sees it fails with this message, before the timeout of Check ends it
 * without one. The pauses leave the core to others. */
#define UNIT_AWAIT(condition, ...)                                                                 \
    for (time_t unit_began = time(NULL); !(condition);) {                                          \
        const struct timespec unit_pause = {.tv_nsec = 200000};                                    \
                                                                                                   \
        if (time(NULL) - unit_began > UNIT_TIMEOUT_S)                                              \
            ck_abort_msg(__VA_ARGS__);                                                             \
        nanosleep(&unit_pause, NULL);                                                              \
    }

/* UNIT_REQUIRE(size == 64, "%zu bytes", size): an assertion for functions that are called hundreds
 * of thousands of times. Each ck_assert writes its place to a file, also where it holds. */
#define UNIT_REQUIRE(condition, ...)                                                               \
    do {                                                                                           \
        if (!(condition))                                                                          \
            ck_abort_msg(__VA_ARGS__);                                                             \
    } while (0)

/* Add the tests of a file. */
typedef void unit_part(TCase *group);

static inline void unit_add(TCase *group, const TTest *const *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tcase_add_test(group, cases[i]);
}

/* Run the tests of these parts, each in its own process. Returns the exit status. */
static inline int unit_run(const char *name, unit_part *const *parts, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *group = tcase_create(name);
    SRunner *runner;
    int failed;

    for (size_t i = 0; i < count; i++)
        parts[i](group);
    tcase_set_timeout(group, 600);
    suite_add_tcase(suite, group);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* UNIT_PART(plan_counts, test_a, test_b): the tests of a file. The program's header has a list
 * of parts, from which both the prototypes and UNIT_MAIN_OF are made: the compiler warns about a
 * part that is missing in the list. */
#define UNIT_PART(part, ...)                                                                       \
    void part(TCase *group)                                                                        \
    {                                                                                              \
        const TTest *const unit_cases[] = {__VA_ARGS__};                                           \
                                                                                                   \
        unit_add(group, unit_cases, sizeof(unit_cases) / sizeof(unit_cases[0]));                   \
    }

/* UNIT_MAIN_OF("plan", PLAN_PARTS): run all parts. */
#define UNIT_MAIN_OF(name, ...)                                                                    \
    int main(void)                                                                                 \
    {                                                                                              \
        unit_part *const unit_parts[] = {__VA_ARGS__};                                             \
                                                                                                   \
        return unit_run(name, unit_parts, sizeof(unit_parts) / sizeof(unit_parts[0]));             \
    }

/* UNIT_MAIN("units", test_a, test_b): run the tests of a program of one file. */
#define UNIT_MAIN(name, ...) static UNIT_PART(unit_all, __VA_ARGS__) UNIT_MAIN_OF(name, unit_all)

#endif
