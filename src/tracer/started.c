/* Collectives that were started. Their messages are those of the blocking ones. What ranks can send
 * before they have received anything begins at the call, as started sends and receives; the rest,
 * which passes on what has come, is placed where the program has waited for the end: a library does
 * it in some call of MPI in between, and it is not visible in which one. Sender and receiver have a
 * message at the same of the two places, so that it keeps its order among others between them. */
#include "tracer/tracer.h"

#include <stdlib.h>

#include "base/memory.h"

struct tracer_started {
    const tracer_ranks *ranks; /* as long as records come from the pattern */
    bool passing_on;           /* nothing more is sent at once */
    uint64_t first, begun;     /* the records that stand at the call */
    tracer_record *later;
    size_t count, room;
};

tracer_started *tracer_started_open(const tracer_ranks *ranks)
{
    tracer_started *collective = cb_allocate(1, sizeof(*collective), "a collective under way");

    if (collective == NULL) {
        tracer.on = false;
        return NULL;
    }
    collective->ranks = ranks;
    return collective;
}

static void add_now(tracer_started *collective, tracer_record *record)
{
    uint64_t place;

    if (record->kind == TRACER_RECEIVE)
        record->kind = TRACER_START_RECEIVE;
    place = tracer_add(record);
    if (place == UINT64_MAX)
        return;
    if (collective->begun++ == 0)
        collective->first = place;
}

static void add_later(tracer_started *collective, const tracer_record *record)
{
    if (collective->count == collective->room) {
        size_t room = collective->room == 0 ? 4 : 2 * collective->room;
        tracer_record *larger = reallocarray(collective->later, room, sizeof(*collective->later));

        if (larger == NULL) {
            tracer.on = false;
            return;
        }
        collective->later = larger;
        collective->room = room;
    }
    collective->later[collective->count++] = *record;
}

static void emit(void *context, const tracer_record *record, bool at_once)
{
    tracer_started *collective = context;
    tracer_record translated = *record;

    translated.peer = collective->ranks->world[record->peer];
    if (record->kind == TRACER_SEND)
        translated.kind = TRACER_START_SEND;
    if (at_once && !collective->passing_on)
        add_now(collective, &translated);
    else
        add_later(collective, &translated);
}

void tracer_started_go_on(tracer_started *collective)
{
    collective->passing_on = true;
}

tracer_sink tracer_started_sink(tracer_started *collective)
{
    return (tracer_sink){emit, collective};
}

void tracer_started_under_way(tracer_started *collective, MPI_Request request)
{
    const tracer_request started = {
        .handle = (uintptr_t)request, .peer = -1, .collective = collective};

    collective->ranks = NULL;
    if (tracer_requests_add(&tracer.requests, &started) != CB_OK)
        tracer.on = false;
}

void tracer_started_settle(tracer_started *collective, bool alone)
{
    const tracer_record nothing = {.kind = TRACER_NOTHING};

    for (uint64_t place = collective->first;
         !alone && tracer.on && place < collective->first + collective->begun; place++) {
        tracer_record record;

        if (tracer_records_get(&tracer.records, place, &record) != CB_OK)
            tracer.on = false;
        if (!tracer.on || record.kind != TRACER_START_RECEIVE)
            continue;
        record.kind = TRACER_RECEIVE;
        if (tracer_records_set(&tracer.records, place, &nothing) != CB_OK)
            tracer.on = false;
        tracer_add(&record);
    }
}

bool tracer_started_finish(tracer_started *collective)
{
    bool sends = false;

    for (size_t i = 0; i < collective->count; i++) {
        sends = sends || collective->later[i].kind == TRACER_START_SEND;
        tracer_add(&collective->later[i]);
    }
    free(collective->later);
    free(collective);
    return sends;
}
