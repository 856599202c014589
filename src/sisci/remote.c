/* Remote segments: connections to segments and groups. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sisci/internal.h"
#include "sisci/sisci_api.h"

static sci_remote_segment_t segment_of(sisci_resource *resource)
{
    return (sci_remote_segment_t)resource; /* its first member */
}

const sisci_object *sisci_remote_data(sci_remote_segment_t segment)
{
    return segment->group.head != NULL ? &segment->group : &segment->connections[0].object;
}

bool sisci_remote_is_split(sci_remote_segment_t segment)
{
    return segment->broadcast && segment->group.head == NULL;
}

bool sisci_remote_open_wire(sci_remote_segment_t segment, size_t offset, size_t size,
                            sisci_wire *wire)
{
    const size_t before = offset % (size_t)sysconf(_SC_PAGESIZE);
    const bool shared = segment->group.head != NULL;
    const size_t count = shared ? 1 : segment->count;
    /* Each wire has its own stream of random faults, by segment, connection and serial number. */
    const uint64_t stream = ((uint64_t)segment->id << 32) ^ ((uint64_t)segment->node << 16) ^
                            ((uint64_t)segment->connections[0].ticket.slot << 48) ^
                            ++sisci_shm.serial;

    if (!sisci_wire_initialise(wire, count, before, size, &segment->session, &sisci_shm.faults,
                               stream))
        return false;
    for (size_t i = 0; i < count; i++) {
        const sisci_object *target = shared ? &segment->group : &segment->connections[i].object;
        void *mapping = sisci_object_map(target, offset - before, before + size,
                                         PROT_READ | PROT_WRITE, MAP_POPULATE, NULL);

        if (mapping == NULL) {
            sisci_wire_destroy(wire);
            return false;
        }
        sisci_wire_add(wire, mapping);
    }
    return true;
}

static void put_event(sci_remote_segment_t segment, sci_segment_cb_reason_t reason)
{
    sisci_events_put(&segment->events, reason, segment->node);
    sisci_notify();
}

static bool poll_segment(sisci_resource *resource)
{
    sci_remote_segment_t segment = segment_of(resource);
    bool lost_one = false, left_one = false;

    for (size_t i = 0; i < segment->count; i++) {
        sisci_connection *connection = &segment->connections[i];
        const sisci_control *control = sisci_control_of(&connection->object);

        if (connection->lost)
            continue;
        if (sisci_connections_was_asked(control, &connection->ticket))
            put_event(segment, SCI_CB_DISCONNECT);
        if (!sisci_connections_is_cut(control, &connection->ticket) &&
            !sisci_peer_has_ended(connection->peer)) {
            left_one = true;
            continue;
        }
        connection->lost = lost_one = true;
        put_event(segment, SCI_CB_LOST);
    }
    /* Transfers fail only when the last connection is lost: a group may lose members. */
    if (lost_one && !left_one)
        sisci_session_lose(&segment->session);
    return segment->callback != NULL && segment->events.count > 0;
}

static void deliver_event(sisci_resource *resource)
{
    sci_remote_segment_t segment = segment_of(resource);
    sci_cb_remote_segment_t callback = segment->callback;
    sci_callback_action_t action;
    sisci_event event;

    sisci_events_take(&segment->events, &event);
    sisci_callback_begin(resource);
    action = callback(segment->callback_argument, segment, event.reason, SCI_ERR_OK);
    sisci_callback_end(resource);
    if (action == SCI_CALLBACK_CANCEL)
        segment->callback = NULL;
}

/* Connections that were already released, or cut by the owner, are skipped. */
static void withdraw_connections(sisci_resource *resource)
{
    sci_remote_segment_t segment = segment_of(resource);

    for (size_t i = 0; i < segment->count; i++) {
        sisci_connection *connection = &segment->connections[i];

        if (sisci_connections_give(sisci_control_of(&connection->object), &connection->ticket))
            sisci_peer_ring(connection->peer);
    }
}

static void release_segment(sisci_resource *resource)
{
    sci_remote_segment_t segment = segment_of(resource);

    if (segment->dma_wire != NULL)
        sisci_wire_destroy(segment->dma_wire);
    free(segment->dma_wire);
    for (size_t i = 0; i < segment->count; i++) {
        sisci_peer_release(segment->connections[i].peer);
        sisci_object_close(&segment->connections[i].object);
    }
    free(segment->connections);
    sisci_object_close(&segment->group);
    sisci_events_free(&segment->events);
    sisci_session_destroy(&segment->session);
    free(segment);
}

static const sisci_class remote_class = {.poll = poll_segment,
                                         .deliver = deliver_event,
                                         .withdraw = withdraw_connections,
                                         .release = release_segment};

/* Connect to the object of that name; its owner must be running, since its bell is rung. */
static sci_error_t connect_object(sci_remote_segment_t segment, const sisci_name *name)
{
    sisci_connection *connection = &segment->connections[segment->count];
    sci_error_t error = SCI_ERR_NO_SUCH_SEGMENT;
    sisci_control *control;

    switch (sisci_object_open(name, &connection->object)) {
    case SISCI_OBJECT_OK:
        break;
    case SISCI_OBJECT_ABSENT:
        return SCI_ERR_NO_SUCH_SEGMENT;
    default:
        return SCI_ERR_SYSTEM;
    }
    control = sisci_control_of(&connection->object);
    if (sisci_process_alive(&control->head.owner))
        connection->peer = sisci_peer_acquire(sisci_shm.job, control->node, &control->head.owner);
    if (connection->peer == NULL)
        goto close_object;
    switch (sisci_connections_take(control, sisci_shm.node, &sisci_shm.self, &connection->ticket)) {
    case SISCI_CONNECT_OK:
        sisci_peer_ring(connection->peer);
        segment->size = control->size;
        segment->count++;
        return SCI_ERR_OK;
    case SISCI_CONNECT_REFUSED:
        error = SCI_ERR_CONNECTION_REFUSED;
        break;
    case SISCI_CONNECT_FULL:
        error = SCI_ERR_API_NOSPC;
        break;
    case SISCI_CONNECT_REMOVED:
        break;
    }
    sisci_peer_release(connection->peer);
    connection->peer = NULL;

close_object:
    sisci_object_close(&connection->object);
    return error;
}

static sci_error_t connect_node(sci_remote_segment_t segment)
{
    sisci_name name =
        sisci_name_numbered(sisci_shm.job, segment->node, SISCI_KIND_SEGMENT, segment->id);
    sci_error_t error;

    segment->connections = calloc(1, sizeof(*segment->connections));
    if (segment->connections == NULL)
        return SCI_ERR_API_NOSPC;
    error = connect_object(segment, &name);
    if (error == SCI_ERR_NO_SUCH_SEGMENT && !sisci_node_exists(sisci_shm.job, segment->node))
        return SCI_ERR_NO_SUCH_NODEID;
    return error;
}

/* Connect to all available members and open the memory that they share. If none is available, the
 * error is that of a member that refuses, if there is one. */
static sci_error_t connect_group(sci_remote_segment_t segment)
{
    sisci_name name =
        sisci_name_numbered(sisci_shm.job, SISCI_BROADCAST_NODE, SISCI_KIND_GROUP, segment->id);
    sisci_name beginning = sisci_name_members(sisci_shm.job, SISCI_BROADCAST_NODE, segment->id);
    sci_error_t reason = SCI_ERR_NO_SUCH_SEGMENT;
    sisci_names members;

    if (!sisci_names_list(&beginning, &members))
        return SCI_ERR_SYSTEM;
    segment->connections = calloc(members.count + 1, sizeof(*segment->connections));
    if (segment->connections == NULL)
        reason = SCI_ERR_API_NOSPC;
    for (size_t i = 0; i < members.count && segment->connections != NULL; i++) {
        sci_error_t error = connect_object(segment, &members.names[i]);

        if (error != SCI_ERR_OK && error != SCI_ERR_NO_SUCH_SEGMENT)
            reason = error;
    }
    sisci_names_free(&members);
    if (segment->count == 0)
        return reason;
    if (sisci_control_of(&segment->connections[0].object)->own_memory)
        return SCI_ERR_OK;
    return sisci_object_open(&name, &segment->group) == SISCI_OBJECT_OK ? SCI_ERR_OK
                                                                        : SCI_ERR_NO_SUCH_SEGMENT;
}

void SCIConnectSegment(sci_desc_t sd, sci_remote_segment_t *segment, unsigned int nodeId,
                       unsigned int segmentId, unsigned int localAdapterNo,
                       sci_cb_remote_segment_t callback, void *callbackArg, unsigned int timeout,
                       unsigned int flags, sci_error_t *error)
{
    sci_remote_segment_t made;

    (void)timeout;
    *error =
        sisci_check_flags(flags, FLAG_USE_CALLBACK | FLAG_BROADCAST, FLAG_ASYNCHRONOUS_CONNECT);
    if (*error == SCI_ERR_OK &&
        (sd == NULL || segment == NULL || ((flags & FLAG_USE_CALLBACK) != 0 && callback == NULL)))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error == SCI_ERR_OK)
        *error = sisci_check_adapter(localAdapterNo);
    if (*error == SCI_ERR_OK && (flags & FLAG_BROADCAST) == 0)
        *error = sisci_check_node(&nodeId);
    else if (*error == SCI_ERR_OK && nodeId != SISCI_BROADCAST_NODE)
        *error = SCI_ERR_ILLEGAL_NODEID;
    if (*error != SCI_ERR_OK)
        return;
    made = calloc(1, sizeof(*made));
    if (made == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return;
    }
    made->group.file = -1;
    made->node = nodeId;
    made->id = segmentId;
    made->broadcast = (flags & FLAG_BROADCAST) != 0;
    made->has_callback = (flags & FLAG_USE_CALLBACK) != 0;
    made->callback = made->has_callback ? callback : NULL;
    made->callback_argument = callbackArg;
    sisci_session_initialise(&made->session);
    sisci_lock();
    *error = made->broadcast ? connect_group(made) : connect_node(made);
    if (*error == SCI_ERR_OK) {
        sisci_resource_add(&made->resource, &remote_class, sd);
        sisci_presence_ring(); /* so that the library's thread watches the owner */
        *segment = made;
    } else {
        withdraw_connections(&made->resource);
        release_segment(&made->resource);
    }
    sisci_unlock();
}
SISCI_EXPORT(SCIConnectSegment);

static sci_error_t check_segment(sci_remote_segment_t segment, unsigned flags)
{
    return segment == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
}

void SCIDisconnectSegment(sci_remote_segment_t segment, unsigned int flags, sci_error_t *error)
{
    *error = check_segment(segment, flags);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    if (segment->maps > 0 || segment->transfers > 0 || sisci_is_callback_of(&segment->resource))
        *error = SCI_ERR_BUSY;
    else {
        sisci_resource_retire(&segment->resource);
        sisci_resource_destroy(&segment->resource);
    }
    sisci_unlock();
}
SISCI_EXPORT(SCIDisconnectSegment);

size_t SCIGetRemoteSegmentSize(sci_remote_segment_t segment)
{
    return segment->size;
}
SISCI_EXPORT(SCIGetRemoteSegmentSize);

unsigned int SCIGetRemoteSegmentId(sci_remote_segment_t segment)
{
    return segment->id;
}
SISCI_EXPORT(SCIGetRemoteSegmentId);

unsigned int SCIGetRemoteSegmentNodeId(sci_remote_segment_t segment)
{
    return segment->node;
}
SISCI_EXPORT(SCIGetRemoteSegmentNodeId);

sci_segment_cb_reason_t SCIWaitForRemoteSegmentEvent(sci_remote_segment_t segment,
                                                     sci_error_t *status, unsigned int timeout,
                                                     unsigned int flags, sci_error_t *error)
{
    sisci_event event = {0};

    *error = check_segment(segment, flags);
    if (*error == SCI_ERR_OK && status == NULL)
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error != SCI_ERR_OK)
        return event.reason;
    sisci_lock();
    if (segment->has_callback)
        *error = SCI_ERR_ILLEGAL_OPERATION;
    else
        *error = sisci_events_await(&segment->resource, &segment->events, timeout, &event);
    sisci_unlock();
    *status = SCI_ERR_OK;
    return event.reason;
}
SISCI_EXPORT(SCIWaitForRemoteSegmentEvent);
