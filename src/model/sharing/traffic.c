/* The state of the traffic: creation, growth and release; memory of messages: the pool, slots of
 * routes, receivers of multicasts; and quiet delays. Slots are allocated in blocks of a power of
 * two, so that a freed block fits the next route. */
#include "model/sharing/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/networks/networks.h"

ccmod_status ccmod_traffic_no_memory(const ccmod_traffic *traffic)
{
    return ccmod_fail(traffic->audience.error, CCMOD_ERROR_MEMORY, traffic->name, 0,
                      "cannot evaluate %zu ranks with %zu messages at once: out of memory; "
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
    traffic->free_message = traffic->free_receivers = TRAFFIC_NONE;
    memset(traffic->free_slots, 0xff, sizeof(traffic->free_slots));
    traffic->route_room = traffic->network->longest_route;
    traffic->route = malloc(traffic->route_room * sizeof(*traffic->route));
    traffic->cell_count = 2 * traffic->network->links;
    traffic->cells = malloc(traffic->cell_count * sizeof(*traffic->cells));
    if (traffic->route == NULL || traffic->cells == NULL)
        return ccmod_traffic_no_memory(traffic);
    for (size_t i = 0; i < traffic->cell_count; i++)
        traffic->cells[i] = (traffic_cell){.heap = TRAFFIC_NONE,
                                           .secondary = TRAFFIC_NONE,
                                           .watched = TRAFFIC_NONE,
                                           .place = TRAFFIC_NONE};
    return CCMOD_OK;
}

void ccmod_traffic_close(ccmod_traffic *traffic)
{
    for (size_t i = 0; i < traffic->receiver_list_count; i++) {
        free(traffic->receiver_lists[i].destinations);
        free(traffic->receiver_lists[i].flags);
    }
    free(traffic->receiver_lists);
    free(traffic->pool);
    free(traffic->ids);
    free(traffic->letters);
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
        if (traffic->reacts) {
            traffic_letter *letters =
                realloc(traffic->letters, traffic->message_room * sizeof(*letters));

            if (letters == NULL)
                return ccmod_traffic_no_memory(traffic);
            traffic->letters = letters;
        }
    }
    *out = (uint32_t)traffic->message_count++;
    return CCMOD_OK;
}

void ccmod_message_give(ccmod_traffic *traffic, uint32_t number)
{
    const traffic_message *message = &traffic->pool[number];

    if ((message->flags & MESSAGE_MULTICAST) != 0) {
        traffic_receivers *receivers = &traffic->receiver_lists[message->destination];

        free(receivers->destinations);
        free(receivers->flags);
        *receivers = (traffic_receivers){.next = traffic->free_receivers};
        traffic->free_receivers = message->destination;
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

/* The largest sum of link latencies among the receivers. */
static double longest_latency_us(const ccmod_traffic *traffic, uint32_t source,
                                 const traffic_receivers *receivers)
{
    const ccmod_network *network = traffic->network;
    double longest_us = 0;

    for (size_t i = 0; i < receivers->count && network->latencies_us != NULL; i++) {
        size_t hops =
            network->operations->route(network, source, receivers->destinations[i], traffic->route);
        double sum_us = 0;

        for (size_t k = 0; k < hops; k++)
            sum_us += network->latencies_us[traffic->route[k]];
        longest_us = traffic_larger(longest_us, sum_us);
    }
    return longest_us;
}

/* The cells of the tree are in traffic->route, which grows as needed. */
static ccmod_status find_tree(ccmod_traffic *traffic, uint32_t source, traffic_receivers *receivers,
                              size_t *count)
{
    size_t room = receivers->count * traffic->network->longest_route;

    if (room > traffic->route_room) {
        uint32_t *wider = realloc(traffic->route, room * sizeof(*wider));

        if (wider == NULL)
            return ccmod_traffic_no_memory(traffic);
        traffic->route = wider;
        traffic->route_room = room;
    }
    receivers->latency_us = longest_latency_us(traffic, source, receivers);
    *count = ccmod_network_tree(traffic->network, source, receivers->destinations, receivers->count,
                                traffic->route, &receivers->hops);
    return CCMOD_OK;
}

ccmod_status ccmod_message_take_route(ccmod_traffic *traffic, uint32_t number)
{
    const ccmod_network *network = traffic->network;
    traffic_message *message = &traffic->pool[number];
    uint64_t packets = ccmod_packets(network, message->size_bytes);
    uint32_t first = 0;
    size_t count = 0;

    if ((message->flags & MESSAGE_MULTICAST) != 0)
        CCMOD_TRY(find_tree(traffic, message->source,
                            &traffic->receiver_lists[message->destination], &count));
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

ccmod_status ccmod_receivers_make(ccmod_traffic *traffic, const ccmod_record *record, uint32_t *out)
{
    traffic_receivers *receivers;

    if (traffic->free_receivers != TRAFFIC_NONE) {
        *out = traffic->free_receivers;
        traffic->free_receivers = traffic->receiver_lists[*out].next;
    } else {
        traffic_receivers *receiver_lists =
            cb_grow(traffic->receiver_lists, traffic->receiver_list_count,
                    &traffic->receiver_list_room, sizeof(*receiver_lists));

        if (receiver_lists == NULL || traffic->receiver_list_count >= TRAFFIC_NONE - 1)
            return ccmod_traffic_no_memory(traffic);
        traffic->receiver_lists = receiver_lists;
        *out = (uint32_t)traffic->receiver_list_count++;
    }
    receivers = &traffic->receiver_lists[*out];
    *receivers = (traffic_receivers){
        .destinations = malloc(record->list_count * sizeof(*receivers->destinations)),
        .flags = calloc(record->list_count, sizeof(*receivers->flags)),
        .count = record->list_count,
        .unmatched = record->list_count};
    if (receivers->destinations == NULL || receivers->flags == NULL)
        return ccmod_traffic_no_memory(traffic);
    memcpy(receivers->destinations, record->list,
           record->list_count * sizeof(*receivers->destinations));
    return CCMOD_OK;
}

/* The quiet network */

double ccmod_message_links_latency(const ccmod_traffic *traffic, const traffic_message *message)
{
    double sum_us = 0;

    if (traffic->network->latencies_us == NULL)
        return 0;
    if ((message->flags & MESSAGE_MULTICAST) != 0)
        return traffic->receiver_lists[message->destination].latency_us;
    for (uint32_t i = 0; i < message->slot_count; i++)
        sum_us += traffic->network->latencies_us[traffic->slots[message->slots + i].cell];
    return sum_us;
}

ccmod_delay ccmod_message_delay(ccmod_traffic *traffic, const traffic_message *message)
{
    bool multicast = (message->flags & MESSAGE_MULTICAST) != 0;
    size_t hops =
        multicast ? traffic->receiver_lists[message->destination].hops : message->slot_count;
    ccmod_delay delay = *message_quiet_delay(traffic, hops, message->size_bytes);

    if (traffic->network->latencies_us != NULL)
        delay.latency_us += ccmod_message_links_latency(traffic, message);
    return delay;
}

ccmod_message ccmod_message_describe(ccmod_traffic *traffic, uint32_t number)
{
    const traffic_message *message = &traffic->pool[number];
    const traffic_receivers *receivers = (message->flags & MESSAGE_MULTICAST) != 0
                                             ? &traffic->receiver_lists[message->destination]
                                             : NULL;
    ccmod_delay quiet = ccmod_message_delay(traffic, message);
    double before_us = quiet.overhead_us + quiet.latency_us;

    for (size_t i = 0; i < message->slot_count; i++)
        traffic->route[i] = traffic->slots[message->slots + i].cell;
    return (ccmod_message){
        .id = traffic->ids[number],
        .source = message->source,
        .destinations = receivers != NULL ? receivers->destinations : &message->destination,
        .destination_count = receivers != NULL ? receivers->count : 1,
        .size_bytes = message->size_bytes,
        .packets = ccmod_packets(traffic->network, message->size_bytes),
        .line = message->line,
        .cells = traffic->route,
        .cell_count = message->slot_count,
        .hops = receivers != NULL ? receivers->hops : message->slot_count,
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
