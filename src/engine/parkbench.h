/* What the programs of Parkbench have beside the others: their clock is tried first, and a curve is
 * described by Parkbench's parameters. */
#ifndef ENGINE_PARKBENCH_H
#define ENGINE_PARKBENCH_H

#include "control/control.h"
#include "engine/plan.h"
#include "host/host.h"
#include "report/report.h"

/* What TICK1 and TICK2 found, of the worst clock each. */
typedef struct {
    double tick1_ns, tick2_error_pct, tick2_bound_pct;
} parkbench_ticks;

/* The points of one curve, in ascending order of sizes. */
typedef struct {
    double *bytes, *figures_us; /* latency_us or round_us */
    size_t count;
} parkbench_curve;

/* TICK1 and TICK2 on every rank, each for itself and at the same time; collective over all. A clock
 * with which a block cannot be timed, or that does not tell true time, is CB_ERROR_USAGE
 * everywhere, and logged by rank 0. Takes 0.1 s, three times that with a bad clock. */
cb_status parkbench_check_clock(control *plane, const host *machine, parkbench_ticks *worst);

/* Write what was found into the document: the coarsest clock, and the one that was furthest off. */
void parkbench_put_ticks(report_document *document, const parkbench_ticks *worst);

/* Fit a curve and add what came out to the document; `breakpoint_bytes` 0: none. */
cb_status parkbench_fit(report_document *document, const bench_measurement *measurement,
                        size_t participants, double breakpoint_bytes,
                        const parkbench_curve *points);

#endif
