/* Which ranks compute beside the communication (--compute): pure functions of a definition. */
#ifndef ENGINE_SIDES_H
#define ENGINE_SIDES_H

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

/* The names of what a benchmark's ranks can be occupied with, ended by NULL; NULL where it has no
 * method for it. Where its roles are sides (source, destination) there are all four; nodes,
 * which are source and destination at once, compute under both or not at all. */
const char *const *bench_occupations(const benchmark *definition);

/* The side that a role is, where it can be occupied; BENCH_SIDES otherwise. And its name, which is
 * that of the role. */
bench_side bench_side_of(const bench_role *role);
const char *bench_side_name(bench_side side);

/* Whether ranks of a role compute. */
bool bench_occupies(bench_occupation occupation, const bench_role *role);

#endif
