/* Items, the table of pairs, and rings. A send with which nothing else is open for its receiver
 * needs no table, and most are met by their receives before anything comes. */
#include "model/evaluation/pairs.h"

#include <stdlib.h>

#include "model/sharing/messages.h"

enum { FIRST_ROOM = 64 };

static match_item *item_at(const ccmod_engine *engine, uint32_t number)
{
    return &engine->traffic.pool[number].item;
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

pair_entry *ccmod_pairs_find(const ccmod_engine *engine, uint32_t receiver, uint32_t source)
{
    const pair_table *table = &engine->pairs;
    uint32_t hash = hash_of(receiver, source);
    size_t at = home_of(table, hash);

    for (;; at = (at + 1) & (table->room - 1)) {
        pair_entry *entry = &table->entries[at];
        const match_item *item = item_at(engine, entry->item);

        if (entry->item == TRAFFIC_NONE ||
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
        wider.entries[i].item = TRAFFIC_NONE;
    for (size_t i = 0; i < table->room; i++) {
        size_t at = home_of(&wider, table->entries[i].hash);

        if (table->entries[i].item == TRAFFIC_NONE)
            continue;
        while (wider.entries[at].item != TRAFFIC_NONE)
            at = (at + 1) & (room - 1);
        wider.entries[at] = table->entries[i];
    }
    free(table->entries);
    *table = wider;
    return true;
}

/* The item becomes the last of its pair. */
static ccmod_status append_to_pair(ccmod_engine *engine, uint32_t number)
{
    pair_table *table = &engine->pairs;
    match_item *item = item_at(engine, number), *first;
    pair_entry *entry = ccmod_pairs_find(engine, item->receiver, item->source);

    item->next = TRAFFIC_NONE;
    if (entry->item != TRAFFIC_NONE) {
        first = item_at(engine, entry->item);
        engine->traffic.pool[first->last].item.next = number;
        first->last = number;
        return CCMOD_OK;
    }
    item->last = number;
    *entry = (pair_entry){hash_of(item->receiver, item->source), number};
    if (++table->count > table->room / 4 * 3 && !widen(table, 2 * table->room))
        return ccmod_traffic_no_memory(&engine->traffic);
    return CCMOD_OK;
}

/* Entries after the gap move up, as far as their home allows. */
static void close_gap(pair_table *table, size_t gap)
{
    size_t last = table->room - 1;

    for (size_t at = (gap + 1) & last; table->entries[at].item != TRAFFIC_NONE;
         at = (at + 1) & last) {
        size_t home = home_of(table, table->entries[at].hash);

        if (((at - home) & last) < ((at - gap) & last))
            continue;
        table->entries[gap] = table->entries[at];
        gap = at;
    }
    table->entries[gap].item = TRAFFIC_NONE;
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
    /* a receive from any will ask for this item next, which may be far from all caches: for its
     * pair, its message and the item after it */
    item = item_at(engine, item->later);
    __builtin_prefetch(
        &engine->pairs.entries[home_of(&engine->pairs, hash_of(item->receiver, item->source))], 1);
    __builtin_prefetch(item_at(engine, item->later), 1);
    if (item->message != TRAFFIC_NONE)
        __builtin_prefetch(&engine->traffic.pool[item->message], 1);
}

/* All of it */

bool ccmod_pairs_open(ccmod_engine *engine)
{
    return widen(&engine->pairs, FIRST_ROOM);
}

void ccmod_pairs_free(ccmod_engine *engine)
{
    free(engine->pairs.entries);
}

ccmod_status ccmod_pairs_add(ccmod_engine *engine, const match_item *item)
{
    match_place *place = &engine->places[item->receiver];
    bool send = (item->flags & ITEM_SEND) != 0;
    uint32_t number = TRAFFIC_NONE, alone = pairs_alone(place);

    CCMOD_TRY(pool_take(&engine->traffic, &number));
    engine->traffic.pool[number].item = *item;
    if (send && place->open == 0 && alone == TRAFFIC_NONE) {
        append_to_ring(engine, &place->arrivals, number);
        return CCMOD_OK;
    }
    if (alone != TRAFFIC_NONE) {
        place->open++;
        CCMOD_TRY(append_to_pair(engine, alone));
    }
    place->open++;
    if (send)
        append_to_ring(engine, &place->arrivals, number);
    return append_to_pair(engine, number);
}

void ccmod_pairs_remove(ccmod_engine *engine, pair_entry *entry)
{
    uint32_t number = entry->item;
    const match_item *item = item_at(engine, number);
    match_place *place = &engine->places[item->receiver];

    place->open--;
    if (item->next != TRAFFIC_NONE) {
        item_at(engine, item->next)->last = item->last;
        entry->item = item->next;
    } else {
        engine->pairs.count--;
        close_gap(&engine->pairs, (size_t)(entry - engine->pairs.entries));
    }
    if ((item->flags & ITEM_SEND) != 0)
        remove_from_ring(engine, &place->arrivals, number);
    pool_give(&engine->traffic, number);
}

void ccmod_pairs_remove_alone(ccmod_engine *engine, match_place *place)
{
    pool_give(&engine->traffic, place->arrivals);
    place->arrivals = TRAFFIC_NONE;
}

const match_item *ccmod_pairs_next(const ccmod_engine *engine, size_t *at)
{
    const pair_table *table = &engine->pairs;

    while (*at < table->room + engine->processor_count) {
        size_t next = (*at)++;
        uint32_t found = next < table->room ? table->entries[next].item
                                            : pairs_alone(&engine->places[next - table->room]);

        if (found != TRAFFIC_NONE)
            return item_at(engine, found);
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

const match_item *ccmod_pairs_first(const ccmod_engine *engine)
{
    const match_item *first = NULL, *item;
    size_t at = 0;

    while ((item = ccmod_pairs_next(engine, &at)) != NULL) {
        if (first == NULL || comes_before(item, first))
            first = item;
    }
    return first;
}
