/* Collectives of all ranks of a communicator, recorded as the messages of patterns.h after a
 * comment with the time of the call. Non-blocking collectives send and receive the same messages.
 * Messages that ranks can send before they receive any are recorded at the call, as started sends
 * and receives; later ones, which forward what has arrived, where the program waits for the end: a
 * library sends them in some MPI call in between, and which one is not visible. Sender and receiver
 * record a message at the same of the two places, so that it keeps its order among others between
 * them. */
#include "tracer/tracer.h"

#include <stdlib.h>

#include "base/memory.h"

struct tracer_started {
    const tracer_ranks *ranks; /* while records come from the pattern */
    bool passing_on;           /* no further message can be sent at once */
    uint64_t first, begun;     /* range of the records at the call */
    tracer_record *later;
    size_t count, room;
};

tracer_started *tracer_started_open(const tracer_ranks *ranks)
{
    tracer_started *collective = cb_allocate(1, sizeof(*collective), "a collective under way");

    if (collective == NULL) {
        tracer.on = false;
        return NULL;
    }
    collective->ranks = ranks;
    return collective;
}

static void add_now(tracer_started *collective, tracer_record *record)
{
    uint64_t place;

    if (record->kind == TRACER_RECEIVE)
        record->kind = TRACER_START_RECEIVE;
    place = tracer_add(record);
    if (place == UINT64_MAX)
        return;
    if (collective->begun++ == 0)
        collective->first = place;
}

static void add_later(tracer_started *collective, const tracer_record *record)
{
    if (collective->count == collective->room) {
        size_t room = collective->room == 0 ? 4 : 2 * collective->room;
        tracer_record *larger = reallocarray(collective->later, room, sizeof(*collective->later));

        if (larger == NULL) {
            tracer.on = false;
            return;
        }
        collective->later = larger;
        collective->room = room;
    }
    collective->later[collective->count++] = *record;
}

static void emit_started(void *context, const tracer_record *record, bool at_once)
{
    tracer_started *collective = context;
    tracer_record translated = *record;

    translated.peer = collective->ranks->world[record->peer];
    if (record->kind == TRACER_SEND)
        translated.kind = TRACER_START_SEND;
    if (at_once && !collective->passing_on)
        add_now(collective, &translated);
    else
        add_later(collective, &translated);
}

void tracer_started_go_on(tracer_started *collective)
{
    collective->passing_on = true;
}

tracer_sink tracer_started_sink(tracer_started *collective)
{
    return (tracer_sink){emit_started, collective};
}

void tracer_started_under_way(tracer_started *collective, MPI_Request request)
{
    const tracer_request started = {
        .handle = (uintptr_t)request, .peer = -1, .collective = collective};

    collective->ranks = NULL;
    if (tracer_requests_add(&tracer.requests, &started) != CB_OK)
        tracer.on = false;
}

void tracer_started_settle(tracer_started *collective, bool none_left)
{
    const tracer_record nothing = {.kind = TRACER_NOTHING};

    for (uint64_t place = collective->first;
         !none_left && tracer.on && place < collective->first + collective->begun; place++) {
        tracer_record record;

        if (tracer_records_get(&tracer.records, place, &record) != CB_OK)
            tracer.on = false;
        if (!tracer.on || record.kind != TRACER_START_RECEIVE)
            continue;
        record.kind = TRACER_RECEIVE;
        if (tracer_records_set(&tracer.records, place, &nothing) != CB_OK)
            tracer.on = false;
        tracer_add(&record);
    }
}

bool tracer_started_finish(tracer_started *collective)
{
    bool sends = false;

    for (size_t i = 0; i < collective->count; i++) {
        sends = sends || collective->later[i].kind == TRACER_START_SEND;
        tracer_add(&collective->later[i]);
    }
    free(collective->later);
    free(collective);
    return sends;
}

/* The program's call; `request` is NULL if it is blocking. */
typedef struct {
    const char *name;
    MPI_Comm communicator;
    const MPI_Request *request;
} called;

/* A collective being recorded. */
typedef struct {
    tracer_place place;
    tracer_sink sink;
    tracer_started *started;
} collective;

static void emit_blocking(void *context, const tracer_record *record, bool at_once)
{
    const tracer_ranks *ranks = context;
    tracer_record translated = *record;

    (void)at_once;
    translated.peer = ranks->world[record->peer];
    tracer_add(&translated);
}

/* False if a trace cannot describe the communicator; otherwise `complete` must follow after the
 * pattern. */
static bool describe(const called *call, int root, uint64_t bytes, collective *out)
{
    double took_us = tracer_elapsed_us();
    tracer_ranks *ranks = tracer_ranks_of(call->communicator);

    if (ranks == NULL || tracer.paused)
        return false;
    if (ranks->foreign) {
        tracer_count_unrecorded("messages of ranks outside of MPI_COMM_WORLD");
        return false;
    }
    tracer_add(&(tracer_record){TRACER_COLLECTIVE, 0, bytes, took_us, call->name});
    *out = (collective){.place = {ranks->rank, ranks->size, root}, .sink = {emit_blocking, ranks}};
    if (call->request == NULL)
        return true;
    out->started = tracer_started_open(ranks);
    if (out->started == NULL)
        return false;
    out->sink = tracer_started_sink(out->started);
    return true;
}

/* Between two patterns of one call. */
static void go_on(const called *call, const collective *described)
{
    if (call->request != NULL)
        tracer_started_go_on(described->started);
}

static void complete(const called *call, const collective *described)
{
    if (call->request != NULL)
        tracer_started_under_way(described->started, *call->request);
}

/* The same number of bytes for every rank; numbers of elements. */
static uint64_t alike(const void *context, int rank)
{
    (void)rank;
    return *(const uint64_t *)context;
}

typedef struct {
    const int *counts;
    MPI_Datatype type;
    const MPI_Datatype *types; /* if each rank has its own */
} counted;

static uint64_t of_rank(const void *context, int rank)
{
    const counted *elements = context;

    return tracer_bytes_of(elements->counts[rank],
                           elements->types != NULL ? elements->types[rank] : elements->type);
}

static uint64_t sum(const counted *parts, MPI_Comm communicator)
{
    uint64_t bytes = 0;
    int size = 0;

    PMPI_Comm_size(communicator, &size);
    for (int i = 0; i < size; i++)
        bytes += of_rank(parts, i);
    return bytes;
}

static int rank_in(MPI_Comm communicator)
{
    int rank = 0;

    PMPI_Comm_rank(communicator, &rank);
    return rank;
}

/* In intercommunicators all ranks are `others`: such a call is not recorded. */
static bool is_root(const called *call, int root)
{
    const tracer_ranks *ranks = tracer_ranks_of(call->communicator);

    return ranks != NULL && ranks->rank == root;
}

static void add_barrier(const called *call)
{
    collective described;

    if (!describe(call, 0, 0, &described))
        return;
    tracer_barrier(&described.place, &described.sink);
    complete(call, &described);
}

static void add_broadcast(const called *call, uint64_t bytes, int root)
{
    collective described;

    if (!describe(call, root, bytes, &described))
        return;
    tracer_broadcast(&described.place, bytes, &described.sink);
    complete(call, &described);
}

static void add_reduce(const called *call, uint64_t bytes, int root)
{
    collective described;

    if (!describe(call, root, bytes, &described))
        return;
    tracer_reduce(&described.place, bytes, &described.sink);
    complete(call, &described);
}

static void add_allreduce(const called *call, uint64_t bytes)
{
    collective described;

    if (!describe(call, 0, bytes, &described))
        return;
    tracer_reduce(&described.place, bytes, &described.sink);
    go_on(call, &described);
    tracer_broadcast(&described.place, bytes, &described.sink);
    complete(call, &described);
}

/* Reduce at rank 0, then scatter parts of the result. */
static void scatter_reduced(const called *call, uint64_t all, uint64_t own, tracer_bytes parts)
{
    collective described;

    if (!describe(call, 0, all, &described))
        return;
    tracer_reduce(&described.place, all, &described.sink);
    go_on(call, &described);
    tracer_scatter(&described.place, own, parts, &described.sink);
    complete(call, &described);
}

static void add_reduce_scatter(const called *call, const int counts[], MPI_Datatype type)
{
    const counted parts = {.counts = counts, .type = type};

    scatter_reduced(call, sum(&parts, call->communicator),
                    of_rank(&parts, rank_in(call->communicator)), (tracer_bytes){of_rank, &parts});
}

static void add_reduce_scatter_block(const called *call, uint64_t own)
{
    int size = 0;

    PMPI_Comm_size(call->communicator, &size);
    scatter_reduced(call, own * (uint64_t)size, own, (tracer_bytes){alike, &own});
}

/* The own part of each rank is what the root has for itself, or what this rank sends or receives.
 */
static void add_gather(const called *call, uint64_t own, tracer_bytes parts, int root)
{
    collective described;

    if (!describe(call, root, own, &described))
        return;
    tracer_gather(&described.place, own, parts, &described.sink);
    complete(call, &described);
}

static void add_scatter(const called *call, uint64_t own, tracer_bytes parts, int root)
{
    collective described;

    if (!describe(call, root, own, &described))
        return;
    tracer_scatter(&described.place, own, parts, &described.sink);
    complete(call, &described);
}

static void add_allgather(const called *call, uint64_t bytes, tracer_bytes parts)
{
    collective described;

    if (!describe(call, 0, bytes, &described))
        return;
    tracer_allgather(&described.place, parts, &described.sink);
    complete(call, &described);
}

static void add_alltoall(const called *call, uint64_t bytes, tracer_bytes to, tracer_bytes from)
{
    collective described;

    if (!describe(call, 0, bytes, &described))
        return;
    tracer_alltoall(&described.place, to, from, &described.sink);
    complete(call, &described);
}

/* Parts with counts: of sent and of received data. */
static void add_exchange(const called *call, const counted *to, const counted *from)
{
    add_alltoall(call, sum(from, call->communicator), (tracer_bytes){of_rank, to},
                 (tracer_bytes){of_rank, from});
}

static void add_scan(const called *call, uint64_t bytes)
{
    collective described;

    if (!describe(call, 0, bytes, &described))
        return;
    tracer_scan(&described.place, bytes, &described.sink);
    complete(call, &described);
}

/* Equal parts; the size is that at the root, or elsewhere that of this rank. */
static void add_gather_alike(const called *call, uint64_t at_root, uint64_t elsewhere, int root)
{
    const uint64_t own = is_root(call, root) ? at_root : elsewhere;

    add_gather(call, own, (tracer_bytes){alike, &own}, root);
}

static void add_scatter_alike(const called *call, uint64_t at_root, uint64_t elsewhere, int root)
{
    const uint64_t own = is_root(call, root) ? at_root : elsewhere;

    add_scatter(call, own, (tracer_bytes){alike, &own}, root);
}

static void add_gather_counted(const called *call, const counted *parts, uint64_t elsewhere,
                               int root)
{
    add_gather(call, is_root(call, root) ? of_rank(parts, root) : elsewhere,
               (tracer_bytes){of_rank, parts}, root);
}

static void add_scatter_counted(const called *call, const counted *parts, uint64_t elsewhere,
                                int root)
{
    add_scatter(call, is_root(call, root) ? of_rank(parts, root) : elsewhere,
                (tracer_bytes){of_rank, parts}, root);
}

static void add_allgather_alike(const called *call, uint64_t bytes)
{
    add_allgather(call, bytes, (tracer_bytes){alike, &bytes});
}

static void add_allgather_counted(const called *call, const counted *parts)
{
    add_allgather(call, sum(parts, call->communicator), (tracer_bytes){of_rank, parts});
}

static void add_alltoall_alike(const called *call, uint64_t bytes)
{
    add_alltoall(call, bytes, (tracer_bytes){alike, &bytes}, (tracer_bytes){alike, &bytes});
}

/* The calls, in two forms: BOTH(name, name of the non-blocking one, parameters, arguments, what
 * records it). Of the counts, use those that a rank must always pass, even with MPI_IN_PLACE. */

#define LIST(...) __VA_ARGS__

#define BOTH(waits, starts, parameters, arguments, ...)                                            \
    int MPI_##waits(LIST parameters)                                                               \
    {                                                                                              \
        bool on = tracer_begin();                                                                  \
        int result = REAL(waits)(LIST arguments);                                                  \
                                                                                                   \
        if (tracer_resume(on)) {                                                                   \
            const called call = {"MPI_" #waits, communicator, NULL};                               \
                                                                                                   \
            __VA_ARGS__;                                                                           \
            tracer_end();                                                                          \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    EXPORT(waits)                                                                                  \
                                                                                                   \
    int MPI_##starts(LIST parameters, MPI_Request *request)                                        \
    {                                                                                              \
        bool on = tracer_begin();                                                                  \
        int result = REAL(starts)(LIST arguments, request);                                        \
                                                                                                   \
        if (tracer_resume(on)) {                                                                   \
            const called call = {"MPI_" #starts, communicator, request};                           \
                                                                                                   \
            __VA_ARGS__;                                                                           \
            tracer_end();                                                                          \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    EXPORT(starts)

BOTH(Barrier, Ibarrier, (MPI_Comm communicator), (communicator), add_barrier(&call))

BOTH(Bcast, Ibcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm communicator),
     (data, count, type, root, communicator),
     add_broadcast(&call, tracer_bytes_of(count, type), root))

BOTH(Reduce, Ireduce,
     (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation, int root,
      MPI_Comm communicator),
     (sent, received, count, type, operation, root, communicator),
     add_reduce(&call, tracer_bytes_of(count, type), root))

BOTH(Allreduce, Iallreduce,
     (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation,
      MPI_Comm communicator),
     (sent, received, count, type, operation, communicator),
     add_allreduce(&call, tracer_bytes_of(count, type)))

BOTH(Reduce_scatter, Ireduce_scatter,
     (const void *sent, void *received, const int counts[], MPI_Datatype type, MPI_Op operation,
      MPI_Comm communicator),
     (sent, received, counts, type, operation, communicator),
     add_reduce_scatter(&call, counts, type))

BOTH(Reduce_scatter_block, Ireduce_scatter_block,
     (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation,
      MPI_Comm communicator),
     (sent, received, count, type, operation, communicator),
     add_reduce_scatter_block(&call, tracer_bytes_of(count, type)))

BOTH(Gather, Igather,
     (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int count,
      MPI_Datatype type, int root, MPI_Comm communicator),
     (sent, sent_count, sent_type, received, count, type, root, communicator),
     add_gather_alike(&call, tracer_bytes_of(count, type), tracer_bytes_of(sent_count, sent_type),
                      root))

BOTH(Gatherv, Igatherv,
     (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, const int counts[],
      const int displacements[], MPI_Datatype type, int root, MPI_Comm communicator),
     (sent, sent_count, sent_type, received, counts, displacements, type, root, communicator),
     add_gather_counted(&call, &(counted){counts, type, NULL},
                        tracer_bytes_of(sent_count, sent_type), root))

BOTH(Scatter, Iscatter,
     (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int count,
      MPI_Datatype type, int root, MPI_Comm communicator),
     (sent, sent_count, sent_type, received, count, type, root, communicator),
     add_scatter_alike(&call, tracer_bytes_of(sent_count, sent_type), tracer_bytes_of(count, type),
                       root))

BOTH(Scatterv, Iscatterv,
     (const void *sent, const int counts[], const int displacements[], MPI_Datatype sent_type,
      void *received, int count, MPI_Datatype type, int root, MPI_Comm communicator),
     (sent, counts, displacements, sent_type, received, count, type, root, communicator),
     add_scatter_counted(&call, &(counted){counts, sent_type, NULL}, tracer_bytes_of(count, type),
                         root))

BOTH(Allgather, Iallgather,
     (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int count,
      MPI_Datatype type, MPI_Comm communicator),
     (sent, sent_count, sent_type, received, count, type, communicator),
     add_allgather_alike(&call, tracer_bytes_of(count, type)))

BOTH(Allgatherv, Iallgatherv,
     (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, const int counts[],
      const int displacements[], MPI_Datatype type, MPI_Comm communicator),
     (sent, sent_count, sent_type, received, counts, displacements, type, communicator),
     add_allgather_counted(&call, &(counted){counts, type, NULL}))

BOTH(Alltoall, Ialltoall,
     (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int count,
      MPI_Datatype type, MPI_Comm communicator),
     (sent, sent_count, sent_type, received, count, type, communicator),
     add_alltoall_alike(&call, tracer_bytes_of(count, type)))

BOTH(Alltoallv, Ialltoallv,
     (const void *sent, const int sent_counts[], const int sent_displacements[],
      MPI_Datatype sent_type, void *received, const int counts[], const int displacements[],
      MPI_Datatype type, MPI_Comm communicator),
     (sent, sent_counts, sent_displacements, sent_type, received, counts, displacements, type,
      communicator),
     add_exchange(&call,
                  sent == MPI_IN_PLACE ? &(counted){counts, type, NULL}
                                       : &(counted){sent_counts, sent_type, NULL},
                  &(counted){counts, type, NULL}))

BOTH(Alltoallw, Ialltoallw,
     (const void *sent, const int sent_counts[], const int sent_displacements[],
      const MPI_Datatype sent_types[], void *received, const int counts[],
      const int displacements[], const MPI_Datatype types[], MPI_Comm communicator),
     (sent, sent_counts, sent_displacements, sent_types, received, counts, displacements, types,
      communicator),
     add_exchange(&call,
                  sent == MPI_IN_PLACE ? &(counted){counts, MPI_BYTE, types}
                                       : &(counted){sent_counts, MPI_BYTE, sent_types},
                  &(counted){counts, MPI_BYTE, types}))

BOTH(Scan, Iscan,
     (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation,
      MPI_Comm communicator),
     (sent, received, count, type, operation, communicator),
     add_scan(&call, tracer_bytes_of(count, type)))

BOTH(Exscan, Iexscan,
     (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation,
      MPI_Comm communicator),
     (sent, received, count, type, operation, communicator),
     add_scan(&call, tracer_bytes_of(count, type)))
