/* The supervisor's account of events: issued, decided, lost or in flight, by destination.
 *
 * Events are numbered from 0. Event e goes to destination e % D, as its event e / D. At any time
 * issued = decided + lost + in flight. Pure: reads no clock. */
#ifndef FARM_LEDGER_H
#define FARM_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Account of a destination. Its events before `settled` are decided or lost. */
typedef struct {
    uint64_t issued, settled;
    uint64_t ahead;   /* events from `settled` on that are decided, if decisions overtake */
    uint64_t missing; /* bit k: event settled - 1 - k is lost and has not arrived since */
    uint64_t silent_from, silent_until; /* events lost because no message arrived for a timeout */
    uint64_t decided, lost;
    uint64_t in_flight_sum, in_flight_most; /* sampled whenever an event is issued to it */
} farm_account;

typedef struct {
    uint64_t duplicate, unexpected,
        late; /* duplicates; about an event not in flight; after it was counted as lost */
} farm_ledger_errors;

typedef struct {
    farm_account *accounts; /* by destination */
    size_t destinations;
    uint64_t next; /* number of the next event, and its destination: */
    size_t turn;
    uint64_t issued, decided, lost, in_flight;
    farm_ledger_errors errors;
    uint64_t delayed;   /* of `late`: lost by a timeout, not overtaken */
    uint64_t *since_ns; /* per destination a ring: start times of its events in flight, or
                         * FARM_LEDGER_DECIDED */
    uint64_t ring_mask;
    uint64_t reach; /* an event counts as lost when one more than this number of places later is
                     * decided; 0: destinations decide in order; UINT64_MAX: never */
} farm_ledger;

#define FARM_LEDGER_DECIDED UINT64_MAX

/* Create accounts of destinations that decide in order, with room for `in_flight` events each.
 * CB_ERROR_MEMORY, logged. Free with farm_ledger_free. */
cb_status farm_ledger_create(size_t destinations, uint64_t in_flight, farm_ledger *out);
void farm_ledger_free(farm_ledger *ledger);

/* Reset the counts and continue the numbering; no event may be in flight. A later decision about an
 * event lost before counts as duplicate, since the event is in no current count. */
void farm_ledger_restart(farm_ledger *ledger);

typedef enum { FARM_DECIDED, FARM_DECIDED_LATE, FARM_DUPLICATE, FARM_UNEXPECTED } farm_decision;

/* Not hot. Handle a decision that is not about the next event of its destination. Returns true if
 * it is dealt with; false if the events before it were counted as lost, so that it is now the next
 * one. */
bool farm_ledger_out_of_turn(farm_ledger *ledger, size_t destination, uint64_t event,
                             uint64_t *since_ns, farm_decision *decision);

/* Not hot. Settle events that were decided before the one that has just been settled. */
void farm_ledger_settle_decided(farm_ledger *ledger, size_t destination);

static inline uint64_t *farm_ledger_cell(const farm_ledger *ledger, size_t destination,
                                         uint64_t sequence)
{
    return &ledger
                ->since_ns[destination * (ledger->ring_mask + 1) + (sequence & ledger->ring_mask)];
}

/* Hot. Whether the next event's destination has room for it: an event that others overtake keeps
 * its place. */
static inline bool farm_ledger_has_room(const farm_ledger *ledger)
{
    const farm_account *account = &ledger->accounts[ledger->turn];

    return account->issued - account->settled <= ledger->ring_mask;
}

/* Hot. Issue the next event and return its number (ledger->next before the call). Its latency
 * counts from `since_ns`. The number of events in flight must be below the limit, and
 * farm_ledger_has_room. */
static inline uint64_t farm_ledger_issue(farm_ledger *ledger, uint64_t since_ns)
{
    size_t destination = ledger->turn;
    farm_account *account = &ledger->accounts[destination];
    uint64_t sequence = account->issued++;
    uint64_t in_flight = account->issued - account->settled - account->ahead;

    *farm_ledger_cell(ledger, destination, sequence) = since_ns;
    account->in_flight_sum += in_flight;
    if (in_flight > account->in_flight_most)
        account->in_flight_most = in_flight;
    ledger->issued++;
    ledger->in_flight++;
    ledger->turn = destination + 1 < ledger->destinations ? destination + 1 : 0;
    return ledger->next++;
}

/* Hot. Record a decision. The events that it passes over are lost, unless ledger->reach allows
 * it. A lost event is recognised as late until 64 later ones are decided; after that it counts as
 * duplicate and stays lost. *since_ns is set only for FARM_DECIDED. */
static inline farm_decision farm_ledger_decide(farm_ledger *ledger, size_t destination,
                                               uint64_t event, uint64_t *since_ns)
{
    farm_account *account = &ledger->accounts[destination];
    uint64_t next = account->settled * ledger->destinations + destination;
    farm_decision decision;

    if (__builtin_expect(event != next || account->settled == account->issued, 0) &&
        farm_ledger_out_of_turn(ledger, destination, event, since_ns, &decision))
        return decision;
    *since_ns = *farm_ledger_cell(ledger, destination, account->settled);
    account->settled++;
    account->missing <<= 1;
    account->decided++;
    ledger->decided++;
    ledger->in_flight--;
    if (__builtin_expect(account->ahead > 0, 0))
        farm_ledger_settle_decided(ledger, destination);
    return FARM_DECIDED;
}

/* Count all events in flight as lost, after a timeout. */
void farm_ledger_give_up(farm_ledger *ledger);

static inline uint64_t farm_ledger_error_count(const farm_ledger *ledger)
{
    return ledger->errors.duplicate + ledger->errors.unexpected + ledger->errors.late;
}

#endif
