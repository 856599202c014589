/* What the files of src/host share about the machine. Private to src/host and its tests. */
#ifndef HOST_TOPOLOGY_H
#define HOST_TOPOLOGY_H

#include <hwloc.h>

#include "host/host.h"

struct host {
    hwloc_topology_t topology; /* the whole host, with what this process may not use */
    hwloc_bitmap_t usable;     /* processing units this process might use when it was opened */
    hwloc_obj_type_t core;     /* PU where the topology knows no cores */
};

/* As host_open, for a machine that hwloc makes from `description` ("Package:2 Core:4 PU:2"). The
 * process is bound to the units of `usable` ("0-1,4"), or to none when that is NULL. */
cb_status host_open_synthetic(const char *description, const char *usable, host **out);

/* The system's number of the processing unit that host_bind_core binds to, or -1 when there is no
 * such core. One unit and not all of a core: threads bound to one core shall share it by the
 * scheduler and its priorities, and not side by side on two hardware threads. */
int host_first_unit(const host *machine, unsigned core);

#endif
