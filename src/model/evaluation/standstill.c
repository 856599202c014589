/* Nothing can happen any more and not all processors are done: who waits for whom. From a blocked
 * processor on the text follows those that are waited for, until one comes again (a ring, the usual
 * deadlock), or one that waits for nobody in particular. */
#include "model/evaluation/pairs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 6, STORY_BYTES = CCMOD_ERROR_BYTES - 320 };

typedef struct {
    char text[STORY_BYTES];
    size_t used;
} standstill_story;

__attribute__((format(printf, 2, 3))) static void tell(standstill_story *story, const char *format,
                                                       ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(story->text + story->used, STORY_BYTES - story->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        story->used += (size_t)length;
    if (story->used >= STORY_BYTES)
        story->used = STORY_BYTES - 1;
}

/* Whether it waits for what it started, not for the partner of its record. */
static bool has_started(const ccmod_engine *engine, uint32_t number)
{
    uint32_t state = engine->processors[number].state;

    return state == PROCESSOR_IN_WAIT || state == PROCESSOR_IN_MULTICAST;
}

/* Whom the open items keep waiting: a sender its receiver, a receiver its sender. The lowest is
 * noted for each, so that the text does not depend on the order of a table. */
static void note_items(const ccmod_engine *engine, uint32_t *waits_for)
{
    const match_item *item;
    size_t at = 0;

    while ((item = ccmod_pairs_next(engine, &at)) != NULL) {
        bool send = (item->flags & ITEM_SEND) != 0;
        uint32_t who = send ? item->source : item->receiver;
        uint32_t whom = send ? item->receiver : item->source;

        if (has_started(engine, who) && whom < waits_for[who])
            waits_for[who] = whom;
    }
}

/* A barrier is kept from opening by whoever is not in it. */
static uint32_t first_outside_barrier(const ccmod_engine *engine)
{
    uint32_t number = 0;

    while (engine->processors[number].state == PROCESSOR_IN_BARRIER)
        number++;
    return number;
}

static void note_all(const ccmod_engine *engine, uint32_t *waits_for)
{
    bool barrier = engine->in_barrier > 0;
    uint32_t outside = barrier ? first_outside_barrier(engine) : 0;

    memset(waits_for, 0xff, engine->processor_count * sizeof(*waits_for));
    for (uint32_t i = 0; i < engine->processor_count; i++) {
        const engine_processor *processor = &engine->processors[i];

        if (processor->state == PROCESSOR_IN_SEND || processor->state == PROCESSOR_IN_RECEIVE)
            waits_for[i] = processor->peer;
        else if (processor->state == PROCESSOR_IN_BARRIER)
            waits_for[i] = outside;
    }
    note_items(engine, waits_for);
}

static void tell_one(const ccmod_engine *engine, standstill_story *story, uint32_t number,
                     uint32_t waits_for)
{
    static const char *const deeds[] = {[PROCESSOR_IN_SEND] = "sends to",
                                        [PROCESSOR_IN_RECEIVE] = "receives from",
                                        [PROCESSOR_IN_MULTICAST] =
                                            "multicasts, not yet received by",
                                        [PROCESSOR_IN_WAIT] = "waits for what it started with",
                                        [PROCESSOR_IN_BARRIER] = "is in a barrier without"};
    const engine_processor *processor = &engine->processors[number];

    if (processor->state == PROCESSOR_ENDED) {
        tell(story, "rank %u has ended", number);
        return;
    }
    tell(story, "rank %u (line %u) %s ", number, processor->line, deeds[processor->state]);
    if (waits_for == ENGINE_NONE)
        tell(story, "any rank");
    else
        tell(story, "rank %u", waits_for);
}

/* The first that comes twice from `start` on, or the last of the way. */
static uint32_t find_ring(const ccmod_engine *engine, const uint32_t *waits_for, uint32_t start)
{
    uint32_t slow = start, fast = start;

    for (size_t i = 0; i < engine->processor_count; i++) {
        if (waits_for[fast] == ENGINE_NONE || waits_for[waits_for[fast]] == ENGINE_NONE)
            return start;
        slow = waits_for[slow];
        fast = waits_for[waits_for[fast]];
        if (slow == fast)
            return slow;
    }
    return start;
}

static void tell_chain(const ccmod_engine *engine, standstill_story *story,
                       const uint32_t *waits_for, uint32_t start)
{
    uint32_t at = start;

    for (size_t shown = 0;; shown++) {
        if (shown == SHOWN) {
            tell(story, "and so on");
            return;
        }
        tell_one(engine, story, at, waits_for[at]);
        at = waits_for[at];
        if (at == ENGINE_NONE || at == start || engine->processors[at].state == PROCESSOR_RUNNING)
            return;
        tell(story, "; ");
    }
}

static uint32_t first_blocked(const ccmod_engine *engine)
{
    uint32_t number = 0;

    while (engine->processors[number].state == PROCESSOR_ENDED)
        number++;
    return number;
}

ccmod_status ccmod_engine_explain_standstill(ccmod_engine *engine)
{
    uint32_t *waits_for = malloc(engine->processor_count * sizeof(*waits_for));
    size_t blocked = engine->processor_count - engine->ended_count;
    uint32_t start = first_blocked(engine);
    standstill_story story = {.used = 0};

    if (waits_for == NULL)
        return ccmod_engine_no_memory(engine);
    note_all(engine, waits_for);
    start = find_ring(engine, waits_for, start);
    tell_chain(engine, &story, waits_for, start);
    free(waits_for);
    return ccmod_fail(engine->error, CCMOD_ERROR_DATA, engine->workload->name,
                      engine->processors[start].line,
                      "deadlock at %.3f us: %zu of %zu ranks wait for ever: %s; put sends and "
                      "receives in an order in which each can be answered, or start them with is "
                      "and ir",
                      engine->now_us, blocked, engine->processor_count, story.text);
}
