/* A rank's part in a trigger farm, as the engine sees it: farm_notes.c and farm_rank.c have what
 * the programs call, farm_faults.c what becomes of messages that should not be,
 * farm_loops.c the loops around the steps, farm_measure.c the passes. */
#ifndef BENCH_FARM_RANK_H
#define BENCH_FARM_RANK_H

#include <string.h>

#include "farm/builder.h"
#include "farm/farm.h"
#include "farm/ledger.h"
#include "timeline/timeline.h"

enum { BENCH_LABEL_BYTES = 16 }; /* of a fragment: its source and event, where it has room */

/* How fragments are made and looked at in a pass. NULL is what timed passes do, in line: write the
 * label, or the known content where there is no room for one; and refer to all the data. */
typedef struct {
    void (*make)(const bench_rank *me, void *data, uint64_t event);
    void (*inspect)(bench_rank *me, const transport_buffer *buffer, size_t source, uint64_t event);
} bench_fragments;

/* Messages of a run that a rank did not act on, beside those that ledger and builder count. */
typedef struct {
    uint64_t doubled, foreign, late; /* again; of no event that it could be; after the run */
} bench_faults;

struct bench_farm {
    size_t role, index; /* among those of the role */
    size_t sources, destinations;
    uint64_t first_event, end_event; /* of the run under way */
    uint64_t events;                 /* those of them that are this rank's */
    const bench_fragments *fragments;
    bool patient;         /* nothing is waited for for ever, and faults are counted */
    bool over;            /* what comes now is too late to be acted on */
    uint64_t *due;        /* of each destination the event that its next note is about, and ... */
    uint64_t *skipped;    /* ... a bit for each event of the run before that of which none came */
    size_t skipped_words; /* there is room for so many */
    bench_faults faults;
    transport_group *all_sources; /* supervisor of a push farm */
    bench_ledger ledger;          /* supervisor */
    bench_builder builder;        /* destination */
    uint64_t *delivered;          /* destination: the sequence that comes next from each source */
    uint64_t first_sequence;      /* destination: of the run, among its own events */
    uint64_t served;              /* source: notes of the run */
    uint64_t completed;           /* destination: events of the run */
    uint64_t label_sum;           /* destination: of what it referred to, if that was labelled */
    uint64_t slow_units;          /* destination: work on each event besides, for --slow-us */
    bool labelled;                /* fragments carry event and source */
    bench_timeline *timeline;     /* NULL where none is recorded */
};

extern const bench_fragments bench_fragments_touched, bench_fragments_bare;
extern const bench_fragments bench_fragments_verified;

/* Make the farm's part of a rank: for `in_flight` events at most. */
cb_status bench_farm_join(bench_rank *me, const bench_shape *shape, uint64_t in_flight);
void bench_farm_leave(bench_rank *me);

/* Empty counters and sums, and prepare for a run of so many events, which begins with number
 * `first_event`. What does not come for `patience_ns` is lost, and what comes and should not is
 * counted; with 0 all is waited for, and a message that should not be is an error. */
cb_status bench_farm_begin(bench_rank *me, uint64_t first_event, uint64_t events,
                           const bench_fragments *fragments, uint64_t patience_ns);

/* The sum of all that a destination referred to is what it must be, else CB_ERROR_DATA, logged. */
cb_status bench_farm_check_sum(const bench_rank *me);

/* The patient form of bench_farm_take. */
cb_status bench_farm_take_patiently(bench_rank *me, transport_buffer **out, transport_node **from);

/* Hot. Take the next message from whom this rank hears, *from of the peers; CB_EMPTY when none came
 * for so long that it is lost. The caller owns *out. */
static inline cb_status bench_farm_take(bench_rank *me, transport_buffer **out, size_t *from)
{
    transport_node *node;

    CB_TRY(__builtin_expect(me->farm->patient, 0) ? bench_farm_take_patiently(me, out, &node)
                                                  : transport_group_receive(me->group, out, &node));
    *from = node->label;
    return CB_OK;
}

/* A message of another size than a note's: one about no event in a patient run, else CB_ERROR_DATA,
 * logged. */
cb_status bench_farm_refuse_size(bench_rank *me, transport_buffer *buffer, bench_note *out);

static inline cb_status bench_farm_read_plainly(bench_rank *me, transport_buffer *buffer,
                                                bench_note *out)
{
    if (__builtin_expect(buffer->size != sizeof(*out), 0))
        return bench_farm_refuse_size(me, buffer, out);
    memcpy(out, buffer->data, sizeof(*out));
    transport_buffer_release(buffer);
    return CB_OK;
}

/* The same, with its entry in the timeline. */
cb_status bench_farm_read_recorded(bench_rank *me, size_t role, size_t from,
                                   transport_buffer *buffer, bench_note *out);

/* Hot. Read a note of a rank of that role, and release its buffer. */
static inline cb_status bench_farm_read(bench_rank *me, size_t role, size_t from,
                                        transport_buffer *buffer, bench_note *out)
{
    return __builtin_expect(me->farm->timeline != NULL, 0)
               ? bench_farm_read_recorded(me, role, from, buffer, out)
               : bench_farm_read_plainly(me, buffer, out);
}

/* A note about any other event than the next one of its destination; as bench_farm_admit. */
cb_status bench_farm_admit_out_of_turn(bench_rank *me, uint64_t event, size_t destination,
                                       bool *admitted);

/* Hot. A note about an event for a destination: *admitted when the event is of this run, is that
 * destination's, and has not come before. */
static inline cb_status bench_farm_admit(bench_rank *me, uint64_t event, size_t destination,
                                         bool *admitted)
{
    bench_farm *farm = me->farm;

    if (__builtin_expect(destination >= farm->destinations || event != farm->due[destination] ||
                             event >= farm->end_event || farm->over,
                         0))
        return bench_farm_admit_out_of_turn(me, event, destination, admitted);
    farm->due[destination] += farm->destinations;
    *admitted = true;
    return CB_OK;
}

/* A message of which this rank can make nothing: counted in a patient run, else CB_ERROR_DATA,
 * logged. `what` is "a fragment", "a decision". */
cb_status bench_farm_refuse(bench_rank *me, const char *what, uint64_t event);

/* Faults of this rank in the run under way, but those in the supervisor's ledger. */
uint64_t bench_farm_fault_count(const bench_farm *farm);

#endif
