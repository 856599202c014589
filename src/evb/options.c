/* Parse schedules, and derive the numbers of units, events and packets. */
#include "evb/options.h"

#include <string.h>

#include "base/formula.h"
#include "base/log.h"
#include "base/units.h"
#include "rate/rates.h"
#include "timeline/recording.h"

enum { CREDITS_MOST = 65535 };

const char *const evb_foldings[] = {"one", "two", NULL};

static const evb_options *own_options(const bench_options *options)
{
    return (const void *)options->own;
}

cb_status evb_schedule_parse(const char *text, evb_schedule *out)
{
    static const char *const names[] = {
        [EVB_NONE] = "none",
        [EVB_OFFSET] = "offset",
        [EVB_SHIFT] = "shift",
        [EVB_BARRIER] = "barrier",
    };
    static const char credits[] = "credits:";
    const size_t prefix = sizeof(credits) - 1;
    char why[CB_WHY_BYTES] = "it is no schedule";
    uint64_t number;

    *out = (evb_schedule){.order = EVB_SHIFT};
    if (text == NULL)
        return CB_OK;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(text, names[i]) == 0) {
            out->order = (evb_order)i;
            return CB_OK;
        }
    if (strncmp(text, credits, prefix) == 0 &&
        cb_parse_count(text + prefix, 1, CREDITS_MOST, &number, why)) {
        *out = (evb_schedule){.order = EVB_CREDITS, .credits = (size_t)number};
        return CB_OK;
    }
    cb_error("--schedule '%s': %s; give none, offset, shift, barrier, or credits:N with a number "
             "of fragments such as credits:4",
             text, why);
    return CB_ERROR_USAGE;
}

bool evb_is_folded(const bench_options *options)
{
    const char *folding = own_options(options)->folding;

    return folding == NULL || strcmp(folding, evb_foldings[0]) == 0;
}

size_t evb_units(const bench_options *options, size_t ranks)
{
    return evb_is_folded(options) ? ranks : ranks / 2;
}

cb_status evb_check(const bench_options *options)
{
    evb_schedule schedule;

    CB_TRY(rate_check(options));
    CB_TRY(timeline_check_options(options));
    if (options->timeline != NULL &&
        (options->rate_hz > 0 || options->load_curve != NULL || options->find_rate)) {
        cb_error("--timeline of event building records turns that follow each other; leave out "
                 "--rate, --load-curve and --find-rate");
        return CB_ERROR_USAGE;
    }
    return evb_schedule_parse(own_options(options)->schedule, &schedule);
}

size_t evb_multiple(const bench_options *options)
{
    return evb_is_folded(options) ? 1 : 2;
}

/* Messages that may be under way to one builder. The sources of none and offset, which send to one
 * builder after the other, may meet at one. */
static size_t converging_messages(const bench_options *options, size_t units)
{
    const size_t ahead = own_options(options)->ahead > 0 ? (size_t)own_options(options)->ahead : 1;
    evb_schedule schedule = {.order = EVB_SHIFT};

    (void)evb_schedule_parse(own_options(options)->schedule, &schedule);
    if (schedule.order == EVB_CREDITS)
        return schedule.credits;
    if (schedule.order == EVB_SHIFT || schedule.order == EVB_BARRIER)
        return 1;
    /* No units: what depends on the options alone is asked of one rank (bench_packed). */
    return units == 0 ? 0 : (units - evb_is_folded(options)) * ((ahead + units - 1) / units);
}

static const char packets_formula[] = "count * count * pack / (folding * folding)";
static const char events_formula[] = "count * pack / folding";

static size_t value_of(const char *formula, const bench_options *options, size_t ranks, size_t pack)
{
    const cb_named_value names[] = {{"count", (double)ranks},
                                    {"pack", (double)pack},
                                    {"folding", evb_is_folded(options) ? 1 : 2}};

    return (size_t)cb_formula_value(formula, names, sizeof(names) / sizeof(names[0]));
}

bench_scale evb_scale(const bench_options *options, size_t ranks)
{
    const size_t units = evb_units(options, ranks);
    const size_t pack = own_options(options)->pack > 0 ? (size_t)own_options(options)->pack : 1;

    return (bench_scale){.packed = pack,
                         .events = value_of(events_formula, options, ranks, pack),
                         .packets = value_of(packets_formula, options, ranks, pack),
                         .receivers = units,
                         .converging = pack * converging_messages(options, units),
                         .own_packets = evb_is_folded(options) ? units * pack : 0};
}

const char *evb_obstacle(const bench_options *options, unsigned capabilities)
{
    evb_schedule schedule = {.order = EVB_NONE};

    (void)evb_schedule_parse(own_options(options)->schedule, &schedule);
    if (schedule.order != EVB_SHIFT && schedule.order != EVB_BARRIER && evb_is_folded(options) &&
        options->sizes_of_fragments.law_count > 0 &&
        cb_fragments_smallest(&options->sizes_of_fragments, SIZE_MAX) == 0)
        return "fragments of 0 bytes look like acknowledgements; use --schedule shift "
               "or barrier, or --fragments of at least 1 byte";
    if (schedule.order == EVB_CREDITS && (capabilities & TRANSPORT_RELIABLE) == 0)
        return "a lost request looks like a lost fragment, so --schedule credits needs a "
               "reliable technology; use another schedule";
    return NULL;
}

const bench_units evb_units_of_ranks = {
    .multiple_of = evb_multiple,
    .scale = evb_scale,
    .packets = packets_formula,
    .events = events_formula,
};
