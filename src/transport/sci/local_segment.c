/* A local segment: destroyed -> created -> mapped -> available, and back. */
#include "transport/sci/sisci.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"

enum { ID_TRIES = 256, REMOVE_PAUSE_NS = 50000, REMOVE_PAUSE_MOST_NS = 2000000 };

static cb_status prepare(sci_local *segment, unsigned flags)
{
    sci_error_t error, ignored;

    SCIPrepareSegment(segment->handle, SCI_ADAPTER, flags, &error);
    if (error == SCI_ERR_OK)
        return CB_OK;
    SCIRemoveSegment(segment->handle, 0, &ignored);
    return sci_failed("prepare the local segment", 0, segment->id, error, "check the adapter");
}

cb_status sci_local_create(sci_local *segment, const sci_device *device, unsigned first,
                           unsigned stride, size_t size)
{
    sci_error_t error = SCI_ERR_SEGMENTID_USED;
    unsigned id = first;

    for (int tries = 0; error == SCI_ERR_SEGMENTID_USED && tries < ID_TRIES; tries++) {
        id = first + (unsigned)tries * stride;
        SCICreateSegment(device->handle, &segment->handle, id, size, NULL, NULL, 0, &error);
    }
    if (error != SCI_ERR_OK) {
        cb_error("SISCI cannot create the local segment %u of %zu bytes: %s; free shared memory "
                 "(/dev/shm), lower recv_buffer_no or recv_buffer_size, or change recv_seg_id",
                 id, size, SCIGetErrorString(error));
        return CB_ERROR_MEMORY;
    }
    segment->id = id;
    segment->size = size;
    CB_TRY(prepare(segment, 0));
    segment->state = SCI_LOCAL_CREATED;
    return CB_OK;
}

cb_status sci_local_join(sci_local *segment, const sci_device *device, unsigned id, size_t size)
{
    sci_error_t error;

    SCICreateSegment(device->handle, &segment->handle, id, size, NULL, NULL, SCI_FLAG_BROADCAST,
                     &error);
    if (error != SCI_ERR_OK)
        return sci_failed("create a member of the multicast group", DIS_BROADCAST_NODEID_GROUP_ALL,
                          id, error, "free shared memory (/dev/shm), or use --multicast loop");
    segment->id = id;
    segment->size = size;
    CB_TRY(prepare(segment, SCI_FLAG_BROADCAST));
    segment->state = SCI_LOCAL_CREATED;
    return CB_OK;
}

bool sci_local_can_join(const sci_device *device, unsigned id)
{
    sci_local_segment_t handle;
    sci_error_t error, ignored;

    SCICreateSegment(device->handle, &handle, id, CB_SCI_LINE_BYTES, NULL, NULL, SCI_FLAG_BROADCAST,
                     &error);
    if (error != SCI_ERR_OK)
        return false;
    SCIPrepareSegment(handle, SCI_ADAPTER, SCI_FLAG_BROADCAST, &error);
    SCIRemoveSegment(handle, 0, &ignored);
    return error == SCI_ERR_OK;
}

cb_status sci_local_map(sci_local *segment)
{
    sci_error_t error;

    segment->address =
        SCIMapLocalSegment(segment->handle, &segment->map, 0, segment->size, NULL, 0, &error);
    if (error != SCI_ERR_OK)
        return sci_failed("map the local segment", 0, segment->id, error, "lower recv_seg_size");
    segment->state = SCI_LOCAL_MAPPED;
    return CB_OK;
}

cb_status sci_local_offer(sci_local *segment)
{
    sci_error_t error;

    SCISetSegmentAvailable(segment->handle, SCI_ADAPTER, 0, &error);
    if (error != SCI_ERR_OK)
        return sci_failed("offer the local segment", 0, segment->id, error, "check the adapter");
    segment->state = SCI_LOCAL_AVAILABLE;
    return CB_OK;
}

bool sci_local_try_destroy(sci_local *segment)
{
    sci_error_t error = SCI_ERR_OK, ignored;

    if (segment->state >= SCI_LOCAL_AVAILABLE)
        SCISetSegmentUnavailable(segment->handle, SCI_ADAPTER, 0, &ignored);
    if (segment->state >= SCI_LOCAL_MAPPED)
        SCIUnmapSegment(segment->map, 0, &ignored);
    if (segment->state >= SCI_LOCAL_CREATED) {
        segment->state = SCI_LOCAL_CREATED;
        SCIRemoveSegment(segment->handle, 0, &error);
        if (error == SCI_ERR_BUSY)
            return false;
    }
    if (error != SCI_ERR_OK)
        cb_warning("SISCI cannot remove the local segment %u: %s; sisci-shm-clean removes what is "
                   "left in shared memory",
                   segment->id, SCIGetErrorString(error));
    *segment = (sci_local){.state = SCI_LOCAL_DESTROYED};
    return true;
}

/* Those that are connected leave when they close, or end. */
void sci_local_destroy(sci_local *segment)
{
    uint64_t pause_ns = REMOVE_PAUSE_NS;

    while (!sci_local_try_destroy(segment)) {
        cb_sleep_ns(pause_ns);
        pause_ns = pause_ns < REMOVE_PAUSE_MOST_NS ? 2 * pause_ns : pause_ns;
    }
}
