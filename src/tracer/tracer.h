/* Private to the folder: the state of the tracer and what its wrappers share. The tracer is a
 * library that is preloaded into an MPI program, and stands between it and MPI by MPI's profiling
 * interface. There is one program, so there is one tracer, and its state is global.
 *
 * A wrapper calls tracer_begin, the PMPI function, and tracer_resume; where that is true it records
 * the call and ends with tracer_end. Between tracer_resume and tracer_end only the calling thread
 * has the tracer's state; the PMPI function itself is called without it. */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

/* Only MPI's names are exported; mpi.h of MPICH does not declare them so. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer/patterns.h"
#include "tracer/records.h"
#include "tracer/requests.h"

/* The ranks of a communicator as ranks of MPI_COMM_WORLD: kept with it and with each request. A
 * communicator may be freed while another thread has the tracer's state. */
struct tracer_ranks {
    atomic_uint holders;
    int rank, size;
    int world[];
};

typedef struct {
    bool started;                /* MPI is up, and this program is traced */
    atomic_bool on;              /* started, and nothing has failed */
    bool cut;                    /* records were left out, since there were too many */
    bool shared;                 /* several threads may call MPI at a time */
    int rank, size;              /* in MPI_COMM_WORLD */
    MPI_Comm own;                /* for the tracer's messages */
    unsigned inside;             /* threads that are in a call of MPI */
    unsigned long long together; /* calls that began while another thread was in one */
    uint64_t left_ns, computed_ns;
    tracer_records records;
    tracer_requests requests;   /* under way */
    tracer_requests persistent; /* that MPI_Start may start */
    tracer_requests probed;     /* messages that MPI_Mprobe has found */
} tracer_state;

extern tracer_state tracer;

/* state.c: from MPI_Init on, and until the trace is written in MPI_Finalize. Collective. */
void tracer_open(bool shared);
void tracer_close(void);

/* Enter a call: the time before it was computing, where no other thread was in a call. False:
 * nothing is recorded. */
bool tracer_begin(void);

/* After the call: whether it is recorded, as tracer_begin returned; if so, tracer_end must follow.
 */
bool tracer_resume(bool on);

/* After tracer_resume, before a call of MPI; tracer_resume again after it. */
void tracer_pause(void);

/* Leave a call, when all of it is recorded. */
void tracer_end(void);

/* The time of this thread's call so far; the number of requests started before it began. */
double tracer_elapsed_us(void);
uint64_t tracer_requests_before(void);

/* Add a record; its place, or UINT64_MAX where it was not kept. */
uint64_t tracer_add(const tracer_record *record);

/* The ranks of a communicator, NULL where it is not one of ranks that all know (an
 * intercommunicator); held by the communicator as long as that lives. */
tracer_ranks *tracer_ranks_of(MPI_Comm communicator);
tracer_ranks *tracer_ranks_hold(tracer_ranks *ranks);
void tracer_ranks_release(tracer_ranks *ranks);

/* Payload of `count` elements. */
uint64_t tracer_bytes_of(int count, MPI_Datatype type);

/* How often calls were made that are not recorded; and rank 0's warning about them, which all ranks
 * call. */
void tracer_count_unrecorded(const char *name);
void tracer_warn_of_unrecorded(void);

/* messages.c: the rank in MPI_COMM_WORLD; -1: none, or one that a trace does not know, or this
 * rank. */
int tracer_world_rank(int peer, MPI_Comm communicator);

/* A request that begins: a send to a rank of MPI_COMM_WORLD (below 0: it is not recorded), or a
 * receive, for which `ranks` are held (NULL: it is not recorded). */
void tracer_start_send(int world, uint64_t bytes, MPI_Request request);
void tracer_start_receive(tracer_ranks *ranks, MPI_Request request);

/* completion.c: requests as they are before a call that changes them, and statuses for a caller who
 * wants none. */
typedef struct {
    MPI_Request few[8], *requests;
    MPI_Status few_statuses[8], *statuses;
} tracer_kept;

/* As tracer_begin; where it is true, tracer_forget must follow. */
bool tracer_begin_with(tracer_kept *kept, int count, const MPI_Request *requests);
void tracer_forget(tracer_kept *kept);

/* collectives.c: a collective that does not wait: what it does at once, and what it does later. */
tracer_started *tracer_started_open(const tracer_ranks *ranks);

/* The sink for the messages of its pattern; and when a second pattern follows, which goes on with
 * what the first one brought. */
tracer_sink tracer_started_sink(tracer_started *collective);
void tracer_started_go_on(tracer_started *collective);

/* All messages were emitted: the collective is under way as `request`. */
void tracer_started_under_way(tracer_started *collective, MPI_Request request);

/* It is complete. Where something else is under way its receives move here, as blocking ones. */
void tracer_started_settle(tracer_started *collective, bool none_left);

/* What could only be done then follows, and `collective` is freed; whether there were sends, which
 * a `w` has to await. */
bool tracer_started_finish(tracer_started *collective);

#endif
