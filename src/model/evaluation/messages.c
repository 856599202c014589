/* The life of a message: it starts, in mode split its overhead and latency pass, its work for the
 * links is done, it arrives, and whoever waits for it goes on. */
#include "model/evaluation/engine.h"

#include <stdlib.h>
#include <string.h>

#include "model/networks/networks.h"

/* Slots: blocks of a power of two, so that a block that was given back fits the next route */

static unsigned class_of(size_t count)
{
    return count > 1 ? 64 - (unsigned)__builtin_clzll(count - 1) : 0;
}

static ccmod_status take_slots(ccmod_engine *engine, size_t count, uint32_t *out)
{
    unsigned class = class_of(count);
    size_t block = (size_t)1 << class;

    if (engine->free_slots[class] != ENGINE_NONE) {
        *out = engine->free_slots[class];
        engine->free_slots[class] = engine->slots[*out].sibling;
        if (engine->free_slots[class] != ENGINE_NONE)
            __builtin_prefetch(&engine->slots[engine->free_slots[class]], 1);
        return CCMOD_OK;
    }
    if (engine->slot_count + block >= ENGINE_NONE)
        return ccmod_engine_no_memory(engine);
    while (engine->slot_count + block > engine->slot_room) {
        engine_slot *grown =
            cb_grow(engine->slots, engine->slot_room, &engine->slot_room, sizeof(*grown));

        if (grown == NULL)
            return ccmod_engine_no_memory(engine);
        engine->slots = grown;
    }
    *out = (uint32_t)engine->slot_count;
    engine->slot_count += block;
    return CCMOD_OK;
}

static void give_slots(ccmod_engine *engine, engine_message *message)
{
    unsigned class = class_of(message->slot_count);

    if (message->slot_count == 0)
        return;
    engine->slots[message->slots].sibling = engine->free_slots[class];
    engine->free_slots[class] = message->slots;
    message->slot_count = 0;
}

/* The first `count` cells of engine->route become the message's slots. */
static ccmod_status lay_route(ccmod_engine *engine, uint32_t number, size_t count)
{
    uint64_t packets = ccmod_packets(engine->network, engine->pool[number].size_bytes);
    uint32_t first = 0;

    CCMOD_TRY(take_slots(engine, count, &first));
    engine->pool[number].slots = first;
    engine->pool[number].slot_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        engine->slots[first + i] =
            (engine_slot){.cell = engine->route[i], .message = number, .back = first + i};
        engine->cells[engine->route[i]].packets += packets;
    }
    return CCMOD_OK;
}

/* Messages */

static ccmod_status widen_ids(ccmod_engine *engine)
{
    uint64_t *ids;

    if (engine->observer_count == 0)
        return CCMOD_OK;
    ids = realloc(engine->ids, engine->message_room * sizeof(*ids));
    if (ids == NULL)
        return ccmod_engine_no_memory(engine);
    engine->ids = ids;
    return CCMOD_OK;
}

ccmod_status ccmod_pool_take_new(ccmod_engine *engine, uint32_t *out)
{
    engine_message *grown;

    if (engine->message_count == engine->message_room) {
        if (engine->message_count >= ENGINE_LARGEST_SUBJECT)
            return ccmod_engine_no_memory(engine);
        grown = cb_grow(engine->pool, engine->message_count, &engine->message_room, sizeof(*grown));
        if (grown == NULL)
            return ccmod_engine_no_memory(engine);
        engine->pool = grown;
        CCMOD_TRY(widen_ids(engine));
    }
    *out = (uint32_t)engine->message_count++;
    return CCMOD_OK;
}

static void free_fan(engine_fan *fan)
{
    free(fan->destinations);
    free(fan->flags);
    *fan = (engine_fan){0};
}

static void give_message(ccmod_engine *engine, uint32_t number)
{
    engine_message *message = &engine->pool[number];

    if ((message->flags & MESSAGE_FAN) != 0) {
        free_fan(&engine->fans[message->destination]);
        engine->fans[message->destination].next = engine->free_fan;
        engine->free_fan = message->destination;
    }
    engine_pool_give(engine, number);
}

static ccmod_status signal_start(ccmod_engine *engine, uint32_t number)
{
    ccmod_signal signal = {0};

    ccmod_signal_describe(engine, number, &signal);
    return ccmod_signal_send(engine, &signal, CCMOD_SIGNAL_NEWSCOM);
}

static ccmod_status announce(ccmod_engine *engine, uint32_t number)
{
    if (engine->ids != NULL)
        engine->ids[number] = engine->messages;
    engine->messages++;
    return engine_wants(engine, CCMOD_SIGNAL_NEWSCOM) ? signal_start(engine, number) : CCMOD_OK;
}

/* Its way is known: it takes its first step. */
static ccmod_status begin(ccmod_engine *engine, uint32_t number)
{
    engine_message *message = &engine->pool[number];
    ccmod_delay delay = ccmod_message_delay(engine, message);
    double before_us = delay.overhead_us + delay.latency_us;
    double asks_us = engine_before_links_us(engine, &delay);

    message->start_us = engine->now_us;
    message->finish = delay.transfer_us;
    message->flags |= MESSAGE_STARTED;
    CCMOD_TRY(announce(engine, number));
    if (engine->parameters.mode == CCMOD_PAPER) {
        if (before_us + delay.transfer_us > 0)
            return engine->flows->start(engine, number, before_us + delay.transfer_us);
    } else if (delay.transfer_us > 0) {
        if (asks_us > 0)
            return ccmod_queue_push(engine, engine->now_us + asks_us, EVENT_FLOW, number);
        return engine->flows->start(engine, number, delay.transfer_us);
    }
    return ccmod_queue_push(engine, engine->now_us + before_us, EVENT_ARRIVE, number);
}

double ccmod_message_links_latency(const ccmod_engine *engine, const engine_message *message)
{
    double sum_us = 0;

    if (engine->network->latencies_us == NULL)
        return 0;
    if ((message->flags & MESSAGE_FAN) != 0)
        return engine->fans[message->destination].latency_us;
    for (uint32_t i = 0; i < message->slot_count; i++)
        sum_us += engine->network->latencies_us[engine->slots[message->slots + i].cell];
    return sum_us;
}

ccmod_delay ccmod_message_delay(ccmod_engine *engine, const engine_message *message)
{
    bool fan = (message->flags & MESSAGE_FAN) != 0;
    size_t hops = fan ? engine->fans[message->destination].hops : message->slot_count;
    ccmod_delay delay = *engine_quiet_delay(engine, hops, message->size_bytes);

    if (engine->network->latencies_us != NULL)
        delay.latency_us += ccmod_message_links_latency(engine, message);
    return delay;
}

ccmod_status ccmod_message_start(ccmod_engine *engine, uint32_t source, uint32_t destination,
                                 uint64_t size_bytes, uint32_t line, uint32_t flags, uint32_t *out)
{
    const ccmod_network *network = engine->network;
    size_t count = network->operations->route(network, source, destination, engine->route);
    uint32_t number = ENGINE_NONE;

    CCMOD_TRY(engine_pool_take(engine, &number));
    engine->pool[number] = (engine_message){.source = source,
                                            .destination = destination,
                                            .size_bytes = size_bytes,
                                            .line = line,
                                            .flags = flags | MESSAGE_LIVE};
    *out = number;
    CCMOD_TRY(lay_route(engine, number, count));
    return begin(engine, number);
}

ccmod_status ccmod_message_flow(ccmod_engine *engine, uint32_t number)
{
    return engine->flows->start(engine, number, engine->pool[number].finish);
}

/* Multicasts */

static ccmod_status take_fan(ccmod_engine *engine, uint32_t *out)
{
    engine_fan *fans;

    if (engine->free_fan != ENGINE_NONE) {
        *out = engine->free_fan;
        engine->free_fan = engine->fans[*out].next;
        return CCMOD_OK;
    }
    fans = cb_grow(engine->fans, engine->fan_count, &engine->fan_room, sizeof(*fans));
    if (fans == NULL || engine->fan_count >= ENGINE_NONE - 1)
        return ccmod_engine_no_memory(engine);
    engine->fans = fans;
    *out = (uint32_t)engine->fan_count++;
    return CCMOD_OK;
}

static ccmod_status make_fan(ccmod_engine *engine, const ccmod_record *record, uint32_t *out)
{
    engine_fan *fan;

    CCMOD_TRY(take_fan(engine, out));
    fan = &engine->fans[*out];
    *fan = (engine_fan){.destinations = malloc(record->list_count * sizeof(*fan->destinations)),
                        .flags = calloc(record->list_count, sizeof(*fan->flags)),
                        .count = record->list_count,
                        .unmatched = record->list_count};
    if (fan->destinations == NULL || fan->flags == NULL)
        return ccmod_engine_no_memory(engine);
    memcpy(fan->destinations, record->list, record->list_count * sizeof(*fan->destinations));
    return CCMOD_OK;
}

static ccmod_status widen_route(ccmod_engine *engine, size_t room)
{
    uint32_t *wider;

    if (room <= engine->route_room)
        return CCMOD_OK;
    wider = realloc(engine->route, room * sizeof(*wider));
    if (wider == NULL)
        return ccmod_engine_no_memory(engine);
    engine->route = wider;
    engine->route_room = room;
    return CCMOD_OK;
}

/* Of the links to the receiver with the largest. */
static double find_latency(const ccmod_engine *engine, uint32_t source, const engine_fan *fan)
{
    const ccmod_network *network = engine->network;
    double longest_us = 0;

    for (size_t i = 0; i < fan->count && network->latencies_us != NULL; i++) {
        size_t hops =
            network->operations->route(network, source, fan->destinations[i], engine->route);
        double sum_us = 0;

        for (size_t k = 0; k < hops; k++)
            sum_us += network->latencies_us[engine->route[k]];
        longest_us = sum_us > longest_us ? sum_us : longest_us;
    }
    return longest_us;
}

ccmod_status ccmod_message_make_fan(ccmod_engine *engine, uint32_t source,
                                    const ccmod_record *record, uint32_t flags, uint32_t *out)
{
    uint32_t fan = 0, number;

    CCMOD_TRY(make_fan(engine, record, &fan));
    CCMOD_TRY(engine_pool_take(engine, &number));
    engine->pool[number] = (engine_message){.source = source,
                                            .destination = fan,
                                            .size_bytes = record->size_bytes,
                                            .line = record->line,
                                            .flags = flags | MESSAGE_LIVE | MESSAGE_FAN};
    *out = number;
    return CCMOD_OK;
}

ccmod_status ccmod_message_start_fan(ccmod_engine *engine, uint32_t number)
{
    const engine_message *message = &engine->pool[number];
    engine_fan *fan = &engine->fans[message->destination];
    size_t cells;

    CCMOD_TRY(widen_route(engine, fan->count * engine->network->longest_route));
    fan->latency_us = find_latency(engine, message->source, fan);
    cells = ccmod_network_tree(engine->network, message->source, fan->destinations, fan->count,
                               engine->route, &fan->hops);
    CCMOD_TRY(lay_route(engine, number, cells));
    return begin(engine, number);
}

static ccmod_status match_in_fan(ccmod_engine *engine, uint32_t number, uint32_t receiver,
                                 bool blocked, bool *arrived)
{
    engine_message *message = &engine->pool[number];
    engine_fan *fan = &engine->fans[message->destination];

    fan->flags[receiver] = (uint8_t)(MESSAGE_MATCHED | (blocked ? MESSAGE_RECEIVER_BLOCKED : 0));
    fan->unmatched--;
    *arrived = (message->flags & MESSAGE_ARRIVED) != 0;
    if (fan->unmatched > 0)
        return CCMOD_OK;
    if (*arrived)
        give_message(engine, number);
    else if ((message->flags & MESSAGE_STARTED) == 0)
        return ccmod_message_start_fan(engine, number);
    return CCMOD_OK;
}

ccmod_status ccmod_message_match(ccmod_engine *engine, uint32_t number, uint32_t receiver,
                                 bool blocked, bool *arrived)
{
    engine_message *message = &engine->pool[number];

    if ((message->flags & MESSAGE_FAN) != 0)
        return match_in_fan(engine, number, receiver, blocked, arrived);
    message->flags |= MESSAGE_MATCHED | (blocked ? MESSAGE_RECEIVER_BLOCKED : 0);
    *arrived = (message->flags & MESSAGE_ARRIVED) != 0;
    if (*arrived)
        give_message(engine, number);
    return CCMOD_OK;
}

/* Arrival */

static ccmod_status signal_end(ccmod_engine *engine, uint32_t number)
{
    ccmod_signal signal = {0};
    ccmod_message *message = &signal.of.message;
    double work_us, taken_us;

    ccmod_signal_describe(engine, number, &signal);
    work_us = message->remaining_us;
    taken_us = engine->now_us - message->flow_us - engine_behind_links_us(engine, &message->quiet);
    message->cost_us = engine->now_us - message->start_us;
    message->contention = 1;
    if (work_us > 0 && taken_us > work_us)
        message->contention = taken_us / work_us;
    message->availability = 1 / message->contention;
    message->remaining_us = 0;
    return ccmod_signal_send(engine, &signal, CCMOD_SIGNAL_UPPR_END);
}

static ccmod_status finish_receiver(ccmod_engine *engine, uint32_t receiver, uint32_t flags,
                                    double start_us)
{
    if ((flags & MESSAGE_MATCHED) == 0)
        return CCMOD_OK;
    engine_note_receive(engine, receiver);
    return ccmod_processor_finish(engine, receiver, (flags & MESSAGE_RECEIVER_BLOCKED) != 0,
                                  CCMOD_RECEIVING, start_us);
}

static ccmod_status finish_receivers(ccmod_engine *engine, uint32_t number, bool *all)
{
    const engine_message message = engine->pool[number];
    const engine_fan *fan;

    if ((message.flags & MESSAGE_FAN) == 0) {
        *all = (message.flags & MESSAGE_MATCHED) != 0;
        return finish_receiver(engine, message.destination, message.flags, message.start_us);
    }
    fan = &engine->fans[message.destination];
    *all = fan->unmatched == 0;
    for (size_t i = 0; i < fan->count; i++)
        CCMOD_TRY(finish_receiver(engine, fan->destinations[i], fan->flags[i], message.start_us));
    return CCMOD_OK;
}

ccmod_status ccmod_message_arrive(ccmod_engine *engine, uint32_t number)
{
    engine_message *message = &engine->pool[number];
    bool all = false;

    if (engine_wants(engine, CCMOD_SIGNAL_UPPR_END))
        CCMOD_TRY(signal_end(engine, number));
    message->flags |= MESSAGE_ARRIVED;
    give_slots(engine, message);
    engine->finished++;
    if ((message->flags & MESSAGE_EAGER) == 0)
        CCMOD_TRY(ccmod_processor_finish(engine, message->source,
                                         (message->flags & MESSAGE_SENDER_BLOCKED) != 0,
                                         CCMOD_SENDING, message->start_us));
    CCMOD_TRY(finish_receivers(engine, number, &all));
    if (all)
        give_message(engine, number);
    return CCMOD_OK;
}

void ccmod_messages_free(ccmod_engine *engine)
{
    for (size_t i = 0; i < engine->fan_count; i++)
        free_fan(&engine->fans[i]);
    free(engine->fans);
    free(engine->pool);
    free(engine->ids);
    free(engine->slots);
    free(engine->route);
}
