/* --compute: a benchmark measured beside a computing task of lower priority. What the work of the
 * tasks says are pure functions. */
#ifndef OCCUPATION_METHOD_H
#define OCCUPATION_METHOD_H

#include "engine/method.h"
#include "report/report.h"

/* What the tasks of a side did, summed over its ranks: work, as the time that the calibrations give
 * for its units, in that time; without communication (alone) and beside it. */
typedef struct {
    size_t ranks;
    double alone_work_ns, alone_ns;
    double beside_work_ns, beside_ns;
} occupation_work;

/* Absent figures are NaN. */
typedef struct {
    double alone_pct; /* rate of the computing alone, of what the calibrations promise */
    double slowdown;  /* rate alone / rate beside the communication; never infinite */
    double left_pct;  /* of the rate alone: 100 / slowdown */
    bool at_least;    /* the slowdown is a lower bound, and what is left an upper one */
} occupation_figures;

/* A task of low priority gets turns of one scheduler tick at regular intervals. Where the tasks had
 * less than five turns each, one turn more would change the figure by a fifth: the slowdown is then
 * taken as if each had had that turn, and it is at least so large. Without five turns each
 * alone there is nothing to compare with and no slowdown, nor is a bound below 1 one. */
occupation_figures occupation_figures_of(const occupation_work *work, double tick_ns);

/* What was found beside the tasks of one measurement. */
typedef struct {
    double alone_step_ns; /* of the communication without the tasks; 0: not measured */
    double tick_ns;       /* of the scheduler */
    occupation_work sides[BENCH_SIDES];
} occupation_result;

/* What communication and computing take from each other, into a row whose steps took `step_ns`. */
void occupation_fill_row(const occupation_result *found, double step_ns, report_row *row);

/* Each rank is bound to one core, with its task, for the whole run. */
extern const measurement_method occupation_method;

#endif
