/* Which ranks compute beside the communication (--compute), and what the work that was done says:
 * pure functions. */
#ifndef BENCH_SIDES_H
#define BENCH_SIDES_H

#include "engine/definition.h"

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

/* The names of what a benchmark's ranks can be occupied with, ended by NULL, or NULL: only those of
 * the basic group can. Where its roles are sides (source, destination) there are all four; nodes,
 * which are source and destination at once, compute under both or not at all. */
const char *const *bench_occupations(const benchmark *definition);

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

#endif
