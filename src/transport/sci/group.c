/* Groups: a receive asks the nodes in turn, from behind the one that gave the last message. While
 * nothing else is to be done it looks at one word for each of them, and asks those alone who may
 * have something. */
#include "transport/sci/internal.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/group.h"

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

static void note_ranks(sci_group *group)
{
    for (size_t i = 0; i < group->base.count; i++)
        group->ranks[i] = (uint32_t)group->base.nodes[i]->rank;
    group->version = group->base.version;
}

/* Whether the nodes have to be asked themselves, since there is something to send, to acknowledge
 * or to report. */
static bool want_asking(const sci_factory *factory)
{
    return sci_has_queued(factory) || factory->indebted > 0 || factory->starved > 0 ||
           __atomic_load_n(&factory->any_lost, __ATOMIC_RELAXED);
}

/* A caller may poll for ever, and would not hear otherwise that a node has ended. */
static cb_status find_nothing(sci_group *group)
{
    const uint32_t polls_between_looks = 1 << 14;

    if (__builtin_expect(++group->idle_polls % polls_between_looks != 0, 1))
        return CB_EMPTY;
    for (size_t i = 0; i < group->base.count; i++) {
        sci_node *node = sci_node_of(group->base.nodes[i]);

        if (node->connected)
            CB_TRY(sci_probe(node));
    }
    return CB_EMPTY;
}

/* Hot. The first node from `at` on, of `count`, that may have something; `count` itself: none. */
static size_t find_due(const sci_factory *factory, const sci_group *group, size_t at, size_t count)
{
    for (; at < count; at++) {
        const sci_watch *watch = &factory->watches[group->ranks[at]];

        if ((__atomic_load_n(watch->word, __ATOMIC_RELAXED) & watch->mask) == watch->due)
            break;
    }
    return at;
}

/* Hot. The nodes from `at` on, of `count`: all of them, or those who may have something. */
static cb_status ask(sci_group *group, bool all, size_t at, size_t count, transport_buffer **out,
                     transport_node **from)
{
    const sci_factory *factory = sci_factory_of(group->base.factory);

    for (; (at = all ? at : find_due(factory, group, at, count)) < count; at++) {
        cb_status status = sci_try_receive(group->base.nodes[at], out);

        if (status == CB_EMPTY)
            continue;
        group->turn = at + 1;
        *from = group->base.nodes[at];
        return status;
    }
    return CB_EMPTY;
}

/* Hot. */
cb_status sci_group_try_receive(transport_group *base, transport_buffer **out,
                                transport_node **from)
{
    sci_group *group = sci_group_of(base);
    const bool all = want_asking(sci_factory_of(base->factory));
    const size_t first = group->turn < base->count ? group->turn : 0;
    cb_status status;

    if (__builtin_expect(group->version != base->version, 0))
        note_ranks(group);
    status = ask(group, all, first, base->count, out, from);
    if (status == CB_EMPTY && first > 0)
        status = ask(group, all, 0, first, out, from);
    return status == CB_EMPTY ? find_nothing(group) : status;
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
