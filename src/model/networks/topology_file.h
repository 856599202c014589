/* Topology files: words in lines, a table of statements. Internal to src/model. */
#ifndef MODEL_NETWORKS_TOPOLOGY_FILE_H
#define MODEL_NETWORKS_TOPOLOGY_FILE_H

#include "model/networks/topology.h"

/* Read a file. `made` is zero; after an error, too, it is given back with ccmod_topology_free. */
ccmod_status ccmod_topology_parse(FILE *stream, const char *name, topology *made,
                                  ccmod_error *error);

#endif
