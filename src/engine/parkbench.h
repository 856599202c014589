/* Parkbench programs: check of the clock (TICK1, TICK2) and Parkbench's parameters of a curve. */
#ifndef ENGINE_PARKBENCH_H
#define ENGINE_PARKBENCH_H

#include "control/control.h"
#include "engine/plan.h"
#include "host/host.h"
#include "report/report.h"

/* Results of TICK1 and TICK2, each of the worst clock. */
typedef struct {
    double tick1_ns, tick2_error_pct, tick2_bound_pct;
} parkbench_ticks;

/* The points of one curve, in ascending order of size. */
typedef struct {
    double *bytes, *figures_us; /* figures are latency_us or round_us */
    size_t count;
} parkbench_curve;

/* Run TICK1 and TICK2 on all ranks at once. Collective over all ranks. A clock that is too coarse
 * or not accurate is CB_ERROR_USAGE in all ranks, logged by rank 0. Takes 0.1 s, or 0.3 s with a
 * bad clock. */
cb_status parkbench_check_clock(control *plane, const host *machine, parkbench_ticks *worst);

/* Write the coarsest clock and the least accurate one into the document. */
void parkbench_put_ticks(report_document *document, const parkbench_ticks *worst);

/* Fit Parkbench's parameters to a curve and add them to the document. `breakpoint_bytes` 0: no
 * breakpoint. CB_ERROR_MEMORY, logged. */
cb_status parkbench_fit(report_document *document, const bench_measurement *measurement,
                        size_t participants, double breakpoint_bytes,
                        const parkbench_curve *points);

#endif
