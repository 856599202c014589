/* 1.6 multicasting: one source, identical data to each destination of a list.
 *
 *   stream    a step is one group send, limited by the window of each destination; the source's
 *             block is timed from its first send to the last acknowledgement
 *   round     each destination acknowledges each round
 *
 * The list is fixed, or changes with each broadcast: it is the next of some lists, which rotate
 * over the destinations or are drawn at random. Their groups are prepared or, for new lists, made
 * for their broadcast and freed after it. The times to make and to free a prepared group are
 * reported separately. */
#include "engine/traffic.h"
#include "engine/plan.h"
#include "occupation/method.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

enum { LISTS = 16 }; /* of each kind that changes */

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

/* The lists of a rank. */
typedef struct {
    transport_group **groups; /* by list; NULL if this rank is not in it, or makes it when needed */
    transport_node **nodes;   /* `length` for each list that this rank makes when needed, or NULL */
    bool *member;             /* by list: whether this rank is in it */
    size_t count;
    size_t turn; /* index of the next list */
} list_set;

/* Broadcast n goes to list n % count. */
static bool is_addressed(const bench_rank *me, uint64_t broadcast)
{
    const list_set *lists = me->part;

    return lists->member[broadcast % lists->count];
}

/* A member joins the group of the technology's multicast; for a loop of sends it only needs its
 * root. */
static bool names_members(const bench_rank *me)
{
    return me->place.self == 0 || me->lists.own_multicast;
}

static transport_node *root_of(const bench_rank *me)
{
    return me->place.self == 0 ? NULL : me->peers[0].node;
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

static cb_status make_group(bench_rank *me, transport_node *const *nodes, transport_group **out)
{
    size_t count = names_members(me) ? me->lists.length : 0;

    if (me->lists.group_name != NULL && count > 0)
        return make_named_group(me, root_of(me), out);
    return transport_group_create(me->factory, nodes, count, root_of(me), me->lists.own_multicast,
                                  out);
}

/* Make a list as this rank sees it, or find its nodes for the time when it is needed. */
static cb_status make_list(bench_rank *me, const size_t *order, size_t list, transport_node **nodes)
{
    list_set *lists = me->part;
    size_t length = me->lists.length;
    bool when_needed = me->lists.kind == BENCH_NEW && names_members(me);

    lists->member[list] = me->place.self == 0;
    for (size_t i = 0; i < length; i++)
        lists->member[list] = lists->member[list] || order[i] + 1 == me->place.self;
    if (!lists->member[list])
        return CB_OK;
    if (when_needed)
        nodes = &lists->nodes[list * length];
    for (size_t i = 0; names_members(me) && i < length; i++)
        CB_TRY(bench_node(me, order[i] + 1, &nodes[i]));
    return when_needed ? CB_OK : make_group(me, nodes, &lists->groups[list]);
}

static cb_status fill_lists(bench_rank *me, size_t *order, transport_node **nodes)
{
    const list_set *lists = me->part;
    cb_random random = cb_random_seed(me->lists.seed);
    size_t all = me->place.participants - 1;

    for (size_t i = 0; i < all; i++)
        order[i] = i;
    for (size_t list = 0; list < lists->count; list++) {
        if (me->lists.kind == BENCH_RANDOM || me->lists.kind == BENCH_NEW)
            draw(&random, order, me->lists.length, all);
        CB_TRY(make_list(me, order, list, nodes));
        if (me->lists.kind == BENCH_ROTATE)
            rotate(order, all);
    }
    return CB_OK;
}

static cb_status make_lists(bench_rank *me)
{
    const char *what = "the lists of destinations";
    bool is_new = me->lists.kind == BENCH_NEW;
    size_t count = me->lists.kind == BENCH_FIXED ? 1 : LISTS;
    list_set *lists = cb_allocate(1, sizeof(*lists), what);
    size_t *order = cb_allocate(me->place.participants, sizeof(*order), what);
    transport_node **nodes = cb_allocate(me->place.participants, sizeof(*nodes), what);
    cb_status status = CB_ERROR_MEMORY;

    me->part = lists;
    if (lists != NULL) {
        me->is_addressed = is_addressed;
        me->groups_made = is_new ? 0 : count;
        lists->count = count;
        lists->groups = cb_allocate(count, sizeof(*lists->groups), what);
        lists->member = cb_allocate(count, sizeof(*lists->member), what);
        lists->nodes =
            cb_allocate(is_new ? count * me->lists.length : 1, sizeof(*lists->nodes), what);
        if (order != NULL && nodes != NULL && lists->groups != NULL && lists->member != NULL &&
            lists->nodes != NULL)
            status = fill_lists(me, order, nodes);
    }
    free(order);
    free(nodes);
    return status;
}

static void drop_lists(bench_rank *me)
{
    list_set *lists = me->part;

    if (lists == NULL)
        return;
    for (size_t list = 0; lists->groups != NULL && list < lists->count; list++)
        transport_group_destroy(lists->groups[list]);
    free(lists->groups);
    free(lists->nodes);
    free(lists->member);
    free(lists);
    me->part = NULL;
}

/* The index of the next list. */
static inline size_t next_list(bench_rank *me)
{
    list_set *lists = me->part;
    size_t list = lists->turn;

    me->broadcasts++;
    lists->turn = list + 1 < lists->count ? list + 1 : 0;
    return list;
}

/* The group of a list that has this rank; released by close_group. Making it is collective over the
 * source and the members if it has the technology's multicast. */
static inline cb_status open_group(bench_rank *me, size_t list, transport_group **out)
{
    const list_set *lists = me->part;

    *out = lists->groups[list];
    return __builtin_expect(*out != NULL, 1)
               ? CB_OK
               : make_group(me, &lists->nodes[list * me->lists.length], out);
}

/* Also after an error: to free a group may be collective too. */
static inline void close_group(const bench_rank *me, size_t list, transport_group *group)
{
    const list_set *lists = me->part;

    if (__builtin_expect(lists->groups[list] == NULL, 0))
        transport_group_destroy(group);
}

static cb_status send_reserved(bench_rank *me, transport_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        CB_TRY(bench_reserve(me, &me->peers[group->nodes[i]->label]));
    return me->traffic->multicast(me, group);
}

static cb_status multicast(bench_rank *me)
{
    size_t list = next_list(me);
    transport_group *group;
    cb_status status;

    CB_TRY(open_group(me, list, &group));
    status = send_reserved(me, group);
    close_group(me, list, group);
    return status;
}

/* Receive the next broadcast, and answer it if `answers`; *is_member is whether this rank is in its
 * list. The answer precedes close_group: the source frees its group after the answers, and to free
 * a group may need both. */
static inline cb_status receive_next(bench_rank *me, bool answers, bool *is_member)
{
    const list_set *lists = me->part;
    size_t list = next_list(me);
    transport_group *group;
    cb_status status;

    *is_member = lists->member[list];
    if (!*is_member)
        return CB_OK;
    CB_TRY(open_group(me, list, &group));
    status = me->traffic->receive_multicast(me, group);
    if (status == CB_OK && answers)
        status = bench_signal(me, &me->peers[0]);
    close_group(me, list, group);
    return status;
}

static cb_status take(bench_rank *me)
{
    bool is_member;

    CB_TRY(receive_next(me, false, &is_member));
    return is_member ? bench_acknowledge(me, &me->peers[0]) : CB_OK;
}

/* In the verification pass, a member of a new group that misses its broadcast answers after a
 * timeout as long as that of the first wait here. */
static cb_status await_answer(bench_rank *me, bench_peer *peer)
{
    cb_status status = bench_await_signal(me, peer);

    if (status == CB_ERROR_DATA && me->lists.kind == BENCH_NEW && me->lists.own_multicast)
        status = bench_await_signal(me, peer);
    return status;
}

static cb_status send_and_await_each(bench_rank *me, transport_group *group)
{
    CB_TRY(me->traffic->multicast(me, group));
    for (size_t i = 0; i < group->count; i++)
        CB_TRY(await_answer(me, &me->peers[group->nodes[i]->label]));
    return CB_OK;
}

static cb_status multicast_and_await_each(bench_rank *me)
{
    size_t list = next_list(me);
    transport_group *group;
    cb_status status;

    CB_TRY(open_group(me, list, &group));
    status = send_and_await_each(me, group);
    close_group(me, list, group);
    return status;
}

static cb_status take_and_answer(bench_rank *me)
{
    bool is_member;

    return receive_next(me, true, &is_member);
}

static const char *const multicasts[] = {"loop", "technology", NULL};

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
     .choices = bench_list_names,
     .key = "list",
     .help = "Change of the destination list with each broadcast",
     .more =
         "fixed: none. rotate takes the next destinations in turn, random draws them; both use 16 "
         "prepared groups. new uses the lists of random, but makes the group of each broadcast "
         "before it and frees it after it, which is part of the time. The members change only "
         "if the job has more destinations than the list. Default: all."},
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
                   "destinations in turn, random draws them, and new also makes and frees "
                   "the group of each broadcast. Lists are chosen from all destinations of "
                   "the job: start twice as many as a list has. If a list has all of them, "
                   "only the order changes.",
    .group = "basic",
    .pattern = "one-to-many",
    .counted = &counted_destinations,
    .overlap = &occupation_method,
    .usual = {{4}, {8}, {16}},
    .lists = true,
    .roles = {{"source", BENCH_ONE, BENCH_ALL, BENCH_SECOND, BENCH_HEARS_ALL},
              {"destination", BENCH_COUNT, BENCH_ALL, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "stream",
               .summary = "one group send after another, limited by the window",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "count",
               .roles = {{.step = multicast, .finish = bench_drain, .timed = true},
                         {.step = take, .finish = bench_settle}}},
              {.name = "round",
               .summary = "a group send, acknowledged by all before the next",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "count",
               .on_request = true,
               .roles = {{.step = multicast_and_await_each, .timed = true},
                         {.step = take_and_answer}}}},
    .options = own_options,
    .option_count = sizeof(own_options) / sizeof(own_options[0]),
    .figures = {{"round_us", "time of a group send, with new lists also of making and freeing the "
                             "group; in mode round up to the last acknowledgement"},
                {"frequency_Hz", "1 / time of a group send"},
                {"throughput_MBps", "R x size / time of a group send"},
                {"per_node_MBps", "throughput / destinations that take part"},
                {"group_create_us", "time to make the groups / their number"},
                {"group_free_us", "time to free the groups / their number"}},
    .table = {"frequency_Hz", "per_node_MBps", "candidates", "group_create_us", "group_free_us"},
    .plots = {{"frequency_Hz", "destinations"}, {"frequency_Hz", "list"}},
    .set_up = make_lists,
    .tear_down = drop_lists,
};
