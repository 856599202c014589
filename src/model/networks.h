/* The kinds of networks that the library knows by name, each made in a file of its own. Internal to
 * src/model. */
#ifndef MODEL_NETWORKS_H
#define MODEL_NETWORKS_H

#include "model/ccmod.h"

extern const ccmod_network_kind ccmod_network_crossbar;

#endif
