/* What the trigger farms are made of (ATLAS DAQ note 48, benchmarks 2.1 and 2.2): a supervisor that
 * gives events out to destinations in turn, sources that hold the fragments, destinations that
 * collect one fragment from each source, run an algorithm on each and send a decision.
 *
 * A farm's program says what each role does; the loops, which take the messages, the accounts and
 * the clock are the engine's: supervisor   a step: give out the event bench_next_event() source
 * about a note: send the fragment that it asks for destination  about a message: a note of the
 * supervisor, or a fragment
 *
 * All messages but fragments are notes of 16 bytes. A fragment of 16 bytes and more carries event
 * and source; of a shorter one the k-th from a source belongs to the k-th event assigned. */
#ifndef BENCH_FARM_H
#define BENCH_FARM_H

#include "engine/benchmark.h"

/* The roles of a farm, in the order of its table. */
enum { BENCH_SUPERVISOR, BENCH_SOURCE, BENCH_DESTINATION };

/* An assignment of 2.1: the destination is `first`; of 2.2: fetch from `count` sources from `first`
 * on; a request of 2.2 and a decision: nothing more than the event. */
typedef struct {
    uint64_t event;
    uint32_t first, count;
} bench_note;

/* Supervisor: the event to give out, and whose turn it is. */
uint64_t bench_next_event(const bench_rank *me);
size_t bench_next_destination(const bench_rank *me);
size_t bench_source_count(const bench_rank *me);

/* Hot. Send a note to one of a role's ranks; to all sources. */
cb_status bench_tell(bench_rank *me, size_t role, size_t index, bench_note note);
cb_status bench_tell_sources(bench_rank *me, bench_note note);

/* Hot. Read a note, of a source, or an assignment, of a destination that fetches, and release its
 * buffer. CB_ERROR_DATA, logged, for what is none; or, where messages may be lost, a note about no
 * event. */
cb_status bench_read_note(bench_rank *me, size_t from, transport_buffer *buffer, bench_note *out);
cb_status bench_read_assignment(bench_rank *me, size_t from, transport_buffer *buffer,
                                bench_note *out);

/* Hot. Source: send its fragment of an event to a destination. */
cb_status bench_send_fragment(bench_rank *me, size_t destination, uint64_t event);

/* Hot. Destination, a reaction: refer to a fragment, run the algorithm on it and release it; decide
 * the event when it was the last one. */
cb_status bench_accept_fragment(bench_rank *me, size_t from, transport_buffer *buffer);

/* The place of a peer among the ranks of a role, all of which are peers. */
static inline size_t bench_index_of(const bench_rank *me, size_t peer, size_t role)
{
    return peer - me->first_peer[role];
}

#endif
