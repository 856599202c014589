/* Private to src/tracer: the state shared by the wrappers. The tracer is a library preloaded into
 * an MPI program; its wrappers use MPI's profiling interface. There is one program and so one
 * tracer; its state is global.
 *
 * A wrapper calls tracer_begin, the PMPI function, and tracer_resume; if that returns true, it
 * records the call and ends with tracer_end. Between tracer_resume and tracer_end the calling
 * thread has exclusive access to the tracer's state; the PMPI function is called without it. */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

/* Export only MPI's names; MPICH's mpi.h does not declare them as visible. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer/patterns.h"
#include "tracer/records.h"
#include "tracer/requests.h"

/* The ranks of a communicator as ranks of MPI_COMM_WORLD; referenced by the communicator and by
 * each request, since a communicator may be freed while another thread uses the tracer's state. */
struct tracer_ranks {
    atomic_uint holders;
    int rank, size;
    int world[];
};

/* A receive that was taken out of its place: it follows the record at `after`. */
typedef struct {
    uint64_t after;
    size_t number; /* order of those with the same place */
    tracer_record record;
} tracer_move;

typedef struct {
    tracer_move *list; /* in order of their places */
    size_t count, room;
    unsigned long long changed; /* receives with another place or other bytes than they had */
} tracer_moves;

typedef struct {
    bool started;                /* MPI is initialised and this program is traced */
    atomic_bool on;              /* started, and no failure so far */
    bool cut;                    /* records were dropped because of the limit */
    bool shared;                 /* several threads may call MPI */
    bool by_processor;           /* computing is processor time, and calls have no times */
    int rank, size;              /* in MPI_COMM_WORLD */
    MPI_Comm own;                /* for the tracer's messages */
    unsigned inside;             /* number of threads in an MPI call */
    unsigned long long together; /* number of calls that began while another thread was in one */
    uint64_t left_ns, computed_ns;
    tracer_records records;
    tracer_requests requests;   /* pending */
    tracer_requests persistent; /* inactive requests for MPI_Start */
    tracer_requests probed;     /* messages found by MPI_Mprobe */
    tracer_moves moves;         /* made by tracer_arrange */
} tracer_state;

extern tracer_state tracer;

/* state.c: from MPI_Init until the trace is written in MPI_Finalize. Collective. */
void tracer_open(bool shared);
void tracer_close(void);

/* Enter a call: the time since the last call was computing, unless another thread was in a call.
 * False: nothing is recorded. */
bool tracer_begin(void);

/* After the call: whether to record it; pass the result of tracer_begin. If true, tracer_end must
 * follow. */
bool tracer_resume(bool on);

/* After tracer_resume, before another call of MPI; tracer_resume again after it. */
void tracer_pause(void);

/* Leave a call after it was recorded. */
void tracer_end(void);

/* Duration of this thread's call so far, -1 (unknown) if ranks may share cores; number of requests
 * started before it. */
double tracer_elapsed_us(void);
uint64_t tracer_requests_before(void);

/* Add a record; returns its place, or UINT64_MAX if it was dropped. */
uint64_t tracer_add(const tracer_record *record);

/* The ranks of a communicator; NULL for an intercommunicator. The communicator holds them during
 * its life. */
tracer_ranks *tracer_ranks_of(MPI_Comm communicator);
tracer_ranks *tracer_ranks_hold(tracer_ranks *ranks);
void tracer_ranks_release(tracer_ranks *ranks);

/* Payload of `count` elements, in bytes. */
uint64_t tracer_bytes_of(int count, MPI_Datatype type);

/* Count a call that is not recorded; rank 0's warning about such calls, which all ranks call. */
void tracer_count_unrecorded(const char *name);
void tracer_warn_of_unrecorded(void);

/* messages.c: the rank in MPI_COMM_WORLD; -1: none, unknown to the trace, or this rank. */
int tracer_world_rank(int peer, MPI_Comm communicator);

/* Record the start of a request: a send to a rank of MPI_COMM_WORLD (negative: not recorded), or a
 * receive, for which `ranks` are held (NULL: not recorded). */
void tracer_start_send(int world, uint64_t bytes, MPI_Request request);
void tracer_start_receive(tracer_ranks *ranks, MPI_Request request);

/* arrange.c: put the receives in the order of the sends of each pair, at the end. Collective; `on`
 * is false after a failure. */
void tracer_arrange(void);

/* completion.c: copies of requests before a call that changes them, and statuses if the caller
 * passed none. */
typedef struct {
    MPI_Request few[8], *requests;
    MPI_Status few_statuses[8], *statuses;
} tracer_kept;

/* As tracer_begin; if true, tracer_forget must follow. */
bool tracer_begin_with(tracer_kept *kept, int count, const MPI_Request *requests);
void tracer_forget(tracer_kept *kept);

/* collectives.c: a non-blocking collective: its messages at the call, and those at its completion.
 */
tracer_started *tracer_started_open(const tracer_ranks *ranks);

/* The sink for the messages of its pattern; and the call for a second pattern, which forwards what
 * the first one received. */
tracer_sink tracer_started_sink(tracer_started *collective);
void tracer_started_go_on(tracer_started *collective);

/* All messages were emitted: the collective is pending as `request`. */
void tracer_started_under_way(tracer_started *collective, MPI_Request request);

/* It is complete. If other requests are pending, its receives move here, as blocking ones. */
void tracer_started_settle(tracer_started *collective, bool none_left);

/* Emit the remaining messages and free `collective`; returns whether there were sends, which a `w`
 * must wait for. */
bool tracer_started_finish(tracer_started *collective);

#endif
