/* 1.6 multicasting: one source, identical data to each destination of a list.
 *
 * stream    a step is one group send, bounded by the window of each destination; the source's block
 *           runs from its first send to the last acknowledgement
 * round     each destination acknowledges each round
 *
 * The list is fixed, or changes with each broadcast: it is the next of some prepared groups, which
 * rotate over the destinations or are drawn at random. What making a group costs is reported apart.
 */
#include "engine/benchmark.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

enum { PREPARED_LISTS = 16 };

/* Draw `length` different destinations of `all` (a partial Fisher-Yates shuffle). */
static void draw(cb_random *random, size_t *order, size_t length, size_t all)
{
    for (size_t i = 0; i < length; i++) {
        size_t other = i + (size_t)cb_random_below(random, all - i);
        size_t drawn = order[other];

        order[other] = order[i];
        order[i] = drawn;
    }
}

/* Turn the order by one place. */
static void rotate(size_t *order, size_t all)
{
    size_t first = order[0];

    for (size_t i = 0; i + 1 < all; i++)
        order[i] = order[i + 1];
    order[all - 1] = first;
}

/* The same as below, by the name that the configuration has for the list. */
static cb_status make_named_group(bench_rank *me, transport_node *root, transport_group **out)
{
    transport_node **by_rank =
        cb_allocate((size_t)me->factory->size, sizeof(*by_rank), "the nodes of a group");
    cb_status status = by_rank != NULL ? CB_OK : CB_ERROR_MEMORY;

    for (size_t i = 1; i < me->participants && status == CB_OK; i++)
        status = bench_node(me, i, &by_rank[me->ranks[i]]);
    if (status == CB_OK)
        status = transport_group_create_named(me->factory, me->group_name, by_rank, root,
                                              me->own_multicast, out);
    free(by_rank);
    return status;
}

/* A list seen from this rank: the source sends to the members' nodes; a member joins the group of a
 * technology's own multicast, and otherwise needs to know its root alone. */
static cb_status make_group(bench_rank *me, const size_t *order, size_t list,
                            transport_node **nodes)
{
    bool source = me->self == 0;
    size_t count = source || me->own_multicast ? me->list_length : 0;

    me->member[list] = source;
    for (size_t i = 0; i < me->list_length; i++)
        me->member[list] = me->member[list] || order[i] + 1 == me->self;
    if (!me->member[list])
        return CB_OK;
    if (me->group_name != NULL && count > 0)
        return make_named_group(me, source ? NULL : me->peers[0].node, &me->groups[list]);
    for (size_t i = 0; i < count; i++)
        CB_TRY(bench_node(me, order[i] + 1, &nodes[i]));
    return transport_group_create(me->factory, nodes, count, source ? NULL : me->peers[0].node,
                                  me->own_multicast, &me->groups[list]);
}

static cb_status make_groups(bench_rank *me, size_t *order, transport_node **nodes)
{
    cb_random random = cb_random_seed(me->seed);
    size_t all = me->participants - 1;

    for (size_t i = 0; i < all; i++)
        order[i] = i;
    for (size_t list = 0; list < me->group_count; list++) {
        if (me->list == BENCH_RANDOM)
            draw(&random, order, me->list_length, all);
        CB_TRY(make_group(me, order, list, nodes));
        if (me->list == BENCH_ROTATE)
            rotate(order, all);
    }
    return CB_OK;
}

static cb_status make_lists(bench_rank *me)
{
    size_t *order = cb_allocate(me->participants, sizeof(*order), "a list of destinations");
    transport_node **nodes =
        cb_allocate(me->participants, sizeof(*nodes), "a list of destinations");
    cb_status status = CB_ERROR_MEMORY;

    me->group_count = me->list == BENCH_FIXED ? 1 : PREPARED_LISTS;
    me->groups = cb_allocate(me->group_count, sizeof(*me->groups), "the lists of destinations");
    me->member = cb_allocate(me->group_count, sizeof(*me->member), "the lists of destinations");
    if (order != NULL && nodes != NULL && me->groups != NULL && me->member != NULL)
        status = make_groups(me, order, nodes);
    free(order);
    free(nodes);
    return status;
}

static void drop_lists(bench_rank *me)
{
    for (size_t list = 0; me->groups != NULL && list < me->group_count; list++)
        transport_group_destroy(me->groups[list]);
    free(me->groups);
    free(me->member);
    me->groups = NULL;
    me->member = NULL;
}

static inline size_t next_list(bench_rank *me)
{
    size_t list = me->turn;

    me->broadcasts++;
    me->turn = list + 1 < me->group_count ? list + 1 : 0;
    return list;
}

static cb_status multicast(bench_rank *me)
{
    transport_group *group = me->groups[next_list(me)];

    for (size_t i = 0; i < group->count; i++)
        CB_TRY(bench_reserve(me, &me->peers[group->nodes[i]->label]));
    return me->traffic->multicast(me, group);
}

static cb_status take(bench_rank *me)
{
    size_t list = next_list(me);

    if (!me->member[list])
        return CB_OK;
    CB_TRY(me->traffic->receive_multicast(me, me->groups[list]));
    return bench_acknowledge(me, &me->peers[0]);
}

static cb_status multicast_and_await_each(bench_rank *me)
{
    transport_group *group = me->groups[next_list(me)];

    CB_TRY(me->traffic->multicast(me, group));
    for (size_t i = 0; i < group->count; i++)
        CB_TRY(bench_await_signal(me, &me->peers[group->nodes[i]->label]));
    return CB_OK;
}

static cb_status take_and_answer(bench_rank *me)
{
    size_t list = next_list(me);

    if (!me->member[list])
        return CB_OK;
    CB_TRY(me->traffic->receive_multicast(me, me->groups[list]));
    return bench_signal(me, &me->peers[0]);
}

static const char *const multicasts[] = {"loop", "technology", NULL};
static const char *const lists[] = {"fixed", "rotate", "random", NULL};

static const cb_option own_options[] = {
    {.name = "multicast",
     .type = CB_OPTION_CHOICE,
     .offset = offsetof(bench_list_options, multicast),
     .argument = "HOW",
     .choices = multicasts,
     .key = "multicast",
     .help = "By a loop of sends or by the technology's own multicast; without it both"},
    {.name = "list",
     .type = CB_OPTION_CHOICE,
     .offset = offsetof(bench_list_options, list),
     .argument = "HOW",
     .choices = lists,
     .key = "list",
     .help =
         "How the list of destinations changes with each broadcast; without it fixed at all sizes, "
         "and rotate and random at 64 bytes"},
};

const benchmark cb_multicast = {
    .name = "multicast",
    .id = "1.6",
    .title = "one source, identical data to each destination",
    .description =
        "Measures the basic broadcasting capability (ATLAS DAQ note 48, benchmark 1.6): one source "
        "sends the same packet to all destinations of a list, by a loop of sends and by the "
        "technology's own multicast. Lists that change with each broadcast are compared with a "
        "fixed one: rotate takes the next destinations in turn, random draws them. With all "
        "destinations of the job in the list only their order changes.",
    .group = BENCH_GROUP_BASIC,
    .pattern = "one-to-many",
    .counted = BENCH_DESTINATIONS,
    .usual = {{4}, {8}, {16}},
    .lists = true,
    .roles = {{"source", BENCH_ONE, BENCH_ALL, BENCH_SECOND, BENCH_HEARS_ALL},
              {"destination", BENCH_COUNT, BENCH_ALL, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "stream",
               .summary = "one group send after the other, bounded by the window",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = BENCH_PACKETS_EACH,
               .roles = {{.step = multicast, .finish = bench_drain, .timed = true},
                         {.step = take, .finish = bench_settle}}},
              {.name = "round",
               .summary = "a group send, acknowledged by all before the next",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = BENCH_PACKETS_EACH,
               .on_request = true,
               .roles = {{.step = multicast_and_await_each, .timed = true},
                         {.step = take_and_answer}}}},
    .options = own_options,
    .option_count = sizeof(own_options) / sizeof(own_options[0]),
    .figures = {{"round_us", "time of a group send; in mode round to the last acknowledgement"},
                {"frequency_Hz", "1 / time of a group send"},
                {"throughput_MBps", "R x size / time of a group send"},
                {"per_node_MBps", "throughput / destinations that take part"},
                {"group_create_us", "time of making the groups / their number"}},
    .plots = {{"frequency_Hz", "destinations"}, {"frequency_Hz", "list"}},
    .set_up = make_lists,
    .tear_down = drop_lists,
};
