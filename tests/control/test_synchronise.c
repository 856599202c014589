/* Clock synchronisation when MPI fails in one rank: all ranks get the error and return, and the
 * control plane remains usable. Wrappers around the MPI library inject the failures. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

#include "base/log.h"
#include "tests/common/job.h"

enum { ROUND_TRIPS = 40 }; /* measurements per rank, as in src/control/control_mpi.c */

/* Everything else in the control plane uses collectives, so these calls belong to the
 * synchronisation. */
static struct {
    unsigned passed; /* number of calls that succeed first */
    unsigned count;  /* number of calls that fail after these */
} sends, receives;

static bool fails(unsigned *passed, unsigned *count)
{
    if (*count == 0)
        return false;
    if (*passed > 0) {
        --*passed;
        return false;
    }
    --*count;
    return true;
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int destination, int tag,
             MPI_Comm communicator)
{
    return fails(&sends.passed, &sends.count)
               ? MPI_ERR_OTHER
               : PMPI_Send(buffer, count, type, destination, tag, communicator);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag,
              MPI_Comm communicator, MPI_Request *request)
{
    return fails(&receives.passed, &receives.count)
               ? MPI_ERR_OTHER
               : PMPI_Irecv(buffer, count, type, source, tag, communicator, request);
}

static void restore(void)
{
    sends.count = receives.count = 0;
}

static void expect_all_to_fail(void)
{
    control_clock clock = {.offset_ns = 5};

    cb_log_silence(1);
    ck_assert_int_eq(control_synchronise(job.plane, &clock), CB_ERROR_CONTROL);
    cb_log_silence(0);
    restore();
    if (job.rank > 0 && clock.at_ns == 0)
        ck_assert_double_eq(clock.offset_ns, 5);
    clock = (control_clock){0};
    REQUIRE_OK(control_synchronise(job.plane, &clock));
    ck_assert_uint_ne(clock.at_ns, 0);
}

/* Calls of the failing rank: some succeed, then one fails. */
static void fail_send(int rank, unsigned passed)
{
    if (job.rank == rank) {
        sends.passed = passed;
        sends.count = 1;
    }
    expect_all_to_fail();
}

static void fail_receive(int rank, unsigned passed)
{
    if (job.rank == rank) {
        receives.passed = passed;
        receives.count = 1;
    }
    expect_all_to_fail();
}

JOB_TEST(all_ranks_get_an_error_when_rank_0_cannot_start_a_turn)
{
    fail_send(0, 0);
    fail_send(0, (unsigned)(job.size - 2) * (ROUND_TRIPS + 1));
}

JOB_TEST(all_ranks_get_an_error_when_rank_0_cannot_answer)
{
    fail_send(0, 1);
    fail_send(0, ROUND_TRIPS);
    fail_send(0, (unsigned)(job.size - 1) * (ROUND_TRIPS + 1) - 1);
}

JOB_TEST(all_ranks_get_an_error_when_rank_0_cannot_receive)
{
    fail_receive(0, 0);
    fail_receive(0, (unsigned)(job.size - 1) * ROUND_TRIPS - 1);
}

JOB_TEST(all_ranks_get_an_error_when_a_rank_cannot_send)
{
    fail_send(1, 0);
    fail_send(job.size - 1, ROUND_TRIPS - 1);
}

JOB_TEST(all_ranks_get_an_error_when_a_rank_cannot_receive)
{
    fail_receive(1, 0);
    fail_receive(1, 7);
    fail_receive(job.size - 1, ROUND_TRIPS);
}

/* The failing rank cannot send the message that it gives up: rank 0 waits for its timeout of 10
 * s. */
JOB_TEST(all_ranks_get_an_error_when_a_rank_stops_answering)
{
    if (job.rank == job.size - 1) {
        sends.passed = 3;
        sends.count = UINT_MAX;
    }
    expect_all_to_fail();
}

static TCase *failing_comparison(void)
{
    TCase *theme = tcase_create("synchronise");

    tcase_add_test(theme, all_ranks_get_an_error_when_rank_0_cannot_start_a_turn);
    tcase_add_test(theme, all_ranks_get_an_error_when_rank_0_cannot_answer);
    tcase_add_test(theme, all_ranks_get_an_error_when_rank_0_cannot_receive);
    tcase_add_test(theme, all_ranks_get_an_error_when_a_rank_cannot_send);
    tcase_add_test(theme, all_ranks_get_an_error_when_a_rank_cannot_receive);
    return theme;
}

static TCase *silence(void)
{
    TCase *theme = tcase_create("silence");

    tcase_add_test(theme, all_ranks_get_an_error_when_a_rank_stops_answering);
    return theme;
}

int main(void)
{
    static TCase *(*const themes[])(void) = {failing_comparison, silence};

    job_open("test_synchronise");
    return job_close(job_run("synchronise", themes, getenv("CB_CHECK_FULL") != NULL ? 2 : 1));
}
