/* Where sends and receives wait for their other half: items, a table that finds them by their pair,
 * and rings that have them by age. Internal to src/model. */
#ifndef MODEL_PAIRS_H
#define MODEL_PAIRS_H

#include "model/engine.h"

bool ccmod_pairs_open(ccmod_engine *engine); /* false without memory */
void ccmod_pairs_free(ccmod_engine *engine);

/* Put an item behind the others of its pair (receives from any make one, too); with `ring` behind
 * those of that ring, too. */
cb_status ccmod_pairs_add(ccmod_engine *engine, const match_item *item, uint32_t *ring);
/* The first item of a pair: the entry says ENGINE_NONE where there is none. Valid until the next
 * change. */
pair_entry *ccmod_pairs_find(const ccmod_engine *engine, uint32_t receiver, uint32_t source);

/* The first item of a pair leaves, its ring included where one is given, and is given back. */
void ccmod_pairs_remove(ccmod_engine *engine, pair_entry *entry, uint32_t *ring);
/* The open item with the lowest line, or NULL: does not depend on the order of the table. */
const match_item *ccmod_pairs_first(const ccmod_engine *engine);

#endif
