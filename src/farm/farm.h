/* Trigger farms (ATLAS DAQ note 48, benchmarks 2.1 and 2.2).
 *
 * A supervisor assigns events to destinations in turn. Sources hold the fragments. A destination
 * collects a fragment from each source, runs an algorithm on each, and sends a decision to the
 * supervisor.
 *
 * The program of a farm defines what each role does. This folder has the loops that receive
 * messages, the accounts of events, and the clock:
 *
 *   supervisor    a step: send out the next event
 *   source        for each control message: send the fragment that it requests
 *   destination   for each control message of the supervisor, and for each fragment
 *
 * All messages except fragments are control messages of 16 bytes. A fragment of 16 bytes or more
 * carries event and source. Of shorter ones, the k-th from a source belongs to the k-th event that
 * was assigned to the destination.
 *
 * Functions return CB_OK, CB_ERROR_MEMORY without a free buffer, the technology's error, or
 * CB_ERROR_DATA, logged, for an invalid message. */
#ifndef FARM_FARM_H
#define FARM_FARM_H

#include "engine/traffic.h"

/* The roles of a farm, in the order of the definition's table. */
enum { FARM_SUPERVISOR, FARM_SOURCE, FARM_DESTINATION };

/* How a farm is measured: `method` of its definition. */
extern const measurement_method farm_method;

/* Content of a control message. Assignment of 2.1: the destination is `first`. Addresses of 2.2:
 * bit k of `bits` names source first + k. Requests of 2.2 and decisions have only the event; with
 * --accept, `bits` of a decision is 1 if the first part of the event was accepted. */
typedef struct {
    uint64_t event;
    uint32_t first, bits;
} farm_message;

/* Own options of a farm; NULL: not given. */
typedef struct {
    const char *supervisor, *fetch, *accept;
} farm_own_options;

/* The value of --fetch or, if it is not given, its default. */
const char *farm_fetch_text(const farm_own_options *own);

/* Hot. Push farm. Supervisor: tell all sources the next event and the destination whose turn it is.
 */
cb_status farm_send_assignment(bench_rank *me);

/* Hot. Read a control message and release its buffer. An invalid message is CB_ERROR_DATA, logged;
 * if messages may be lost, it is counted and returned as a message about no event. */
cb_status farm_read_message(bench_rank *me, size_t from, transport_buffer *buffer,
                            farm_message *out);

/* Hot. Pull farm. The supervisor sends the addresses of the sources that have data of the next
 * event, in one or more control messages. A destination requests the data from the sources that a
 * message names or, if it tells all of them by one multicast, after the last message of the event.
 */
cb_status farm_send_addresses(bench_rank *me);
cb_status farm_request_fragments(bench_rank *me, size_t from, transport_buffer *buffer);

/* Hot. Source: send the fragment of an event to a destination. */
cb_status farm_send_fragment(bench_rank *me, size_t destination, uint64_t event);

/* Hot. Destination, as a bench_reaction: read a fragment, run the algorithm on it and release it.
 * With the last fragment, decide the event. */
cb_status farm_accept_fragment(bench_rank *me, size_t from, transport_buffer *buffer);

/* Index of a peer among the ranks of a role, all of which are peers. */
static inline size_t farm_index_of(const bench_rank *me, size_t peer, size_t role)
{
    return peer - me->place.first_peer[role];
}

#endif
