/* Control messages. All of it is hot. */
#include "farm/messages.h"

#include "base/log.h"

_Static_assert(sizeof(farm_message) == 16, "a control message is a packet of 16 bytes");

/* In line wherever a message is sent, which is where an event costs something. */
static inline __attribute__((always_inline)) transport_buffer *packet_of(bench_rank *me,
                                                                         farm_message message)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, sizeof(message));

    if (buffer != NULL)
        memcpy(buffer->data, &message, sizeof(message));
    return buffer;
}

cb_status farm_send_message(bench_rank *me, size_t role, size_t index, farm_message message)
{
    timeline_recorder *timeline = farm_of(me)->timeline;
    uint64_t begin_ns = timeline_begin(timeline);
    transport_buffer *buffer = packet_of(me, message);

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_send(me->peers[me->place.first_peer[role] + index].node, buffer));
    timeline_note(timeline, begin_ns, TIMELINE_SENDS, message.event, role, (uint32_t)index);
    return CB_OK;
}

cb_status farm_send_message_to_sources(bench_rank *me, farm_message message)
{
    farm_rank *farm = farm_of(me);
    uint64_t begin_ns = timeline_begin(farm->timeline);
    transport_buffer *buffer = packet_of(me, message);

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_group_send(farm->all_sources, buffer));
    timeline_note(farm->timeline, begin_ns, TIMELINE_SENDS, message.event, FARM_SOURCE,
                  timeline_all);
    return CB_OK;
}

/* What stands for a message that cannot be acted on: it is about no event and names nobody. */
static const farm_message no_message = {.event = UINT64_MAX, .first = UINT32_MAX, .count = 0};

cb_status farm_refuse_size(bench_rank *me, transport_buffer *buffer, farm_message *out)
{
    size_t size_bytes = buffer->size;

    *out = no_message;
    transport_buffer_release(buffer);
    if (farm_of(me)->may_lose)
        return CB_OK;
    cb_error("rank %d was sent %zu bytes where a note of %zu was due; the technology cut or mixed "
             "up messages",
             me->place.ranks[me->place.self], size_bytes, sizeof(*out));
    return CB_ERROR_DATA;
}

/* Sources get messages from the supervisor, and those of a pull farm from destinations, where they
 * know no supervisor. */
cb_status farm_read_message(bench_rank *me, size_t from, transport_buffer *buffer,
                            farm_message *out)
{
    bool pulled = me->place.first_peer[FARM_DESTINATION] == 0;

    return farm_read(me, pulled ? FARM_DESTINATION : FARM_SUPERVISOR, from, buffer, out);
}

/* An assignment of a destination: the event is its own, and the sources exist. */
cb_status farm_read_assignment(bench_rank *me, size_t from, transport_buffer *buffer,
                               farm_message *out)
{
    size_t sources = farm_of(me)->sources;
    bool admitted = false;

    CB_TRY(farm_read(me, FARM_SUPERVISOR, from, buffer, out));
    if (out->first <= sources && out->count <= sources - out->first)
        CB_TRY(farm_admit(me, out->event, farm_of(me)->index, &admitted));
    else
        CB_TRY(farm_refuse(me, "a note", out->event));
    if (!admitted)
        *out = no_message;
    return CB_OK;
}
