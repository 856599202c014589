/* The options of timelines, and pairs of trials. */
#include "timeline/recording.h"

#include <stdlib.h>

#include "base/log.h"
#include "report/trace.h"

enum { PAIRS = 5 };

cb_status timeline_check_options(const bench_options *options)
{
    if (options->timeline == NULL && options->timeline_events > 0) {
        cb_error("--timeline-events has no effect without --timeline; leave it out, or "
                 "add --timeline FILE");
        return CB_ERROR_USAGE;
    }
    if (options->timeline != NULL && options->placement != NULL) {
        cb_error("--timeline needs the ranks in the order of the launcher, which "
                 "--placement changes; use only one of them");
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

uint64_t timeline_events_wanted(const bench_options *options)
{
    return options->timeline_events > 0 ? options->timeline_events : TIMELINE_EVENTS;
}

cb_status timeline_recording_open(const engine_session *session, timeline_recording *recording)
{
    const bench_options *options = session->job->options;

    recording->due = options->timeline != NULL;
    return recording->due && session->document != NULL
               ? report_trace_direct(options->timeline, &recording->path)
               : CB_OK;
}

void timeline_recording_close(timeline_recording *recording)
{
    timeline_free(recording->recorder);
    free(recording->path);
}

/* Pairs alternate which trial is first, and ratios are computed within a pair: slow changes of the
 * machine affect both trials of a pair. */
cb_status timeline_find_cost(timeline_recording *recording, timeline_trial trial, void *context)
{
    double costs_pct[PAIRS];

    timeline_rehearse(recording->recorder);
    for (size_t i = 0; i < PAIRS; i++) {
        const bool recorded_first = i % 2 != 0;
        double first_ns, second_ns, ratio;

        CB_TRY(trial(context, recorded_first ? recording->recorder : NULL, &first_ns));
        CB_TRY(trial(context, recorded_first ? NULL : recording->recorder, &second_ns));
        ratio = first_ns / second_ns;
        costs_pct[i] = 100 * ((recorded_first ? ratio : 1 / ratio) - 1);
    }
    recording->cost_pct = stats_summarize(costs_pct, PAIRS);
    return CB_OK;
}
