/* From options to a list of measurements. */
#include "engine/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/order.h"
#include "engine/plan_shapes.h"

enum { CHANGING_LIST_BYTES = 64 };

typedef struct {
    uint64_t values[CB_LIST_MAXIMUM];
    size_t count;
} number_list;

static void sort_unique(number_list *list)
{
    size_t kept = 0;

    qsort(list->values, list->count, sizeof(list->values[0]), cb_ascending_counts);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || list->values[i] != list->values[kept - 1])
            list->values[kept++] = list->values[i];
    list->count = kept;
}

static void add(number_list *list, uint64_t value)
{
    if (list->count < CB_LIST_MAXIMUM)
        list->values[list->count++] = value;
}

/* Powers of two up to `last`, each with its neighbours when asked for. */
static void add_powers(number_list *list, uint64_t last, uint64_t reach)
{
    for (uint64_t power = 1; power <= last; power *= 2)
        for (uint64_t size = power - reach; size <= power + reach; size++)
            add(list, size);
}

static void choose_sizes(const bench_definition *definition, const bench_options *options,
                         number_list *sizes)
{
    static const uint64_t note[] = {0, 64, 256, 1024};
    const uint64_t fit_last = 1 << 20, sweep_last = 4 << 20;

    if (options->sizes.count > 0) {
        for (size_t i = 0; i < options->sizes.count; i++)
            add(sizes, options->sizes.values[i]);
        if (!options->sweep && definition->parkbench)
            sort_unique(sizes); /* a line is fitted to them */
        if (!options->sweep)
            return;
    }
    for (size_t i = 0; options->sizes.count == 0 && i < sizeof(note) / sizeof(note[0]); i++)
        add(sizes, note[i]);
    if (options->sweep)
        add_powers(sizes, sweep_last, 1);
    else if (definition->fit && bench_occupation_named(options->compute) == BENCH_UNOCCUPIED)
        add_powers(sizes, fit_last, 0);
    sort_unique(sizes);
}

/* Counts */

static const cb_list *counts_option(const bench_definition *definition,
                                    const bench_options *options)
{
    switch (definition->counted) {
    case BENCH_PROCESSORS:
        return &options->processors;
    case BENCH_DESTINATIONS:
        return &options->destinations;
    case BENCH_SOURCES:
        return &options->sources;
    case BENCH_PAIR_ONLY:
    case BENCH_BY_MODE:
    case BENCH_FARM:
    case BENCH_TOPOLOGY:
        break;
    }
    return NULL;
}

static const char *counted_name(const bench_definition *definition)
{
    static const char *const names[] = {
        [BENCH_PAIR_ONLY] = "processors",  [BENCH_BY_MODE] = "processors",
        [BENCH_PROCESSORS] = "processors", [BENCH_DESTINATIONS] = "destinations",
        [BENCH_SOURCES] = "sources",       [BENCH_FARM] = "sources",
        [BENCH_TOPOLOGY] = "processors",
    };

    return names[definition->counted];
}

static size_t ranks_needed(const bench_definition *definition, size_t count)
{
    bench_shape shape = bench_shape_of_count(definition, count);

    return bench_shape_ranks(&shape);
}

static bool in_halves(const bench_definition *definition)
{
    return definition->roles[0].share == BENCH_HALF;
}

/* The largest count that `ranks` can serve; 0 when there is none. */
static size_t largest_count(const bench_definition *definition, size_t ranks)
{
    size_t count = ranks;

    while (count > 0 &&
           (ranks_needed(definition, count) > ranks || (in_halves(definition) && count % 2 != 0)))
        count--;
    return count;
}

static cb_status check_count(const bench_definition *definition, uint64_t count, size_t ranks)
{
    size_t needed = ranks_needed(definition, (size_t)count);

    if (in_halves(definition) && count % 2 != 0) {
        cb_error("--%s %llu: pairs need an even number; give %llu or %llu",
                 counted_name(definition), (unsigned long long)count, (unsigned long long)count - 1,
                 (unsigned long long)count + 1);
        return CB_ERROR_USAGE;
    }
    if (needed > ranks) {
        cb_error("%llu %s need %zu ranks and the job has %zu; start it with mpirun -np %zu (with "
                 "--oversubscribe where there are fewer cores)",
                 (unsigned long long)count, counted_name(definition), needed, ranks, needed);
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

static cb_status default_counts(const bench_definition *definition, size_t ranks,
                                number_list *counts)
{
    static const uint64_t note[] = {4, 8, 16};
    size_t largest = largest_count(definition, ranks);

    if (largest == 0 || (definition->counted == BENCH_PROCESSORS && largest < 2))
        return check_count(definition, definition->counted == BENCH_PROCESSORS ? 2 : 1, ranks);
    for (size_t i = 0; i < sizeof(note) / sizeof(note[0]); i++)
        if (note[i] < largest)
            add(counts, note[i]);
    add(counts, largest);
    return CB_OK;
}

static cb_status choose_counts(const bench_definition *definition, const bench_options *options,
                               size_t ranks, number_list *counts)
{
    const cb_list *wanted = counts_option(definition, options);
    size_t room = ranks;

    if (wanted == NULL) {
        add(counts, 2);
        return ranks >= 2 ? CB_OK : check_count(definition, 2, ranks);
    }
    if (options->receivers.count > 0)
        room = options->receivers.count + 1;
    if (definition->reference > 0)
        add(counts, definition->reference);
    if (wanted->count == 0)
        CB_TRY(default_counts(definition, room, counts));
    for (size_t i = 0; i < wanted->count; i++) {
        CB_TRY(check_count(definition, wanted->values[i], room));
        add(counts, wanted->values[i]);
    }
    sort_unique(counts);
    return CB_OK;
}

static cb_status check_receivers(const bench_definition *definition, const bench_options *options,
                                 size_t ranks)
{
    const cb_list *counts = counts_option(definition, options);
    size_t receivers = options->receivers.count;
    const char *named_by = options->group != NULL ? "group" : "receivers";

    if (receivers > 0 && options->placement != NULL) {
        cb_error("--%s says which ranks are %s, and so does --placement; give one of them",
                 named_by, counted_name(definition));
        return CB_ERROR_USAGE;
    }
    for (size_t i = 0; receivers > 0 && counts != NULL && i < counts->count; i++)
        if (counts->values[i] > receivers) {
            cb_error("--%s %llu: --%s names %zu ranks; name more, or ask for fewer",
                     counted_name(definition), (unsigned long long)counts->values[i], named_by,
                     receivers);
            return CB_ERROR_USAGE;
        }
    for (size_t i = 0; i < options->receivers.count; i++)
        if (options->receivers.values[i] >= ranks) {
            cb_error("--receivers: there is no rank %llu in a job of %zu; start more ranks or name "
                     "others",
                     (unsigned long long)options->receivers.values[i], ranks);
            return CB_ERROR_USAGE;
        }
    return CB_OK;
}

/* Variants: how lists change, and by which multicast */

const char *bench_list_name(bench_list list)
{
    static const char *const names[] = {
        [BENCH_FIXED] = "fixed",
        [BENCH_ROTATE] = "rotate",
        [BENCH_RANDOM] = "random",
    };

    return names[list];
}

static bool list_wanted(const bench_options *options, bench_list list, size_t size_bytes)
{
    if (options->list != NULL)
        return strcmp(options->list, bench_list_name(list)) == 0;
    return list == BENCH_FIXED || size_bytes == CHANGING_LIST_BYTES;
}

static bool multicast_wanted(const bench_options *options, bool own)
{
    return options->multicast == NULL || (strcmp(options->multicast, "technology") == 0) == own;
}

static bool mode_wanted(const bench_options *options, const bench_mode *mode)
{
    if (strcmp(options->mode, "default") == 0)
        return !mode->on_request;
    return strcmp(options->mode, "all") == 0 || strcmp(options->mode, mode->name) == 0;
}

static cb_status check_mode(const bench_definition *definition, const bench_options *options)
{
    char names[256] = "";

    if (strcmp(options->mode, "default") == 0 || strcmp(options->mode, "all") == 0 ||
        bench_find_mode(definition, options->mode) != NULL)
        return CB_OK;
    for (const bench_mode *mode = definition->modes; mode->name != NULL; mode++) {
        strncat(names, mode->name, sizeof(names) - strlen(names) - 1);
        strncat(names, ", ", sizeof(names) - strlen(names) - 1);
    }
    cb_error("--mode '%s': cb_%s has no such mode; use %sdefault or all", options->mode,
             definition->name, names);
    return CB_ERROR_USAGE;
}

static cb_status append(bench_plan *plan, size_t *room, bench_measurement measurement)
{
    if (plan->count == *room) {
        size_t more = *room > 0 ? 2 * *room : 64;
        bench_measurement *moved = realloc(plan->measurements, more * sizeof(*moved));

        if (moved == NULL) {
            cb_error("cannot plan %zu measurements: out of memory; ask for fewer sizes", more);
            return CB_ERROR_MEMORY;
        }
        plan->measurements = moved;
        *room = more;
    }
    plan->measurements[plan->count++] = measurement;
    if (measurement.size_bytes > plan->largest_bytes)
        plan->largest_bytes = measurement.size_bytes;
    return CB_OK;
}

/* All sizes of one mode and one variant, count after count. */
static cb_status append_variant(bench_plan *plan, size_t *room, bench_measurement variant,
                                const bench_options *options, const number_list *counts,
                                const number_list *sizes)
{
    for (size_t c = 0; c < counts->count; c++)
        for (size_t s = 0; s < sizes->count; s++) {
            variant.count = (size_t)counts->values[c];
            variant.size_bytes = (size_t)sizes->values[s];
            if (list_wanted(options, variant.list, variant.size_bytes))
                CB_TRY(append(plan, room, variant));
        }
    return CB_OK;
}

static cb_status append_mode(bench_plan *plan, size_t *room, const bench_definition *definition,
                             const bench_mode *mode, const bench_options *options,
                             const number_list *counts, const number_list *sizes)
{
    int last_list = definition->lists ? BENCH_RANDOM : BENCH_FIXED;
    int last_own = definition->lists ? 1 : 0;

    for (int list = BENCH_FIXED; list <= last_list; list++)
        for (int own = 0; own <= last_own; own++) {
            bench_measurement variant = {.mode = mode,
                                         .list = (bench_list)list,
                                         .own_multicast = own != 0,
                                         .occupation = bench_occupation_named(options->compute)};

            if (!definition->lists || multicast_wanted(options, own != 0))
                CB_TRY(append_variant(plan, room, variant, options, counts, sizes));
        }
    return CB_OK;
}

/* Group 2: all sizes of each time of the algorithm, shape after shape. */
static cb_status append_shape(bench_plan *plan, size_t *room, const bench_definition *definition,
                              const bench_options *options, const bench_shape *shape,
                              const number_list *sizes)
{
    static uint64_t note_us[] = {0, 50, 500};
    static const cb_list usual = {.values = note_us, .count = sizeof(note_us) / sizeof(note_us[0])};
    const cb_list *times_us = options->algorithms_us.count > 0 ? &options->algorithms_us : &usual;
    bench_measurement variant = {.mode = &definition->modes[0], .shape = *shape};

    if (definition->counted == BENCH_TOPOLOGY) {
        variant.count = shape->stages[shape->stage_count - 2];
        bench_shape_text(shape, variant.topology);
    }
    for (size_t t = 0; t < times_us->count; t++)
        for (size_t s = 0; s < sizes->count; s++) {
            variant.algorithm_us = (double)times_us->values[t];
            variant.size_bytes = (size_t)sizes->values[s];
            CB_TRY(append(plan, room, variant));
        }
    return CB_OK;
}

static cb_status fill_group_2(bench_plan *plan, const bench_definition *definition,
                              const bench_options *options, size_t ranks, number_list *sizes)
{
    bench_shape shapes[BENCH_SHAPES];
    size_t room = 0, count;

    if (definition->counted == BENCH_FARM)
        CB_TRY(bench_check_load(options));
    CB_TRY(bench_choose_shapes(definition, options, ranks, shapes, &count));
    if (definition->counted == BENCH_FARM)
        CB_TRY(bench_check_timeline(options, &shapes[0]));
    choose_sizes(definition, options, sizes);
    for (size_t i = 0; i < count; i++)
        CB_TRY(append_shape(plan, &room, definition, options, &shapes[i], sizes));
    return CB_OK;
}

/* Where each mode has a number of its own. One that was asked for by its name has to fit the job;
 * others that do not are skipped when their turn comes. */
static cb_status count_of_mode(const bench_definition *definition, const bench_mode *mode,
                               const bench_options *options, size_t ranks, number_list *counts)
{
    if (definition->counted != BENCH_BY_MODE)
        return CB_OK;
    counts->count = 0;
    add(counts, mode->processors);
    return strcmp(options->mode, mode->name) == 0 ? check_count(definition, mode->processors, ranks)
                                                  : CB_OK;
}

static cb_status fill(bench_plan *plan, const bench_definition *definition,
                      const bench_options *options, size_t ranks, number_list *counts,
                      number_list *sizes)
{
    size_t room = 0;

    CB_TRY(check_mode(definition, options));
    CB_TRY(check_receivers(definition, options, ranks));
    CB_TRY(choose_counts(definition, options, ranks, counts));
    choose_sizes(definition, options, sizes);
    for (const bench_mode *mode = definition->modes; mode->name != NULL; mode++)
        if (mode_wanted(options, mode)) {
            CB_TRY(count_of_mode(definition, mode, options, ranks, counts));
            CB_TRY(append_mode(plan, &room, definition, mode, options, counts, sizes));
        }
    return CB_OK;
}

cb_status bench_plan_make(const bench_definition *definition, const bench_options *options,
                          size_t ranks, bench_plan *out)
{
    number_list *counts = cb_allocate(1, sizeof(*counts), "the plan");
    number_list *sizes = cb_allocate(1, sizeof(*sizes), "the plan");
    cb_status status = CB_ERROR_MEMORY;

    *out = (bench_plan){0};
    if (counts != NULL && sizes != NULL)
        status = definition->counted == BENCH_FARM || definition->counted == BENCH_TOPOLOGY
                     ? fill_group_2(out, definition, options, ranks, sizes)
                     : fill(out, definition, options, ranks, counts, sizes);
    if (status != CB_OK)
        bench_plan_free(out);
    free(counts);
    free(sizes);
    return status;
}

void bench_plan_free(bench_plan *plan)
{
    free(plan->measurements);
    *plan = (bench_plan){0};
}

/* Ranks */

bench_shape bench_layout(const bench_definition *definition, const bench_options *options,
                         const bench_measurement *measurement, size_t job_ranks)
{
    size_t candidates = measurement->count;

    if (measurement->shape.stage_count > 0)
        return measurement->shape;
    if (measurement->list != BENCH_FIXED)
        candidates = options->receivers.count > 0 ? options->receivers.count : job_ranks - 1;
    return bench_shape_of_count(definition, candidates);
}

size_t bench_participants(const bench_definition *definition, const bench_options *options,
                          const bench_measurement *measurement, size_t job_ranks, int *ranks)
{
    bench_shape shape = bench_layout(definition, options, measurement, job_ranks);
    size_t participants = bench_shape_ranks(&shape);

    for (size_t i = 0; i < participants; i++)
        ranks[i] = (int)i;
    if (options->receivers.count > 0)
        for (size_t i = 0; i < participants - 1; i++)
            ranks[i + 1] = (int)options->receivers.values[i];
    return participants;
}
