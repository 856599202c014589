/* Receiving: what the driver reports is put into the slots of its sender, in any order, and given
 * to the user in the order of the numbers. */
#include "transport/remote/internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "transport/common/group.h"

enum { POLLS_IN_A_ROW = 16 };

/* What drivers report */

static void drop(remote_factory *factory)
{
    factory->counts[REMOTE_DROPPED]++;
}

static inline bool is_rank_of_another(const remote_factory *factory, int source)
{
    return (unsigned)source < (unsigned)factory->base.size && source != factory->base.rank;
}

/* The header is read after all that can be known without it: a processor that reads it ahead of
 * time takes its line from the one that is to write it. */
bool remote_written(remote_factory *factory, int source, uint32_t number)
{
    const remote_header *header;
    const remote_node *node;
    remote_slot *slot;

    if (!is_rank_of_another(factory, source)) {
        drop(factory);
        return false;
    }
    node = &factory->nodes[source];
    number = node->next + (uint16_t)(number - node->next);
    slot = &node->slots[number & (factory->outstanding - 1)];
    header = &((const remote_prefix *)(const void *)slot->memory)->header;
    if (slot->arrived || header->source != (uint16_t)source || header->number != number) {
        drop(factory);
        return false;
    }
    slot = remote_expect(factory, header);
    if (slot != NULL)
        remote_arrived(factory, slot);
    return slot != NULL;
}

void remote_told(remote_factory *factory, int source, remote_word word, uint32_t value)
{
    remote_node *node;

    if (!is_rank_of_another(factory, source)) {
        drop(factory);
        return;
    }
    node = &factory->nodes[source];
    node->met = true;
    if (word == REMOTE_GRANT) {
        remote_note_grant(factory, node, value);
        return;
    }
    if (node->closed == 0)
        node->closed_ns = cb_now_ns();
    if (value > node->closed)
        node->closed = value;
}

/* What users receive */

static cb_status report_length(remote_factory *factory, const remote_node *node, size_t bytes)
{
    cb_error("cannot assemble a message of rank %d over %s from its pieces: it has %zu bytes, but "
             "at most %zu were announced; announce its size",
             node->base.rank, factory->driver->name, bytes, factory->pool.capacity);
    return transport_noted(&factory->base, CB_ERROR_TRANSPORT);
}

/* Append the next piece to the message that it is part of, and release its slot. A grant that fails
 * hides no message: the next transfer finds the error. */
static cb_status add_piece(remote_factory *factory, remote_node *node, remote_slot *slot)
{
    const size_t bytes = slot->base.size, rest = slot->rest;
    transport_buffer *whole = node->assembled;

    if (whole == NULL) {
        whole = transport_pool_take(&factory->pool);
        if (whole == NULL)
            return transport_noted(&factory->base, CB_ERROR_MEMORY);
        whole->size = 0;
        node->assembled = whole;
    }
    if (bytes + rest > whole->capacity - whole->size)
        return report_length(factory, node, whole->size + bytes + rest);
    memcpy((unsigned char *)whole->data + whole->size, slot->base.data, bytes);
    whole->size += bytes;
    slot->arrived = false;
    node->next++;
    factory->ready--;
    remote_release_slot(factory, slot);
    (void)remote_pay(factory, node, false);
    return CB_OK;
}

static inline cb_status nothing_from(const remote_node *node)
{
    return node->lost == CB_OK ? CB_EMPTY : node->lost;
}

/* Not hot: a slot should have room for the messages sent. */
__attribute__((noinline)) static cb_status assemble(remote_factory *factory, remote_node *node,
                                                    transport_buffer **out)
{
    for (;;) {
        remote_slot *slot = remote_next_slot(factory, node);
        bool last;

        if (!slot->arrived)
            return nothing_from(node);
        last = slot->rest == 0;
        CB_TRY(add_piece(factory, node, slot));
        if (last)
            break;
    }
    *out = node->assembled;
    node->assembled = NULL;
    factory->base.held++;
    return CB_OK;
}

/* Hot. The next message of the node; CB_EMPTY if it has not arrived. What has arrived is delivered
 * even if the peer was lost since. */
static inline cb_status take(remote_factory *factory, remote_node *node, transport_buffer **out)
{
    remote_slot *slot = remote_next_slot(factory, node);

    if (!slot->arrived)
        return nothing_from(node);
    if (__builtin_expect(slot->rest != 0 || node->assembled != NULL, 0))
        return assemble(factory, node, out);
    slot->arrived = false;
    slot->held = true;
    node->next++;
    factory->ready--;
    factory->base.held++;
    *out = &slot->base;
    return CB_OK;
}

/* The rank is not lost: it takes part in the closing. */
static cb_status report_closed(remote_factory *factory, const remote_node *node)
{
    cb_error("cannot receive from rank %d over %s: it has closed its end and sent no more; see the "
             "messages of that rank",
             node->base.rank, factory->driver->name);
    return transport_noted(&factory->base, CB_ERROR_TRANSPORT);
}

/* Hot. No call of the driver if the message has arrived. */
static inline cb_status try_receive(remote_factory *factory, remote_node *node,
                                    transport_buffer **out)
{
    cb_status status;

    if (__builtin_expect(transport_has_queued(&factory->queued), 0))
        CB_TRY(remote_progress(factory, node->base.rank));
    status = take(factory, node, out);
    if (status != CB_EMPTY)
        return status;
    CB_TRY(remote_progress(factory, node->base.rank));
    status = take(factory, node, out);
    if (status != CB_EMPTY)
        return status;
    if (__builtin_expect(node->closed > 0, 0) && remote_is_silent(node))
        return report_closed(factory, node);
    return remote_find_nothing(factory);
}

/* Hot. */
static inline cb_status try_receive_locked(remote_factory *factory, remote_node *node,
                                           transport_buffer **out)
{
    cb_status status;

    transport_lock_take(&factory->lock);
    status = try_receive(factory, node, out);
    transport_lock_give(&factory->lock);
    return status;
}

/* Hot. */
cb_status remote_try_receive(transport_node *base, transport_buffer **out)
{
    return try_receive_locked(remote_factory_of(base->factory), remote_node_of(base), out);
}

/* Hot. A process that spins sees a message the sooner, the less it does between two polls. */
static inline void spin(remote_factory *factory, const remote_slot *awaited, int from)
{
    if (factory->base.wait != TRANSPORT_WAIT_SPIN || factory->lock.used ||
        transport_has_queued(&factory->queued))
        return;
    for (int i = 0; i < POLLS_IN_A_ROW && !awaited->arrived; i++) {
        const cb_status status = factory->driver->poll(factory, from);

        if (__builtin_expect(status != CB_OK, 0)) {
            (void)transport_noted(&factory->base, status);
            break;
        }
    }
    if (__builtin_expect(factory->urgent, 0))
        remote_pay_urgent(factory);
}

/* Hot. */
cb_status remote_receive(transport_node *base, transport_buffer **out)
{
    remote_factory *factory = remote_factory_of(base->factory);
    remote_node *node = remote_node_of(base);
    cb_status status;

    for (uint64_t polls = 0;; polls++) {
        spin(factory, remote_next_slot(factory, node), base->rank);
        status = try_receive_locked(factory, node, out);
        if (status != CB_EMPTY)
            return status;
        remote_pause(factory, polls);
    }
}

/* Groups */

static cb_status take_from(transport_node *base, transport_buffer **out)
{
    return take(remote_factory_of(base->factory), remote_node_of(base), out);
}

/* Fail only if no rank of the group can send any more. */
static cb_status check_anybody_left(remote_factory *factory, const transport_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (!remote_is_silent(remote_node_of(group->nodes[i])))
            return CB_OK;
    return group->count > 0 ? report_closed(factory, remote_node_of(group->nodes[0])) : CB_OK;
}

/* Hot. From the turn to the end of the nodes, then, after a poll, from the first of them. */
static cb_status group_try_receive(remote_factory *factory, transport_group *group,
                                   transport_buffer **out, transport_node **from)
{
    cb_status status = transport_group_ask(group, take_from, out, from);

    if (status != CB_EMPTY)
        return status;
    group->turn = 0;
    CB_TRY(remote_progress(factory, -1));
    if (factory->ready > 0 || factory->any_lost) {
        status = transport_group_ask(group, take_from, out, from);
        if (status != CB_EMPTY)
            return status;
    }
    CB_TRY(check_anybody_left(factory, group));
    return remote_find_nothing(factory);
}

/* Hot. */
cb_status remote_group_try_receive(transport_group *group, transport_buffer **out,
                                   transport_node **from)
{
    remote_factory *factory = remote_factory_of(group->factory);
    cb_status status;

    transport_lock_take(&factory->lock);
    status = group_try_receive(factory, group, out, from);
    transport_lock_give(&factory->lock);
    return status;
}

/* Hot. */
cb_status remote_group_receive(transport_group *group, transport_buffer **out,
                               transport_node **from)
{
    remote_factory *factory = remote_factory_of(group->factory);
    cb_status status;

    for (uint64_t polls = 0; (status = remote_group_try_receive(group, out, from)) == CB_EMPTY;
         polls++)
        remote_pause(factory, polls);
    return status;
}
