/* What a rank does, folded to loops while it is recorded: repeated records become the body of a
 * loop, loops within loops, and a peer that grows by the same number from one iteration to the next
 * stays one record. Memory is that of the loops, not of the records.
 *
 * Folding is exact: unrolled, the loops give the records that were added, in their order. */
#ifndef EMIT_FOLD_H
#define EMIT_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum {
    FOLD_SEND,        /* started, to a peer */
    FOLD_RECEIVE,     /* from a peer */
    FOLD_RECEIVE_ANY, /* from any; peer is 0 */
    FOLD_MULTICAST,   /* peer is the number of a list */
    FOLD_COMPUTE      /* peer and bytes are 0 */
} fold_kind;

typedef struct {
    fold_kind kind;
    uint32_t peer;
    uint64_t bytes;
    double time_us;
} fold_record;

/* A record or a loop. A record within a loop is that of iteration 0; its peer grows by `stride` in
 * each, modulo the number of ranks. The stride outside of loops is 0. */
typedef struct fold_item {
    fold_record record;
    uint32_t stride;
    uint64_t count; /* of a loop's iterations, at least 2; 0: this is a record */
    struct fold_item *body;
    size_t length;
    size_t depth;        /* of loops: 1 for one without another in it */
    uint64_t form, hash; /* of all but peer and stride of a record; and of these as well */
} fold_item;

/* Where in a loop the next record is expected: in this iteration, at this place of the body. */
typedef struct {
    fold_item *loop;
    size_t place;
    uint64_t iteration;
} fold_place;

/* Deeper ones are not made; the trace format allows 32. */
enum { FOLD_DEPTH = 24 };

/* Zero-initialise, and set `ranks`. `items` are complete after fold_finish. */
typedef struct {
    uint32_t ranks;
    fold_item *items;
    size_t count, room;
    uint64_t *forms; /* of the items, side by side for searching */
    size_t forms_room;
    fold_place places[FOLD_DEPTH + 1]; /* in the last item, where that is a loop */
    size_t depth;
} fold_state;

/* Hot. Add a record. CB_ERROR_MEMORY, logged. */
cb_status fold_add(fold_state *fold, const fold_record *record);

cb_status fold_finish(fold_state *fold);
void fold_free(fold_state *fold);

#endif
