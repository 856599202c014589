/* Items, the table of pairs, and rings. */
#include "model/pairs.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

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

pair_entry *pairs_find(const ccmod_engine *engine, uint32_t receiver, uint32_t source)
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
    pair_entry *entry = pairs_find(engine, item->receiver, item->source);

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

/* The first of its pair leaves the table. */
static void take_from_table(ccmod_engine *engine, pair_entry *entry)
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

/* All of it */

bool pairs_open(ccmod_engine *engine)
{
    return widen(&engine->pairs, FIRST_ROOM);
}

void pairs_free(ccmod_engine *engine)
{
    free(engine->pairs.entries);
    free(engine->items);
}

cb_status pairs_add(ccmod_engine *engine, const match_item *item, uint32_t *ring)
{
    uint32_t number = ENGINE_NONE;

    CB_TRY(take_item(engine, &number));
    engine->items[number] = *item;
    engine->places[item->receiver].open++;
    if (ring != NULL)
        append_to_ring(engine, ring, number);
    return append_to_pair(engine, number);
}

cb_status pairs_add_any(ccmod_engine *engine, const match_item *item, uint32_t *ring)
{
    uint32_t number = ENGINE_NONE;

    CB_TRY(take_item(engine, &number));
    engine->items[number] = *item;
    engine->places[item->receiver].open++;
    append_to_ring(engine, ring, number);
    return CB_OK;
}

void pairs_remove(ccmod_engine *engine, pair_entry *entry, uint32_t *ring)
{
    uint32_t number = entry->item;

    engine->places[engine->items[number].receiver].open--;
    take_from_table(engine, entry);
    if (ring != NULL)
        remove_from_ring(engine, ring, number);
    give_item(engine, number);
}

void pairs_remove_any(ccmod_engine *engine, uint32_t number, uint32_t *ring)
{
    engine->places[engine->items[number].receiver].open--;
    remove_from_ring(engine, ring, number);
    give_item(engine, number);
}

const match_item *pairs_first(const ccmod_engine *engine)
{
    const match_item *first = NULL;

    for (size_t i = 0; engine->pairs.count > 0 && i < engine->pairs.room; i++) {
        uint32_t found = engine->pairs.entries[i].item;

        if (found != ENGINE_NONE && (first == NULL || engine->items[found].line < first->line))
            first = &engine->items[found];
    }
    return first;
}
