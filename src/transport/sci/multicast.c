/* Multicasts to a static group. Each member has a segment of lines and buffers, all with the same
 * layout; a store of the root reaches all of them. A message is sent as to a single node: data,
 * check, then the line; or both in the line. A place is free again when the slowest member has
 * consumed its message; members report a count to the root. The user gets a copy, since with the
 * software library all members share one memory. */
#include "transport/sci/internal.h"

#include <string.h>

#include "base/log.h"

static size_t place_of(uint64_t number)
{
    return (size_t)(number % SCI_MULTICAST_PLACES);
}

static size_t buffer_offset(const sci_group *group, uint64_t number)
{
    return SCI_MULTICAST_PLACES * SCI_LINE_BYTES + place_of(number) * group->piece_bytes;
}

/* Sending */

/* Number of messages that `member` has not consumed; none if it has left. */
static uint32_t unconsumed_by(const sci_group *group, transport_node *member)
{
    const sci_row *row = sci_node_of(member)->groups.here;

    return sci_unconsumed(__atomic_load_n(&row->consumed[group->slot], __ATOMIC_ACQUIRE),
                          group->generation, group->number);
}

/* The members' counts are read when the places known to be free are used up. */
static bool has_room(sci_group *group)
{
    uint32_t most = 0;

    if (group->number < group->room_until)
        return true;
    for (size_t i = 0; i < group->base.count; i++) {
        uint32_t under_way = unconsumed_by(group, group->base.nodes[i]);

        most = under_way > most ? under_way : most;
    }
    group->room_until = group->number + SCI_MULTICAST_PLACES - most;
    return most < SCI_MULTICAST_PLACES;
}

static cb_status store_data(sci_group *group, const void *data, size_t bytes)
{
    uint32_t tries = 0;
    cb_status status;

    do
        status = sci_remote_copy(&group->remote, &group->sequence,
                                 buffer_offset(group, group->number), data, bytes);
    while (sci_sequence_tries_again(&group->sequence, &status, tries++));
    return status;
}

/* As with a single node, only the line may be sent again after the data have been checked. */
static cb_status transfer_piece(sci_group *group, const unsigned char *data, sci_announcement what)
{
    volatile unsigned char *target =
        group->remote.address + place_of(group->number) * SCI_LINE_BYTES;
    sci_line line = {.words = {0}};
    uint32_t tries = 0;
    cb_status status;

    if (what.bytes > SCI_PAYLOAD_BYTES)
        CB_TRY(store_data(group, data, what.bytes));
    else if (what.bytes > 0)
        memcpy(line.words, data, what.bytes);
    line.words[SCI_PAYLOAD_WORDS] = sci_line_control(line.words, group->number, what);
    do {
        sci_line_store(target, &line, what.bytes);
        status = sci_sequence_check(&group->sequence);
    } while (sci_sequence_tries_again(&group->sequence, &status, tries++));
    CB_TRY(status);
    group->number++;
    return CB_OK;
}

static void ring_members(const sci_group *group)
{
    if (sci_factory_of(group->base.factory)->base.wait != TRANSPORT_WAIT_BLOCK)
        return;
    for (size_t i = 0; i < group->base.count; i++)
        sci_bell_ring(&sci_node_of(group->base.nodes[i])->rope);
}

/* Hot. Send as many pieces from *sent on as there is room for; CB_EMPTY: not all. */
static cb_status transfer(sci_group *group, const transport_buffer *buffer, size_t *sent)
{
    bool more;

    CB_TRY(group->lost);
    do {
        size_t left = buffer->size - *sent;
        sci_announcement what;

        if (!has_room(group))
            return CB_EMPTY;
        more = left > group->piece_bytes;
        left = more ? group->piece_bytes : left;
        what = (sci_announcement){.bytes = (uint32_t)left, .more = more};
        group->lost = transfer_piece(group, (const unsigned char *)buffer->data + *sent, what);
        if (__builtin_expect(group->lost != CB_OK, 0))
            return transport_noted(group->base.factory, group->lost);
        ring_members(group);
        *sent += left;
    } while (more);
    return CB_OK;
}

static cb_status transfer_rest(void *target, const transport_buffer *buffer, size_t *sent)
{
    return transfer(target, buffer, sent);
}

static void give_back(void *target, transport_buffer *buffer)
{
    sci_give_back_locked(sci_factory_of(((sci_group *)target)->base.factory), buffer);
}

static const transport_queue_user queue_user = {.transfer = transfer_rest, .give_back = give_back};

/* Hot. */
cb_status sci_multicast(sci_group *group, transport_buffer *buffer)
{
    sci_factory *factory = sci_factory_of(group->base.factory);
    cb_status status;

    sci_lock(factory);
    factory->base.held--;
    status = transport_queue_send(&group->queue, &queue_user, group, buffer);
    sci_unlock(factory);
    return status;
}

cb_status sci_flush_queues(sci_factory *factory)
{
    cb_status first;

    sci_lock(factory);
    first = sci_flush_nodes(factory);
    for (sci_group *group = factory->groups; group != NULL; group = group->next) {
        cb_status status = transport_queue_flush(&group->queue, &queue_user, group);

        first = first == CB_OK ? status : first;
    }
    sci_unlock(factory);
    return first;
}

cb_status sci_flush(transport_factory *base)
{
    sci_factory *factory = sci_factory_of(base);

    for (uint64_t polls = 0; sci_has_queued(factory); polls++) {
        CB_TRY(sci_flush_queues(factory));
        if (sci_has_queued(factory))
            CB_TRY(sci_pause(factory, polls));
    }
    return CB_OK;
}

/* Receiving */

cb_status sci_report_consumed(sci_group *group, bool left)
{
    sci_node *root = sci_node_of(group->base.root);
    uint32_t tries = 0;
    cb_status status;

    do {
        __atomic_store_n(&root->groups.there->consumed[group->slot],
                         sci_consumed(group->generation, left, group->number), __ATOMIC_RELEASE);
        status = sci_sequence_check(&root->receiving.sequence);
    } while (sci_sequence_tries_again(&root->receiving.sequence, &status, tries++));
    group->acknowledged = group->number;
    return sci_note_lost(root, status);
}

/* Counts are reported for several messages at a time; if all are consumed, the root always has
 * room. */
static cb_status acknowledge_if_due(sci_group *group)
{
    if (2 * (group->number - group->acknowledged) < SCI_MULTICAST_PLACES)
        return CB_OK;
    return sci_report_consumed(group, false);
}

static cb_status find_nothing(sci_group *group)
{
    const uint32_t polls_between_looks = 1 << 14;

    if (++group->empty_polls % polls_between_looks == 0)
        CB_TRY(sci_probe(sci_node_of(group->base.root)));
    return CB_EMPTY;
}

static const void *data_of(const sci_group *group, const sci_line *line, size_t bytes)
{
    return bytes <= SCI_PAYLOAD_BYTES
               ? (const void *)line->words
               : group->segment.address + buffer_offset(group, group->number);
}

/* After the earlier pieces. */
static cb_status append_piece(sci_group *group, const sci_line *line, size_t bytes)
{
    sci_factory *factory = sci_factory_of(group->base.factory);
    transport_buffer *whole = group->assembled;

    if (whole == NULL) {
        sci_lock(factory);
        whole = group->assembled = sci_create_locked(factory, 0);
        sci_unlock(factory);
    }
    if (whole == NULL)
        return transport_noted(&factory->base, CB_ERROR_MEMORY);
    if (bytes > whole->capacity - whole->size) {
        cb_error("cannot receive a multicast of rank %d: it is longer than the announced %zu "
                 "bytes; announce its size",
                 group->base.root->rank, whole->capacity);
        return transport_noted(&factory->base, CB_ERROR_TRANSPORT);
    }
    memcpy((unsigned char *)whole->data + whole->size, data_of(group, line, bytes), bytes);
    whole->size += bytes;
    return CB_OK;
}

static transport_buffer *hand_over(sci_group *group)
{
    sci_factory *factory = sci_factory_of(group->base.factory);
    transport_buffer *whole = group->assembled;

    group->assembled = NULL;
    sci_lock(factory);
    factory->base.held++;
    sci_unlock(factory);
    return whole;
}

/* Hot. */
cb_status sci_try_receive_multicast(sci_group *group, transport_buffer **out)
{
    sci_factory *factory = sci_factory_of(group->base.factory);
    sci_announcement what;
    sci_line line;

    if (sci_has_queued(factory))
        CB_TRY(sci_flush_queues(factory));
    CB_TRY(sci_lost(sci_node_of(group->base.root)));
    do {
        const unsigned char *place =
            group->segment.address + place_of(group->number) * SCI_LINE_BYTES;

        if (!sci_line_find((const uint64_t *)(const void *)place, group->number, &line))
            return find_nothing(group);
        what = sci_line_announcement(line.words[SCI_PAYLOAD_WORDS]);
        CB_TRY(append_piece(group, &line, what.bytes));
        group->number++;
        CB_TRY(acknowledge_if_due(group));
    } while (what.more);
    *out = hand_over(group);
    return CB_OK;
}
