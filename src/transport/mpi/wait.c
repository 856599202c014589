/* The technology mpi: what an error of the library says, and how to wait between two polls. */
#include "transport/mpi/internal.h"

#include <sched.h>

#include "base/clock.h"
#include "base/log.h"

/* Kept out of the hot functions, whose stack it would enlarge. */
__attribute__((cold, noinline)) cb_status mpi_failed(int code, const char *attempt, int rank)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;

    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        length = 0;
    cb_error("MPI cannot %s node %d: %.*s; see the messages of the MPI library", attempt, rank,
             length, text);
    return CB_ERROR_TRANSPORT;
}

cb_status mpi_finish(const mpi_factory *factory, int code, MPI_Request *request,
                     const char *attempt)
{
    mpi_poll state = {0};
    int done = 0;

    while (code == MPI_SUCCESS &&
           (code = MPI_Test(request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done)
        mpi_pause(factory, &state);
    return code == MPI_SUCCESS ? CB_OK : mpi_failed(code, attempt, factory->base.rank);
}

/* The pause after an empty poll, as the policy has it. A library that yields has done so in the
 * poll itself, and twice would be once too often: the others get a whole turn each time. Blocking
 * is a sleep that grows from 1 us to 1 ms after 64 polls without result: MPI has no blocking wait
 * to offer. */
void mpi_pause(const mpi_factory *factory, mpi_poll *state)
{
    enum { FREE_POLLS = 64, DOUBLINGS = 10 };

    if (factory->wait == TRANSPORT_WAIT_YIELD) {
        if (!factory->library_yields)
            sched_yield();
    } else if (factory->wait == TRANSPORT_WAIT_BLOCK && ++state->idle > FREE_POLLS) {
        unsigned doubled = state->idle - FREE_POLLS;

        cb_sleep_ns(1000ull << (doubled < DOUBLINGS ? doubled : DOUBLINGS));
    }
}
