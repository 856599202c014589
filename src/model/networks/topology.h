/* A network as a topology file describes it: nodes, switches, links, given routes, and the ways
 * through it. topology_file.h reads it, topology_network.c makes a
 * ccmod_network of it. docs/reference/model.md has the format. Internal to src/model. */
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
    TOPOLOGY_ROUTES = 1 << 22,    /* pairs with a given route */
    TOPOLOGY_DISTANCES = 1 << 26, /* entries of the table of distances */
    TOPOLOGY_NAME_BYTES = 64
};

#define TOPOLOGY_FAR UINT16_MAX /* no way */

/* Between two vertices: node n is vertex n, switch k is vertex nodes + k. A node comes first. */
typedef struct {
    uint32_t from, to;
    uint32_t copy; /* of parallel links, from 0 */
    uint32_t line;
    double bandwidth_MBps; /* 0: not given */
    double latency_us;
} topology_link;

/* A given route; its switches are path[first...first + count). */
typedef struct {
    uint32_t source, destination;
    uint32_t first, count;
    uint32_t line;
} topology_route;

/* An end of a link, as its other vertex sees it. */
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
    topology_route *routes; /* by source and destination from ccmod_topology_connect on */
    size_t route_count, route_room;
    uint32_t *path;
    size_t path_count, path_room;

    /* Made by ccmod_topology_connect */
    uint32_t *first_edge; /* of each vertex in edges; one more than vertices */
    topology_edge *edges; /* in order of the file */
    uint32_t *row;        /* of each switch in the table; UINT32_MAX: no node is linked to it */
    size_t rows;
    uint16_t *distances; /* rows x switches: links between the row's switch and another */
    size_t longest_route;
} topology;

/* `made` may be half made; it is zero then. */
void ccmod_topology_free(topology *made);

/* The cells from `source` to `destination` and their number. The given route, else a shortest one:
 * where several links serve, a digit of `chooser` decides. */
size_t ccmod_topology_find_route(const topology *network, uint32_t source, uint32_t destination,
                                 uint32_t chooser, uint32_t *cells);

/* Whether the given route exists link by link; `from` and `to` are the vertices between which there
 * is none. */
bool ccmod_topology_route_exists(const topology *network, const topology_route *route,
                                 uint32_t *from, uint32_t *to);

/* "node 3", or the switch's name. */
void ccmod_topology_name_vertex(const topology *network, uint32_t vertex, char *text, size_t bytes);

ccmod_status ccmod_topology_no_memory(const topology *made, ccmod_error *error);

static inline bool topology_is_switch(const topology *network, uint32_t vertex)
{
    return vertex >= network->nodes;
}

/* Make what is below "Made by" in the topology: checks that nothing is given twice, that given
 * routes exist and that every node reaches every other. */
ccmod_status ccmod_topology_connect(topology *made, ccmod_error *error);

#endif
