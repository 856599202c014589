/* Ports are the ends of links; routes join ports to vertices, which are sets of ports. */
#include "tests/model/graph.h"

#include <stdlib.h>

#include "tests/common/unit.h"

enum { LONGEST = 256 };

typedef struct {
    const ccmod_network *network;
    size_t *parent; /* of ports in their sets: port 2 * link is the end where direction 0 begins */
    bool *used;     /* of links */
    size_t longest;
} graph_search;

ccmod_network *graph_open(const char *text, size_t processors)
{
    ccmod_network *network = NULL;
    ccmod_error error = {0};

    ck_assert_msg(ccmod_network_open(text, processors, &network, &error) == CCMOD_OK, "%s",
                  error.text);
    return network;
}

static size_t find(graph_search *search, size_t port)
{
    while (search->parent[port] != port) {
        search->parent[port] = search->parent[search->parent[port]];
        port = search->parent[port];
    }
    return port;
}

static void join(graph_search *search, size_t left, size_t right)
{
    search->parent[find(search, left)] = find(search, right);
}

static size_t beginning_of(uint32_t cell)
{
    return cell;
}

static size_t end_of(uint32_t cell)
{
    return cell ^ 1u;
}

static size_t port_of_node(const graph_search *search, size_t node)
{
    return 2 * search->network->links + node;
}

static void walk(graph_search *search, uint32_t source, uint32_t destination)
{
    const ccmod_network *network = search->network;
    uint32_t cells[LONGEST];
    size_t count, at = port_of_node(search, source);

    UNIT_REQUIRE(network->longest_route <= LONGEST, "a route of %zu cells", network->longest_route);
    count = network->operations->route(network, source, destination, cells);
    UNIT_REQUIRE(count >= 1 && count <= network->longest_route, "route %u to %u has %zu cells",
                 source, destination, count);
    for (size_t i = 0; i < count; i++) {
        UNIT_REQUIRE(cells[i] < 2 * network->links, "route %u to %u: cell %u of %zu", source,
                     destination, cells[i], 2 * network->links);
        for (size_t k = 0; k < i; k++)
            UNIT_REQUIRE(cells[i] != cells[k], "route %u to %u has cell %u twice", source,
                         destination, cells[i]);
        join(search, at, beginning_of(cells[i]));
        at = end_of(cells[i]);
        search->used[cells[i] / 2] = true;
    }
    join(search, at, port_of_node(search, destination));
    search->longest = count > search->longest ? count : search->longest;
}

static void walk_all(graph_search *search)
{
    size_t nodes = search->network->nodes;

    for (uint32_t source = 0; source < nodes; source++) {
        for (uint32_t destination = 0; destination < nodes; destination++) {
            if (source != destination)
                walk(search, source, destination);
        }
    }
}

/* The degree of every set of ports, stored at its representative. */
static size_t *count_degrees(graph_search *search, size_t ports)
{
    size_t *degrees = calloc(ports, sizeof(*degrees));

    ck_assert_ptr_nonnull(degrees);
    for (size_t link = 0; link < search->network->links; link++) {
        if (!search->used[link])
            continue;
        ck_assert_msg(find(search, 2 * link) != find(search, 2 * link + 1),
                      "link %zu begins and ends at one vertex", link);
        degrees[find(search, 2 * link)]++;
        degrees[find(search, 2 * link + 1)]++;
    }
    return degrees;
}

/* Every node is a separate vertex. */
static size_t check_nodes(graph_search *search, const size_t *degrees)
{
    size_t with_one = 0;

    for (size_t i = 0; i < search->network->nodes; i++) {
        size_t set = find(search, port_of_node(search, i));

        with_one += degrees[set] == 1;
        for (size_t k = 0; k < i; k++)
            ck_assert_msg(set != find(search, port_of_node(search, k)),
                          "nodes %zu and %zu are one vertex", i, k);
    }
    return with_one;
}

graph_wiring graph_find_wiring(const ccmod_network *network)
{
    size_t ports = 2 * network->links + network->nodes;
    graph_search search = {.network = network,
                           .parent = calloc(ports, sizeof(size_t)),
                           .used = calloc(network->links, sizeof(bool))};
    graph_wiring wiring = {0};
    size_t *degrees;

    ck_assert(search.parent != NULL && search.used != NULL);
    for (size_t i = 0; i < ports; i++)
        search.parent[i] = i;
    walk_all(&search);
    degrees = count_degrees(&search, ports);
    wiring.nodes_with_one_link = check_nodes(&search, degrees);
    wiring.longest = search.longest;
    for (size_t i = 0; i < network->links; i++)
        wiring.links += search.used[i];
    for (size_t i = 0; i < ports; i++) {
        if (degrees[i] > 0)
            degrees[wiring.vertices++] = degrees[i];
    }
    wiring.degrees = degrees;
    free(search.parent);
    free(search.used);
    return wiring;
}

void graph_free(graph_wiring *wiring)
{
    free(wiring->degrees);
    wiring->degrees = NULL;
}

size_t graph_count_degree(const graph_wiring *wiring, size_t degree)
{
    size_t count = 0;

    for (size_t i = 0; i < wiring->vertices; i++)
        count += wiring->degrees[i] == degree;
    return count;
}
