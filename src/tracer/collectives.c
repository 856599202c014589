/* Collectives of all ranks of a communicator: recorded as the messages of patterns.h, under a
 * comment with what the call took. A barrier of all ranks is one in the trace, too. */
#include "tracer/tracer.h"

/* A collective on its way into the trace. */
typedef struct {
    const tracer_ranks *ranks;
    tracer_place place;
    tracer_sink sink;
} collective;

static void emit(void *context, const tracer_record *record)
{
    const tracer_ranks *ranks = context;
    tracer_record translated = *record;

    translated.peer = ranks->world[record->peer];
    tracer_note(&translated);
}

/* Behind the call; false where the communicator is not one of ranks. */
static bool describe(const char *name, MPI_Comm communicator, int root, uint64_t bytes,
                     collective *out)
{
    double took_us = tracer_elapsed_us();
    tracer_ranks *ranks = tracer_ranks_of(communicator);

    if (ranks == NULL)
        return false;
    tracer_note(&(tracer_record){TRACER_COLLECTIVE, 0, bytes, took_us, name});
    *out = (collective){
        .ranks = ranks, .place = {ranks->rank, ranks->size, root}, .sink = {emit, ranks}};
    return true;
}

/* The same number of bytes for every rank, and numbers of elements. */
static uint64_t alike(const void *context, int rank)
{
    (void)rank;
    return *(const uint64_t *)context;
}

typedef struct {
    const int *counts;
    MPI_Datatype type;
} counted;

static uint64_t of_rank(const void *context, int rank)
{
    const counted *elements = context;

    return tracer_bytes_of(elements->counts[rank], elements->type);
}

static uint64_t sum(const int *counts, MPI_Datatype type, MPI_Comm communicator)
{
    uint64_t bytes = 0;
    int size = 0;

    PMPI_Comm_size(communicator, &size);
    for (int i = 0; i < size; i++)
        bytes += tracer_bytes_of(counts[i], type);
    return bytes;
}

static void end_broadcast(const char *name, uint64_t bytes, int root, MPI_Comm communicator)
{
    collective call;

    if (describe(name, communicator, root, bytes, &call))
        tracer_broadcast(&call.place, bytes, &call.sink);
    tracer_end();
}

static void end_reduce(const char *name, uint64_t bytes, int root, MPI_Comm communicator)
{
    collective call;

    if (describe(name, communicator, root, bytes, &call))
        tracer_reduce(&call.place, bytes, &call.sink);
    tracer_end();
}

static void end_allreduce(uint64_t bytes, MPI_Comm communicator)
{
    collective call;

    if (describe("MPI_Allreduce", communicator, 0, bytes, &call)) {
        tracer_reduce(&call.place, bytes, &call.sink);
        tracer_broadcast(&call.place, bytes, &call.sink);
    }
    tracer_end();
}

/* Reduced at rank 0, and a part of the result for each. */
static void end_reduce_scatter(const char *name, uint64_t all, uint64_t own, tracer_bytes parts,
                               MPI_Comm communicator)
{
    collective call;

    if (describe(name, communicator, 0, all, &call)) {
        tracer_reduce(&call.place, all, &call.sink);
        tracer_scatter(&call.place, own, parts, &call.sink);
    }
    tracer_end();
}

static void end_gather(const char *name, uint64_t own, tracer_bytes parts, int root,
                       MPI_Comm communicator)
{
    collective call;

    if (describe(name, communicator, root, own, &call))
        tracer_gather(&call.place, own, parts, &call.sink);
    tracer_end();
}

static void end_scatter(const char *name, uint64_t own, tracer_bytes parts, int root,
                        MPI_Comm communicator)
{
    collective call;

    if (describe(name, communicator, root, own, &call))
        tracer_scatter(&call.place, own, parts, &call.sink);
    tracer_end();
}

static void end_allgather(const char *name, uint64_t bytes, tracer_bytes parts,
                          MPI_Comm communicator)
{
    collective call;

    if (describe(name, communicator, 0, bytes, &call))
        tracer_allgather(&call.place, parts, &call.sink);
    tracer_end();
}

static void end_alltoall(const char *name, uint64_t bytes, tracer_bytes to, tracer_bytes from,
                         MPI_Comm communicator)
{
    collective call;

    if (describe(name, communicator, 0, bytes, &call))
        tracer_alltoall(&call.place, to, from, &call.sink);
    tracer_end();
}

static void end_scan(const char *name, uint64_t bytes, MPI_Comm communicator)
{
    collective call;

    if (describe(name, communicator, 0, bytes, &call))
        tracer_scan(&call.place, bytes, &call.sink);
    tracer_end();
}

static void end_barrier(MPI_Comm communicator)
{
    double took_us = tracer_elapsed_us();
    const tracer_ranks *ranks = tracer_ranks_of(communicator);
    collective call;

    if (ranks != NULL && ranks->size == tracer.size)
        tracer_note(&(tracer_record){.kind = TRACER_BARRIER, .time_us = took_us});
    else if (ranks != NULL && describe("MPI_Barrier", communicator, 0, 0, &call))
        tracer_barrier(&call.place, &call.sink);
    tracer_end();
}

/* The calls themselves. Of parts, those count that a rank must give in any case, also where it
 * passes MPI_IN_PLACE. */

int MPI_Barrier(MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Barrier(communicator);

    if (on)
        end_barrier(communicator);
    return result;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Bcast(data, count, type, root, communicator);

    if (on)
        end_broadcast("MPI_Bcast", tracer_bytes_of(count, type), root, communicator);
    return result;
}

int MPI_Reduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation,
               int root, MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Reduce(sent, received, count, type, operation, root, communicator);

    if (on)
        end_reduce("MPI_Reduce", tracer_bytes_of(count, type), root, communicator);
    return result;
}

int MPI_Allreduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Allreduce(sent, received, count, type, operation, communicator);

    if (on)
        end_allreduce(tracer_bytes_of(count, type), communicator);
    return result;
}

int MPI_Reduce_scatter(const void *sent, void *received, const int counts[], MPI_Datatype type,
                       MPI_Op operation, MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Reduce_scatter(sent, received, counts, type, operation, communicator);

    if (on) {
        const counted parts = {counts, type};
        int rank = 0;

        PMPI_Comm_rank(communicator, &rank);
        end_reduce_scatter("MPI_Reduce_scatter", sum(counts, type, communicator),
                           tracer_bytes_of(counts[rank], type), (tracer_bytes){of_rank, &parts},
                           communicator);
    }
    return result;
}

int MPI_Reduce_scatter_block(const void *sent, void *received, int count, MPI_Datatype type,
                             MPI_Op operation, MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Reduce_scatter_block(sent, received, count, type, operation, communicator);

    if (on) {
        const uint64_t own = tracer_bytes_of(count, type);
        int size = 0;

        PMPI_Comm_size(communicator, &size);
        end_reduce_scatter("MPI_Reduce_scatter_block", own * (uint64_t)size, own,
                           (tracer_bytes){alike, &own}, communicator);
    }
    return result;
}

int MPI_Gather(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int count,
               MPI_Datatype type, int root, MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result =
        PMPI_Gather(sent, sent_count, sent_type, received, count, type, root, communicator);

    if (on) {
        const tracer_ranks *ranks = tracer_ranks_of(communicator);
        bool is_root = ranks != NULL && ranks->rank == root;
        const uint64_t own =
            is_root ? tracer_bytes_of(count, type) : tracer_bytes_of(sent_count, sent_type);

        end_gather("MPI_Gather", own, (tracer_bytes){alike, &own}, root, communicator);
    }
    return result;
}

int MPI_Gatherv(const void *sent, int sent_count, MPI_Datatype sent_type, void *received,
                const int counts[], const int displacements[], MPI_Datatype type, int root,
                MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Gatherv(sent, sent_count, sent_type, received, counts, displacements, type,
                              root, communicator);

    if (on) {
        const tracer_ranks *ranks = tracer_ranks_of(communicator);
        const counted parts = {counts, type};
        uint64_t own = ranks != NULL && ranks->rank == root
                           ? tracer_bytes_of(counts[root], type)
                           : tracer_bytes_of(sent_count, sent_type);

        end_gather("MPI_Gatherv", own, (tracer_bytes){of_rank, &parts}, root, communicator);
    }
    return result;
}

int MPI_Scatter(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int count,
                MPI_Datatype type, int root, MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result =
        PMPI_Scatter(sent, sent_count, sent_type, received, count, type, root, communicator);

    if (on) {
        const tracer_ranks *ranks = tracer_ranks_of(communicator);
        bool is_root = ranks != NULL && ranks->rank == root;
        const uint64_t own =
            is_root ? tracer_bytes_of(sent_count, sent_type) : tracer_bytes_of(count, type);

        end_scatter("MPI_Scatter", own, (tracer_bytes){alike, &own}, root, communicator);
    }
    return result;
}

int MPI_Scatterv(const void *sent, const int counts[], const int displacements[],
                 MPI_Datatype sent_type, void *received, int count, MPI_Datatype type, int root,
                 MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Scatterv(sent, counts, displacements, sent_type, received, count, type, root,
                               communicator);

    if (on) {
        const tracer_ranks *ranks = tracer_ranks_of(communicator);
        const counted parts = {counts, sent_type};
        uint64_t own = ranks != NULL && ranks->rank == root
                           ? tracer_bytes_of(counts[root], sent_type)
                           : tracer_bytes_of(count, type);

        end_scatter("MPI_Scatterv", own, (tracer_bytes){of_rank, &parts}, root, communicator);
    }
    return result;
}

int MPI_Allgather(const void *sent, int sent_count, MPI_Datatype sent_type, void *received,
                  int count, MPI_Datatype type, MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Allgather(sent, sent_count, sent_type, received, count, type, communicator);

    if (on) {
        const uint64_t part = tracer_bytes_of(count, type);

        end_allgather("MPI_Allgather", part, (tracer_bytes){alike, &part}, communicator);
    }
    return result;
}

int MPI_Allgatherv(const void *sent, int sent_count, MPI_Datatype sent_type, void *received,
                   const int counts[], const int displacements[], MPI_Datatype type,
                   MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Allgatherv(sent, sent_count, sent_type, received, counts, displacements, type,
                                 communicator);

    if (on) {
        const counted parts = {counts, type};

        end_allgather("MPI_Allgatherv", sum(counts, type, communicator),
                      (tracer_bytes){of_rank, &parts}, communicator);
    }
    return result;
}

int MPI_Alltoall(const void *sent, int sent_count, MPI_Datatype sent_type, void *received,
                 int count, MPI_Datatype type, MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Alltoall(sent, sent_count, sent_type, received, count, type, communicator);

    if (on) {
        const uint64_t part = tracer_bytes_of(count, type);

        end_alltoall("MPI_Alltoall", part, (tracer_bytes){alike, &part},
                     (tracer_bytes){alike, &part}, communicator);
    }
    return result;
}

int MPI_Alltoallv(const void *sent, const int sent_counts[], const int sent_displacements[],
                  MPI_Datatype sent_type, void *received, const int counts[],
                  const int displacements[], MPI_Datatype type, MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Alltoallv(sent, sent_counts, sent_displacements, sent_type, received, counts,
                                displacements, type, communicator);

    if (on) {
        const counted from = {counts, type};
        const counted to = sent == MPI_IN_PLACE ? from : (counted){sent_counts, sent_type};

        end_alltoall("MPI_Alltoallv", sum(counts, type, communicator), (tracer_bytes){of_rank, &to},
                     (tracer_bytes){of_rank, &from}, communicator);
    }
    return result;
}

int MPI_Scan(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation,
             MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Scan(sent, received, count, type, operation, communicator);

    if (on)
        end_scan("MPI_Scan", tracer_bytes_of(count, type), communicator);
    return result;
}

int MPI_Exscan(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation,
               MPI_Comm communicator)
{
    bool on = tracer_begin();
    int result = PMPI_Exscan(sent, received, count, type, operation, communicator);

    if (on)
        end_scan("MPI_Exscan", tracer_bytes_of(count, type), communicator);
    return result;
}
