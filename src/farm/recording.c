/* The pass of --timeline. What recording costs is found first, by closed loops with and without it
 * in turn, which see the same machine; then the first events of the load that was measured are
 * recorded, into memory that those loops have used before. */
#include "farm/recording.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "farm/options.h"
#include "farm/passes.h"
#include "report/trace.h"
#include "stats/stats.h"
#include "timeline/write.h"

enum { PAIRS = 5, EVENTS_LEAST = 20 };

/* Of --max-time, for each loop of a pair. */
static const double loop_share = 0.02;

struct farm_recording {
    bool due;                    /* no measurement was recorded so far */
    char *path;                  /* where the trace goes; rank 0 alone */
    timeline_recorder *recorder; /* of this rank; NULL where it took no part */
    uint64_t events;
    uint64_t in_flight;
    bool open;
    stats_summary cost_pct; /* by which an event takes longer while it is recorded, pair by pair */
};

const timeline_words farm_timeline_words = {
    .roles = {[FARM_SUPERVISOR] = "supervisor",
              [FARM_SOURCE] = "source",
              [FARM_DESTINATION] = "destination"},
    .sends = {[FARM_SUPERVISOR] = {[FARM_SOURCE] = {"issue", "issue", "assignment"},
                                   [FARM_DESTINATION] = {"issue", "issue", "assignment"}},
              [FARM_SOURCE] = {[FARM_DESTINATION] = {"send", "send", "fragment"}},
              [FARM_DESTINATION] = {[FARM_SUPERVISOR] = {"decision", "decision", "decision"},
                                    [FARM_SOURCE] = {"request", "request", "request"}}},
    .takes = {[FARM_SUPERVISOR] =
                  {[FARM_SOURCE] = "take assignment", [FARM_DESTINATION] = "take assignment"},
              [FARM_SOURCE] = {[FARM_DESTINATION] = "take fragment"},
              [FARM_DESTINATION] =
                  {[FARM_SUPERVISOR] = "take decision", [FARM_SOURCE] = "take request"}},
};

/* Opening and closing */

cb_status farm_recording_open(engine_session *session, void **state)
{
    const bench_options *options = session->options;
    farm_recording *recording;

    if (options->timeline == NULL)
        return CB_OK;
    recording = cb_allocate(1, sizeof(*recording), "a timeline");
    if (recording == NULL)
        return CB_ERROR_MEMORY;
    recording->due = true;
    *state = recording;
    return session->document != NULL
               ? report_trace_direct(options->timeline, options->output, &recording->path)
               : CB_OK;
}

void farm_recording_close(void *state)
{
    farm_recording *recording = state;

    if (recording == NULL)
        return;
    timeline_free(recording->recorder);
    free(recording->path);
    free(recording);
}

/* The pass */

static cb_status run_recorded(farm_run *run, farm_recording *recording, const farm_load *load,
                              bool recorded, farm_tally *tally)
{
    farm_rank *farm = farm_of(run->me);
    cb_status status;

    farm->timeline = recorded ? recording->recorder : NULL;
    status = farm_run_load(run, *load, tally);
    farm->timeline = NULL;
    return status;
}

/* The one of a pair that comes first takes turns, and ratios are taken within pairs: what changes
 * slowly in the machine changes both of a pair. */
static cb_status find_cost(farm_run *run, farm_recording *recording)
{
    double fitting = ceil(run->limit_ns * loop_share / fmax(run->event_ns, 1));
    farm_load load = {.events = (uint64_t)fmax(fitting, 4 * (double)run->in_flight),
                      .in_flight = run->in_flight};
    double costs_pct[PAIRS];

    timeline_rehearse(recording->recorder);
    for (size_t i = 0; i < PAIRS; i++) {
        bool recorded_first = i % 2 != 0;
        farm_tally first, second;
        double ratio;

        CB_TRY(run_recorded(run, recording, &load, recorded_first, &first));
        CB_TRY(run_recorded(run, recording, &load, !recorded_first, &second));
        ratio = first.elapsed_ns / second.elapsed_ns;
        costs_pct[i] = 100 * ((recorded_first ? ratio : 1 / ratio) - 1);
    }
    recording->cost_pct = stats_summarize(costs_pct, PAIRS);
    return CB_OK;
}

/* As many events as were asked for, unless they take longer than a measurement may. In a closed
 * loop others follow those that are recorded, so that these have company to their end. */
static cb_status record_events(farm_run *run, farm_recording *recording)
{
    const bench_options *options = run->setting->session->options;
    double due_ns = options->rate_hz > 0 ? 1e9 / options->rate_hz : 0;
    double fitting = run->limit_ns / fmax(fmax(run->event_ns, due_ns), 1);
    farm_load load;
    farm_tally tally;

    recording->events =
        (uint64_t)fmin((double)farm_timeline_events(options), fmax(fitting, EVENTS_LEAST));
    recording->open = options->rate_hz > 0;
    recording->in_flight = run->in_flight;
    load = recording->open ? farm_open_load(run, options->rate_hz, recording->events)
                           : (farm_load){.events = recording->events + run->in_flight,
                                         .in_flight = run->in_flight};
    timeline_restart(recording->recorder, run->next_event, recording->events);
    return run_recorded(run, recording, &load, true, &tally);
}

cb_status farm_record_timeline(farm_run *run, farm_recording *recording)
{
    const farm_rank *farm = farm_of(run->me);
    size_t events;

    if (recording == NULL || !recording->due)
        return CB_OK;
    events = (size_t)farm_timeline_events(run->setting->session->options);
    CB_TRY(timeline_create(
        farm_timeline_entries(farm->role, farm->sources, farm->destinations, events),
        &recording->recorder));
    CB_TRY(find_cost(run, recording));
    return record_events(run, recording);
}

/* The trace, of all ranks of the job, also of those that took no part. */
cb_status farm_recording_conclude(void *state, engine_session *session,
                                  const bench_measurement *planned)
{
    farm_recording *recording = state;
    report_fact facts[TIMELINE_FACTS_MAXIMUM];
    size_t count = 0;
    cb_status status;

    if (recording == NULL || !recording->due)
        return CB_OK;
    recording->due = false;
    facts[count++] = (report_fact){.key = "benchmark", .text = session->definition->name};
    facts[count++] = (report_fact){.key = "technology", .text = session->options->technology};
    facts[count++] = (report_fact){.key = "mode", .text = recording->open ? "open" : "closed"};
    if (recording->open)
        facts[count++] = (report_fact){.key = "offered_Hz", .number = session->options->rate_hz};
    facts[count++] = (report_fact){.key = "size_bytes", .number = (double)planned->size_bytes};
    facts[count++] =
        (report_fact){.key = "sources", .number = (double)planned->shape.stages[FARM_SOURCE]};
    facts[count++] = (report_fact){.key = "destinations",
                                   .number = (double)planned->shape.stages[FARM_DESTINATION]};
    facts[count++] = (report_fact){.key = "algorithm_us", .number = planned->algorithm_us};
    facts[count++] =
        (report_fact){.key = "in_flight_limit", .number = (double)recording->in_flight};
    status = timeline_write(session, &(timeline_content){.recorder = recording->recorder,
                                                         .path = recording->path,
                                                         .shape = &planned->shape,
                                                         .words = &farm_timeline_words,
                                                         .about = facts,
                                                         .about_count = count,
                                                         .events = recording->events,
                                                         .cost_pct = recording->cost_pct});
    timeline_free(recording->recorder);
    recording->recorder = NULL;
    return status;
}
