/* Clocks, slices and arrows. A message has no number; it is identified by its event, its sender and
 * its receiver, which are unique among the messages of an event. */
#include "timeline/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* Clocks: each rank's offset to rank 0's clock is measured before and after the recorded events,
 * and interpolated. */

static double offset_at(const timeline_clock *clock, uint64_t local_ns)
{
    const control_clock *before = &clock->before, *after = &clock->after;
    double elapsed_ns = (double)(int64_t)(after->at_ns - before->at_ns);

    if (elapsed_ns <= 0)
        return after->offset_ns;
    return before->offset_ns + (after->offset_ns - before->offset_ns) / elapsed_ns *
                                   (double)(int64_t)(local_ns - before->at_ns);
}

uint64_t timeline_reference(const timeline_clock *clock, uint64_t local_ns)
{
    return local_ns + (uint64_t)(int64_t)llround(offset_at(clock, local_ns));
}

double timeline_bound_ns(const timeline_clock *clock)
{
    return fmax(clock->before.bound_ns, clock->after.bound_ns);
}

/* Whether an estimate of a clock agrees with `other` within the bounds; one ns for rounding. */
static bool agrees(const control_clock *estimate, const timeline_clock *other)
{
    double apart_ns = fabs(estimate->offset_ns - offset_at(other, estimate->at_ns));

    return apart_ns <= estimate->bound_ns + timeline_bound_ns(other) + 1;
}

static size_t best_of_host(const timeline_clock *clocks, const int *hosts, size_t ranks, int host)
{
    size_t best = ranks;

    for (size_t rank = 0; rank < ranks; rank++)
        if (hosts[rank] == host &&
            (best == ranks || timeline_bound_ns(&clocks[rank]) < timeline_bound_ns(&clocks[best])))
            best = rank;
    return best;
}

void timeline_share_clocks(const timeline_clock *clocks, const int *hosts, size_t ranks,
                           size_t *clock_of)
{
    for (size_t rank = 0; rank < ranks; rank++) {
        size_t best = best_of_host(clocks, hosts, ranks, hosts[rank]);
        bool same = agrees(&clocks[rank].before, &clocks[best]) &&
                    agrees(&clocks[rank].after, &clocks[best]);

        clock_of[rank] = same ? best : rank;
    }
}

/* Names */

static timeline_wording words_for(const timeline_gathered *gathered, const timeline_entry *entry,
                                  size_t own_role)
{
    switch ((timeline_kind)entry->kind) {
    case TIMELINE_SENDS:
        return gathered->words->sends[own_role][entry->role];
    case TIMELINE_TAKES:
        return (timeline_wording){"take", gathered->words->takes[entry->role][own_role], NULL};
    case TIMELINE_WORKS:
        return (timeline_wording){"algorithm", "algorithm", NULL};
    case TIMELINE_DELAYS:
        break;
    }
    return (timeline_wording){"delay", "delay", NULL};
}

/* Tracks */

static void name_tracks(const timeline_gathered *gathered, timeline_trace *out)
{
    const bench_shape *shape = gathered->shape;

    for (size_t track = 0; track < out->tracks; track++) {
        size_t role = shape_stage(shape, track);
        size_t index = track - shape_span(shape, role).first;

        if (role == 0 && shape->stages[role] == 1)
            snprintf(out->names[track], TIMELINE_TRACK_TEXT, "%s", gathered->words->roles[0]);
        else
            snprintf(out->names[track], TIMELINE_TRACK_TEXT, "%s %zu (rank %zu)",
                     gathered->words->roles[role], index, track);
        out->track_names[track] = out->names[track];
    }
}

/* Slices: one for each entry, in the same order */

static report_slice slice_of(const timeline_gathered *gathered, size_t track,
                             const timeline_clock *clock, const timeline_entry *entry)
{
    timeline_wording words = words_for(gathered, entry, shape_stage(gathered->shape, track));
    bool has_peer = entry->kind != TIMELINE_DELAYS && entry->index != timeline_all;
    size_t peer =
        has_peer ? shape_span(gathered->shape, entry->role).first + entry->index : REPORT_NO_TRACK;

    return (report_slice){.begin_ns = timeline_reference(clock, entry->begin_ns),
                          .end_ns = timeline_reference(clock, entry->end_ns),
                          .event = entry->event - gathered->first_event,
                          .track = track,
                          .peer = peer,
                          .kind = words.kind,
                          .name = words.name};
}

static void make_slices(const timeline_gathered *gathered, const size_t *clock_of,
                        timeline_trace *out)
{
    uint64_t first_ns = UINT64_MAX;

    for (size_t track = 0; track < out->tracks; track++) {
        const timeline_clock *clock = &gathered->clocks[clock_of[track]];

        for (uint64_t i = 0; i < gathered->counts[track].used; i++, out->slice_count++)
            out->slices[out->slice_count] =
                slice_of(gathered, track, clock, &gathered->entries[out->slice_count]);
        out->dropped += gathered->counts[track].dropped;
    }
    /* The trace starts at its first entry. */
    for (size_t i = 0; i < out->slice_count; i++)
        if (out->slices[i].begin_ns < first_ns)
            first_ns = out->slices[i].begin_ns;
    for (size_t i = 0; i < out->slice_count; i++) {
        out->slices[i].begin_ns -= first_ns;
        out->slices[i].end_ns -= first_ns;
    }
}

/* Arrows */

typedef struct {
    uint64_t event;
    size_t from, to; /* tracks; REPORT_NO_TRACK: to all sources */
    size_t slice;
    const char *message;
} sending;

typedef struct {
    sending *list; /* sorted by by_message */
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

static void list_sendings(const timeline_gathered *gathered, const timeline_trace *trace,
                          sending_list *sent)
{
    for (size_t i = 0; i < trace->slice_count; i++) {
        const timeline_entry *entry = &gathered->entries[i];
        const report_slice *slice = &trace->slices[i];
        size_t own_role = shape_stage(gathered->shape, slice->track);

        if (entry->kind == TIMELINE_SENDS)
            sent->list[sent->count++] =
                (sending){.event = slice->event,
                          .from = slice->track,
                          .to = slice->peer,
                          .slice = i,
                          .message = words_for(gathered, entry, own_role).message};
    }
    qsort(sent->list, sent->count, sizeof(*sent->list), by_message);
}

/* The sending of a received message: to this track only, or to all of its role. */
static const sending *find_sending(const sending_list *sent, const report_slice *taken)
{
    sending wanted = {.event = taken->event, .from = taken->peer, .to = taken->track};
    const sending *found = bsearch(&wanted, sent->list, sent->count, sizeof(wanted), by_message);

    if (found != NULL)
        return found;
    wanted.to = REPORT_NO_TRACK;
    return bsearch(&wanted, sent->list, sent->count, sizeof(wanted), by_message);
}

/* Count arrows that are shorter than the uncertainty of their clocks, or go back in time. Two ranks
 * with the same clock have no uncertainty. */
static void count_uncertain_arrows(const timeline_gathered *gathered, const size_t *clock_of,
                                   const report_arrow *arrow, timeline_trace *out)
{
    const report_slice *from = &out->slices[arrow->from], *to = &out->slices[arrow->to];
    size_t one = clock_of[from->track], other = clock_of[to->track];
    double length_ns = (double)(int64_t)(to->begin_ns - from->begin_ns), bound_ns = 0;

    if (one != other)
        bound_ns =
            timeline_bound_ns(&gathered->clocks[one]) + timeline_bound_ns(&gathered->clocks[other]);
    out->bound_ns = fmax(out->bound_ns, bound_ns);
    out->within_bound += one != other && fabs(length_ns) <= bound_ns;
    out->backwards += length_ns < 0;
    out->most_backwards_ns = fmax(out->most_backwards_ns, -length_ns - bound_ns);
}

static void draw_arrows(const timeline_gathered *gathered, const size_t *clock_of,
                        const sending_list *sent, timeline_trace *out)
{
    for (size_t i = 0; i < out->slice_count; i++) {
        report_arrow *arrow = &out->arrows[out->arrow_count];
        const sending *found;

        if (gathered->entries[i].kind != TIMELINE_TAKES)
            continue;
        found = find_sending(sent, &out->slices[i]);
        if (found == NULL) {
            out->unmatched++;
            continue;
        }
        *arrow = (report_arrow){.from = found->slice, .to = i, .name = found->message};
        out->arrow_count++;
        count_uncertain_arrows(gathered, clock_of, arrow, out);
    }
}

/* The whole trace */

static cb_status allocate(const timeline_gathered *gathered, timeline_trace *out,
                          sending_list *sent, size_t **clock_of)
{
    static const char purpose[] = "the trace of a timeline";
    size_t count = 0;

    out->tracks = shape_ranks(gathered->shape);
    for (size_t track = 0; track < out->tracks; track++)
        count += (size_t)gathered->counts[track].used;
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

cb_status timeline_trace_make(const timeline_gathered *gathered, timeline_trace *out)
{
    sending_list sent = {0};
    size_t *clock_of = NULL;
    cb_status status = allocate(gathered, out, &sent, &clock_of);

    if (status != CB_OK)
        goto done;
    timeline_share_clocks(gathered->clocks, gathered->hosts, out->tracks, clock_of);
    name_tracks(gathered, out);
    make_slices(gathered, clock_of, out);
    list_sendings(gathered, out, &sent);
    draw_arrows(gathered, clock_of, &sent, out);
done:
    free(sent.list);
    free(clock_of);
    return status;
}

void timeline_trace_free(timeline_trace *trace)
{
    free(trace->names);
    free(trace->track_names);
    free(trace->slices);
    free(trace->arrows);
}
