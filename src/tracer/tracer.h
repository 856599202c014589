/* The tracer's own view of a rank: a library that is loaded before an MPI program's own stands
 * between it and MPI, by MPI's profiling interface. There is one program, so there is one tracer,
 * and its state is global.
 *
 * A wrapper looks so: tracer_begin, the PMPI call, tracer_end_..., return. One thread calls MPI. */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

/* MPI's names are all that the library shows; mpi.h of MPICH does not say so itself. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop
#include <stdbool.h>
#include <stdint.h>

#include "tracer/patterns.h"
#include "tracer/records.h"
#include "tracer/requests.h"

/* The ranks of a communicator as ranks of MPI_COMM_WORLD: kept with it and with each request. */
struct tracer_ranks {
    unsigned holders;
    int rank, size;
    int world[];
};

typedef struct {
    bool started;   /* MPI is up, and this program is traced */
    bool on;        /* started, and nothing has failed */
    bool cut;       /* records were left out, since there were too many */
    int rank, size; /* in MPI_COMM_WORLD */
    MPI_Comm own;   /* for the tracer's messages */
    uint64_t entered_ns, left_ns, computed_ns;
    tracer_records records;
    tracer_requests requests;
    MPI_Status *statuses; /* for callers who want none; grows */
    MPI_Request *before;  /* requests as they were before a call */
    size_t room;
} tracer_state;

extern tracer_state tracer;

/* world.c: what is on from MPI_Init on, and written in MPI_Finalize. */
void tracer_start(void);
void tracer_finish(void);

/* Enter a call: what went before was computing. False: nothing is to be recorded. */
bool tracer_begin(void);

/* Leave a call that needs no record. */
void tracer_end(void);

/* What the call took so far. */
double tracer_elapsed_us(void);

/* One more record; its place, or UINT64_MAX where it was not kept. */
uint64_t tracer_note(const tracer_record *record);

/* The ranks of a communicator, NULL where it is not one of ranks that all know (an
 * intercommunicator); held by the communicator as long as that lives. */
tracer_ranks *tracer_ranks_of(MPI_Comm communicator);
void tracer_ranks_release(tracer_ranks *ranks);

/* Payload of `count` elements. */
uint64_t tracer_bytes_of(int count, MPI_Datatype type);

/* messages.c: a message to or from a rank of a communicator is recorded, unless it goes nowhere or
 * to this rank itself. */
void tracer_end_message(tracer_kind kind, int peer, MPI_Comm communicator, uint64_t bytes);
void tracer_end_receive(MPI_Comm communicator, const MPI_Status *status);
void tracer_end_start(bool receive, int peer, MPI_Comm communicator, uint64_t bytes,
                      MPI_Request request);

/* completion.c: of `count` requests as they were, those with an index in `indices` (all, where that
 * is NULL) are complete, with these statuses. */
void tracer_end_completion(int count, const MPI_Request *before, const int *indices,
                           const MPI_Status *statuses);

/* Room for `count` requests and statuses in tracer.before and tracer.statuses; false, and the
 * tracer is off, without memory. */
bool tracer_reserve(int count);

/* unrecorded.c: how often calls were made that are not recorded; the text of rank 0's warning. All
 * ranks call it. */
void tracer_warn_of_unrecorded(void);
void tracer_count_unrecorded(const char *name);

#endif
