#include "model/evaluation/matching.h"

#include "model/evaluation/delivery.h"
#include "model/evaluation/pairs.h"

/* One half, wherever it waited. */
typedef struct {
    uint64_t size_bytes;
    uint32_t line;
    uint32_t flags;   /* ITEM_... */
    uint32_t source;  /* of a send */
    uint32_t message; /* of a send that is a message already, or TRAFFIC_NONE */
    uint32_t branch;  /* of a multicast's send: its place in the list */
} match_half;

/* Errors */

static ccmod_status refuse_sizes(ccmod_engine *engine, uint32_t source, uint32_t receiver,
                                 const match_half *send, const match_half *receive)
{
    return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, receive->line,
                      "rank %u receives %llu bytes from rank %u here, but the message that comes "
                      "is the one of line %u and has %llu bytes; make both sizes equal, or put "
                      "the records in the order of the messages",
                      receiver, (unsigned long long)receive->size_bytes, source, send->line,
                      (unsigned long long)send->size_bytes);
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
                          "rank %u sends to or receives from itself, which uses no network; leave "
                          "the record out",
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
                        .branch = (uint32_t)item->order};
}

/* What a processor that waits directly waits with. */
static match_half half_of_blocked(const ccmod_engine *engine, uint32_t number)
{
    const engine_processor *processor = &engine->processors[number];

    return (match_half){.size_bytes = processor->size_bytes,
                        .line = processor->line,
                        .flags = ITEM_BLOCKED,
                        .source = number,
                        .message = TRAFFIC_NONE};
}

static bool has_items(const match_place *place)
{
    return place->open > 0 || place->arrivals != TRAFFIC_NONE;
}

/* Sends */

/* The first receive of a pair, as an entry; NULL when there is none, or sends instead. */
static pair_entry *find_receive(const ccmod_engine *engine, uint32_t source, uint32_t receiver)
{
    pair_entry *entry = ccmod_pairs_find(engine, receiver, source);

    if (entry->item == TRAFFIC_NONE ||
        (engine->traffic.pool[entry->item].item.flags & ITEM_SEND) != 0)
        return NULL;
    return entry;
}

/* The receive that a send from `source` meets: that of a receiver which is blocked with nothing
 * else, or the older one of the pair's and those from any; it leaves its list. False when there is
 * none. */
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
    if (engine->places[receiver].open == 0)
        return false;
    entry = find_receive(engine, source, receiver);
    any = find_receive(engine, CCMOD_ANY, receiver);
    if (entry == NULL || (any != NULL && pool[any->item].item.order < pool[entry->item].item.order))
        entry = any;
    if (entry == NULL)
        return false;
    *found = half_of(&pool[entry->item].item);
    ccmod_pairs_remove(engine, entry);
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

    return ccmod_pairs_add(engine, &item);
}

/* The first that comes to a receiver waits directly; later and asynchronous ones, as items. */
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
    if (!take_receive(engine, source, record->peer, &receive))
        return wait_with_send(engine, &send, record->peer, flags);
    if (receive.size_bytes != record->size_bytes)
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

    CCMOD_TRY(check_peer(engine, source, receiver, record->line));
    if (!take_receive(engine, source, receiver, &receive))
        return leave_send(engine, &send, receiver);
    if (receive.size_bytes != record->size_bytes)
        return refuse_sizes(engine, source, receiver, &send, &receive);
    return ccmod_delivery_match(engine, message, send.branch, (receive.flags & ITEM_BLOCKED) != 0,
                                &arrived);
}

ccmod_status ccmod_match_fan(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                             uint32_t flags)
{
    uint32_t message = TRAFFIC_NONE;

    CCMOD_TRY(ccmod_delivery_start_fan(engine, source, record, flags, &message));
    for (size_t i = 0; i < record->list_count; i++)
        CCMOD_TRY(match_branch(engine, source, record, message, i));
    return CCMOD_OK;
}

/* Receives */

/* The send that a receive meets; it leaves its list. A sender that waits directly came first. */
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
    if (pairs_alone(place) != TRAFFIC_NONE) {
        const match_item *item = &pool[place->arrivals].item;

        if (item->source != source && source != CCMOD_ANY)
            return false;
        *found = half_of(item);
        ccmod_pairs_remove_alone(engine, place);
        return true;
    }
    if (place->open == 0 || (source == CCMOD_ANY && place->arrivals == TRAFFIC_NONE))
        return false;
    if (source == CCMOD_ANY) /* the earliest of all is the first of its pair */
        source = pool[place->arrivals].item.source;
    entry = ccmod_pairs_find(engine, receiver, source);
    if (entry->item == TRAFFIC_NONE || (pool[entry->item].item.flags & ITEM_SEND) == 0)
        return false;
    *found = half_of(&pool[entry->item].item);
    ccmod_pairs_remove(engine, entry);
    return true;
}

/* The two halves are together. */
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
    if ((engine->traffic.pool[send->message].flags & MESSAGE_FAN) != 0)
        receiver = send->branch;
    return ccmod_delivery_match(engine, send->message, receiver, blocked, done);
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
        if (send.size_bytes != record->size_bytes)
            return refuse_sizes(engine, send.source, receiver, &send, &receive);
        return join(engine, &send, receiver, blocked, done);
    }
    if (!blocked || has_items(&engine->places[receiver])) {
        match_item item = {.size_bytes = record->size_bytes,
                           .order = engine->posted++,
                           .source = record->peer,
                           .receiver = receiver,
                           .message = TRAFFIC_NONE,
                           .line = record->line,
                           .flags = blocked ? ITEM_BLOCKED : 0};

        return ccmod_pairs_add(engine, &item);
    }
    engine->processors[receiver].direct = true;
    engine->processors[receiver].size_bytes = record->size_bytes;
    return CCMOD_OK;
}

/* The end */

ccmod_status ccmod_match_check_empty(ccmod_engine *engine)
{
    const match_item *open = ccmod_pairs_first(engine);

    if (open == NULL)
        return CCMOD_OK;
    if ((open->flags & ITEM_SEND) != 0)
        return ccmod_fail(engine->error, CCMOD_ERROR_DATA, engine->workload->name, open->line,
                          "rank %u sends %llu bytes to rank %u here, which nobody receives; add "
                          "the receive, or leave the send out",
                          open->source, (unsigned long long)open->size_bytes, open->receiver);
    if (open->source == CCMOD_ANY)
        return ccmod_fail(engine->error, CCMOD_ERROR_DATA, engine->workload->name, open->line,
                          "rank %u receives %llu bytes from any rank here, but nobody sends them; "
                          "add the send, or leave the receive out",
                          open->receiver, (unsigned long long)open->size_bytes);
    return ccmod_fail(engine->error, CCMOD_ERROR_DATA, engine->workload->name, open->line,
                      "rank %u receives %llu bytes from rank %u here, which nobody sends; add the "
                      "send, or leave the receive out",
                      open->receiver, (unsigned long long)open->size_bytes, open->source);
}
