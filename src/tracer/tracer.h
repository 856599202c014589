/* Private to src/tracer: the state shared by the wrappers. The tracer is a library preloaded into
 * an MPI program. There is one program and so one tracer; its state is global.
 *
 * A wrapper MPI_X is also exported as PMPI_X, which the bindings of Fortran call: so the programs
 * of all languages are recorded, after the MPI library has translated their arguments. A wrapper
 * calls tracer_begin, the library's own function (REAL), and tracer_resume; if that returns true,
 * it records the call and ends with tracer_end or tracer_end_polling. Between tracer_resume and the
 * end the calling thread has exclusive access to the tracer's state; the library's function is
 * called without it. Calls inside of a call, of the library or of the tracer, are not recorded. */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer/patterns.h"
#include "tracer/real.h"
#include "tracer/records.h"
#include "tracer/requests.h"

/* The ranks of a communicator as ranks of MPI_COMM_WORLD; referenced by the communicator and by
 * each request, since a communicator may be freed while another thread uses the tracer's state. */
struct tracer_ranks {
    atomic_uint holders;
    int rank, size;
    bool foreign; /* some rank is not in MPI_COMM_WORLD, and -1 in `world` */
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
    bool seen;                   /* the program's MPI_Init was called */
    bool started;                /* MPI is initialised and this program is traced */
    atomic_bool on;              /* started, and no failure so far */
    bool cut;                    /* records were dropped because of the limit */
    bool paused;                 /* by MPI_Pcontrol */
    bool ever_paused;            /* or at the start */
    bool owes_wait;              /* a `w` of this pause, for what was started before it */
    bool polling;                /* the last call was a poll that found nothing */
    bool shared;                 /* several threads may call MPI */
    bool by_processor;           /* computing is processor time, and calls have no times */
    int rank, size;              /* in MPI_COMM_WORLD */
    MPI_Comm own;                /* for the tracer's messages */
    unsigned inside;             /* number of threads in an MPI call */
    unsigned long long together; /* number of calls that began while another thread was in one */
    uint64_t left_ns;
    uint64_t computed_ns;     /* not recorded yet */
    uint64_t waited_ns;       /* by polls and probes before the present call */
    unsigned long long calls; /* records but for computing */
    tracer_records records;
    tracer_requests requests;   /* pending */
    tracer_requests persistent; /* inactive requests for MPI_Start */
    tracer_requests probed;     /* messages found by MPI_Mprobe */
    tracer_moves moves;         /* made by tracer_arrange */
} tracer_state;

extern tracer_state tracer;

/* state.c: begin and end to record, in MPI_Init and MPI_Finalize. */
void tracer_start(bool paused);
void tracer_stop(void);

/* End the job when a fault was logged; `together`: on all ranks. */
void tracer_abort(bool together);

/* Enter a call: the time since the last call was computing, unless another thread was in a call, or
 * it is a short one after a poll that found nothing. False: nothing is recorded. */
bool tracer_begin(void);

/* After the call: whether to record it; pass the result of tracer_begin. If true, tracer_end must
 * follow. */
bool tracer_resume(bool on);

/* After tracer_resume, before another call of MPI; tracer_resume again after it. */
void tracer_pause(void);

/* Leave a call after it was recorded. */
void tracer_end(void);

/* Leave a call that has waited for a message without taking it; whether it has found one. */
void tracer_end_polling(bool found);

/* Stop or continue to record. */
void tracer_pause_records(bool paused);

/* Record what was computed since the last record. */
void tracer_flush_computing(void);

/* Duration of this thread's call so far, and with the polls before it; -1 (unknown) if ranks may
 * share cores. Number of requests started before the call. */
double tracer_elapsed_us(void);
double tracer_waited_us(void);
uint64_t tracer_requests_before(void);

/* Add a record, after what was computed before it; returns its place, or UINT64_MAX if it was
 * dropped. */
uint64_t tracer_add(const tracer_record *record);

/* The ranks of a communicator; NULL for an intercommunicator. The communicator holds them during
 * its life. */
tracer_ranks *tracer_ranks_of(MPI_Comm communicator);
tracer_ranks *tracer_ranks_hold(tracer_ranks *ranks);
void tracer_ranks_release(tracer_ranks *ranks);

/* The rank in MPI_COMM_WORLD; -1: none, unknown to the trace, or this rank. */
int tracer_world_rank(int peer, MPI_Comm communicator);

/* The same of a rank of `ranks`. */
int tracer_known_rank(const tracer_ranks *ranks, int peer);

/* Payload of `count` elements, in bytes. */
uint64_t tracer_bytes_of(int count, MPI_Datatype type);

/* unrecorded.c: count a call that is not recorded. The list of such calls of all ranks, at rank 0:
 * collective. */
enum { TRACER_LIST_BYTES = 1024 };
void tracer_count_unrecorded(const char *name);
void tracer_list_unrecorded(char list[TRACER_LIST_BYTES]);

/* output.c: the file of the trace, from MPI_Init until MPI_Finalize. Collective. */
bool tracer_output_open(void);
void tracer_output_write(bool cut);
void tracer_output_close(void);

/* This rank ends without MPI_Finalize; `why` follows its name in a sentence. Leave the records of
 * this rank in the file, which says that it is cut. Once; in a signal handler, too. */
void tracer_leave_records(const char *why);

/* messages.c */

/* Record the start of a request: a send to a rank of MPI_COMM_WORLD (negative: not recorded), or a
 * receive, for which `ranks` are held (NULL: not recorded). */
void tracer_start_send(tracer_kind kind, int world, uint64_t bytes, MPI_Request request);
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
