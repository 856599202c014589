/* Accounts of destinations, each a window over the destination's own sequence of events. */
#include "farm/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { REMEMBERED = 64 };

cb_status farm_ledger_create(size_t destinations, uint64_t in_flight, farm_ledger *out)
{
    uint64_t ring = 1;

    while (ring < in_flight)
        ring *= 2;
    *out = (farm_ledger){.destinations = destinations, .ring_mask = ring - 1};
    out->accounts = cb_allocate(destinations, sizeof(*out->accounts), "the accounts of events");
    out->since_ns =
        cb_allocate(destinations * ring, sizeof(*out->since_ns), "the instants of events");
    if (out->accounts != NULL && out->since_ns != NULL)
        return CB_OK;
    farm_ledger_free(out);
    return CB_ERROR_MEMORY;
}

void farm_ledger_free(farm_ledger *ledger)
{
    free(ledger->accounts);
    free(ledger->since_ns);
    *ledger = (farm_ledger){0};
}

void farm_ledger_restart(farm_ledger *ledger)
{
    ledger->issued = ledger->decided = ledger->lost = 0;
    ledger->errors = (farm_ledger_errors){0};
    ledger->delayed = 0;
    for (size_t i = 0; i < ledger->destinations; i++) {
        farm_account *account = &ledger->accounts[i];

        account->missing = account->decided = account->lost = 0;
        account->silent_from = account->silent_until = 0;
        account->in_flight_sum = account->in_flight_most = 0;
    }
}

/* Count the events of an account before `until` as lost, except those that are decided. */
static void lose_events_before(farm_ledger *ledger, size_t destination, uint64_t until)
{
    farm_account *account = &ledger->accounts[destination];

    for (; account->settled < until; account->settled++) {
        bool decided =
            account->ahead > 0 &&
            *farm_ledger_cell(ledger, destination, account->settled) == FARM_LEDGER_DECIDED;

        account->missing = account->missing << 1 | !decided;
        account->ahead -= decided;
        account->lost += !decided;
        ledger->lost += !decided;
        ledger->in_flight -= !decided;
    }
}

void farm_ledger_settle_decided(farm_ledger *ledger, size_t destination)
{
    farm_account *account = &ledger->accounts[destination];

    while (account->ahead > 0 &&
           *farm_ledger_cell(ledger, destination, account->settled) == FARM_LEDGER_DECIDED) {
        account->missing <<= 1;
        account->settled++;
        account->ahead--;
    }
}

/* Record a decision that overtakes earlier ones. */
static farm_decision decide_ahead(farm_ledger *ledger, size_t destination, uint64_t sequence,
                                  uint64_t *since_ns)
{
    farm_account *account = &ledger->accounts[destination];
    uint64_t *cell = farm_ledger_cell(ledger, destination, sequence);

    if (account->ahead > 0 && *cell == FARM_LEDGER_DECIDED) {
        ledger->errors.duplicate++;
        return FARM_DUPLICATE;
    }
    *since_ns = *cell;
    *cell = FARM_LEDGER_DECIDED;
    account->ahead++;
    account->decided++;
    ledger->decided++;
    ledger->in_flight--;
    if (sequence - account->settled > ledger->reach) {
        lose_events_before(ledger, destination, sequence - ledger->reach);
        farm_ledger_settle_decided(ledger, destination);
    }
    return FARM_DECIDED;
}

/* A decision about an earlier event: late if the event counts as lost, otherwise a duplicate. */
static farm_decision count_earlier(farm_ledger *ledger, farm_account *account, uint64_t sequence)
{
    uint64_t age = account->settled - 1 - sequence;
    uint64_t bit = age < REMEMBERED ? UINT64_C(1) << age : 0;

    if ((account->missing & bit) == 0) {
        ledger->errors.duplicate++;
        return FARM_DUPLICATE;
    }
    account->missing &= ~bit;
    account->lost--;
    account->decided++;
    ledger->lost--;
    ledger->decided++;
    ledger->errors.late++;
    ledger->delayed += sequence >= account->silent_from && sequence < account->silent_until;
    return FARM_DECIDED_LATE;
}

bool farm_ledger_out_of_turn(farm_ledger *ledger, size_t destination, uint64_t event,
                             uint64_t *since_ns, farm_decision *decision)
{
    farm_account *account = &ledger->accounts[destination];
    uint64_t sequence = event / ledger->destinations;

    if (event % ledger->destinations != destination || sequence >= account->issued) {
        ledger->errors.unexpected++;
        *decision = FARM_UNEXPECTED;
        return true;
    }
    if (sequence < account->settled) {
        *decision = count_earlier(ledger, account, sequence);
        return true;
    }
    if (ledger->reach > 0) {
        *decision = decide_ahead(ledger, destination, sequence, since_ns);
        return true;
    }
    lose_events_before(ledger, destination, sequence);
    return false;
}

void farm_ledger_give_up(farm_ledger *ledger)
{
    for (size_t i = 0; i < ledger->destinations; i++) {
        farm_account *account = &ledger->accounts[i];

        if (account->settled != account->silent_until)
            account->silent_from = account->settled;
        account->silent_until = account->issued;
        lose_events_before(ledger, i, account->issued);
    }
}
