/* Signals on their way to the observers. */
#include "model/evaluation/engine.h"

static bool is_fan(const engine_message *message)
{
    return (message->flags & MESSAGE_FAN) != 0;
}

ccmod_status ccmod_signal_send(ccmod_engine *engine, ccmod_signal *signal, ccmod_signal_kind kind)
{
    signal->kind = kind;
    signal->clock_us = engine->now_us;
    for (size_t i = 0; i < engine->observer_count; i++) {
        const ccmod_observer *observer = &engine->observers[i];

        if ((observer->wanted & CCMOD_WANTS(kind)) != 0)
            CCMOD_TRY(observer->signal(observer->self, signal, engine->error));
    }
    return CCMOD_OK;
}

ccmod_status ccmod_signal_send_event(ccmod_engine *engine, ccmod_signal_kind kind,
                                     uint32_t processor, const ccmod_record *record)
{
    ccmod_signal signal = {.of.event = {processor, record}};

    return ccmod_signal_send(engine, &signal, kind);
}

void ccmod_signal_describe(ccmod_engine *engine, uint32_t number, ccmod_signal *signal)
{
    const engine_message *message = &engine->pool[number];
    const engine_fan *fan = is_fan(message) ? &engine->fans[message->destination] : NULL;
    ccmod_delay quiet = ccmod_message_delay(engine, message);
    double before_us = quiet.overhead_us + quiet.latency_us;

    for (size_t i = 0; i < message->slot_count; i++)
        engine->route[i] = engine->slots[message->slots + i].cell;
    signal->of.message = (ccmod_message){
        .id = engine->ids[number],
        .source = message->source,
        .destinations = fan != NULL ? fan->destinations : &message->destination,
        .destination_count = fan != NULL ? fan->count : 1,
        .size_bytes = message->size_bytes,
        .packets = ccmod_packets(engine->network, message->size_bytes),
        .line = message->line,
        .cells = engine->route,
        .cell_count = message->slot_count,
        .hops = fan != NULL ? fan->hops : message->slot_count,
        .quiet = quiet,
        .start_us = message->start_us,
        .flow_us = message->start_us + engine_before_links_us(engine, &quiet),
        .contention = 1,
        .bottleneck = message->slot_count > 0 ? engine->route[0] : CCMOD_NO_CELL,
        .availability = 1,
        .cost_us = before_us + quiet.transfer_us,
        .remaining_us =
            (engine->parameters.mode == CCMOD_SPLIT ? 0 : before_us) + quiet.transfer_us,
    };
}
