/* Sends and receives find each other: first come, first served for each pair of processors; a
 * receive from any takes the earliest send. A receiver keeps what is open in a search tree over its
 * partners, ordered by a hash so that it stays shallow, and its open sends in a ring by arrival as
 * well. */
#include "model/engine.h"

#include <stdlib.h>

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

/* The table of pairs: open addressing, no entry has a gap between its home and itself */

static uint32_t hash_of(uint32_t receiver, uint32_t source)
{
    uint64_t pair = (uint64_t)receiver << 32 | source;

    return (uint32_t)((pair * 0x9e3779b97f4a7c15u) >> 32);
}

/* The upper bits of the product are the good ones; the table never has 2^32 entries. */
static size_t home_of(const pair_table *table, uint32_t hash)
{
    return (size_t)(((uint64_t)hash * table->room) >> 32);
}

static pair_entry *find_pair(const ccmod_engine *engine, uint32_t receiver, uint32_t source)
{
    const pair_table *table = &engine->pairs;
    uint32_t hash = hash_of(receiver, source);
    size_t at = home_of(table, hash);

    for (;; at = (at + 1) & (table->room - 1)) {
        pair_entry *entry = &table->entries[at];
        const match_item *item = &engine->items[entry->item];

        if (entry->item == ENGINE_NONE ||
            (entry->hash == hash && item->source == source && item->receiver == receiver))
            return entry;
    }
}

static bool widen(pair_table *table, size_t room)
{
    pair_table wider = {malloc(room * sizeof(*wider.entries)), table->count, room};

    if (wider.entries == NULL)
        return false;
    for (size_t i = 0; i < room; i++)
        wider.entries[i].item = ENGINE_NONE;
    for (size_t i = 0; i < table->room; i++) {
        size_t at = home_of(&wider, table->entries[i].hash);

        if (table->entries[i].item == ENGINE_NONE)
            continue;
        while (wider.entries[at].item != ENGINE_NONE)
            at = (at + 1) & (room - 1);
        wider.entries[at] = table->entries[i];
    }
    free(table->entries);
    *table = wider;
    return true;
}

/* The item becomes the last of its pair. */
static cb_status append_to_pair(ccmod_engine *engine, uint32_t number)
{
    pair_table *table = &engine->pairs;
    match_item *item = &engine->items[number], *first;
    pair_entry *entry = find_pair(engine, item->receiver, item->source);

    item->next = ENGINE_NONE;
    if (entry->item != ENGINE_NONE) {
        first = &engine->items[entry->item];
        engine->items[first->last].next = number;
        first->last = number;
        return CB_OK;
    }
    item->last = number;
    *entry = (pair_entry){hash_of(item->receiver, item->source), number};
    if (++table->count > table->room / 4 * 3 && !widen(table, 2 * table->room))
        return engine_no_memory(engine);
    return CB_OK;
}

/* Entries behind the gap move up, as far as their home allows. */
static void close_gap(pair_table *table, size_t gap)
{
    size_t last = table->room - 1;

    for (size_t at = (gap + 1) & last; table->entries[at].item != ENGINE_NONE;
         at = (at + 1) & last) {
        size_t home = home_of(table, table->entries[at].hash);

        if (((at - home) & last) < ((at - gap) & last))
            continue;
        table->entries[gap] = table->entries[at];
        gap = at;
    }
    table->entries[gap].item = ENGINE_NONE;
}

/* The first of its pair leaves. */
static void remove_from_pair(ccmod_engine *engine, pair_entry *entry)
{
    const match_item *item = &engine->items[entry->item];

    if (item->next != ENGINE_NONE) {
        engine->items[item->next].last = item->last;
        entry->item = item->next;
        return;
    }
    engine->pairs.count--;
    close_gap(&engine->pairs, (size_t)(entry - engine->pairs.entries));
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
    pair_entry *entry = find_pair(engine, receiver, source);
    uint32_t any = place->any, found = entry->item;

    if (found != ENGINE_NONE && (engine->items[found].flags & ITEM_SEND) != 0)
        found = ENGINE_NONE;
    if (any != ENGINE_NONE &&
        (found == ENGINE_NONE || engine->items[any].order < engine->items[found].order)) {
        remove_from_ring(engine, &place->any, any);
        return any;
    }
    if (found != ENGINE_NONE)
        remove_from_pair(engine, entry);
    return found;
}

static cb_status leave_send(ccmod_engine *engine, match_item send)
{
    uint32_t number = ENGINE_NONE;

    CB_TRY(take_item(engine, &number));
    engine->items[number] = send;
    append_to_ring(engine, &engine->places[send.receiver].arrivals, number);
    return append_to_pair(engine, number);
}

cb_status match_send(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                     uint32_t flags)
{
    match_item send = {.size_bytes = record->size_bytes,
                       .source = source,
                       .receiver = record->peer,
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
    return leave_send(engine, send);
}

static cb_status match_branch(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                              uint32_t message, size_t branch)
{
    uint32_t receiver = record->list[branch];
    match_item send = {.size_bytes = record->size_bytes,
                       .order = branch,
                       .source = source,
                       .receiver = receiver,
                       .message = message,
                       .line = record->line,
                       .flags = ITEM_SEND};
    bool blocked, arrived;
    uint32_t receive;

    CB_TRY(check_peer(engine, source, receiver, record->line));
    receive = take_receive(engine, source, receiver);
    if (receive == ENGINE_NONE)
        return leave_send(engine, send);
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

/* The send that a receive meets, by the entry of its pair; it stays where it is. NULL when there is
 * none. */
static pair_entry *find_send(const ccmod_engine *engine, uint32_t receiver, uint32_t source)
{
    pair_entry *entry;
    uint32_t first = engine->places[receiver].arrivals;

    if (source == CCMOD_ANY) {
        /* the earliest of all is the first of its pair */
        return first != ENGINE_NONE ? find_pair(engine, receiver, engine->items[first].source)
                                    : NULL;
    }
    entry = find_pair(engine, receiver, source);
    if (entry->item == ENGINE_NONE || (engine->items[entry->item].flags & ITEM_SEND) == 0)
        return NULL;
    return entry;
}

static cb_status leave_receive(ccmod_engine *engine, match_item receive)
{
    uint32_t number = ENGINE_NONE;

    CB_TRY(take_item(engine, &number));
    receive.order = engine->posted++;
    engine->items[number] = receive;
    if (receive.source != CCMOD_ANY)
        return append_to_pair(engine, number);
    append_to_ring(engine, &engine->places[receive.receiver].any, number);
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
                          .receiver = receiver,
                          .message = ENGINE_NONE,
                          .line = record->line,
                          .flags = blocked ? ITEM_BLOCKED : 0};
    pair_entry *entry;
    match_item send;
    uint32_t found;

    *done = false;
    if (record->peer != CCMOD_ANY)
        CB_TRY(check_peer(engine, receiver, record->peer, record->line));
    entry = find_send(engine, receiver, record->peer);
    if (entry == NULL)
        return leave_receive(engine, receive);
    found = entry->item;
    send = engine->items[found];
    if (send.size_bytes != record->size_bytes)
        return refuse_sizes(engine, send.source, receiver, &send, &receive);
    remove_from_pair(engine, entry);
    remove_from_ring(engine, &engine->places[receiver].arrivals, found);
    give_item(engine, found);
    return join(engine, &send, receiver, blocked, done);
}

/* Making and ending */

enum { FIRST_ROOM = 64 };

cb_status match_open(ccmod_engine *engine)
{
    return widen(&engine->pairs, FIRST_ROOM) ? CB_OK : engine_no_memory(engine);
}

void match_free(ccmod_engine *engine)
{
    free(engine->pairs.entries);
    free(engine->places);
    free(engine->items);
}

static cb_status refuse_open(const ccmod_engine *engine, const match_item *item)
{
    if ((item->flags & ITEM_SEND) != 0)
        return ccmod_fail(engine->error, CB_ERROR_DATA, engine->workload->name, item->line,
                          "rank %u sends %llu bytes to rank %u here, which nobody receives; add "
                          "the receive, or leave the send out",
                          item->source, (unsigned long long)item->size_bytes, item->receiver);
    if (item->source == CCMOD_ANY)
        return ccmod_fail(engine->error, CB_ERROR_DATA, engine->workload->name, item->line,
                          "rank %u receives %llu bytes from any rank here, but nobody sends them; "
                          "add the send, or leave the receive out",
                          item->receiver, (unsigned long long)item->size_bytes);
    return ccmod_fail(engine->error, CB_ERROR_DATA, engine->workload->name, item->line,
                      "rank %u receives %llu bytes from rank %u here, which nobody sends; add the "
                      "send, or leave the receive out",
                      item->receiver, (unsigned long long)item->size_bytes, item->source);
}

/* The one with the lowest line, so that the error does not depend on the order of the table. */
static const match_item *first_in_table(const ccmod_engine *engine)
{
    const match_item *first = NULL;

    for (size_t i = 0; engine->pairs.count > 0 && i < engine->pairs.room; i++) {
        uint32_t found = engine->pairs.entries[i].item;

        if (found != ENGINE_NONE && (first == NULL || engine->items[found].line < first->line))
            first = &engine->items[found];
    }
    return first;
}

cb_status match_check_empty(ccmod_engine *engine)
{
    const match_item *open = first_in_table(engine);

    for (uint32_t i = 0; open == NULL && i < engine->processor_count; i++) {
        if (engine->places[i].any != ENGINE_NONE)
            open = &engine->items[engine->places[i].any];
    }
    return open != NULL ? refuse_open(engine, open) : CB_OK;
}
