/* Fold the records of a rank into loops while they are recorded.
 *
 * Repeated records become the body of a loop, also nested. A peer that grows by the same number in
 * each iteration stays one record. Memory grows with the loops, not with the records. Folding is
 * exact: unrolled loops give the original records in the original order. */
#ifndef EMIT_FOLD_H
#define EMIT_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum {
    FOLD_SEND,        /* non-blocking, to a peer */
    FOLD_RECEIVE,     /* from a peer; bytes may be FOLD_ANY_SIZE */
    FOLD_RECEIVE_ANY, /* from any peer; peer is 0 */
    FOLD_MULTICAST,   /* peer is the index of a list */
    FOLD_COMPUTE      /* peer and bytes are 0 */
} fold_kind;

#define FOLD_ANY_SIZE UINT64_MAX /* of a receive */

typedef struct {
    fold_kind kind;
    uint32_t peer;
    uint64_t bytes;
    double time_us;
} fold_record;

/* A record or a loop. In a loop, a record is that of iteration 0; its peer grows by `stride` per
 * iteration, modulo the number of ranks. Outside of loops the stride is 0. */
typedef struct fold_item {
    fold_record record;
    uint32_t stride;
    uint64_t count; /* iterations of a loop, at least 2; 0: a record */
    struct fold_item *body;
    size_t length;
    size_t depth;        /* nesting of loops; 1: no loop inside */
    uint64_t form, hash; /* hashes: without peer and stride; with them */
} fold_item;

/* Position of the next expected record in a loop: iteration, and index in the body. */
typedef struct {
    fold_item *loop;
    size_t place;
    uint64_t iteration;
} fold_place;

/* Limit of nesting; the trace format allows 32. */
enum { FOLD_DEPTH = 24 };

/* Zero-initialise and set `ranks`. `items` is complete after fold_finish. Free with fold_free. */
typedef struct {
    uint32_t ranks;
    fold_item *items;
    size_t count, room;
    uint64_t *forms; /* copy of the items' `form`, contiguous for searching */
    size_t forms_room;
    fold_place places[FOLD_DEPTH + 1]; /* position in the last item, if it is a loop */
    size_t depth;
    size_t fruitless; /* searches since a long body was found */
} fold_state;

/* Hot. Add a record. CB_ERROR_MEMORY, logged. */
cb_status fold_add(fold_state *fold, const fold_record *record);

cb_status fold_finish(fold_state *fold);
void fold_free(fold_state *fold);

#endif
