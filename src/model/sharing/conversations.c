/* A hash table of conversations by pair, with open addressing. Pairs are not removed: a long
 * workload has the same pairs throughout. */
#include "model/sharing/conversations.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_ROOM = 64 };

static const uint64_t empty = UINT64_MAX; /* ranks are below 2^30 */

/* The pair's entry, or the empty one for it. Uses the upper bits of the product, which are better
 * mixed. */
static conversation *place_of(const conversation_table *table, uint64_t pair)
{
    size_t at = (size_t)((pair * 0x9e3779b97f4a7c15u) >> 32) & (table->room - 1);

    while (table->entries[at].pair != empty && table->entries[at].pair != pair)
        at = (at + 1) & (table->room - 1);
    return &table->entries[at];
}

static bool table_allocate(conversation_table *table, size_t room)
{
    *table = (conversation_table){malloc(room * sizeof(*table->entries)), 0, room};
    if (table->entries == NULL)
        return false;
    for (size_t i = 0; i < room; i++)
        table->entries[i].pair = empty;
    return true;
}

static bool widen(conversation_table *table)
{
    conversation_table wider;

    if (!table_allocate(&wider, 2 * table->room))
        return false;
    for (size_t i = 0; i < table->room; i++) {
        if (table->entries[i].pair != empty)
            *place_of(&wider, table->entries[i].pair) = table->entries[i];
    }
    wider.count = table->count;
    free(table->entries);
    *table = wider;
    return true;
}

bool ccmod_conversations_open(conversation_table *table)
{
    return table_allocate(table, FIRST_ROOM);
}

void ccmod_conversations_close(conversation_table *table)
{
    free(table->entries);
    table->entries = NULL;
}

conversation *ccmod_conversation_of(conversation_table *table, uint32_t receiver, uint32_t sender)
{
    uint64_t pair = (uint64_t)receiver << 32 | sender;
    conversation *entry = place_of(table, pair);

    if (entry->pair == pair)
        return entry;
    if (2 * (table->count + 1) > table->room) {
        if (!widen(table))
            return NULL;
        entry = place_of(table, pair);
    }
    table->count++;
    *entry = (conversation){.pair = pair, .received_us = -HUGE_VAL};
    return entry;
}
