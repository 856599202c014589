/* State shared by all wrappers: clock, records and communicators of this rank, the count of
 * unrecorded calls; from MPI_Init to MPI_Finalize. At the end rank 0 requests the lines of one rank
 * after the other and writes the trace. */
#include "tracer/tracer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/units.h"

enum { CHUNK_BYTES = 65536, TAG = 1 }; /* of the lines sent to rank 0 */

tracer_state tracer;

/* Protects the tracer's state if threads share it. Not held during the program's MPI calls. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Of this thread's current call: its start, and the number of requests before it. */
static _Thread_local uint64_t entered_ns, requests_before;

/* Processor time of this thread when it left its last call. */
static _Thread_local uint64_t left_cpu_ns;

/* Attribute key of a communicator's tracer_ranks. */
static int key = MPI_KEYVAL_INVALID;

/* Shorter times between calls are accumulated. */
static const uint64_t least_computing_ns = 100;

static const uint64_t default_limit = 16777216;

/* Called by MPI when a communicator is freed. */
static int forget_ranks(MPI_Comm communicator, int which, void *value, void *extra)
{
    (void)communicator;
    (void)which;
    (void)extra;
    tracer_ranks_release(value);
    return MPI_SUCCESS;
}

/* False if it is unknown or the program's threads do not allow it; logged. */
static bool choose_clock(void)
{
    const char *text = getenv("COMBENCH_TRACE_CLOCK");

    tracer.by_processor = text != NULL && strcmp(text, "cpu") == 0;
    if (text != NULL && !tracer.by_processor && strcmp(text, "real") != 0) {
        cb_error("cannot trace with COMBENCH_TRACE_CLOCK='%s': it is real or cpu", text);
        return false;
    }
    if (tracer.by_processor && tracer.shared) {
        cb_error("cannot trace with COMBENCH_TRACE_CLOCK=cpu: the program uses "
                 "MPI_THREAD_MULTIPLE, and a rank's computing is timed in one thread; give each "
                 "rank its cores and leave the variable unset");
        return false;
    }
    return true;
}

static bool choose_limit(uint64_t *limit)
{
    const char *text = getenv("COMBENCH_TRACE_RECORDS");
    char why[CB_WHY_BYTES];

    *limit = default_limit;
    if (text == NULL || cb_parse_count(text, 1, UINT64_MAX, limit, why))
        return true;
    cb_error("cannot trace with COMBENCH_TRACE_RECORDS='%s': %s", text, why);
    return false;
}

void tracer_open(bool shared)
{
    uint64_t limit;
    int mine, all;

    tracer.shared = shared;
    PMPI_Comm_rank(MPI_COMM_WORLD, &tracer.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &tracer.size);
    cb_log_identify("combench-trace", tracer.rank);
    PMPI_Comm_dup(MPI_COMM_WORLD, &tracer.own);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_ranks, &key, NULL);
    mine = choose_clock() && choose_limit(&limit) &&
           tracer_records_open(&tracer.records, limit) == CB_OK;
    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, tracer.own);
    tracer.started = all != 0;
    tracer.on = tracer.started;
    tracer.left_ns = cb_now_ns();
    left_cpu_ns = cb_thread_cpu_ns();
}

void tracer_close(void)
{
    tracer.started = false;
    tracer.on = false;
    tracer_records_close(&tracer.records);
    tracer_requests_free(&tracer.requests);
    tracer_requests_free(&tracer.persistent);
    tracer_requests_free(&tracer.probed);
    free(tracer.moves.list);
    tracer.moves = (tracer_moves){.list = NULL};
    PMPI_Comm_free_keyval(&key);
    PMPI_Comm_free(&tracer.own);
}

double tracer_elapsed_us(void)
{
    return tracer.by_processor ? -1 : (double)(cb_now_ns() - entered_ns) / 1e3;
}

uint64_t tracer_add(const tracer_record *record)
{
    cb_status status = tracer.on ? tracer_records_add(&tracer.records, record) : CB_EMPTY;

    if (status == CB_OK)
        return tracer.records.count - 1;
    if (status == CB_EMPTY)
        tracer.cut = tracer.cut || tracer.on;
    else
        tracer.on = false;
    return UINT64_MAX;
}

static void lock(void)
{
    if (tracer.shared)
        pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    if (tracer.shared)
        pthread_mutex_unlock(&mutex);
}

bool tracer_begin(void)
{
    if (!tracer.on)
        return false;
    lock();
    entered_ns = cb_now_ns();
    requests_before = tracer.requests.added;
    if (tracer.inside++ > 0)
        tracer.together++;
    else {
        tracer.computed_ns +=
            tracer.by_processor ? cb_thread_cpu_ns() - left_cpu_ns : entered_ns - tracer.left_ns;
        if (tracer.computed_ns >= least_computing_ns) {
            tracer_add(&(tracer_record){.kind = TRACER_COMPUTE,
                                        .time_us = (double)tracer.computed_ns / 1e3});
            tracer.computed_ns = 0;
        }
    }
    unlock();
    return true;
}

bool tracer_resume(bool on)
{
    if (on)
        lock();
    return on;
}

void tracer_pause(void)
{
    unlock();
}

uint64_t tracer_requests_before(void)
{
    return requests_before;
}

void tracer_end(void)
{
    if (--tracer.inside == 0)
        tracer.left_ns = cb_now_ns();
    if (tracer.by_processor)
        left_cpu_ns = cb_thread_cpu_ns();
    unlock();
}

/* Communicating calls that are not recorded: all ranks have the same list, and sum the counts. */
static const char *const unrecorded[] = {
    "messages over intercommunicators",
    "MPI_Request_free of a receive",
    "MPI_Start of what is no persistent send or receive",
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_alltoall",
    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallw",
    "MPI_Ineighbor_allgather",
    "MPI_Ineighbor_allgatherv",
    "MPI_Ineighbor_alltoall",
    "MPI_Ineighbor_alltoallv",
    "MPI_Ineighbor_alltoallw",
    "MPI_Put",
    "MPI_Get",
    "MPI_Accumulate",
    "MPI_Rput",
    "MPI_Rget",
    "MPI_Raccumulate",
    "MPI_Get_accumulate",
    "MPI_Rget_accumulate",
    "MPI_Fetch_and_op",
    "MPI_Compare_and_swap",
};

enum { UNRECORDED_CALLS = sizeof(unrecorded) / sizeof(unrecorded[0]) };

static unsigned long long calls[UNRECORDED_CALLS];

void tracer_count_unrecorded(const char *name)
{
    for (size_t i = 0; i < UNRECORDED_CALLS; i++)
        if (strcmp(unrecorded[i], name) == 0)
            calls[i]++;
}

void tracer_warn_of_unrecorded(void)
{
    unsigned long long all[UNRECORDED_CALLS];
    char text[1024] = "";
    size_t used = 0;

    PMPI_Reduce(calls, all, UNRECORDED_CALLS, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, tracer.own);
    for (size_t i = 0; tracer.rank == 0 && i < UNRECORDED_CALLS; i++)
        if (all[i] > 0 && used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s (%llu)",
                                     used > 0 ? ", " : "", unrecorded[i], all[i]);
    if (used > 0)
        cb_warning("the trace is incomplete: it has nothing of these calls: %s", text);
}

/* Translate the communicator's ranks to ranks of MPI_COMM_WORLD. */
static tracer_ranks *translate(MPI_Comm communicator)
{
    MPI_Group group, world;
    tracer_ranks *made;
    int size, *own;

    PMPI_Comm_size(communicator, &size);
    made = cb_allocate(1, sizeof(*made) + (size_t)size * sizeof(int), "a communicator's ranks");
    own = cb_allocate((size_t)size, sizeof(*own), "a communicator's ranks");
    if (made != NULL && own != NULL) {
        atomic_init(&made->holders, 1);
        made->size = size;
        PMPI_Comm_rank(communicator, &made->rank);
        for (int i = 0; i < size; i++)
            own[i] = i;
        PMPI_Comm_group(communicator, &group);
        PMPI_Comm_group(MPI_COMM_WORLD, &world);
        PMPI_Group_translate_ranks(group, size, own, world, made->world);
        PMPI_Group_free(&group);
        PMPI_Group_free(&world);
        PMPI_Comm_set_attr(communicator, key, made);
    } else {
        free(made);
        made = NULL;
        tracer.on = false;
    }
    free(own);
    return made;
}

tracer_ranks *tracer_ranks_of(MPI_Comm communicator)
{
    void *value = NULL;
    int found = 0, between_groups = 0;

    PMPI_Comm_get_attr(communicator, key, &value, &found);
    if (found)
        return value;
    PMPI_Comm_test_inter(communicator, &between_groups);
    if (between_groups) {
        tracer_count_unrecorded("messages over intercommunicators");
        return NULL;
    }
    return translate(communicator);
}

tracer_ranks *tracer_ranks_hold(tracer_ranks *ranks)
{
    if (ranks != NULL)
        atomic_fetch_add(&ranks->holders, 1);
    return ranks;
}

void tracer_ranks_release(tracer_ranks *ranks)
{
    if (ranks != NULL && atomic_fetch_sub(&ranks->holders, 1) == 1)
        free(ranks);
}

uint64_t tracer_bytes_of(int count, MPI_Datatype type)
{
    MPI_Count size = 0;

    if (count > 0)
        PMPI_Type_size_x(type, &size);
    return (uint64_t)count * (uint64_t)size;
}

/* The next record in the trace, and the next of those that were moved. */
typedef struct {
    uint64_t place;
    size_t move;
} trace_cursor;

/* False at the end. */
static bool next_record(trace_cursor *cursor, tracer_record *record)
{
    const tracer_moves *moves = &tracer.moves;

    if (cursor->move < moves->count && moves->list[cursor->move].after < cursor->place) {
        *record = moves->list[cursor->move++].record;
        return true;
    }
    if (cursor->place == tracer.records.count)
        return false;
    if (tracer_records_get(&tracer.records, cursor->place++, record) != CB_OK) {
        tracer.on = false;
        record->kind = TRACER_NOTHING;
    }
    return true;
}

/* Format as many of the following records as fit; returns the length, 0 at the end. */
static size_t fill(trace_cursor *cursor, char *chunk)
{
    tracer_record record;
    size_t used = 0;

    while (used + TRACER_LINE_BYTES < CHUNK_BYTES && next_record(cursor, &record))
        used += tracer_line(&record, chunk + used);
    return used;
}

/* Write the trace of all ranks, requested one after the other. */
static void write_ranks(FILE *file, unsigned long long changed, char *chunk)
{
    fprintf(file, "%%cct 1 ranks %d unit us\n", tracer.size);
    if (tracer.by_processor)
        fputs("# Computing is processor time; calls have no times.\n", file);
    if (changed > 0)
        fprintf(file,
                "# %llu receives stand in the order of the sends; the program took the messages by "
                "tags or communicators in another one.\n",
                changed);
    for (int rank = 0; rank < tracer.size; rank++) {
        trace_cursor cursor = {0};
        size_t bytes;

        fprintf(file, "%d:\n", rank);
        if (rank > 0)
            PMPI_Send(NULL, 0, MPI_BYTE, rank, TAG, tracer.own);
        do {
            if (rank > 0) {
                MPI_Status status;
                int received = 0;

                PMPI_Recv(chunk, CHUNK_BYTES, MPI_BYTE, rank, TAG, tracer.own, &status);
                PMPI_Get_count(&status, MPI_BYTE, &received);
                bytes = (size_t)received;
            } else
                bytes = fill(&cursor, chunk);
            fwrite(chunk, 1, bytes, file);
        } while (bytes > 0);
    }
}

/* Send the lines of this rank when rank 0 requests them. */
static void send_lines(char *chunk)
{
    trace_cursor cursor = {0};
    size_t bytes;

    PMPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, tracer.own, MPI_STATUS_IGNORE);
    do {
        bytes = fill(&cursor, chunk);
        PMPI_Send(chunk, (int)bytes, MPI_BYTE, 0, TAG, tracer.own);
    } while (bytes > 0);
}

static void write_trace(char *chunk)
{
    static const cb_output_use use = {.what = "the trace", .option = "COMBENCH_TRACE"};
    const char *named = getenv("COMBENCH_TRACE"), *path = named != NULL ? named : "mpi.cct";
    char *target = NULL;
    cb_output output;
    unsigned long long changed = 0;
    int opened = 0;

    if (tracer.rank == 0) {
        target = cb_output_target(path, &use);
        opened = target != NULL && cb_output_begin(target, &use, &output) == CB_OK;
    }
    PMPI_Bcast(&opened, 1, MPI_INT, 0, tracer.own);
    if (!opened) {
        free(target);
        return;
    }
    PMPI_Reduce(&tracer.moves.changed, &changed, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, tracer.own);
    if (tracer.rank > 0) {
        send_lines(chunk);
        return;
    }
    write_ranks(output.stream, changed, chunk);
    (void)cb_output_end(&output, true);
    free(target);
}

/* Whether it is true on any rank. */
static bool anywhere(bool here)
{
    int mine = here, all;

    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, tracer.own);
    return all != 0;
}

static void finish(void)
{
    unsigned long long together = 0;
    char *chunk;

    if (!tracer.started)
        return;
    tracer_begin();
    chunk = cb_allocate(1, CHUNK_BYTES, "the trace");
    if (!anywhere(!tracer.on || chunk == NULL))
        tracer_arrange();
    if (anywhere(!tracer.on || chunk == NULL)) {
        if (tracer.rank == 0)
            cb_error("no trace is written: not all ranks could record theirs, see above");
    } else {
        write_trace(chunk);
        if (anywhere(tracer.cut) && tracer.rank == 0)
            cb_warning("the trace is cut: a rank had more records than COMBENCH_TRACE_RECORDS "
                       "allows, and the following messages are missing; raise it");
        tracer_warn_of_unrecorded();
        PMPI_Reduce(&tracer.together, &together, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, tracer.own);
        if (tracer.rank == 0 && together > 0)
            cb_warning(
                "%llu calls of MPI began while another thread of their rank was in one: the trace "
                "lists them in the order of their ends, without the computing between them",
                together);
    }
    free(chunk);
    tracer_close();
}

int MPI_Init(int *argc, char ***argv)
{
    int result = PMPI_Init(argc, argv);

    if (result == MPI_SUCCESS)
        tracer_open(false);
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int result = PMPI_Init_thread(argc, argv, required, provided);

    if (result == MPI_SUCCESS)
        tracer_open(*provided == MPI_THREAD_MULTIPLE);
    return result;
}

int MPI_Finalize(void)
{
    finish();
    return PMPI_Finalize();
}

/* Communicating calls that are not recorded: a trace without them is incomplete, so the user is
 * warned. UNRECORDED(name, parameters, arguments): make the call and count it. */
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
