/* The tracer's own view of a rank: a library that is loaded before an MPI program's own stands
 * between it and MPI, by MPI's profiling interface. There is one program, so there is one tracer,
 * and its state is global.
 *
 * A wrapper looks so: tracer_begin, the PMPI call, and where tracer_resume says so what notes it,
 * and tracer_end. Between the last two the calling thread alone has the tracer's state; the call
 * itself is made without. */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

/* MPI's names are all that the library shows; mpi.h of MPICH does not say so itself. */
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

/* world.c: what is on from MPI_Init on, and written in MPI_Finalize. */
void tracer_start(bool shared);
void tracer_finish(void);

/* Enter a call: what went before was computing, where no other thread was in a call. False: nothing
 * is to be recorded. */
bool tracer_begin(void);

/* Behind the call: whether it is to be recorded, as tracer_begin said; if so, tracer_end must
 * follow. */
bool tracer_resume(bool on);

/* Behind tracer_resume, go on to a call of MPI; tracer_resume again behind it. */
void tracer_pause(void);

/* Leave a call; all that is recorded of it has been. */
void tracer_end(void);

/* What this thread's call took so far; how many requests had been started when it began. */
double tracer_elapsed_us(void);
uint64_t tracer_requests_before(void);

/* One more record; its place, or UINT64_MAX where it was not kept. */
uint64_t tracer_note(const tracer_record *record);

/* The ranks of a communicator, NULL where it is not one of ranks that all know (an
 * intercommunicator); held by the communicator as long as that lives. */
tracer_ranks *tracer_ranks_of(MPI_Comm communicator);
tracer_ranks *tracer_ranks_hold(tracer_ranks *ranks);
void tracer_ranks_release(tracer_ranks *ranks);

/* Payload of `count` elements. */
uint64_t tracer_bytes_of(int count, MPI_Datatype type);

/* messages.c: a message to or from a rank of a communicator is recorded, unless it goes nowhere or
 * to this rank itself. */
int tracer_world_rank(int peer, MPI_Comm communicator); /* -1: nowhere that a trace knows */
void tracer_note_receive(const tracer_ranks *ranks, const MPI_Status *status);

/* A request that begins: a send to a rank of MPI_COMM_WORLD (below 0: it is left out), or a
 * receive, for which `ranks` are held (NULL: it is left out). */
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

/* started.c: a collective that does not wait: what it does at once, and what it does later. */
tracer_started *tracer_started_open(const tracer_ranks *ranks);

/* The sink for the messages of its pattern; and when a second pattern follows, which goes on with
 * what the first one brought. */
tracer_sink tracer_started_sink(tracer_started *collective);
void tracer_started_go_on(tracer_started *collective);

/* All messages were emitted: the collective is under way as `request`. */
void tracer_started_under_way(tracer_started *collective, MPI_Request request);

/* It is complete. Where something else is under way its receives move here, as blocking ones. */
void tracer_started_settle(tracer_started *collective, bool alone);

/* What could only be done then follows, and `collective` is freed; whether there were sends, which
 * a `w` has to await. */
bool tracer_started_finish(tracer_started *collective);

/* unrecorded.c: how often calls were made that are not recorded; the text of rank 0's warning. All
 * ranks call it. */
void tracer_warn_of_unrecorded(void);
void tracer_count_unrecorded(const char *name);

#endif
