/* Sends and receives find each other: first come, first served for each pair of processors; a
 * receive from any takes the earliest send. A receiver keeps what is open in a search tree over its
 * partners, ordered by a hash so that it stays shallow, and its open sends in a ring by arrival as
 * well. */
#include "model/engine.h"

#include <stdlib.h>

/* A bijection of 32 bits: different sources stay different. */
static inline uint32_t scramble(uint32_t source)
{
    source ^= source >> 16;
    source *= 0x7feb352du;
    source ^= source >> 15;
    source *= 0x846ca68bu;
    return source ^ (source >> 16);
}

/* Items */

static cb_status take_item(ccmod_engine *engine, uint32_t *out)
{
    match_item *grown;

    if (engine->free_item != ENGINE_NONE) {
        *out = engine->free_item;
        engine->free_item = engine->items[*out].next;
        return CB_OK;
    }
    grown = engine_grow(engine->items, engine->item_count, &engine->item_room, sizeof(*grown));
    if (grown == NULL || engine->item_count >= ENGINE_NONE - 1)
        return engine_no_memory(engine);
    engine->items = grown;
    *out = (uint32_t)engine->item_count++;
    return CB_OK;
}

static void give_item(ccmod_engine *engine, uint32_t number)
{
    engine->items[number].next = engine->free_item;
    engine->free_item = number;
}

/* The tree of pairs */

/* The link that leads to the pair with `source`, or where it would be. */
static uint32_t *find_pair(ccmod_engine *engine, uint32_t receiver, uint32_t source)
{
    uint32_t *link = &engine->places[receiver].pairs;

    while (*link != ENGINE_NONE && engine->items[*link].source != source) {
        match_item *item = &engine->items[*link];

        link = scramble(source) < scramble(item->source) ? &item->left : &item->right;
    }
    return link;
}

static void append_to_pair(ccmod_engine *engine, uint32_t receiver, uint32_t number)
{
    match_item *item = &engine->items[number];
    uint32_t *link = find_pair(engine, receiver, item->source);

    item->next = ENGINE_NONE;
    if (*link == ENGINE_NONE) {
        item->left = item->right = ENGINE_NONE;
        item->last = number;
        *link = number;
        return;
    }
    engine->items[engine->items[*link].last].next = number;
    engine->items[*link].last = number;
}

/* What takes the place of a node that leaves the tree: the least of its right branch is above all
 * of its left one. */
static uint32_t successor(ccmod_engine *engine, const match_item *item)
{
    uint32_t *link, found;

    if (item->left == ENGINE_NONE)
        return item->right;
    if (item->right == ENGINE_NONE)
        return item->left;
    link = &engine->items[item->right].left;
    if (*link == ENGINE_NONE) {
        engine->items[item->right].left = item->left;
        return item->right;
    }
    while (engine->items[*link].left != ENGINE_NONE)
        link = &engine->items[*link].left;
    found = *link;
    *link = engine->items[found].right;
    engine->items[found].left = item->left;
    engine->items[found].right = item->right;
    return found;
}

/* The first of its pair leaves. */
static void remove_from_pair(ccmod_engine *engine, uint32_t *link)
{
    const match_item *item = &engine->items[*link];

    if (item->next != ENGINE_NONE) {
        match_item *next = &engine->items[item->next];

        next->left = item->left;
        next->right = item->right;
        next->last = item->last;
        *link = item->next;
        return;
    }
    *link = successor(engine, item);
}

/* Rings by age */

static void append_to_ring(ccmod_engine *engine, uint32_t *first, uint32_t number)
{
    match_item *items = engine->items, *item = &items[number];

    if (*first == ENGINE_NONE) {
        item->earlier = item->later = number;
        *first = number;
        return;
    }
    item->later = *first;
    item->earlier = items[*first].earlier;
    items[item->earlier].later = number;
    items[*first].earlier = number;
}

static void remove_from_ring(ccmod_engine *engine, uint32_t *first, uint32_t number)
{
    match_item *items = engine->items;
    const match_item *item = &items[number];

    if (item->later == number) {
        *first = ENGINE_NONE;
        return;
    }
    items[item->earlier].later = item->later;
    items[item->later].earlier = item->earlier;
    if (*first == number)
        *first = item->later;
}

/* Errors */

static cb_status refuse_sizes(ccmod_engine *engine, uint32_t source, uint32_t receiver,
                              const match_item *send, const match_item *receive)
{
    return ccmod_fail(engine->error, CB_ERROR_USAGE, engine->workload->name, receive->line,
                      "rank %u receives %llu bytes from rank %u here, but the message that comes "
                      "is the one of line %u and has %llu bytes; make both sizes equal, or put "
                      "the records in the order of the messages",
                      receiver, (unsigned long long)receive->size_bytes, source, send->line,
                      (unsigned long long)send->size_bytes);
}

static cb_status check_peer(const ccmod_engine *engine, uint32_t processor, uint32_t peer,
                            uint32_t line)
{
    if (peer >= engine->processor_count)
        return ccmod_fail(engine->error, CB_ERROR_USAGE, engine->workload->name, line,
                          "rank %u names rank %u, but there are only %zu; correct the record",
                          processor, peer, engine->processor_count);
    if (peer == processor)
        return ccmod_fail(engine->error, CB_ERROR_USAGE, engine->workload->name, line,
                          "rank %u sends to or receives from itself, which uses no network; leave "
                          "the record out",
                          processor);
    return CB_OK;
}

/* Sends */

/* The receive that a send from `source` meets, the older one of the pair's and those from any; it
 * leaves its list. ENGINE_NONE when there is none. */
static uint32_t take_receive(ccmod_engine *engine, uint32_t source, uint32_t receiver)
{
    match_place *place = &engine->places[receiver];
    uint32_t *link = find_pair(engine, receiver, source);
    uint32_t any = place->any, found = *link;

    if (found != ENGINE_NONE && (engine->items[found].flags & ITEM_SEND) != 0)
        found = ENGINE_NONE;
    if (any != ENGINE_NONE &&
        (found == ENGINE_NONE || engine->items[any].order < engine->items[found].order)) {
        remove_from_ring(engine, &place->any, any);
        return any;
    }
    if (found != ENGINE_NONE)
        remove_from_pair(engine, link);
    return found;
}

static cb_status leave_send(ccmod_engine *engine, uint32_t receiver, match_item send)
{
    uint32_t number = ENGINE_NONE;

    CB_TRY(take_item(engine, &number));
    engine->items[number] = send;
    append_to_pair(engine, receiver, number);
    append_to_ring(engine, &engine->places[receiver].arrivals, number);
    return CB_OK;
}

cb_status match_send(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                     uint32_t flags)
{
    match_item send = {.size_bytes = record->size_bytes,
                       .source = source,
                       .message = ENGINE_NONE,
                       .line = record->line,
                       .flags = ITEM_SEND};
    uint32_t receive, message;

    CB_TRY(check_peer(engine, source, record->peer, record->line));
    receive = take_receive(engine, source, record->peer);
    if (receive != ENGINE_NONE) {
        const match_item *found = &engine->items[receive];

        if (found->size_bytes != record->size_bytes)
            return refuse_sizes(engine, source, record->peer, &send, found);
        flags |= MESSAGE_MATCHED;
        if ((found->flags & ITEM_BLOCKED) != 0)
            flags |= MESSAGE_RECEIVER_BLOCKED;
        give_item(engine, receive);
        return message_start(engine, source, record->peer, record->size_bytes, record->line, flags,
                             &message);
    }
    if ((flags & MESSAGE_SENDER_BLOCKED) != 0)
        send.flags |= ITEM_BLOCKED;
    if ((flags & MESSAGE_EAGER) != 0)
        CB_TRY(message_start(engine, source, record->peer, record->size_bytes, record->line, flags,
                             &send.message));
    return leave_send(engine, record->peer, send);
}

static cb_status match_branch(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                              uint32_t message, size_t branch)
{
    uint32_t receiver = record->list[branch];
    match_item send = {.size_bytes = record->size_bytes,
                       .order = branch,
                       .source = source,
                       .message = message,
                       .line = record->line,
                       .flags = ITEM_SEND};
    bool blocked, arrived;
    uint32_t receive;

    CB_TRY(check_peer(engine, source, receiver, record->line));
    receive = take_receive(engine, source, receiver);
    if (receive == ENGINE_NONE)
        return leave_send(engine, receiver, send);
    if (engine->items[receive].size_bytes != record->size_bytes)
        return refuse_sizes(engine, source, receiver, &send, &engine->items[receive]);
    blocked = (engine->items[receive].flags & ITEM_BLOCKED) != 0;
    give_item(engine, receive);
    return message_match(engine, message, (uint32_t)branch, blocked, &arrived);
}

cb_status match_fan(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                    uint32_t flags)
{
    uint32_t message = ENGINE_NONE;

    CB_TRY(message_make_fan(engine, source, record, flags, &message));
    if ((flags & MESSAGE_EAGER) != 0)
        CB_TRY(message_start_fan(engine, message));
    for (size_t i = 0; i < record->list_count; i++)
        CB_TRY(match_branch(engine, source, record, message, i));
    return CB_OK;
}

/* Receives */

/* The send that a receive meets, with the link to its pair; it stays where it is. */
static uint32_t find_send(ccmod_engine *engine, uint32_t receiver, uint32_t source, uint32_t **link)
{
    uint32_t first = engine->places[receiver].arrivals;

    if (source == CCMOD_ANY) {
        if (first == ENGINE_NONE)
            return ENGINE_NONE;
        /* the earliest of all is the first of its pair */
        *link = find_pair(engine, receiver, engine->items[first].source);
        return first;
    }
    *link = find_pair(engine, receiver, source);
    if (**link == ENGINE_NONE || (engine->items[**link].flags & ITEM_SEND) == 0)
        return ENGINE_NONE;
    return **link;
}

static cb_status leave_receive(ccmod_engine *engine, uint32_t receiver, match_item receive)
{
    uint32_t number = ENGINE_NONE;

    CB_TRY(take_item(engine, &number));
    receive.order = engine->posted++;
    engine->items[number] = receive;
    if (receive.source == CCMOD_ANY)
        append_to_ring(engine, &engine->places[receiver].any, number);
    else
        append_to_pair(engine, receiver, number);
    return CB_OK;
}

/* The two halves are together. */
static cb_status join(ccmod_engine *engine, const match_item *send, uint32_t receiver, bool blocked,
                      bool *done)
{
    uint32_t flags = MESSAGE_MATCHED | (blocked ? MESSAGE_RECEIVER_BLOCKED : 0);
    uint32_t message;

    if (send->message == ENGINE_NONE) {
        if ((send->flags & ITEM_BLOCKED) != 0)
            flags |= MESSAGE_SENDER_BLOCKED;
        return message_start(engine, send->source, receiver, send->size_bytes, send->line, flags,
                             &message);
    }
    if ((engine->pool[send->message].flags & MESSAGE_FAN) != 0)
        receiver = (uint32_t)send->order; /* its place in the list */
    return message_match(engine, send->message, receiver, blocked, done);
}

cb_status match_receive(ccmod_engine *engine, uint32_t receiver, const ccmod_record *record,
                        bool blocked, bool *done)
{
    match_item receive = {.size_bytes = record->size_bytes,
                          .source = record->peer,
                          .message = ENGINE_NONE,
                          .line = record->line,
                          .flags = blocked ? ITEM_BLOCKED : 0};
    match_item send;
    uint32_t *link = NULL, found;

    *done = false;
    if (record->peer != CCMOD_ANY)
        CB_TRY(check_peer(engine, receiver, record->peer, record->line));
    found = find_send(engine, receiver, record->peer, &link);
    if (found == ENGINE_NONE)
        return leave_receive(engine, receiver, receive);
    send = engine->items[found];
    if (send.size_bytes != record->size_bytes)
        return refuse_sizes(engine, send.source, receiver, &send, &receive);
    remove_from_pair(engine, link);
    remove_from_ring(engine, &engine->places[receiver].arrivals, found);
    give_item(engine, found);
    return join(engine, &send, receiver, blocked, done);
}

/* The end */

static cb_status refuse_open(const ccmod_engine *engine, uint32_t receiver, const match_item *item)
{
    if ((item->flags & ITEM_SEND) != 0)
        return ccmod_fail(engine->error, CB_ERROR_DATA, engine->workload->name, item->line,
                          "rank %u sends %llu bytes to rank %u here, which nobody receives; add "
                          "the receive, or leave the send out",
                          item->source, (unsigned long long)item->size_bytes, receiver);
    if (item->source == CCMOD_ANY)
        return ccmod_fail(engine->error, CB_ERROR_DATA, engine->workload->name, item->line,
                          "rank %u receives %llu bytes from any rank here, but nobody sends them; "
                          "add the send, or leave the receive out",
                          receiver, (unsigned long long)item->size_bytes);
    return ccmod_fail(engine->error, CB_ERROR_DATA, engine->workload->name, item->line,
                      "rank %u receives %llu bytes from rank %u here, which nobody sends; add the "
                      "send, or leave the receive out",
                      receiver, (unsigned long long)item->size_bytes, item->source);
}

cb_status match_check_empty(ccmod_engine *engine)
{
    for (uint32_t i = 0; i < engine->processor_count; i++) {
        const match_place *place = &engine->places[i];

        if (place->pairs != ENGINE_NONE)
            return refuse_open(engine, i, &engine->items[place->pairs]);
        if (place->any != ENGINE_NONE)
            return refuse_open(engine, i, &engine->items[place->any]);
    }
    return CB_OK;
}
