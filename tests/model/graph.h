/* The wiring of a network, derived from its routes. */
#ifndef TESTS_MODEL_GRAPH_H
#define TESTS_MODEL_GRAPH_H

#include <ccmod/ccmod.h>

/* Open the network described by a text for `processors`, or fail the test. */
ccmod_network *graph_open(const char *text, size_t processors);

/* The wiring derived from the routes between all pairs: if one cell follows another in a route,
 * the end of the first is the start of the second. A route that skips a cell joins separate
 * vertices, so that there are too few. */
typedef struct {
    size_t vertices; /* nodes and switches with a used link */
    size_t links;    /* number of used links */
    size_t nodes_with_one_link;
    size_t longest;
    size_t *degrees; /* number of `vertices` */
} graph_wiring;

/* Fails the test if a route is empty, too long, names a cell twice or one that does not exist,
 * if a link starts and ends at the same vertex, or if a route passes through a node. */
graph_wiring graph_find_wiring(const ccmod_network *network);
void graph_free(graph_wiring *wiring);

/* The number of vertices with this number of links. */
size_t graph_count_degree(const graph_wiring *wiring, size_t degree);

#endif
