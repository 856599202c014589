/* --compute: measure a benchmark beside a computing task of lower priority.
 *
 * occupation_figures_of is a pure function. */
#ifndef OCCUPATION_METHOD_H
#define OCCUPATION_METHOD_H

#include "engine/method.h"
#include "report/report.h"

/* Work of the tasks of a side, summed over its ranks, without communication (alone) and beside it:
 * the calibrated time of the work done, and the elapsed time. */
typedef struct {
    size_t ranks;
    double alone_work_ns, alone_ns;
    double beside_work_ns, beside_ns;
} occupation_work;

/* Figures of a side; NaN if absent. */
typedef struct {
    double alone_pct; /* computing rate without communication, in % of the calibrated rate */
    double slowdown;  /* rate without communication / rate beside it; finite */
    double left_pct;  /* 100 / slowdown */
    bool at_least;    /* slowdown is a lower bound, left_pct an upper bound */
} occupation_figures;

/* Compute the figures. A task of low priority gets turns of one scheduler tick at regular
 * intervals. With less than five turns per task, one more turn would change the figure by a fifth.
 * Then the slowdown is computed as if each task had had one more turn, and is a lower bound.
 * Without five turns per task alone there is no slowdown; a bound below 1 is dropped too. */
occupation_figures occupation_figures_of(const occupation_work *work, double tick_ns);

/* Results beside the tasks of one measurement. */
typedef struct {
    double alone_step_ns; /* step of the communication without tasks; 0: not measured */
    double tick_ns;       /* of the scheduler */
    occupation_work sides[BENCH_SIDES];
} occupation_result;

/* Add the slowdowns of communication and computing to a row whose steps took `step_ns`. */
void occupation_fill_row(const occupation_result *found, double step_ns, report_row *row);

/* The method. It binds each rank to one core, with its task, for the whole run. */
extern const measurement_method occupation_method;

#endif
