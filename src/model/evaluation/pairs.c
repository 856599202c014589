#include "model/evaluation/pairs.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

static bool widen(pair_table *table, size_t room)
{
    pair_table wider = {malloc(room * sizeof(*wider.entries)), table->count, room};

    if (wider.entries == NULL)
        return false;
    for (size_t i = 0; i < room; i++)
        wider.entries[i].number = PAIRS_NONE;
    for (size_t i = 0; i < table->room; i++) {
        const pair_entry *entry = &table->entries[i];

        if (entry->number != PAIRS_NONE)
            *pairs_find(&wider, entry->receiver, entry->source) = *entry;
    }
    free(table->entries);
    *table = wider;
    return true;
}

bool ccmod_pairs_open(pair_table *table)
{
    return widen(table, FIRST_ROOM);
}

bool ccmod_pairs_add(pair_table *table, pair_entry *entry, const pair_entry *pair)
{
    *entry = *pair;
    return ++table->count <= table->room / 4 * 3 || widen(table, 2 * table->room);
}

/* Later entries move up into the gap, as far as their homes allow. */
void ccmod_pairs_remove(pair_table *table, pair_entry *entry)
{
    size_t last = table->room - 1, gap = (size_t)(entry - table->entries);

    table->count--;
    for (size_t at = (gap + 1) & last; table->entries[at].number != PAIRS_NONE;
         at = (at + 1) & last) {
        const pair_entry *later = &table->entries[at];
        size_t home = pairs_home(table, later->receiver, later->source);

        if (((at - home) & last) < ((at - gap) & last))
            continue;
        table->entries[gap] = *later;
        gap = at;
    }
    table->entries[gap].number = PAIRS_NONE;
}
