/* Parser of topology files. Internal to src/model. */
#ifndef MODEL_NETWORKS_TOPOLOGY_FILE_H
#define MODEL_NETWORKS_TOPOLOGY_FILE_H

#include "model/networks/topology.h"

/* Parse a file. `made` is zero on entry; free it with ccmod_topology_free, also after an error. */
ccmod_status ccmod_topology_parse(FILE *stream, const char *name, topology *made,
                                  ccmod_error *error);

#endif
