/* Calls that communicate and are not recorded. They are counted, and rank 0 names them in the end:
 * a trace without them is incomplete, and the user must know. */
#include "tracer/tracer.h"

/* UNRECORDED(name, parameters, arguments): make the call and count it. */
#define UNRECORDED(name, parameters, arguments)                                                    \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        bool on = tracer_begin();                                                                  \
        int result = PMPI_##name arguments;                                                        \
                                                                                                   \
        if (tracer_resume(on)) {                                                                   \
            tracer_count_unrecorded("MPI_" #name);                                                 \
            tracer_end();                                                                          \
        }                                                                                          \
        return result;                                                                             \
    }

UNRECORDED(Neighbor_allgather,
           (const void *s, int sn, MPI_Datatype st, void *d, int n, MPI_Datatype t, MPI_Comm c),
           (s, sn, st, d, n, t, c))
UNRECORDED(Neighbor_allgatherv,
           (const void *s, int sn, MPI_Datatype st, void *d, const int n[], const int dd[],
            MPI_Datatype t, MPI_Comm c),
           (s, sn, st, d, n, dd, t, c))
UNRECORDED(Neighbor_alltoall,
           (const void *s, int sn, MPI_Datatype st, void *d, int n, MPI_Datatype t, MPI_Comm c),
           (s, sn, st, d, n, t, c))
UNRECORDED(Neighbor_alltoallv,
           (const void *s, const int sn[], const int sd[], MPI_Datatype st, void *d, const int n[],
            const int dd[], MPI_Datatype t, MPI_Comm c),
           (s, sn, sd, st, d, n, dd, t, c))
UNRECORDED(Neighbor_alltoallw,
           (const void *s, const int sn[], const MPI_Aint sd[], const MPI_Datatype st[], void *d,
            const int n[], const MPI_Aint dd[], const MPI_Datatype t[], MPI_Comm c),
           (s, sn, sd, st, d, n, dd, t, c))
UNRECORDED(Ineighbor_allgather,
           (const void *s, int sn, MPI_Datatype st, void *d, int n, MPI_Datatype t, MPI_Comm c,
            MPI_Request *r),
           (s, sn, st, d, n, t, c, r))
UNRECORDED(Ineighbor_allgatherv,
           (const void *s, int sn, MPI_Datatype st, void *d, const int n[], const int dd[],
            MPI_Datatype t, MPI_Comm c, MPI_Request *r),
           (s, sn, st, d, n, dd, t, c, r))
UNRECORDED(Ineighbor_alltoall,
           (const void *s, int sn, MPI_Datatype st, void *d, int n, MPI_Datatype t, MPI_Comm c,
            MPI_Request *r),
           (s, sn, st, d, n, t, c, r))
UNRECORDED(Ineighbor_alltoallv,
           (const void *s, const int sn[], const int sd[], MPI_Datatype st, void *d, const int n[],
            const int dd[], MPI_Datatype t, MPI_Comm c, MPI_Request *r),
           (s, sn, sd, st, d, n, dd, t, c, r))
UNRECORDED(Ineighbor_alltoallw,
           (const void *s, const int sn[], const MPI_Aint sd[], const MPI_Datatype st[], void *d,
            const int n[], const MPI_Aint dd[], const MPI_Datatype t[], MPI_Comm c, MPI_Request *r),
           (s, sn, sd, st, d, n, dd, t, c, r))
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
UNRECORDED(Rput,
           (const void *s, int sn, MPI_Datatype st, int to, MPI_Aint at, int n, MPI_Datatype t,
            MPI_Win w, MPI_Request *r),
           (s, sn, st, to, at, n, t, w, r))
UNRECORDED(Rget,
           (void *d, int dn, MPI_Datatype dt, int from, MPI_Aint at, int n, MPI_Datatype t,
            MPI_Win w, MPI_Request *r),
           (d, dn, dt, from, at, n, t, w, r))
UNRECORDED(Raccumulate,
           (const void *s, int sn, MPI_Datatype st, int to, MPI_Aint at, int n, MPI_Datatype t,
            MPI_Op o, MPI_Win w, MPI_Request *r),
           (s, sn, st, to, at, n, t, o, w, r))
UNRECORDED(Get_accumulate,
           (const void *s, int sn, MPI_Datatype st, void *d, int dn, MPI_Datatype dt, int to,
            MPI_Aint at, int n, MPI_Datatype t, MPI_Op o, MPI_Win w),
           (s, sn, st, d, dn, dt, to, at, n, t, o, w))
UNRECORDED(Rget_accumulate,
           (const void *s, int sn, MPI_Datatype st, void *d, int dn, MPI_Datatype dt, int to,
            MPI_Aint at, int n, MPI_Datatype t, MPI_Op o, MPI_Win w, MPI_Request *r),
           (s, sn, st, d, dn, dt, to, at, n, t, o, w, r))
UNRECORDED(Fetch_and_op,
           (const void *s, void *d, MPI_Datatype t, int to, MPI_Aint at, MPI_Op o, MPI_Win w),
           (s, d, t, to, at, o, w))
UNRECORDED(Compare_and_swap,
           (const void *s, const void *compared, void *d, MPI_Datatype t, int to, MPI_Aint at,
            MPI_Win w),
           (s, compared, d, t, to, at, w))
