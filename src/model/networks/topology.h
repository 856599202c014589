/* A network described by a topology file: nodes, switches, links, given routes, and route search.
 * topology_file.h reads it, topology_network.c makes a ccmod_network from it.
 * docs/reference/model.md has the format. Internal to src/model. */
#ifndef MODEL_NETWORKS_TOPOLOGY_H
#define MODEL_NETWORKS_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ccmod/network.h>

enum {
    TOPOLOGY_NODES = 1 << 24,
    TOPOLOGY_SWITCHES = 1 << 22,
    TOPOLOGY_LINKS = 1 << 26,
    TOPOLOGY_ROUTES = 1 << 22,    /* maximum number of pairs with a given route */
    TOPOLOGY_DISTANCES = 1 << 26, /* maximum number of entries in the table of distances */
    TOPOLOGY_NAME_BYTES = 64
};

#define TOPOLOGY_FAR UINT16_MAX /* unreachable */

/* Between two vertices: node n is vertex n, switch k is vertex nodes + k. Nodes come first. */
typedef struct {
    uint32_t from, to;
    uint32_t copy; /* number among parallel links, from 0 */
    uint32_t line;
    double bandwidth_MBps; /* 0: not given */
    double latency_us;
} topology_link;

/* A given route through the switches path[first...first + count). */
typedef struct {
    uint32_t source, destination;
    uint32_t first, count;
    uint32_t line;
} topology_route;

/* One end of a link, seen from the other vertex. */
typedef struct {
    uint32_t vertex, link;
} topology_edge;

typedef struct {
    char *name; /* of the file */
    uint32_t nodes, switches;
    char (*switch_names)[TOPOLOGY_NAME_BYTES];
    size_t switch_room;
    uint64_t payload_bytes, header_bytes;
    double reference_MBps; /* of a link that carries one message at full rate; 0: not given */

    topology_link *links;
    size_t link_count, link_room;
    topology_route *routes; /* sorted by source and destination after ccmod_topology_connect */
    size_t route_count, route_room;
    uint32_t *path;
    size_t path_count, path_room;

    /* Made by ccmod_topology_connect */
    uint32_t *first_edge; /* index in edges for each vertex; vertices + 1 entries */
    topology_edge *edges; /* in order of the file */
    uint32_t *row;        /* of each switch in the table; UINT32_MAX: it has no nodes */
    size_t rows;
    uint16_t *distances; /* rows x switches: number of links between the row's switch and another */
    size_t longest_route;
} topology;

/* `made` may be incomplete; it is zeroed. */
void ccmod_topology_free(topology *made);

/* Write the cells from `source` to `destination` and return their number: the given route,
 * otherwise a shortest one; among equal links, a digit of `chooser` selects. */
size_t ccmod_topology_find_route(const topology *network, uint32_t source, uint32_t destination,
                                 uint32_t chooser, uint32_t *cells);

/* Whether all links of the given route exist; otherwise `from` and `to` are the vertices without a
 * link. */
bool ccmod_topology_route_exists(const topology *network, const topology_route *route,
                                 uint32_t *from, uint32_t *to);

/* "node 3", or the name of the switch. */
void ccmod_topology_name_vertex(const topology *network, uint32_t vertex, char *text, size_t bytes);

ccmod_status ccmod_topology_no_memory(const topology *made, ccmod_error *error);

static inline bool topology_is_switch(const topology *network, uint32_t vertex)
{
    return vertex >= network->nodes;
}

/* Fill the part of the topology after "Made by"; checks for duplicates, that given routes exist,
 * and that every node reaches every other. */
ccmod_status ccmod_topology_connect(topology *made, ccmod_error *error);

#endif
