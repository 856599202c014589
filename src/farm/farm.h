/* What the trigger farms are made of (ATLAS DAQ note 48, benchmarks 2.1 and 2.2): a supervisor that
 * assigns events to destinations in turn, sources that hold the fragments, and destinations that
 * collect one fragment from each source, run an algorithm on each and send a decision.
 *
 * The program of a farm says what each role does. The loops, which take the messages, the accounts
 * of events and the clock are those of this folder:
 *
 *   supervisor    a step: send out the event farm_next_event()
 *   source        for each control message: send the fragment that it asks for
 *   destination   for each control message of the supervisor, and for each fragment
 *
 * All messages but fragments are control messages of 16 bytes. A fragment of 16 bytes or more
 * carries event and source; of a shorter one the k-th from a source belongs to the k-th event that
 * was assigned. */
#ifndef FARM_FARM_H
#define FARM_FARM_H

#include "engine/benchmark.h"

/* The roles of a farm, in the order of its table. */
enum { FARM_SUPERVISOR, FARM_SOURCE, FARM_DESTINATION };

/* How a farm is measured: the method of its definition. */
extern const measurement_method farm_method;

/* An assignment of 2.1: the destination is `first`; of 2.2: fetch from `count` sources from `first`
 * on; a request of 2.2 and a decision: nothing more than the event. */
typedef struct {
    uint64_t event;
    uint32_t first, count;
} farm_message;

/* Supervisor: the event to send out, and whose turn it is. */
uint64_t farm_next_event(const bench_rank *me);
size_t farm_next_destination(const bench_rank *me);
size_t farm_source_count(const bench_rank *me);

/* Hot. Send a control message to one of a role's ranks; to all sources. */
cb_status farm_send_message(bench_rank *me, size_t role, size_t index, farm_message message);
cb_status farm_send_message_to_sources(bench_rank *me, farm_message message);

/* Hot. Read a control message, of a source; or an assignment, of a destination that fetches; and
 * release its buffer. CB_ERROR_DATA, logged, for what is none; or, where messages may be lost, a
 * message about no event. */
cb_status farm_read_message(bench_rank *me, size_t from, transport_buffer *buffer,
                            farm_message *out);
cb_status farm_read_assignment(bench_rank *me, size_t from, transport_buffer *buffer,
                               farm_message *out);

/* Hot. Source: send its fragment of an event to a destination. */
cb_status farm_send_fragment(bench_rank *me, size_t destination, uint64_t event);

/* Hot. Destination, a reaction: refer to a fragment, run the algorithm on it and release it; decide
 * the event when it was the last one. */
cb_status farm_accept_fragment(bench_rank *me, size_t from, transport_buffer *buffer);

/* The place of a peer among the ranks of a role, all of which are peers. */
static inline size_t farm_index_of(const bench_rank *me, size_t peer, size_t role)
{
    return peer - me->place.first_peer[role];
}

#endif
