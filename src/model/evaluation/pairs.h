/* A hash table of pairs of processors with a number each, of an item or a message: open addressing
 * without gaps between an entry and its home. Inline, since hot. Internal to src/model. */
#ifndef MODEL_EVALUATION_PAIRS_H
#define MODEL_EVALUATION_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAIRS_NONE UINT32_MAX

typedef struct {
    uint32_t receiver, source; /* source may be CCMOD_ANY */
    uint32_t number;           /* PAIRS_NONE: the entry is empty */
} pair_entry;

typedef struct {
    pair_entry *entries;
    size_t count, room; /* room is a power of two */
} pair_table;

/* False if out of memory. Free table->entries. */
bool ccmod_pairs_open(pair_table *table);

/* Add a pair to the empty entry that pairs_find has returned. False if out of memory. */
bool ccmod_pairs_add(pair_table *table, pair_entry *entry, const pair_entry *pair);
void ccmod_pairs_remove(pair_table *table, pair_entry *entry);

/* Where the search for a pair starts: the upper bits of the product, which are better mixed; the
 * table never has 2^32 entries. */
static inline size_t pairs_home(const pair_table *table, uint32_t receiver, uint32_t source)
{
    uint64_t pair = (uint64_t)receiver << 32 | source;
    uint64_t hash = (pair * 0x9e3779b97f4a7c15u) >> 32;

    return (size_t)((hash * table->room) >> 32);
}

/* The entry of a pair; an empty one if there is none. Valid until the next change. */
static inline pair_entry *pairs_find(const pair_table *table, uint32_t receiver, uint32_t source)
{
    size_t at = pairs_home(table, receiver, source);

    for (;; at = (at + 1) & (table->room - 1)) {
        pair_entry *entry = &table->entries[at];

        if (entry->number == PAIRS_NONE || (entry->receiver == receiver && entry->source == source))
            return entry;
    }
}

#endif
