/* Sides, and who computes under which occupation. */
#include "engine/sides.h"

#include <string.h>

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

const char *const *bench_occupations(const benchmark *definition)
{
    if (definition->overlap == NULL)
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
