/* Ranks share a section if their items are equal except for peers, and each peer depends on the
 * rank in one of two ways: it grows by a constant per rank, modulo the number of ranks, or by one
 * for every N-th rank. */
#include "emit/sections.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

/* How a peer depends on the rank, as far as known from the ranks so far. */
typedef struct {
    uint32_t first; /* of the first rank */
    uint32_t slope; /* modulo the ranks; known from the second rank on */
    bool linear;    /* first + slope * distance holds */
    bool stepwise;  /* first + distance / every holds; `every` is 0 until one differs */
    uint64_t every;
} peer_trend;

typedef struct {
    peer_trend *trends; /* of all records, in the order of the text */
    size_t count;
    uint64_t ranks;
} section;

static bool has_peer(const fold_item *item)
{
    return item->count == 0 && item->record.kind <= FOLD_RECEIVE;
}

static size_t count_records(const fold_item *items, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++)
        count += items[i].count > 0 ? count_records(items[i].body, items[i].length) : 1;
    return count;
}

static bool are_alike(const fold_item *one, const fold_item *other, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const fold_record *mine = &one[i].record, *yours = &other[i].record;

        if (one[i].count != other[i].count || one[i].length != other[i].length)
            return false;
        if (one[i].count > 0) {
            if (!are_alike(one[i].body, other[i].body, one[i].length))
                return false;
            continue;
        }
        if (mine->kind != yours->kind || mine->bytes != yours->bytes ||
            mine->time_us != yours->time_us || one[i].stride != other[i].stride ||
            (!has_peer(&one[i]) && mine->peer != yours->peer))
            return false;
    }
    return true;
}

static void begin_trends(section *made, const fold_item *items, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (items[i].count > 0)
            begin_trends(made, items[i].body, items[i].length);
        else
            made->trends[made->count++] =
                (peer_trend){.first = items[i].record.peer, .linear = true, .stepwise = true};
}

static peer_trend continued(const section *made, peer_trend trend, uint64_t distance, uint32_t peer)
{
    uint64_t grown = (peer + made->ranks - trend.first) % made->ranks;

    if (distance == 1)
        trend.slope = (uint32_t)grown;
    trend.linear = trend.linear && trend.slope * distance % made->ranks == grown;
    if (trend.every == 0 && grown > 0) {
        trend.every = distance;
        trend.stepwise = trend.stepwise && grown == 1;
    } else if (trend.every > 0) {
        trend.stepwise = trend.stepwise && grown == distance / trend.every;
    }
    return trend;
}

/* Whether a rank at that distance from the first continues all trends; with `keep`, update the
 * trends with it. *at counts records. */
static bool continue_trends(section *made, const fold_item *items, size_t length, uint64_t distance,
                            bool keep, size_t *at)
{
    for (size_t i = 0; i < length; i++) {
        peer_trend trend;

        if (items[i].count > 0) {
            if (!continue_trends(made, items[i].body, items[i].length, distance, keep, at))
                return false;
            continue;
        }
        trend = continued(made, made->trends[*at], distance, items[i].record.peer);
        if (!trend.linear && !trend.stepwise)
            return false;
        if (keep)
            made->trends[*at] = trend;
        ++*at;
    }
    return true;
}

/* Add the ranks from the first on that are alike; returns their number. */
static size_t gather(section *made, const fold_state *ranks, size_t count)
{
    const fold_state *first = ranks;
    size_t gathered = 1;

    made->count = 0;
    begin_trends(made, first->items, first->count);
    for (; gathered < count; gathered++) {
        const fold_state *next = ranks + gathered;
        size_t at = 0;

        if (next->count != first->count || !are_alike(first->items, next->items, first->count) ||
            !continue_trends(made, next->items, next->count, gathered, false, &at))
            break;
        at = 0;
        (void)continue_trends(made, next->items, next->count, gathered, true, &at);
    }
    return gathered;
}

/* Text */

typedef struct {
    const section *made;
    char *const *lists;
    size_t first, last; /* ranks */
    size_t at;          /* index of the record */
    FILE *stream;
} writer;

/* A number modulo the ranks, as the representative nearest to 0. */
static int64_t as_signed(uint64_t value, uint64_t ranks)
{
    return value > ranks / 2 ? (int64_t)value - (int64_t)ranks : (int64_t)value;
}

/* "+%i", "-%r*3" */
static void write_term(FILE *stream, int64_t factor, const char *name)
{
    if (factor == 0)
        return;
    fprintf(stream, "%c%s", factor < 0 ? '-' : '+', name);
    if (factor != 1 && factor != -1)
        fprintf(stream, "*%" PRIu64, (uint64_t)(factor < 0 ? -factor : factor));
}

static int64_t least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int64_t most(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

/* Write start + slope * %r + stride * %i, modulo the ranks if it leaves their range for some rank
 * of the section or iteration of the loop. */
static void write_linear(const writer *to, const peer_trend *trend, int64_t stride,
                         uint64_t iterations)
{
    const int64_t ranks = (int64_t)to->made->ranks;
    int64_t slope = to->last > to->first ? as_signed(trend->slope, to->made->ranks) : 0;
    int64_t rank_part = slope * (int64_t)(to->last - to->first);
    int64_t loop_part = stride * (int64_t)(iterations > 0 ? iterations - 1 : 0);
    int64_t start = (int64_t)trend->first - slope * (int64_t)to->first;
    bool wraps = trend->first + least(rank_part, 0) + least(loop_part, 0) < 0 ||
                 trend->first + most(rank_part, 0) + most(loop_part, 0) >= ranks;

    if (wraps)
        start = (start % ranks + ranks) % ranks;
    fprintf(to->stream, "%s", wraps ? "(" : "");
    if (slope == 1 && (wraps || start <= 0)) {
        fprintf(to->stream, "%%r");
        if (start != 0)
            fprintf(to->stream, "%+" PRId64, start);
    } else if (start < 0) {
        fprintf(to->stream, "%%r*%" PRId64 "%+" PRId64, slope, start);
    } else {
        fprintf(to->stream, "%" PRId64, start);
        write_term(to->stream, slope, "%r");
    }
    write_term(to->stream, stride, "%i");
    if (wraps)
        fprintf(to->stream, ")%%%" PRId64, ranks);
}

static void write_stepwise(const writer *to, const peer_trend *trend, int64_t stride,
                           uint64_t iterations)
{
    int64_t last = (int64_t)trend->first + (int64_t)((to->last - to->first) / trend->every);
    int64_t loop_part = stride * (int64_t)(iterations > 0 ? iterations - 1 : 0);
    bool wraps = (int64_t)trend->first + least(loop_part, 0) < 0 ||
                 last + most(loop_part, 0) >= (int64_t)to->made->ranks;

    fprintf(to->stream, "%s%" PRIu32 "+(%%r-%zu)/%" PRIu64, wraps ? "(" : "", trend->first,
            to->first, trend->every);
    write_term(to->stream, stride, "%i");
    if (wraps)
        fprintf(to->stream, ")%%%" PRIu64, to->made->ranks);
}

static void write_record(writer *to, const fold_item *item, uint64_t iterations)
{
    const fold_record *record = &item->record;
    const peer_trend *trend = &to->made->trends[to->at++];
    int64_t stride = as_signed(item->stride, to->made->ranks);

    switch (record->kind) {
    case FOLD_COMPUTE:
        fprintf(to->stream, "c %.10g\n", record->time_us);
        return;
    case FOLD_MULTICAST:
        fprintf(to->stream, "m %s %" PRIu64 "\n", to->lists[record->peer], record->bytes);
        return;
    case FOLD_RECEIVE_ANY:
        fprintf(to->stream, "r any");
        break;
    case FOLD_SEND:
    case FOLD_RECEIVE:
        fprintf(to->stream, "%s ", record->kind == FOLD_SEND ? "is" : "r");
        (trend->linear ? write_linear : write_stepwise)(to, trend, stride, iterations);
    }
    if (record->bytes == FOLD_ANY_SIZE)
        fprintf(to->stream, " *\n");
    else
        fprintf(to->stream, " %" PRIu64 "\n", record->bytes);
}

static void write_items(writer *to, const fold_item *items, size_t length, uint64_t iterations)
{
    for (size_t i = 0; i < length; i++) {
        if (items[i].count == 0) {
            write_record(to, &items[i], iterations);
            continue;
        }
        fprintf(to->stream, "@ %" PRIu64 "\n", items[i].count);
        write_items(to, items[i].body, items[i].length, items[i].count);
        fprintf(to->stream, ";\n");
    }
}

cb_status sections_write(const fold_state *ranks, size_t count, char *const *lists, FILE *stream)
{
    section made = {.ranks = count};
    size_t room = 1, gathered;

    for (size_t rank = 0; rank < count; rank++) {
        size_t records = count_records(ranks[rank].items, ranks[rank].count);

        room = records > room ? records : room;
    }
    made.trends = cb_allocate(room, sizeof(*made.trends), "the sections of a trace");
    if (made.trends == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < count; rank += gathered) {
        writer to = {.made = &made, .lists = lists, .first = rank, .stream = stream};

        gathered = gather(&made, ranks + rank, count - rank);
        to.last = rank + gathered - 1;
        if (ranks[rank].count == 0)
            continue;
        fprintf(stream, gathered > 1 ? "%zu-%zu:\n" : "%zu:\n", to.first, to.last);
        write_items(&to, ranks[rank].items, ranks[rank].count, 0);
        fprintf(stream, "w\n");
    }
    free(made.trends);
    return CB_OK;
}
