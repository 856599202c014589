/* Pure functions on definitions. */
#include "engine/definition.h"

#include <string.h>

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

static const char *const packets_formulas[] = {
    [BENCH_PACKETS_ONE] = "1",
    [BENCH_PACKETS_TWO] = "2",
    [BENCH_PACKETS_EACH] = "count",
    [BENCH_PACKETS_EACH_PAIR] = "count / 2",
    [BENCH_PACKETS_AMONG_ALL] = "count * (count - 1)",
    [BENCH_PACKETS_EACH_DOUBLING] = "count * bits(count - 1)",
    [BENCH_PACKETS_OF_UNITS] = NULL,
};

const char *bench_packets_formula(bench_packets packets)
{
    return packets_formulas[packets];
}

size_t bench_packets_of(bench_packets packets, size_t count)
{
    size_t total = 0;

    switch (packets) {
    case BENCH_PACKETS_ONE:
        return 1;
    case BENCH_PACKETS_TWO:
        return 2;
    case BENCH_PACKETS_EACH:
        return count;
    case BENCH_PACKETS_EACH_PAIR:
        return count / 2;
    case BENCH_PACKETS_AMONG_ALL:
        return count * (count - 1);
    case BENCH_PACKETS_EACH_DOUBLING:
        for (size_t distance = 1; distance < count; distance *= 2)
            total += count;
        return total;
    case BENCH_PACKETS_OF_UNITS:
        break;
    }
    return 0;
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
