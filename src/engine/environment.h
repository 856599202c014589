/* Conditions of a run: hosts, bindings, clocks and noise of all ranks.
 *
 * They are gathered from all ranks, and rank 0 writes them into the document. Also: which ranks
 * share hosts and cores. */
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

/* Where all ranks run. Equal in all ranks. */
typedef struct {
    int *hosts; /* by rank: index of its host */
    size_t host_count;
    unsigned *host_cores;        /* by host */
    int *machines;               /* by rank: the lowest rank that shares its machine */
    unsigned *cores;             /* by rank: number of cores that it may use */
    char (*bindings)[HOST_TEXT]; /* by rank */
} machines_of_job;

/* Room for `ranks` ranks, all zero. CB_ERROR_MEMORY, logged; free it with machines_free in any
 * case.
 */
cb_status machines_allocate(size_t ranks, machines_of_job *out);

/* Free what environment_describe has allocated. */
void machines_free(machines_of_job *machines);

/* How many of these ranks share the machine of `rank` and, with `same_binding`, also its binding.
 */
size_t machines_sharing(const machines_of_job *machines, const int *ranks, size_t count, int rank,
                        bool same_binding);

/* Whether a machine, or a set of cores that ranks are bound to, has fewer cores than ranks. */
bool machines_oversubscribed(const machines_of_job *machines, const int *ranks, size_t count);

/* Input of environment_describe. */
typedef struct {
    control *plane;
    const host *machine;
    const transport_factory *technology;
    transport_wait effective_wait;
    const cb_option_table *table;
    const void *options;
    int argc;
    char **argv;
    report_document *document; /* where to write; rank 0 only, else NULL */
} environment_sources;

/* Synchronise this rank's clock with rank 0's, find the machines of the job, and write both into
 * the document. *cache_bytes: the largest cache of this rank's host. Collective over all ranks.
 * CB_ERROR_MEMORY or the control plane's error, logged. The caller frees *machines with
 * machines_free. */
cb_status environment_describe(const environment_sources *from, control_clock *clock,
                               size_t *cache_bytes, machines_of_job *machines);

/* The host of a rank in a model, a size_t. */
#define ENVIRONMENT_MODEL_HOST "node%zu"

/* Write the environment of a job in a model: program, options, the text of the calibration, and a
 * host for each rank. */
void environment_describe_model(const environment_sources *from, const char *calibration);

/* The preflight of a run: what its hosts have that disturbs measurements of the network. */

/* Check the host of each rank, compare the hosts, and write interfaces and findings into the
 * environment of the document (NULL except at rank 0). Collective over all ranks. */
cb_status preflight_describe(const environment_sources *from, const machines_of_job *machines);

#endif
