/* Local segments: their states, and what happens to them. */
#include "sisci/segment.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "sisci/constants.h"
#include "sisci/export.h"
#include "sisci/multicast.h"
#include "sisci/shared.h"
#include "sisci/sisci_api.h"

static sci_local_segment_t segment_of(sisci_resource *resource)
{
    return (sci_local_segment_t)resource; /* its first member */
}

static sci_error_t error_of(sisci_object_status status)
{
    switch (status) {
    case SISCI_OBJECT_OK:
        return SCI_ERR_OK;
    case SISCI_OBJECT_EXISTS:
        return SCI_ERR_SEGMENTID_USED;
    case SISCI_OBJECT_NO_ROOM:
        return SCI_ERR_NOSPC;
    default:
        return SCI_ERR_SYSTEM;
    }
}

/* Who is connected is kept by slot; where memory is short its end is noticed only by a removal. */
static void note_peer(sci_local_segment_t segment, uint32_t slot, sisci_peer *peer)
{
    if (slot >= segment->peer_room) {
        size_t room = slot + 16;
        sisci_peer **peers = realloc(segment->peers, room * sizeof(sisci_peer *));

        if (peers == NULL) {
            sisci_peer_release(peer);
            return;
        }
        for (size_t i = segment->peer_room; i < room; i++)
            peers[i] = NULL;
        segment->peers = peers;
        segment->peer_room = room;
    }
    sisci_peer_release(segment->peers[slot]);
    segment->peers[slot] = peer;
}

static void cut_those_who_ended(sci_local_segment_t segment)
{
    sisci_control *control = sisci_control_of(&segment->object);

    for (uint32_t i = 0; i < segment->peer_room; i++)
        if (segment->peers[i] != NULL && sisci_peer_has_ended(segment->peers[i])) {
            sisci_shared_lock(&control->lock);
            if (sisci_connections_in_use(control, i))
                sisci_connections_cut(control, i);
            sisci_shared_unlock(&control->lock);
        }
}

static void report_changes(sci_local_segment_t segment)
{
    sisci_control *control = sisci_control_of(&segment->object);
    uint32_t slot;
    bool connected;

    sisci_shared_lock(&control->lock);
    segment->changes_seen = atomic_load(&control->changes);
    while (sisci_connections_next_change(control, &slot, &connected)) {
        const sisci_slot *who = &control->slots[slot];

        sisci_events_put(&segment->events, connected ? SCI_CB_CONNECT : SCI_CB_DISCONNECT,
                         who->node);
        note_peer(segment, slot,
                  connected ? sisci_peer_acquire(sisci_shm.job, who->node, &who->process) : NULL);
    }
    sisci_shared_unlock(&control->lock);
    sisci_notify();
}

static bool poll_segment(sisci_resource *resource)
{
    sci_local_segment_t segment = segment_of(resource);

    cut_those_who_ended(segment);
    if (segment->changes_seen != atomic_load(&sisci_control_of(&segment->object)->changes))
        report_changes(segment);
    return segment->callback != NULL && segment->events.count > 0;
}

static void deliver_event(sisci_resource *resource)
{
    sci_local_segment_t segment = segment_of(resource);
    sci_cb_local_segment_t callback = segment->callback;
    sci_callback_action_t action;
    sisci_event event;

    sisci_events_take(&segment->events, &event);
    sisci_callback_begin(resource);
    action = callback(segment->callback_argument, segment, event.reason, event.node, 0, SCI_ERR_OK);
    sisci_callback_end(resource);
    if (action == SCI_CALLBACK_CANCEL)
        segment->callback = NULL;
}

static void ring_all(sci_local_segment_t segment)
{
    for (size_t i = 0; i < segment->peer_room; i++)
        if (segment->peers[i] != NULL)
            sisci_peer_ring(segment->peers[i]);
}

/* Take the name away, and cut those who are connected. */
static void withdraw_segment(sisci_resource *resource)
{
    sci_local_segment_t segment = segment_of(resource);
    sisci_control *control = sisci_control_of(&segment->object);
    int lock;

    report_changes(segment); /* so that all who are connected are known, and hear of it */
    sisci_shared_lock(&control->lock);
    control->removed = 1;
    sisci_connections_cut_all(control);
    sisci_shared_unlock(&control->lock);
    ring_all(segment);
    if (segment->is_private || !sisci_registry_lock(&lock))
        return;
    sisci_object_unlink(&segment->object.name);
    if (segment->broadcast)
        sisci_multicast_leave(segment->id);
    sisci_registry_unlock(lock);
}

static void release_segment(sisci_resource *resource)
{
    sci_local_segment_t segment = segment_of(resource);

    for (size_t i = 0; i < segment->peer_room; i++)
        sisci_peer_release(segment->peers[i]);
    free(segment->peers);
    if (segment->dma_memory != NULL)
        munmap(segment->dma_memory, segment->size);
    sisci_events_free(&segment->events);
    sisci_object_close(&segment->object);
    sisci_object_close(&segment->group);
    free(segment);
}

static const sisci_class segment_class = {.poll = poll_segment,
                                          .deliver = deliver_event,
                                          .withdraw = withdraw_segment,
                                          .release = release_segment};

static sisci_name name_of(sci_local_segment_t segment)
{
    if (segment->broadcast)
        return sisci_name_of_process(sisci_shm.job, SISCI_BROADCAST_NODE, SISCI_KIND_MEMBER,
                                     segment->id, &sisci_shm.self, ++sisci_shm.serial);
    if (segment->is_private)
        return sisci_name_of_process(sisci_shm.job, sisci_shm.node, SISCI_KIND_PRIVATE, 0,
                                     &sisci_shm.self, ++sisci_shm.serial);
    return sisci_name_numbered(sisci_shm.job, sisci_shm.node, SISCI_KIND_SEGMENT, segment->id);
}

static sisci_object_status create_object(sci_local_segment_t segment, bool own_memory)
{
    sisci_name name = name_of(segment);
    size_t bytes = own_memory ? SISCI_CONTROL_BYTES + segment->size : SISCI_CONTROL_BYTES;
    sisci_object_status status = sisci_object_create(&name, sisci_name_kind(&name), &sisci_shm.self,
                                                     bytes, &segment->object);
    sisci_control *control = sisci_control_of(&segment->object);

    if (status != SISCI_OBJECT_OK)
        return status;
    control->node = sisci_shm.node;
    control->segment_id = segment->id;
    control->size = segment->size;
    control->own_memory = own_memory;
    if (!sisci_shared_mutex_initialise(&control->lock)) {
        sisci_object_unlink(&name);
        sisci_object_close(&segment->object);
        return SISCI_OBJECT_NO_ROOM;
    }
    sisci_object_publish(&segment->object);
    if (segment->is_private)
        sisci_object_unlink(&name);
    return SISCI_OBJECT_OK;
}

static sci_error_t create_member(sci_local_segment_t segment)
{
    sisci_membership membership;
    sisci_object_status status;

    switch (sisci_multicast_join(segment->id, segment->size, &membership, &status)) {
    case SISCI_JOIN_OTHER_SIZE:
        return SCI_ERR_ILLEGAL_PARAMETER;
    case SISCI_JOIN_FAILED:
        return error_of(status);
    case SISCI_JOIN_OK:
        break;
    }
    segment->group = membership.group;
    status = create_object(segment, membership.own_memory);
    if (status != SISCI_OBJECT_OK) {
        sisci_object_close(&segment->group);
        sisci_multicast_leave(segment->id);
    }
    return error_of(status);
}

static sci_error_t create_objects(sci_local_segment_t segment, bool automatic)
{
    sisci_object_status status;

    if (segment->broadcast)
        return create_member(segment);
    status = create_object(segment, true);
    while (status == SISCI_OBJECT_EXISTS && automatic) {
        segment->id++;
        status = create_object(segment, true);
    }
    return error_of(status);
}

static sci_error_t create(sci_desc_t sd, sci_local_segment_t segment, bool automatic)
{
    sci_error_t error;
    int lock;

    if (!sisci_registry_lock(&lock))
        return SCI_ERR_SYSTEM;
    error = create_objects(segment, automatic);
    sisci_registry_unlock(lock);
    if (error == SCI_ERR_OK)
        sisci_resource_add(&segment->resource, &segment_class, sd);
    return error;
}

static sci_error_t check_create(sci_desc_t sd, const sci_local_segment_t *segment, size_t size,
                                sci_cb_local_segment_t callback, unsigned flags)
{
    sci_error_t error = sisci_check_flags(
        flags, FLAG_USE_CALLBACK | FLAG_PRIVATE | FLAG_AUTO_ID | FLAG_BROADCAST, FLAG_EMPTY);
    bool private_group = (flags & FLAG_BROADCAST) != 0 && (flags & FLAG_PRIVATE) != 0;

    if (error != SCI_ERR_OK)
        return error;
    if (sd == NULL || segment == NULL || size == 0 || private_group ||
        size > SIZE_MAX / 2 - SISCI_CONTROL_BYTES ||
        ((flags & FLAG_USE_CALLBACK) != 0 && callback == NULL))
        return SCI_ERR_ILLEGAL_PARAMETER;
    return SCI_ERR_OK;
}

void SCICreateSegment(sci_desc_t sd, sci_local_segment_t *segment, unsigned int segmentId,
                      size_t size, sci_cb_local_segment_t callback, void *callbackArg,
                      unsigned int flags, sci_error_t *error)
{
    sci_local_segment_t created;

    *error = check_create(sd, segment, size, callback, flags);
    if (*error != SCI_ERR_OK)
        return;
    created = calloc(1, sizeof(*created));
    if (created == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return;
    }
    created->object.file = created->group.file = -1;
    created->id = segmentId;
    created->size = size;
    created->is_private = (flags & FLAG_PRIVATE) != 0;
    created->broadcast = (flags & FLAG_BROADCAST) != 0;
    created->has_callback = (flags & FLAG_USE_CALLBACK) != 0;
    created->callback = created->has_callback ? callback : NULL;
    created->callback_argument = callbackArg;
    sisci_lock();
    *error = create(sd, created, (flags & FLAG_AUTO_ID) != 0);
    sisci_unlock();
    if (*error == SCI_ERR_OK)
        *segment = created;
    else
        free(created);
}
SISCI_EXPORT(SCICreateSegment);

static sci_error_t check(sci_local_segment_t segment, unsigned adapter, unsigned flags,
                         unsigned legal)
{
    sci_error_t error = sisci_check_flags(flags, legal, 0);

    if (error == SCI_ERR_OK && segment == NULL)
        error = SCI_ERR_ILLEGAL_PARAMETER;
    return error == SCI_ERR_OK ? sisci_check_adapter(adapter) : error;
}

void SCIPrepareSegment(sci_local_segment_t segment, unsigned int localAdapterNo, unsigned int flags,
                       sci_error_t *error)
{
    *error = check(segment, localAdapterNo, flags, FLAG_DMA_SOURCE_ONLY | FLAG_BROADCAST);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    if (segment->broadcast != ((flags & FLAG_BROADCAST) != 0))
        *error = SCI_ERR_ILLEGAL_FLAG;
    else
        segment->prepared = true;
    sisci_unlock();
}
SISCI_EXPORT(SCIPrepareSegment);

static sci_error_t set_available(sci_local_segment_t segment)
{
    sisci_control *control = sisci_control_of(&segment->object);

    if (segment->is_private)
        return SCI_ERR_ILLEGAL_OPERATION;
    if (!segment->prepared)
        return SCI_ERR_SEGMENT_NOT_PREPARED;
    sisci_shared_lock(&control->lock);
    control->available = 1;
    sisci_shared_unlock(&control->lock);
    return SCI_ERR_OK;
}

void SCISetSegmentAvailable(sci_local_segment_t segment, unsigned int localAdapterNo,
                            unsigned int flags, sci_error_t *error)
{
    *error = check(segment, localAdapterNo, flags, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    *error = set_available(segment);
    sisci_unlock();
}
SISCI_EXPORT(SCISetSegmentAvailable);

static sci_error_t set_unavailable(sci_local_segment_t segment, unsigned flags)
{
    sisci_control *control = sisci_control_of(&segment->object);
    bool available;

    report_changes(segment);
    sisci_shared_lock(&control->lock);
    available = control->available;
    control->available = 0;
    if (available && (flags & FLAG_NOTIFY) != 0)
        sisci_connections_ask_all(control);
    if (available && (flags & FLAG_FORCE_DISCONNECT) != 0)
        sisci_connections_cut_all(control);
    sisci_shared_unlock(&control->lock);
    if (!available)
        return SCI_ERR_ILLEGAL_OPERATION;
    ring_all(segment);
    report_changes(segment);
    sisci_presence_ring(); /* for the callbacks of what was cut */
    return SCI_ERR_OK;
}

void SCISetSegmentUnavailable(sci_local_segment_t segment, unsigned int localAdapterNo,
                              unsigned int flags, sci_error_t *error)
{
    *error = check(segment, localAdapterNo, flags, FLAG_NOTIFY | FLAG_FORCE_DISCONNECT);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    *error = set_unavailable(segment, flags);
    sisci_unlock();
}
SISCI_EXPORT(SCISetSegmentUnavailable);

/* From then on nobody can connect, unless the segment is busy. */
static bool close_to_connections(sci_local_segment_t segment)
{
    sisci_control *control = sisci_control_of(&segment->object);
    bool closed;

    sisci_shared_lock(&control->lock);
    closed = sisci_connections_bury(control) == 0;
    if (closed)
        control->removed = 1;
    sisci_shared_unlock(&control->lock);
    return closed;
}

static sci_error_t remove_segment(sci_local_segment_t segment)
{
    if (segment->maps > 0 || segment->transfers > 0 || sisci_is_callback_of(&segment->resource) ||
        !close_to_connections(segment))
        return SCI_ERR_BUSY;
    sisci_resource_retire(&segment->resource);
    sisci_resource_destroy(&segment->resource);
    return SCI_ERR_OK;
}

void SCIRemoveSegment(sci_local_segment_t segment, unsigned int flags, sci_error_t *error)
{
    *error = check(segment, 0, flags, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    *error = remove_segment(segment);
    sisci_unlock();
}
SISCI_EXPORT(SCIRemoveSegment);

unsigned int SCIGetLocalSegmentId(sci_local_segment_t segment)
{
    return segment->id;
}
SISCI_EXPORT(SCIGetLocalSegmentId);

size_t SCIGetLocalSegmentSize(sci_local_segment_t segment)
{
    return segment->size;
}
SISCI_EXPORT(SCIGetLocalSegmentSize);

sci_segment_cb_reason_t SCIWaitForLocalSegmentEvent(sci_local_segment_t segment,
                                                    unsigned int *sourcenodeId,
                                                    unsigned int *localAdapterNo,
                                                    unsigned int timeout, unsigned int flags,
                                                    sci_error_t *error)
{
    sisci_event event = {0};

    *error = check(segment, 0, flags, 0);
    if (*error == SCI_ERR_OK && (sourcenodeId == NULL || localAdapterNo == NULL))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error != SCI_ERR_OK)
        return event.reason;
    sisci_lock();
    if (segment->has_callback)
        *error = SCI_ERR_ILLEGAL_OPERATION;
    else
        *error = sisci_events_await(&segment->resource, &segment->events, timeout, &event);
    sisci_unlock();
    *sourcenodeId = event.node;
    *localAdapterNo = 0;
    return event.reason;
}
SISCI_EXPORT(SCIWaitForLocalSegmentEvent);
