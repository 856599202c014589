/* The preflight of a run: what its hosts have that disturbs measurements of the network. */
#ifndef ENGINE_PREFLIGHT_H
#define ENGINE_PREFLIGHT_H

#include "control/control.h"
#include "engine/environment.h"

/* Check the host of each rank, compare the hosts, and write interfaces and findings into the
 * environment of the document (NULL except at rank 0). Collective over all ranks. */
cb_status preflight_describe(const environment_sources *from, const machines_of_job *machines);

#endif
