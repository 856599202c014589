/* Processor occupation (group 1): which ranks compute beside the communication, and what the work
 * that was done says. Pure functions. */
#ifndef OCCUPATION_OCCUPATION_H
#define OCCUPATION_OCCUPATION_H

#include "engine/benchmark.h"
#include "report/report.h"

/* Who computes, as a set of sides. */
typedef enum {
    BENCH_UNOCCUPIED = 0,
    BENCH_OCCUPY_SOURCE = 1,
    BENCH_OCCUPY_DESTINATION = 2,
    BENCH_OCCUPY_BOTH = BENCH_OCCUPY_SOURCE | BENCH_OCCUPY_DESTINATION
} bench_occupation;

/* Sides of a measurement that can compute beside the communication. */
typedef enum { BENCH_SIDE_SOURCE, BENCH_SIDE_DESTINATION, BENCH_SIDE_NODE, BENCH_SIDES } bench_side;

/* "none", "source", "destination", "both", and back; NULL (not given) and any other text are none.
 */
const char *bench_occupation_name(bench_occupation occupation);
bench_occupation bench_occupation_named(const char *name);

/* Whether the roles of a definition are sides, or nodes that are source and destination at once and
 * so compute under both alone; neither, where none of its roles can be occupied (farms). */
bool bench_has_sides(const bench_definition *definition);
bool bench_has_nodes(const bench_definition *definition);

/* The side that a role is, where it can be occupied; BENCH_SIDES otherwise. And its name, which is
 * that of the role. */
bench_side bench_side_of(const bench_role *role);

const char *bench_side_name(bench_side side);

/* Whether ranks of a role compute. */
bool bench_occupies(bench_occupation occupation, const bench_role *role);

/* What the tasks of a side did, summed over its ranks: work, as the time that the calibrations give
 * for its units, in so much time; without communication (alone) and beside it. */
typedef struct {
    size_t ranks;
    double alone_work_ns, alone_ns;
    double beside_work_ns, beside_ns;
} bench_side_work;

/* Absent figures are NaN. */
typedef struct {
    double alone_pct; /* rate of the computing alone, of what the calibrations promise */
    double slowdown;  /* rate alone / rate beside the communication; never infinite */
    double left_pct;  /* of the rate alone: 100 / slowdown */
    bool at_least;    /* the slowdown is a lower bound, and what is left an upper one */
} bench_side_figures;

/* A task of low priority gets turns of one scheduler tick at regular intervals. Where the tasks had
 * less than five turns each, one turn more would change the figure by a fifth: the slowdown is then
 * taken as if each had had that turn, and it is at least so large. Without five turns each
 * alone there is nothing to compare with and no slowdown, nor is a bound below 1 one. */
bench_side_figures bench_side_figures_of(const bench_side_work *work, double tick_ns);

/* What was found beside the tasks of one measurement. */
typedef struct {
    double alone_step_ns; /* of the communication without the tasks; 0: not measured */
    double tick_ns;       /* of the scheduler */
    bench_side_work sides[BENCH_SIDES];
} occupation_result;

/* What communication and computing take from each other, into a row whose steps took `step_ns`. */
void occupation_fill_row(const occupation_result *found, double step_ns, report_row *row);

#endif
