/* If the last item is a loop, it stays open: records that match its next iteration are counted and
 * not stored. With the first other record the loop is closed, records of an incomplete iteration
 * become items again, and the end of the list is searched for repetitions. So loops are compared
 * only when both have all their iterations. */
#include "emit/fold.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/random.h"

/* Longest loop body to search for, in items; and the longest run that may be written record by
 * record. */
enum { LONGEST_BODY = 512, SHORT_BODY = 16, SHORT_RUN = 8 };

static cb_status out_of_memory(void)
{
    cb_error("cannot store the records of a rank: out of memory; trace fewer steps "
             "or ranks");
    return CB_ERROR_MEMORY;
}

/* Items */

static bool same_record(const fold_record *one, const fold_record *other)
{
    return one->kind == other->kind && one->peer == other->peer && one->bytes == other->bytes &&
           one->time_us == other->time_us;
}

static bool same_items(const fold_item *one, const fold_item *other, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (one[i].hash != other[i].hash || one[i].count != other[i].count ||
            one[i].length != other[i].length || one[i].stride != other[i].stride ||
            !same_record(&one[i].record, &other[i].record) ||
            !same_items(one[i].body, other[i].body, one[i].length))
            return false;
    return true;
}

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    return cb_mix64(hash ^ value);
}

/* The record that `item` is, or a short run of without growth; else NULL. In a loop, the records of
 * a run can grow like one if they are written one by one, since an expression can use only the
 * innermost loop. */
static const fold_record *record_that_grows(const fold_item *item)
{
    const fold_item *one = item->count == 0 ? item : item->body;

    if (item->count > SHORT_RUN || (item->count > 0 && item->length > 1) || one->count > 0 ||
        one->stride > 0 || one->record.kind > FOLD_RECEIVE)
        return NULL;
    return &one->record;
}

static void hash_item(fold_item *item)
{
    uint64_t time_bits, hash;

    if (item->count == 0) {
        memcpy(&time_bits, &item->record.time_us, sizeof(time_bits));
        hash = mixed(mixed(item->record.kind, item->record.bytes), time_bits);
        item->form = hash;
        item->hash = mixed(mixed(hash, item->record.peer), item->stride);
        return;
    }
    hash = mixed(UINT64_MAX, item->count);
    for (size_t i = 0; i < item->length; i++)
        hash = mixed(hash, item->body[i].hash);
    item->hash = hash;
    item->form = record_that_grows(item) != NULL
                     ? mixed(mixed(UINT64_MAX, item->count), item->body->form)
                     : hash;
}

static void free_items(fold_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free_items(items[i].body, items[i].length);
        free(items[i].body);
    }
}

static cb_status copy_items(const fold_item *from, size_t count, fold_item **out)
{
    fold_item *made = calloc(count, sizeof(*made));

    if (made == NULL)
        return out_of_memory();
    for (size_t i = 0; i < count; i++) {
        made[i] = from[i];
        if (from[i].length > 0 &&
            copy_items(from[i].body, from[i].length, &made[i].body) != CB_OK) {
            free_items(made, i);
            free(made);
            return CB_ERROR_MEMORY;
        }
    }
    *out = made;
    return CB_OK;
}

static uint32_t peer_at(const fold_state *fold, const fold_item *item, uint64_t iteration)
{
    if (item->stride == 0)
        return item->record.peer;
    return (uint32_t)((item->record.peer + item->stride * iteration) % fold->ranks);
}

static uint32_t difference(const fold_state *fold, uint32_t peer, uint32_t from)
{
    return peer >= from ? peer - from : peer + fold->ranks - from;
}

/* The list */

/* The list owns the item from now on, also after an error. */
static cb_status append(fold_state *fold, fold_item item)
{
    fold_item *items = cb_grow(fold->items, fold->count, &fold->room, sizeof(*items));
    uint64_t *forms = NULL;

    if (items != NULL) {
        fold->items = items;
        forms = cb_grow(fold->forms, fold->count, &fold->forms_room, sizeof(*forms));
    }
    if (forms == NULL) {
        free_items(&item, 1);
        return out_of_memory();
    }
    fold->forms = forms;
    fold->forms[fold->count] = item.form;
    fold->items[fold->count++] = item;
    return CB_OK;
}

static cb_status append_copy(fold_state *fold, const fold_item *item, uint64_t iteration)
{
    fold_item copy = *item;

    copy.record.peer = item->count == 0 ? peer_at(fold, item, iteration) : 0;
    copy.stride = 0;
    if (item->count > 0)
        CB_TRY(copy_items(item->body, item->length, &copy.body));
    hash_item(&copy);
    return append(fold, copy);
}

/* The last item has become a loop: open it. */
static void open_last(fold_state *fold)
{
    fold_item *last = &fold->items[fold->count - 1];

    hash_item(last);
    fold->forms[fold->count - 1] = last->form;
    fold->depth = 0;
    fold->places[0] = (fold_place){.loop = last, .iteration = last->count};
}

/* Replace the last `iterations` times `length` items by one loop with the first strides. */
static cb_status make_loop(fold_state *fold, size_t length, size_t iterations,
                           const uint32_t *strides)
{
    size_t first = fold->count - iterations * length;
    fold_item loop = {.count = iterations, .depth = 1};

    loop.body = calloc(length * (strides != NULL ? SHORT_RUN : 1), sizeof(*loop.body));
    if (loop.body == NULL)
        return out_of_memory();
    for (size_t i = 0; i < length; i++) {
        fold_item *item = &fold->items[first + i];
        uint32_t stride = strides != NULL ? strides[i] : 0;
        size_t times = item->count > 0 && stride > 0 ? item->count : 1;

        if (item->count > 0 && stride > 0) {
            fold_item *one = item->body;

            *item = *one;
            free(one);
        }
        item->stride = stride;
        if (item->count == 0)
            hash_item(item);
        for (size_t k = 0; k < times; k++)
            loop.body[loop.length++] = *item;
        if (item->depth >= loop.depth)
            loop.depth = item->depth + 1;
    }
    free_items(fold->items + first + length, (iterations - 1) * length);
    fold->count = first;
    CB_TRY(append(fold, loop));
    open_last(fold);
    return CB_OK;
}

/* Repetitions at the end of the list */

static bool nests(const fold_state *fold, size_t length)
{
    for (size_t i = fold->count - length; i < fold->count; i++)
        if (fold->items[i].depth + 1 > FOLD_DEPTH)
            return false;
    return true;
}

/* Whether the last three groups of `length` items differ by the same strides. */
static bool grows_steadily(const fold_state *fold, size_t length, uint32_t *strides)
{
    const fold_item *first = fold->items + fold->count - 3 * length;

    for (size_t i = length; i-- > 0;) {
        const fold_item *one = first + i, *two = one + length, *three = two + length;
        const fold_record *record = record_that_grows(one);

        strides[i] = 0;
        if (one->form != two->form || two->form != three->form)
            return false;
        if (record != NULL) {
            uint32_t peer = record_that_grows(two)->peer;

            strides[i] = difference(fold, peer, record->peer);
            if (difference(fold, record_that_grows(three)->peer, peer) != strides[i])
                return false;
        } else if (!same_items(one, two, 1) || !same_items(two, three, 1)) {
            return false;
        }
    }
    return true;
}

/* Longest body to look for. Records that did not repeat when every body could have come three times
 * are of an irregular pattern: looking for long bodies would take the time of a comparison with
 * each record before. */
static size_t longest_body(const fold_state *fold)
{
    const size_t most = fold->fruitless > 3 * LONGEST_BODY ? SHORT_BODY : LONGEST_BODY;

    return fold->count / 2 < most ? fold->count / 2 : most;
}

/* Short bodies come by chance in an irregular pattern, too. */
static void note_success(fold_state *fold, size_t length)
{
    if (length > SHORT_BODY)
        fold->fruitless = 0;
}

/* Fold the shortest repetition; *found: there was one. */
static cb_status fold_end(fold_state *fold, bool *found)
{
    const size_t most = longest_body(fold);
    uint32_t strides[LONGEST_BODY];

    *found = true;
    fold->fruitless++;
    for (size_t length = 1; length <= most; length++) {
        const fold_item *end = fold->items + fold->count;

        if (fold->forms[fold->count - 1] != fold->forms[fold->count - 1 - length])
            continue;
        if (end[-1].hash == end[-1 - (ptrdiff_t)length].hash &&
            same_items(end - length, end - 2 * length, length)) {
            if (!nests(fold, length))
                continue;
            note_success(fold, length);
            return make_loop(fold, length, 2, NULL);
        }
        if (fold->count >= 3 * length && grows_steadily(fold, length, strides) &&
            nests(fold, length)) {
            note_success(fold, length);
            return make_loop(fold, length, 3, strides);
        }
    }
    *found = false;
    return CB_OK;
}

/* The open loop */

static bool is_open(const fold_state *fold)
{
    return fold->count > 0 && fold->items[fold->count - 1].count > 0;
}

/* Hot. Whether the record is the next one of the open loop; if so, count it. */
static bool follow(fold_state *fold, const fold_record *record)
{
    fold_place *at = &fold->places[fold->depth];
    const fold_item *next;

    for (next = &at->loop->body[at->place]; next->count > 0; next = at->loop->body) {
        at = &fold->places[++fold->depth];
        *at = (fold_place){.loop = (fold_item *)(uintptr_t)next};
    }
    if (next->record.kind != record->kind || next->record.bytes != record->bytes ||
        next->record.time_us != record->time_us ||
        peer_at(fold, next, at->iteration) != record->peer)
        return false;
    at->place++;
    while (at->place == at->loop->length) {
        at->place = 0;
        at->iteration++;
        if (fold->depth == 0) {
            at->loop->count = at->iteration;
            break;
        }
        if (at->iteration < at->loop->count)
            break;
        at = &fold->places[--fold->depth];
        at->place++;
    }
    return true;
}

/* Fold all repetitions at the end of the list; *folded: there was one. */
static cb_status fold_all(fold_state *fold, bool *folded)
{
    bool found;

    *folded = false;
    do {
        CB_TRY(fold_end(fold, &found));
        *folded |= found;
    } while (found);
    return CB_OK;
}

/* Copy the records of the open loop's incomplete iteration as items. */
static cb_status copy_incomplete_iteration(const fold_state *fold, fold_state *out)
{
    for (size_t level = 0; level <= fold->depth; level++) {
        const fold_place *at = &fold->places[level];

        if (level > 0 && at->iteration >= 2) {
            fold_item part = *at->loop;

            part.count = at->iteration;
            CB_TRY(append_copy(out, &part, 0));
        }
        for (size_t i = 0; level > 0 && at->iteration == 1 && i < at->loop->length; i++)
            CB_TRY(append_copy(out, &at->loop->body[i], 0));
        for (size_t i = 0; i < at->place; i++)
            CB_TRY(append_copy(out, &at->loop->body[i], at->iteration));
    }
    return CB_OK;
}

static cb_status add_unrolled(fold_state *fold, const fold_item *item, uint64_t iteration)
{
    fold_record record = item->record;

    if (item->count == 0) {
        record.peer = peer_at(fold, item, iteration);
        return fold_add(fold, &record);
    }
    for (uint64_t i = 0; i < item->count; i++)
        for (size_t k = 0; k < item->length; k++)
            CB_TRY(add_unrolled(fold, &item->body[k], i));
    return CB_OK;
}

/* Close the open loop. If it became part of another loop, the records of its incomplete iteration
 * are added again, as they may continue that loop; *folded: it did. */
static cb_status close_last(fold_state *fold, bool *folded)
{
    fold_item *last = &fold->items[fold->count - 1];
    fold_state begun = {.ranks = fold->ranks};
    cb_status status = copy_incomplete_iteration(fold, &begun);
    size_t at = 0;

    hash_item(last);
    fold->forms[fold->count - 1] = last->form;
    fold->depth = 0;
    if (status == CB_OK)
        status = fold_all(fold, folded);
    for (; at < begun.count && status == CB_OK && *folded; at++)
        status = add_unrolled(fold, &begun.items[at], 0);
    for (; at < begun.count && status == CB_OK; at++) {
        status = append(fold, begun.items[at]);
        begun.items[at].body = NULL;
        begun.items[at].length = 0;
    }
    fold_free(&begun);
    return status;
}

/* Whether the record and the last one or two form a loop. */
static size_t run_with_last(const fold_state *fold, const fold_item *item)
{
    const fold_item *last;

    if (fold->count < 1)
        return 0;
    last = &fold->items[fold->count - 1];
    if (last->count > 0 || last->form != item->form)
        return 0;
    if (last->hash == item->hash && same_record(&last->record, &item->record))
        return 2;
    if (fold->count < 2 || last[-1].count > 0 || last[-1].form != item->form ||
        item->record.kind > FOLD_RECEIVE)
        return 0;
    return difference(fold, item->record.peer, last->record.peer) ==
                   difference(fold, last->record.peer, last[-1].record.peer)
               ? 3
               : 0;
}

static __attribute__((noinline)) cb_status add_slowly(fold_state *fold, const fold_record *record)
{
    fold_item item = {.record = *record};
    uint32_t stride;
    bool folded;
    size_t run;

    if (is_open(fold)) {
        CB_TRY(close_last(fold, &folded));
        if (folded)
            return fold_add(fold, record);
    }
    hash_item(&item);
    run = run_with_last(fold, &item);
    if (run > 0) {
        stride = difference(fold, record->peer, fold->items[fold->count - 1].record.peer);
        CB_TRY(append(fold, item));
        return make_loop(fold, 1, run, record->kind <= FOLD_RECEIVE ? &stride : NULL);
    }
    CB_TRY(fold_all(fold, &folded));
    return folded ? fold_add(fold, record) : append(fold, item);
}

cb_status fold_add(fold_state *fold, const fold_record *record)
{
    if (is_open(fold) && follow(fold, record))
        return CB_OK;
    return add_slowly(fold, record);
}

cb_status fold_finish(fold_state *fold)
{
    bool folded;

    /* Repeat while records of an incomplete iteration were added to another loop, which is open
     * again. */
    do {
        folded = false;
        if (is_open(fold))
            CB_TRY(close_last(fold, &folded));
    } while (folded);
    return fold_all(fold, &folded);
}

void fold_free(fold_state *fold)
{
    free_items(fold->items, fold->count);
    free(fold->items);
    free(fold->forms);
    *fold = (fold_state){0};
}
