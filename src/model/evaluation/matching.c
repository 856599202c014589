/* Matching of sends and receives. Those that wait for their other half are items: sends in a ring
 * for each receiver, by age, receives in a hash table by pair; when the two halves meet, the
 * message starts. Rings of more than a few sends are in the table, too. */
#include "model/evaluation/matching.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/evaluation/delivery.h"
#include "model/evaluation/reactions.h"
#include "model/sharing/traffic.h"

enum { FEW_SENDS = 4 };

static match_item *item_at(const ccmod_engine *engine, uint32_t number)
{
    return &engine->traffic.pool[number].item;
}

/* Append the item to its pair. */
static ccmod_status append_to_pair(ccmod_engine *engine, uint32_t number)
{
    match_item *item = item_at(engine, number), *first;
    pair_entry *entry = pairs_find(&engine->pairs, item->receiver, item->source);

    item->next = TRAFFIC_NONE;
    if (entry->number != TRAFFIC_NONE) {
        first = item_at(engine, entry->number);
        item_at(engine, first->last)->next = number;
        first->last = number;
        return CCMOD_OK;
    }
    item->last = number;
    return ccmod_pairs_add(&engine->pairs, entry,
                           &(pair_entry){item->receiver, item->source, number})
               ? CCMOD_OK
               : ccmod_traffic_no_memory(&engine->traffic);
}

/* Rings by age */

static void append_to_ring(ccmod_engine *engine, uint32_t *first, uint32_t number)
{
    match_item *item = item_at(engine, number);

    if (*first == TRAFFIC_NONE) {
        item->earlier = item->later = number;
        *first = number;
        return;
    }
    item->later = *first;
    item->earlier = item_at(engine, *first)->earlier;
    item_at(engine, item->earlier)->later = number;
    item_at(engine, *first)->earlier = number;
}

static void remove_from_ring(ccmod_engine *engine, uint32_t *first, uint32_t number)
{
    const match_item *item = item_at(engine, number);

    if (item->later == number) {
        *first = TRAFFIC_NONE;
        return;
    }
    item_at(engine, item->earlier)->later = item->later;
    item_at(engine, item->later)->earlier = item->earlier;
    if (*first != number)
        return;
    *first = item->later;
}

/* Append a new item to its pair (receives from any are a pair, too), or a send to the receiver's
 * ring; a ring that grows too long to be searched goes to the table. */
static ccmod_status items_add(ccmod_engine *engine, const match_item *item)
{
    match_place *place = &engine->places[item->receiver];
    uint32_t number = TRAFFIC_NONE;

    CCMOD_TRY(pool_take(&engine->traffic, &number));
    engine->traffic.pool[number].item = *item;
    if ((item->flags & ITEM_SEND) == 0) {
        place->receives++;
        return append_to_pair(engine, number);
    }
    append_to_ring(engine, &place->arrivals, number);
    place->sends++;
    if (place->tabled)
        return append_to_pair(engine, number);
    if (place->sends <= FEW_SENDS)
        return CCMOD_OK;
    place->tabled = true;
    for (uint32_t i = 0, send = place->arrivals; i < place->sends; i++) {
        CCMOD_TRY(append_to_pair(engine, send));
        send = item_at(engine, send)->later;
    }
    return CCMOD_OK;
}

/* The oldest send from `source`, or from any, in a ring that is not in the table. */
static uint32_t ring_find(const ccmod_engine *engine, const match_place *place, uint32_t source)
{
    uint32_t number = place->arrivals;

    for (uint32_t i = 0; i < place->sends; i++) {
        if (item_at(engine, number)->source == source || source == CCMOD_ANY)
            return number;
        number = item_at(engine, number)->later;
    }
    return TRAFFIC_NONE;
}

static void ring_remove(ccmod_engine *engine, match_place *place, uint32_t number)
{
    remove_from_ring(engine, &place->arrivals, number);
    if (--place->sends == 0)
        place->tabled = false;
}

/* Prefetch: a receive from any needs the first send of a long ring next, which may be in no cache:
 * its pair, its message and the following item. */
static void ring_prefetch(const ccmod_engine *engine, const match_place *place)
{
    const match_item *item;

    if (place->arrivals == TRAFFIC_NONE)
        return;
    item = item_at(engine, place->arrivals);
    __builtin_prefetch(
        &engine->pairs.entries[pairs_home(&engine->pairs, item->receiver, item->source)], 1);
    __builtin_prefetch(item_at(engine, item->later), 1);
    if (item->message != TRAFFIC_NONE)
        __builtin_prefetch(&engine->traffic.pool[item->message], 1);
}

/* Remove the first item of an entry. */
static void items_remove(ccmod_engine *engine, pair_entry *entry)
{
    uint32_t number = entry->number;
    const match_item *item = item_at(engine, number);
    match_place *place = &engine->places[item->receiver];

    if (item->next != TRAFFIC_NONE) {
        item_at(engine, item->next)->last = item->last;
        entry->number = item->next;
    } else {
        ccmod_pairs_remove(&engine->pairs, entry);
    }
    if ((item->flags & ITEM_SEND) != 0) {
        ring_remove(engine, place, number);
        ring_prefetch(engine, place);
    } else {
        place->receives--;
    }
    pool_give(&engine->traffic, number);
}

const match_item *ccmod_match_next(const ccmod_engine *engine, size_t *at)
{
    const pair_table *table = &engine->pairs;

    while (*at < table->room) {
        uint32_t item = table->entries[(*at)++].number;

        if (item != TRAFFIC_NONE)
            return item_at(engine, item);
    }
    while (*at < table->room + FEW_SENDS * engine->processor_count) {
        size_t next = (*at)++ - table->room;
        const match_place *place = &engine->places[next / FEW_SENDS];
        uint32_t number = place->arrivals;

        if (place->tabled || next % FEW_SENDS >= place->sends)
            continue;
        for (size_t i = 0; i < next % FEW_SENDS; i++)
            number = item_at(engine, number)->later;
        if (ring_find(engine, place, item_at(engine, number)->source) == number)
            return item_at(engine, number);
    }
    return NULL;
}

static bool comes_before(const match_item *left, const match_item *right)
{
    if (left->line != right->line)
        return left->line < right->line;
    if (left->receiver != right->receiver)
        return left->receiver < right->receiver;
    return left->source < right->source;
}

/* The open item with the lowest line, then the lowest ranks, or NULL: independent of the order of
 * the table. */
static const match_item *items_first(const ccmod_engine *engine)
{
    const match_item *first = NULL, *item;
    size_t at = 0;

    while ((item = ccmod_match_next(engine, &at)) != NULL) {
        if (first == NULL || comes_before(item, first))
            first = item;
    }
    return first;
}

/* One half of a message, wherever it waited. */
typedef struct {
    uint64_t size_bytes;
    uint32_t line;
    uint32_t flags;   /* ITEM_... */
    uint32_t source;  /* of a send */
    uint32_t message; /* of a send that already is a message, or TRAFFIC_NONE */
    uint32_t branch;  /* of a multicast's send: its index in the list */
    uint32_t request; /* of a receive, if processors react */
} match_half;

/* Halves and their errors */

static ccmod_status refuse_sizes(ccmod_engine *engine, uint32_t source, uint32_t receiver,
                                 const match_half *send, const match_half *receive)
{
    return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, receive->line,
                      "rank %u receives %llu bytes from rank %u here, but the matching message "
                      "is from line %u and has %llu bytes; make both sizes equal, or put "
                      "the records in the order of the messages",
                      receiver, (unsigned long long)receive->size_bytes, source, send->line,
                      (unsigned long long)send->size_bytes);
}

static bool sizes_differ(uint64_t sent_bytes, uint64_t received_bytes)
{
    return sent_bytes != received_bytes && received_bytes != CCMOD_ANY_SIZE;
}

static ccmod_status check_peer(const ccmod_engine *engine, uint32_t processor, uint32_t peer,
                               uint32_t line)
{
    if (peer >= engine->processor_count)
        return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, line,
                          "rank %u names rank %u, but there are only %zu; correct the record",
                          processor, peer, engine->processor_count);
    if (peer == processor)
        return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, line,
                          "rank %u sends to or receives from itself, which uses no network; remove "
                          "the record",
                          processor);
    return CCMOD_OK;
}

static match_half half_of(const match_item *item)
{
    return (match_half){.size_bytes = item->size_bytes,
                        .line = item->line,
                        .flags = item->flags,
                        .source = item->source,
                        .message = item->message,
                        .branch = (uint32_t)item->order,
                        .request = item->request};
}

/* The half in which a processor without an item waits. */
static match_half half_of_blocked(const ccmod_engine *engine, uint32_t number)
{
    const engine_processor *processor = &engine->processors[number];

    return (match_half){.size_bytes = processor->size_bytes,
                        .line = processor->line,
                        .flags = ITEM_BLOCKED,
                        .source = number,
                        .message = TRAFFIC_NONE,
                        .request = engine->traffic.reacts ? engine->reactors[number].request : 0};
}

static bool has_items(const match_place *place)
{
    return place->receives > 0 || place->sends > 0;
}

/* Sends */

/* The entry of a pair with receives; NULL if there is none, or if it has sends. */
static pair_entry *find_receive(const ccmod_engine *engine, uint32_t source, uint32_t receiver)
{
    pair_entry *entry = pairs_find(&engine->pairs, receiver, source);

    if (entry->number == TRAFFIC_NONE ||
        (engine->traffic.pool[entry->number].item.flags & ITEM_SEND) != 0)
        return NULL;
    return entry;
}

/* Remove the receive that matches a send from `source`: that of a receiver that is blocked without
 * an item, or the older of the pair's first receive and the first from any. False if there is none.
 */
static bool take_receive(ccmod_engine *engine, uint32_t source, uint32_t receiver,
                         match_half *found)
{
    const traffic_message *pool = engine->traffic.pool;
    engine_processor *processor = &engine->processors[receiver];
    pair_entry *entry, *any;

    if (processor->direct && (processor->peer == source || processor->peer == CCMOD_ANY)) {
        *found = half_of_blocked(engine, receiver);
        processor->direct = false;
        return true;
    }
    if (engine->places[receiver].receives == 0)
        return false;
    entry = find_receive(engine, source, receiver);
    any = find_receive(engine, CCMOD_ANY, receiver);
    if (entry == NULL ||
        (any != NULL && pool[any->number].item.order < pool[entry->number].item.order))
        entry = any;
    if (entry == NULL)
        return false;
    *found = half_of(&pool[entry->number].item);
    items_remove(engine, entry);
    return true;
}

static ccmod_status leave_send(ccmod_engine *engine, const match_half *send, uint32_t receiver)
{
    match_item item = {.size_bytes = send->size_bytes,
                       .order = send->branch,
                       .source = send->source,
                       .receiver = receiver,
                       .message = send->message,
                       .line = send->line,
                       .flags = send->flags | ITEM_SEND};

    return items_add(engine, &item);
}

/* The first blocked sender of a receiver waits without an item; later and asynchronous ones are
 * items. */
static ccmod_status wait_with_send(ccmod_engine *engine, match_half *send, uint32_t receiver,
                                   uint32_t flags)
{
    match_place *place = &engine->places[receiver];

    if ((flags & MESSAGE_SENDER_BLOCKED) != 0 && !has_items(place) &&
        place->direct == TRAFFIC_NONE) {
        place->direct = send->source;
        engine->processors[send->source].size_bytes = send->size_bytes;
        return CCMOD_OK;
    }
    if ((flags & MESSAGE_SENDER_BLOCKED) != 0)
        send->flags |= ITEM_BLOCKED;
    if ((flags & MESSAGE_EAGER) != 0)
        CCMOD_TRY(ccmod_delivery_start(engine, send->source, receiver, send->size_bytes, send->line,
                                       flags, &send->message));
    return leave_send(engine, send, receiver);
}

/* Of processors that react: the message is under way at once, after those of its pair. */
static ccmod_status post(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                         uint32_t flags)
{
    ccmod_traffic *traffic = &engine->traffic;
    pair_entry *last;
    uint32_t number;

    CCMOD_TRY(ccmod_delivery_start(engine, source, record->peer, record->size_bytes, record->line,
                                   flags, &number));
    traffic->letters[number] = (traffic_letter){record->cargo, record->request, TRAFFIC_NONE};
    last = pairs_find(&engine->under_way, record->peer, source);
    if (last->number != TRAFFIC_NONE) {
        traffic->letters[last->number].following = number;
        traffic->pool[number].flags |= MESSAGE_FOLLOWS;
        last->number = number;
    } else if (!ccmod_pairs_add(&engine->under_way, last,
                                &(pair_entry){record->peer, source, number})) {
        return ccmod_traffic_no_memory(traffic);
    }
    return (flags & MESSAGE_EAGER) != 0 ? ccmod_delivery_tell_sender(engine, number) : CCMOD_OK;
}

ccmod_status ccmod_match_send(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                              uint32_t flags)
{
    match_half send = {.size_bytes = record->size_bytes,
                       .line = record->line,
                       .source = source,
                       .message = TRAFFIC_NONE};
    match_half receive;
    uint32_t message;

    CCMOD_TRY(check_peer(engine, source, record->peer, record->line));
    if (engine->traffic.reacts)
        return post(engine, source, record, flags);
    if (!take_receive(engine, source, record->peer, &receive))
        return wait_with_send(engine, &send, record->peer, flags);
    if (sizes_differ(record->size_bytes, receive.size_bytes))
        return refuse_sizes(engine, source, record->peer, &send, &receive);
    flags |= MESSAGE_MATCHED;
    if ((receive.flags & ITEM_BLOCKED) != 0)
        flags |= MESSAGE_RECEIVER_BLOCKED;
    return ccmod_delivery_start(engine, source, record->peer, record->size_bytes, record->line,
                                flags, &message);
}

static ccmod_status match_branch(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                                 uint32_t message, size_t branch)
{
    uint32_t receiver = record->list[branch];
    match_half send = {.size_bytes = record->size_bytes,
                       .line = record->line,
                       .source = source,
                       .message = message,
                       .branch = (uint32_t)branch};
    match_half receive;
    bool arrived;

    if (!take_receive(engine, source, receiver, &receive))
        return leave_send(engine, &send, receiver);
    if (sizes_differ(record->size_bytes, receive.size_bytes))
        return refuse_sizes(engine, source, receiver, &send, &receive);
    return ccmod_delivery_match(engine, message, send.branch, (receive.flags & ITEM_BLOCKED) != 0,
                                &arrived);
}

ccmod_status ccmod_match_multicast(ccmod_engine *engine, uint32_t source,
                                   const ccmod_record *record, uint32_t flags)
{
    uint32_t message = TRAFFIC_NONE;

    for (size_t i = 0; i < record->list_count; i++)
        CCMOD_TRY(check_peer(engine, source, record->list[i], record->line));
    CCMOD_TRY(ccmod_delivery_start_multicast(engine, source, record, flags, &message));
    if (engine->traffic.reacts) {
        engine->traffic.letters[message] =
            (traffic_letter){record->cargo, record->request, TRAFFIC_NONE};
        return (flags & MESSAGE_EAGER) != 0 ? ccmod_delivery_tell_sender(engine, message)
                                            : CCMOD_OK;
    }
    for (size_t i = 0; i < record->list_count; i++)
        CCMOD_TRY(match_branch(engine, source, record, message, i));
    return CCMOD_OK;
}

/* Receives */

/* Remove the send that matches a receive. A sender that waits without an item came first. */
static bool take_send(ccmod_engine *engine, uint32_t receiver, uint32_t source, match_half *found)
{
    const traffic_message *pool = engine->traffic.pool;
    match_place *place = &engine->places[receiver];
    pair_entry *entry;

    if (place->direct != TRAFFIC_NONE && (place->direct == source || source == CCMOD_ANY)) {
        *found = half_of_blocked(engine, place->direct);
        place->direct = TRAFFIC_NONE;
        return true;
    }
    if (place->sends == 0)
        return false;
    if (!place->tabled) {
        uint32_t number = ring_find(engine, place, source);

        if (number == TRAFFIC_NONE)
            return false;
        *found = half_of(&pool[number].item);
        ring_remove(engine, place, number);
        pool_give(&engine->traffic, number);
        return true;
    }
    if (source == CCMOD_ANY) /* the earliest send is the first of its pair */
        source = pool[place->arrivals].item.source;
    entry = pairs_find(&engine->pairs, receiver, source);
    if (entry->number == TRAFFIC_NONE || (pool[entry->number].item.flags & ITEM_SEND) == 0)
        return false;
    *found = half_of(&pool[entry->number].item);
    items_remove(engine, entry);
    return true;
}

/* Join the two halves. */
static ccmod_status join(ccmod_engine *engine, const match_half *send, uint32_t receiver,
                         bool blocked, bool *done)
{
    uint32_t flags = MESSAGE_MATCHED | (blocked ? MESSAGE_RECEIVER_BLOCKED : 0);
    uint32_t message;

    if (send->message == TRAFFIC_NONE) {
        if ((send->flags & ITEM_BLOCKED) != 0)
            flags |= MESSAGE_SENDER_BLOCKED;
        return ccmod_delivery_start(engine, send->source, receiver, send->size_bytes, send->line,
                                    flags, &message);
    }
    if ((engine->traffic.pool[send->message].flags & MESSAGE_MULTICAST) != 0)
        receiver = send->branch;
    return ccmod_delivery_match(engine, send->message, receiver, blocked, done);
}

/* A receiver that reacts has the message of this send. */
static ccmod_status tell_receiver(ccmod_engine *engine, uint32_t receiver, const match_half *send,
                                  uint32_t request)
{
    return ccmod_reactor_tell(
        engine, receiver,
        &(ccmod_completion){.request = request,
                            .peer = send->source,
                            .size_bytes = send->size_bytes,
                            .cargo = engine->traffic.letters[send->message].cargo,
                            .received = true});
}

ccmod_status ccmod_match_receive(ccmod_engine *engine, uint32_t receiver,
                                 const ccmod_record *record, bool blocked, bool *done)
{
    match_half receive = {.size_bytes = record->size_bytes, .line = record->line};
    match_half send;

    *done = false;
    if (record->peer != CCMOD_ANY)
        CCMOD_TRY(check_peer(engine, receiver, record->peer, record->line));
    if (take_send(engine, receiver, record->peer, &send)) {
        if (sizes_differ(send.size_bytes, record->size_bytes))
            return refuse_sizes(engine, send.source, receiver, &send, &receive);
        if (engine->traffic.reacts)
            CCMOD_TRY(tell_receiver(engine, receiver, &send, record->request));
        return join(engine, &send, receiver, blocked, done);
    }
    if (!blocked || engine->places[receiver].receives > 0) {
        match_item item = {.size_bytes = record->size_bytes,
                           .order = engine->posted++,
                           .source = record->peer,
                           .receiver = receiver,
                           .message = TRAFFIC_NONE,
                           .line = record->line,
                           .flags = blocked ? ITEM_BLOCKED : 0,
                           .request = record->request};

        return items_add(engine, &item);
    }
    if (engine->traffic.reacts)
        engine->reactors[receiver].request = record->request;
    engine->processors[receiver].direct = true;
    engine->processors[receiver].size_bytes = record->size_bytes;
    return CCMOD_OK;
}

/* Arrivals, if processors react */

/* The message has arrived at this receiver; of a multicast, `branch` is its index in the list. */
static ccmod_status hand_over(ccmod_engine *engine, uint32_t number, uint32_t receiver,
                              uint32_t branch)
{
    const traffic_message *message = &engine->traffic.pool[number];
    const double start_us = message->start_us;
    const match_half send = {.size_bytes = message->size_bytes,
                             .line = message->line,
                             .source = message->source,
                             .message = number,
                             .branch = branch};
    match_half receive;
    bool blocked, arrived;

    if (!take_receive(engine, send.source, receiver, &receive))
        return leave_send(engine, &send, receiver);
    if (sizes_differ(send.size_bytes, receive.size_bytes))
        return refuse_sizes(engine, send.source, receiver, &send, &receive);
    blocked = (receive.flags & ITEM_BLOCKED) != 0;
    CCMOD_TRY(tell_receiver(engine, receiver, &send, receive.request));
    CCMOD_TRY(join(engine, &send, receiver, blocked, &arrived));
    processor_note_receive(engine, receiver);
    return ccmod_processor_finish(engine, receiver, blocked, CCMOD_RECEIVING, start_us);
}

/* The messages of a pair come in order: one that has overtaken another waits for it. */
static ccmod_status hand_over_in_order(ccmod_engine *engine, uint32_t number)
{
    ccmod_traffic *traffic = &engine->traffic;
    const uint32_t source = traffic->pool[number].source;
    const uint32_t receiver = traffic->pool[number].destination;

    if ((traffic->pool[number].flags & MESSAGE_FOLLOWS) != 0) {
        traffic->pool[number].flags |= MESSAGE_EARLY;
        return CCMOD_OK;
    }
    for (;;) {
        const uint32_t following = traffic->letters[number].following;

        if (following == TRAFFIC_NONE)
            ccmod_pairs_remove(&engine->under_way,
                               pairs_find(&engine->under_way, receiver, source));
        else
            traffic->pool[following].flags &= ~(uint32_t)MESSAGE_FOLLOWS;
        CCMOD_TRY(hand_over(engine, number, receiver, 0));
        if (following == TRAFFIC_NONE || (traffic->pool[following].flags & MESSAGE_EARLY) == 0)
            return CCMOD_OK;
        number = following;
    }
}

ccmod_status ccmod_match_landed(ccmod_engine *engine)
{
    const ccmod_traffic *traffic = &engine->traffic;

    ccmod_reactors_shuffle(engine, &engine->landed);
    for (size_t i = 0; i < engine->landed.count; i++) {
        const uint32_t number = engine->landed.values[i];
        const uint32_t list = traffic->pool[number].destination;

        if ((traffic->pool[number].flags & MESSAGE_MULTICAST) == 0) {
            CCMOD_TRY(hand_over_in_order(engine, number));
            continue;
        }
        for (uint32_t branch = 0, count = (uint32_t)traffic->receiver_lists[list].count;
             branch < count; branch++)
            CCMOD_TRY(hand_over(engine, number, traffic->receiver_lists[list].destinations[branch],
                                branch));
    }
    engine->landed.count = 0;
    return CCMOD_OK;
}

/* End of the evaluation */

enum { SIZE_TEXT_BYTES = 40 };

static const char *size_text(uint64_t size_bytes, char *text)
{
    if (size_bytes == CCMOD_ANY_SIZE)
        return "a message";
    snprintf(text, SIZE_TEXT_BYTES, "%llu bytes", (unsigned long long)size_bytes);
    return text;
}

ccmod_status ccmod_match_check_empty(ccmod_engine *engine)
{
    const match_item *open = items_first(engine);
    char text[SIZE_TEXT_BYTES];

    if (open == NULL)
        return CCMOD_OK;
    if ((open->flags & ITEM_SEND) != 0)
        return ccmod_fail(engine->error, CCMOD_ERROR_DATA, engine->workload->name, open->line,
                          "rank %u sends %s to rank %u here, which no rank receives; add "
                          "the receive, or remove the send",
                          open->source, size_text(open->size_bytes, text), open->receiver);
    if (open->source == CCMOD_ANY)
        return ccmod_fail(engine->error, CCMOD_ERROR_DATA, engine->workload->name, open->line,
                          "rank %u receives %s from any rank here, but no rank sends them; "
                          "add the send, or remove the receive",
                          open->receiver, size_text(open->size_bytes, text));
    return ccmod_fail(engine->error, CCMOD_ERROR_DATA, engine->workload->name, open->line,
                      "rank %u receives %s from rank %u here, which no rank sends; add the "
                      "send, or remove the receive",
                      open->receiver, size_text(open->size_bytes, text), open->source);
}
