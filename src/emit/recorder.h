/* A technology within one process, over which all ranks of a measurement run at once, as members of
 * a scheduler: what one sends the other receives, and everything is recorded as a trace .cct will
 * have it. The benchmarks' own loops thereby say which messages there are.
 *
 * It is no technology that a user can name: emit_recorder_open makes all of its factories. Messages
 * carry their first EMIT_CONTENT_BYTES and no more. */
#ifndef EMIT_RECORDER_H
#define EMIT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "emit/scheduler.h"
#include "transport/transport.h"

enum { EMIT_CONTENT_BYTES = 32 };

typedef struct emit_recorder emit_recorder;

/* A network of `ranks`, with a factory for each. The scheduler whose coroutines are the ranks is
 * set before anything is received. CB_ERROR_MEMORY, logged. */
cb_status emit_recorder_open(size_t ranks, emit_recorder **out);
void emit_recorder_set_scheduler(emit_recorder *recorder, emit_scheduler *scheduler);

/* A group send of the technology is a binomial tree of sends among root and members; without it, a
 * multicast of the network. */
void emit_recorder_send_by_tree(emit_recorder *recorder);

/* The factory of a rank; its nodes and groups are destroyed before the recorder is closed. */
transport_factory *emit_recorder_factory(emit_recorder *recorder, size_t rank);

/* Rank `rank` computes for this time. */
cb_status emit_recorder_compute(emit_recorder *recorder, size_t rank, double time_us);

/* The receives of a rank name their senders. Those of other ranks that only ever receive from a
 * group, and one size, take from any. It cannot be known beforehand which these are: where it turns
 * out that a rank is none of them, its receive ends with CB_ERROR_TRANSPORT, and the recording has
 * to start again with that rank named. */
void emit_recorder_name_senders(emit_recorder *recorder, size_t rank);

/* Whether a receive ended so, and whose. */
bool emit_recorder_must_name(const emit_recorder *recorder, size_t *rank);

/* A rank that receives from a group takes messages of the ranks before `first` as soon as they are
 * there, and of each other rank one in a turn of the scheduler. */
void emit_recorder_hear_first(emit_recorder *recorder, size_t rank, size_t first);

/* Sections and records of all ranks. CB_ERROR_MEMORY, logged. */
cb_status emit_recorder_finish(emit_recorder *recorder);
cb_status emit_recorder_write(const emit_recorder *recorder, FILE *stream);

void emit_recorder_close(emit_recorder *recorder);

#endif
