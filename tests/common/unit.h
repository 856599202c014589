/* What every unit test program shares: one suite, one main. A test file defines its cases, lists
 * them in UNIT_MAIN and is named after the module it tests. Where a program has several files,
 * each lists its cases in a UNIT_PART, and the first one has a UNIT_MAIN_OF all parts. */
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

/* Add the cases of a file. */
typedef void unit_part(TCase *group);

static inline void unit_add(TCase *group, const TTest *const *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tcase_add_test(group, cases[i]);
}

/* Run the cases of these parts, each in a process of its own; the exit status. */
static inline int unit_run(const char *name, unit_part *const *parts, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *group = tcase_create(name);
    SRunner *runner;
    int failed;

    for (size_t i = 0; i < count; i++)
        parts[i](group);
    tcase_set_timeout(group, 120);
    suite_add_tcase(suite, group);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* UNIT_PART(plan_counts, test_a, test_b): the cases of a file. Its name stands in the list of parts
 * in the program's header, of which both the prototypes and UNIT_MAIN_OF are made, so that the
 * compiler complains of one that is not run. */
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

/* UNIT_MAIN("units", test_a, test_b): run the cases of a program of one file. */
#define UNIT_MAIN(name, ...) static UNIT_PART(unit_all, __VA_ARGS__) UNIT_MAIN_OF(name, unit_all)

#endif
