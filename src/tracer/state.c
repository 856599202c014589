/* What all wrappers share: the clock, the records and the communicators of this rank, and the count
 * of the calls that are not recorded. */
#include "tracer/tracer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/units.h"

tracer_state tracer;

/* Of the tracer's state, where threads share it. Not held while MPI works for the program. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Of the call that this thread is in: when it began, and how many requests there had been. */
static _Thread_local uint64_t entered_ns, requests_before;

/* Where a communicator keeps its tracer_ranks. */
static int key = MPI_KEYVAL_INVALID;

/* Calls follow each other in less, and what is between them is added up. */
static const uint64_t least_computing_ns = 100;

static const uint64_t default_limit = 16777216;

/* MPI calls it when a communicator is freed. */
static int forget_ranks(MPI_Comm communicator, int which, void *value, void *extra)
{
    (void)communicator;
    (void)which;
    (void)extra;
    tracer_ranks_release(value);
    return MPI_SUCCESS;
}

void tracer_open(bool shared)
{
    const char *text = getenv("COMBENCH_TRACE_RECORDS");
    char why[CB_WHY_BYTES];
    uint64_t limit = default_limit;
    int mine, all;

    tracer.shared = shared;
    PMPI_Comm_rank(MPI_COMM_WORLD, &tracer.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &tracer.size);
    cb_log_identify("combench-trace", tracer.rank);
    PMPI_Comm_dup(MPI_COMM_WORLD, &tracer.own);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_ranks, &key, NULL);
    mine = text == NULL || cb_parse_count(text, 1, UINT64_MAX, &limit, why);
    if (!mine)
        cb_error("cannot trace with COMBENCH_TRACE_RECORDS='%s': %s", text, why);
    else
        mine = tracer_records_open(&tracer.records, limit) == CB_OK;
    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, tracer.own);
    tracer.started = all != 0;
    tracer.on = tracer.started;
    tracer.left_ns = cb_now_ns();
}

void tracer_close(void)
{
    tracer.started = false;
    tracer.on = false;
    tracer_records_close(&tracer.records);
    tracer_requests_free(&tracer.requests);
    tracer_requests_free(&tracer.persistent);
    tracer_requests_free(&tracer.probed);
    PMPI_Comm_free_keyval(&key);
    PMPI_Comm_free(&tracer.own);
}

double tracer_elapsed_us(void)
{
    return (double)(cb_now_ns() - entered_ns) / 1e3;
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
        tracer.computed_ns += entered_ns - tracer.left_ns;
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
    unlock();
}

/* The calls that communicate and are not recorded: all ranks have the same list, and add up. */
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

enum { UNRECORDED = sizeof(unrecorded) / sizeof(unrecorded[0]) };

static unsigned long long calls[UNRECORDED];

void tracer_count_unrecorded(const char *name)
{
    for (size_t i = 0; i < UNRECORDED; i++)
        if (strcmp(unrecorded[i], name) == 0)
            calls[i]++;
}

void tracer_warn_of_unrecorded(void)
{
    unsigned long long all[UNRECORDED];
    char text[1024] = "";
    size_t used = 0;

    PMPI_Reduce(calls, all, UNRECORDED, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, tracer.own);
    for (size_t i = 0; tracer.rank == 0 && i < UNRECORDED; i++)
        if (all[i] > 0 && used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s (%llu)",
                                     used > 0 ? ", " : "", unrecorded[i], all[i]);
    if (used > 0)
        cb_warning("the trace is incomplete: it has nothing of these calls: %s", text);
}

/* The communicator's ranks in terms of MPI_COMM_WORLD. */
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
