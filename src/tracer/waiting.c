/* Calls without a record of their own, whose time is no computing: those that are counted, those
 * that wait for other ranks, and polls. */
#include "tracer/tracer.h"

/* Communicating calls that are not recorded: a trace without them is incomplete, so the user is
 * warned. UNRECORDED(name, parameters, arguments): make the call and count it. */
#define UNRECORDED(name, parameters, arguments)                                                    \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        bool on = tracer_begin();                                                                  \
        int result = REAL(name) arguments;                                                         \
                                                                                                   \
        if (tracer_resume(on)) {                                                                   \
            tracer_count_unrecorded("MPI_" #name);                                                 \
            tracer_end();                                                                          \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    EXPORT(name)

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

UNRECORDED(Win_fence, (int assert, MPI_Win w), (assert, w))
UNRECORDED(Win_start, (MPI_Group g, int assert, MPI_Win w), (g, assert, w))
UNRECORDED(Win_post, (MPI_Group g, int assert, MPI_Win w), (g, assert, w))
UNRECORDED(Win_lock, (int type, int rank, int assert, MPI_Win w), (type, rank, assert, w))
UNRECORDED(Win_lock_all, (int assert, MPI_Win w), (assert, w))

/* Calls that wait for other ranks or for what was counted before. */
#define WAITS(name, parameters, arguments)                                                         \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        bool on = tracer_begin();                                                                  \
        int result = REAL(name) arguments;                                                         \
                                                                                                   \
        if (tracer_resume(on))                                                                     \
            tracer_end();                                                                          \
        return result;                                                                             \
    }                                                                                              \
    EXPORT(name)

WAITS(Win_complete, (MPI_Win w), (w))
WAITS(Win_wait, (MPI_Win w), (w))
WAITS(Win_unlock, (int rank, MPI_Win w), (rank, w))
WAITS(Win_unlock_all, (MPI_Win w), (w))
WAITS(Win_flush, (int rank, MPI_Win w), (rank, w))
WAITS(Win_flush_all, (MPI_Win w), (w))
WAITS(Win_flush_local, (int rank, MPI_Win w), (rank, w))
WAITS(Win_flush_local_all, (MPI_Win w), (w))
WAITS(Win_free, (MPI_Win * w), (w))
WAITS(Win_create, (void *d, MPI_Aint n, int unit, MPI_Info i, MPI_Comm c, MPI_Win *w),
      (d, n, unit, i, c, w))
WAITS(Win_create_dynamic, (MPI_Info i, MPI_Comm c, MPI_Win *w), (i, c, w))
WAITS(Win_allocate, (MPI_Aint n, int unit, MPI_Info i, MPI_Comm c, void *d, MPI_Win *w),
      (n, unit, i, c, d, w))
WAITS(Win_allocate_shared, (MPI_Aint n, int unit, MPI_Info i, MPI_Comm c, void *d, MPI_Win *w),
      (n, unit, i, c, d, w))
WAITS(Buffer_detach, (void *d, int *n), (d, n))
WAITS(Comm_dup, (MPI_Comm c, MPI_Comm *made), (c, made))
WAITS(Comm_dup_with_info, (MPI_Comm c, MPI_Info i, MPI_Comm *made), (c, i, made))
WAITS(Comm_split, (MPI_Comm c, int color, int order, MPI_Comm *made), (c, color, order, made))
WAITS(Comm_split_type, (MPI_Comm c, int type, int order, MPI_Info i, MPI_Comm *made),
      (c, type, order, i, made))
WAITS(Comm_create, (MPI_Comm c, MPI_Group g, MPI_Comm *made), (c, g, made))
WAITS(Comm_create_group, (MPI_Comm c, MPI_Group g, int tag, MPI_Comm *made), (c, g, tag, made))
WAITS(Comm_free, (MPI_Comm * c), (c))
WAITS(Comm_disconnect, (MPI_Comm * c), (c))
WAITS(Cart_create,
      (MPI_Comm c, int n, const int size[], const int periods[], int reorder, MPI_Comm *made),
      (c, n, size, periods, reorder, made))
WAITS(Cart_sub, (MPI_Comm c, const int kept[], MPI_Comm *made), (c, kept, made))
WAITS(Graph_create,
      (MPI_Comm c, int n, const int index[], const int edges[], int reorder, MPI_Comm *made),
      (c, n, index, edges, reorder, made))
WAITS(Dist_graph_create,
      (MPI_Comm c, int n, const int sources[], const int degrees[], const int destinations[],
       const int weights[], MPI_Info i, int reorder, MPI_Comm *made),
      (c, n, sources, degrees, destinations, weights, i, reorder, made))
WAITS(Dist_graph_create_adjacent,
      (MPI_Comm c, int in, const int sources[], const int in_weights[], int out,
       const int destinations[], const int out_weights[], MPI_Info i, int reorder, MPI_Comm *made),
      (c, in, sources, in_weights, out, destinations, out_weights, i, reorder, made))
WAITS(Intercomm_create,
      (MPI_Comm c, int leader, MPI_Comm peers, int other, int tag, MPI_Comm *made),
      (c, leader, peers, other, tag, made))
WAITS(Intercomm_merge, (MPI_Comm c, int high, MPI_Comm *made), (c, high, made))
WAITS(Comm_spawn,
      (const char *command, char *words[], int n, MPI_Info i, int root, MPI_Comm c, MPI_Comm *made,
       int codes[]),
      (command, words, n, i, root, c, made, codes))
WAITS(Comm_spawn_multiple,
      (int count, char *commands[], char **words[], const int n[], const MPI_Info i[], int root,
       MPI_Comm c, MPI_Comm *made, int codes[]),
      (count, commands, words, n, i, root, c, made, codes))
WAITS(Comm_accept, (const char *port, MPI_Info i, int root, MPI_Comm c, MPI_Comm *made),
      (port, i, root, c, made))
WAITS(Comm_connect, (const char *port, MPI_Info i, int root, MPI_Comm c, MPI_Comm *made),
      (port, i, root, c, made))

/* Polls without a record of their own. */
#define POLLS(name, parameters, arguments)                                                         \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        bool on = tracer_begin();                                                                  \
        int result = REAL(name) arguments;                                                         \
                                                                                                   \
        if (tracer_resume(on))                                                                     \
            tracer_end_polling(*flag != 0);                                                        \
        return result;                                                                             \
    }                                                                                              \
    EXPORT(name)

POLLS(Win_test, (MPI_Win w, int *flag), (w, flag))
POLLS(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status),
      (request, flag, status))
POLLS(Iprobe, (int peer, int tag, MPI_Comm communicator, int *flag, MPI_Status *status),
      (peer, tag, communicator, flag, status))
