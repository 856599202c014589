/* Calls that communicate and are not recorded. They are counted, and rank 0 names them in the end:
 * a trace without them is no trace of the program, and must not pass for one. */
#include "tracer/tracer.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* Every name that is ever counted, so that all ranks add up the same ones. */
static const char *const names[] = {
    "messages over intercommunicators",
    "MPI_Request_free of a receive",
    "MPI_Start",
    "MPI_Startall",
    "MPI_Mrecv",
    "MPI_Imrecv",
    "MPI_Ibarrier",
    "MPI_Ibcast",
    "MPI_Ireduce",
    "MPI_Iallreduce",
    "MPI_Igather",
    "MPI_Iallgather",
    "MPI_Iscatter",
    "MPI_Ialltoall",
    "MPI_Ialltoallv",
    "MPI_Alltoallw",
    "MPI_Put",
    "MPI_Get",
    "MPI_Accumulate",
};

enum { NAMES = sizeof(names) / sizeof(names[0]) };

static unsigned long long calls[NAMES];

void tracer_count_unrecorded(const char *name)
{
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(names[i], name) == 0)
            calls[i]++;
}

void tracer_warn_of_unrecorded(void)
{
    unsigned long long all[NAMES];
    char text[1024] = "";
    size_t used = 0;

    PMPI_Reduce(calls, all, NAMES, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, tracer.own);
    for (size_t i = 0; tracer.rank == 0 && i < NAMES; i++)
        if (all[i] > 0 && used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s (%llu)",
                                     used > 0 ? ", " : "", names[i], all[i]);
    if (used > 0)
        cb_warning("the trace is incomplete: it has nothing of these calls: %s", text);
}

/* UNRECORDED(name, parameters, arguments): pass the call on. */
#define UNRECORDED(name, parameters, arguments)                                                    \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        bool on = tracer_begin();                                                                  \
        int result = PMPI_##name arguments;                                                        \
                                                                                                   \
        if (on) {                                                                                  \
            tracer_count_unrecorded("MPI_" #name);                                                 \
            tracer_end();                                                                          \
        }                                                                                          \
        return result;                                                                             \
    }

UNRECORDED(Start, (MPI_Request * r), (r))
UNRECORDED(Startall, (int n, MPI_Request r[]), (n, r))
UNRECORDED(Mrecv, (void *d, int n, MPI_Datatype t, MPI_Message *m, MPI_Status *s), (d, n, t, m, s))
UNRECORDED(Imrecv, (void *d, int n, MPI_Datatype t, MPI_Message *m, MPI_Request *r),
           (d, n, t, m, r))
UNRECORDED(Ibarrier, (MPI_Comm c, MPI_Request *r), (c, r))
UNRECORDED(Ibcast, (void *d, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r),
           (d, n, t, root, c, r))
UNRECORDED(Ireduce,
           (const void *s, void *d, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c,
            MPI_Request *r),
           (s, d, n, t, o, root, c, r))
UNRECORDED(Iallreduce,
           (const void *s, void *d, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *r),
           (s, d, n, t, o, c, r))
UNRECORDED(Igather,
           (const void *s, int sn, MPI_Datatype st, void *d, int n, MPI_Datatype t, int root,
            MPI_Comm c, MPI_Request *r),
           (s, sn, st, d, n, t, root, c, r))
UNRECORDED(Iallgather,
           (const void *s, int sn, MPI_Datatype st, void *d, int n, MPI_Datatype t, MPI_Comm c,
            MPI_Request *r),
           (s, sn, st, d, n, t, c, r))
UNRECORDED(Iscatter,
           (const void *s, int sn, MPI_Datatype st, void *d, int n, MPI_Datatype t, int root,
            MPI_Comm c, MPI_Request *r),
           (s, sn, st, d, n, t, root, c, r))
UNRECORDED(Ialltoall,
           (const void *s, int sn, MPI_Datatype st, void *d, int n, MPI_Datatype t, MPI_Comm c,
            MPI_Request *r),
           (s, sn, st, d, n, t, c, r))
UNRECORDED(Ialltoallv,
           (const void *s, const int sn[], const int sd[], MPI_Datatype st, void *d, const int n[],
            const int dd[], MPI_Datatype t, MPI_Comm c, MPI_Request *r),
           (s, sn, sd, st, d, n, dd, t, c, r))
UNRECORDED(Alltoallw,
           (const void *s, const int sn[], const int sd[], const MPI_Datatype st[], void *d,
            const int n[], const int dd[], const MPI_Datatype t[], MPI_Comm c),
           (s, sn, sd, st, d, n, dd, t, c))
UNRECORDED(Put,
           (const void *s, int sn, MPI_Datatype st, int to, MPI_Aint at, int n, MPI_Datatype t,
            MPI_Win w),
           (s, sn, st, to, at, n, t, w))
UNRECORDED(Get,
           (void *d, int dn, MPI_Datatype dt, int from, MPI_Aint at, int n, MPI_Datatype t,
            MPI_Win w),
           (d, dn, dt, from, at, n, t, w))
UNRECORDED(Accumulate,
           (const void *s, int sn, MPI_Datatype st, int to, MPI_Aint at, int n, MPI_Datatype t,
            MPI_Op o, MPI_Win w),
           (s, sn, st, to, at, n, t, o, w))
