/* The passes of a farm's measurement. How long an event takes and how many to keep in flight are
 * found first; then a closed loop, whose blocks of events are timed between marks in steady state,
 * and a pass of its own that records the latency of each event; then verification, and open loops.
 *
 * The supervisor decides and all others are told between two runs: numbers of events are agreed
 * before a run begins. */
#include "bench/farm_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "bench/block.h"
#include "bench/traffic.h"
#include "host/work.h"

enum {
    BLOCKS_AT_ONCE = 512,
    BLOCKS_MOST = 64 * BLOCKS_AT_ONCE,
    BLOCKS_MINIMUM = 20,
    LATENCIES_RECORDED = 200000,
    VERIFIED_EVENTS = 2000,
    IN_FLIGHT_EACH = 16, /* events for each destination, where the search ends */
    SEARCHED = 5
};

/* Shares of --max-time at whose end a pass ends. */
static const double probe_share = 0.02, search_share = 0.04, blocks_share = 0.70,
                    latencies_share = 0.22;

static const double block_ns = 1e6, oversubscribed_block_ns = 5e6;

/* One run */

static uint64_t destinations_of(const bench_farm_run *run)
{
    return run->me->farm->destinations;
}

const bench_fragments *bench_farm_plain(const bench_farm_run *run)
{
    return bench_plain_traffic(run->session->options) == &bench_touching ? &bench_fragments_touched
                                                                         : &bench_fragments_bare;
}

/* How long a farm may work without a word, should all destinations share a core. */
static uint64_t working_ns(const bench_farm_run *run)
{
    const bench_shape *shape = &run->measurement->shape;
    double event_us = (double)shape->stages[BENCH_SOURCE] * run->measurement->algorithm_us +
                      run->session->options->slow_us;

    return (uint64_t)(1e3 * event_us * (double)shape->stages[BENCH_DESTINATION]);
}

uint64_t bench_farm_patience_ns(const bench_farm_run *run)
{
    const uint64_t lossy_ns = 500000000;
    unsigned capabilities = transport_capabilities(run->session->technology);

    return (capabilities & TRANSPORT_RELIABLE) != 0 ? 0 : lossy_ns + working_ns(run);
}

/* Sources and destinations wait for two of the supervisor's patiences, for while it waits for what
 * is lost they hear nothing, and for the longest pause that an open loop can be thought to make
 * between two events. */
static uint64_t own_patience_ns(const bench_farm_run *run, const bench_load *load,
                                uint64_t patience_ns)
{
    const double longest_draw = 30; /* mean intervals of a Poisson process */
    double interval_ns = load->open ? 1e9 / load->rate_hz : 0;
    double intervals = 2 * (double)destinations_of(run) + (load->poisson ? longest_draw : 0);

    if (run->supervisor || patience_ns == 0)
        return patience_ns;
    return 2 * patience_ns + (uint64_t)(intervals * interval_ns);
}

static cb_status serve_or_supervise(const bench_farm_run *run, const bench_load *load,
                                    bench_tally *tally)
{
    return run->supervisor ? bench_farm_supervise(run->me, run->actions, load, tally)
                           : bench_farm_serve(run->me, run->actions);
}

static void add_accounts(const bench_farm_run *run)
{
    for (size_t i = 0; i < destinations_of(run); i++) {
        const bench_account *from = &run->me->farm->ledger.accounts[i];
        bench_account *to = &run->accounts[i];

        to->decided += from->decided;
        to->lost += from->lost;
        to->in_flight_sum += from->in_flight_sum;
        if (from->in_flight_most > to->in_flight_most)
            to->in_flight_most = from->in_flight_most;
    }
}

/* When all have ended a run: what came too late or twice is counted as well. */
static cb_status settle(const bench_farm_run *run, bench_tally *tally)
{
    bench_farm *farm = run->me->farm;
    uint64_t faults;

    if (farm->patient)
        CB_TRY(bench_farm_drain(run->me, run->actions));
    CB_TRY(bench_farm_check_sum(run->me));
    faults = bench_farm_fault_count(farm);
    CB_TRY(control_sum(run->team, &faults, 1));
    if (run->supervisor) {
        bench_farm_count(run->me, tally);
        tally->errors += faults;
        add_accounts(run);
    }
    return control_broadcast(run->team, tally, sizeof(*tally));
}

cb_status bench_farm_run_load(bench_farm_run *run, bench_load load,
                              const bench_fragments *fragments, uint64_t patience_ns,
                              bench_tally *tally)
{
    double late_ns, lateness_ns[2];

    load.wait = run->session->effective_wait;
    CB_TRY(bench_start_together(run->session, run->team, run->oversubscribed, &late_ns));
    CB_TRY(bench_farm_begin(run->me, run->next_event, load.events, fragments,
                            own_patience_ns(run, &load, patience_ns)));
    CB_TRY(serve_or_supervise(run, &load, tally));
    bench_leave_if_interrupted(run->session);
    CB_TRY(transport_flush(run->me->factory));
    run->algorithm_runs += run->me->algorithm.runs;
    run->algorithm_ns += run->me->algorithm.elapsed_ns;
    lateness_ns[0] = late_ns;
    lateness_ns[1] = -late_ns;
    CB_TRY(control_maximum(run->team, lateness_ns, 2));
    run->skew_ns = fmax(run->skew_ns, lateness_ns[0] + lateness_ns[1]);
    CB_TRY(settle(run, tally));
    run->next_event += tally->issued;
    return CB_OK;
}

static cb_status run_closed(bench_farm_run *run, uint64_t in_flight, uint64_t events,
                            bench_tally *tally)
{
    return bench_farm_run_load(run, (bench_load){.events = events, .in_flight = in_flight},
                               bench_farm_plain(run), bench_farm_patience_ns(run), tally);
}

/* How long an event takes, and how many to keep in flight */

static uint64_t events_in(double time_ns, double event_ns, uint64_t least)
{
    return (uint64_t)fmax((double)least, ceil(time_ns / fmax(event_ns, 1)));
}

static cb_status probe(bench_farm_run *run)
{
    uint64_t in_flight = run->in_flight > 0 ? run->in_flight : destinations_of(run);
    uint64_t events = 2 * in_flight;
    bench_tally tally;

    for (;;) {
        CB_TRY(run_closed(run, in_flight, events, &tally));
        run->event_ns = tally.event_ns;
        if (tally.elapsed_ns > run->limit_ns * probe_share / 2)
            return CB_OK;
        events *= 4;
    }
}

/* The smallest number in flight with which the farm is about as fast as with any: doubled from one
 * for each destination on, until it gains nothing or the time does not allow more. */
static cb_status search_in_flight(bench_farm_run *run)
{
    const double as_good = 1.03, affordable = 0.1;
    double each_ns[SEARCHED], best_ns = HUGE_VAL;
    uint64_t in_flight = destinations_of(run);
    size_t tried = 0, chosen = 0;

    if (run->in_flight > 0)
        return CB_OK;
    for (; tried < SEARCHED; tried++, in_flight *= 2) {
        uint64_t events = events_in(run->limit_ns * search_share, run->event_ns, 2 * in_flight);
        bench_tally tally;

        if (tried > 0 && (double)events * run->event_ns > run->limit_ns * affordable)
            break;
        CB_TRY(run_closed(run, in_flight, events, &tally));
        each_ns[tried] = tally.event_ns;
        if (tried > 0 && each_ns[tried] > best_ns * as_good)
            break;
        best_ns = fmin(best_ns, each_ns[tried]);
    }
    while (chosen + 1 < tried && each_ns[chosen] > best_ns * as_good)
        chosen++;
    run->in_flight = destinations_of(run) << chosen;
    run->event_ns = each_ns[chosen];
    return CB_OK;
}

/* The closed loop's blocks */

typedef struct {
    double *values_ns; /* of each block */
    size_t count;
    double *marks_ns, *sorted_ns;
    uint64_t block;
} farm_blocks;

static void free_blocks(farm_blocks *blocks)
{
    free(blocks->values_ns);
    free(blocks->marks_ns);
    free(blocks->sorted_ns);
}

/* Destinations decide in turn: a block is a number of whole turns. */
static uint64_t block_of(const bench_farm_run *run)
{
    double wanted_ns = run->oversubscribed ? oversubscribed_block_ns : block_ns;
    uint64_t turns;

    if (wanted_ns > run->limit_ns / 100)
        wanted_ns = run->limit_ns / 100;
    turns = events_in(wanted_ns, run->event_ns * (double)destinations_of(run), 1);
    return turns * destinations_of(run);
}

static stats_summary summarize(farm_blocks *blocks)
{
    memcpy(blocks->sorted_ns, blocks->values_ns, blocks->count * sizeof(double));
    return stats_summarize(blocks->sorted_ns, blocks->count);
}

/* Keep the blocks between the marks of a run, and tell all how precise the median is by now. */
static cb_status keep_blocks(const bench_farm_run *run, farm_blocks *blocks,
                             const bench_tally *tally, double *precision_pct)
{
    *precision_pct = HUGE_VAL;
    for (size_t i = 1; run->supervisor && i < tally->marks && blocks->count < BLOCKS_MOST; i++)
        blocks->values_ns[blocks->count++] = blocks->marks_ns[i] - blocks->marks_ns[i - 1];
    if (run->supervisor && blocks->count >= BLOCKS_MINIMUM) {
        stats_summary summary = summarize(blocks);

        *precision_pct = stats_precision_pct(&summary);
    }
    return control_broadcast(run->team, precision_pct, sizeof(*precision_pct));
}

/* The time of an event as the row has it, told to all: it is what loads are shares of. */
static cb_status take_median(bench_farm_run *run, farm_blocks *blocks)
{
    if (run->supervisor && blocks->count > 0)
        run->event_ns = summarize(blocks).median / (double)blocks->block;
    return control_broadcast(run->team, &run->event_ns, sizeof(run->event_ns));
}

static void add_tally(bench_tally *sum, const bench_tally *tally)
{
    sum->issued += tally->issued;
    sum->decided += tally->decided;
    sum->lost += tally->lost;
    sum->errors += tally->errors;
}

static cb_status time_blocks(bench_farm_run *run, farm_blocks *blocks, bench_farm_outcome *out)
{
    double left_ns = run->limit_ns * blocks_share, precision_pct;
    size_t wanted = BLOCKS_MINIMUM + 1;

    out->stopped_by = "max-time";
    blocks->block = block_of(run);
    do {
        double each_ns = run->event_ns * (double)blocks->block;
        size_t count = (size_t)fmax(1, fmin((double)wanted, left_ns / each_ns));
        uint64_t lead_in = run->in_flight > blocks->block ? run->in_flight : blocks->block;
        bench_load load = {.events = lead_in + count * blocks->block,
                           .in_flight = run->in_flight,
                           .lead_in = lead_in,
                           .block = blocks->block,
                           .marks_ns = blocks->marks_ns};
        bench_tally tally = {0};

        CB_TRY(bench_farm_run_load(run, load, bench_farm_plain(run), bench_farm_patience_ns(run),
                                   &tally));
        add_tally(&out->tally, &tally);
        CB_TRY(keep_blocks(run, blocks, &tally, &precision_pct));
        if (precision_pct <= run->session->options->precision_pct) {
            out->stopped_by = "precision";
            break;
        }
        wanted = BLOCKS_AT_ONCE;
        run->event_ns = tally.event_ns;
        left_ns -= tally.elapsed_ns;
    } while (left_ns > run->event_ns * (double)(blocks->block + run->in_flight));
    return CB_OK;
}

/* Latencies, verification */

static cb_status record_latencies(bench_farm_run *run, bench_farm_outcome *out)
{
    uint64_t events = events_in(run->limit_ns * latencies_share, run->event_ns, 2 * run->in_flight);
    bench_tally tally = {0};

    if (events > LATENCIES_RECORDED)
        events = LATENCIES_RECORDED;
    CB_TRY(bench_farm_run_load(
        run,
        (bench_load){.events = events, .in_flight = run->in_flight, .latencies = run->latencies},
        bench_farm_plain(run), bench_farm_patience_ns(run), &tally));
    add_tally(&out->tally, &tally);
    return CB_OK;
}

/* What destinations found in fragments, the supervisor in decisions, and all in notes. A foreign
 * message is counted as corrupted: it is not what anybody sent. */
static cb_status gather_findings(bench_farm_run *run)
{
    const bench_farm *farm = run->me->farm;
    const bench_findings *found = &run->me->findings;
    const bench_builder_counts *built = &farm->builder.counts;
    const bench_ledger_errors *errors = &farm->ledger.errors;
    const bench_faults *faults = &farm->faults;
    uint64_t counts[] = {found->messages, farm->ledger.lost,
                         built->doubled + errors->doubled + faults->doubled,
                         found->reordered + errors->late + faults->late,
                         found->corrupted + built->foreign + errors->foreign + faults->foreign};

    CB_TRY(control_sum(run->team, counts, sizeof(counts) / sizeof(counts[0])));
    run->verification = (report_verification){.messages = counts[0],
                                              .lost = counts[1],
                                              .doubled = counts[2],
                                              .reordered = counts[3],
                                              .corrupted = counts[4],
                                              .done = true};
    run->verified = true;
    return CB_OK;
}

static cb_status verify(bench_farm_run *run)
{
    const double budget_ns = 0.5e9;
    const uint64_t patience_ns = 2000000000 + working_ns(run);
    uint64_t events = events_in(budget_ns, run->event_ns, 2 * destinations_of(run));
    bench_tally tally = {0};

    if (events > VERIFIED_EVENTS)
        events = VERIFIED_EVENTS;
    CB_TRY(bench_farm_run_load(run, (bench_load){.events = events, .in_flight = run->in_flight},
                               &bench_fragments_verified, patience_ns, &tally));
    CB_TRY(gather_findings(run));
    /* Stamped packets are left in the buffers: the passes to come need the known content. */
    return bench_rank_prepare(run->me);
}

/* Rows */

void bench_farm_forget(bench_farm_run *run)
{
    run->algorithm_runs = run->algorithm_ns = 0;
    run->skew_ns = 0;
    if (!run->supervisor)
        return;
    memset(run->latencies, 0, destinations_of(run) * sizeof(*run->latencies));
    memset(run->accounts, 0, destinations_of(run) * sizeof(*run->accounts));
}

/* The mean over all runs of the algorithm in all destinations, as their clocks saw them. */
static cb_status true_algorithm(const bench_farm_run *run, double *true_us)
{
    uint64_t sums[] = {run->algorithm_ns, run->algorithm_runs};

    CB_TRY(control_sum(run->team, sums, 2));
    *true_us = sums[1] > 0 ? (double)sums[0] / (double)sums[1] / 1e3 : -1;
    return CB_OK;
}

cb_status bench_farm_row(bench_farm_run *run, bench_farm_outcome *outcome)
{
    report_row row = report_row_initial();
    bench_farm_lists lists = {0};
    cb_status status;

    CB_TRY(true_algorithm(run, &outcome->algorithm_true_us));
    CB_TRY(bench_sum_datagrams(run->session, run->team, &outcome->datagrams));
    if (!run->supervisor)
        return CB_OK;
    outcome->in_flight = run->in_flight;
    outcome->latencies = run->latencies;
    outcome->accounts = run->accounts;
    outcome->destinations = destinations_of(run);
    outcome->skew_ns = run->skew_ns;
    outcome->touch_ns = run->touch_ns;
    if (run->verified)
        outcome->verification = run->verification;
    run->verified = false;
    bench_farm_figures(run->session, run->measurement, outcome, run->oversubscribed, &row, &lists);
    bench_note_verification(run->session, &outcome->verification);
    status = report_add(run->session->document, &row);
    bench_farm_lists_free(&lists);
    return status;
}

static cb_status measure_closed(bench_farm_run *run)
{
    bench_farm_outcome out = {.open = false};
    farm_blocks blocks = {
        .values_ns = cb_allocate(BLOCKS_MOST, sizeof(double), "the times of blocks"),
        .sorted_ns = cb_allocate(BLOCKS_MOST, sizeof(double), "the times of blocks"),
        .marks_ns = cb_allocate(BLOCKS_AT_ONCE + 2, sizeof(double), "the marks of blocks")};
    cb_status status = CB_ERROR_MEMORY;

    bench_farm_forget(run);
    if (blocks.values_ns != NULL && blocks.sorted_ns != NULL && blocks.marks_ns != NULL)
        status = time_blocks(run, &blocks, &out);
    if (status == CB_OK)
        status = take_median(run, &blocks);
    if (status == CB_OK)
        status = record_latencies(run, &out);
    out.blocks_ns = blocks.values_ns;
    out.block_count = blocks.count;
    out.block = blocks.block;
    if (status == CB_OK)
        status = bench_farm_row(run, &out);
    free_blocks(&blocks);
    return status;
}

/* Set-up */

/* Destination 0 is the one that --slow-us slows down. */
static void set_work(bench_farm_run *run)
{
    const bench_session *session = run->session;
    bench_rank *me = run->me;

    if (me->farm->role != BENCH_DESTINATION)
        return;
    me->algorithm.units = host_work_units(&session->work, run->measurement->algorithm_us);
    if (me->farm->index == 0)
        me->farm->slow_units = host_work_units(&session->work, session->options->slow_us);
}

static cb_status set_up(bench_farm_run *run, const int *ranks, size_t participants)
{
    const bench_measurement *measurement = run->measurement;
    uint64_t destinations = measurement->shape.stages[BENCH_DESTINATION];
    uint64_t room = IN_FLIGHT_EACH * destinations;

    run->in_flight = run->session->options->in_flight;
    if (run->in_flight > room)
        room = run->in_flight;
    CB_TRY(bench_rank_create(run->session, measurement, run->session->technology, ranks,
                             participants, &run->me, &run->actions));
    CB_TRY(bench_farm_join(run->me, &measurement->shape, room));
    set_work(run);
    if (!run->supervisor)
        return CB_OK;
    run->latencies = cb_allocate(destinations, sizeof(*run->latencies), "histograms of latencies");
    run->touch_ns = bench_farm_plain(run) == &bench_fragments_touched
                        ? bench_measure_touch(measurement->size_bytes)
                        : -1;
    run->accounts = cb_allocate(destinations, sizeof(*run->accounts), "accounts of a row");
    return run->latencies != NULL && run->accounts != NULL ? CB_OK : CB_ERROR_MEMORY;
}

static cb_status run_passes(bench_farm_run *run)
{
    const bench_options *options = run->session->options;

    CB_TRY(probe(run));
    CB_TRY(search_in_flight(run));
    if (options->verify)
        CB_TRY(verify(run));
    if (bench_farm_wants_closed(options))
        CB_TRY(measure_closed(run));
    CB_TRY(bench_farm_measure_open(run));
    return bench_farm_record(run);
}

cb_status bench_measure_farm(bench_session *session, const bench_measurement *measurement,
                             const int *ranks, size_t participants, control_team *team)
{
    bench_farm_run run = {.session = session,
                          .measurement = measurement,
                          .team = team,
                          .supervisor = control_team_index(team) == 0,
                          .oversubscribed = bench_oversubscribed(session, ranks, participants),
                          .limit_ns = session->options->max_time_s * 1e9,
                          .touch_ns = -1};
    cb_status status = set_up(&run, ranks, participants);

    if (status == CB_OK)
        status = run_passes(&run);
    if (run.me != NULL)
        bench_farm_leave(run.me);
    bench_rank_destroy(session->definition, run.me);
    free(run.latencies);
    free(run.accounts);
    return status;
}
