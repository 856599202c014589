/* The messages of a farm that are no fragments: notes of 16 bytes, told and read. All of it is hot.
 */
#include "farm/rank.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"

_Static_assert(sizeof(bench_note) == 16, "a note is a packet of 16 bytes");

/* In line wherever a note is told, which is where an event costs something. */
static inline __attribute__((always_inline)) transport_buffer *write_note(bench_rank *me,
                                                                          bench_note note)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, sizeof(note));

    if (buffer != NULL)
        memcpy(buffer->data, &note, sizeof(note));
    return buffer;
}

static inline cb_status tell(bench_rank *me, transport_node *node, bench_note note)
{
    transport_buffer *buffer = write_note(me, note);

    return buffer != NULL ? transport_send(node, buffer) : CB_ERROR_MEMORY;
}

static inline cb_status tell_sources(bench_rank *me, bench_note note)
{
    transport_buffer *buffer = write_note(me, note);

    return buffer != NULL ? transport_group_send(me->farm->all_sources, buffer) : CB_ERROR_MEMORY;
}

/* What is recorded has functions of its own, so that the usual ones save no registers for it. */
static __attribute__((noinline)) cb_status tell_recorded(bench_rank *me, size_t role,
                                                         uint32_t index, bench_note note)
{
    uint64_t begin_ns = cb_now_ns();

    CB_TRY(index == bench_timeline_all
               ? tell_sources(me, note)
               : tell(me, me->peers[me->first_peer[role] + index].node, note));
    bench_timeline_note(me->farm->timeline, (bench_timeline_entry){.begin_ns = begin_ns,
                                                                   .event = note.event,
                                                                   .deed = BENCH_SENDS,
                                                                   .role = (uint16_t)role,
                                                                   .index = index});
    return CB_OK;
}

cb_status bench_tell(bench_rank *me, size_t role, size_t index, bench_note note)
{
    if (__builtin_expect(me->farm->timeline != NULL, 0))
        return tell_recorded(me, role, (uint32_t)index, note);
    return tell(me, me->peers[me->first_peer[role] + index].node, note);
}

cb_status bench_tell_sources(bench_rank *me, bench_note note)
{
    if (__builtin_expect(me->farm->timeline != NULL, 0))
        return tell_recorded(me, BENCH_SOURCE, bench_timeline_all, note);
    return tell_sources(me, note);
}

/* What stands for a note that cannot be acted on: it is about no event and names nobody. */
static const bench_note no_note = {.event = UINT64_MAX, .first = UINT32_MAX, .count = 0};

/* Of a destination: the event is its own, and the sources exist. */
static cb_status check_assignment(bench_rank *me, bench_note *note)
{
    size_t sources = me->farm->sources;
    bool admitted = false;

    if (note->first <= sources && note->count <= sources - note->first)
        CB_TRY(bench_farm_admit(me, note->event, me->farm->index, &admitted));
    else
        CB_TRY(bench_farm_refuse(me, "a note", note->event));
    if (!admitted)
        *note = no_note;
    return CB_OK;
}

cb_status bench_farm_refuse_size(bench_rank *me, transport_buffer *buffer, bench_note *out)
{
    size_t size_bytes = buffer->size;

    *out = no_note;
    transport_buffer_release(buffer);
    if (me->farm->patient)
        return CB_OK;
    cb_error("rank %d was sent %zu bytes where a note of %zu was due; the technology cut or mixed "
             "up messages",
             me->ranks[me->self], size_bytes, sizeof(*out));
    return CB_ERROR_DATA;
}

cb_status bench_farm_read_recorded(bench_rank *me, size_t role, size_t from,
                                   transport_buffer *buffer, bench_note *out)
{
    uint64_t begin_ns = cb_now_ns();

    CB_TRY(bench_farm_read_plainly(me, buffer, out));
    bench_timeline_note(me->farm->timeline,
                        (bench_timeline_entry){.begin_ns = begin_ns,
                                               .event = out->event,
                                               .deed = BENCH_TAKES,
                                               .role = (uint16_t)role,
                                               .index = (uint32_t)bench_index_of(me, from, role)});
    return CB_OK;
}

/* Sources get notes from the supervisor, and those of a pull farm from destinations, where they
 * know no supervisor. */
cb_status bench_read_note(bench_rank *me, size_t from, transport_buffer *buffer, bench_note *out)
{
    bool pulled = me->first_peer[BENCH_DESTINATION] == 0;

    return bench_farm_read(me, pulled ? BENCH_DESTINATION : BENCH_SUPERVISOR, from, buffer, out);
}

cb_status bench_read_assignment(bench_rank *me, size_t from, transport_buffer *buffer,
                                bench_note *out)
{
    CB_TRY(bench_farm_read(me, BENCH_SUPERVISOR, from, buffer, out));
    return check_assignment(me, out);
}
