/* Private to the folder: the control plane over MPI, for synchronise.c. */
#ifndef CONTROL_CONTROL_MPI_H
#define CONTROL_CONTROL_MPI_H

#include <mpi.h>

#include "control/control.h"

struct control_team {
    const control *plane;
    MPI_Comm communicator;
    int size, index;
};

struct control {
    control_team everyone;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    bool tools; /* whether the tools interface is open */
    int thread_level;
    unsigned comparisons;        /* of clocks, so far: the same number in all ranks */
    void (*look)(void *context); /* while waiting, or NULL */
    void *look_context;
};

/* Log that the control plane could not do what was attempted; returns CB_ERROR_CONTROL. */
cb_status control_failed(int code, const char *attempt);

/* Wait for a request by testing, with yields first and then growing sleeps; `code` is the result of
 * the call that started it. */
cb_status control_finish(const control *plane, int code, MPI_Request *request, const char *attempt);

#endif
