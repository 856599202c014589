#include "model/evaluation/standstill.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluation/pairs.h"

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
        uint32_t state = engine->processors[who].state;

        /* those that wait for what they started, not for the partner of their record */
        if ((state == PROCESSOR_IN_WAIT || state == PROCESSOR_IN_MULTICAST) &&
            whom < waits_for[who])
            waits_for[who] = whom;
    }
}

static void note_all(const ccmod_engine *engine, uint32_t *waits_for)
{
    uint32_t outside = 0; /* keeps the barrier from opening */

    while (engine->in_barrier > 0 && engine->processors[outside].state == PROCESSOR_IN_BARRIER)
        outside++;
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
    if (waits_for == TRAFFIC_NONE)
        tell(story, "any rank");
    else
        tell(story, "rank %u", waits_for);
}

/* The first that comes twice from `start` on, or the last of the way. */
static uint32_t find_ring(const ccmod_engine *engine, const uint32_t *waits_for, uint32_t start)
{
    uint32_t slow = start, fast = start;

    for (size_t i = 0; i < engine->processor_count; i++) {
        if (waits_for[fast] == TRAFFIC_NONE || waits_for[waits_for[fast]] == TRAFFIC_NONE)
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
        if (at == TRAFFIC_NONE || at == start || engine->processors[at].state == PROCESSOR_RUNNING)
            return;
        tell(story, "; ");
    }
}

ccmod_status ccmod_standstill_explain(ccmod_engine *engine)
{
    uint32_t *waits_for = malloc(engine->processor_count * sizeof(*waits_for));
    size_t blocked = engine->processor_count - engine->ended_count;
    uint32_t start = 0; /* the first that is blocked */
    standstill_story story = {.used = 0};

    if (waits_for == NULL)
        return ccmod_traffic_no_memory(&engine->traffic);
    while (engine->processors[start].state == PROCESSOR_ENDED)
        start++;
    note_all(engine, waits_for);
    start = find_ring(engine, waits_for, start);
    tell_chain(engine, &story, waits_for, start);
    free(waits_for);
    return ccmod_fail(engine->error, CCMOD_ERROR_DATA, engine->workload->name,
                      engine->processors[start].line,
                      "deadlock at %.3f us: %zu of %zu ranks wait for ever: %s; put sends and "
                      "receives in an order in which each can be answered, or start them with is "
                      "and ir",
                      engine->traffic.now_us, blocked, engine->processor_count, story.text);
}
