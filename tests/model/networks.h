/* Networks for the tests of the model. */
#ifndef TESTS_MODEL_NETWORKS_H
#define TESTS_MODEL_NETWORKS_H

#include <ccmod/ccmod.h>

/* A network with random routes of one to six cells over few links, made as a caller of the
 * library makes one, so that bottlenecks change often; on request with links of different widths
 * and a background of its own. Freed by ccmod_network_free. */
ccmod_network *network_tangle(size_t nodes, bool widths, bool background);

/* The text for ccmod_network_open of the kind with this number, for at least 16 processors, or
 * NULL after the last kind. A kind without a text in the table fails the test. */
const char *network_text(size_t number);

#endif
