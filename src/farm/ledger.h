/* The supervisor's account of events: what it gave out, to whom, and what became of it. Events are
 * numbered from 0 and assigned to destinations in turn: event e goes to destination e % D, as its
 * event e / D. issued = decided + lost + in flight holds at any time. Pure: it reads no clock. */
#ifndef FARM_LEDGER_H
#define FARM_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* What one destination owes. Its events before `settled` are decided or lost. */
typedef struct {
    uint64_t issued, settled;
    uint64_t missing; /* bit k: event settled - 1 - k counts as lost, and has not come since */
    uint64_t silent_from, silent_until; /* these were lost because nothing came any more */
    uint64_t decided, lost;
    uint64_t in_flight_sum, in_flight_most; /* seen whenever an event is issued to it */
} farm_account;

typedef struct {
    uint64_t duplicate, unexpected,
        late; /* again; about no event that is waited for; after it was counted as lost */
} farm_ledger_errors;

typedef struct {
    farm_account *accounts; /* one for each destination */
    size_t destinations;
    uint64_t next; /* event, and whose it is: */
    size_t turn;
    uint64_t issued, decided, lost, in_flight;
    farm_ledger_errors errors;
    uint64_t delayed;   /* of those that were late: given up when nothing came, and not overtaken */
    uint64_t *since_ns; /* of each destination a ring: when its events in flight began */
    uint64_t ring_mask;
} farm_ledger;

/* Accounts of destinations, with room for `in_flight` events. */
cb_status farm_ledger_create(size_t destinations, uint64_t in_flight, farm_ledger *out);
void farm_ledger_free(farm_ledger *ledger);

/* Forget what was counted, and go on with the numbers; nothing may be in flight. A decision about
 * an event that was lost before counts as duplicate, since no count of now has that event. */
void farm_ledger_restart(farm_ledger *ledger);

typedef enum { FARM_DECIDED, FARM_DECIDED_LATE, FARM_DUPLICATE, FARM_UNEXPECTED } farm_decision;

/* Not hot. A decision about another event than the next one of its destination: true when it is
 * dealt with, false when those before it have been counted as lost, and it is the next one now. */
bool farm_ledger_out_of_turn(farm_ledger *ledger, size_t destination, uint64_t event,
                             farm_decision *decision);

static inline uint64_t *farm_ledger_cell(const farm_ledger *ledger, size_t destination,
                                         uint64_t sequence)
{
    return &ledger
                ->since_ns[destination * (ledger->ring_mask + 1) + (sequence & ledger->ring_mask)];
}

/* Hot. The next event is given out: its number is ledger->next before the call, and is returned.
 * Its latency counts from `since_ns`. At most as many as were made room for may be in flight. */
static inline uint64_t farm_ledger_issue(farm_ledger *ledger, uint64_t since_ns)
{
    size_t destination = ledger->turn;
    farm_account *account = &ledger->accounts[destination];
    uint64_t sequence = account->issued++;
    uint64_t in_flight = account->issued - account->settled;

    *farm_ledger_cell(ledger, destination, sequence) = since_ns;
    account->in_flight_sum += in_flight;
    if (in_flight > account->in_flight_most)
        account->in_flight_most = in_flight;
    ledger->issued++;
    ledger->in_flight++;
    ledger->turn = destination + 1 < ledger->destinations ? destination + 1 : 0;
    return ledger->next++;
}

/* Hot. A decision has come from a destination. Those of its events that it passed over are lost,
 * since destinations decide in order. One of them is known as late while fewer than 64 have passed
 * it; later it counts as duplicate and stays lost. *since_ns is set only for FARM_DECIDED. */
static inline farm_decision farm_ledger_decide(farm_ledger *ledger, size_t destination,
                                               uint64_t event, uint64_t *since_ns)
{
    farm_account *account = &ledger->accounts[destination];
    uint64_t next = account->settled * ledger->destinations + destination;
    farm_decision decision;

    if (__builtin_expect(event != next || account->settled == account->issued, 0) &&
        farm_ledger_out_of_turn(ledger, destination, event, &decision))
        return decision;
    *since_ns = *farm_ledger_cell(ledger, destination, account->settled);
    account->settled++;
    account->missing <<= 1;
    account->decided++;
    ledger->decided++;
    ledger->in_flight--;
    return FARM_DECIDED;
}

/* Nothing comes any more: all that is in flight is lost. */
void farm_ledger_give_up(farm_ledger *ledger);

static inline uint64_t farm_ledger_error_count(const farm_ledger *ledger)
{
    return ledger->errors.duplicate + ledger->errors.unexpected + ledger->errors.late;
}

#endif
