/* A technology inside one process that records all messages as a trace (.cct).
 *
 * All ranks of a measurement run over it at once, as coroutines of a scheduler. So the benchmarks'
 * own loops determine the messages. Users cannot select it: emit_recorder_open creates its
 * factories. Messages carry only their first EMIT_CONTENT_BYTES bytes. */
#ifndef EMIT_RECORDER_H
#define EMIT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "emit/scheduler.h"
#include "transport/transport.h"

enum { EMIT_CONTENT_BYTES = 32 };

typedef struct emit_recorder emit_recorder;

/* Create a network of `ranks` ranks with a factory each. Set the scheduler, whose coroutines are
 * the ranks, before the first receive. CB_ERROR_MEMORY, logged. */
cb_status emit_recorder_open(size_t ranks, emit_recorder **out);
void emit_recorder_set_scheduler(emit_recorder *recorder, emit_scheduler *scheduler);

/* Record a group send as a binomial tree of sends; by default it is a multicast of the network. */
void emit_recorder_send_by_tree(emit_recorder *recorder);

/* The factory of a rank. Destroy its nodes and groups before the recorder is closed. */
transport_factory *emit_recorder_factory(emit_recorder *recorder, size_t rank);

/* Record that a rank computes for this time. CB_ERROR_MEMORY, logged. */
cb_status emit_recorder_compute(emit_recorder *recorder, size_t rank, double time_us);

/* Let the receives of a rank name their senders. By default a rank that only receives messages of
 * one size from a group receives from any. If another receive follows, it fails with
 * CB_ERROR_TRANSPORT, and the recording has to start again with that rank named. */
void emit_recorder_name_senders(emit_recorder *recorder, size_t rank);

/* Record receives of messages from `count` ranks from `first` on as receives of any size. */
void emit_recorder_take_any_size(emit_recorder *recorder, size_t rank, size_t first, size_t count);

/* Let ranks receive messages of a group in the order in which they come on a network of equal links
 * (emit/links.h). The seed draws when ranks start. The scheduler has to run by time, with the
 * events of the network. Call before the first message. CB_ERROR_MEMORY, logged. */
cb_status emit_recorder_keep_time(emit_recorder *recorder, uint64_t seed);
emit_events emit_recorder_events(emit_recorder *recorder);

/* Whether a receive failed for that reason, and of which rank. */
bool emit_recorder_must_name(const emit_recorder *recorder, size_t *rank);

/* A rank that receives from a group gets messages of ranks below `first` as soon as they arrive,
 * and one of each other rank per turn of the scheduler. */
void emit_recorder_hear_first(emit_recorder *recorder, size_t rank, size_t first);

/* Complete the records of all ranks. CB_ERROR_MEMORY, logged. */
cb_status emit_recorder_finish(emit_recorder *recorder);
cb_status emit_recorder_write(const emit_recorder *recorder, FILE *stream);

void emit_recorder_close(emit_recorder *recorder);

#endif
