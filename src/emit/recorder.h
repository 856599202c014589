/* A technology within one process, over which all ranks of a measurement run at once, as members of
 * a scheduler: what one sends the other receives, and everything is recorded as a trace .cct will
 * have it. The benchmarks' own loops thereby say which messages there are.
 *
 * It is no technology that a user can name: emit_recorder_open makes all of its factories. */
#ifndef EMIT_RECORDER_H
#define EMIT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "emit/scheduler.h"
#include "transport/transport.h"

typedef struct emit_recorder emit_recorder;

/* A network of `ranks`, with a factory for each. The scheduler whose coroutines are the ranks is
 * set before anything is received. CB_ERROR_MEMORY, logged. */
cb_status emit_recorder_open(size_t ranks, emit_recorder **out);
void emit_recorder_set_scheduler(emit_recorder *recorder, emit_scheduler *scheduler);

/* The factory of a rank; its nodes and groups are destroyed before the recorder is closed. */
transport_factory *emit_recorder_factory(emit_recorder *recorder, size_t rank);

/* Rank `rank` computes for this time. */
cb_status emit_recorder_compute(emit_recorder *recorder, size_t rank, double time_us);

/* What a rank does next depends on whose message came: its receives name their senders. Others that
 * only ever receive from a group, and one size, take theirs from any. */
void emit_recorder_depends_on_sender(emit_recorder *recorder, size_t rank);

/* Sections and records of all ranks. */
void emit_recorder_write(const emit_recorder *recorder, FILE *stream);

void emit_recorder_close(emit_recorder *recorder);

#endif
