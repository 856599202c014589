/* Pure functions on definitions. */
#include "engine/definition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/formula.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

size_t bench_count_least(const benchmark *definition)
{
    return strcmp(definition->counted->column, "processors") == 0 ? 2 : 1;
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

bool bench_has_steps(const benchmark *definition)
{
    return definition->modes[0].roles[0].step != NULL;
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

/* Shapes from counts, farms and topologies; peers; placement on hosts. */

enum { LARGEST_STAGE = 65535 };

size_t shape_role_size(const benchmark *definition, size_t role, size_t count)
{
    switch (definition->roles[role].share) {
    case BENCH_ONE:
        return 1;
    case BENCH_HALF:
        return count / 2;
    case BENCH_COUNT:
        return count;
    case BENCH_REST:
        return count > 2 ? count - 2 : 0;
    case BENCH_NONE:
        break;
    }
    return 0;
}

bench_shape shape_of_count(const benchmark *definition, size_t count)
{
    bench_shape shape = {.stage_count = 0};

    for (size_t role = 0; role < BENCH_ROLES; role++)
        if (definition->roles[role].share != BENCH_NONE)
            shape.stages[shape.stage_count++] = shape_role_size(definition, role, count);
    return shape;
}

cb_status shape_parse(const char *text, bench_shape *out)
{
    const char *at = text, *wrong = NULL;

    *out = (bench_shape){.stage_count = 0};
    while (wrong == NULL) {
        char *end;
        unsigned long ranks = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;

        if (ranks == 0 || ranks > LARGEST_STAGE)
            wrong = "a stage is a number from 1 to 65535";
        else if (out->stage_count == BENCH_STAGES)
            wrong = "it has more than eight stages";
        else if (*end != '-' && *end != '\0')
            wrong = "stages are separated by '-'";
        else
            out->stages[out->stage_count++] = ranks;
        if (wrong != NULL || *end == '\0')
            break;
        at = end + 1;
    }
    if (wrong == NULL && out->stage_count < 2)
        wrong = "it has one stage, but needs at least two";
    for (size_t i = 1; i < out->stage_count && wrong == NULL; i++)
        if (out->stages[i - 1] % out->stages[i] != 0)
            wrong = "a stage does not divide the one before it";
    if (wrong == NULL)
        return CB_OK;
    cb_error("--topology '%s': %s; write it like 4-2-1 or 9-3-1: sources, then "
             "stages, each of which divides the one before it",
             text, wrong);
    return CB_ERROR_USAGE;
}

void shape_text(const bench_shape *shape, char text[SHAPE_TEXT])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < shape->stage_count && used < SHAPE_TEXT; i++)
        used += (size_t)snprintf(text + used, SHAPE_TEXT - used, "%s%zu", i > 0 ? "-" : "",
                                 shape->stages[i]);
}

bench_span shape_span(const bench_shape *shape, size_t stage)
{
    bench_span span = {0, stage < shape->stage_count ? shape->stages[stage] : 0};

    for (size_t earlier = 0; earlier < stage; earlier++)
        span.first += shape->stages[earlier];
    return span;
}

size_t shape_ranks(const bench_shape *shape)
{
    return shape_span(shape, shape->stage_count).first;
}

size_t shape_stage(const bench_shape *shape, size_t participant)
{
    size_t stage = 0;

    while (stage + 1 < shape->stage_count && participant >= shape_span(shape, stage + 1).first)
        stage++;
    return stage;
}

size_t shape_role(const benchmark *definition, const bench_shape *shape, size_t stage)
{
    size_t last = 0;

    while (last + 1 < BENCH_ROLES && definition->roles[last + 1].share != BENCH_NONE)
        last++;
    if (stage == 0 || stage + 1 == shape->stage_count)
        return stage == 0 ? 0 : last;
    return stage < last ? stage : last - 1;
}

bool shape_same(const bench_shape *one, const bench_shape *other)
{
    return one->stage_count == other->stage_count &&
           memcmp(one->stages, other->stages, one->stage_count * sizeof(one->stages[0])) == 0;
}

cb_status shape_list_add(bench_shape_list *list, const bench_shape *shape)
{
    if (list->count == SHAPE_LIST_ROOM) {
        cb_error("the options ask for more than %d combinations of sources and "
                 "destinations; ask for fewer",
                 SHAPE_LIST_ROOM);
        return CB_ERROR_USAGE;
    }
    list->shapes[list->count++] = *shape;
    return CB_OK;
}

const char *shape_remedy(size_t ranks, char text[SHAPE_REMEDY])
{
    snprintf(
        text, SHAPE_REMEDY,
        cb_virtual != NULL
            ? "use --ranks %zu"
            : "start it with mpirun -np %zu (with --oversubscribe where there are fewer cores)",
        ranks);
    return text;
}

cb_status shape_fits(const bench_shape *shape, size_t job_ranks, const char *what)
{
    size_t needed = shape_ranks(shape);
    char remedy[SHAPE_REMEDY];

    if (needed <= job_ranks)
        return CB_OK;
    cb_error("%s needs %zu ranks and the job has %zu; %s, or ask for fewer", what, needed,
             job_ranks, shape_remedy(needed, remedy));
    return CB_ERROR_USAGE;
}

/* Add a peer, or only count it. */
static void add_peer(size_t peer, bool is_heard, size_t *peers, bool *heard, size_t *count)
{
    if (peers != NULL) {
        peers[*count] = peer;
        heard[*count] = is_heard;
    }
    ++*count;
}

/* In a topology: the ranks that send to this rank, then the rank that it sends to. Sources receive
 * from no rank, and the last stage sends to none. */
static size_t chain_peers(const bench_shape *shape, size_t stage, size_t index, size_t *peers,
                          bool *heard)
{
    size_t count = 0;

    if (stage > 0) {
        bench_span before = shape_span(shape, stage - 1);
        size_t fan_in = before.count / shape->stages[stage];

        for (size_t i = 0; i < fan_in; i++)
            add_peer(before.first + index * fan_in + i, true, peers, heard, &count);
    }
    if (stage + 1 < shape->stage_count) {
        bench_span next = shape_span(shape, stage + 1);

        add_peer(next.first + index / (shape->stages[stage] / next.count), false, peers, heard,
                 &count);
    }
    return count;
}

size_t shape_peers(const benchmark *definition, const bench_shape *shape, size_t participant,
                   size_t *peers, bool *heard)
{
    size_t stage = shape_stage(shape, participant), count = 0;
    size_t index = participant - shape_span(shape, stage).first;
    const bench_role *role = &definition->roles[shape_role(definition, shape, stage)];
    unsigned hears = role->heard != BENCH_HEARS_ALL ? role->heard : role->peer_roles;

    if (role->peering == BENCH_CHAIN)
        return chain_peers(shape, stage, index, peers, heard);
    for (size_t other = 0; other < BENCH_ROLES; other++) {
        bench_span others = shape_span(shape, other);
        size_t first = 0, wanted = others.count; /* all of a role, or ... */

        if (others.count == 0 || (role->peer_roles >> other & 1) == 0)
            continue;
        if (role->peering == BENCH_TWIN) {
            first = index;
            wanted = 1;
        } else if (role->peering == BENCH_OTHERS) {
            first = index + 1;
            wanted = others.count - 1;
        }
        for (size_t k = 0; k < wanted; k++)
            add_peer(others.first + (first + k) % others.count, (hears >> other & 1) != 0, peers,
                     heard, &count);
    }
    return count;
}

/* A placement takes ranks one by one. Each time, the hosts that have a rank left are compared by
 * two numbers; the lowest wins, and among equals the first after the host taken last. */
typedef struct {
    size_t left;     /* ranks without a part */
    size_t taken;    /* ranks with a part */
    size_t of_stage; /* of those, in the current stage */
    size_t next;     /* ranks before this one are taken */
} host_state;

typedef struct {
    host_state *states;
    size_t host_count, last; /* last: the host that was taken last */
} placing;

typedef struct {
    double first, second;
} preference; /* lower is better */

typedef preference (*prefer)(const host_state *host, size_t steps_after_last, size_t host_count);

/* Prefers the host taken last, although it is last in the round. */
static preference prefer_block(const host_state *host, size_t steps, size_t host_count)
{
    (void)host;
    return (preference){(double)(steps % host_count), 0};
}

static preference prefer_cyclic(const host_state *host, size_t steps, size_t host_count)
{
    (void)host;
    (void)host_count;
    return (preference){(double)steps, 0};
}

/* In proportion to the ranks of a host, so that a small host is not filled by the first role. */
static preference prefer_spread(const host_state *host, size_t steps, size_t host_count)
{
    double room = (double)(host->taken + host->left);

    (void)steps;
    (void)host_count;
    return (preference){(double)(host->of_stage + 1) / room, (double)host->taken / room};
}

/* A stage stays on the host where it started. It starts on the host with the fewest ranks taken;
 * among those, the one with the most left. */
static preference prefer_packed(const host_state *host, size_t steps, size_t host_count)
{
    (void)steps;
    (void)host_count;
    return (preference){host->of_stage > 0 ? -1 : (double)host->taken, -(double)host->left};
}

enum { BLOCK, CYCLIC, SPREAD, PACKED, PLACEMENTS };

const char *const shape_placements[PLACEMENTS + 1] = {"block", "cyclic", "spread", "packed", NULL};

static const prefer preferences[PLACEMENTS] = {
    [BLOCK] = prefer_block,
    [CYCLIC] = prefer_cyclic,
    [SPREAD] = prefer_spread,
    [PACKED] = prefer_packed,
};

/* The host to take the next rank from: the preferred one of those that have a rank left. */
static size_t choose_host(const placing *all, prefer preference_of)
{
    preference best = {0, 0};
    size_t chosen = all->host_count;

    for (size_t steps = 1; steps <= all->host_count; steps++) {
        size_t host = (all->last + steps) % all->host_count;
        preference found;

        if (all->states[host].left == 0)
            continue;
        found = preference_of(&all->states[host], steps, all->host_count);
        if (chosen == all->host_count || found.first < best.first ||
            (found.first == best.first && found.second < best.second)) {
            best = found;
            chosen = host;
        }
    }
    return chosen;
}

cb_status shape_place(const char *placement, const bench_shape *shape, const int *hosts,
                      size_t job_ranks, int *ranks)
{
    placing all = {.host_count = 0};
    size_t place = 0, rule = 0;

    while (rule + 1 < PLACEMENTS && strcmp(shape_placements[rule], placement) != 0)
        rule++;
    for (size_t rank = 0; rank < job_ranks; rank++)
        if ((size_t)hosts[rank] >= all.host_count)
            all.host_count = (size_t)hosts[rank] + 1;
    all.states = cb_allocate(all.host_count, sizeof(*all.states), "the placement of ranks");
    if (all.states == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < job_ranks; rank++)
        all.states[hosts[rank]].left++;
    for (size_t stage = 0; stage < shape->stage_count; stage++) {
        for (size_t host = 0; host < all.host_count; host++)
            all.states[host].of_stage = 0;
        for (size_t i = 0; i < shape->stages[stage]; i++, place++) {
            size_t host = place == 0 ? (size_t)hosts[0] : choose_host(&all, preferences[rule]);
            host_state *state = &all.states[host];

            while ((size_t)hosts[state->next] != host)
                state->next++;
            ranks[place] = (int)state->next++;
            state->left--;
            state->taken++;
            state->of_stage++;
            all.last = host;
        }
    }
    free(all.states);
    return CB_OK;
}
