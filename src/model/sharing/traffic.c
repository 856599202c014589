/* The state of the traffic, made, extended and released; and messages in memory: the pool, the
 * slots of their routes, the receivers of multicasts, and what they take on the quiet network.
 * Slots are given out in blocks of a power of two, so that a block that was given back fits the
 * next route. */
#include "model/sharing/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/networks/networks.h"

ccmod_status ccmod_traffic_no_memory(const ccmod_traffic *traffic)
{
    return ccmod_fail(traffic->audience.error, CCMOD_ERROR_MEMORY, traffic->name, 0,
                      "cannot evaluate %zu ranks with %zu messages at once: no memory left; "
                      "evaluate fewer ranks",
                      traffic->processors, traffic->live);
}

ccmod_status ccmod_traffic_append_slowly(ccmod_traffic *traffic, traffic_list *list, uint32_t value)
{
    uint32_t *values = cb_grow(list->values, list->count, &list->room, sizeof(*values));

    if (values == NULL)
        return ccmod_traffic_no_memory(traffic);
    list->values = values;
    values[list->count++] = value;
    return CCMOD_OK;
}

ccmod_status ccmod_traffic_open(ccmod_traffic *traffic)
{
    traffic->free_message = traffic->free_fan = TRAFFIC_NONE;
    memset(traffic->free_slots, 0xff, sizeof(traffic->free_slots));
    traffic->route_room = traffic->network->longest_route;
    traffic->route = malloc(traffic->route_room * sizeof(*traffic->route));
    traffic->cell_count = 2 * traffic->network->links;
    traffic->cells = malloc(traffic->cell_count * sizeof(*traffic->cells));
    if (traffic->route == NULL || traffic->cells == NULL)
        return ccmod_traffic_no_memory(traffic);
    for (size_t i = 0; i < traffic->cell_count; i++)
        traffic->cells[i] = (traffic_cell){.heap = TRAFFIC_NONE,
                                           .guests = TRAFFIC_NONE,
                                           .asking = TRAFFIC_NONE,
                                           .place = TRAFFIC_NONE};
    return CCMOD_OK;
}

void ccmod_traffic_close(ccmod_traffic *traffic)
{
    for (size_t i = 0; i < traffic->fan_count; i++) {
        free(traffic->fans[i].destinations);
        free(traffic->fans[i].flags);
    }
    free(traffic->fans);
    free(traffic->pool);
    free(traffic->ids);
    free(traffic->slots);
    free(traffic->route);
    free(traffic->ended.values);
    free(traffic->loads);
    free(traffic->drawn);
}

/* The pool */

ccmod_status ccmod_pool_take_new(ccmod_traffic *traffic, uint32_t *out)
{
    if (traffic->message_count == traffic->message_room) {
        traffic_message *grown;

        if (traffic->message_count >= TRAFFIC_LARGEST_COUNT)
            return ccmod_traffic_no_memory(traffic);
        grown =
            cb_grow(traffic->pool, traffic->message_count, &traffic->message_room, sizeof(*grown));
        if (grown == NULL)
            return ccmod_traffic_no_memory(traffic);
        traffic->pool = grown;
        if (traffic->audience.count > 0) {
            uint64_t *ids = realloc(traffic->ids, traffic->message_room * sizeof(*ids));

            if (ids == NULL)
                return ccmod_traffic_no_memory(traffic);
            traffic->ids = ids;
        }
    }
    *out = (uint32_t)traffic->message_count++;
    return CCMOD_OK;
}

void ccmod_message_give(ccmod_traffic *traffic, uint32_t number)
{
    const traffic_message *message = &traffic->pool[number];

    if ((message->flags & MESSAGE_FAN) != 0) {
        traffic_fan *fan = &traffic->fans[message->destination];

        free(fan->destinations);
        free(fan->flags);
        *fan = (traffic_fan){.next = traffic->free_fan};
        traffic->free_fan = message->destination;
    }
    pool_give(traffic, number);
}

/* Routes */

static unsigned class_of(size_t count)
{
    return count > 1 ? 64 - (unsigned)__builtin_clzll(count - 1) : 0;
}

static ccmod_status take_slots(ccmod_traffic *traffic, size_t count, uint32_t *out)
{
    unsigned class = class_of(count);
    size_t block = (size_t)1 << class;

    if (traffic->free_slots[class] != TRAFFIC_NONE) {
        *out = traffic->free_slots[class];
        traffic->free_slots[class] = traffic->slots[*out].sibling;
        if (traffic->free_slots[class] != TRAFFIC_NONE)
            __builtin_prefetch(&traffic->slots[traffic->free_slots[class]], 1);
        return CCMOD_OK;
    }
    if (traffic->slot_count + block >= TRAFFIC_NONE)
        return ccmod_traffic_no_memory(traffic);
    while (traffic->slot_count + block > traffic->slot_room) {
        traffic_slot *grown =
            cb_grow(traffic->slots, traffic->slot_room, &traffic->slot_room, sizeof(*grown));

        if (grown == NULL)
            return ccmod_traffic_no_memory(traffic);
        traffic->slots = grown;
    }
    *out = (uint32_t)traffic->slot_count;
    traffic->slot_count += block;
    return CCMOD_OK;
}

void ccmod_message_give_route(ccmod_traffic *traffic, uint32_t number)
{
    traffic_message *message = &traffic->pool[number];
    unsigned class = class_of(message->slot_count);

    if (message->slot_count == 0)
        return;
    traffic->slots[message->slots].sibling = traffic->free_slots[class];
    traffic->free_slots[class] = message->slots;
    message->slot_count = 0;
}

/* Of the links to the receiver with the largest. */
static double longest_latency_us(const ccmod_traffic *traffic, uint32_t source,
                                 const traffic_fan *fan)
{
    const ccmod_network *network = traffic->network;
    double longest_us = 0;

    for (size_t i = 0; i < fan->count && network->latencies_us != NULL; i++) {
        size_t hops =
            network->operations->route(network, source, fan->destinations[i], traffic->route);
        double sum_us = 0;

        for (size_t k = 0; k < hops; k++)
            sum_us += network->latencies_us[traffic->route[k]];
        longest_us = traffic_larger(longest_us, sum_us);
    }
    return longest_us;
}

/* The cells of the tree are in traffic->route, which is made as long as it takes. */
static ccmod_status find_tree(ccmod_traffic *traffic, uint32_t source, traffic_fan *fan,
                              size_t *count)
{
    size_t room = fan->count * traffic->network->longest_route;

    if (room > traffic->route_room) {
        uint32_t *wider = realloc(traffic->route, room * sizeof(*wider));

        if (wider == NULL)
            return ccmod_traffic_no_memory(traffic);
        traffic->route = wider;
        traffic->route_room = room;
    }
    fan->latency_us = longest_latency_us(traffic, source, fan);
    *count = ccmod_network_tree(traffic->network, source, fan->destinations, fan->count,
                                traffic->route, &fan->hops);
    return CCMOD_OK;
}

ccmod_status ccmod_message_take_route(ccmod_traffic *traffic, uint32_t number)
{
    const ccmod_network *network = traffic->network;
    traffic_message *message = &traffic->pool[number];
    uint64_t packets = ccmod_packets(network, message->size_bytes);
    uint32_t first = 0;
    size_t count = 0;

    if ((message->flags & MESSAGE_FAN) != 0)
        CCMOD_TRY(
            find_tree(traffic, message->source, &traffic->fans[message->destination], &count));
    else
        count = network->operations->route(network, message->source, message->destination,
                                           traffic->route);
    CCMOD_TRY(take_slots(traffic, count, &first));
    message->slots = first;
    message->slot_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        traffic->slots[first + i] =
            (traffic_slot){.cell = traffic->route[i], .message = number, .back = first + i};
        traffic->cells[traffic->route[i]].packets += packets;
    }
    return CCMOD_OK;
}

/* Multicasts */

ccmod_status ccmod_fan_make(ccmod_traffic *traffic, const ccmod_record *record, uint32_t *out)
{
    traffic_fan *fan;

    if (traffic->free_fan != TRAFFIC_NONE) {
        *out = traffic->free_fan;
        traffic->free_fan = traffic->fans[*out].next;
    } else {
        traffic_fan *fans =
            cb_grow(traffic->fans, traffic->fan_count, &traffic->fan_room, sizeof(*fans));

        if (fans == NULL || traffic->fan_count >= TRAFFIC_NONE - 1)
            return ccmod_traffic_no_memory(traffic);
        traffic->fans = fans;
        *out = (uint32_t)traffic->fan_count++;
    }
    fan = &traffic->fans[*out];
    *fan = (traffic_fan){.destinations = malloc(record->list_count * sizeof(*fan->destinations)),
                         .flags = calloc(record->list_count, sizeof(*fan->flags)),
                         .count = record->list_count,
                         .unmatched = record->list_count};
    if (fan->destinations == NULL || fan->flags == NULL)
        return ccmod_traffic_no_memory(traffic);
    memcpy(fan->destinations, record->list, record->list_count * sizeof(*fan->destinations));
    return CCMOD_OK;
}

/* The quiet network */

double ccmod_message_links_latency(const ccmod_traffic *traffic, const traffic_message *message)
{
    double sum_us = 0;

    if (traffic->network->latencies_us == NULL)
        return 0;
    if ((message->flags & MESSAGE_FAN) != 0)
        return traffic->fans[message->destination].latency_us;
    for (uint32_t i = 0; i < message->slot_count; i++)
        sum_us += traffic->network->latencies_us[traffic->slots[message->slots + i].cell];
    return sum_us;
}

ccmod_delay ccmod_message_delay(ccmod_traffic *traffic, const traffic_message *message)
{
    bool fan = (message->flags & MESSAGE_FAN) != 0;
    size_t hops = fan ? traffic->fans[message->destination].hops : message->slot_count;
    ccmod_delay delay = *message_quiet_delay(traffic, hops, message->size_bytes);

    if (traffic->network->latencies_us != NULL)
        delay.latency_us += ccmod_message_links_latency(traffic, message);
    return delay;
}

ccmod_message ccmod_message_describe(ccmod_traffic *traffic, uint32_t number)
{
    const traffic_message *message = &traffic->pool[number];
    const traffic_fan *fan =
        (message->flags & MESSAGE_FAN) != 0 ? &traffic->fans[message->destination] : NULL;
    ccmod_delay quiet = ccmod_message_delay(traffic, message);
    double before_us = quiet.overhead_us + quiet.latency_us;

    for (size_t i = 0; i < message->slot_count; i++)
        traffic->route[i] = traffic->slots[message->slots + i].cell;
    return (ccmod_message){
        .id = traffic->ids[number],
        .source = message->source,
        .destinations = fan != NULL ? fan->destinations : &message->destination,
        .destination_count = fan != NULL ? fan->count : 1,
        .size_bytes = message->size_bytes,
        .packets = ccmod_packets(traffic->network, message->size_bytes),
        .line = message->line,
        .cells = traffic->route,
        .cell_count = message->slot_count,
        .hops = fan != NULL ? fan->hops : message->slot_count,
        .quiet = quiet,
        .start_us = message->start_us,
        .flow_us = message->start_us + message_before_links_us(traffic, &quiet),
        .contention = 1,
        .bottleneck = message->slot_count > 0 ? traffic->route[0] : CCMOD_NO_CELL,
        .availability = 1,
        .cost_us = before_us + quiet.transfer_us,
        .remaining_us =
            (traffic->parameters.mode == CCMOD_SPLIT ? 0 : before_us) + quiet.transfer_us,
    };
}
