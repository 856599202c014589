/* What the routes of a network say of its wiring. */
#ifndef TESTS_MODEL_GRAPH_H
#define TESTS_MODEL_GRAPH_H

#include <ccmod/ccmod.h>

/* Open a network by its text for `processors`, or fail the test. */
ccmod_network *graph_open(const char *text, size_t processors);

/* The wiring, found from the routes between all pairs alone: where one cell follows another in a
 * route, the end of the first is where the second begins. A route that jumps joins what is apart,
 * so that there are too few vertices then. */
typedef struct {
    size_t vertices; /* nodes and switches with a link that is used */
    size_t links;    /* that are used */
    size_t nodes_with_one_link;
    size_t longest;
    size_t *degrees; /* of `vertices` */
} graph_wiring;

/* Fails the test where a route names a cell twice or one that does not exist, is empty or too long,
 * where a link begins and ends at one vertex, and where a route passes a node on its way. */
graph_wiring graph_find_wiring(const ccmod_network *network);
void graph_free(graph_wiring *wiring);

/* How many vertices have this number of links. */
size_t graph_count_degree(const graph_wiring *wiring, size_t degree);

#endif
