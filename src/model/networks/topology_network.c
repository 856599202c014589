/* A network from a topology file (topology.h): routes given by the file, or shortest. The width of
 * a link is its bandwidth divided by that of the links of the calibration. */
#include "model/networks/networks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "model/networks/topology_file.h"
#include "model/networks/topology.h"

typedef struct {
    ccmod_network network;
    topology topology;
    char *name;
    double *widths, *latencies_us;
} file_network;

static size_t route_by(const ccmod_network *network, uint32_t source, uint32_t destination,
                       uint32_t chooser, uint32_t *cells)
{
    const file_network *file = network->self;

    return ccmod_topology_find_route(&file->topology, source, destination, chooser, cells);
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

static void name_link(const ccmod_network *network, uint32_t number, char *text, size_t bytes)
{
    const topology *made = &((const file_network *)network->self)->topology;
    const topology_link *link = &made->links[number];
    char from[TOPOLOGY_NAME_BYTES], to[TOPOLOGY_NAME_BYTES];

    ccmod_topology_name_vertex(made, link->from, from, sizeof(from));
    ccmod_topology_name_vertex(made, link->to, to, sizeof(to));
    if (link->copy == 0)
        snprintf(text, bytes, "%s - %s", from, to);
    else
        snprintf(text, bytes, "%s - %s (%u)", from, to, link->copy + 1);
}

static void file_network_release(ccmod_network *network)
{
    file_network *file = network->self;

    ccmod_topology_free(&file->topology);
    free(file->name);
    free(file->widths);
    free(file->latencies_us);
    free(file);
}

static const ccmod_network_operations operations = {
    .route = route,
    .tree = multicast_tree,
    .name_link = name_link,
    .release = file_network_release,
};

/* The largest bandwidth of a node's link, otherwise of any link; 0 if none is given. */
static double find_reference(const topology *made)
{
    double of_nodes = 0, of_all = 0;

    if (made->reference_MBps > 0)
        return made->reference_MBps;
    for (size_t i = 0; i < made->link_count; i++) {
        const topology_link *link = &made->links[i];

        of_all = fmax(of_all, link->bandwidth_MBps);
        if (!topology_is_switch(made, link->from) || !topology_is_switch(made, link->to))
            of_nodes = fmax(of_nodes, link->bandwidth_MBps);
    }
    return of_nodes > 0 ? of_nodes : of_all;
}

/* Set width and latency of both directions of each link. */
static ccmod_status measure_links(file_network *file, ccmod_error *error)
{
    const topology *made = &file->topology;
    double reference_MBps = find_reference(made);

    file->widths = calloc(2 * made->link_count + 1, sizeof(*file->widths));
    file->latencies_us = calloc(2 * made->link_count + 1, sizeof(*file->latencies_us));
    if (file->widths == NULL || file->latencies_us == NULL)
        return ccmod_topology_no_memory(made, error);
    for (size_t i = 0; i < 2 * made->link_count; i++) {
        const topology_link *link = &made->links[i / 2];

        file->widths[i] = link->bandwidth_MBps > 0 ? link->bandwidth_MBps / reference_MBps : 1;
        file->latencies_us[i] = link->latency_us;
    }
    return CCMOD_OK;
}

static ccmod_status read_topology(const char *path, topology *made, ccmod_error *error)
{
    char why[CB_INPUT_WHY_BYTES];
    FILE *stream = cb_input_stream(path, CB_INPUT_LARGEST_TABLE_BYTES, why);
    ccmod_status status;

    if (stream == NULL)
        return ccmod_fail(error,
                          errno == ENOENT || errno == EINVAL || errno == EFBIG ? CCMOD_ERROR_USAGE
                                                                               : CCMOD_ERROR_SYSTEM,
                          NULL, 0,
                          "cannot read the topology file '%.200s': %s; name a file that can be "
                          "read, or a kind of network",
                          path, why);
    status = ccmod_topology_parse(stream, path, made, error);
    fclose(stream);
    return status == CCMOD_OK ? ccmod_topology_connect(made, error) : status;
}

static ccmod_status fill(file_network *file, const char *path, ccmod_error *error)
{
    const topology *made = &file->topology;

    CCMOD_TRY(read_topology(path, &file->topology, error));
    CCMOD_TRY(measure_links(file, error));
    if (asprintf(&file->name, "file:%s", path) < 0) {
        file->name = NULL;
        return ccmod_topology_no_memory(made, error);
    }
    file->network = (ccmod_network){
        .operations = &operations,
        .name = file->name,
        .nodes = made->nodes,
        .links = made->link_count,
        .longest_route = made->longest_route,
        .payload_bytes =
            made->payload_bytes > 0 ? made->payload_bytes : NETWORK_ETHERNET_PAYLOAD_BYTES,
        .header_bytes =
            made->payload_bytes > 0 ? made->header_bytes : NETWORK_ETHERNET_HEADER_BYTES,
        .widths = file->widths,
        .latencies_us = file->latencies_us,
        .self = file,
    };
    return CCMOD_OK;
}

static ccmod_status open_file(const char *arguments, const char *text, size_t processors,
                              ccmod_network **out, ccmod_error *error)
{
    file_network *file;
    ccmod_status status;

    (void)processors;
    if (arguments == NULL)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "network '%.100s': the file is missing; write file:PATH", text);
    file = calloc(1, sizeof(*file));
    if (file == NULL)
        return ccmod_network_no_memory(text, error);
    file->network.self = file;
    status = fill(file, arguments, error);
    if (status != CCMOD_OK) {
        file_network_release(&file->network);
        return status;
    }
    *out = &file->network;
    return CCMOD_OK;
}

const ccmod_network_kind ccmod_network_file = {
    .name = "file",
    .form = "file:PATH",
    .help = "nodes, switches and links as a topology file has them (docs/reference/model.md)",
    .open = open_file,
};
