/* The cores of the machine (hwloc): which of them this process may use, and binding to one.
 *
 * The topology covers the whole host, including what a cgroup denies this process, so that core
 * numbers mean the same in every process of the host, and 'cores' is the host's number. */
#include "host/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

static cb_status load_topology(hwloc_topology_t topology, const char *description)
{
    if (description != NULL && hwloc_topology_set_synthetic(topology, description) != 0) {
        cb_error("cannot make a machine from \"%s\": hwloc does not know this description",
                 description);
        return CB_ERROR_USAGE;
    }
    /* hwloc's x86 component binds this thread to every processing unit in turn, which disturbs
     * other programs and waits for each unit. Linux provides all that is needed without it. The
     * call fails on other architectures, which have no such component. */
    (void)hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
        hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) != 0 ||
        hwloc_topology_load(topology) != 0) {
        cb_error("cannot read the topology of this host by hwloc: %s; check that /sys is mounted "
                 "and that no HWLOC_ variable in the environment is wrong (lstopo shows the same)",
                 strerror(errno));
        return CB_ERROR_SYSTEM;
    }
    return CB_OK;
}

/* The caller frees the set; NULL if out of memory. */
static hwloc_bitmap_t units_of_this_thread(hwloc_topology_t topology)
{
    hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(topology);
    hwloc_bitmap_t units = hwloc_bitmap_alloc();

    if (units == NULL)
        return NULL;
    if (hwloc_get_cpubind(topology, units, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_fill(units);
    hwloc_bitmap_and(units, units, allowed);
    if (hwloc_bitmap_iszero(units))
        hwloc_bitmap_copy(units, allowed);
    return units;
}

static cb_status find_usable(host *machine, const char *usable)
{
    machine->core = hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE
                                                                                    : HWLOC_OBJ_PU;
    machine->usable = units_of_this_thread(machine->topology);
    if (machine->usable == NULL) {
        cb_error("no memory for the set of processing units of this host");
        return CB_ERROR_MEMORY;
    }
    if (usable != NULL && hwloc_bitmap_list_sscanf(machine->usable, usable) != 0) {
        cb_error("cannot read \"%s\" as a list of processing units: write it as 0-1,4", usable);
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

static cb_status open_machine(const char *description, const char *usable, host **out)
{
    host *machine = cb_allocate(1, sizeof(*machine), "the topology of this host");
    cb_status status;

    *out = NULL;
    if (machine == NULL)
        return CB_ERROR_MEMORY;
    if (hwloc_topology_init(&machine->topology) != 0) {
        cb_error("cannot start hwloc: %s", strerror(errno));
        free(machine);
        return CB_ERROR_MEMORY;
    }
    if ((status = load_topology(machine->topology, description)) != CB_OK ||
        (status = find_usable(machine, usable)) != CB_OK) {
        host_close(machine);
        return status;
    }
    *out = machine;
    return CB_OK;
}

/* Logical numbers of the cores with at least one of `units`. The caller frees the set; NULL if out
 * of memory. */
static hwloc_bitmap_t cores_with(const host *machine, hwloc_const_bitmap_t units)
{
    hwloc_bitmap_t cores = hwloc_bitmap_alloc();
    hwloc_obj_t core = NULL;

    if (cores == NULL)
        return NULL;
    while ((core = hwloc_get_next_obj_by_type(machine->topology, machine->core, core)) != NULL)
        if (hwloc_bitmap_intersects(core->cpuset, units))
            hwloc_bitmap_set(cores, core->logical_index);
    return cores;
}

cb_status host_open(host **out)
{
    return open_machine(NULL, NULL, out);
}

cb_status host_open_synthetic(const char *description, const char *usable, host **out)
{
    return open_machine(description, usable, out);
}

void host_close(host *machine)
{
    if (machine == NULL)
        return;
    hwloc_bitmap_free(machine->usable);
    hwloc_topology_destroy(machine->topology);
    free(machine);
}

unsigned host_usable_cores(const host *machine)
{
    hwloc_bitmap_t cores = cores_with(machine, machine->usable);
    int count = cores == NULL ? 0 : hwloc_bitmap_weight(cores);

    hwloc_bitmap_free(cores);
    return (unsigned)count;
}

void host_binding(const host *machine, char *text, size_t bytes)
{
    hwloc_bitmap_t units = hwloc_topology_is_thissystem(machine->topology)
                               ? units_of_this_thread(machine->topology)
                               : hwloc_bitmap_dup(machine->usable);

    if (units == NULL)
        snprintf(text, bytes, "%s", "");
    else if (hwloc_bitmap_isequal(units, hwloc_topology_get_topology_cpuset(machine->topology)))
        snprintf(text, bytes, "unbound");
    else {
        hwloc_bitmap_t cores = cores_with(machine, units);

        text[0] = '\0';
        if (cores != NULL && (size_t)hwloc_bitmap_list_snprintf(text, bytes, cores) >= bytes)
            host_end_in_dots(text, bytes, ',');
        hwloc_bitmap_free(cores);
    }
    hwloc_bitmap_free(units);
}

int host_first_unit(const host *machine, unsigned core)
{
    hwloc_obj_t object = NULL;
    int unit = -1;

    while ((object = hwloc_get_next_obj_by_type(machine->topology, machine->core, object)) != NULL)
        if (hwloc_bitmap_intersects(object->cpuset, machine->usable) && core-- == 0)
            break;
    if (object == NULL)
        return -1;
    do
        unit = hwloc_bitmap_next(object->cpuset, unit);
    while (unit != -1 && !hwloc_bitmap_isset(machine->usable, (unsigned)unit));
    return unit;
}

cb_status host_bind_core(const host *machine, unsigned core)
{
    int unit = host_first_unit(machine, core);
    hwloc_bitmap_t set;
    int result;

    if (unit < 0) {
        cb_error("cannot bind this thread to core %u, counted from 0: this process may use %u; "
                 "start fewer processes on this host, or give each more cores",
                 core, host_usable_cores(machine));
        return CB_ERROR_USAGE;
    }
    set = hwloc_bitmap_alloc();
    if (set == NULL || hwloc_bitmap_only(set, (unsigned)unit) != 0) {
        cb_error("no memory to bind this thread to processing unit %d", unit);
        hwloc_bitmap_free(set);
        return CB_ERROR_MEMORY;
    }
    result = hwloc_set_cpubind(machine->topology, set, HWLOC_CPUBIND_THREAD);
    if (result != 0)
        cb_error("cannot bind this thread to processing unit %d: %s; start the program without a "
                 "limit on cores that changes while it runs",
                 unit, strerror(errno));
    hwloc_bitmap_free(set);
    return result == 0 ? CB_OK : CB_ERROR_SYSTEM;
}
