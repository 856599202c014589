/* The links of a topology as a graph: who is linked to whom, how far switches are from each other,
 * and whether it is one network. Internal to src/model. */
#ifndef MODEL_NETWORKS_TOPOLOGY_GRAPH_H
#define MODEL_NETWORKS_TOPOLOGY_GRAPH_H

#include "model/networks/topology.h"

/* Make what is below "Made by" in the topology: checks that nothing is given twice, that given
 * routes exist and that every node reaches every other. */
ccmod_status ccmod_topology_connect(topology *made, ccmod_error *error);

#endif
