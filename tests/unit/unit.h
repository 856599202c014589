/* What every unit test program shares: one suite, one main. A test file defines its cases, lists
 * them in UNIT_TESTS and is named after the module it tests. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

/* UNIT_MAIN("units", test_a, test_b): run the cases, each in a process of its own. */
#define UNIT_MAIN(name, ...)                                                                       \
    int main(void)                                                                                 \
    {                                                                                              \
        const TTest *const cases[] = {__VA_ARGS__};                                                \
        Suite *suite = suite_create(name);                                                         \
        TCase *group = tcase_create(name);                                                         \
        SRunner *runner;                                                                           \
        int failed;                                                                                \
                                                                                                   \
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)                              \
            tcase_add_test(group, cases[i]);                                                       \
        tcase_set_timeout(group, 120);                                                             \
        suite_add_tcase(suite, group);                                                             \
        runner = srunner_create(suite);                                                            \
        srunner_run_all(runner, CK_ENV);                                                           \
        failed = srunner_ntests_failed(runner);                                                    \
        srunner_free(runner);                                                                      \
        return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;                                          \
    }

#endif
