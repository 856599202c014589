/* The kinds of records, a function for each, and the explanation of a deadlock: follow from a
 * blocked processor the one that it waits for, until one repeats (a cycle, the usual deadlock) or
 * waits for no particular rank. */
#include "model/evaluation/records.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluation/delivery.h"
#include "model/evaluation/matching.h"
#include "model/evaluation/reactions.h"
#include "model/sharing/traffic.h"

/* Maximum number of messages that are pending or unreceived, 1 GiB of them, or this many per
 * processor if that is more: a trace that starts messages without end fails instead of using all
 * memory. */
#define LARGEST_OPEN ((size_t)1 << 24)
#define LARGEST_OPEN_EACH ((size_t)64)

/* Measured times */

/* The record with a measured time has ended: compare. */
static __attribute__((noinline)) void compare(ccmod_engine *engine, uint32_t number)
{
    engine_measured *measured = &engine->measured[number];
    ccmod_comparison *comparison = &engine->comparison;
    double predicted_us = engine->traffic.now_us - measured->since_us;
    double error = 0;

    if (measured->measured_us < 0)
        return;
    comparison->records++;
    comparison->measured_us += measured->measured_us;
    comparison->predicted_us += predicted_us;
    if (measured->measured_us > 0)
        error = fabs(predicted_us - measured->measured_us) / measured->measured_us;
    if (error > comparison->worst_error) {
        comparison->worst_error = error;
        comparison->worst_line = engine->processors[number].line;
    }
    measured->measured_us = -1;
}

/* Records */

/* Keep the processor busy for `us`. */
static ccmod_status keep_busy(ccmod_engine *engine, uint32_t number, ccmod_activity activity,
                              double us)
{
    engine_processor *processor = &engine->processors[number];

    if (!(us > 0))
        return CCMOD_OK;
    processor->state = PROCESSOR_BUSY;
    processor->activity = (uint8_t)activity;
    return engine_push(engine, engine->traffic.now_us + us, EVENT_RESUME, number);
}

static void block(ccmod_engine *engine, uint32_t number, processor_state state, uint32_t peer)
{
    engine->processors[number].state = (uint8_t)state;
    engine->processors[number].peer = peer;
}

static ccmod_status end_trace(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    (void)record;
    block(engine, number, PROCESSOR_ENDED, 0);
    engine->ended_count++;
    return CCMOD_OK;
}

static ccmod_status signal_record(const ccmod_engine *engine, ccmod_signal_kind kind,
                                  uint32_t number, const ccmod_record *record)
{
    ccmod_signal signal = {.of.event = {number, record}};

    return ccmod_signal_send(&engine->traffic.audience, kind, engine->traffic.now_us, &signal);
}

static ccmod_status compute(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    if (!(record->time_us >= 0) || isinf(record->time_us))
        return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, record->line,
                          "rank %u computes for %g us; a time must be 0 or more, and finite",
                          number, record->time_us);
    CCMOD_TRY(keep_busy(engine, number, CCMOD_COMPUTING, record->time_us));
    if (audience_expects(&engine->traffic.audience, CCMOD_SIGNAL_NEWPROC))
        return signal_record(engine, CCMOD_SIGNAL_NEWPROC, number, record);
    return CCMOD_OK;
}

static bool is_eager(const ccmod_engine *engine, const ccmod_record *record)
{
    return engine->traffic.parameters.mode == CCMOD_SPLIT &&
           record->size_bytes < engine->traffic.calibration->eager_bytes;
}

/* In mode split a non-blocking send costs its processor the overhead. The length of the route
 * matters only to networks with their own delay function. */
static ccmod_status spend_overhead(ccmod_engine *engine, uint32_t number,
                                   const ccmod_record *record, uint32_t peer)
{
    ccmod_traffic *traffic = &engine->traffic;
    const ccmod_network *network = traffic->network;
    size_t hops = 2;

    if (traffic->parameters.mode == CCMOD_PAPER)
        return CCMOD_OK;
    if (network->operations->quiet_delay != NULL)
        hops = network->operations->route(network, number, peer, traffic->route);
    return keep_busy(engine, number, CCMOD_SENDING,
                     message_quiet_delay(traffic, hops, record->size_bytes)->overhead_us);
}

static ccmod_status send_eagerly(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    CCMOD_TRY(ccmod_match_send(engine, number, record, MESSAGE_EAGER));
    return spend_overhead(engine, number, record, record->peer);
}

static ccmod_status send_synchronously(ccmod_engine *engine, uint32_t number,
                                       const ccmod_record *record)
{
    block(engine, number, PROCESSOR_IN_SEND, record->peer);
    return ccmod_match_send(engine, number, record, MESSAGE_SENDER_BLOCKED);
}

static ccmod_status send(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    return is_eager(engine, record) ? send_eagerly(engine, number, record)
                                    : send_synchronously(engine, number, record);
}

static ccmod_status start_synchronous_send(ccmod_engine *engine, uint32_t number,
                                           const ccmod_record *record)
{
    engine->processors[number].outstanding++;
    CCMOD_TRY(ccmod_match_send(engine, number, record, 0));
    return spend_overhead(engine, number, record, record->peer);
}

static ccmod_status start_send(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    return is_eager(engine, record) ? send_eagerly(engine, number, record)
                                    : start_synchronous_send(engine, number, record);
}

static ccmod_status multicast(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    if (record->list_count == 0)
        return CCMOD_OK;
    if (is_eager(engine, record)) {
        CCMOD_TRY(ccmod_match_multicast(engine, number, record, MESSAGE_EAGER));
        return spend_overhead(engine, number, record, record->list[0]);
    }
    block(engine, number, PROCESSOR_IN_MULTICAST, record->list[0]);
    return ccmod_match_multicast(engine, number, record, MESSAGE_SENDER_BLOCKED);
}

static ccmod_status receive(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    bool done;

    block(engine, number, PROCESSOR_IN_RECEIVE, record->peer);
    CCMOD_TRY(ccmod_match_receive(engine, number, record, true, &done));
    if (!done)
        return CCMOD_OK;
    processor_note_receive(engine, number);
    engine->processors[number].state = PROCESSOR_RUNNING;
    return CCMOD_OK;
}

static ccmod_status start_receive(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    bool done;

    engine->processors[number].outstanding++;
    CCMOD_TRY(ccmod_match_receive(engine, number, record, false, &done));
    if (!done)
        return CCMOD_OK;
    processor_note_receive(engine, number);
    engine->processors[number].outstanding--;
    return CCMOD_OK;
}

static ccmod_status wait_for_all(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    (void)record;
    if (engine->processors[number].outstanding > 0)
        block(engine, number, PROCESSOR_IN_WAIT, CCMOD_ANY);
    return CCMOD_OK;
}

static ccmod_status enter_barrier(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    (void)record;
    block(engine, number, PROCESSOR_IN_BARRIER, CCMOD_ANY);
    if (++engine->in_barrier < engine->processor_count)
        return CCMOD_OK;
    return engine_push(engine,
                       engine->traffic.now_us +
                           ccmod_barrier_us(engine->traffic.calibration, engine->processor_count),
                       EVENT_RESUME, EVENT_EVERYONE);
}

static ccmod_status await(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    if (!engine->traffic.reacts)
        return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, record->line,
                          "rank %u awaits single requests, and its workload does not react; give "
                          "it a function `react`",
                          number);
    block(engine, number, PROCESSOR_IN_AWAIT, CCMOD_ANY);
    return ccmod_reactor_await(engine, number, record);
}

static ccmod_status wake(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    (void)number;
    for (size_t i = 0; i < record->list_count && engine->traffic.reacts; i++)
        CCMOD_TRY(ccmod_processor_wake(engine, record->list[i]));
    return CCMOD_OK;
}

static ccmod_status (*const handlers[CCMOD_RECORDS])(ccmod_engine *engine, uint32_t number,
                                                     const ccmod_record *record) = {
    [CCMOD_END] = end_trace,
    [CCMOD_COMPUTE] = compute,
    [CCMOD_SEND] = send,
    [CCMOD_RECEIVE] = receive,
    [CCMOD_START_SEND] = start_send,
    [CCMOD_START_RECEIVE] = start_receive,
    [CCMOD_WAIT] = wait_for_all,
    [CCMOD_MULTICAST] = multicast,
    [CCMOD_BARRIER] = enter_barrier,
    [CCMOD_SYNCHRONOUS_SEND] = send_synchronously,
    [CCMOD_START_SYNCHRONOUS_SEND] = start_synchronous_send,
    [CCMOD_BUFFERED_SEND] = send_eagerly,
    [CCMOD_AWAIT] = await,
    [CCMOD_WAKE] = wake,
};

/* Note the measured time of the record that the processor begins. */
static __attribute__((noinline)) ccmod_status note_measured(ccmod_engine *engine, uint32_t number,
                                                            double measured_us)
{
    if (engine->measured == NULL) {
        engine->measured = malloc(engine->processor_count * sizeof(*engine->measured));
        if (engine->measured == NULL)
            return ccmod_traffic_no_memory(&engine->traffic);
        for (size_t i = 0; i < engine->processor_count; i++)
            engine->measured[i].measured_us = -1;
    }
    engine->measured[number] = (engine_measured){measured_us, engine->traffic.now_us};
    return CCMOD_OK;
}

static size_t largest_open(const ccmod_engine *engine)
{
    size_t each = LARGEST_OPEN_EACH * engine->processor_count;

    if (engine->traffic.parameters.open_messages > 0)
        return engine->traffic.parameters.open_messages;
    return each > LARGEST_OPEN ? each : LARGEST_OPEN;
}

/* The number of messages has reached a new maximum. */
static ccmod_status check_open(const ccmod_engine *engine, uint32_t number, uint32_t line)
{
    if (engine->traffic.message_count <= largest_open(engine))
        return CCMOD_OK;
    return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, line,
                      "rank %u starts one message too many here: %zu of all ranks are "
                      "under way or wait to be received; receive them earlier, or wait for "
                      "them",
                      number, engine->traffic.message_count);
}

ccmod_status ccmod_records_take(ccmod_engine *engine, uint32_t number)
{
    engine_processor *processor = &engine->processors[number];
    ccmod_workload *workload = engine->workload;

    processor->state = PROCESSOR_RUNNING;
    while (processor->state == PROCESSOR_RUNNING) {
        size_t open = engine->traffic.message_count;
        ccmod_record record;

        if (engine->measured != NULL)
            compare(engine, number);
        if (engine->traffic.reacts) {
            record = (ccmod_record){.measured_us = -1};
            CCMOD_TRY(ccmod_reactor_call(engine, number, &record));
        } else {
            CCMOD_TRY(workload->next(workload, number, &record, engine->error));
        }
        processor->line = record.line;
        if (record.measured_us >= 0 && record.kind != CCMOD_END)
            CCMOD_TRY(note_measured(engine, number, record.measured_us));
        if (audience_expects(&engine->traffic.audience, CCMOD_SIGNAL_CREATEEVENT))
            CCMOD_TRY(signal_record(engine, CCMOD_SIGNAL_CREATEEVENT, number, &record));
        CCMOD_TRY(handlers[record.kind](engine, number, &record));
        if (engine->traffic.message_count > open)
            CCMOD_TRY(check_open(engine, number, record.line));
    }
    return CCMOD_OK;
}

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

static void note_all(const ccmod_engine *engine, uint32_t *waits_for)
{
    uint32_t outside = 0; /* processors that have not reached the barrier */
    const match_item *item;
    size_t at = 0;

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
    /* The other side of each open item: a sender's receiver, a receiver's sender. The lowest rank
     * is kept for each, so that the text does not depend on the order of a table. */
    while ((item = ccmod_match_next(engine, &at)) != NULL) {
        bool send = (item->flags & ITEM_SEND) != 0;
        uint32_t who = send ? item->source : item->receiver;
        uint32_t whom = send ? item->receiver : item->source;
        uint32_t state = engine->processors[who].state;

        /* those that wait for their started operations, not for the partner of their record */
        if ((state == PROCESSOR_IN_WAIT || state == PROCESSOR_IN_MULTICAST) &&
            whom < waits_for[who])
            waits_for[who] = whom;
    }
}

static void tell_one(const ccmod_engine *engine, standstill_story *story, uint32_t number,
                     uint32_t waits_for)
{
    static const char *const activities[] = {[PROCESSOR_IN_SEND] = "sends to",
                                             [PROCESSOR_IN_RECEIVE] = "receives from",
                                             [PROCESSOR_IN_MULTICAST] =
                                                 "multicasts, not yet received by",
                                             [PROCESSOR_IN_WAIT] = "waits for what it started with",
                                             [PROCESSOR_IN_AWAIT] = "waits for a message or the "
                                                                    "end of a send, from or to",
                                             [PROCESSOR_IN_BARRIER] = "is in a barrier without"};
    const engine_processor *processor = &engine->processors[number];

    if (processor->state == PROCESSOR_ENDED) {
        tell(story, "rank %u has ended", number);
        return;
    }
    tell(story, "rank %u ", number);
    if (processor->line > 0)
        tell(story, "(line %u) ", processor->line);
    tell(story, "%s ", activities[processor->state]);
    if (waits_for == TRAFFIC_NONE)
        tell(story, "any rank");
    else
        tell(story, "rank %u", waits_for);
}

/* The first rank that repeats from `start` on, or the last one of the chain. */
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
                      "deadlock at %.3f us: %zu of %zu ranks wait forever: %s; %s",
                      engine->traffic.now_us, blocked, engine->processor_count, story.text,
                      engine->traffic.reacts
                          ? "send what they wait for, or wait for a limited time"
                          : "put sends and receives in an order in which each can be answered, or "
                            "start them with is and ir");
}
