/* A topology as a thing: given back, and its vertices by name. */
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
