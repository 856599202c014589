/* A dragonfly: groups of routers, fully connected within a group, and each pair of groups connected
 * by one global link. Group i reaches group j by its global port (j - i - 1) modulo the number of
 * groups; ports are assigned to the routers of a group in consecutive blocks.
 *
 * Routes are minimal: to the router with the link to the other group, over that link, and to the
 * router of the destination. Each pair has one such route, the same in both directions.
 *
 * Links are numbered: nodes, links within groups, global links. */
#include "model/networks/networks.h"

#include <inttypes.h>
#include <stdio.h>

enum { LARGEST_PART = 1 << 20, LONGEST_ROUTE = 5 };

/* 0: not given. */
typedef struct {
    uint64_t groups, routers, hosts;
} dragonfly_arguments;

static const network_argument arguments_rows[] = {
    {"groups", NETWORK_COUNT, offsetof(dragonfly_arguments, groups), 1, LARGEST_PART},
    {"routers", NETWORK_COUNT, offsetof(dragonfly_arguments, routers), 1, LARGEST_PART},
    {"hosts", NETWORK_COUNT, offsetof(dragonfly_arguments, hosts), 1, LARGEST_PART},
};

enum { ROWS = sizeof(arguments_rows) / sizeof(arguments_rows[0]) };

typedef struct {
    uint64_t groups, routers, hosts; /* routers per group, hosts per router */
    uint64_t ports;                  /* global ports per router */
    uint64_t group_links;            /* links within a group */
    uint64_t first_local, first_global;
    uint64_t nodes, links;
} dragonfly_shape;

/* Number of pairs of `count` things. */
static uint64_t pairs_of(uint64_t count)
{
    return count % 2 == 0 ? ccmod_network_times(count / 2, count - 1)
                          : ccmod_network_times(count, (count - 1) / 2);
}

/* The number of the pair of `low` < `high`, out of `count` things. */
static uint64_t pair_number(uint64_t count, uint64_t low, uint64_t high)
{
    return low * (2 * count - low - 1) / 2 + (high - low - 1);
}

/* The inverse. Pairs are numbered row by row, row `low` having count - low - 1 of them. */
static void find_pair(uint64_t count, uint64_t number, uint64_t *low, uint64_t *high)
{
    for (*low = 0; number >= count - *low - 1; ++*low)
        number -= count - *low - 1;
    *high = *low + 1 + number;
}

/* Missing values follow from the number of hosts per router, as in the balanced dragonfly: twice as
 * many routers per group, and as many groups as give each router as many global ports as hosts. */
static dragonfly_shape make_shape(const dragonfly_arguments *values, uint64_t hosts)
{
    dragonfly_shape shape = {.hosts = hosts};

    shape.routers = values->routers > 0 ? values->routers : ccmod_network_times(2, hosts);
    shape.groups = values->groups > 0
                       ? values->groups
                       : ccmod_network_plus(ccmod_network_times(shape.routers, hosts), 1);
    shape.ports = (shape.groups - 1) / shape.routers + ((shape.groups - 1) % shape.routers > 0);
    shape.group_links = pairs_of(shape.routers);
    shape.nodes = ccmod_network_times(ccmod_network_times(shape.groups, shape.routers), hosts);
    shape.first_local = shape.nodes;
    shape.first_global =
        ccmod_network_plus(shape.nodes, ccmod_network_times(shape.groups, shape.group_links));
    shape.links = ccmod_network_plus(shape.first_global, pairs_of(shape.groups));
    return shape;
}

/* Without a number of hosts, take the smallest that suffices. The number of nodes grows at least
 * quadratically with it, so a search is short, unless the number of routers is given: then compute
 * it. */
static dragonfly_shape choose_shape(const dragonfly_arguments *values, size_t processors)
{
    uint64_t routers = ccmod_network_times(values->groups, values->routers);
    uint64_t hosts = routers > 0 && processors > routers ? (processors - 1) / routers + 1 : 1;
    dragonfly_shape shape = make_shape(values, values->hosts > 0 ? values->hosts : hosts);

    while (values->hosts == 0 && shape.nodes < processors)
        shape = make_shape(values, shape.hosts + 1);
    return shape;
}

/* Between two routers of a group, by their numbers there. */
static uint32_t local_cell(const dragonfly_shape *shape, uint64_t group, uint64_t from, uint64_t to)
{
    bool upwards = from < to;
    uint64_t pair =
        upwards ? pair_number(shape->routers, from, to) : pair_number(shape->routers, to, from);

    return (uint32_t)(2 * (shape->first_local + group * shape->group_links + pair)) +
           (upwards ? CCMOD_INWARD : CCMOD_OUTWARD);
}

static uint32_t global_cell(const dragonfly_shape *shape, uint64_t from, uint64_t to)
{
    bool upwards = from < to;
    uint64_t pair =
        upwards ? pair_number(shape->groups, from, to) : pair_number(shape->groups, to, from);

    return (uint32_t)(2 * (shape->first_global + pair)) + (upwards ? CCMOD_INWARD : CCMOD_OUTWARD);
}

/* The router of a group that has the link to another group. */
static uint64_t gateway(const dragonfly_shape *shape, uint64_t group, uint64_t other)
{
    return (other + shape->groups - group - 1) % shape->groups / shape->ports;
}

static size_t route(const ccmod_network *network, uint32_t source, uint32_t destination,
                    uint32_t *cells)
{
    const dragonfly_shape *shape = network->self;
    uint64_t router = source / shape->hosts, goal = destination / shape->hosts;
    uint64_t group = router / shape->routers, goal_group = goal / shape->routers;
    size_t count = 0;

    router %= shape->routers;
    goal %= shape->routers;
    cells[count++] = 2 * source + CCMOD_INWARD;
    if (group != goal_group) {
        uint64_t exit = gateway(shape, group, goal_group);

        if (router != exit)
            cells[count++] = local_cell(shape, group, router, exit);
        cells[count++] = global_cell(shape, group, goal_group);
        router = gateway(shape, goal_group, group);
    }
    if (router != goal)
        cells[count++] = local_cell(shape, goal_group, router, goal);
    cells[count++] = 2 * destination + CCMOD_OUTWARD;
    return count;
}

static void name_link(const ccmod_network *network, uint32_t link, char *text, size_t bytes)
{
    const dragonfly_shape *shape = network->self;
    uint64_t low, high;

    if (link < shape->first_local) {
        snprintf(text, bytes, "node %u", link);
    } else if (link < shape->first_global) {
        uint64_t local = link - shape->first_local;

        find_pair(shape->routers, local % shape->group_links, &low, &high);
        snprintf(text, bytes, "group %" PRIu64 " router %" PRIu64 " - router %" PRIu64,
                 local / shape->group_links, low, high);
    } else {
        find_pair(shape->groups, link - shape->first_global, &low, &high);
        snprintf(text, bytes, "group %" PRIu64 " - group %" PRIu64, low, high);
    }
}

static const ccmod_network_operations operations = {
    .route = route,
    .name_link = name_link,
    .release = ccmod_network_release,
};

static ccmod_status open_dragonfly(const char *arguments, const char *text, size_t processors,
                                   ccmod_network **out, ccmod_error *error)
{
    dragonfly_arguments values = {0};
    dragonfly_shape shape;
    char name[NETWORK_NAME_BYTES];

    CCMOD_TRY(ccmod_network_read_arguments(arguments_rows, ROWS, arguments, text,
                                           ccmod_network_dragonfly.form, &values, error));
    shape = choose_shape(&values, processors);
    snprintf(name, sizeof(name), "dragonfly:groups=%" PRIu64 ",routers=%" PRIu64 ",hosts=%" PRIu64,
             shape.groups, shape.routers, shape.hosts);
    return ccmod_network_make(&(network_plan){.operations = &operations,
                                              .name = name,
                                              .nodes = shape.nodes,
                                              .links = shape.links,
                                              .longest_route = LONGEST_ROUTE,
                                              .shape = &shape,
                                              .shape_bytes = sizeof(shape)},
                              text, out, error);
}

const ccmod_network_kind ccmod_network_dragonfly = {
    .name = "dragonfly",
    .form = "dragonfly[:groups=G,routers=A,hosts=H]",
    .help = "G groups of A routers with H nodes each, one link between any two groups",
    .open = open_dragonfly,
};
