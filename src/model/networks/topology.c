/* A topology in memory, and routes through it: a given one, otherwise a shortest one. If several
 * links are equally good, a digit of the chooser selects one: its remainder by their number, in
 * order of the file; the quotient serves the next choice. Routes to one destination thus form a
 * tree, and those to different ones are spread. Before that, the links are turned into a graph:
 * neighbours, distances between switches, and a check that the network is connected. */
#include "model/networks/topology.h"

#include <stdlib.h>
#include <string.h>

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
                      "cannot keep the network of this topology: out of memory; describe a "
                      "smaller one");
}

void ccmod_topology_name_vertex(const topology *network, uint32_t vertex, char *text, size_t bytes)
{
    if (topology_is_switch(network, vertex))
        snprintf(text, bytes, "%s", network->switch_names[vertex - network->nodes]);
    else
        snprintf(text, bytes, "node %u", vertex);
}

/* A route under construction. */
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

/* The number of parallel links. Edges of both ends are in the same order, that of the file, so
 * search the shorter list. */
static uint32_t count_links(const topology *network, uint32_t from, uint32_t to)
{
    bool swap = degree_of(network, to) < degree_of(network, from);
    uint32_t here = swap ? to : from, there = swap ? from : to, count = 0;

    for (uint32_t at = network->first_edge[here]; at < network->first_edge[here + 1]; at++)
        count += network->edges[at].vertex == there;
    return count;
}

/* Take one of the links between them; at least one exists. */
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

/* Number of links between two switches; the second must have nodes. */
static uint32_t distance_to(const topology *network, uint32_t from, uint32_t goal)
{
    size_t row = network->row[goal - network->nodes];

    return network->distances[row * network->switches + from - network->nodes];
}

/* The ends of a route between nodes: an edge of the source and one of the destination. Of the
 * closest pairs of switches, select number `wanted`; returns how many there are. */
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

/* Whether the edge leads one link closer to `goal`. */
static bool leads_on(const topology *network, const topology_edge *edge, uint32_t goal,
                     uint32_t distance)
{
    return topology_is_switch(network, edge->vertex) &&
           distance_to(network, edge->vertex, goal) + 1 == distance;
}

/* Go one link closer to `goal`; returns the switch reached. */
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

/* The graph */

/* Distances are computed from 64 switches at a time, one bit each. */
enum { BATCH = 64 };

/* A breadth-first search from up to 64 switches at once. Bit i: seen or reached from source i. */
typedef struct {
    uint64_t *seen, *front, *next;
    uint32_t *active, *reached; /* switches with bits in front, and in next */
    size_t active_count, reached_count;
} distance_search;

static uint32_t vertex_count(const topology *made)
{
    return made->nodes + made->switches;
}

/* Neighbours */

static ccmod_status list_edges(topology *made, ccmod_error *error)
{
    uint32_t vertices = vertex_count(made);
    uint32_t *first = calloc((size_t)vertices + 2, sizeof(*first));

    made->first_edge = first;
    made->edges = calloc(2 * made->link_count + 1, sizeof(*made->edges));
    if (first == NULL || made->edges == NULL)
        return ccmod_topology_no_memory(made, error);
    for (size_t i = 0; i < made->link_count; i++) {
        first[made->links[i].from + 2]++;
        first[made->links[i].to + 2]++;
    }
    for (uint32_t v = 0; v < vertices; v++)
        first[v + 2] += first[v + 1];
    /* first[v + 1] is the position of the next edge of v, and finally the end of v's edges */
    for (uint32_t i = 0; i < made->link_count; i++) {
        const topology_link *link = &made->links[i];

        made->edges[first[link->from + 1]++] = (topology_edge){link->to, i};
        made->edges[first[link->to + 1]++] = (topology_edge){link->from, i};
    }
    return CCMOD_OK;
}

/* Duplicates */

static int by_ends(const void *left, const void *right)
{
    const topology_link *a = left, *b = right;
    const uint32_t keys[3][2] = {{a->from, b->from}, {a->to, b->to}, {a->copy, b->copy}};

    for (size_t i = 0; i < 3; i++) {
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

static ccmod_status refuse_double_link(const topology *made, const topology_link *again,
                                       uint32_t first_line, ccmod_error *error)
{
    char from[TOPOLOGY_NAME_BYTES], to[TOPOLOGY_NAME_BYTES];

    ccmod_topology_name_vertex(made, again->from, from, sizeof(from));
    ccmod_topology_name_vertex(made, again->to, to, sizeof(to));
    return ccmod_fail(error, CCMOD_ERROR_USAGE, made->name, again->line,
                      "there already is a link between %s and %s, in line %u; keep one, and "
                      "write count=N for parallel links",
                      from, to, first_line);
}

static ccmod_status check_links(const topology *made, ccmod_error *error)
{
    topology_link *sorted = calloc(made->link_count + 1, sizeof(*sorted));
    ccmod_status status = CCMOD_OK;

    if (sorted == NULL)
        return ccmod_topology_no_memory(made, error);
    for (size_t i = 0; i < made->link_count; i++) {
        sorted[i] = made->links[i];
        if (sorted[i].from > sorted[i].to) {
            sorted[i].from = made->links[i].to;
            sorted[i].to = made->links[i].from;
        }
    }
    qsort(sorted, made->link_count, sizeof(*sorted), by_ends);
    for (size_t i = 1; i < made->link_count && status == CCMOD_OK; i++) {
        const topology_link *before = &sorted[i - 1], *link = &sorted[i];

        if (before->from == link->from && before->to == link->to && before->copy == link->copy)
            status = refuse_double_link(made, link, before->line, error);
    }
    free(sorted);
    return status;
}

static int by_pair(const void *left, const void *right)
{
    const topology_route *a = left, *b = right;

    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->destination != b->destination)
        return a->destination < b->destination ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static ccmod_status check_route(const topology *made, const topology_route *route,
                                ccmod_error *error)
{
    char from_name[TOPOLOGY_NAME_BYTES], to_name[TOPOLOGY_NAME_BYTES];
    uint32_t from, to;

    if (ccmod_topology_route_exists(made, route, &from, &to))
        return CCMOD_OK;
    ccmod_topology_name_vertex(made, from, from_name, sizeof(from_name));
    ccmod_topology_name_vertex(made, to, to_name, sizeof(to_name));
    return ccmod_fail(error, CCMOD_ERROR_USAGE, made->name, route->line,
                      "the route from node %u to node %u needs a link between %s and %s, which "
                      "does not exist; add the link, or correct the route",
                      route->source, route->destination, from_name, to_name);
}

/* Distances */

/* A row for each switch with nodes. */
static ccmod_status number_rows(topology *made, ccmod_error *error)
{
    size_t switches = made->switches;

    made->row = malloc((switches + 1) * sizeof(*made->row));
    if (made->row == NULL)
        return ccmod_topology_no_memory(made, error);
    memset(made->row, 0xff, (switches + 1) * sizeof(*made->row));
    for (uint32_t at = 0; at < made->first_edge[made->nodes]; at++) {
        uint32_t vertex = made->edges[at].vertex;

        if (topology_is_switch(made, vertex) && made->row[vertex - made->nodes] == UINT32_MAX)
            made->row[vertex - made->nodes] = (uint32_t)made->rows++;
    }
    if (made->rows * switches > TOPOLOGY_DISTANCES)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, made->name, 0,
                          "%zu switches, %zu of them with nodes, are too many for a table of "
                          "routes; describe fewer, or use a kind of network that computes its "
                          "routes (fattree, dragonfly, torus)",
                          switches, made->rows);
    made->distances = malloc((made->rows * switches + 1) * sizeof(*made->distances));
    if (made->distances == NULL)
        return ccmod_topology_no_memory(made, error);
    memset(made->distances, 0xff, made->rows * switches * sizeof(*made->distances));
    return CCMOD_OK;
}

static void reach(distance_search *search, uint32_t number, uint64_t bits)
{
    bits &= ~search->seen[number];
    if (bits == 0)
        return;
    if (search->next[number] == 0)
        search->reached[search->reached_count++] = number;
    search->next[number] |= bits;
}

/* The bits in next become the front, at `distance` from their sources. */
static void search_advance(const topology *made, distance_search *search, size_t first_row,
                           uint16_t distance)
{
    uint32_t *done = search->active;

    for (size_t i = 0; i < search->reached_count; i++) {
        uint32_t number = search->reached[i];
        uint64_t bits = search->next[number];

        search->seen[number] |= bits;
        search->front[number] = bits;
        search->next[number] = 0;
        for (; bits != 0; bits &= bits - 1) {
            size_t row = first_row + (size_t)__builtin_ctzll(bits);

            made->distances[row * made->switches + number] = distance;
        }
    }
    search->active = search->reached;
    search->active_count = search->reached_count;
    search->reached = done;
    search->reached_count = 0;
}

static void spread(const topology *made, distance_search *search)
{
    for (size_t i = 0; i < search->active_count; i++) {
        uint32_t number = search->active[i], vertex = made->nodes + number;

        for (uint32_t at = made->first_edge[vertex]; at < made->first_edge[vertex + 1]; at++) {
            if (topology_is_switch(made, made->edges[at].vertex))
                reach(search, made->edges[at].vertex - made->nodes, search->front[number]);
        }
    }
}

static void search_batch(const topology *made, distance_search *search, size_t first_row)
{
    memset(search->seen, 0, made->switches * sizeof(*search->seen));
    for (uint32_t number = 0; number < made->switches; number++) {
        uint32_t row = made->row[number];

        if (row != UINT32_MAX && row >= first_row && row < first_row + BATCH)
            reach(search, number, UINT64_C(1) << (row - first_row));
    }
    for (uint32_t distance = 0; search->reached_count > 0 && distance < TOPOLOGY_FAR; distance++) {
        search_advance(made, search, first_row, (uint16_t)distance);
        spread(made, search);
    }
}

static ccmod_status find_distances(topology *made, ccmod_error *error)
{
    size_t room = (size_t)made->switches + 1;
    distance_search search = {
        .seen = calloc(room, sizeof(uint64_t)),
        .front = calloc(room, sizeof(uint64_t)),
        .next = calloc(room, sizeof(uint64_t)),
        .active = calloc(room, sizeof(uint32_t)),
        .reached = calloc(room, sizeof(uint32_t)),
    };
    bool enough = search.seen != NULL && search.front != NULL && search.next != NULL &&
                  search.active != NULL && search.reached != NULL;

    for (size_t row = 0; enough && row < made->rows; row += BATCH)
        search_batch(made, &search, row);
    free(search.seen);
    free(search.front);
    free(search.next);
    free(search.active);
    free(search.reached);
    return enough ? CCMOD_OK : ccmod_topology_no_memory(made, error);
}

/* Connectivity */

/* Both must be switches, and the second must have nodes. */
static bool are_joined(const topology *made, uint32_t from, uint32_t to)
{
    size_t row = made->row[to - made->nodes];

    return made->distances[row * made->switches + from - made->nodes] != TOPOLOGY_FAR;
}

/* Whether a node has a link to the switch's part of the network. */
static bool reaches_switch(const topology *made, uint32_t node, uint32_t hub)
{
    for (uint32_t i = made->first_edge[node]; i < made->first_edge[node + 1]; i++) {
        uint32_t vertex = made->edges[i].vertex;

        if (topology_is_switch(made, vertex) && are_joined(made, vertex, hub))
            return true;
    }
    return false;
}

static bool is_reachable(const topology *made, uint32_t source, uint32_t destination)
{
    for (uint32_t i = made->first_edge[source]; i < made->first_edge[source + 1]; i++) {
        uint32_t vertex = made->edges[i].vertex;

        if (vertex == destination ||
            (topology_is_switch(made, vertex) && reaches_switch(made, destination, vertex)))
            return true;
    }
    return false;
}

/* Whether all nodes are linked to switches that reach a switch of node 0. Then all reach each
 * other, and pairs need not be checked. */
static bool share_a_part(const topology *made)
{
    for (uint32_t i = made->first_edge[0]; i < made->first_edge[1]; i++) {
        uint32_t hub = made->edges[i].vertex, node = 0;

        if (!topology_is_switch(made, hub))
            continue;
        while (node < made->nodes && reaches_switch(made, node, hub))
            node++;
        if (node == made->nodes)
            return true;
    }
    return false;
}

static ccmod_status check_reachable(const topology *made, ccmod_error *error)
{
    for (uint32_t node = 0; node < made->nodes && made->nodes > 1; node++) {
        if (made->first_edge[node] == made->first_edge[node + 1])
            return ccmod_fail(error, CCMOD_ERROR_USAGE, made->name, 0,
                              "node %u has no link and cannot be reached; write 'link %u SWITCH', "
                              "or state fewer nodes",
                              node, node);
    }
    if (made->nodes < 2 || share_a_part(made))
        return CCMOD_OK;
    for (uint32_t source = 0; source < made->nodes; source++) {
        for (uint32_t destination = 0; destination < made->nodes; destination++) {
            if (source != destination && !is_reachable(made, source, destination))
                return ccmod_fail(error, CCMOD_ERROR_USAGE, made->name, 0,
                                  "node %u cannot be reached from node %u: no path of switches "
                                  "connects them (nodes do not forward messages); add a link",
                                  destination, source);
        }
    }
    return CCMOD_OK;
}

ccmod_status ccmod_topology_connect(topology *made, ccmod_error *error)
{
    made->longest_route = 1;
    CCMOD_TRY(check_links(made, error));
    CCMOD_TRY(list_edges(made, error));
    if (made->route_count > 0)
        qsort(made->routes, made->route_count, sizeof(*made->routes), by_pair);
    for (size_t i = 0; i < made->route_count; i++) {
        const topology_route *route = &made->routes[i], *before = route - 1;

        if (i > 0 && before->source == route->source && before->destination == route->destination)
            return ccmod_fail(error, CCMOD_ERROR_USAGE, made->name, route->line,
                              "the route from node %u to node %u is already given in line %u; "
                              "keep one of them",
                              route->source, route->destination, before->line);
        CCMOD_TRY(check_route(made, route, error));
        if (route->count + 1 > made->longest_route)
            made->longest_route = route->count + 1;
    }
    CCMOD_TRY(number_rows(made, error));
    CCMOD_TRY(find_distances(made, error));
    for (size_t row = 0; row < made->rows; row++) {
        for (uint32_t number = 0; number < made->switches; number++) {
            uint16_t distance = made->distances[row * made->switches + number];

            /* only edges that lead from a switch with nodes towards another can be on a route */
            if (made->row[number] != UINT32_MAX && distance != TOPOLOGY_FAR &&
                distance + 2u > made->longest_route)
                made->longest_route = distance + 2u;
        }
    }
    return check_reachable(made, error);
}
