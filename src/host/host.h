/* The host of a rank: topology and binding (hwloc), the environment recorded in a result, and a
 * probe of the core time that other programs take. Independent of MPI. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct host host;

enum { HOST_TEXT = 128, HOST_TUNINGS = 24, HOST_INTERFACE_BYTES = 16 /* of a name */ };

/* Plain data without pointers, so that ranks can exchange it as bytes. An empty text or 0 means
 * unknown; a result omits it. */
typedef struct {
    char name[HOST_TEXT];         /* network name */
    char os[HOST_TEXT];           /* distribution and version */
    char kernel[HOST_TEXT];       /* name, release, architecture */
    char cpu[HOST_TEXT];          /* model name */
    char topology[2 * HOST_TEXT]; /* hwloc's synthetic description, or a summary if there is none */
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
    double quantum_us; /* a longer gap between two clock readings counts as stolen */
    double stolen_pct; /* of the probe's time */
    double longest_us; /* gap */
    double duration_ms;
} host_noise;

/* Load the topology. The caller owns *out and closes it; NULL may be closed too. */
cb_status host_open(host **out);
void host_close(host *machine);

/* Sets every byte of *out; unknown values are empty. Texts are one line of ASCII. */
void host_capture(const host *machine, host_environment *out);

/* The kernel's boot id: hosts with the same id share cores, as containers and network namespaces
 * do. Empty if unknown. */
void host_kernel_id(char text[HOST_TEXT]);

/* Number of cores this process could use when the host was opened: its affinity mask within its
 * cgroup. A later host_bind_core does not change it. */
unsigned host_usable_cores(const host *machine);

/* Current binding of the calling thread: a list of the host's logical cores, "0" or "0-1,4";
 * "unbound" if it may run on the whole host. `text` holds `bytes`; a longer list ends in "...". */
void host_binding(const host *machine, char *text, size_t bytes);

/* Bind the calling thread to one core, counted from 0 among the cores usable when the host was
 * opened. It is bound to the core's first processing unit, so that threads bound to the same core
 * share it by the scheduler. */
cb_status host_bind_core(const host *machine, unsigned core);

/* Read the clock without a pause for `duration_ms` and sum the gaps above 10 us: time that
 * interrupts, the hypervisor or other users took from the core of the calling thread. */
host_noise host_probe_noise(unsigned duration_ms);

#endif
