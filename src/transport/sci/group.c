/* Groups. A receive polls the nodes in turn, starting after the one that had the last message. If
 * nothing else has to be done it reads one word per node and polls only those that may have a
 * message. */
#include "transport/sci/internal.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"

cb_status sci_group_create(transport_factory *base, transport_node *const *nodes, size_t count,
                           transport_node *root, bool multicast, transport_group **out)
{
    sci_group *group;
    cb_status status;

    if (multicast && (base->ops.capabilities & TRANSPORT_MULTICAST) == 0) {
        cb_error("cannot make a multicast group over sci: an SCI adapter of the job has no "
                 "multicast; use --multicast loop");
        return CB_ERROR_UNSUPPORTED;
    }
    group = cb_allocate(1, sizeof(*group), "a group");
    if (group == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_group_initialise(&group->base, base, nodes, count, root, multicast));
    group->ranks = cb_allocate((size_t)base->size, sizeof(*group->ranks), "the ranks of a group");
    group->queue.queued = &sci_factory_of(base)->queued;
    status = group->ranks == NULL ? CB_ERROR_MEMORY : CB_OK;
    if (status == CB_OK && multicast)
        status = sci_multicast_begin(group);
    if (status != CB_OK)
        sci_group_destroy(&group->base);
    else
        *out = &group->base;
    return status;
}

void sci_group_destroy(transport_group *group)
{
    if (group->multicast)
        sci_multicast_end(sci_group_of(group));
    free(sci_group_of(group)->ranks);
    free(group->nodes);
    free(group);
}

/* In most groups the ranks are consecutive, so that their watches are adjacent. */
static void note_ranks(sci_group *group)
{
    const sci_factory *factory = sci_factory_of(group->base.factory);
    transport_node *const *nodes = group->base.nodes;
    const size_t count = group->base.count;
    bool in_order = true;

    for (size_t i = 0; i < count; i++) {
        group->ranks[i] = (uint32_t)nodes[i]->rank;
        in_order &= nodes[i]->rank == nodes[0]->rank + (int)i;
    }
    group->watches = count > 0 ? &factory->watches[group->ranks[0]] : factory->watches;
    group->base.turn = group->base.turn < count ? group->base.turn : 0;
    group->version = group->base.version;
    group->version_in_order = in_order ? group->version : 0;
}

/* Hot. The first watch from `at` on that is due; `end`: none. Usually none is, so they are tested
 * four at a time. */
static inline const sci_watch *find_due_in_order(const sci_watch *at, const sci_watch *end)
{
    for (; end - at >= 4; at += 4)
        if (sci_is_due(&at[0]) || sci_is_due(&at[1]) || sci_is_due(&at[2]) || sci_is_due(&at[3]))
            break;
    while (at < end && !sci_is_due(at))
        at++;
    return at;
}

/* Index of the first node from `at` on that may have a message; `count`: none. */
static size_t find_due(const sci_group *group, size_t at, size_t count)
{
    const sci_watch *watches = sci_factory_of(group->base.factory)->watches;

    while (at < count && !sci_is_due(&watches[group->ranks[at]]))
        at++;
    return at;
}

/* Poll the node at `at`. */
static cb_status poll_at(sci_group *group, size_t at, transport_buffer **out, transport_node **from)
{
    cb_status status = sci_try_receive(group->base.nodes[at], out);

    if (status != CB_EMPTY) {
        group->base.turn = at + 1 < group->base.count ? at + 1 : 0;
        *from = group->base.nodes[at];
    }
    return status;
}

/* Poll the nodes from `at` on, up to `count`, that may have a message. */
static cb_status poll_from(sci_group *group, size_t at, size_t count, transport_buffer **out,
                           transport_node **from)
{
    while ((at = find_due(group, at, count)) < count) {
        cb_status status = poll_at(group, at++, out, from);

        if (status != CB_EMPTY)
            return status;
    }
    return CB_EMPTY;
}

/* Each lost node reports its own error. */
__attribute__((cold)) static cb_status poll_all(sci_group *group, transport_buffer **out,
                                                transport_node **from)
{
    const size_t count = group->base.count;

    for (size_t i = 0, at = group->base.turn; i < count; i++, at++) {
        cb_status status = poll_at(group, at % count, out, from);

        if (status != CB_EMPTY)
            return status;
    }
    return CB_EMPTY;
}

/* A caller that polls forever would not learn otherwise that a node has ended. */
__attribute__((cold)) static cb_status probe_nodes(const sci_group *group)
{
    for (size_t i = 0; i < group->base.count; i++) {
        sci_node *node = sci_node_of(group->base.nodes[i]);

        if (node->connected)
            CB_TRY(sci_probe(node));
    }
    return CB_EMPTY;
}

static inline cb_status find_nothing(sci_group *group)
{
    const uint32_t polls_between_looks = 1 << 14;

    if (__builtin_expect(++group->idle_polls % polls_between_looks == 0, 0))
        return probe_nodes(group);
    return CB_EMPTY;
}

/* Whether a poll has more to do than to look for messages in order; one branch. */
static inline bool needs_full_poll(const sci_factory *factory, const sci_group *group)
{
    return ((group->version_in_order ^ group->base.version) |
            __atomic_load_n(&factory->queued, __ATOMIC_RELAXED) |
            __atomic_load_n(&factory->any_lost, __ATOMIC_RELAXED) | factory->indebted |
            factory->starved) != 0;
}

/* A poll that does all of it. Owed credits can wait until no message is found. */
__attribute__((noinline)) static cb_status poll_fully(sci_group *group, transport_buffer **out,
                                                      transport_node **from)
{
    sci_factory *factory = sci_factory_of(group->base.factory);
    const size_t count = group->base.count;
    size_t first;
    cb_status status;

    if (group->version != group->base.version)
        note_ranks(group);
    first = group->base.turn;
    if (sci_has_queued(factory))
        CB_TRY(sci_flush_queues(factory));
    if (__atomic_load_n(&factory->any_lost, __ATOMIC_RELAXED))
        return poll_all(group, out, from);
    status = poll_from(group, first, count, out, from);
    if (status == CB_EMPTY)
        status = poll_from(group, 0, first, out, from);
    if (status != CB_EMPTY)
        return status;
    CB_TRY(sci_relieve(factory));
    return find_nothing(group);
}

/* A due watch may belong to a message that has arrived only in part: then poll the other nodes. Not
 * inlined, so that an empty poll saves no registers. */
__attribute__((noinline)) static cb_status take_from(sci_group *group, size_t at,
                                                     transport_buffer **out, transport_node **from)
{
    cb_status status = poll_at(group, at, out, from);

    return status == CB_EMPTY ? poll_fully(group, out, from) : status;
}

/* Hot. No function calls if no message has arrived. */
cb_status sci_group_try_receive(transport_group *base, transport_buffer **out,
                                transport_node **from)
{
    sci_group *group = sci_group_of(base);
    const sci_watch *begin = group->watches, *turn = begin + group->base.turn, *at;

    if (__builtin_expect(needs_full_poll(sci_factory_of(base->factory), group), 0))
        return poll_fully(group, out, from);
    at = find_due_in_order(turn, begin + base->count);
    if (at < begin + base->count)
        return take_from(group, (size_t)(at - begin), out, from);
    at = find_due_in_order(begin, turn);
    if (at < turn)
        return take_from(group, (size_t)(at - begin), out, from);
    return find_nothing(group);
}

/* Hot. */
cb_status sci_group_receive(transport_group *base, transport_buffer **out, transport_node **from)
{
    sci_factory *factory = sci_factory_of(base->factory);
    cb_status status;

    for (uint64_t polls = 0; (status = sci_group_try_receive(base, out, from)) == CB_EMPTY; polls++)
        CB_TRY(sci_pause(factory, polls));
    return status;
}

/* Hot. */
cb_status sci_group_send(transport_group *group, transport_buffer *buffer)
{
    return group->multicast ? sci_multicast(sci_group_of(group), buffer)
                            : sci_send_to_each(group, buffer);
}

/* Hot. */
cb_status sci_group_try_receive_root(transport_group *group, transport_buffer **out)
{
    return group->multicast ? sci_try_receive_multicast(sci_group_of(group), out)
                            : sci_try_receive(group->root, out);
}

/* Hot. */
cb_status sci_group_receive_root(transport_group *group, transport_buffer **out)
{
    sci_factory *factory = sci_factory_of(group->factory);
    cb_status status;

    for (uint64_t polls = 0; (status = sci_group_try_receive_root(group, out)) == CB_EMPTY; polls++)
        CB_TRY(sci_pause(factory, polls));
    return status;
}
