/* A remote segment: disconnected -> connected -> mapped, and back. */
#include "transport/sci/sisci.h"

#include "base/clock.h"

static const uint64_t connect_within_ns = UINT64_C(5000000000), connect_pause_ns = 1000000;

static bool may_come(sci_error_t error)
{
    return error == SCI_ERR_NO_SUCH_SEGMENT || error == SCI_ERR_CONNECTION_REFUSED ||
           error == SCI_ERR_NO_SUCH_NODEID;
}

static cb_status connect_to(sci_remote *segment, const sci_device *device, unsigned node_id,
                            unsigned id, unsigned flags)
{
    const uint64_t until_ns = cb_now_ns() + connect_within_ns;
    sci_error_t error;

    for (;;) {
        SCIConnectSegment(device->handle, &segment->handle, node_id, id, SCI_ADAPTER, NULL, NULL,
                          SCI_INFINITE_TIMEOUT, flags, &error);
        if (!may_come(error) || cb_now_ns() > until_ns)
            break;
        cb_sleep_ns(connect_pause_ns);
    }
    if (error != SCI_ERR_OK)
        return sci_failed("connect to the segment", node_id, id, error,
                          "its process has ended, or node_id or recv_seg_id is wrong");
    segment->node_id = node_id;
    segment->id = id;
    segment->size = SCIGetRemoteSegmentSize(segment->handle);
    segment->state = SCI_REMOTE_CONNECTED;
    return CB_OK;
}

cb_status sci_remote_connect(sci_remote *segment, const sci_device *device, unsigned node_id,
                             unsigned id)
{
    return connect_to(segment, device, node_id, id, 0);
}

cb_status sci_remote_connect_group(sci_remote *segment, const sci_device *device, unsigned id)
{
    segment->group = true;
    return connect_to(segment, device, DIS_BROADCAST_NODEID_GROUP_ALL, id, SCI_FLAG_BROADCAST);
}

cb_status sci_remote_map(sci_remote *segment)
{
    sci_error_t error;

    segment->address = (volatile unsigned char *)SCIMapRemoteSegment(
        segment->handle, &segment->map, 0, segment->size, NULL,
        segment->group ? SCI_FLAG_BROADCAST : 0, &error);
    if (error != SCI_ERR_OK)
        return sci_failed("map the segment", segment->node_id, segment->id, error,
                          "lower recv_seg_size");
    segment->state = SCI_REMOTE_MAPPED;
    return CB_OK;
}

void sci_remote_disconnect(sci_remote *segment)
{
    sci_error_t ignored;

    if (segment->state >= SCI_REMOTE_MAPPED)
        SCIUnmapSegment(segment->map, 0, &ignored);
    if (segment->state >= SCI_REMOTE_CONNECTED)
        SCIDisconnectSegment(segment->handle, 0, &ignored);
    *segment = (sci_remote){.state = SCI_REMOTE_DISCONNECTED};
}
