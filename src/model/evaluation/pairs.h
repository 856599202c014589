/* Where sends and receives wait for their other half: items, a table that finds them by their pair,
 * and rings that have them by age. Internal to src/model. */
#ifndef MODEL_EVALUATION_PAIRS_H
#define MODEL_EVALUATION_PAIRS_H

#include "model/evaluation/engine.h"

/* Flags of an item. */
enum { ITEM_SEND = 1, ITEM_BLOCKED = 2 };

bool ccmod_pairs_open(ccmod_engine *engine); /* false without memory */
void ccmod_pairs_free(ccmod_engine *engine);

/* The receiver's only item, where that is a send that needs no table; else TRAFFIC_NONE. */
static inline uint32_t pairs_alone(const match_place *place)
{
    return place->open == 0 ? place->arrivals : TRAFFIC_NONE;
}

/* Put an item after the others of its pair (receives from any make one, too), a send after those
 * of its receiver's ring, too. */
ccmod_status ccmod_pairs_add(ccmod_engine *engine, const match_item *item);
/* The first item of a pair in the table: the entry says TRAFFIC_NONE where there is none. Valid
 * until the next change. */
pair_entry *ccmod_pairs_find(const ccmod_engine *engine, uint32_t receiver, uint32_t source);

/* The first item of a pair leaves, a send its ring included, and is given back. */
void ccmod_pairs_remove(ccmod_engine *engine, pair_entry *entry);
/* The same of a send that is alone. */
void ccmod_pairs_remove_alone(ccmod_engine *engine, match_place *place);

/* The items that are the first of their pairs, one after the other, in no particular order; *at is
 * 0 at first. NULL after the last one. */
const match_item *ccmod_pairs_next(const ccmod_engine *engine, size_t *at);
/* The open item with the lowest line, of those of one line the one with the lowest ranks, or NULL:
 * does not depend on the order of the table. */
const match_item *ccmod_pairs_first(const ccmod_engine *engine);

#endif
