/* The pass of --timeline. What noting costs is found first, by closed loops with and without it in
 * turn, which see the same machine; then the first events of the load that was measured are noted,
 * into memory that those loops have used before. */
#include "farm/measure.h"

#include <math.h>

#include "farm/options.h"
#include "stats/stats.h"

enum { PAIRS = 5, EVENTS_LEAST = 20 };

/* Of --max-time, for each loop of a pair. */
static const double loop_share = 0.02;

static cb_status prepare(bench_farm_run *run)
{
    const bench_farm *farm = run->me->farm;
    size_t events = (size_t)farm_timeline_events(run->session->options);

    return bench_timeline_create(
        bench_timeline_notes(farm->role, farm->sources, farm->destinations, events),
        &run->session->recording.notes);
}

static cb_status run_noting(bench_farm_run *run, const bench_load *load, bool noted,
                            bench_tally *tally)
{
    cb_status status;

    run->me->farm->timeline = noted ? run->session->recording.notes : NULL;
    status =
        bench_farm_run_load(run, *load, bench_farm_plain(run), bench_farm_patience_ns(run), tally);
    run->me->farm->timeline = NULL;
    return status;
}

static uint64_t rehearsed_events(const bench_farm_run *run)
{
    double events = ceil(run->limit_ns * loop_share / fmax(run->event_ns, 1));

    return (uint64_t)fmax(events, 4 * (double)run->in_flight);
}

/* The one of a pair that comes first takes turns, and ratios are taken within pairs: what
 * changes slowly in the machine changes both of a pair. */
static cb_status find_cost(bench_farm_run *run)
{
    bench_load load = {.events = rehearsed_events(run), .in_flight = run->in_flight};
    double costs_pct[PAIRS];

    bench_timeline_rehearse(run->session->recording.notes);
    for (size_t i = 0; i < PAIRS; i++) {
        bool noted_first = i % 2 != 0;
        bench_tally first, second;
        double ratio;

        CB_TRY(run_noting(run, &load, noted_first, &first));
        CB_TRY(run_noting(run, &load, !noted_first, &second));
        ratio = first.elapsed_ns / second.elapsed_ns;
        costs_pct[i] = 100 * ((noted_first ? ratio : 1 / ratio) - 1);
    }
    run->session->recording.cost_pct = stats_summarize(costs_pct, PAIRS);
    return CB_OK;
}

/* As many as were asked for, unless they take longer than a measurement may. */
static uint64_t events_to_note(const bench_farm_run *run)
{
    const bench_options *options = run->session->options;
    double wanted = (double)farm_timeline_events(options);
    double due_ns = options->rate_hz > 0 ? 1e9 / options->rate_hz : 0;
    double fitting = run->limit_ns / fmax(fmax(run->event_ns, due_ns), 1);

    return (uint64_t)fmin(wanted, fmax(fitting, EVENTS_LEAST));
}

/* In a closed loop others follow those that are noted, so that these have company to their end. */
static cb_status note_events(bench_farm_run *run)
{
    bench_recording *recording = &run->session->recording;
    double rate_hz = run->session->options->rate_hz;
    bench_load load;
    bench_tally tally;

    recording->events = events_to_note(run);
    recording->open = !bench_farm_wants_closed(run->session->options);
    recording->in_flight = run->in_flight;
    load = recording->open ? bench_farm_open_load(run, rate_hz, recording->events)
                           : (bench_load){.events = recording->events + run->in_flight,
                                          .in_flight = run->in_flight};
    bench_timeline_restart(recording->notes, run->next_event, recording->events);
    return run_noting(run, &load, true, &tally);
}

cb_status bench_farm_record(bench_farm_run *run)
{
    if (!run->session->recording.due)
        return CB_OK;
    CB_TRY(prepare(run));
    CB_TRY(find_cost(run));
    return note_events(run);
}
