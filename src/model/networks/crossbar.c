/* A single crossbar switch: one full-duplex link a node, and no contention inside of the switch. A
 * route is the sender's link inwards and the receiver's outwards. */
#include "model/networks/networks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"

typedef struct {
    ccmod_network network;
    char name[32];
} crossbar;

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

static void release(ccmod_network *network)
{
    free(network->self);
}

static const ccmod_network_operations operations = {
    .route = route,
    .tree = tree,
    .name_link = name_link,
    .release = release,
};

static ccmod_status open_crossbar(const char *arguments, const char *text, size_t processors,
                                  ccmod_network **out, ccmod_error *error)
{
    uint64_t nodes = processors;
    char why[CB_WHY_BYTES];
    crossbar *made;

    if (arguments != NULL && !cb_parse_count(arguments, 1, NETWORK_LARGEST, &nodes, why))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "network '%.100s': number of nodes: %s; write crossbar, or crossbar:16",
                          text, why);
    made = calloc(1, sizeof(*made));
    if (made == NULL)
        return ccmod_network_no_memory(text, error);
    snprintf(made->name, sizeof(made->name), "crossbar:%zu", (size_t)nodes);
    made->network = (ccmod_network){
        .operations = &operations,
        .name = made->name,
        .nodes = nodes,
        .links = nodes,
        .longest_route = 2,
        .payload_bytes = NETWORK_ETHERNET_PAYLOAD_BYTES,
        .header_bytes = NETWORK_ETHERNET_HEADER_BYTES,
        .self = made,
    };
    *out = &made->network;
    return CCMOD_OK;
}

const ccmod_network_kind ccmod_network_crossbar = {
    .name = "crossbar",
    .form = "crossbar[:NODES]",
    .help = "a single switch, one full-duplex link a node",
    .open = open_crossbar,
};
