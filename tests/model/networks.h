/* Networks for the tests of the model. */
#ifndef TESTS_MODEL_NETWORKS_H
#define TESTS_MODEL_NETWORKS_H

#include <ccmod/ccmod.h>

/* A network as a caller of the library makes it: routes of one to six cells, drawn from few links,
 * so that bottlenecks move about a lot; on request with links of different widths and with a
 * background of its own. Freed by ccmod_network_free. */
ccmod_network *network_tangle(size_t nodes, bool widths, bool background);

/* Every kind that the library knows by name, for 16 processors at least: the text for
 * ccmod_network_open of the kind with this number, or NULL after the last one. A kind without a
 * text in the table fails the test. */
const char *network_text(size_t number);

#endif
