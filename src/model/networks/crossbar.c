/* A single crossbar switch: one full-duplex link per node, no contention inside the switch. A route
 * has the sender's link inwards and the receiver's outwards. */
#include "model/networks/networks.h"

#include <stdio.h>

#include "base/units.h"

static size_t route(const ccmod_network *network, uint32_t source, uint32_t destination,
                    uint32_t *cells)
{
    (void)network;
    cells[0] = 2 * source + CCMOD_INWARD;
    cells[1] = 2 * destination + CCMOD_OUTWARD;
    return 2;
}

static size_t tree(const ccmod_network *network, uint32_t source, const uint32_t *destinations,
                   size_t count, uint32_t *cells, size_t *hops)
{
    (void)network;
    cells[0] = 2 * source + CCMOD_INWARD;
    for (size_t i = 0; i < count; i++)
        cells[i + 1] = 2 * destinations[i] + CCMOD_OUTWARD;
    *hops = 2;
    return count + 1;
}

static void name_link(const ccmod_network *network, uint32_t link, char *text, size_t bytes)
{
    (void)network;
    snprintf(text, bytes, "node %u", link);
}

static const ccmod_network_operations operations = {
    .route = route,
    .tree = tree,
    .name_link = name_link,
    .release = ccmod_network_release,
};

static ccmod_status open_crossbar(const char *arguments, const char *text, size_t processors,
                                  ccmod_network **out, ccmod_error *error)
{
    uint64_t nodes = processors;
    char why[CB_WHY_BYTES];
    char name[NETWORK_NAME_BYTES];

    if (arguments != NULL && !cb_parse_count(arguments, 1, NETWORK_LARGEST, &nodes, why))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "network '%.100s': number of nodes: %s; write crossbar, or crossbar:16",
                          text, why);
    snprintf(name, sizeof(name), "crossbar:%zu", (size_t)nodes);
    return ccmod_network_make(&(network_plan){.operations = &operations,
                                              .name = name,
                                              .nodes = nodes,
                                              .links = nodes,
                                              .longest_route = 2},
                              text, out, error);
}

const ccmod_network_kind ccmod_network_crossbar = {
    .name = "crossbar",
    .form = "crossbar[:NODES]",
    .help = "a single switch, one full-duplex link a node",
    .open = open_crossbar,
};
