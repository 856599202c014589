/* 1.6 multicasting: one source, identical data to each destination of a list.
 *
 *   stream    a step is one group send, limited by the window of each destination; the source's
 * block is timed from its first send to the last acknowledgement round     each destination
 * acknowledges each round
 *
 * The list is fixed, or changes with each broadcast: it is the next of some prepared groups, which
 * rotate over the destinations or are drawn at random. The time to make a group is reported
 * separately. */
#include "engine/benchmark.h"
#include "occupation/method.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

enum { PREPARED_LISTS = 16 };

/* Draw `length` different destinations of `all` (partial Fisher-Yates shuffle). */
static void draw(cb_random *random, size_t *order, size_t length, size_t all)
{
    for (size_t i = 0; i < length; i++) {
        size_t other = i + (size_t)cb_random_below(random, all - i);
        size_t drawn = order[other];

        order[other] = order[i];
        order[i] = drawn;
    }
}

/* Rotate the order by one. */
static void rotate(size_t *order, size_t all)
{
    size_t first = order[0];

    for (size_t i = 0; i + 1 < all; i++)
        order[i] = order[i + 1];
    order[all - 1] = first;
}

/* The prepared lists of a rank. */
typedef struct {
    transport_group **groups;
    bool *member; /* by list: whether this rank is in it */
    size_t count;
    size_t turn; /* index of the next list */
} prepared_lists;

/* Broadcast n goes to list n % count. */
static bool is_addressed(const bench_rank *me, uint64_t broadcast)
{
    const prepared_lists *prepared = me->part;

    return prepared->member[broadcast % prepared->count];
}

/* Make the group of a list that the configuration names. */
static cb_status make_named_group(bench_rank *me, transport_node *root, transport_group **out)
{
    transport_node **by_rank =
        cb_allocate((size_t)me->factory->size, sizeof(*by_rank), "the nodes of a group");
    cb_status status = by_rank != NULL ? CB_OK : CB_ERROR_MEMORY;

    for (size_t i = 1; i < me->place.participants && status == CB_OK; i++)
        status = bench_node(me, i, &by_rank[me->place.ranks[i]]);
    if (status == CB_OK)
        status = transport_group_create_named(me->factory, me->lists.group_name, by_rank, root,
                                              me->lists.own_multicast, out);
    free(by_rank);
    return status;
}

/* Make a list as this rank sees it: the source sends to the members' nodes. A member joins the
 * group of the technology's multicast; for a loop of sends it only needs its root. */
static cb_status make_group(bench_rank *me, const size_t *order, size_t list,
                            transport_node **nodes)
{
    prepared_lists *prepared = me->part;
    bool source = me->place.self == 0;
    size_t length = me->lists.length;
    size_t count = source || me->lists.own_multicast ? length : 0;
    transport_node *root = source ? NULL : me->peers[0].node;

    prepared->member[list] = source;
    for (size_t i = 0; i < length; i++)
        prepared->member[list] = prepared->member[list] || order[i] + 1 == me->place.self;
    if (!prepared->member[list])
        return CB_OK;
    if (me->lists.group_name != NULL && count > 0)
        return make_named_group(me, root, &prepared->groups[list]);
    for (size_t i = 0; i < count; i++)
        CB_TRY(bench_node(me, order[i] + 1, &nodes[i]));
    return transport_group_create(me->factory, nodes, count, root, me->lists.own_multicast,
                                  &prepared->groups[list]);
}

static cb_status make_groups(bench_rank *me, size_t *order, transport_node **nodes)
{
    const prepared_lists *prepared = me->part;
    cb_random random = cb_random_seed(me->lists.seed);
    size_t all = me->place.participants - 1;

    for (size_t i = 0; i < all; i++)
        order[i] = i;
    for (size_t list = 0; list < prepared->count; list++) {
        if (me->lists.kind == BENCH_RANDOM)
            draw(&random, order, me->lists.length, all);
        CB_TRY(make_group(me, order, list, nodes));
        if (me->lists.kind == BENCH_ROTATE)
            rotate(order, all);
    }
    return CB_OK;
}

static cb_status make_lists(bench_rank *me)
{
    size_t count = me->lists.kind == BENCH_FIXED ? 1 : PREPARED_LISTS;
    prepared_lists *prepared = cb_allocate(1, sizeof(*prepared), "the lists of destinations");
    size_t *order = cb_allocate(me->place.participants, sizeof(*order), "a list of destinations");
    transport_node **nodes =
        cb_allocate(me->place.participants, sizeof(*nodes), "a list of destinations");
    cb_status status = CB_ERROR_MEMORY;

    me->part = prepared;
    if (prepared != NULL) {
        me->is_addressed = is_addressed;
        me->groups_made = count;
        prepared->count = count;
        prepared->groups =
            cb_allocate(count, sizeof(*prepared->groups), "the lists of destinations");
        prepared->member =
            cb_allocate(count, sizeof(*prepared->member), "the lists of destinations");
        if (order != NULL && nodes != NULL && prepared->groups != NULL && prepared->member != NULL)
            status = make_groups(me, order, nodes);
    }
    free(order);
    free(nodes);
    return status;
}

static void drop_lists(bench_rank *me)
{
    prepared_lists *prepared = me->part;

    if (prepared == NULL)
        return;
    for (size_t list = 0; prepared->groups != NULL && list < prepared->count; list++)
        transport_group_destroy(prepared->groups[list]);
    free(prepared->groups);
    free(prepared->member);
    free(prepared);
    me->part = NULL;
}

/* The group of the next list, and whether this rank is in it. */
static inline transport_group *next_list(bench_rank *me, bool *is_member)
{
    prepared_lists *prepared = me->part;
    size_t list = prepared->turn;

    me->broadcasts++;
    prepared->turn = list + 1 < prepared->count ? list + 1 : 0;
    *is_member = prepared->member[list];
    return prepared->groups[list];
}

static cb_status multicast(bench_rank *me)
{
    bool is_member;
    transport_group *group = next_list(me, &is_member);

    for (size_t i = 0; i < group->count; i++)
        CB_TRY(bench_reserve(me, &me->peers[group->nodes[i]->label]));
    return me->traffic->multicast(me, group);
}

static cb_status take(bench_rank *me)
{
    bool is_member;
    transport_group *group = next_list(me, &is_member);

    if (!is_member)
        return CB_OK;
    CB_TRY(me->traffic->receive_multicast(me, group));
    return bench_acknowledge(me, &me->peers[0]);
}

static cb_status multicast_and_await_each(bench_rank *me)
{
    bool is_member;
    transport_group *group = next_list(me, &is_member);

    CB_TRY(me->traffic->multicast(me, group));
    for (size_t i = 0; i < group->count; i++)
        CB_TRY(bench_await_signal(me, &me->peers[group->nodes[i]->label]));
    return CB_OK;
}

static cb_status take_and_answer(bench_rank *me)
{
    bool is_member;
    transport_group *group = next_list(me, &is_member);

    if (!is_member)
        return CB_OK;
    CB_TRY(me->traffic->receive_multicast(me, group));
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
     .help = "Send by a loop, or by the technology's multicast; default both"},
    {.name = "list",
     .type = CB_OPTION_CHOICE,
     .offset = offsetof(bench_list_options, list),
     .argument = "HOW",
     .choices = lists,
     .key = "list",
     .help = "Change of the destination list with each broadcast",
     .more = "rotate takes the next destinations in turn, random draws them. Default: fixed at all "
             "sizes, and rotate and random at 64 bytes."},
};

const benchmark cb_multicast = {
    .name = "multicast",
    .id = "1.6",
    .label = "1.6 multicasting",
    .title = "one source, identical data to each destination",
    .description = "Measures broadcasting (ATLAS DAQ note 48, benchmark 1.6): one source "
                   "sends the same packet to all destinations of a list, by a loop of "
                   "sends and by the technology's own multicast. Fixed lists are compared "
                   "with lists that change with each broadcast: rotate takes the next "
                   "destinations in turn, random draws them. If a list has all "
                   "destinations of the job, only the order changes.",
    .group = BENCH_GROUP_BASIC,
    .pattern = "one-to-many",
    .counted = BENCH_DESTINATIONS,
    .overlap = &occupation_method,
    .usual = {{4}, {8}, {16}},
    .lists = true,
    .roles = {{"source", BENCH_ONE, BENCH_ALL, BENCH_SECOND, BENCH_HEARS_ALL},
              {"destination", BENCH_COUNT, BENCH_ALL, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "stream",
               .summary = "one group send after another, limited by the window",
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
    .figures = {{"round_us", "time of a group send; in mode round up to the last acknowledgement"},
                {"frequency_Hz", "1 / time of a group send"},
                {"throughput_MBps", "R x size / time of a group send"},
                {"per_node_MBps", "throughput / destinations that take part"},
                {"group_create_us", "time to make the groups / their number"}},
    .table = {"frequency_Hz", "per_node_MBps"},
    .plots = {{"frequency_Hz", "destinations"}, {"frequency_Hz", "list"}},
    .set_up = make_lists,
    .tear_down = drop_lists,
};
