/* Time accounting of processors, and messages from start to arrival. */
#include "model/evaluation/delivery.h"

#include "model/evaluation/reactions.h"
#include "model/sharing/traffic.h"

/* Account the time since the processor's clock to `activity`, and advance the clock. */
static ccmod_status account_time(ccmod_engine *engine, uint32_t number, ccmod_activity activity,
                                 double until_us)
{
    engine_processor *processor = &engine->processors[number];

    if (!(until_us > processor->clock_us))
        return CCMOD_OK;
    if (audience_expects(&engine->traffic.audience, CCMOD_SIGNAL_UPPR_PROC)) {
        ccmod_signal signal = {
            .of.interval = {.processor = number,
                            .activity = activity,
                            .since_us = processor->clock_us,
                            .line = processor->line,
                            .measured_us = engine->measured != NULL
                                               ? engine->measured[number].measured_us
                                               : -1}};

        CCMOD_TRY(ccmod_signal_send(&engine->traffic.audience, CCMOD_SIGNAL_UPPR_PROC, until_us,
                                    &signal));
    }
    processor->spent_us[activity] += until_us - processor->clock_us;
    processor->clock_us = until_us;
    return CCMOD_OK;
}

/* Account waiting until the message started, and `activity` after that. Hot: without a branch,
 * since it is unpredictable which half of a message came first. */
static ccmod_status account_message(ccmod_engine *engine, uint32_t number, ccmod_activity activity,
                                    double start_us)
{
    engine_processor *processor = &engine->processors[number];
    double now_us = engine->traffic.now_us, clock_us = processor->clock_us;
    double moved_us = start_us > clock_us ? start_us : clock_us;

    if (audience_expects(&engine->traffic.audience, CCMOD_SIGNAL_UPPR_PROC)) {
        CCMOD_TRY(account_time(engine, number, CCMOD_WAITING, start_us));
        return account_time(engine, number, activity, now_us);
    }
    processor->spent_us[CCMOD_WAITING] += moved_us - clock_us;
    processor->spent_us[activity] += now_us - moved_us;
    processor->clock_us = now_us;
    return CCMOD_OK;
}

/* Continue a processor that has what it waits for. */
static ccmod_status stop_waiting(ccmod_engine *engine, uint32_t number)
{
    engine_processor *processor = &engine->processors[number];

    if (!(processor->state == PROCESSOR_IN_WAIT && processor->outstanding == 0) &&
        !(processor->state == PROCESSOR_IN_AWAIT && reactor_has_enough(engine, number)))
        return CCMOD_OK;
    processor->state = PROCESSOR_RUNNING;
    CCMOD_TRY(account_time(engine, number, CCMOD_WAITING, engine->traffic.now_us));
    return traffic_append(&engine->traffic, &engine->ready, number);
}

ccmod_status ccmod_processor_finish(ccmod_engine *engine, uint32_t number, bool blocked,
                                    ccmod_activity activity, double start_us)
{
    engine_processor *processor = &engine->processors[number];

    if (blocked) {
        CCMOD_TRY(account_message(engine, number, activity, start_us));
        return traffic_append(&engine->traffic, &engine->ready, number);
    }
    processor->outstanding--;
    return stop_waiting(engine, number);
}

ccmod_status ccmod_processor_wake(ccmod_engine *engine, uint32_t number)
{
    if (number >= engine->processor_count || engine->processors[number].state != PROCESSOR_IN_AWAIT)
        return CCMOD_OK;
    engine->reactors[number].needed = 0;
    return stop_waiting(engine, number);
}

ccmod_status ccmod_processor_expire(ccmod_engine *engine, uint32_t number)
{
    bool over;

    CCMOD_TRY(ccmod_reactor_expire(engine, number, &over));
    return over ? stop_waiting(engine, number) : CCMOD_OK;
}

ccmod_status ccmod_processor_resume(ccmod_engine *engine, uint32_t number)
{
    CCMOD_TRY(account_time(engine, number, (ccmod_activity)engine->processors[number].activity,
                           engine->traffic.now_us));
    return traffic_append(&engine->traffic, &engine->ready, number);
}

ccmod_status ccmod_processors_leave_barrier(ccmod_engine *engine)
{
    engine->in_barrier = 0;
    for (uint32_t number = 0; number < engine->processor_count; number++) {
        CCMOD_TRY(account_time(engine, number, CCMOD_WAITING, engine->traffic.now_us));
        CCMOD_TRY(traffic_append(&engine->traffic, &engine->ready, number));
    }
    return CCMOD_OK;
}

/* The message enters the links; if it is alone there, the time of its end is known. */
static ccmod_status enter_links(ccmod_engine *engine, uint32_t number, double work_us)
{
    const traffic_message *message = &engine->traffic.pool[number];

    CCMOD_TRY(engine->flows->start(&engine->traffic, number, work_us));
    return (message->flags & MESSAGE_ALONE) != 0
               ? engine_push(engine, message->finish, EVENT_ARRIVE, number)
               : CCMOD_OK;
}

/* Take the message's route and start its first step. */
static ccmod_status message_begin(ccmod_engine *engine, uint32_t number)
{
    ccmod_traffic *traffic = &engine->traffic;
    traffic_message *message;
    ccmod_delay delay;
    double before_us, asks_us;

    CCMOD_TRY(ccmod_message_take_route(traffic, number));
    message = &traffic->pool[number];
    delay = ccmod_message_delay(traffic, message);
    before_us = delay.overhead_us + delay.latency_us;
    asks_us = message_before_links_us(traffic, &delay);
    message->start_us = traffic->now_us;
    message->finish = delay.transfer_us;
    message->flags |= MESSAGE_STARTED;
    if (traffic->ids != NULL)
        traffic->ids[number] = engine->messages;
    engine->messages++;
    if (audience_expects(&traffic->audience, CCMOD_SIGNAL_NEWSCOM)) {
        ccmod_signal signal = {.of.message = ccmod_message_describe(traffic, number)};

        CCMOD_TRY(
            ccmod_signal_send(&traffic->audience, CCMOD_SIGNAL_NEWSCOM, traffic->now_us, &signal));
    }
    if (traffic->parameters.mode == CCMOD_PAPER) {
        if (before_us + delay.transfer_us > 0)
            return enter_links(engine, number, before_us + delay.transfer_us);
    } else if (delay.transfer_us > 0) {
        if (asks_us > 0)
            return engine_push(engine, traffic->now_us + asks_us, EVENT_FLOW, number);
        return enter_links(engine, number, delay.transfer_us);
    }
    return engine_push(engine, traffic->now_us + before_us, EVENT_ARRIVE, number);
}

ccmod_status ccmod_delivery_start(ccmod_engine *engine, uint32_t source, uint32_t destination,
                                  uint64_t size_bytes, uint32_t line, uint32_t flags, uint32_t *out)
{
    uint32_t number = TRAFFIC_NONE;

    CCMOD_TRY(pool_take(&engine->traffic, &number));
    engine->traffic.pool[number] = (traffic_message){.source = source,
                                                     .destination = destination,
                                                     .size_bytes = size_bytes,
                                                     .line = line,
                                                     .flags = flags | MESSAGE_LIVE};
    *out = number;
    return message_begin(engine, number);
}

ccmod_status ccmod_delivery_start_multicast(ccmod_engine *engine, uint32_t source,
                                            const ccmod_record *record, uint32_t flags,
                                            uint32_t *out)
{
    uint32_t receivers = 0, number = TRAFFIC_NONE;

    CCMOD_TRY(ccmod_receivers_make(&engine->traffic, record, &receivers));
    CCMOD_TRY(pool_take(&engine->traffic, &number));
    engine->traffic.pool[number] =
        (traffic_message){.source = source,
                          .destination = receivers,
                          .size_bytes = record->size_bytes,
                          .line = record->line,
                          .flags = flags | MESSAGE_LIVE | MESSAGE_MULTICAST};
    *out = number;
    return (flags & MESSAGE_EAGER) != 0 || engine->traffic.reacts ? message_begin(engine, number)
                                                                  : CCMOD_OK;
}

/* Free the message; if it still has a void event, which may come a rounding error after its end,
 * with that event. */
static void message_give(ccmod_traffic *traffic, uint32_t number)
{
    if ((traffic->pool[number].flags & MESSAGE_JOINED) != 0)
        traffic->pool[number].flags |= MESSAGE_DONE;
    else
        ccmod_message_give(traffic, number);
}

ccmod_status ccmod_delivery_match(ccmod_engine *engine, uint32_t number, uint32_t receiver,
                                  bool blocked, bool *arrived)
{
    traffic_message *message = &engine->traffic.pool[number];
    uint32_t flags = MESSAGE_MATCHED | (blocked ? MESSAGE_RECEIVER_BLOCKED : 0);

    *arrived = (message->flags & MESSAGE_ARRIVED) != 0;
    if ((message->flags & MESSAGE_MULTICAST) != 0) {
        traffic_receivers *receivers = &engine->traffic.receiver_lists[message->destination];

        receivers->flags[receiver] = (uint8_t)flags;
        if (--receivers->unmatched > 0)
            return CCMOD_OK;
    } else {
        message->flags |= flags;
    }
    if (*arrived)
        message_give(&engine->traffic, number);
    else if ((message->flags & MESSAGE_STARTED) == 0)
        return message_begin(engine, number);
    return CCMOD_OK;
}

ccmod_status ccmod_delivery_flow(ccmod_engine *engine, uint32_t number)
{
    return enter_links(engine, number, engine->traffic.pool[number].finish);
}

/* Arrival */

static ccmod_status signal_end(ccmod_traffic *traffic, uint32_t number)
{
    ccmod_signal signal = {.of.message = ccmod_message_describe(traffic, number)};
    ccmod_message *message = &signal.of.message;
    double work_us = message->remaining_us;
    double taken_us =
        traffic->now_us - message->flow_us - message_after_links_us(traffic, &message->quiet);

    message->cost_us = traffic->now_us - message->start_us;
    message->contention = 1;
    if (work_us > 0 && taken_us > work_us)
        message->contention = taken_us / work_us;
    message->availability = 1 / message->contention;
    message->remaining_us = 0;
    return ccmod_signal_send(&traffic->audience, CCMOD_SIGNAL_UPPR_END, traffic->now_us, &signal);
}

ccmod_status ccmod_delivery_tell_sender(ccmod_engine *engine, uint32_t number)
{
    const ccmod_traffic *traffic = &engine->traffic;
    const traffic_message *message = &traffic->pool[number];
    const traffic_letter *letter = &traffic->letters[number];
    const bool multicast = (message->flags & MESSAGE_MULTICAST) != 0;

    return ccmod_reactor_tell(
        engine, message->source,
        &(ccmod_completion){
            .request = letter->request,
            .peer = multicast ? traffic->receiver_lists[message->destination].destinations[0]
                              : message->destination,
            .size_bytes = message->size_bytes,
            .cargo = letter->cargo});
}

static ccmod_status finish_receiver(ccmod_engine *engine, uint32_t receiver, uint32_t flags,
                                    double start_us)
{
    if ((flags & MESSAGE_MATCHED) == 0)
        return CCMOD_OK;
    processor_note_receive(engine, receiver);
    return ccmod_processor_finish(engine, receiver, (flags & MESSAGE_RECEIVER_BLOCKED) != 0,
                                  CCMOD_RECEIVING, start_us);
}

ccmod_status ccmod_delivery_arrive(ccmod_engine *engine, uint32_t number)
{
    ccmod_traffic *traffic = &engine->traffic;
    traffic_message *message = &traffic->pool[number];
    bool all;

    if (audience_expects(&traffic->audience, CCMOD_SIGNAL_UPPR_END))
        CCMOD_TRY(signal_end(traffic, number));
    message->flags |= MESSAGE_ARRIVED;
    ccmod_message_give_route(traffic, number);
    engine->finished++;
    if ((message->flags & MESSAGE_EAGER) == 0) {
        if (traffic->reacts)
            CCMOD_TRY(ccmod_delivery_tell_sender(engine, number));
        CCMOD_TRY(ccmod_processor_finish(engine, message->source,
                                         (message->flags & MESSAGE_SENDER_BLOCKED) != 0,
                                         CCMOD_SENDING, message->start_us));
    }
    if (traffic->reacts)
        return traffic_append(traffic, &engine->landed, number);
    if ((message->flags & MESSAGE_MULTICAST) != 0) {
        const traffic_receivers *receivers = &traffic->receiver_lists[message->destination];

        all = receivers->unmatched == 0;
        for (size_t i = 0; i < receivers->count; i++)
            CCMOD_TRY(finish_receiver(engine, receivers->destinations[i], receivers->flags[i],
                                      message->start_us));
    } else {
        all = (message->flags & MESSAGE_MATCHED) != 0;
        CCMOD_TRY(finish_receiver(engine, message->destination, message->flags, message->start_us));
    }
    if (all)
        message_give(traffic, number);
    return CCMOD_OK;
}

void ccmod_delivery_forget_event(ccmod_engine *engine, uint32_t number)
{
    ccmod_traffic *traffic = &engine->traffic;

    traffic->joined--;
    traffic->pool[number].flags &= ~(uint32_t)MESSAGE_JOINED;
    if ((traffic->pool[number].flags & MESSAGE_DONE) != 0)
        ccmod_message_give(traffic, number);
}

ccmod_status ccmod_delivery_event(ccmod_engine *engine, uint32_t number)
{
    uint32_t flags = engine->traffic.pool[number].flags;

    if ((flags & MESSAGE_JOINED) != 0) {
        ccmod_delivery_forget_event(engine, number);
        return CCMOD_OK;
    }
    if ((flags & MESSAGE_ALONE) != 0)
        engine->flows->leave(&engine->traffic, number);
    return ccmod_delivery_arrive(engine, number);
}
