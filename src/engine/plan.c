/* Turn options into a list of measurements. */
#include "engine/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/order.h"
#include "engine/fragments.h"
#include "engine/method.h"

const char *const bench_list_names[] = {
    [BENCH_FIXED] = "fixed",
    [BENCH_ROTATE] = "rotate",
    [BENCH_RANDOM] = "random",
    [BENCH_NEW] = "new",
    NULL,
};

const uint64_t plan_usual_algorithms_us[PLAN_USUAL_ALGORITHMS] = {0, 50, 500};

typedef struct {
    uint64_t values[CB_LIST_MAXIMUM];
    size_t count;
} number_list;

/* State while a plan is made. */
typedef struct {
    const benchmark *definition;
    const bench_options *options;
    size_t ranks;
    number_list counts, sizes;
    bench_shape_list shapes; /* if the benchmark chooses shapes */
    bench_plan *plan;
    size_t room; /* allocated measurements */
} planner;

static void number_add(number_list *list, uint64_t value)
{
    if (list->count < CB_LIST_MAXIMUM)
        list->values[list->count++] = value;
}

static size_t sort_unique(uint64_t *values, size_t count)
{
    size_t kept = 0;

    qsort(values, count, sizeof(values[0]), cb_ascending_counts);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || values[i] != values[kept - 1])
            values[kept++] = values[i];
    return kept;
}

size_t plan_sizes(const benchmark *definition, const bench_options *options, uint64_t *sizes)
{
    static const uint64_t note[] = {0, 64, 256, 1024};
    const uint64_t fit_last = 1 << 20, sweep_last = 4 << 20;
    const bool sorted = definition->fit != NULL && definition->fit->always;
    const bool fit =
        definition->fit != NULL && bench_occupation_named(options->compute) == BENCH_UNOCCUPIED;
    /* Powers of two up to `last`; a sweep adds their neighbours. */
    uint64_t last = options->sweep ? sweep_last : fit ? fit_last : 0;
    uint64_t reach = options->sweep ? 1 : 0;
    size_t count = 0;

    if (options->sizes.count > 0) {
        for (; count < options->sizes.count; count++)
            sizes[count] = options->sizes.values[count];
        if (!options->sweep) /* in the order given, unless a curve is fitted */
            return sorted ? sort_unique(sizes, count) : count;
    } else {
        for (; count < sizeof(note) / sizeof(note[0]); count++)
            sizes[count] = note[count];
    }
    for (uint64_t power = 1; power <= last; power *= 2)
        for (uint64_t size = power - reach; size <= power + reach && count < PLAN_SIZES; size++)
            sizes[count++] = size;
    return sort_unique(sizes, count);
}

/* Counts */

/* The option that gives the counts, or NULL. */
static const cb_list *counts_option(const planner *p)
{
    const size_t list = p->definition->counted->list;

    return list > 0 ? (const void *)((const char *)p->options + list) : NULL;
}

static size_t ranks_needed(const planner *p, size_t count)
{
    bench_shape shape = shape_of_count(p->definition, count);

    return shape_ranks(&shape);
}

static size_t multiple_of(const planner *p)
{
    return p->definition->units != NULL ? p->definition->units->multiple_of(p->options)
                                        : bench_count_multiple(p->definition);
}

static cb_status check_count(const planner *p, uint64_t count, size_t room)
{
    const char *name = p->definition->counted->column;
    size_t needed = ranks_needed(p, (size_t)count);
    char remedy[SHAPE_REMEDY];

    if (count % multiple_of(p) != 0) {
        cb_error("--%s %llu: pairs need an even number; use %llu or %llu", name,
                 (unsigned long long)count, (unsigned long long)count - 1,
                 (unsigned long long)count + 1);
        return CB_ERROR_USAGE;
    }
    if (needed > room) {
        cb_error("%llu %s need %zu ranks and the job has %zu; %s", (unsigned long long)count, name,
                 needed, room, shape_remedy(needed, remedy));
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

/* The default counts that fit, and the largest count that fits. */
static cb_status add_usual_counts(planner *p, size_t room)
{
    const size_t multiple = multiple_of(p);
    const size_t least = bench_count_least(p->definition);
    size_t largest = room;

    while (largest > 0 && (ranks_needed(p, largest) > room || largest % multiple != 0))
        largest--;
    if (largest < least)
        return check_count(p, least, room);
    for (size_t i = 0; i < BENCH_USUAL && p->definition->usual[i][0] > 0; i++)
        if (p->definition->usual[i][0] < largest)
            number_add(&p->counts, p->definition->usual[i][0]);
    number_add(&p->counts, largest);
    return CB_OK;
}

/* The ranks of --receivers or --group have to exist, and be enough for all counts. */
static cb_status check_receivers(const planner *p)
{
    const cb_list *counts = counts_option(p), *receivers = &p->options->receivers;
    const char *counted = p->definition->counted->column;
    const char *named_by = p->options->group != NULL ? "group" : "receivers";

    if (receivers->count == 0)
        return CB_OK;
    if (p->options->placement != NULL) {
        cb_error("--%s and --placement both choose the ranks of the %s; use only one of "
                 "them",
                 named_by, counted);
        return CB_ERROR_USAGE;
    }
    for (size_t i = 0; counts != NULL && i < counts->count; i++)
        if (counts->values[i] > receivers->count) {
            cb_error("--%s %llu: --%s has only %zu ranks; add ranks, or use a smaller number",
                     counted, (unsigned long long)counts->values[i], named_by, receivers->count);
            return CB_ERROR_USAGE;
        }
    for (size_t i = 0; i < receivers->count; i++)
        if (receivers->values[i] >= p->ranks) {
            cb_error("--receivers: the job has no rank %llu, only %zu ranks; start more "
                     "ranks or choose others",
                     (unsigned long long)receivers->values[i], p->ranks);
            return CB_ERROR_USAGE;
        }
    return CB_OK;
}

static cb_status choose_counts(planner *p)
{
    const cb_list *wanted = counts_option(p);
    size_t receivers = p->options->receivers.count;
    size_t room = receivers > 0 ? receivers + 1 : p->ranks;

    if (wanted == NULL) {
        number_add(&p->counts, 2);
        return check_count(p, 2, p->ranks);
    }
    if (p->definition->ratio.reference > 0)
        number_add(&p->counts, p->definition->ratio.reference);
    if (wanted->count == 0)
        CB_TRY(add_usual_counts(p, room));
    for (size_t i = 0; i < wanted->count; i++) {
        CB_TRY(check_count(p, wanted->values[i], room));
        number_add(&p->counts, wanted->values[i]);
    }
    p->counts.count = sort_unique(p->counts.values, p->counts.count);
    return CB_OK;
}

/* Measurements */

/* Largest, smallest and mean size of the packets of a measurement. */
static cb_status set_sizes(const planner *p, bench_measurement *measurement)
{
    const cb_fragments *fragments = &p->options->sizes_of_fragments;
    const bench_shape shape = measurement->shape.stage_count > 0
                                  ? measurement->shape
                                  : shape_of_count(p->definition, measurement->count);
    const size_t sources = fragments_sources(p->definition, p->options, &shape);

    if (sources > cb_fragments_sources(fragments)) {
        cb_error("--fragments: '%s' has sizes of %zu sources, but a measurement has %zu; give each "
                 "line one size for all, or %zu, or measure fewer sources",
                 fragments->path, cb_fragments_sources(fragments), sources, sources);
        return CB_ERROR_USAGE;
    }
    measurement->varied = true;
    measurement->size_bytes = (size_t)cb_fragments_largest(fragments, sources);
    measurement->least_bytes = (size_t)cb_fragments_smallest(fragments, sources);
    measurement->mean_bytes = cb_fragments_mean(fragments, sources);
    return CB_OK;
}

static cb_status append(planner *p, bench_measurement measurement)
{
    const size_t message_most = (size_t)1 << 30, packed = bench_packed(p->definition, p->options);
    bench_plan *plan = p->plan;
    size_t message_bytes;

    if (fragments_vary(p->options))
        CB_TRY(set_sizes(p, &measurement));
    message_bytes = measurement.size_bytes * packed;
    if (packed > 1 && message_bytes > message_most) {
        cb_error("messages of %zu packets of %zu bytes are longer than 1 GiB; pack fewer, or lower "
                 "--sizes",
                 packed, measurement.size_bytes);
        return CB_ERROR_USAGE;
    }
    if (plan->count == p->room) {
        size_t more = p->room > 0 ? 2 * p->room : 64;
        bench_measurement *moved = realloc(plan->measurements, more * sizeof(*moved));

        if (moved == NULL) {
            cb_error("cannot allocate a plan of %zu measurements: out of memory; choose "
                     "fewer sizes",
                     more);
            return CB_ERROR_MEMORY;
        }
        plan->measurements = moved;
        p->room = more;
    }
    plan->measurements[plan->count++] = measurement;
    if (message_bytes > plan->largest_bytes)
        plan->largest_bytes = message_bytes;
    return CB_OK;
}

static bool mode_is_wanted(const bench_options *options, const bench_mode *mode)
{
    if (strcmp(options->mode, "default") == 0)
        return !mode->on_request;
    return strcmp(options->mode, "all") == 0 || strcmp(options->mode, mode->name) == 0;
}

static cb_status check_mode(const planner *p)
{
    const char *name = p->options->mode;
    char names[256] = "";

    if (strcmp(name, "default") == 0 || strcmp(name, "all") == 0 ||
        bench_find_mode(p->definition, name) != NULL)
        return CB_OK;
    for (const bench_mode *mode = p->definition->modes; mode->name != NULL; mode++) {
        strncat(names, mode->name, sizeof(names) - strlen(names) - 1);
        strncat(names, ", ", sizeof(names) - strlen(names) - 1);
    }
    cb_error("--mode '%s': cb_%s has no such mode; use %sdefault or all", name, p->definition->name,
             names);
    return CB_ERROR_USAGE;
}

/* All sizes of one mode and variant, count by count. */
static cb_status append_variant(planner *p, bench_measurement variant)
{
    for (size_t c = 0; c < p->counts.count; c++)
        for (size_t s = 0; s < p->sizes.count; s++) {
            variant.count = (size_t)p->counts.values[c];
            variant.size_bytes = (size_t)p->sizes.values[s];
            CB_TRY(append(p, variant));
        }
    return CB_OK;
}

/* The variants of a benchmark with lists: each kind of list, by a loop and by the technology's
 * multicast. */
static cb_status append_lists(planner *p, bench_measurement variant)
{
    const bench_list_options *wanted = (const void *)p->options->own;

    for (size_t list = 0; bench_list_names[list] != NULL; list++)
        for (int own = 0; own <= 1; own++) {
            variant.list = (bench_list)list;
            variant.own_multicast = own != 0;
            if (wanted->list != NULL && strcmp(wanted->list, bench_list_names[list]) != 0)
                continue;
            if (wanted->multicast != NULL &&
                (strcmp(wanted->multicast, "technology") == 0) != variant.own_multicast)
                continue;
            CB_TRY(append_variant(p, variant));
        }
    return CB_OK;
}

/* Mode by mode. If each mode has its own number of processors, a mode named by --mode has to fit
 * the job; others that do not fit are skipped during the run. */
static cb_status plan_modes(planner *p)
{
    const benchmark *definition = p->definition;
    const bench_options *options = p->options;

    CB_TRY(check_mode(p));
    CB_TRY(check_receivers(p));
    CB_TRY(choose_counts(p));
    p->sizes.count = fragments_vary(options) ? 1 : plan_sizes(definition, options, p->sizes.values);
    for (const bench_mode *mode = definition->modes; mode->name != NULL; mode++) {
        bench_measurement variant = {.mode = mode,
                                     .occupation = bench_occupation_named(options->compute)};

        if (!mode_is_wanted(options, mode))
            continue;
        if (mode->processors > 0) {
            p->counts.values[0] = mode->processors;
            if (strcmp(options->mode, mode->name) == 0)
                CB_TRY(check_count(p, mode->processors, p->ranks));
        }
        CB_TRY(definition->lists ? append_lists(p, variant) : append_variant(p, variant));
    }
    return CB_OK;
}

/* All sizes for each time of the algorithm, shape by shape. */
static cb_status plan_shapes(planner *p)
{
    const benchmark *definition = p->definition;
    const cb_list *given_us = &p->options->algorithms_us;
    const bool is_given = given_us->count > 0;
    const uint64_t *times_us = is_given ? given_us->values : plan_usual_algorithms_us;
    const size_t times = is_given ? given_us->count : PLAN_USUAL_ALGORITHMS;

    CB_TRY(definition->counted->choose(definition, p->options, p->ranks, &p->shapes));
    p->sizes.count =
        fragments_vary(p->options) ? 1 : plan_sizes(definition, p->options, p->sizes.values);
    for (size_t i = 0; i < p->shapes.count; i++) {
        const bench_shape *shape = &p->shapes.shapes[i];
        bench_measurement variant = {.mode = &definition->modes[0],
                                     .shape = *shape,
                                     .own_multicast = p->shapes.own_multicast};

        if (definition->roles[0].peering == BENCH_CHAIN) {
            variant.count = shape->stages[shape->stage_count - 2];
            shape_text(shape, variant.topology);
        }
        for (size_t t = 0; t < times; t++)
            for (size_t s = 0; s < p->sizes.count; s++) {
                variant.algorithm_us = (double)times_us[t];
                variant.size_bytes = (size_t)p->sizes.values[s];
                CB_TRY(append(p, variant));
            }
    }
    return CB_OK;
}

cb_status plan_make(const benchmark *definition, const bench_options *options, size_t ranks,
                    bench_plan *out)
{
    planner *p = cb_allocate(1, sizeof(*p), "the plan");
    cb_status status;

    *out = (bench_plan){0};
    if (p == NULL)
        return CB_ERROR_MEMORY;
    p->definition = definition;
    p->options = options;
    p->ranks = ranks;
    p->plan = out;
    status = definition->method != NULL && definition->method->check != NULL
                 ? definition->method->check(options)
                 : CB_OK;
    if (status == CB_OK)
        status = definition->counted->choose != NULL ? plan_shapes(p) : plan_modes(p);
    if (status != CB_OK)
        plan_free(out);
    free(p);
    return status;
}

void plan_free(bench_plan *plan)
{
    free(plan->measurements);
    *plan = (bench_plan){0};
}

/* Ranks */

size_t plan_candidates(const bench_options *options, const bench_measurement *measurement,
                       size_t job_ranks)
{
    if (measurement->list == BENCH_FIXED)
        return measurement->count;
    return options->receivers.count > 0 ? options->receivers.count : job_ranks - 1;
}

bench_shape plan_layout(const benchmark *definition, const bench_options *options,
                        const bench_measurement *measurement, size_t job_ranks)
{
    if (measurement->shape.stage_count > 0)
        return measurement->shape;
    return shape_of_count(definition, plan_candidates(options, measurement, job_ranks));
}

size_t plan_participants(const benchmark *definition, const bench_options *options,
                         const bench_measurement *measurement, size_t job_ranks, int *ranks)
{
    bench_shape shape = plan_layout(definition, options, measurement, job_ranks);
    size_t participants = shape_ranks(&shape);

    for (size_t i = 0; i < participants; i++)
        ranks[i] = (int)i;
    if (options->receivers.count > 0)
        for (size_t i = 0; i < participants - 1; i++)
            ranks[i + 1] = (int)options->receivers.values[i];
    return participants;
}

cb_status plan_place(const benchmark *definition, const bench_options *options,
                     const bench_measurement *measurement, const int *hosts, size_t job_ranks,
                     int *ranks, size_t *count)
{
    bench_shape shape;

    *count = plan_participants(definition, options, measurement, job_ranks, ranks);
    if (options->placement == NULL)
        return CB_OK;
    shape = plan_layout(definition, options, measurement, job_ranks);
    return shape_place(options->placement, &shape, hosts, job_ranks, ranks);
}

size_t plan_busy_threads(const benchmark *definition, const bench_options *options,
                         const bench_measurement *measurement, size_t job_ranks, const int *ranks,
                         size_t count, int *busy)
{
    bench_shape shape = plan_layout(definition, options, measurement, job_ranks);
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        size_t role = shape_role(definition, &shape, shape_stage(&shape, i));
        size_t threads = measurement->mode->roles[role].by_threads ? (size_t)options->threads : 1;

        for (size_t thread = 0; thread == 0 || thread < threads; thread++)
            busy[found++] = ranks[i];
    }
    return found;
}

const measurement_method *plan_method(const benchmark *definition, const bench_options *options)
{
    const bool loaded = options->rate_hz > 0 || options->load_curve != NULL || options->find_rate;
    const measurement_method *method = definition->method;

    if (bench_occupation_named(options->compute) != BENCH_UNOCCUPIED)
        return definition->overlap;
    return loaded && method != NULL && method->at_rate != NULL ? method->at_rate : method;
}
