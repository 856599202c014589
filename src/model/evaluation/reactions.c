#include "model/evaluation/reactions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Records of a processor at one instant; more are a loop that tests and never waits. */
enum { LARGEST_CALLS = 1000000 };

ccmod_status ccmod_reactors_open(ccmod_engine *engine)
{
    if (engine->workload->react == NULL)
        return CCMOD_OK;
    engine->traffic.reacts = true;
    engine->random = cb_random_seed(engine->traffic.parameters.seed);
    engine->reactors = calloc(engine->processor_count, sizeof(*engine->reactors));
    if (engine->reactors == NULL || !ccmod_pairs_open(&engine->under_way))
        return ccmod_traffic_no_memory(&engine->traffic);
    return CCMOD_OK;
}

void ccmod_reactors_close(ccmod_engine *engine)
{
    for (size_t i = 0; engine->reactors != NULL && i < engine->processor_count; i++) {
        free(engine->reactors[i].done);
        free(engine->reactors[i].names);
        free(engine->reactors[i].timers_us);
    }
    free(engine->reactors);
    free(engine->landed.values);
    free(engine->under_way.entries);
}

static bool awaits(const engine_reactor *reactor, uint32_t request)
{
    for (size_t i = 0; i < reactor->name_count; i++) {
        if (reactor->names[i] == request)
            return true;
    }
    return reactor->name_count == 0;
}

ccmod_status ccmod_reactor_tell(ccmod_engine *engine, uint32_t number, const ccmod_completion *done)
{
    engine_reactor *reactor = &engine->reactors[number];
    ccmod_completion *grown =
        cb_grow(reactor->done, reactor->done_count, &reactor->done_room, sizeof(*grown));

    if (grown == NULL)
        return ccmod_traffic_no_memory(&engine->traffic);
    reactor->done = grown;
    grown[reactor->done_count] = *done;
    grown[reactor->done_count++].time_us = engine->traffic.now_us;
    if (engine->processors[number].state == PROCESSOR_IN_AWAIT && reactor->needed > 0 &&
        awaits(reactor, done->request))
        reactor->needed--;
    return CCMOD_OK;
}

/* At the deadline of what the processor awaits, if it has one. A timer that expires before serves
 * for it, too: it is set again then. */
static ccmod_status set_timer(ccmod_engine *engine, uint32_t number)
{
    engine_reactor *reactor = &engine->reactors[number];
    const double deadline_us = reactor->deadline_us;
    double *timers_us;

    if (isinf(deadline_us) ||
        (reactor->timer_count > 0 && reactor->timers_us[reactor->timer_count - 1] <= deadline_us))
        return CCMOD_OK;
    timers_us =
        cb_grow(reactor->timers_us, reactor->timer_count, &reactor->timer_room, sizeof(*timers_us));
    if (timers_us == NULL)
        return ccmod_traffic_no_memory(&engine->traffic);
    reactor->timers_us = timers_us;
    timers_us[reactor->timer_count++] = deadline_us;
    return engine_push(engine, deadline_us, EVENT_TIMER, number);
}

ccmod_status ccmod_reactor_await(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    engine_reactor *reactor = &engine->reactors[number];

    if (!(record->time_us >= 0))
        return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, record->line,
                          "rank %u waits for at most %g us; give a time of 0 or more", number,
                          record->time_us);
    if (record->list_count > reactor->name_room) {
        uint32_t *names = realloc(reactor->names, record->list_count * sizeof(*names));

        if (names == NULL)
            return ccmod_traffic_no_memory(&engine->traffic);
        reactor->names = names;
        reactor->name_room = record->list_count;
    }
    reactor->name_count = record->list_count;
    if (record->list_count > 0)
        memcpy(reactor->names, record->list, record->list_count * sizeof(*reactor->names));
    reactor->needed = record->needed > 0 ? record->needed : 1;
    reactor->deadline_us = engine->traffic.now_us + record->time_us;
    return set_timer(engine, number);
}

ccmod_status ccmod_reactor_expire(ccmod_engine *engine, uint32_t number, bool *over)
{
    engine_reactor *reactor = &engine->reactors[number];
    const bool waits =
        engine->processors[number].state == PROCESSOR_IN_AWAIT && reactor->needed > 0;

    *over = waits &&
            reactor->deadline_us <= engine->traffic.now_us + traffic_instant_us(&engine->traffic);
    reactor->timer_count--;
    if (*over)
        reactor->needed = 0;
    return waits && !*over ? set_timer(engine, number) : CCMOD_OK;
}

ccmod_status ccmod_reactor_call(ccmod_engine *engine, uint32_t number, ccmod_record *record)
{
    engine_reactor *reactor = &engine->reactors[number];
    const double now_us = engine->traffic.now_us;
    const ccmod_outcome outcome = {now_us, reactor->done, reactor->done_count};

    reactor->calls = now_us > reactor->called_us ? 0 : reactor->calls + 1;
    reactor->called_us = now_us;
    if (reactor->calls > LARGEST_CALLS)
        return ccmod_fail(engine->error, CCMOD_ERROR_DATA, engine->workload->name, 0,
                          "rank %u has made %d calls at %.3f us, and no time passes: it tests in a "
                          "loop; let it wait for what it needs",
                          number, (int)LARGEST_CALLS, now_us);
    reactor->done_count = 0;
    return engine->workload->react(engine->workload, number, &outcome, record, engine->error);
}

void ccmod_reactors_shuffle(ccmod_engine *engine, traffic_list *list)
{
    for (size_t left = list->count; left > 1; left--) {
        const size_t drawn = cb_random_below(&engine->random, left);
        const uint32_t value = list->values[drawn];

        list->values[drawn] = list->values[left - 1];
        list->values[left - 1] = value;
    }
}
