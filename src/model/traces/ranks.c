/* A tree of hulls over the sections tells which of them a rank is in without a list for each rank,
 * whatever the file's shape. */
#include "model/traces/ranks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"

static ccmod_status refuse(char *why, const char *text)
{
    snprintf(why, TRACE_WHY_BYTES, "%s", text);
    return CCMOD_ERROR_USAGE;
}

static int by_first(const void *left, const void *right)
{
    const trace_range *a = left, *b = right;

    return (a->first > b->first) - (a->first < b->first);
}

static bool ascending(const trace_range *ranges, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (ranges[i].first <= ranges[i - 1].last)
            return false;
    }
    return true;
}

/* The order in a list has no meaning: it is put in order, so that repetitions are seen. */
static ccmod_status put_in_order(trace_range *ranges, size_t count, char *why)
{
    if (ascending(ranges, count))
        return CCMOD_OK;
    qsort(ranges, count, sizeof(*ranges), by_first);
    return ascending(ranges, count) ? CCMOD_OK
                                    : refuse(why, "a rank stands in it twice; name each once");
}

static ccmod_status append_range(ccmod_trace *trace, trace_range range)
{
    trace_range *ranges =
        cb_grow(trace->ranges, trace->range_count, &trace->range_room, sizeof(*ranges));

    if (ranges == NULL)
        return CCMOD_ERROR_MEMORY;
    trace->ranges = ranges;
    ranges[trace->range_count++] = range;
    return CCMOD_OK;
}

static ccmod_status read_range(const ccmod_trace *trace, trace_scanner *scanner, trace_range *range,
                               char *why)
{
    int64_t first, last;

    if (!ccmod_trace_take_number(scanner, TRACE_LARGEST_RANKS, &first))
        return refuse(why, "a rank must stand here; write ranks and ranges, as 1-15,20");
    last = first;
    if (trace_take(scanner, '-') && !ccmod_trace_take_number(scanner, TRACE_LARGEST_RANKS, &last))
        return refuse(why, "the last rank of a range is missing; write 1-15");
    if (last < first)
        return refuse(why, "a range runs backwards; write the lower rank first");
    if (last >= trace->ranks) {
        snprintf(why, TRACE_WHY_BYTES,
                 "rank %lld is unknown, the header says %u ranks; correct one of the two",
                 (long long)last, trace->ranks);
        return CCMOD_ERROR_USAGE;
    }
    *range = (trace_range){(uint32_t)first, (uint32_t)last};
    return CCMOD_OK;
}

ccmod_status ccmod_trace_read_ranges(ccmod_trace *trace, trace_scanner *scanner, trace_list *out,
                                     char why[static TRACE_WHY_BYTES])
{
    size_t first = trace->range_count;

    do {
        trace_range range;

        CCMOD_TRY(read_range(trace, scanner, &range, why));
        CCMOD_TRY(append_range(trace, range));
    } while (trace_take(scanner, ','));
    *out = (trace_list){first, trace->range_count - first};
    return put_in_order(trace->ranges + first, out->count, why);
}

static trace_range hull_of(trace_range left, trace_range right)
{
    return (trace_range){left.first < right.first ? left.first : right.first,
                         left.last > right.last ? left.last : right.last};
}

bool ccmod_trace_index_sections(ccmod_trace *trace)
{
    const trace_range nobody = {UINT32_MAX, 0};
    size_t leaves = 1;

    while (leaves < trace->section_count)
        leaves *= 2;
    trace->hulls = malloc(2 * leaves * sizeof(*trace->hulls));
    if (trace->hulls == NULL)
        return false;
    trace->hull_leaves = leaves;
    for (size_t i = 0; i < leaves; i++)
        trace->hulls[leaves + i] = i < trace->section_count ? trace->sections[i].range : nobody;
    for (size_t i = leaves - 1; i > 0; i--)
        trace->hulls[i] = hull_of(trace->hulls[2 * i], trace->hulls[2 * i + 1]);
    trace->hulls[0] = nobody;
    return true;
}

/* The node that follows `node` and all below it in order of the sections; 0 at the end. */
static size_t next_node(size_t node)
{
    while (node % 2 == 1)
        node /= 2;
    return node == 0 ? 0 : node + 1;
}

size_t ccmod_trace_find_section(const ccmod_trace *trace, size_t from, uint32_t rank)
{
    size_t node = trace->hull_leaves + from;

    if (from >= trace->section_count)
        return trace->section_count;
    while (node != 0) {
        const trace_range *hull = &trace->hulls[node];

        if (rank < hull->first || rank > hull->last)
            node = next_node(node);
        else if (node < trace->hull_leaves)
            node = 2 * node;
        else
            return node - trace->hull_leaves;
    }
    return trace->section_count;
}
