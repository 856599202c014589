/* Timed passes of a farm. A closed loop is timed in blocks of events between marks in steady state;
 * another pass records the latency of each event. An open loop runs at one rate, at the loads of a
 * curve, or in trials of a search for the highest rate that holds. */
#include "farm/passes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "farm/load.h"
#include "farm/search.h"

/* The closed loop */

enum {
    BLOCKS_AT_ONCE = 512,
    BLOCKS_MOST = 64 * BLOCKS_AT_ONCE,
    BLOCKS_MINIMUM = 20,
    LATENCIES_RECORDED = 200000
};

/* Shares of --max-time at which the passes end, and the largest share for the latencies. */
static const double blocks_end = 0.76, latencies_end = 0.98, latencies_share = 0.22;

static const double block_ns = 1e6, oversubscribed_block_ns = 5e6;

/* State of the timed blocks. Values are at the supervisor; the rest is equal in all ranks. */
typedef struct {
    double *values_ns; /* time of each block */
    size_t count;
    double *marks_ns, *sorted_ns;
    bool kept;       /* the blocks of the last batch were kept */
    uint64_t block;  /* events per block */
    size_t wanted;   /* largest number of blocks in the next batch */
    batch_pace pace; /* of batches, including filling, draining and timeouts */
    double precision_pct;
} farm_blocks;

static double wanted_block_ns(const farm_run *run)
{
    return fmin(run->setting->oversubscribed ? oversubscribed_block_ns : block_ns,
                run->limit_ns / 100);
}

/* Destinations decide in turn, so a block is a whole number of turns. */
static uint64_t block_of(const farm_run *run)
{
    uint64_t turns =
        farm_events_in(wanted_block_ns(run), run->event_ns * (double)farm_destinations(run), 1);

    return turns * farm_destinations(run);
}

bool farm_blocks_too_short(double event_ns, uint64_t block, double wanted_ns, double left_ns)
{
    return event_ns * (double)block < wanted_ns / 2 && left_ns > (BLOCKS_MINIMUM + 2) * wanted_ns;
}

static stats_summary summarize(farm_blocks *blocks)
{
    memcpy(blocks->sorted_ns, blocks->values_ns, blocks->count * sizeof(double));
    return stats_summarize(blocks->sorted_ns, blocks->count);
}

/* Keep the `count` blocks of a run, and tell all ranks the precision reached. Marks after the last
 * block belong to the farm running empty. */
static cb_status keep_blocks(const farm_run *run, farm_blocks *blocks, size_t count,
                             const farm_tally *tally)
{
    size_t marks = tally->marks < count + 1 ? tally->marks : count + 1;

    for (size_t i = 1; run->supervisor && i < marks && blocks->count < BLOCKS_MOST; i++)
        blocks->values_ns[blocks->count++] = blocks->marks_ns[i] - blocks->marks_ns[i - 1];
    if (run->supervisor && blocks->count >= BLOCKS_MINIMUM) {
        stats_summary summary = summarize(blocks);

        blocks->precision_pct = stats_precision_pct(&summary);
    }
    return control_broadcast(run->setting->team, &blocks->precision_pct,
                             sizeof(blocks->precision_pct));
}

static void add_tally(farm_tally *sum, const farm_tally *tally)
{
    sum->issued += tally->issued;
    sum->decided += tally->decided;
    sum->lost += tally->lost;
    sum->accepted += tally->accepted;
    sum->step_bytes[0] += tally->step_bytes[0];
    sum->step_bytes[1] += tally->step_bytes[1];
    sum->errors += tally->errors;
    sum->elapsed_ns += tally->elapsed_ns;
}

static uint64_t lead_in_of(uint64_t in_flight, uint64_t block)
{
    return in_flight > block ? in_flight : block;
}

farm_load farm_closed_load(uint64_t in_flight, uint64_t block, size_t count)
{
    uint64_t lead_in = lead_in_of(in_flight, block);

    return (farm_load){.events = lead_in + count * block + in_flight,
                       .in_flight = in_flight,
                       .lead_in = lead_in,
                       .block = block};
}

static double left_ns(const farm_run *run)
{
    return run->limit_ns * blocks_end - run->elapsed_ns;
}

/* The number of blocks that the pace allows, including lead-in and drain; at most `wanted`. */
static size_t fitting_blocks(const farm_run *run, const farm_blocks *blocks)
{
    uint64_t around = lead_in_of(run->in_flight, blocks->block) + run->in_flight;
    double affordable = pace_affordable(&blocks->pace, left_ns(run), run->limit_ns);
    double fitting = (affordable - (double)around) / (double)blocks->block;

    return (size_t)fmax(1, fmin((double)blocks->wanted, fitting));
}

/* Time one batch. Its blocks are dropped if they are too short; the next batch then has longer
 * ones. */
static cb_status time_batch(farm_run *run, farm_blocks *blocks, farm_outcome *out)
{
    size_t count = fitting_blocks(run, blocks);
    farm_load load = farm_closed_load(run->in_flight, blocks->block, count);
    farm_tally tally = {0};

    load.marks_ns = blocks->marks_ns;
    CB_TRY(farm_run_load(run, load, &tally));
    add_tally(&out->tally, &tally);
    pace_note(&blocks->pace, tally.elapsed_ns, (double)load.events);
    run->event_ns = tally.event_ns;
    blocks->kept =
        !farm_blocks_too_short(run->event_ns, blocks->block, wanted_block_ns(run), left_ns(run));
    if (!blocks->kept) {
        blocks->count = 0;
        blocks->block = block_of(run);
        blocks->wanted = BLOCKS_MINIMUM + 1;
        blocks->precision_pct = HUGE_VAL;
        return CB_OK;
    }
    blocks->wanted = BLOCKS_AT_ONCE;
    return keep_blocks(run, blocks, count, &tally);
}

static cb_status time_blocks(farm_run *run, farm_blocks *blocks, farm_outcome *out)
{
    farm_load least;

    pace_note(&blocks->pace, run->event_ns, 1);
    blocks->block = block_of(run);
    blocks->wanted = BLOCKS_MINIMUM + 1;
    blocks->precision_pct = HUGE_VAL;
    out->stopped_by = "max-time";
    do {
        CB_TRY(time_batch(run, blocks, out));
        least = farm_closed_load(run->in_flight, blocks->block, 1);
        if (blocks->precision_pct <= run->setting->session->job->options->precision_pct) {
            out->stopped_by = "precision";
            break;
        }
    } while (!blocks->kept || left_ns(run) > pace_slowest_ns(&blocks->pace) * (double)least.events);
    return CB_OK;
}

/* If the time is over: the smallest number of events that gives each destination a latency. */
static cb_status record_latencies(farm_run *run, const farm_blocks *blocks, farm_outcome *out)
{
    double room_ns = run->limit_ns * latencies_end - run->elapsed_ns;
    uint64_t least = room_ns > 0 ? 2 * run->in_flight : farm_destinations(run);
    uint64_t events = farm_events_in(fmin(run->limit_ns * latencies_share, room_ns),
                                     fmax(run->event_ns, pace_slowest_ns(&blocks->pace)), least);
    farm_tally tally = {0};

    if (events > LATENCIES_RECORDED)
        events = LATENCIES_RECORDED;
    CB_TRY(farm_run_load(
        run,
        (farm_load){.events = events, .in_flight = run->in_flight, .latencies = run->latencies},
        &tally));
    add_tally(&out->tally, &tally);
    return CB_OK;
}

cb_status farm_measure_closed(farm_run *run)
{
    farm_outcome out = {.open = false};
    farm_blocks blocks = {
        .values_ns = cb_allocate(BLOCKS_MOST, sizeof(double), "the times of blocks"),
        .sorted_ns = cb_allocate(BLOCKS_MOST, sizeof(double), "the times of blocks"),
        .marks_ns = cb_allocate(BLOCKS_AT_ONCE + 2 + run->in_flight / farm_destinations(run),
                                sizeof(double), "the marks of blocks")};
    cb_status status = CB_ERROR_MEMORY;

    farm_row_begin(run);
    if (blocks.values_ns != NULL && blocks.sorted_ns != NULL && blocks.marks_ns != NULL)
        status = time_blocks(run, &blocks, &out);
    if (status == CB_OK && run->supervisor && blocks.count > 0)
        run->event_ns = summarize(&blocks).median / (double)blocks.block;
    if (status == CB_OK)
        status = control_broadcast(run->setting->team, &run->event_ns, sizeof(run->event_ns));
    if (status == CB_OK)
        status = record_latencies(run, &blocks, &out);
    out.blocks_ns = blocks.values_ns;
    out.block_count = blocks.count;
    out.block = blocks.block;
    if (status == CB_OK)
        status = farm_row(run, &out);
    /* Loads are shares of the frequency in the row, in all ranks. */
    if (status == CB_OK && run->supervisor && out.frequency_hz > 0)
        run->event_ns = 1e9 / out.frequency_hz;
    if (status == CB_OK)
        status = control_broadcast(run->setting->team, &run->event_ns, sizeof(run->event_ns));
    free(blocks.values_ns);
    free(blocks.marks_ns);
    free(blocks.sorted_ns);
    return status;
}

/* Open loops */

enum { QUIET_EVENTS = 20 };

static const double open_share = FARM_OPEN_SHARE_PCT / 100.0;

farm_load farm_open_load(farm_run *run, double rate_hz, uint64_t events)
{
    const bench_options *options = run->setting->session->job->options;

    return (farm_load){.events = events,
                       .in_flight = run->in_flight,
                       .latencies = run->latencies,
                       .open = true,
                       .rate_hz = rate_hz,
                       .arrivals = &run->arrivals,
                       .seed = options->seed + run->open_runs++};
}

static cb_status run_at(farm_run *run, double rate_hz, double time_ns, uint64_t least,
                        farm_outcome *out)
{
    uint64_t events = farm_load_events(&run->arrivals, rate_hz, run->event_ns, time_ns, least);

    *out = (farm_outcome){
        .open = true, .offered_hz = rate_hz, .destinations = (size_t)farm_destinations(run)};
    farm_row_begin(run);
    return farm_run_load(run, farm_open_load(run, rate_hz, events), &out->tally);
}

static cb_status measure_rate(farm_run *run, double rate_hz, double time_ns)
{
    farm_outcome out;

    if (!farm_load_fits(&run->arrivals, rate_hz, run->limit_ns)) {
        if (run->supervisor)
            cb_warning("the rate %g Hz is left out: there %d events, and a period of --arrivals, "
                       "take longer than --max-time; use a longer --max-time, or higher rates",
                       rate_hz, (int)FARM_OPEN_EVENTS);
        return CB_OK;
    }
    CB_TRY(run_at(run, rate_hz, time_ns, FARM_OPEN_EVENTS, &out));
    return farm_row(run, &out);
}

static cb_status measure_curve(farm_run *run)
{
    const char *text = run->setting->session->job->options->load_curve;
    farm_load_point points[FARM_LOAD_POINTS];
    size_t count;

    CB_TRY(farm_load_parse(farm_load_curve(text), points, &count));
    for (size_t i = 0; i < count; i++)
        CB_TRY(measure_rate(run, farm_load_rate_hz(&points[i], run->event_ns),
                            open_share * run->limit_ns));
    return CB_OK;
}

/* The search for the highest rate */

typedef struct {
    farm_run *run;
    double quantile, deadline_ns;
    double quiet_ns;   /* median latency of single events in an otherwise idle farm */
    double reached_ns; /* quantile of the latency in the last trial */
    farm_search search;
} rate_search;

static double merged_quantile(const farm_run *run, double quantile)
{
    stats_histogram *all = cb_allocate(1, sizeof(*all), "a histogram of latencies");
    double value_ns;

    if (all == NULL)
        return HUGE_VAL;
    for (size_t i = 0; i < farm_of(run->me)->destinations; i++)
        stats_histogram_merge(all, &run->latencies[i]);
    value_ns = all->samples > 0 ? stats_histogram_quantile(all, quantile) : HUGE_VAL;
    free(all);
    return value_ns;
}

/* Run events one by one. If most of them miss the deadline, no rate can hold it, which saves the
 * many events of a trial. */
static cb_status measure_single_events(farm_run *run, rate_search *rates)
{
    farm_tally tally;

    farm_row_begin(run);
    CB_TRY(farm_run_load(
        run, (farm_load){.events = QUIET_EVENTS, .in_flight = 1, .latencies = run->latencies},
        &tally));
    rates->search.silent = tally.decided == 0;
    rates->quiet_ns = run->supervisor ? merged_quantile(run, 0.5) : 0;
    return control_broadcast(run->setting->team, &rates->quiet_ns, sizeof(rates->quiet_ns));
}

/* Whether a rate holds in one trial: the schedule is kept, no event is lost, and the quantile of
 * the latency is within the deadline. The supervisor decides for all. */
static cb_status try_rate(void *context, double rate_hz, farm_trial *out)
{
    rate_search *rates = context;
    farm_run *run = rates->run;
    farm_outcome outcome;

    CB_TRY(
        run_at(run, rate_hz, farm_search_trial_ns(&rates->search), rates->search.events, &outcome));
    *out = (farm_trial){.silent = outcome.tally.decided == 0, .now_ns = run->elapsed_ns};
    if (run->supervisor) {
        rates->reached_ns = merged_quantile(run, rates->quantile);
        out->holds = !farm_saturated(&outcome) && outcome.tally.lost == 0 &&
                     rates->reached_ns <= rates->deadline_ns;
    }
    return control_broadcast(run->setting->team, &out->holds, sizeof(out->holds));
}

static void explain_failure(const bench_options *options, const rate_search *rates, char *why,
                            size_t size)
{
    const farm_search *search = &rates->search;

    if (search->silent)
        snprintf(why, size, "no event was decided, all were lost; run again with --verify");
    else if (rates->quiet_ns > rates->deadline_ns)
        snprintf(why, size,
                 "the deadline of %g us is below the latency of an idle farm: half of single "
                 "events take %.1f us or more; use a longer --deadline-us",
                 options->deadline_us, rates->quiet_ns / 1e3);
    else if (search->out_of_time)
        snprintf(why, size,
                 "no rate was confirmed in %.3g s, the time limit of this search: a trial needs "
                 "at least %llu events, which take %.3g s at the closed loop's rate; use a "
                 "longer --max-time, or a lower --quantile",
                 farm_search_limit_ns(search) / 1e9, (unsigned long long)search->events,
                 (double)search->events * search->event_ns / 1e9);
    else if (rates->reached_ns > rates->deadline_ns)
        snprintf(why, size,
                 "%s was %.1f us even at the lowest rate tried, although half of single events "
                 "take at most %.1f us: some events were delayed, perhaps by other work on the "
                 "machine or because ranks share cores; use a --deadline-us above %g, or a lower "
                 "--quantile",
                 options->quantile, rates->reached_ns / 1e3, rates->quiet_ns / 1e3,
                 options->deadline_us);
    else
        snprintf(why, size,
                 "no rate holds in all of its trials below one that holds in none (%s of the last "
                 "trial was %.1f us): events were lost, or other work used the machine; use a "
                 "longer --max-time",
                 options->quantile, rates->reached_ns / 1e3);
}

/* Report a search without result in the document; the run fails after all else is measured. */
static cb_status report_failed_search(farm_run *run, const rate_search *rates)
{
    char what[160], why[320];

    if (!run->supervisor)
        return CB_OK;
    snprintf(what, sizeof(what),
             "--find-rate at %zu bytes, %zu sources, %zu destinations, algorithm %g us",
             run->setting->planned->size_bytes, farm_of(run->me)->sources,
             farm_of(run->me)->destinations, run->setting->planned->algorithm_us);
    explain_failure(run->setting->session->job->options, rates, why, sizeof(why));
    cb_error("%s: %s", what, why);
    run->setting->session->verdict.search_failed = true;
    return report_skip(run->setting->session->document, what, why);
}

static cb_status find_rate(farm_run *run)
{
    const bench_options *options = run->setting->session->job->options;
    double quantile = farm_quantile(options->quantile);
    rate_search rates = {
        .run = run, .quantile = quantile, .deadline_ns = options->deadline_us * 1e3};
    farm_found found = {.repeats = 0};
    farm_outcome out;

    rates.search = (farm_search){
        .try_rate = try_rate,
        .context = &rates,
        .limit_ns = run->limit_ns,
        .event_ns = run->event_ns,
        .events = farm_arrivals_events(&run->arrivals, 0, farm_search_events(quantile))};
    CB_TRY(measure_single_events(run, &rates));
    rates.search.now_ns = run->elapsed_ns;
    if (rates.quiet_ns <= rates.deadline_ns)
        CB_TRY(farm_search_highest(&rates.search, &found));
    if (found.repeats == 0)
        return report_failed_search(run, &rates);
    CB_TRY(run_at(run, found.rate_hz, run->limit_ns / 2, rates.search.events, &out));
    out.found = found;
    return farm_row(run, &out);
}

cb_status farm_measure_open(farm_run *run)
{
    const bench_options *options = run->setting->session->job->options;

    /* With --rate only this rate is measured, besides the search for the number in flight. */
    if (options->rate_hz > 0)
        return measure_rate(run, options->rate_hz,
                            fmin(open_share * run->limit_ns, run->limit_ns - run->elapsed_ns));
    if (options->load_curve != NULL)
        return measure_curve(run);
    return options->find_rate ? find_rate(run) : CB_OK;
}
