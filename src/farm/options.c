/* Farms of S x D and the ranks that they need; checks of loads and timelines. */
#include "farm/options.h"

#include <string.h>

#include "base/log.h"
#include "farm/accept.h"
#include "farm/fetch.h"
#include "farm/rank.h"
#include "rate/rates.h"
#include "timeline/recording.h"

const char *const farm_ways_to_tell[] = {"loop", "multicast", NULL};

static const farm_own_options *own_options(const bench_options *options)
{
    return (const void *)options->own;
}

bool farm_tells_by_multicast(const bench_options *options)
{
    const char *how = own_options(options)->supervisor;

    return how != NULL && strcmp(how, "multicast") == 0;
}

size_t farm_fetched(const bench_options *options, size_t sources)
{
    size_t fetched = sources;

    (void)farm_fetch_count(farm_fetch_text(own_options(options)), sources, &fetched);
    return fetched;
}

double farm_accept_fraction(const bench_options *options)
{
    const char *accept = own_options(options)->accept;
    double fraction = -1;

    if (accept != NULL)
        (void)farm_accept_parse(accept, &fraction);
    return fraction;
}

/* The second step of an event needs sources that the first one has not asked. */
static cb_status check_accept(const bench_options *options, size_t sources, size_t fetched)
{
    const farm_own_options *own = own_options(options);

    if (own->accept == NULL)
        return CB_OK;
    if (farm_tells_by_multicast(options)) {
        cb_error("--accept %s and --supervisor multicast: a multicast asks all sources, and each "
                 "step a part of them; use --supervisor loop, or leave --accept out",
                 own->accept);
        return CB_ERROR_USAGE;
    }
    if (options->sizes_of_fragments.law_count > 0 &&
        cb_fragments_smallest(&options->sizes_of_fragments, sources) < BENCH_LABEL_BYTES) {
        cb_error(
            "--accept %s and --fragments %s: fragments below 16 bytes carry no event number, by "
            "which those of the two steps differ; use larger fragments",
            own->accept, options->fragments);
        return CB_ERROR_USAGE;
    }
    if (fetched < sources)
        return CB_OK;
    cb_error("--accept %s: the first step asks all %zu sources, so that no source is left for the "
             "second; use more --sources, or a smaller --fetch",
             own->accept, sources);
    return CB_ERROR_USAGE;
}

static cb_status check_fetch(const bench_options *options, const bench_shape *farm)
{
    const char *fetch = farm_fetch_text(own_options(options));
    const size_t sources = farm->stages[FARM_SOURCE];
    size_t fetched;

    CB_TRY(farm_fetch_count(fetch, sources, &fetched));
    CB_TRY(check_accept(options, sources, fetched));
    if (fetched == sources || !farm_tells_by_multicast(options))
        return CB_OK;
    cb_error(
        "--fetch %s and --supervisor multicast: a multicast asks all sources; use --supervisor "
        "loop, or --fetch all",
        fetch);
    return CB_ERROR_USAGE;
}

bench_shape farm_shape(size_t sources, size_t destinations)
{
    return (bench_shape){.stages = {1, sources, destinations}, .stage_count = 3};
}

static cb_status add_farm(bench_shape_list *out, size_t sources, size_t destinations, size_t ranks)
{
    bench_shape shape = farm_shape(sources, destinations);
    size_t needed = shape_ranks(&shape);
    char remedy[SHAPE_REMEDY];

    if (needed <= ranks)
        return shape_list_add(out, &shape);
    if (sources == 1 && destinations == 1)
        return shape_fits(&shape, ranks, "a farm (a supervisor, a source and a destination)");
    cb_error("a farm of %zu sources and %zu destinations, with its supervisor, needs"
             " %zu ranks and the job has %zu; %s, or use smaller --sources and --destinations",
             sources, destinations, needed, ranks, shape_remedy(needed, remedy));
    return CB_ERROR_USAGE;
}

/* The default farms that fit; if none fits, the largest farm that does. */
static cb_status add_usual_farms(const benchmark *definition, size_t ranks, bench_shape_list *out)
{
    const size_t largest = ranks > 2 ? (ranks - 1) / 2 : 1;

    for (size_t i = 0; i < BENCH_USUAL && definition->usual[i][0] > 0; i++) {
        const size_t *usual = definition->usual[i];

        if (1 + usual[0] + usual[1] <= ranks)
            CB_TRY(add_farm(out, usual[0], usual[1], ranks));
    }
    return out->count > 0 ? CB_OK : add_farm(out, largest, largest, ranks);
}

/* The k-th value of a list; a list of one value repeats it. */
static size_t value_at(const cb_list *list, size_t k)
{
    return (size_t)list->values[list->count == 1 ? 0 : k];
}

static cb_status choose_farms(const benchmark *definition, const bench_options *options,
                              size_t ranks, bench_shape_list *out)
{
    const cb_list *sources = &options->sources, *destinations = &options->destinations;
    const char *accept = own_options(options)->accept;
    double fraction;
    size_t length;

    out->count = 0;
    out->own_multicast = farm_tells_by_multicast(options);
    CB_TRY(rate_check(options));
    if (accept != NULL)
        CB_TRY(farm_accept_parse(accept, &fraction));
    CB_TRY(farm_fetch_count(own_options(options)->fetch, FARM_SOURCES_MOST, &length));
    if (sources->count == 0 && destinations->count == 0)
        CB_TRY(add_usual_farms(definition, ranks, out));
    sources = sources->count > 0 ? sources : destinations;
    destinations = destinations->count > 0 ? destinations : sources;
    length = sources->count > destinations->count ? sources->count : destinations->count;
    if (sources->count != destinations->count && sources->count > 1 && destinations->count > 1) {
        cb_error("--sources has %zu numbers and --destinations %zu; give equally many, "
                 "or one number for all",
                 sources->count, destinations->count);
        return CB_ERROR_USAGE;
    }
    for (size_t i = 0; i < length; i++)
        CB_TRY(add_farm(out, value_at(sources, i), value_at(destinations, i), ranks));
    for (size_t i = 0; i < out->count; i++)
        CB_TRY(check_fetch(options, &out->shapes[i]));
    return farm_check_timeline(options, &out->shapes[0]);
}

const bench_counting farm_counted = {
    .column = "sources",
    .options = {"sources", "destinations"},
    .ranks = "1 + sources + destinations",
    .of_roles = {"1", "sources", "destinations"},
    .separator = "x",
    .choose = choose_farms,
};

/* Entries per event. Supervisor and source: one message sent, one received. Destination: an
 * assignment received; for each source a request sent, a fragment received and worked on; a delay;
 * the decision sent. */
enum { ENTRIES_OF_ONE = 2, ENTRIES_OF_A_SOURCE = 3, ENTRIES_OF_A_DECISION = 3 };

static size_t entries_of_destination(size_t sources)
{
    return ENTRIES_OF_A_SOURCE * sources + ENTRIES_OF_A_DECISION;
}

size_t farm_timeline_entries(size_t role, size_t sources, size_t destinations, size_t events)
{
    if (role != FARM_DESTINATION)
        return ENTRIES_OF_ONE * events;
    return entries_of_destination(sources) * (events / destinations + 1);
}

size_t farm_timeline_entries_of_all(size_t sources, size_t events)
{
    return events * (ENTRIES_OF_ONE * (1 + sources) + entries_of_destination(sources));
}

cb_status farm_check_timeline(const bench_options *options, const bench_shape *farm)
{
    size_t sources = farm->stages[FARM_SOURCE];
    size_t events = (size_t)timeline_events_wanted(options);
    size_t most = TIMELINE_ENTRIES / farm_timeline_entries_of_all(sources, 1);

    CB_TRY(timeline_check_options(options));
    if (options->timeline == NULL || events <= most)
        return CB_OK;
    cb_error("--timeline: %zu events of %zu sources make %zu entries, but rank 0 can"
             " hold only %d; use --timeline-events %zu or less, or fewer --sources",
             events, sources, farm_timeline_entries_of_all(sources, events), TIMELINE_ENTRIES,
             most);
    return CB_ERROR_USAGE;
}
