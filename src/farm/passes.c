/* Timed passes of a farm. A closed loop is timed in blocks of events between marks in steady state;
 * another pass records the latency of each event. */
#include "farm/passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/pass.h"
#include "engine/shares.h"

/* The closed loop */

enum {
    BLOCKS_AT_ONCE = 512,
    BLOCKS_MOST = 64 * BLOCKS_AT_ONCE,
    BLOCKS_MINIMUM = 20,
    LATENCIES_RECORDED = 200000
};

static const double block_ns = 1e6, oversubscribed_block_ns = 5e6;

/* State of the timed blocks. Values and marks are at the supervisor; the rest is equal in all
 * ranks. */
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
    return fmin(run->base.setting->oversubscribed ? oversubscribed_block_ns : block_ns,
                run->base.limit_ns / 100);
}

/* Destinations decide in turn, so a block is a whole number of turns. */
static uint64_t block_of(const farm_run *run)
{
    uint64_t turns = farm_events_in(
        wanted_block_ns(run), rate_event_used_ns(&run->base) * (double)farm_destinations(run), 1);

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
                             const rate_tally *tally)
{
    size_t marks = tally->marks < count + 1 ? tally->marks : count + 1;

    for (size_t i = 1; run->base.root && i < marks && blocks->count < BLOCKS_MOST; i++)
        blocks->values_ns[blocks->count++] = blocks->marks_ns[i] - blocks->marks_ns[i - 1];
    if (run->base.root && blocks->count >= BLOCKS_MINIMUM) {
        stats_summary summary = summarize(blocks);

        blocks->precision_pct = stats_precision_pct(&summary);
    }
    return control_broadcast(run->base.setting->team, &blocks->precision_pct,
                             sizeof(blocks->precision_pct));
}

static void add_tally(rate_tally *sum, const rate_tally *tally)
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
    return run->base.limit_ns * share_event_blocks_end - run->base.elapsed_ns;
}

/* The number of blocks that the pace allows, including lead-in and drain; at most `wanted`. */
static size_t fitting_blocks(const farm_run *run, const farm_blocks *blocks)
{
    uint64_t around = lead_in_of(run->in_flight, blocks->block) + run->in_flight;
    double affordable = pace_affordable(&blocks->pace, left_ns(run), run->base.limit_ns);
    double fitting = (affordable - (double)around) / (double)blocks->block;

    return (size_t)fmax(1, fmin((double)blocks->wanted, fitting));
}

/* Time one batch. Its blocks are dropped if they are too short; the next batch then has longer
 * ones. */
static cb_status time_batch(farm_run *run, farm_blocks *blocks, rate_outcome *out)
{
    size_t count = fitting_blocks(run, blocks);
    farm_load load = farm_closed_load(run->in_flight, blocks->block, count);
    rate_tally tally = {0};

    load.marks_ns = blocks->marks_ns;
    CB_TRY(farm_run_load(run, load, &tally));
    add_tally(&out->tally, &tally);
    pace_note(&blocks->pace, tally.used_ns, (double)load.events);
    run->base.event_ns = tally.event_ns;
    blocks->kept = !farm_blocks_too_short(rate_event_used_ns(&run->base), blocks->block,
                                          wanted_block_ns(run), left_ns(run));
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

static cb_status time_blocks(farm_run *run, farm_blocks *blocks, rate_outcome *out)
{
    const bench_options *options = run->base.setting->session->job->options;
    farm_load least;

    pace_note(&blocks->pace, rate_event_used_ns(&run->base), 1);
    blocks->block = block_of(run);
    blocks->wanted = BLOCKS_MINIMUM + 1;
    blocks->precision_pct = HUGE_VAL;
    do {
        CB_TRY(time_batch(run, blocks, out));
        least = farm_closed_load(run->in_flight, blocks->block, 1);
        out->stopped_by = budget_limit(options, run->base.started);
        if (blocks->precision_pct <= options->precision_pct) {
            out->stopped_by = "precision";
            break;
        }
    } while (!blocks->kept || left_ns(run) > pace_slowest_ns(&blocks->pace) * (double)least.events);
    return CB_OK;
}

/* If the time is over: the smallest number of events that gives each destination a latency. */
static cb_status record_latencies(farm_run *run, const farm_blocks *blocks, rate_outcome *out)
{
    double room_ns = run->base.limit_ns * share_latencies_end - run->base.elapsed_ns;
    uint64_t least = room_ns > 0 ? 2 * run->in_flight : farm_destinations(run);
    uint64_t events =
        farm_events_in(fmin(run->base.limit_ns * share_latencies, room_ns),
                       fmax(run->base.event_ns, pace_slowest_ns(&blocks->pace)), least);
    rate_tally tally = {0};

    if (events > LATENCIES_RECORDED)
        events = LATENCIES_RECORDED;
    CB_TRY(farm_run_load(
        run,
        (farm_load){.events = events, .in_flight = run->in_flight, .latencies = run->latencies},
        &tally));
    add_tally(&out->tally, &tally);
    return CB_OK;
}

static cb_status share_event_ns(farm_run *run)
{
    return control_broadcast(run->base.setting->team, &run->base.event_ns,
                             sizeof(run->base.event_ns));
}

cb_status farm_measure_closed(farm_run *run)
{
    rate_outcome out = {.open = false};
    const size_t most = run->base.root ? BLOCKS_MOST : 0;
    const size_t marks = BLOCKS_AT_ONCE + 2 + run->in_flight / farm_destinations(run);
    farm_blocks blocks = {
        .values_ns = cb_allocate(most, sizeof(double), "the times of blocks"),
        .sorted_ns = cb_allocate(most, sizeof(double), "the times of blocks"),
        .marks_ns = cb_allocate(run->base.root ? marks : 0, sizeof(double), "the marks of blocks")};
    cb_status status = CB_ERROR_MEMORY;

    rate_row_begin(&run->base);
    if (blocks.values_ns == NULL || blocks.sorted_ns == NULL || blocks.marks_ns == NULL)
        goto done;
    CB_TRY_TO(done, status = time_blocks(run, &blocks, &out));
    if (run->base.root && blocks.count > 0)
        run->base.event_ns = summarize(&blocks).median / (double)blocks.block;
    CB_TRY_TO(done, status = share_event_ns(run));
    CB_TRY_TO(done, status = record_latencies(run, &blocks, &out));
    out.blocks_ns = blocks.values_ns;
    out.block_count = blocks.count;
    out.block = blocks.block;
    CB_TRY_TO(done, status = rate_row_add(&run->base, &out));
    /* Loads are shares of the frequency in the row, in all ranks. */
    if (run->base.root && out.frequency_hz > 0)
        run->base.event_ns = 1e9 / out.frequency_hz;
    status = share_event_ns(run);
done:
    free(blocks.values_ns);
    free(blocks.marks_ns);
    free(blocks.sorted_ns);
    return status;
}
