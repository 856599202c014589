/* A fat tree, built as a folded Clos network of switches with equal numbers of ports.
 *
 * Level 0 has the nodes, level 1 the leaves, the last level the spines. Leaves have
 * `oversubscription` times as many ports to nodes as upwards, spines have all ports downwards,
 * other switches half each. A switch of level l covers the same block of nodes as its W_l copies;
 * its name has the number of the block and of the copy.
 *
 * Routes go up to the lowest common level and down again. The port up is a digit of the destination
 * (D-mod-k): messages to one node pass one switch of each level, and messages to different nodes of
 * a leaf are spread as far as ports allow. A multicast uses the digits of its source, so that it is
 * a tree.
 *
 * Links are numbered level by level, the nodes' first. */
#include "model/networks/networks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LEVELS = 8, LARGEST_RADIX = 4096, LARGEST_OVERSUBSCRIPTION = 1024 };

typedef struct {
    uint64_t levels, radix; /* radix 0: the smallest that suffices */
    double oversubscription;
} tree_arguments;

static const network_argument arguments_rows[] = {
    {"levels", NETWORK_COUNT, offsetof(tree_arguments, levels), 1, LEVELS},
    {"radix", NETWORK_COUNT, offsetof(tree_arguments, radix), 2, LARGEST_RADIX},
    {"oversubscription", NETWORK_REAL, offsetof(tree_arguments, oversubscription), 1,
     LARGEST_OVERSUBSCRIPTION},
};

enum { ROWS = sizeof(arguments_rows) / sizeof(arguments_rows[0]) };

/* Of level l = 1... */
typedef struct {
    uint64_t down;   /* ports of a switch, to level l - 1 */
    uint64_t up;     /* ports of an element of level l - 1, to level l */
    uint64_t block;  /* nodes below a switch */
    uint64_t copies; /* W_l */
    uint64_t first;  /* first link between level l - 1 and l */
} tree_level;

/* Entry 0 is for the nodes. */
typedef struct {
    size_t levels;
    tree_level level[LEVELS + 1];
    uint64_t nodes, links;
} tree_shape;

/* Divide the ports of a leaf; false if that is not possible. */
static bool split_leaf(uint64_t radix, double oversubscription, uint64_t *down, uint64_t *up)
{
    double share = (double)radix / (1 + oversubscription);
    double nearest = round(share);

    *up = (uint64_t)nearest;
    *down = radix - *up;
    return nearest >= 1 && fabs(share - nearest) < 1e-6;
}

static bool divide_ports(const tree_arguments *values, uint64_t radix, tree_shape *shape)
{
    uint64_t leaf_down = radix, leaf_up = 0;

    shape->levels = values->levels;
    if (values->levels > 1 && !split_leaf(radix, values->oversubscription, &leaf_down, &leaf_up))
        return false;
    if (values->levels > 2 && radix % 2 != 0)
        return false;
    for (size_t l = 1; l <= shape->levels; l++) {
        shape->level[l].down = l == shape->levels ? radix : l == 1 ? leaf_down : radix / 2;
        shape->level[l].up = l == 1 ? 1 : l == 2 ? leaf_up : radix / 2;
    }
    return true;
}

static void count_parts(tree_shape *shape)
{
    tree_level *level = shape->level;

    level[0] = (tree_level){.block = 1, .copies = 1};
    for (size_t l = 1; l <= shape->levels; l++) {
        level[l].block = ccmod_network_times(level[l - 1].block, level[l].down);
        level[l].copies = ccmod_network_times(level[l - 1].copies, level[l].up);
    }
    shape->nodes = level[shape->levels].block;
    shape->links = 0;
    for (size_t l = 1; l <= shape->levels; l++) {
        uint64_t below =
            ccmod_network_times(shape->nodes / level[l - 1].block, level[l - 1].copies);

        level[l].first = shape->links;
        shape->links = ccmod_network_plus(shape->links, ccmod_network_times(below, level[l].up));
    }
}

static ccmod_status choose_shape(const tree_arguments *values, size_t processors, const char *text,
                                 tree_shape *shape, ccmod_error *error)
{
    uint64_t first = values->radix > 0 ? values->radix : 2;
    uint64_t last = values->radix > 0 ? values->radix : LARGEST_RADIX;

    if (values->levels == 1 && values->oversubscription > 1)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "network '%.100s': with one level there are no uplinks to "
                          "oversubscribe; use two levels, or omit oversubscription",
                          text);
    for (uint64_t radix = first; radix <= last; radix++) {
        if (!divide_ports(values, radix, shape))
            continue;
        count_parts(shape);
        if (values->radix > 0 || shape->nodes >= processors)
            return CCMOD_OK;
    }
    if (values->radix > 0)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "network '%.100s': the %" PRIu64 " ports of a switch cannot be divided: "
                          "leaves need %g times as many down as up, and from three levels on the "
                          "number must be even; change radix or oversubscription",
                          text, values->radix, values->oversubscription);
    return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                      "network '%.100s': no switch of at most %d ports serves %zu nodes; take more "
                      "levels",
                      text, (int)LARGEST_RADIX, processors);
}

/* The ports upwards are digits of `chooser`. */
static size_t route_by(const ccmod_network *network, uint32_t source, uint32_t destination,
                       uint32_t chooser, uint32_t *cells)
{
    const tree_level *level = ((const tree_shape *)network->self)->level;
    uint64_t copy = 0;
    size_t top = 1, count = 0;

    while (source / level[top].block != destination / level[top].block)
        top++;
    for (size_t l = 1; l <= top; l++) {
        uint64_t below = source / level[l - 1].block * level[l - 1].copies + copy;
        uint64_t port = chooser / level[l - 1].copies % level[l].up;

        cells[count++] =
            (uint32_t)(2 * (level[l].first + below * level[l].up + port)) + CCMOD_INWARD;
        copy += port * level[l - 1].copies;
    }
    for (size_t l = top; l >= 1; l--) {
        uint64_t port = copy / level[l - 1].copies, below;

        copy %= level[l - 1].copies;
        below = destination / level[l - 1].block * level[l - 1].copies + copy;
        cells[count++] =
            (uint32_t)(2 * (level[l].first + below * level[l].up + port)) + CCMOD_OUTWARD;
    }
    return count;
}

static size_t route(const ccmod_network *network, uint32_t source, uint32_t destination,
                    uint32_t *cells)
{
    return route_by(network, source, destination, destination, cells);
}

static size_t multicast_tree(const ccmod_network *network, uint32_t source,
                             const uint32_t *destinations, size_t count, uint32_t *cells,
                             size_t *hops)
{
    return ccmod_network_join(network, route_by, source, destinations, count, cells, hops);
}

/* "leaf 3", "level 2 switch 7", "spine 1". */
static void name_switch(const tree_shape *shape, size_t level, uint64_t number, char *text,
                        size_t bytes)
{
    if (level == 1)
        snprintf(text, bytes, "leaf %" PRIu64, number);
    else if (level == shape->levels)
        snprintf(text, bytes, "spine %" PRIu64, number);
    else
        snprintf(text, bytes, "level %zu switch %" PRIu64, level, number);
}

static void name_link(const ccmod_network *network, uint32_t link, char *text, size_t bytes)
{
    const tree_shape *shape = network->self;
    const tree_level *upper, *lower;
    char below_text[48], above_text[48];
    uint64_t below, port, block;
    size_t l = shape->levels;

    while (link < shape->level[l].first)
        l--;
    if (l == 1) {
        snprintf(text, bytes, "node %u", link);
        return;
    }
    upper = &shape->level[l];
    lower = &shape->level[l - 1];
    below = (link - upper->first) / upper->up;
    port = (link - upper->first) % upper->up;
    block = below / lower->copies / upper->down;
    name_switch(shape, l - 1, below, below_text, sizeof(below_text));
    name_switch(shape, l, block * upper->copies + port * lower->copies + below % lower->copies,
                above_text, sizeof(above_text));
    snprintf(text, bytes, "%s - %s", below_text, above_text);
}

static const ccmod_network_operations operations = {
    .route = route,
    .tree = multicast_tree,
    .name_link = name_link,
    .release = ccmod_network_release,
};

static ccmod_status open_fattree(const char *arguments, const char *text, size_t processors,
                                 ccmod_network **out, ccmod_error *error)
{
    tree_arguments values = {.levels = 2, .oversubscription = 1};
    tree_shape shape = {0};
    char name[NETWORK_NAME_BYTES];

    CCMOD_TRY(ccmod_network_read_arguments(arguments_rows, ROWS, arguments, text,
                                           ccmod_network_fattree.form, &values, error));
    CCMOD_TRY(choose_shape(&values, processors, text, &shape, error));
    snprintf(name, sizeof(name), "fattree:levels=%zu,radix=%" PRIu64 ",oversubscription=%g",
             shape.levels, shape.level[shape.levels].down, values.oversubscription);
    return ccmod_network_make(&(network_plan){.operations = &operations,
                                              .name = name,
                                              .nodes = shape.nodes,
                                              .links = shape.links,
                                              .longest_route = 2 * shape.levels,
                                              .shape = &shape,
                                              .shape_bytes = sizeof(shape)},
                              text, out, error);
}

const ccmod_network_kind ccmod_network_fattree = {
    .name = "fattree",
    .form = "fattree[:levels=L,radix=PORTS,oversubscription=O]",
    .help = "a folded Clos network; leaves have O times as many ports down as up",
    .open = open_fattree,
};
