/* Farms of S x D, topologies of stages, and the ranks that they need. */
#include "engine/plan_shapes.h"

#include <string.h>

#include "base/log.h"
#include "farm/farm.h"
#include "farm/load.h"
#include "farm/recording.h"
#include "timeline/timeline.h"

static cb_status too_few(const char *what, const bench_shape *shape, size_t ranks)
{
    size_t needed = bench_shape_ranks(shape);

    cb_error("%s needs %zu ranks and the job has %zu; start it with mpirun -np %zu (with "
             "--oversubscribe where there are fewer cores), or ask for fewer",
             what, needed, ranks, needed);
    return CB_ERROR_USAGE;
}

static cb_status add_shape(bench_shape shape, bench_shape shapes[BENCH_SHAPES], size_t *count)
{
    if (*count == BENCH_SHAPES) {
        cb_error("more than %d shapes of ranks are asked for; ask for fewer", BENCH_SHAPES);
        return CB_ERROR_USAGE;
    }
    shapes[(*count)++] = shape;
    return CB_OK;
}

/* Farms */

static cb_status check_farm(const bench_shape *shape, size_t ranks)
{
    if (bench_shape_ranks(shape) <= ranks)
        return CB_OK;
    if (shape->stages[1] == 1 && shape->stages[2] == 1)
        return too_few("a farm (a supervisor, a source and a destination)", shape, ranks);
    cb_error("a farm of %zu sources and %zu destinations, with its supervisor, needs %zu ranks and "
             "the job has %zu; start it with mpirun -np %zu (with --oversubscribe where there are "
             "fewer cores), or give smaller --sources and --destinations",
             shape->stages[1], shape->stages[2], bench_shape_ranks(shape), ranks,
             bench_shape_ranks(shape));
    return CB_ERROR_USAGE;
}

/* 4, 6 and 8 to as many; where the job is too small for 4, the largest that fits. */
static cb_status usual_farms(size_t ranks, bench_shape shapes[BENCH_SHAPES], size_t *count)
{
    static const size_t note[] = {4, 6, 8};
    size_t largest = ranks > 2 ? (ranks - 1) / 2 : 1;

    for (size_t i = 0; i < sizeof(note) / sizeof(note[0]); i++)
        if (note[i] <= largest)
            CB_TRY(add_shape(bench_shape_of_farm(note[i], note[i]), shapes, count));
    if (*count == 0)
        CB_TRY(add_shape(bench_shape_of_farm(largest, largest), shapes, count));
    return check_farm(&shapes[0], ranks);
}

/* The k-th value of a list; of a list of one always that. */
static size_t value_at(const cb_list *list, size_t k)
{
    return (size_t)list->values[list->count == 1 ? 0 : k];
}

static cb_status choose_farms(const bench_options *options, size_t ranks,
                              bench_shape shapes[BENCH_SHAPES], size_t *count)
{
    const cb_list *sources = &options->sources, *destinations = &options->destinations;
    size_t length;

    if (sources->count == 0 && destinations->count == 0)
        return usual_farms(ranks, shapes, count);
    sources = sources->count > 0 ? sources : destinations;
    destinations = destinations->count > 0 ? destinations : sources;
    length = sources->count > destinations->count ? sources->count : destinations->count;
    if (sources->count != destinations->count && sources->count > 1 && destinations->count > 1) {
        cb_error("--sources has %zu numbers and --destinations %zu; give as many of both, or one "
                 "number for all",
                 sources->count, destinations->count);
        return CB_ERROR_USAGE;
    }
    for (size_t i = 0; i < length; i++) {
        bench_shape shape = bench_shape_of_farm(value_at(sources, i), value_at(destinations, i));

        CB_TRY(check_farm(&shape, ranks));
        CB_TRY(add_shape(shape, shapes, count));
    }
    return CB_OK;
}

/* Topologies */

static cb_status usual_topologies(size_t ranks, bench_shape shapes[BENCH_SHAPES], size_t *count)
{
    static const char *const note[] = {"4-2-1", "6-2-1", "9-3-1"};

    for (size_t i = 0; i < sizeof(note) / sizeof(note[0]); i++) {
        bench_shape shape;

        CB_TRY(bench_shape_parse(note[i], &shape));
        if (bench_shape_ranks(&shape) <= ranks)
            CB_TRY(add_shape(shape, shapes, count));
        else if (i == 0)
            return too_few("the smallest topology of the note, 4-2-1,", &shape, ranks);
    }
    return CB_OK;
}

static cb_status parse_one(const char *text, size_t length, size_t ranks, bench_shape *out)
{
    char one[BENCH_SHAPE_TEXT], what[BENCH_SHAPE_TEXT + 16] = "topology ";

    if (length >= sizeof(one)) {
        cb_error("--topology '%s': an element is too long; give it as 4-2-1,9-3-1", text);
        return CB_ERROR_USAGE;
    }
    memcpy(one, text, length);
    one[length] = '\0';
    CB_TRY(bench_shape_parse(one, out));
    strncat(what, one, sizeof(what) - strlen(what) - 1);
    return bench_shape_ranks(out) <= ranks ? CB_OK : too_few(what, out, ranks);
}

static cb_status check_repeated(const char *text, const bench_shape *shape,
                                const bench_shape *shapes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bench_shape_same(shape, &shapes[i])) {
            cb_error("--topology '%s': an element is repeated; give each topology once", text);
            return CB_ERROR_USAGE;
        }
    return CB_OK;
}

static cb_status choose_topologies(const bench_options *options, size_t ranks,
                                   bench_shape shapes[BENCH_SHAPES], size_t *count)
{
    const char *at = options->topologies;

    if (at == NULL)
        return usual_topologies(ranks, shapes, count);
    for (;;) {
        size_t length = strcspn(at, ",");
        bench_shape shape;

        CB_TRY(parse_one(at, length, ranks, &shape));
        CB_TRY(check_repeated(options->topologies, &shape, shapes, *count));
        CB_TRY(add_shape(shape, shapes, count));
        if (at[length] == '\0')
            return CB_OK;
        at += length + 1;
    }
}

cb_status bench_choose_shapes(const bench_definition *definition, const bench_options *options,
                              size_t ranks, bench_shape shapes[BENCH_SHAPES], size_t *count)
{
    *count = 0;
    return definition->counted == BENCH_FARM ? choose_farms(options, ranks, shapes, count)
                                             : choose_topologies(options, ranks, shapes, count);
}

/* Loads */

/* An open loop needs some events to tell of, and --max-time is to hold. */
static cb_status check_rate(const bench_options *options, double rate_hz)
{
    double needed_s = FARM_OPEN_EVENTS / rate_hz * 100 / FARM_OPEN_SHARE_PCT;

    if (rate_hz <= 0 || needed_s <= options->max_time_s)
        return CB_OK;
    cb_error("an open loop at %g Hz needs %.3g s for %d events and --max-time is %g s; give a "
             "higher rate, or a longer --max-time",
             rate_hz, needed_s, FARM_OPEN_EVENTS, options->max_time_s);
    return CB_ERROR_USAGE;
}

static cb_status check_curve(const bench_options *options)
{
    farm_load_point points[FARM_LOAD_POINTS];
    size_t count;

    CB_TRY(farm_load_parse(options->load_curve, points, &count));
    for (size_t i = 0; i < count; i++)
        CB_TRY(check_rate(options, points[i].rate_hz));
    return CB_OK;
}

cb_status bench_check_load(const bench_options *options)
{
    int kinds = (options->rate_hz > 0) + (options->load_curve != NULL) + options->find_rate;

    if (kinds > 1) {
        cb_error("--rate, --load-curve and --find-rate are three loads; give one of them");
        return CB_ERROR_USAGE;
    }
    if (options->find_rate && options->deadline_us <= 0) {
        cb_error("--find-rate needs a deadline that is to be held; give --deadline-us");
        return CB_ERROR_USAGE;
    }
    if (!options->find_rate && options->deadline_us > 0) {
        cb_error("--deadline-us is what --find-rate holds; give that too, or leave it out");
        return CB_ERROR_USAGE;
    }
    if (options->load_curve == NULL || strcmp(options->load_curve, "auto") == 0)
        return check_rate(options, options->rate_hz);
    return check_curve(options);
}

/* Timelines */

uint64_t timeline_events(const bench_options *options)
{
    return options->timeline_events > 0 ? options->timeline_events : TIMELINE_EVENTS;
}

cb_status bench_check_timeline(const bench_options *options, const bench_shape *farm)
{
    size_t sources = farm->stages[FARM_SOURCE];
    size_t events = (size_t)timeline_events(options);
    size_t most = TIMELINE_ENTRIES / farm_timeline_entries_of_all(sources, 1);

    if (options->timeline == NULL) {
        if (options->timeline_events == 0)
            return CB_OK;
        cb_error("--timeline-events says how many events are in a timeline; give --timeline FILE "
                 "too, or leave it out");
        return CB_ERROR_USAGE;
    }
    if (options->placement != NULL) {
        cb_error("--timeline shows ranks in the launcher's order, which --placement changes; give "
                 "one of them");
        return CB_ERROR_USAGE;
    }
    if (events <= most)
        return CB_OK;
    cb_error("--timeline: %zu events of %zu sources make %zu notes, and rank 0 holds no more than "
             "%d; give --timeline-events %zu at most, or fewer --sources",
             events, sources, farm_timeline_entries_of_all(sources, events), TIMELINE_ENTRIES,
             most);
    return CB_ERROR_USAGE;
}
