/* --compute: measure a benchmark beside a computing task of lower priority.
 *
 * occupation_figures_of is a pure function. */
#ifndef OCCUPATION_METHOD_H
#define OCCUPATION_METHOD_H

#include "engine/method.h"
#include "report/report.h"

/* Work of the tasks of a side, summed over its ranks, without communication (alone) and beside it:
 * the calibrated time of the work done, and the elapsed time. `whole_share` is the sum over the
 * ranks of the part of the core that a task had beside communication in whole periods, from the
 * start of a turn to the start of a later one; `whole_periods` is the least number of them. */
typedef struct {
    size_t ranks;
    double alone_work_ns, alone_ns;
    double beside_work_ns, beside_ns;
    double whole_share;
    uint64_t whole_periods;
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
 * Then whole periods are counted, which end with the start of a turn: two per task or more give
 * the figure. With fewer, the slowdown is computed as if each task had had one more turn, and is a
 * lower bound. Without five turns per task alone there is no slowdown; a bound below 1 is dropped
 * too. */
occupation_figures occupation_figures_of(const occupation_work *work, double tick_ns);

/* Time for which `ranks` tasks that share a core have to compute in each of two parts, so that each
 * has enough turns for a baseline, with half as many to spare. */
double occupation_compute_ns(size_t ranks, double tick_ns);

/* The times of --max-time at which the parts of a measurement end, and the length of a part with
 * computing only; the rest is for the baselines over null. What is measured without the task has
 * at most half a second, unless ranks share cores: all time beyond is for both together. */
typedef struct {
    double first_alone_ns, both_ns, steps_ns, second_alone_ns;
    double compute_ns;
} occupation_parts;

occupation_parts occupation_parts_of(double limit_ns, bool oversubscribed);

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
