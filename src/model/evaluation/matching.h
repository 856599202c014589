/* Matching of sends and receives: first come, first served for each pair of processors; a receive
 * from any takes the earliest send. Open items are found by pair and by age.
 *
 * Most traffic needs no table: a receiver that is blocked without other open receives waits without
 * an item, and so does the first blocked sender of a receiver for which nothing is open. The first
 * few sends of other kinds are in a short ring. Internal to src/model. */
#ifndef MODEL_EVALUATION_MATCHING_H
#define MODEL_EVALUATION_MATCHING_H

#include "model/evaluation/engine.h"

/* Flags of an item. */
enum { ITEM_SEND = 1, ITEM_BLOCKED = 2 };

/* The message starts when both halves are there. `flags`: EAGER, SENDER_BLOCKED. */
ccmod_status ccmod_match_send(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                              uint32_t flags);
ccmod_status ccmod_match_multicast(ccmod_engine *engine, uint32_t source,
                                   const ccmod_record *record, uint32_t flags);
/* *done: the message had arrived already. */
ccmod_status ccmod_match_receive(ccmod_engine *engine, uint32_t receiver,
                                 const ccmod_record *record, bool blocked, bool *done);
/* Of processors that react: the messages that have arrived in this instant go to receives, or wait
 * for some. */
ccmod_status ccmod_match_landed(ccmod_engine *engine);
/* The first send or receive that is not answered, as an error; CCMOD_OK when there is none. */
ccmod_status ccmod_match_check_empty(ccmod_engine *engine);
/* The items that are the first of their pairs, one after the other, in no particular order; *at is
 * 0 at first. NULL after the last one. */
const match_item *ccmod_match_next(const ccmod_engine *engine, size_t *at);

#endif
