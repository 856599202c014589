/* Tests under mpirun: all ranks of a job start and end each test together. A rank whose test
 * fails runs no other test and ends the job, since other ranks may wait for its messages. So
 * does a rank that waits too long. */
#ifndef TESTS_COMMON_JOB_H
#define TESTS_COMMON_JOB_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>

#include "control/control.h"

typedef struct {
    control *plane;
    control_team *everyone;
    int rank, size;
    void (*at_end)(void);  /* called after each test that has not failed, or NULL */
    const char *under_way; /* the test that was started and has not ended */
} job_state;

/* Check passes no arguments to tests, so the data that all tests need is global. */
extern job_state job;

/* Define a test of all ranks: JOB_TEST(behaviour) { ... } */
#define JOB_TEST(name)                                                                             \
    static void name##_body(void);                                                                 \
    START_TEST(name)                                                                               \
    {                                                                                              \
        if (job_begin(#name)) {                                                                    \
            name##_body();                                                                         \
            job_end();                                                                             \
        }                                                                                          \
    }                                                                                              \
    END_TEST                                                                                       \
    static void name##_body(void)

/* Fail unless a call returns CB_OK. Check's own assertions are not used in loops: each of them
 * writes to a file. */
#define REQUIRE_OK(call)                                                                           \
    do {                                                                                           \
        cb_status require_status = (call);                                                         \
        if (require_status != CB_OK)                                                               \
            ck_abort_msg("%s: %s", #call, cb_status_text(require_status));                         \
    } while (0)

/* False after a failed test of this rank: no other can be run. */
bool job_begin(const char *test);
void job_end(void);

/* The number of errors that this rank has logged since the last call. A test that ends with one
 * fails: an expected error is logged between cb_log_silence(true) and (false). */
unsigned job_errors(void);

/* Start the control plane; exits if the job cannot start. */
void job_open(const char *program);

/* Run the tests of these suites in order, after a test that asserts that the launcher started
 * COMBENCH_TEST_RANKS ranks. Returns the number of failures of this rank. */
int job_run(const char *name, TCase *(*const *themes)(void), size_t count);

/* Returns the exit status; after failures it ends the whole job and does not return. */
int job_close(int failures);

/* A barrier of all ranks. */
void job_barrier(void);

#endif
