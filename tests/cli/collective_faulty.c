/* A collective call of MPI that fails in one rank: wrappers around those of the control plane and
 * of the technologies mpi and rma. The call that fails does not reach the library, so that the
 * other ranks wait in it.
 *
 * CB_FAULT_CALL  the number, from 1, of the call that fails; none without it
 * CB_FAULT_RANK  the rank in which it does
 *
 * With CB_FAULT_WINDOW set, the call is that of MPI_Win_allocate, whatever its number. */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

static bool is_here(void)
{
    const char *in = getenv("CB_FAULT_RANK");
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return in != NULL && rank == atoi(in);
}

static bool fails(void)
{
    static long calls;
    const char *number = getenv("CB_FAULT_CALL");

    return ++calls == (number != NULL ? atol(number) : 0) && is_here();
}

int MPI_Ibarrier(MPI_Comm communicator, MPI_Request *request)
{
    return fails() ? MPI_ERR_INTERN : PMPI_Ibarrier(communicator, request);
}

int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm communicator,
               MPI_Request *request)
{
    return fails() ? MPI_ERR_INTERN : PMPI_Ibcast(data, count, type, root, communicator, request);
}

int MPI_Iallgather(const void *mine, int count, MPI_Datatype type, void *all, int all_count,
                   MPI_Datatype all_type, MPI_Comm communicator, MPI_Request *request)
{
    return fails() ? MPI_ERR_INTERN
                   : PMPI_Iallgather(mine, count, type, all, all_count, all_type, communicator,
                                     request);
}

int MPI_Igather(const void *mine, int count, MPI_Datatype type, void *all, int all_count,
                MPI_Datatype all_type, int root, MPI_Comm communicator, MPI_Request *request)
{
    return fails() ? MPI_ERR_INTERN
                   : PMPI_Igather(mine, count, type, all, all_count, all_type, root, communicator,
                                  request);
}

int MPI_Ireduce(const void *mine, void *sum, int count, MPI_Datatype type, MPI_Op operation,
                int root, MPI_Comm communicator, MPI_Request *request)
{
    return fails() ? MPI_ERR_INTERN
                   : PMPI_Ireduce(mine, sum, count, type, operation, root, communicator, request);
}

int MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm communicator, MPI_Request *request)
{
    return fails() ? MPI_ERR_INTERN
                   : PMPI_Iallreduce(mine, all, count, type, operation, communicator, request);
}

int MPI_Comm_create_group(MPI_Comm communicator, MPI_Group group, int tag, MPI_Comm *made)
{
    return fails() ? MPI_ERR_INTERN : PMPI_Comm_create_group(communicator, group, tag, made);
}

int MPI_Comm_dup(MPI_Comm communicator, MPI_Comm *made)
{
    return fails() ? MPI_ERR_INTERN : PMPI_Comm_dup(communicator, made);
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm communicator, void *memory,
                     MPI_Win *window)
{
    const bool failing = fails() || (getenv("CB_FAULT_WINDOW") != NULL && is_here());

    return failing ? MPI_ERR_NO_MEM
                   : PMPI_Win_allocate(bytes, unit, info, communicator, memory, window);
}
