/* Slices and arrows. A message has no number of its own: it is known by its event, who sent it and
 * to whom, which no two messages of an event have in common. */
#include "timeline/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "farm/farm.h"
#include "engine/shape.h"

typedef struct {
    const char *kind, *name, *message;
} wording;

/* By the role of who sends, or of who sent what is taken, and of who takes. */
static const wording sends[BENCH_ROLES][BENCH_ROLES] = {
    [BENCH_SUPERVISOR] = {[BENCH_SOURCE] = {"issue", "issue", "assignment"},
                          [BENCH_DESTINATION] = {"issue", "issue", "assignment"}},
    [BENCH_SOURCE] = {[BENCH_DESTINATION] = {"send", "send", "fragment"}},
    [BENCH_DESTINATION] = {[BENCH_SUPERVISOR] = {"decision", "decision", "decision"},
                           [BENCH_SOURCE] = {"request", "request", "request"}},
};

static const char *const takes[BENCH_ROLES][BENCH_ROLES] = {
    [BENCH_SUPERVISOR] =
        {[BENCH_SOURCE] = "take assignment", [BENCH_DESTINATION] = "take assignment"},
    [BENCH_SOURCE] = {[BENCH_DESTINATION] = "take fragment"},
    [BENCH_DESTINATION] = {[BENCH_SUPERVISOR] = "take decision", [BENCH_SOURCE] = "take request"},
};

static wording words_for(const bench_timeline_entry *entry, size_t own_role)
{
    switch ((bench_deed)entry->deed) {
    case BENCH_SENDS:
        return sends[own_role][entry->role];
    case BENCH_TAKES:
        return (wording){"take", takes[entry->role][own_role], NULL};
    case BENCH_WORKS:
        return (wording){"algorithm", "algorithm", NULL};
    case BENCH_DELAYS:
        break;
    }
    return (wording){"delay", "delay", NULL};
}

/* Tracks */

static void name_tracks(const bench_shape *shape, bench_timeline_trace *out)
{
    static const char *const roles[] = {
        [BENCH_SUPERVISOR] = "supervisor",
        [BENCH_SOURCE] = "source",
        [BENCH_DESTINATION] = "destination",
    };

    for (size_t track = 0; track < out->tracks; track++) {
        size_t role = shape_stage(shape, track);
        size_t index = track - shape_span(shape, role).first;

        if (role == BENCH_SUPERVISOR)
            snprintf(out->names[track], BENCH_TRACK_TEXT, "supervisor");
        else
            snprintf(out->names[track], BENCH_TRACK_TEXT, "%s %zu (rank %zu)", roles[role], index,
                     track);
        out->track_names[track] = out->names[track];
    }
}

static size_t peer_of(const bench_timeline_entry *entry, const bench_shape *shape)
{
    if (entry->deed == BENCH_DELAYS || entry->index == bench_timeline_all)
        return REPORT_NO_TRACK;
    return shape_span(shape, entry->role).first + entry->index;
}

/* Slices: one for each entry, in the same order */

static report_slice slice_of(const bench_farm_notes *notes, size_t track,
                             const bench_timeline_clock *clock, const bench_timeline_entry *entry)
{
    wording words = words_for(entry, shape_stage(notes->shape, track));

    return (report_slice){.begin_ns = bench_timeline_reference(clock, entry->begin_ns),
                          .end_ns = bench_timeline_reference(clock, entry->end_ns),
                          .event = entry->event - notes->first_event,
                          .track = track,
                          .peer = peer_of(entry, notes->shape),
                          .kind = words.kind,
                          .name = words.name};
}

/* The trace begins with what came first. */
static void count_from_first(bench_timeline_trace *out)
{
    uint64_t first_ns = UINT64_MAX;

    for (size_t i = 0; i < out->slice_count; i++)
        if (out->slices[i].begin_ns < first_ns)
            first_ns = out->slices[i].begin_ns;
    for (size_t i = 0; i < out->slice_count; i++) {
        out->slices[i].begin_ns -= first_ns;
        out->slices[i].end_ns -= first_ns;
    }
}

static void make_slices(const bench_farm_notes *notes, const size_t *clock_of,
                        bench_timeline_trace *out)
{
    for (size_t track = 0; track < out->tracks; track++) {
        const bench_timeline_clock *clock = &notes->clocks[clock_of[track]];

        for (uint64_t i = 0; i < notes->counts[track].used; i++, out->slice_count++)
            out->slices[out->slice_count] =
                slice_of(notes, track, clock, &notes->entries[out->slice_count]);
        out->dropped += notes->counts[track].dropped;
    }
    count_from_first(out);
}

/* Arrows */

typedef struct {
    uint64_t event;
    size_t from, to; /* tracks; REPORT_NO_TRACK: to all sources */
    size_t slice;
    const char *message;
} sending;

typedef struct {
    sending *list; /* in the order of by_message */
    size_t count;
} sending_list;

static int by_message(const void *left, const void *right)
{
    const sending *a = left, *b = right;

    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void list_sendings(const bench_farm_notes *notes, const bench_timeline_trace *trace,
                          sending_list *sent)
{
    for (size_t i = 0; i < trace->slice_count; i++) {
        const bench_timeline_entry *entry = &notes->entries[i];
        const report_slice *slice = &trace->slices[i];
        size_t own_role = shape_stage(notes->shape, slice->track);

        if (entry->deed == BENCH_SENDS)
            sent->list[sent->count++] = (sending){.event = slice->event,
                                                  .from = slice->track,
                                                  .to = slice->peer,
                                                  .slice = i,
                                                  .message = sends[own_role][entry->role].message};
    }
    qsort(sent->list, sent->count, sizeof(*sent->list), by_message);
}

/* What was taken, as it was sent to this track alone, or to all of its role. */
static const sending *find_sending(const sending_list *sent, const report_slice *taken)
{
    sending wanted = {.event = taken->event, .from = taken->peer, .to = taken->track};
    const sending *found = bsearch(&wanted, sent->list, sent->count, sizeof(wanted), by_message);

    if (found != NULL)
        return found;
    wanted.to = REPORT_NO_TRACK;
    return bsearch(&wanted, sent->list, sent->count, sizeof(wanted), by_message);
}

/* What an arrow says of the clocks at its ends: two ranks that share one are never apart. */
static void judge(const bench_farm_notes *notes, const size_t *clock_of, const report_arrow *arrow,
                  bench_timeline_trace *out)
{
    const report_slice *from = &out->slices[arrow->from], *to = &out->slices[arrow->to];
    size_t one = clock_of[from->track], other = clock_of[to->track];
    double length_ns = (double)(int64_t)(to->begin_ns - from->begin_ns), bound_ns = 0;

    if (one != other)
        bound_ns = bench_timeline_bound_ns(&notes->clocks[one]) +
                   bench_timeline_bound_ns(&notes->clocks[other]);
    out->bound_ns = fmax(out->bound_ns, bound_ns);
    out->within_bound += one != other && fabs(length_ns) <= bound_ns;
    out->backwards += length_ns < 0;
    out->most_backwards_ns = fmax(out->most_backwards_ns, -length_ns - bound_ns);
}

static void draw_arrows(const bench_farm_notes *notes, const size_t *clock_of,
                        const sending_list *sent, bench_timeline_trace *out)
{
    for (size_t i = 0; i < out->slice_count; i++) {
        report_arrow *arrow = &out->arrows[out->arrow_count];
        const sending *found;

        if (notes->entries[i].deed != BENCH_TAKES)
            continue;
        found = find_sending(sent, &out->slices[i]);
        if (found == NULL) {
            out->unmatched++;
            continue;
        }
        *arrow = (report_arrow){.from = found->slice, .to = i, .name = found->message};
        out->arrow_count++;
        judge(notes, clock_of, arrow, out);
    }
}

/* The whole */

static cb_status allocate(const bench_farm_notes *notes, bench_timeline_trace *out,
                          sending_list *sent, size_t **clock_of)
{
    static const char purpose[] = "the trace of a timeline";
    size_t count = 0;

    out->tracks = shape_ranks(notes->shape);
    for (size_t track = 0; track < out->tracks; track++)
        count += (size_t)notes->counts[track].used;
    out->names = cb_allocate(out->tracks, sizeof(*out->names), purpose);
    out->track_names = cb_allocate(out->tracks, sizeof(*out->track_names), purpose);
    out->slices = cb_allocate(count, sizeof(*out->slices), purpose);
    out->arrows = cb_allocate(count, sizeof(*out->arrows), purpose);
    sent->list = cb_allocate(count, sizeof(*sent->list), purpose);
    *clock_of = cb_allocate(out->tracks, sizeof(**clock_of), purpose);
    return out->names != NULL && out->track_names != NULL && out->slices != NULL &&
                   out->arrows != NULL && sent->list != NULL && *clock_of != NULL
               ? CB_OK
               : CB_ERROR_MEMORY;
}

cb_status bench_timeline_make_trace(const bench_farm_notes *notes, bench_timeline_trace *out)
{
    sending_list sent = {0};
    size_t *clock_of = NULL;
    cb_status status = allocate(notes, out, &sent, &clock_of);

    if (status == CB_OK) {
        bench_timeline_share_clocks(notes->clocks, notes->hosts, out->tracks, clock_of);
        name_tracks(notes->shape, out);
        make_slices(notes, clock_of, out);
        list_sendings(notes, out, &sent);
        draw_arrows(notes, clock_of, &sent, out);
    }
    free(sent.list);
    free(clock_of);
    return status;
}

void bench_timeline_free_trace(bench_timeline_trace *trace)
{
    free(trace->names);
    free(trace->track_names);
    free(trace->slices);
    free(trace->arrows);
}
