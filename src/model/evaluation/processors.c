/* What processors do: they take their records one after the other until one blocks them, and every
 * microsecond of theirs is accounted for as computing, sending, receiving or waiting. */
#include "model/evaluation/engine.h"

#include <math.h>
#include <stdlib.h>

typedef ccmod_status (*record_handler)(ccmod_engine *engine, uint32_t processor,
                                       const ccmod_record *record);

/* Accounts */

static ccmod_status signal_interval(ccmod_engine *engine, uint32_t number, ccmod_activity activity,
                                    double until_us)
{
    const engine_processor *processor = &engine->processors[number];
    double now_us = engine->now_us;
    ccmod_signal signal = {.of.interval = {.processor = number,
                                           .activity = activity,
                                           .since_us = processor->clock_us,
                                           .line = processor->line,
                                           .measured_us = engine->measured != NULL
                                                              ? engine->measured[number].measured_us
                                                              : -1}};
    ccmod_status status;

    /* a wait is known to have been one when the message starts to move, which may be some time ago
     */
    engine->now_us = until_us;
    status = ccmod_signal_send(engine, &signal, CCMOD_SIGNAL_UPPR_PROC);
    engine->now_us = now_us;
    return status;
}

/* The time since the processor's clock went on `activity`; the clock is put forward. */
static ccmod_status account(ccmod_engine *engine, uint32_t number, ccmod_activity activity,
                            double until_us)
{
    engine_processor *processor = &engine->processors[number];

    if (!(until_us > processor->clock_us))
        return CCMOD_OK;
    if (engine_wants(engine, CCMOD_SIGNAL_UPPR_PROC))
        CCMOD_TRY(signal_interval(engine, number, activity, until_us));
    processor->spent_us[activity] += until_us - processor->clock_us;
    processor->clock_us = until_us;
    return CCMOD_OK;
}

/* Waiting until the message started, and `activity` from then on. Hot: without a branch, since
 * nobody can foresee which half of a message came first. */
static ccmod_status account_message(ccmod_engine *engine, uint32_t number, ccmod_activity activity,
                                    double start_us)
{
    engine_processor *processor = &engine->processors[number];
    double clock_us = processor->clock_us;
    double moved_us = start_us > clock_us ? start_us : clock_us;

    if (engine_wants(engine, CCMOD_SIGNAL_UPPR_PROC)) {
        CCMOD_TRY(account(engine, number, CCMOD_WAITING, start_us));
        return account(engine, number, activity, engine->now_us);
    }
    processor->spent_us[CCMOD_WAITING] += moved_us - clock_us;
    processor->spent_us[activity] += engine->now_us - moved_us;
    processor->clock_us = engine->now_us;
    return CCMOD_OK;
}

/* Measured times */

static void compare(ccmod_engine *engine, uint32_t number)
{
    engine_measured *measured = &engine->measured[number];
    ccmod_comparison *comparison = &engine->comparison;
    double predicted_us = engine->now_us - measured->since_us;
    double error;

    if (measured->measured_us < 0)
        return;
    comparison->records++;
    comparison->measured_us += measured->measured_us;
    comparison->predicted_us += predicted_us;
    error = measured->measured_us > 0
                ? fabs(predicted_us - measured->measured_us) / measured->measured_us
                : 0;
    if (error > comparison->worst_error) {
        comparison->worst_error = error;
        comparison->worst_line = engine->processors[number].line;
    }
    measured->measured_us = -1;
}

static ccmod_status note_measured(ccmod_engine *engine, uint32_t number, double measured_us)
{
    if (engine->measured == NULL) {
        engine->measured = malloc(engine->processor_count * sizeof(*engine->measured));
        if (engine->measured == NULL)
            return ccmod_engine_no_memory(engine);
        for (size_t i = 0; i < engine->processor_count; i++)
            engine->measured[i].measured_us = -1;
    }
    engine->measured[number] = (engine_measured){measured_us, engine->now_us};
    return CCMOD_OK;
}

/* Records */

/* For `us` the processor does nothing else. */
static ccmod_status keep_busy(ccmod_engine *engine, uint32_t number, ccmod_activity activity,
                              double us)
{
    engine_processor *processor = &engine->processors[number];

    if (!(us > 0))
        return CCMOD_OK;
    processor->state = PROCESSOR_BUSY;
    processor->activity = (uint8_t)activity;
    return ccmod_queue_push(engine, engine->now_us + us, EVENT_RESUME, number);
}

static void block(ccmod_engine *engine, uint32_t number, processor_state state, uint32_t peer)
{
    engine->processors[number].state = (uint8_t)state;
    engine->processors[number].peer = peer;
}

static ccmod_status end(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    (void)record;
    block(engine, number, PROCESSOR_ENDED, 0);
    engine->ended_count++;
    return CCMOD_OK;
}

static ccmod_status compute(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    if (!(record->time_us >= 0) || isinf(record->time_us))
        return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, record->line,
                          "rank %u computes for %g us; a time must be 0 or more, and finite",
                          number, record->time_us);
    CCMOD_TRY(keep_busy(engine, number, CCMOD_COMPUTING, record->time_us));
    return signal_event(engine, CCMOD_SIGNAL_NEWPROC, number, record);
}

/* What a send that is not waited for costs its processor: in mode split the overhead. The route's
 * length matters only to a network that has a delay of its own. */
static double overhead_of(ccmod_engine *engine, uint32_t number, const ccmod_record *record,
                          uint32_t peer)
{
    const ccmod_network *network = engine->network;
    size_t hops = 2;

    if (engine->parameters.mode == CCMOD_PAPER)
        return 0;
    if (network->operations->quiet_delay != NULL)
        hops = network->operations->route(network, number, peer, engine->route);
    return engine_quiet_delay(engine, hops, record->size_bytes)->overhead_us;
}

static bool is_eager(const ccmod_engine *engine, const ccmod_record *record)
{
    return engine->parameters.mode == CCMOD_SPLIT &&
           record->size_bytes < engine->calibration->eager_bytes;
}

static ccmod_status send(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    if (is_eager(engine, record)) {
        CCMOD_TRY(ccmod_match_send(engine, number, record, MESSAGE_EAGER));
        return keep_busy(engine, number, CCMOD_SENDING,
                         overhead_of(engine, number, record, record->peer));
    }
    block(engine, number, PROCESSOR_IN_SEND, record->peer);
    return ccmod_match_send(engine, number, record, MESSAGE_SENDER_BLOCKED);
}

static ccmod_status start_send(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    bool eager = is_eager(engine, record);

    engine->processors[number].outstanding += !eager;
    CCMOD_TRY(ccmod_match_send(engine, number, record, eager ? MESSAGE_EAGER : 0));
    return keep_busy(engine, number, CCMOD_SENDING,
                     overhead_of(engine, number, record, record->peer));
}

static ccmod_status multicast(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    if (record->list_count == 0)
        return CCMOD_OK;
    if (is_eager(engine, record)) {
        CCMOD_TRY(ccmod_match_fan(engine, number, record, MESSAGE_EAGER));
        return keep_busy(engine, number, CCMOD_SENDING,
                         overhead_of(engine, number, record, record->list[0]));
    }
    block(engine, number, PROCESSOR_IN_MULTICAST, record->list[0]);
    return ccmod_match_fan(engine, number, record, MESSAGE_SENDER_BLOCKED);
}

static ccmod_status receive(ccmod_engine *engine, uint32_t number, const ccmod_record *record)
{
    bool done;

    block(engine, number, PROCESSOR_IN_RECEIVE, record->peer);
    CCMOD_TRY(ccmod_match_receive(engine, number, record, true, &done));
    if (!done)
        return CCMOD_OK;
    engine_note_receive(engine, number);
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
    engine_note_receive(engine, number);
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
    return ccmod_queue_push(engine, engine->now_us + engine->calibration->barrier_us, EVENT_BARRIER,
                            0);
}

static const record_handler handlers[CCMOD_RECORDS] = {
    [CCMOD_END] = end,
    [CCMOD_COMPUTE] = compute,
    [CCMOD_SEND] = send,
    [CCMOD_RECEIVE] = receive,
    [CCMOD_START_SEND] = start_send,
    [CCMOD_START_RECEIVE] = start_receive,
    [CCMOD_WAIT] = wait_for_all,
    [CCMOD_MULTICAST] = multicast,
    [CCMOD_BARRIER] = enter_barrier,
};

/* The record behind the last one, until one blocks. */
static size_t largest_open(const ccmod_engine *engine)
{
    size_t each = ENGINE_LARGEST_OPEN_EACH * engine->processor_count;

    if (engine->parameters.open_messages > 0)
        return engine->parameters.open_messages;
    return each > ENGINE_LARGEST_OPEN ? each : ENGINE_LARGEST_OPEN;
}

static ccmod_status refuse_open(const ccmod_engine *engine, uint32_t number, uint32_t line)
{
    return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, line,
                      "rank %u starts one message too many here: %zu of all ranks are under way or "
                      "wait to be received; receive them earlier, or wait for them",
                      number, engine->message_count);
}

ccmod_status ccmod_processor_run(ccmod_engine *engine, uint32_t number)
{
    engine_processor *processor = &engine->processors[number];
    size_t largest = largest_open(engine);

    processor->state = PROCESSOR_RUNNING;
    while (processor->state == PROCESSOR_RUNNING) {
        ccmod_record record;

        if (engine->measured != NULL)
            compare(engine, number);
        CCMOD_TRY(engine->workload->next(engine->workload, number, &record, engine->error));
        processor->line = record.line;
        if (record.kind != CCMOD_END && record.measured_us >= 0)
            CCMOD_TRY(note_measured(engine, number, record.measured_us));
        CCMOD_TRY(signal_event(engine, CCMOD_SIGNAL_CREATEEVENT, number, &record));
        CCMOD_TRY(handlers[record.kind](engine, number, &record));
        if (engine->message_count > largest)
            return refuse_open(engine, number, record.line);
    }
    return CCMOD_OK;
}

ccmod_status ccmod_processor_finish(ccmod_engine *engine, uint32_t number, bool blocked,
                                    ccmod_activity activity, double start_us)
{
    engine_processor *processor = &engine->processors[number];

    if (blocked) {
        CCMOD_TRY(account_message(engine, number, activity, start_us));
        return engine_append(engine, &engine->ready, number);
    }
    processor->outstanding--;
    if (processor->state != PROCESSOR_IN_WAIT || processor->outstanding > 0)
        return CCMOD_OK;
    CCMOD_TRY(account(engine, number, CCMOD_WAITING, engine->now_us));
    return engine_append(engine, &engine->ready, number);
}

ccmod_status ccmod_processor_resume(ccmod_engine *engine, uint32_t number)
{
    CCMOD_TRY(account(engine, number, (ccmod_activity)engine->processors[number].activity,
                      engine->now_us));
    return engine_append(engine, &engine->ready, number);
}

ccmod_status ccmod_processors_leave_barrier(ccmod_engine *engine)
{
    engine->in_barrier = 0;
    for (uint32_t number = 0; number < engine->processor_count; number++) {
        CCMOD_TRY(account(engine, number, CCMOD_WAITING, engine->now_us));
        CCMOD_TRY(engine_append(engine, &engine->ready, number));
    }
    return CCMOD_OK;
}
