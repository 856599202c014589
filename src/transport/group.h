/* What the groups of all technologies share. */
#ifndef TRANSPORT_GROUP_H
#define TRANSPORT_GROUP_H

#include "transport/transport.h"

/* Fill the common part of a zeroed group, with a copy of `nodes`. On failure the group is freed. */
cb_status transport_group_initialise(transport_group *group, transport_factory *factory,
                                     transport_node *const *nodes, size_t count,
                                     transport_node *root, bool multicast);

#endif
