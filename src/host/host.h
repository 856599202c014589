/* The machine under a rank: topology and binding by hwloc, the environment that a result records,
 * and a probe of the time that other programs take. Independent of MPI. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct host host;

enum { HOST_TEXT = 128, HOST_TUNINGS = 24 };

/* Plain data without pointers, so that ranks can exchange it as bytes. An empty text or 0 means
 * that it could not be found, and the result leaves it out. */
typedef struct {
    char name[HOST_TEXT];         /* network name */
    char os[HOST_TEXT];           /* distribution and version */
    char kernel[HOST_TEXT];       /* name, release, architecture */
    char cpu[HOST_TEXT];          /* model name */
    char topology[2 * HOST_TEXT]; /* hwloc's synthetic description; without one, a summary */
    char governor[HOST_TEXT];     /* cpufreq governor, comma-separated where cores differ */
    uint64_t cores;               /* physical cores on the host */
    uint64_t hardware_threads;    /* processing units on the host */
    uint64_t numa_nodes;
    uint64_t l1d_bytes, l2_bytes, l3_bytes; /* of one cache of that level */
    uint64_t memory_MB;                     /* 10^6 bytes */
    size_t tuning_count;
    struct {
        char key[64]; /* such as net.core.rmem_max, transparent_hugepage */
        char value[HOST_TEXT];
    } tuning[HOST_TUNINGS];
} host_environment;

typedef struct {
    double quantum_us; /* a gap between two clock readings above this counts as stolen */
    double stolen_pct; /* of the probe's time */
    double longest_us; /* gap */
    double duration_ms;
} host_noise;

/* Load the topology. The caller owns *out and closes it; NULL may be closed too. */
cb_status host_open(host **out);
void host_close(host *machine);

/* Every byte of *out is set; what cannot be found stays empty. Texts are ASCII, on one line. */
void host_capture(const host *machine, host_environment *out);

/* The id that the kernel has had since it was started: hosts with the same id share its cores, as
 * containers and the namespaces of a testbed do. Empty where it cannot be found. */
void host_kernel_id(char text[HOST_TEXT]);

/* How many cores this process might run on when the host was opened: its affinity mask within what
 * its cgroup allows. A later host_bind_core does not change that. */
unsigned host_usable_cores(const host *machine);

/* The calling thread's binding as it is now: a list of the host's logical cores, "0" or "0-1,4";
 * "unbound" when it may run on all of the host. `text` holds `bytes`; a longer list ends in "...".
 */
void host_binding(const host *machine, char *text, size_t bytes);

/* Bind the calling thread to one core, counted from 0 among those that were usable when the host
 * was opened: to the first processing unit of it, so that threads bound to one core take turns on
 * it. */
cb_status host_bind_core(const host *machine, unsigned core);

/* Read the clock without a pause for `duration_ms` and sum the gaps above 10 us: time that
 * interrupts, the hypervisor or other users took from the core of the calling thread. */
host_noise host_probe_noise(unsigned duration_ms);

#endif
