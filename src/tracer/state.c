/* State shared by all wrappers: clock, records and communicators of this rank; from MPI_Init to
 * MPI_Finalize. */
#include "tracer/tracer.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

tracer_state tracer;

/* Protects the tracer's state if threads share it. Not held during the program's MPI calls. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Of this thread's current call: its start, and the number of requests before it. */
static _Thread_local uint64_t entered_ns, requests_before;

/* Processor time of this thread when it left its last call. */
static _Thread_local uint64_t left_cpu_ns;

/* Whether this thread is in a recorded call. */
static _Thread_local bool inside_call;

/* Attribute key of a communicator's tracer_ranks. */
static int key = MPI_KEYVAL_INVALID;

/* Shorter times between calls are accumulated. */
static const uint64_t least_computing_ns = 100;

/* Less processor time after a poll that found nothing is the poll loop's own work. */
static const uint64_t least_between_polls_ns = 10000;

/* Called by MPI when a communicator is freed. */
static int forget_ranks(MPI_Comm communicator, int which, void *value, void *extra)
{
    (void)communicator;
    (void)which;
    (void)extra;
    tracer_ranks_release(value);
    return MPI_SUCCESS;
}

void tracer_start(bool paused)
{
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_ranks, &key, NULL);
    tracer.paused = tracer.ever_paused = paused;
    tracer.started = true;
    tracer.on = true;
    tracer.left_ns = cb_machine_ns();
    left_cpu_ns = cb_thread_cpu_ns();
}

void tracer_stop(void)
{
    tracer.started = false;
    tracer.on = false;
    inside_call = false;
    tracer_records_close(&tracer.records);
    tracer_requests_free(&tracer.requests);
    tracer_requests_free(&tracer.persistent);
    tracer_requests_free(&tracer.probed);
    free(tracer.moves.list);
    tracer.moves = (tracer_moves){.list = NULL};
    PMPI_Comm_free_keyval(&key);
}

static double in_us(uint64_t ns)
{
    return tracer.by_processor ? -1 : (double)ns / 1e3;
}

double tracer_elapsed_us(void)
{
    return in_us(cb_machine_ns() - entered_ns);
}

double tracer_waited_us(void)
{
    return in_us(tracer.waited_ns + cb_machine_ns() - entered_ns);
}

static uint64_t add_record(const tracer_record *record)
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

void tracer_flush_computing(void)
{
    if (tracer.computed_ns < least_computing_ns)
        return;
    add_record(
        &(tracer_record){.kind = TRACER_COMPUTE, .time_us = (double)tracer.computed_ns / 1e3});
    tracer.computed_ns = 0;
}

uint64_t tracer_add(const tracer_record *record)
{
    if (tracer.paused)
        return UINT64_MAX;
    tracer_flush_computing();
    tracer.calls++;
    return add_record(record);
}

void tracer_pause_records(bool paused)
{
    if (paused)
        tracer_flush_computing();
    tracer.paused = paused;
    tracer.ever_paused = tracer.ever_paused || paused;
    if (!paused && tracer.owes_wait && tracer.requests.count == 0) {
        tracer_add(&(tracer_record){.kind = TRACER_WAIT, .time_us = -1});
        tracer.owes_wait = false;
    }
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

/* The time since the last call, when no other thread is in one. After a poll that found nothing
 * only processor time is computing: the program may sleep, or another may have its core. */
static void note_gap(void)
{
    const uint64_t passed_ns = entered_ns - tracer.left_ns;
    const bool by_processor = tracer.by_processor || tracer.polling;
    const uint64_t worked_ns = by_processor ? cb_thread_cpu_ns() - left_cpu_ns : passed_ns;

    if (tracer.paused)
        return;
    if (tracer.polling && worked_ns < least_between_polls_ns) {
        tracer.waited_ns += passed_ns;
        return;
    }
    if (worked_ns >= least_between_polls_ns)
        tracer.waited_ns = 0;
    tracer.computed_ns += worked_ns;
}

bool tracer_begin(void)
{
    if (!tracer.on || inside_call)
        return false;
    lock();
    inside_call = true;
    entered_ns = cb_machine_ns();
    requests_before = tracer.requests.added;
    if (tracer.inside++ > 0)
        tracer.together++;
    else
        note_gap();
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

static void leave_call(void)
{
    inside_call = false;
    if (--tracer.inside == 0)
        tracer.left_ns = cb_machine_ns();
    if (tracer.by_processor || tracer.polling)
        left_cpu_ns = cb_thread_cpu_ns();
    unlock();
}

void tracer_end(void)
{
    tracer.polling = false;
    tracer.waited_ns = 0;
    leave_call();
}

void tracer_end_polling(bool found)
{
    tracer.polling = !found;
    tracer.waited_ns += cb_machine_ns() - entered_ns;
    leave_call();
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
        for (int i = 0; i < size; i++) {
            if (made->world[i] == MPI_UNDEFINED) {
                made->world[i] = -1;
                made->foreign = true;
            }
        }
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

int tracer_world_rank(int peer, MPI_Comm communicator)
{
    const tracer_ranks *ranks = peer == MPI_PROC_NULL ? NULL : tracer_ranks_of(communicator);

    return ranks != NULL ? tracer_known_rank(ranks, peer) : -1;
}

int tracer_known_rank(const tracer_ranks *ranks, int peer)
{
    if (peer < 0 || peer >= ranks->size)
        return -1;
    if (ranks->world[peer] < 0)
        tracer_count_unrecorded("messages of ranks outside of MPI_COMM_WORLD");
    return ranks->world[peer] == tracer.rank ? -1 : ranks->world[peer];
}

uint64_t tracer_bytes_of(int count, MPI_Datatype type)
{
    MPI_Count size = 0;

    if (count > 0)
        PMPI_Type_size_x(type, &size);
    return (uint64_t)count * (uint64_t)size;
}

void tracer_abort(bool together)
{
    cb_streams_drain();
    if (together)
        PMPI_Barrier(tracer.own); /* the first abort loses what others have logged */
    PMPI_Abort(MPI_COMM_WORLD, 1);
}
