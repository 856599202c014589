/* The conditions of a run: hosts, bindings, clocks and noise, gathered from all ranks and written
 * into the document by rank 0. */
#ifndef ENGINE_ENVIRONMENT_H
#define ENGINE_ENVIRONMENT_H

#include "base/options.h"
#include "control/control.h"
#include "engine/machines.h"
#include "report/report.h"
#include "transport/transport.h"

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
