/* Sides, who computes under which occupation, and the figures of the computing. */
#include "engine/sides.h"

#include <math.h>
#include <string.h>

/* Of a computing task, so that one more would change a figure by a fifth at most. */
enum { TURNS_MINIMUM = 5 };

static const char *const of_sides[] = {
    [BENCH_UNOCCUPIED] = "none",
    [BENCH_OCCUPY_SOURCE] = "source",
    [BENCH_OCCUPY_DESTINATION] = "destination",
    [BENCH_OCCUPY_BOTH] = "both",
    NULL,
};

static const char *const of_nodes[] = {"none", "both", NULL};

/* The roles that can be occupied. A node computes when both its sides do. */
static const struct {
    const char *role;
    bench_occupation needed;
} sides[BENCH_SIDES] = {
    [BENCH_SIDE_SOURCE] = {"source", BENCH_OCCUPY_SOURCE},
    [BENCH_SIDE_DESTINATION] = {"destination", BENCH_OCCUPY_DESTINATION},
    [BENCH_SIDE_NODE] = {"node", BENCH_OCCUPY_BOTH},
};

const char *bench_occupation_name(bench_occupation occupation)
{
    return of_sides[occupation];
}

bench_occupation bench_occupation_named(const char *name)
{
    for (size_t i = 0; name != NULL && of_sides[i] != NULL; i++)
        if (strcmp(of_sides[i], name) == 0)
            return (bench_occupation)i;
    return BENCH_UNOCCUPIED;
}

/* Farms and pipelines have algorithms in place of a task beside them; Parkbench has none, nor has
 * what is measured for the model. */
const char *const *bench_occupations(const benchmark *definition)
{
    if (definition->group != BENCH_GROUP_BASIC)
        return NULL;
    return bench_side_of(&definition->roles[0]) == BENCH_SIDE_NODE ? of_nodes : of_sides;
}

bench_side bench_side_of(const bench_role *role)
{
    bench_side side = 0;

    while (side < BENCH_SIDES && (role->name == NULL || strcmp(sides[side].role, role->name) != 0))
        side++;
    return side;
}

const char *bench_side_name(bench_side side)
{
    return sides[side].role;
}

bool bench_occupies(bench_occupation occupation, const bench_role *role)
{
    bench_side side = bench_side_of(role);

    return side < BENCH_SIDES && (occupation & sides[side].needed) == sides[side].needed;
}

bench_side_figures bench_side_figures_of(const bench_side_work *work, double tick_ns)
{
    const bench_side_figures none = {(double)NAN, (double)NAN, (double)NAN, false};
    bench_side_figures figures = none;
    double turn_each_ns = (double)work->ranks * tick_ns, done_ns = work->beside_work_ns;
    double alone_share;

    if (work->ranks == 0 || work->alone_ns <= 0 || work->beside_ns <= 0)
        return figures;
    alone_share = work->alone_work_ns / work->alone_ns;
    figures.alone_pct = 100 * alone_share;
    if (work->alone_work_ns < TURNS_MINIMUM * turn_each_ns)
        return figures;
    figures.at_least = done_ns < TURNS_MINIMUM * turn_each_ns;
    if (figures.at_least)
        done_ns += turn_each_ns;
    figures.slowdown = alone_share * work->beside_ns / done_ns;
    if (figures.at_least && figures.slowdown < 1)
        return (bench_side_figures){figures.alone_pct, none.slowdown, none.left_pct, false};
    figures.left_pct = 100 / figures.slowdown;
    return figures;
}
