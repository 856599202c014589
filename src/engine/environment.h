/* The conditions of a run: hosts, bindings, clocks and noise, gathered from all ranks and written
 * into the document by rank 0; and which ranks share hosts and cores. */
#ifndef ENGINE_ENVIRONMENT_H
#define ENGINE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"
#include "base/status.h"
#include "control/control.h"
#include "host/host.h"
#include "report/report.h"
#include "transport/transport.h"

/* The machines of all ranks, the same in each. */
typedef struct {
    int *hosts; /* of each rank, the index of its host */
    size_t host_count;
    unsigned *host_cores;        /* of each host */
    int *machines;               /* of each rank, the first rank whose host shares its cores */
    unsigned *cores;             /* of each rank: how many it may run on */
    char (*bindings)[HOST_TEXT]; /* of each rank */
    size_t cache_bytes;          /* of the largest cache of this rank's host */
} machines_of_job;

/* Free what environment_describe has made. */
void machines_free(machines_of_job *machines);

/* How many of these ranks share the machine and, with `same_binding`, the binding of `rank`. */
size_t machines_sharing(const machines_of_job *machines, const int *ranks, size_t count, int rank,
                        bool same_binding);

/* Whether a host, or the cores that several ranks are bound to, has fewer cores than busy ranks. */
bool machines_oversubscribed(const machines_of_job *machines, const int *ranks, size_t count);

/* Where the conditions come from, and where they go. */
typedef struct {
    control *plane;
    const host *machine;
    const transport_factory *technology;
    transport_wait effective_wait;
    const cb_option_table *table;
    const void *options;
    int argc;
    char **argv;
    report_document *document; /* rank 0 alone */
} environment_sources;

/* Find this rank's clock against rank 0's and the machines of the job, and fill the document.
 * Collective. */
cb_status environment_describe(const environment_sources *from, control_clock *clock,
                               machines_of_job *machines);

#endif
