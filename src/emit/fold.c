/* The last item, where it is a loop, stays open: as long as records are those of its next
 * iteration, they are counted and not kept. With the first other record the loop is complete, and
 * what has come of a further iteration becomes items again; only then is the end of the list
 * searched for repetitions. So a loop is compared with another one when both have all their
 * iterations. */
#include "emit/fold.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/random.h"

/* The longest body that is looked for, in items. */
enum { LONGEST_BODY = 512 };

static cb_status out_of_memory(void)
{
    cb_error("cannot keep the records of a rank: out of memory; trace fewer steps or ranks");
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
    item->form = item->hash = hash;
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

/* The item is the list's from now on, also after an error. */
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

/* The last item has changed: it is a loop, and open. */
static void open_last(fold_state *fold)
{
    fold_item *last = &fold->items[fold->count - 1];

    hash_item(last);
    fold->forms[fold->count - 1] = last->form;
    fold->depth = 0;
    fold->places[0] = (fold_place){.loop = last, .iteration = last->count};
}

/* The last `iterations` times `length` items are one loop, with these strides of the first. */
static cb_status make_loop(fold_state *fold, size_t length, size_t iterations,
                           const uint32_t *strides)
{
    size_t first = fold->count - iterations * length;
    fold_item loop = {.count = iterations, .length = length, .depth = 1};

    loop.body = calloc(length, sizeof(*loop.body));
    if (loop.body == NULL)
        return out_of_memory();
    for (size_t i = 0; i < length; i++) {
        loop.body[i] = fold->items[first + i];
        loop.body[i].stride = strides != NULL ? strides[i] : 0;
        if (loop.body[i].count == 0)
            hash_item(&loop.body[i]);
        if (loop.body[i].depth >= loop.depth)
            loop.depth = loop.body[i].depth + 1;
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

/* Whether the last three times `length` items differ by the same strides from one time to the next.
 */
static bool grows_steadily(const fold_state *fold, size_t length, uint32_t *strides)
{
    const fold_item *first = fold->items + fold->count - 3 * length;

    for (size_t i = length; i-- > 0;) {
        const fold_item *one = first + i, *two = one + length, *three = two + length;

        strides[i] = 0;
        if (one->form != two->form || two->form != three->form)
            return false;
        if (one->count == 0 && one->record.kind <= FOLD_RECEIVE) {
            strides[i] = difference(fold, two->record.peer, one->record.peer);
            if (difference(fold, three->record.peer, two->record.peer) != strides[i])
                return false;
        } else if (!same_items(one, two, 1) || !same_items(two, three, 1)) {
            return false;
        }
    }
    return true;
}

/* Fold the shortest repetition; *found whether there is one. */
static cb_status fold_end(fold_state *fold, bool *found)
{
    const size_t most = fold->count / 2 < LONGEST_BODY ? fold->count / 2 : LONGEST_BODY;
    uint32_t strides[LONGEST_BODY];

    *found = true;
    for (size_t length = 1; length <= most; length++) {
        const fold_item *end = fold->items + fold->count;

        if (fold->forms[fold->count - 1] != fold->forms[fold->count - 1 - length])
            continue;
        if (!nests(fold, length))
            continue;
        if (end[-1].hash == end[-1 - (ptrdiff_t)length].hash &&
            same_items(end - length, end - 2 * length, length))
            return make_loop(fold, length, 2, NULL);
        if (fold->count >= 3 * length && grows_steadily(fold, length, strides))
            return make_loop(fold, length, 3, strides);
    }
    *found = false;
    return CB_OK;
}

/* The open loop */

static bool is_open(const fold_state *fold)
{
    return fold->count > 0 && fold->items[fold->count - 1].count > 0;
}

/* Hot. Whether the record is the next one of the open loop, which then has it. */
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

/* End the open loop: what came of a further iteration is appended. */
static cb_status close_last(fold_state *fold)
{
    const size_t depth = fold->depth;
    fold_item *last = &fold->items[fold->count - 1];

    hash_item(last);
    fold->forms[fold->count - 1] = last->form;
    fold->depth = 0;
    for (size_t level = 0; level <= depth; level++) {
        const fold_place *at = &fold->places[level];
        /* By value: where the list grows, its items move. */
        const fold_item loop = *(level == 0 ? last : at->loop);

        if (level > 0 && at->iteration >= 2) {
            fold_item part = loop;

            part.count = at->iteration;
            CB_TRY(append_copy(fold, &part, 0));
        }
        for (size_t i = 0; level > 0 && at->iteration == 1 && i < loop.length; i++)
            CB_TRY(append_copy(fold, &loop.body[i], 0));
        for (size_t i = 0; i < at->place; i++)
            CB_TRY(append_copy(fold, &loop.body[i], at->iteration));
    }
    return CB_OK;
}

/* Whether the record and the last one or two are a loop by themselves. */
static size_t run_with_last(const fold_state *fold, const fold_item *item)
{
    const fold_item *last = fold->items + fold->count - 1;

    if (fold->count < 1 || last->count > 0 || last->form != item->form)
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

static cb_status fold_all(fold_state *fold)
{
    bool found;

    do
        CB_TRY(fold_end(fold, &found));
    while (found);
    return CB_OK;
}

static __attribute__((noinline)) cb_status add_slowly(fold_state *fold, const fold_record *record)
{
    fold_item item = {.record = *record};
    size_t run, loops;
    uint32_t stride;

    hash_item(&item);
    if (is_open(fold))
        CB_TRY(close_last(fold));
    run = run_with_last(fold, &item);
    if (run > 0) {
        stride = difference(fold, record->peer, fold->items[fold->count - 1].record.peer);
        CB_TRY(append(fold, item));
        return make_loop(fold, 1, run, record->kind <= FOLD_RECEIVE ? &stride : NULL);
    }
    loops = fold->count;
    CB_TRY(fold_all(fold));
    if (fold->count != loops && follow(fold, record))
        return CB_OK;
    /* A loop that has just been made may have been followed into a loop within it. */
    fold->depth = 0;
    return append(fold, item);
}

cb_status fold_add(fold_state *fold, const fold_record *record)
{
    if (is_open(fold) && follow(fold, record))
        return CB_OK;
    return add_slowly(fold, record);
}

cb_status fold_finish(fold_state *fold)
{
    if (is_open(fold))
        CB_TRY(close_last(fold));
    return fold_all(fold);
}

void fold_free(fold_state *fold)
{
    free_items(fold->items, fold->count);
    free(fold->items);
    free(fold->forms);
    *fold = (fold_state){0};
}
