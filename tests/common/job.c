/* Tests that run under mpirun; see the header. */
#include "tests/common/job.h"

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

/* Much longer than any test takes on a loaded machine: it only ends a job that hangs. */
enum { TIMEOUT_S = 150 };

job_state job;

/* Errors that the project's code logged in any thread while messages were not suppressed. The
 * linker puts the functions below in place of those of base/log.h (LDFLAGS_OF_JOBS). */
static atomic_uint errors_logged;
static atomic_bool silent;

void __real_cb_log(cb_log_level level, const char *format, ...);
void __real_cb_log_silence(int is_silent);
void __wrap_cb_log(cb_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void __wrap_cb_log_silence(int is_silent);

void __wrap_cb_log(cb_log_level level, const char *format, ...)
{
    char text[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (level == CB_LOG_ERROR && !atomic_load(&silent))
        atomic_fetch_add(&errors_logged, 1);
    __real_cb_log(level, "%s", text);
}

void __wrap_cb_log_silence(int is_silent)
{
    atomic_store(&silent, is_silent != 0);
    __real_cb_log_silence(is_silent);
}

unsigned job_errors(void)
{
    return atomic_exchange(&errors_logged, 0);
}

/* Only async-signal-safe calls. When one rank exits like this, the launcher ends the others. */
static void give_up(int signal_number)
{
    static const char text[] = "no end in sight, giving up: ";
    ssize_t ignored;

    (void)signal_number;
    ignored = write(STDERR_FILENO, text, sizeof(text) - 1);
    if (job.under_way != NULL)
        ignored = write(STDERR_FILENO, job.under_way, strlen(job.under_way));
    ignored = write(STDERR_FILENO, "\n", 1);
    (void)ignored;
    _exit(EXIT_FAILURE);
}

/* Check installs its own SIGALRM handler when it runs a suite, so this one is set for each test. */
bool job_begin(const char *test)
{
    if (job.under_way != NULL)
        return false;
    job.under_way = test;
    signal(SIGALRM, give_up);
    alarm(TIMEOUT_S);
    return true;
}

void job_end(void)
{
    if (job.at_end != NULL)
        job.at_end();
    job_barrier();
    ck_assert_msg(job_errors() == 0, "%s logged an error that it did not expect", job.under_way);
    alarm(0);
    job.under_way = NULL;
}

void job_barrier(void)
{
    REQUIRE_OK(control_barrier(job.everyone));
}

void job_open(const char *program)
{
    if (control_open(true, &job.plane) != CB_OK)
        exit(EXIT_FAILURE);
    job.everyone = control_everyone(job.plane);
    job.rank = control_rank(job.plane);
    job.size = control_size(job.plane);
    cb_log_identify(program, job.rank);
}

JOB_TEST(the_job_has_the_requested_number_of_ranks)
{
    const char *expected = getenv("COMBENCH_TEST_RANKS");

    ck_assert_msg(expected != NULL, "COMBENCH_TEST_RANKS is not set");
    ck_assert_int_eq(job.size, atoi(expected));
}

/* Only one rank prints the summary; failures are printed by all. */
int job_run(const char *name, TCase *(*const *themes)(void), size_t count)
{
    Suite *suite = suite_create(name);
    TCase *first = tcase_create("job");
    SRunner *runner;
    int failures;

    tcase_add_test(first, the_job_has_the_requested_number_of_ranks);
    suite_add_tcase(suite, first);
    for (size_t i = 0; i < count; i++)
        suite_add_tcase(suite, themes[i]());
    runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, job.rank == 0 ? CK_ENV : CK_SILENT);
    failures = srunner_ntests_failed(runner);
    if (failures > 0 && job.rank != 0)
        srunner_print(runner, CK_NORMAL);
    srunner_free(runner);
    return failures;
}

int job_close(int failures)
{
    if (failures > 0) {
        if (job.under_way != NULL)
            cb_note("no test after %s was run", job.under_way);
        control_abort(EXIT_FAILURE);
    }
    control_close(job.plane);
    return EXIT_SUCCESS;
}
