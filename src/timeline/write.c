/* The end of --timeline: all ranks compare their clocks with rank 0's once more, their notes are
 * gathered in pieces, so that what is under way is bounded whatever one rank noted, and rank 0
 * writes the trace and says in the document what it cost. */
#include "engine/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "farm/farm.h"
#include "timeline/trace.h"
#include "report/trace.h"

enum { PIECE = 256, FACTS = 24, TEXT = 256 };

static const char purpose[] = "the notes of a timeline";

/* What rank 0 has gathered; elsewhere the pointers are NULL. */
typedef struct {
    bench_timeline_clock *clocks;
    bench_timeline_count *counts;
    bench_timeline_entry *entries; /* of all ranks, one after the other */
    size_t *first;                 /* of each rank, its place in entries */
    bench_timeline_entry *piece;   /* of each rank, what comes in one gather */
} gathered;

static void free_gathered(gathered *all)
{
    free(all->clocks);
    free(all->counts);
    free(all->entries);
    free(all->first);
    free(all->piece);
}

static cb_status allocate(bool gathers, size_t ranks, gathered *all)
{
    if (!gathers)
        return CB_OK;
    all->clocks = cb_allocate(ranks, sizeof(*all->clocks), purpose);
    all->counts = cb_allocate(ranks, sizeof(*all->counts), purpose);
    all->first = cb_allocate(ranks, sizeof(*all->first), purpose);
    all->piece = cb_allocate(ranks * PIECE, sizeof(*all->piece), purpose);
    return all->clocks != NULL && all->counts != NULL && all->first != NULL && all->piece != NULL
               ? CB_OK
               : CB_ERROR_MEMORY;
}

static cb_status place_ranks(gathered *all, size_t ranks)
{
    size_t total = 0;

    for (size_t rank = 0; rank < ranks; rank++) {
        all->first[rank] = total;
        total += (size_t)all->counts[rank].used;
    }
    all->entries = cb_allocate(total, sizeof(*all->entries), purpose);
    return all->entries != NULL ? CB_OK : CB_ERROR_MEMORY;
}

static void keep_piece(gathered *all, size_t ranks, size_t done)
{
    for (size_t rank = 0; rank < ranks; rank++) {
        size_t used = (size_t)all->counts[rank].used;
        size_t left = used > done ? used - done : 0;

        memcpy(&all->entries[all->first[rank] + (left > 0 ? done : 0)], &all->piece[rank * PIECE],
               (left < PIECE ? left : PIECE) * sizeof(*all->entries));
    }
}

static cb_status gather_entries(const bench_session *session, gathered *all)
{
    control_team *everyone = control_everyone(session->plane);
    size_t ranks = control_team_size(everyone);
    const bench_timeline *mine = session->recording.notes;
    size_t used = mine != NULL ? mine->used : 0;
    double most = (double)used;

    CB_TRY(control_maximum(everyone, &most, 1));
    for (size_t done = 0; done < (size_t)most; done += PIECE) {
        bench_timeline_entry piece[PIECE] = {0};

        if (used > done)
            memcpy(piece, &mine->entries[done],
                   (used - done < PIECE ? used - done : PIECE) * sizeof(*piece));
        CB_TRY(control_gather(everyone, piece, sizeof(piece), all->piece));
        if (all->piece != NULL)
            keep_piece(all, ranks, done);
    }
    return CB_OK;
}

static cb_status gather(const bench_session *session, const bench_timeline_clock *clock,
                        gathered *all)
{
    control_team *everyone = control_everyone(session->plane);
    size_t ranks = control_team_size(everyone);
    const bench_timeline *mine = session->recording.notes;
    bench_timeline_count count = {0};

    if (mine != NULL)
        count = (bench_timeline_count){.used = mine->used, .dropped = mine->dropped};
    CB_TRY(control_agree(everyone, allocate(session->document != NULL, ranks, all)));
    CB_TRY(control_gather(everyone, clock, sizeof(*clock), all->clocks));
    CB_TRY(control_gather(everyone, &count, sizeof(count), all->counts));
    CB_TRY(control_agree(everyone, session->document != NULL ? place_ranks(all, ranks) : CB_OK));
    return gather_entries(session, all);
}

/* Facts */

typedef struct {
    report_fact list[FACTS];
    size_t count;
    char caution[TEXT];
} fact_list;

static void say_number(fact_list *facts, const char *key, double number)
{
    facts->list[facts->count++] = (report_fact){.key = key, .number = number};
}

static void say_text(fact_list *facts, const char *key, const char *text)
{
    facts->list[facts->count++] = (report_fact){.key = key, .text = text};
}

static void say_load(const bench_session *session, const bench_measurement *measurement,
                     fact_list *facts)
{
    const bench_recording *recording = &session->recording;

    say_text(facts, "benchmark", session->definition->name);
    say_text(facts, "technology", session->options->technology);
    say_text(facts, "mode", recording->open ? "open" : "closed");
    if (recording->open)
        say_number(facts, "offered_Hz", session->options->rate_hz);
    say_number(facts, "size_bytes", (double)measurement->size_bytes);
    say_number(facts, "sources", (double)measurement->shape.stages[BENCH_SOURCE]);
    say_number(facts, "destinations", (double)measurement->shape.stages[BENCH_DESTINATION]);
    say_number(facts, "algorithm_us", measurement->algorithm_us);
    say_number(facts, "in_flight_limit", (double)recording->in_flight);
}

/* Nothing is moved to make it look right: what is not certain is said. */
static void say_caution(const bench_timeline_trace *trace, fact_list *facts)
{
    if (trace->most_backwards_ns > 0)
        snprintf(facts->caution, TEXT,
                 "an arrow goes back in time by %.3g us more than the clocks are known to: a clock "
                 "was set or changed its speed; compare no instants of different hosts",
                 trace->most_backwards_ns / 1e3);
    else if (trace->within_bound > 0)
        snprintf(facts->caution, TEXT,
                 "%zu of %zu messages took no longer than the clocks of their hosts are known to, "
                 "%.3g us: how long these took is not certain, nor what came first",
                 trace->within_bound, trace->arrow_count, trace->bound_ns / 1e3);
    if (facts->caution[0] != '\0')
        say_text(facts, "caution", facts->caution);
}

static void say_all(const bench_session *session, const bench_measurement *measurement,
                    const bench_timeline_trace *trace, fact_list *facts)
{
    say_load(session, measurement, facts);
    say_number(facts, "events", (double)session->recording.events);
    say_number(facts, "notes", (double)trace->slice_count);
    say_number(facts, "notes_dropped", (double)trace->dropped);
    say_number(facts, "cost_pct", session->recording.cost_pct.median);
    say_number(facts, "messages", (double)trace->arrow_count);
    say_number(facts, "messages_unmatched", (double)trace->unmatched);
    say_number(facts, "messages_backwards", (double)trace->backwards);
    say_number(facts, "clock_bound_us", trace->bound_ns / 1e3);
    say_caution(trace, facts);
}

static void put_facts(report_document *document, const bench_recording *recording,
                      const bench_timeline_trace *trace, const fact_list *facts)
{
    report_put_number(document, (double)recording->events, "timeline.events");
    report_put_number(document, (double)trace->slice_count, "timeline.notes");
    report_put_number(document, (double)trace->dropped, "timeline.notes_dropped");
    report_put_number(document, recording->cost_pct.median, "timeline.cost_pct");
    report_put_number(document, recording->cost_pct.minimum, "timeline.cost_least_pct");
    report_put_number(document, recording->cost_pct.maximum, "timeline.cost_most_pct");
    report_put_number(document, trace->bound_ns / 1e3, "timeline.clock_bound_us");
    report_put_text(document, facts->caution, "timeline.caution");
}

static cb_status write_trace(const bench_session *session, const bench_measurement *measurement,
                             const gathered *all)
{
    const bench_recording *recording = &session->recording;
    bench_farm_notes notes = {.shape = &measurement->shape,
                              .counts = all->counts,
                              .clocks = all->clocks,
                              .hosts = session->hosts,
                              .entries = all->entries,
                              .first_event = recording->notes->first_event};
    bench_timeline_trace trace = {0};
    fact_list facts = {0};
    cb_status status = bench_timeline_make_trace(&notes, &trace);

    if (status == CB_OK) {
        say_all(session, measurement, &trace, &facts);
        put_facts(session->document, recording, &trace, &facts);
        if (trace.most_backwards_ns > 0)
            cb_warning("--timeline: %s", facts.caution);
        status =
            report_trace_write(recording->path, &(report_trace){.title = session->definition->title,
                                                                .tracks = trace.track_names,
                                                                .track_count = trace.tracks,
                                                                .slices = trace.slices,
                                                                .slice_count = trace.slice_count,
                                                                .arrows = trace.arrows,
                                                                .arrow_count = trace.arrow_count,
                                                                .facts = facts.list,
                                                                .fact_count = facts.count});
    }
    bench_timeline_free_trace(&trace);
    return status;
}

cb_status bench_write_timeline(bench_session *session, const bench_measurement *measurement)
{
    bench_timeline_clock clock = {.before = session->clock};
    gathered all = {0};
    cb_status status;

    session->recording.due = false;
    CB_TRY(control_synchronise(session->plane, &session->clock));
    clock.after = session->clock;
    status = gather(session, &clock, &all);
    if (status == CB_OK && session->document != NULL)
        status = write_trace(session, measurement, &all);
    free_gathered(&all);
    bench_timeline_free(session->recording.notes);
    session->recording.notes = NULL;
    return status;
}
