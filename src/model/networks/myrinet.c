/* The Myrinet of the article: one switch with two levels and sixteen PC nodes in groups of four.
 * Each group has a first-level switch with four links to the nodes and four to the second level,
 * one to each switch there. A static random map from a seed selects the second-level switch of a
 * node's messages to other groups.
 *
 * Links 0 to 15 are the nodes'; link 16 + 4 * group + k is from the group to switch k. */
#include "model/networks/networks.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/random.h"

enum { NODES = 16, GROUP = 4, UPPER = 4, PAYLOAD_BYTES = 2020, HEADER_BYTES = 20 };

typedef struct {
    uint8_t upper[NODES]; /* the second-level switch of each source */
} myrinet_map;

typedef struct {
    uint64_t seed;
} myrinet_arguments;

static const network_argument arguments_rows[] = {
    {"seed", NETWORK_COUNT, offsetof(myrinet_arguments, seed), 0, UINT64_MAX},
};

static uint32_t upper_link(uint32_t group, uint32_t upper)
{
    return NODES + group * UPPER + upper;
}

static size_t route(const ccmod_network *network, uint32_t source, uint32_t destination,
                    uint32_t *cells)
{
    const myrinet_map *map = network->self;
    uint32_t from = source / GROUP, to = destination / GROUP;
    size_t count = 0;

    cells[count++] = 2 * source + CCMOD_INWARD;
    if (from != to) {
        cells[count++] = 2 * upper_link(from, map->upper[source]) + CCMOD_INWARD;
        cells[count++] = 2 * upper_link(to, map->upper[source]) + CCMOD_OUTWARD;
    }
    cells[count++] = 2 * destination + CCMOD_OUTWARD;
    return count;
}

static void name_link(const ccmod_network *network, uint32_t link, char *text, size_t bytes)
{
    (void)network;
    if (link < NODES)
        snprintf(text, bytes, "node %u", link);
    else
        snprintf(text, bytes, "group %u - switch %u", (link - NODES) / UPPER,
                 (link - NODES) % UPPER);
}

static const ccmod_network_operations operations = {
    .route = route,
    .name_link = name_link,
    .release = ccmod_network_release,
};

static ccmod_status open_myrinet(const char *arguments, const char *text, size_t processors,
                                 ccmod_network **out, ccmod_error *error)
{
    myrinet_arguments values = {.seed = 1};
    char name[NETWORK_NAME_BYTES];
    myrinet_map map;
    cb_random random;

    (void)processors;
    CCMOD_TRY(ccmod_network_read_arguments(arguments_rows, 1, arguments, text,
                                           ccmod_network_myrinet.form, &values, error));
    random = cb_random_seed(values.seed);
    for (size_t i = 0; i < NODES; i++)
        map.upper[i] = (uint8_t)cb_random_below(&random, UPPER);
    snprintf(name, sizeof(name), "myrinet:seed=%" PRIu64, values.seed);
    return ccmod_network_make(&(network_plan){.operations = &operations,
                                              .name = name,
                                              .nodes = NODES,
                                              .links = NODES + NODES / GROUP * UPPER,
                                              .longest_route = 4,
                                              .payload_bytes = PAYLOAD_BYTES,
                                              .header_bytes = HEADER_BYTES,
                                              .needs_calibration = true,
                                              .shape = &map,
                                              .shape_bytes = sizeof(map)},
                              text, out, error);
}

const ccmod_network_kind ccmod_network_myrinet = {
    .name = "myrinet",
    .form = "myrinet[:seed=N]",
    .help = "the article's switch: 16 nodes, two levels, groups of four, a random map of seed N",
    .open = open_myrinet,
};
