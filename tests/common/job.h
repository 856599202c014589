/* What the tests under mpirun share: one job of all ranks, in which each test is begun and ended by
 * all together. A rank whose test failed runs no other and ends the job, since the rest of it may
 * wait for a message that will never come; a rank that waits too long does the same. */
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
    void (*at_end)(void);  /* called at the end of each test that has not failed, or NULL */
    const char *under_way; /* the test that was begun and has not ended */
} job_state;

/* Check hands nothing to a test, so that what all tests need stands here. */
extern job_state job;

/* A test of all ranks: JOB_TEST(behaviour) { ... } */
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

/* Fail unless a call gives CB_OK. Cheap, unlike Check's own assertions, each of which is a write.
 */
#define REQUIRE_OK(call)                                                                           \
    do {                                                                                           \
        cb_status require_status = (call);                                                         \
        if (require_status != CB_OK)                                                               \
            ck_abort_msg("%s: %s", #call, cb_status_text(require_status));                         \
    } while (0)

/* False when a test of this rank has failed: no other can be run. */
bool job_begin(const char *test);
void job_end(void);

/* Start the control plane; a job that cannot start ends the program. */
void job_open(const char *program);

/* Run the tests of these themes in their order, after one that asserts that the launcher started as
 * many ranks as the environment variable COMBENCH_TEST_RANKS says. The failures of this rank. */
int job_run(const char *name, TCase *(*const *themes)(void), size_t count);

/* The exit status; with failures this ends the job of all ranks and does not return. */
int job_close(int failures);

/* All ranks arrive before any leaves. */
void job_barrier(void);

#endif
