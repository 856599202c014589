/* Pure functions on definitions. */
#include "engine/definition.h"

#include <string.h>

#include "base/formula.h"

const char *bench_counted_name(bench_counted counted)
{
    static const char *const names[] = {
        [BENCH_PAIR_ONLY] = "processors",  [BENCH_BY_MODE] = "processors",
        [BENCH_PROCESSORS] = "processors", [BENCH_DESTINATIONS] = "destinations",
        [BENCH_SOURCES] = "sources",       [BENCH_FARM] = "sources",
        [BENCH_TOPOLOGY] = "topology",     [BENCH_BY_TRACE] = "processors",
        [BENCH_BY_TEAMS] = "processors",
    };

    return names[counted];
}

size_t bench_count_least(const benchmark *definition)
{
    return strcmp(bench_counted_name(definition->counted), "processors") == 0 ? 2 : 1;
}

size_t bench_count_multiple(const benchmark *definition)
{
    return definition->roles[0].share == BENCH_HALF ? 2 : 1;
}

size_t bench_packets_of(const char *formula, size_t count)
{
    const cb_named_value names[] = {{"count", (double)count}};

    return formula != NULL ? (size_t)cb_formula_value(formula, names, 1) : 0;
}

size_t bench_step_packets(const benchmark *definition, const bench_options *options,
                          const bench_mode *mode, size_t count)
{
    return definition->units != NULL ? definition->units->scale(options, count).packets
                                     : bench_packets_of(mode->packets, count);
}

double bench_ratio_of(const bench_ratio *ratio, size_t count, double step_us, double reference_us)
{
    const cb_named_value names[] = {{"count", (double)count},
                                    {"reference", (double)ratio->reference},
                                    {"step_us", step_us},
                                    {"reference_us", reference_us}};

    return cb_formula_value(ratio->formula, names, sizeof(names) / sizeof(names[0]));
}

size_t bench_packed(const benchmark *definition, const bench_options *options)
{
    return definition->units != NULL ? definition->units->scale(options, 1).packed : 1;
}

bool bench_is_led_in(const bench_mode *mode)
{
    for (size_t role = 0; role < BENCH_ROLES; role++)
        if (mode->roles[role].starts_after_begin)
            return true;
    return false;
}

bool bench_takes_threads(const benchmark *definition)
{
    for (const bench_mode *mode = definition->modes; mode->name != NULL; mode++)
        for (size_t role = 0; role < BENCH_ROLES; role++)
            if (mode->roles[role].by_threads)
                return true;
    return false;
}

const bench_mode *bench_find_mode(const benchmark *definition, const char *name)
{
    for (const bench_mode *mode = definition->modes; mode->name != NULL; mode++)
        if (strcmp(mode->name, name) == 0)
            return mode;
    return NULL;
}

static const char *const of_sides[] = {
    [BENCH_UNOCCUPIED] = "none",
    [BENCH_OCCUPY_SOURCE] = "source",
    [BENCH_OCCUPY_DESTINATION] = "destination",
    [BENCH_OCCUPY_BOTH] = "both",
    NULL,
};

static const char *const of_nodes[] = {"none", "both", NULL};

/* Roles that can run the computing task. A node computes when both of its sides do. */
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
