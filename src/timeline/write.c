/* Gather entries in pieces, to bound the memory in flight; rank 0 writes the trace and, into the
 * document, the cost of recording. */
#include "timeline/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

enum { PIECE = 256, FACTS = 24, TEXT = 256 };

static const char purpose[] = "the entries of a timeline";

/* What rank 0 has gathered; pointers are NULL in other ranks. */
typedef struct {
    timeline_clock *clocks;
    timeline_count *counts;
    timeline_entry *entries; /* of all ranks, rank by rank */
    size_t *first;           /* by rank: index of its first entry */
    timeline_entry *piece;   /* by rank: entries of one gather */
} gathered;

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

static cb_status gather_entries(control_team *everyone, const timeline_recorder *mine,
                                gathered *all)
{
    size_t ranks = control_team_size(everyone);
    size_t used = mine != NULL ? mine->used : 0;
    double most = (double)used;

    CB_TRY(control_maximum(everyone, &most, 1));
    for (size_t done = 0; done < (size_t)most; done += PIECE) {
        timeline_entry piece[PIECE] = {0};

        if (used > done)
            memcpy(piece, &mine->entries[done],
                   (used - done < PIECE ? used - done : PIECE) * sizeof(*piece));
        CB_TRY(control_gather(everyone, piece, sizeof(piece), all->piece));
        if (all->piece != NULL)
            keep_piece(all, ranks, done);
    }
    return CB_OK;
}

static cb_status gather(const engine_session *session, const timeline_recorder *mine,
                        const timeline_clock *clock, gathered *all)
{
    control_team *everyone = control_everyone(session->plane);
    size_t ranks = control_team_size(everyone);
    timeline_count count = {0};

    if (mine != NULL)
        count = (timeline_count){.used = mine->used, .dropped = mine->dropped};
    CB_TRY(control_agree(everyone, allocate(session->document != NULL, ranks, all)));
    CB_TRY(control_gather(everyone, clock, sizeof(*clock), all->clocks));
    CB_TRY(control_gather(everyone, &count, sizeof(count), all->counts));
    CB_TRY(control_agree(everyone, session->document != NULL ? place_ranks(all, ranks) : CB_OK));
    return gather_entries(everyone, mine, all);
}

/* Facts */

typedef struct {
    report_fact list[FACTS];
    size_t count;
    char caution[TEXT];
} fact_list;

static void add_number(fact_list *facts, const char *key, double number)
{
    facts->list[facts->count++] = (report_fact){.key = key, .number = number};
}

/* Times are not corrected to look plausible; uncertainty is stated instead. */
static void list_facts(const timeline_content *content, const timeline_recording *recording,
                       const timeline_trace *trace, fact_list *facts)
{
    memcpy(facts->list, content->about, content->about_count * sizeof(*facts->list));
    facts->count = content->about_count;
    add_number(facts, "events", (double)recording->events);
    add_number(facts, "notes", (double)trace->slice_count);
    add_number(facts, "notes_dropped", (double)trace->dropped);
    add_number(facts, "cost_pct", recording->cost_pct.median);
    add_number(facts, "messages", (double)trace->arrow_count);
    add_number(facts, "messages_unmatched", (double)trace->unmatched);
    add_number(facts, "messages_backwards", (double)trace->backwards);
    add_number(facts, "clock_bound_us", trace->bound_ns / 1e3);
    if (trace->most_backwards_ns > 0)
        snprintf(facts->caution, TEXT,
                 "an arrow goes back in time by %.3g us more than the uncertainty of the"
                 " clocks: a clock was set or changed its rate; do not compare times of "
                 "different hosts",
                 trace->most_backwards_ns / 1e3);
    else if (trace->within_bound > 0)
        snprintf(facts->caution, TEXT,
                 "%zu of %zu messages took no longer than the uncertainty of their "
                 "hosts' clocks, %.3g us: their times, and the order of their events, "
                 "are not certain",
                 trace->within_bound, trace->arrow_count, trace->bound_ns / 1e3);
    if (facts->caution[0] != '\0')
        facts->list[facts->count++] = (report_fact){.key = "caution", .text = facts->caution};
}

static void put_facts(report_document *document, const timeline_recording *recording,
                      const timeline_trace *trace, const char *caution)
{
    report_put_number(document, (double)recording->events, "timeline.events");
    report_put_number(document, (double)trace->slice_count, "timeline.notes");
    report_put_number(document, (double)trace->dropped, "timeline.notes_dropped");
    report_put_number(document, recording->cost_pct.median, "timeline.cost_pct");
    report_put_number(document, recording->cost_pct.minimum, "timeline.cost_least_pct");
    report_put_number(document, recording->cost_pct.maximum, "timeline.cost_most_pct");
    report_put_number(document, trace->bound_ns / 1e3, "timeline.clock_bound_us");
    report_put_text(document, caution, "timeline.caution");
}

static cb_status write_trace(const engine_session *session, const timeline_content *content,
                             const timeline_recording *recording, const gathered *all)
{
    const timeline_gathered entries = {.words = content->words,
                                       .shape = content->shape,
                                       .counts = all->counts,
                                       .clocks = all->clocks,
                                       .hosts = session->job->machines.hosts,
                                       .entries = all->entries,
                                       .first_event = recording->recorder->first_event};
    timeline_trace trace = {0};
    fact_list facts = {0};
    cb_status status = timeline_trace_make(&entries, &trace);

    if (status != CB_OK)
        goto done;
    list_facts(content, recording, &trace, &facts);
    put_facts(session->document, recording, &trace, facts.caution);
    if (trace.most_backwards_ns > 0)
        cb_warning("--timeline: %s", facts.caution);
    status = report_trace_write(recording->path,
                                &(report_trace){.title = session->job->definition->title,
                                                .tracks = trace.track_names,
                                                .track_count = trace.tracks,
                                                .slices = trace.slices,
                                                .slice_count = trace.slice_count,
                                                .arrows = trace.arrows,
                                                .arrow_count = trace.arrow_count,
                                                .facts = facts.list,
                                                .fact_count = facts.count});
done:
    timeline_trace_free(&trace);
    return status;
}

cb_status timeline_write(engine_session *session, const timeline_content *content,
                         timeline_recording *recording)
{
    timeline_clock clock = {.before = session->clock};
    gathered all = {0};
    cb_status status;

    CB_TRY(control_synchronise(session->plane, &session->clock));
    clock.after = session->clock;
    status = gather(session, recording->recorder, &clock, &all);
    if (status == CB_OK && session->document != NULL)
        status = write_trace(session, content, recording, &all);
    recording->due = false;
    timeline_free(recording->recorder);
    recording->recorder = NULL;
    free(all.clocks);
    free(all.counts);
    free(all.entries);
    free(all.first);
    free(all.piece);
    return status;
}
