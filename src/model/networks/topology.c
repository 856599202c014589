/* A topology in memory, and ways through it: a given route, else a shortest one. Where several
 * links lead on equally well, a digit of the chooser decides: its remainder by their number, in
 * order of the file; the quotient serves the next choice. So routes to one destination form a tree,
 * and those to different ones are spread. */
#include "model/networks/topology.h"

#include <stdlib.h>

void ccmod_topology_free(topology *made)
{
    free(made->name);
    free(made->switch_names);
    free(made->links);
    free(made->routes);
    free(made->path);
    free(made->first_edge);
    free(made->edges);
    free(made->row);
    free(made->distances);
    *made = (topology){0};
}

ccmod_status ccmod_topology_no_memory(const topology *made, ccmod_error *error)
{
    return ccmod_fail(error, CCMOD_ERROR_MEMORY, made->name, 0,
                      "cannot keep the network of this topology: no memory left; describe a "
                      "smaller one");
}

void ccmod_topology_name_vertex(const topology *network, uint32_t vertex, char *text, size_t bytes)
{
    if (topology_is_switch(network, vertex))
        snprintf(text, bytes, "%s", network->switch_names[vertex - network->nodes]);
    else
        snprintf(text, bytes, "node %u", vertex);
}

/* A way in the making. */
typedef struct {
    const topology *network;
    uint32_t chooser;
    uint32_t *cells;
    size_t count;
} topology_walk;

static uint32_t choose(topology_walk *walk, uint32_t choices)
{
    uint32_t choice = walk->chooser % choices;

    walk->chooser /= choices;
    return choice;
}

static void go(topology_walk *walk, uint32_t from, uint32_t link)
{
    bool forwards = walk->network->links[link].from == from;

    walk->cells[walk->count++] = 2 * link + (forwards ? CCMOD_INWARD : CCMOD_OUTWARD);
}

static uint32_t degree_of(const topology *network, uint32_t vertex)
{
    return network->first_edge[vertex + 1] - network->first_edge[vertex];
}

/* How many parallel links there are. Edges of both ends are in the same order, that of the file:
 * the shorter list serves. */
static uint32_t count_links(const topology *network, uint32_t from, uint32_t to)
{
    bool swap = degree_of(network, to) < degree_of(network, from);
    uint32_t here = swap ? to : from, there = swap ? from : to, count = 0;

    for (uint32_t at = network->first_edge[here]; at < network->first_edge[here + 1]; at++)
        count += network->edges[at].vertex == there;
    return count;
}

/* By one of the links between them; there is one. */
static void step_to(topology_walk *walk, uint32_t from, uint32_t to)
{
    const topology *network = walk->network;
    bool swap = degree_of(network, to) < degree_of(network, from);
    uint32_t here = swap ? to : from, there = swap ? from : to;
    uint32_t left = choose(walk, count_links(network, from, to));
    uint32_t at = network->first_edge[here];

    while (network->edges[at].vertex != there || left-- > 0)
        at++;
    go(walk, from, network->edges[at].link);
}

/* Given routes */

static int compare_pair(const void *key, const void *element)
{
    const topology_route *a = key, *b = element;

    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->destination > b->destination) - (a->destination < b->destination);
}

static const topology_route *find_given(const topology *network, uint32_t source,
                                        uint32_t destination)
{
    topology_route key = {.source = source, .destination = destination};

    if (network->route_count == 0)
        return NULL;
    return bsearch(&key, network->routes, network->route_count, sizeof(key), compare_pair);
}

static void follow(topology_walk *walk, const topology_route *route)
{
    const uint32_t *path = walk->network->path + route->first;
    uint32_t at = route->source;

    for (uint32_t i = 0; i < route->count; i++) {
        step_to(walk, at, path[i]);
        at = path[i];
    }
    step_to(walk, at, route->destination);
}

bool ccmod_topology_route_exists(const topology *network, const topology_route *route,
                                 uint32_t *from, uint32_t *to)
{
    const uint32_t *path = network->path + route->first;

    *from = route->source;
    for (uint32_t i = 0; i <= route->count; i++) {
        *to = i < route->count ? path[i] : route->destination;
        if (count_links(network, *from, *to) == 0)
            return false;
        *from = *to;
    }
    return true;
}

/* Shortest routes */

/* Links between two switches, the second of them with nodes. */
static uint32_t distance_to(const topology *network, uint32_t from, uint32_t goal)
{
    size_t row = network->row[goal - network->nodes];

    return network->distances[row * network->switches + from - network->nodes];
}

/* The ends of a route between nodes: an edge of the source and one of the destination. Of the pairs
 * of switches that are nearest to each other the one with number `wanted`; and how many there are.
 */
static uint32_t find_ends(const topology *network, uint32_t source, uint32_t destination,
                          uint32_t wanted, const topology_edge **out, const topology_edge **in)
{
    uint32_t nearest = TOPOLOGY_FAR, count = 0;

    for (uint32_t i = network->first_edge[source]; i < network->first_edge[source + 1]; i++) {
        const topology_edge *from = &network->edges[i];

        for (uint32_t k = network->first_edge[destination];
             topology_is_switch(network, from->vertex) && k < network->first_edge[destination + 1];
             k++) {
            const topology_edge *to = &network->edges[k];
            uint32_t distance;

            if (!topology_is_switch(network, to->vertex))
                continue;
            distance = distance_to(network, from->vertex, to->vertex);
            if (distance > nearest)
                continue;
            count = distance < nearest ? 0 : count;
            nearest = distance;
            if (count++ == wanted || count == 1) {
                *out = from;
                *in = to;
            }
        }
    }
    return count;
}

/* Whether the edge leads one link nearer to `goal`. */
static bool leads_on(const topology *network, const topology_edge *edge, uint32_t goal,
                     uint32_t distance)
{
    return topology_is_switch(network, edge->vertex) &&
           distance_to(network, edge->vertex, goal) + 1 == distance;
}

/* One link nearer to `goal`; the switch that it leads to. */
static uint32_t step_nearer(topology_walk *walk, uint32_t from, uint32_t goal)
{
    const topology *network = walk->network;
    uint32_t distance = distance_to(network, from, goal), count = 0, left;
    uint32_t at = network->first_edge[from], end = network->first_edge[from + 1];

    if (distance == 1) {
        step_to(walk, from, goal);
        return goal;
    }
    for (uint32_t i = at; i < end; i++)
        count += leads_on(network, &network->edges[i], goal, distance);
    left = choose(walk, count);
    while (!leads_on(network, &network->edges[at], goal, distance) || left-- > 0)
        at++;
    go(walk, from, network->edges[at].link);
    return network->edges[at].vertex;
}

static void walk_shortest(topology_walk *walk, uint32_t source, uint32_t destination)
{
    const topology *network = walk->network;
    const topology_edge *out = NULL, *in = NULL;
    uint32_t pairs = find_ends(network, source, destination, 0, &out, &in), at;

    if (pairs > 1)
        find_ends(network, source, destination, choose(walk, pairs), &out, &in);
    go(walk, source, out->link);
    at = out->vertex;
    while (at != in->vertex)
        at = step_nearer(walk, at, in->vertex);
    go(walk, at, in->link);
}

size_t ccmod_topology_find_route(const topology *network, uint32_t source, uint32_t destination,
                                 uint32_t chooser, uint32_t *cells)
{
    topology_walk walk = {network, chooser, cells, 0};
    const topology_route *given = find_given(network, source, destination);

    if (given != NULL)
        follow(&walk, given);
    else if (count_links(network, source, destination) > 0)
        step_to(&walk, source, destination);
    else
        walk_shortest(&walk, source, destination);
    return walk.count;
}
