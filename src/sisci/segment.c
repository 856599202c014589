/* Local segments: their states, connections, and membership of multicast groups.
 *
 * A group is all segments of one number with SCI_FLAG_BROADCAST; members may be in any processes on
 * any nodes of a job. In plain mode all members share one memory, so that one store reaches all. In
 * lossy mode, as on real adapters, each has its own, so that a store may reach one and not another.
 * The first member decides the mode. */
#include <stdlib.h>
#include <sys/mman.h>

#include "sisci/internal.h"
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
    case SISCI_OBJECT_ENDING:
        return SCI_ERR_CANCELLED;
    default:
        return SCI_ERR_SYSTEM;
    }
}

/* Remember the peer of a slot. If out of memory, its end is detected only when the segment is
 * removed. */
static void remember_peer(sci_local_segment_t segment, uint32_t slot, sisci_peer *peer)
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

/* Turn all changes of connections into events. */
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
        remember_peer(segment, slot,
                      connected ? sisci_peer_acquire(sisci_shm.job, who->node, &who->process)
                                : NULL);
    }
    sisci_shared_unlock(&control->lock);
    sisci_notify();
}

static bool poll_segment(sisci_resource *resource)
{
    sci_local_segment_t segment = segment_of(resource);
    sisci_control *control = sisci_control_of(&segment->object);

    for (uint32_t i = 0; i < segment->peer_room; i++)
        if (segment->peers[i] != NULL && sisci_peer_has_ended(segment->peers[i])) {
            sisci_shared_lock(&control->lock);
            if (sisci_connections_in_use(control, i))
                sisci_connections_cut(control, i);
            sisci_shared_unlock(&control->lock);
        }
    if (segment->changes_seen != atomic_load(&control->changes))
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

static sisci_name group_name(unsigned number)
{
    return sisci_name_numbered(sisci_shm.job, SISCI_BROADCAST_NODE, SISCI_KIND_GROUP, number);
}

/* The first member of a running process, opened; false: none. */
static bool open_any_member(unsigned number, sisci_object *member)
{
    sisci_name beginning = sisci_name_members(sisci_shm.job, SISCI_BROADCAST_NODE, number);
    sisci_names members;
    bool found = false;

    if (!sisci_names_list(&beginning, &members))
        return false;
    for (size_t i = 0; i < members.count && !found; i++) {
        if (sisci_object_open(&members.names[i], member) != SISCI_OBJECT_OK)
            continue;
        found = sisci_process_alive(&member->head->owner);
        if (!found)
            sisci_object_close(member);
    }
    sisci_names_free(&members);
    return found;
}

/* After a member's name was removed: remove the memory of the group if no member is left. The
 * registry is locked. */
static void leave_group(unsigned number)
{
    sisci_name name = group_name(number);

    if (sisci_object_is_stale(&name))
        sisci_object_unlink(&name);
}

/* Remove the name and cut all connections. */
static void withdraw_segment(sisci_resource *resource)
{
    sci_local_segment_t segment = segment_of(resource);
    sisci_control *control = sisci_control_of(&segment->object);
    int lock;

    report_changes(segment); /* so that all connected peers are known and their bells are rung */
    sisci_shared_lock(&control->lock);
    control->removed = 1;
    sisci_connections_cut_all(control);
    sisci_shared_unlock(&control->lock);
    ring_all(segment);
    if (segment->is_private || !sisci_registry_lock(&lock))
        return;
    sisci_object_unlink(&segment->object.name);
    if (segment->broadcast)
        leave_group(segment->id);
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

static sisci_object_status create_object(sci_local_segment_t segment, bool own_memory)
{
    size_t bytes = own_memory ? SISCI_CONTROL_BYTES + segment->size : SISCI_CONTROL_BYTES;
    sisci_object_status status;
    sisci_control *control;
    sisci_name name;

    if (segment->broadcast)
        name = sisci_name_of_process(sisci_shm.job, SISCI_BROADCAST_NODE, SISCI_KIND_MEMBER,
                                     segment->id, &sisci_shm.self, ++sisci_shm.serial);
    else if (segment->is_private)
        name = sisci_name_of_process(sisci_shm.job, sisci_shm.node, SISCI_KIND_PRIVATE, 0,
                                     &sisci_shm.self, ++sisci_shm.serial);
    else
        name = sisci_name_numbered(sisci_shm.job, sisci_shm.node, SISCI_KIND_SEGMENT, segment->id);
    status = sisci_object_create(&name, sisci_name_kind(&name), &sisci_shm.self, bytes,
                                 &segment->object);
    if (status != SISCI_OBJECT_OK)
        return status;
    control = sisci_control_of(&segment->object);
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

/* Join the group of that number, or create it. The registry is locked, so that the group is not
 * removed before the member is published. */
static sci_error_t create_member(sci_local_segment_t segment)
{
    sisci_name name = group_name(segment->id);
    bool own_memory = sisci_shm.faults.active;
    sisci_object_status status = SISCI_OBJECT_OK;
    sisci_object member;
    bool others = open_any_member(segment->id, &member);

    if (others) {
        const sisci_control *control = sisci_control_of(&member);
        bool same_size = control->size == segment->size;

        own_memory = control->own_memory;
        sisci_object_close(&member);
        if (!same_size)
            return SCI_ERR_ILLEGAL_PARAMETER;
    }
    if (!own_memory && others)
        status = sisci_object_open(&name, &segment->group);
    else if (!own_memory) {
        status = sisci_object_create(&name, SISCI_KIND_GROUP, &sisci_shm.self,
                                     SISCI_CONTROL_BYTES + segment->size, &segment->group);
        if (status == SISCI_OBJECT_OK)
            sisci_object_publish(&segment->group);
    }
    if (status != SISCI_OBJECT_OK)
        return error_of(status);
    status = create_object(segment, own_memory);
    if (status != SISCI_OBJECT_OK) {
        sisci_object_close(&segment->group);
        leave_group(segment->id);
    }
    return error_of(status);
}

static sci_error_t create_numbered(sci_local_segment_t segment, bool automatic)
{
    sisci_object_status status = create_object(segment, true);

    while (status == SISCI_OBJECT_EXISTS && automatic) {
        segment->id++;
        status = create_object(segment, true);
    }
    return error_of(status);
}

void SCICreateSegment(sci_desc_t sd, sci_local_segment_t *segment, unsigned int segmentId,
                      size_t size, sci_cb_local_segment_t callback, void *callbackArg,
                      unsigned int flags, sci_error_t *error)
{
    const bool private_group = (flags & FLAG_BROADCAST) != 0 && (flags & FLAG_PRIVATE) != 0;
    sci_local_segment_t created;
    int lock;

    *error = sisci_check_flags(
        flags, FLAG_USE_CALLBACK | FLAG_PRIVATE | FLAG_AUTO_ID | FLAG_BROADCAST, FLAG_EMPTY);
    if (*error == SCI_ERR_OK && (sd == NULL || segment == NULL || size == 0 || private_group ||
                                 size > SIZE_MAX / 2 - SISCI_CONTROL_BYTES ||
                                 ((flags & FLAG_USE_CALLBACK) != 0 && callback == NULL)))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
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
    if (!sisci_registry_lock(&lock))
        *error = SCI_ERR_SYSTEM;
    else {
        *error = created->broadcast ? create_member(created)
                                    : create_numbered(created, (flags & FLAG_AUTO_ID) != 0);
        sisci_registry_unlock(lock);
    }
    if (*error == SCI_ERR_OK)
        sisci_resource_add(&created->resource, &segment_class, sd);
    sisci_unlock();
    if (*error == SCI_ERR_OK)
        *segment = created;
    else
        free(created);
}
SISCI_EXPORT(SCICreateSegment);

static sci_error_t check_segment(sci_local_segment_t segment, unsigned adapter, unsigned flags,
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
    *error = check_segment(segment, localAdapterNo, flags, FLAG_DMA_SOURCE_ONLY | FLAG_BROADCAST);
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

void SCISetSegmentAvailable(sci_local_segment_t segment, unsigned int localAdapterNo,
                            unsigned int flags, sci_error_t *error)
{
    *error = check_segment(segment, localAdapterNo, flags, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    if (segment->is_private)
        *error = SCI_ERR_ILLEGAL_OPERATION;
    else if (!segment->prepared)
        *error = SCI_ERR_SEGMENT_NOT_PREPARED;
    else {
        sisci_control *control = sisci_control_of(&segment->object);

        sisci_shared_lock(&control->lock);
        control->available = 1;
        sisci_shared_unlock(&control->lock);
    }
    sisci_unlock();
}
SISCI_EXPORT(SCISetSegmentAvailable);

void SCISetSegmentUnavailable(sci_local_segment_t segment, unsigned int localAdapterNo,
                              unsigned int flags, sci_error_t *error)
{
    sisci_control *control;
    bool available;

    *error = check_segment(segment, localAdapterNo, flags, FLAG_NOTIFY | FLAG_FORCE_DISCONNECT);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    report_changes(segment); /* so that all connected peers are known */
    control = sisci_control_of(&segment->object);
    sisci_shared_lock(&control->lock);
    available = control->available;
    control->available = 0;
    if (available && (flags & FLAG_NOTIFY) != 0)
        sisci_connections_ask_all(control);
    if (available && (flags & FLAG_FORCE_DISCONNECT) != 0)
        sisci_connections_cut_all(control);
    sisci_shared_unlock(&control->lock);
    if (available) {
        ring_all(segment);
        report_changes(segment);
        sisci_presence_ring(); /* for the callbacks of cut connections */
    } else
        *error = SCI_ERR_ILLEGAL_OPERATION;
    sisci_unlock();
}
SISCI_EXPORT(SCISetSegmentUnavailable);

void SCIRemoveSegment(sci_local_segment_t segment, unsigned int flags, sci_error_t *error)
{
    sisci_control *control;
    bool connected;

    *error = check_segment(segment, 0, flags, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    if (segment->maps > 0 || segment->transfers > 0 || sisci_is_callback_of(&segment->resource)) {
        *error = SCI_ERR_BUSY;
        goto unlock;
    }
    control = sisci_control_of(&segment->object);
    sisci_shared_lock(&control->lock);
    connected = sisci_connections_cut_ended(control) > 0;
    if (!connected)
        control->removed = 1; /* no process can connect from now on */
    sisci_shared_unlock(&control->lock);
    if (connected) {
        *error = SCI_ERR_BUSY;
        goto unlock;
    }
    sisci_resource_retire(&segment->resource);
    sisci_resource_destroy(&segment->resource);

unlock:
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

    *error = check_segment(segment, 0, flags, 0);
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
