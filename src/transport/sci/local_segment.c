/* A local segment: destroyed -> created -> mapped -> available, and back. */
#include "transport/sci/sisci.h"

#include "base/clock.h"
#include "base/log.h"

enum { ID_TRIES = 256, REMOVE_PAUSE_NS = 50000, REMOVE_PAUSE_MOST_NS = 2000000 };

static cb_status prepare(sci_local *segment)
{
    sci_error_t error, ignored;

    SCIPrepareSegment(segment->handle, SCI_ADAPTER, 0, &error);
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
        cb_error("SISCI cannot create the local segment %u of %zu bytes: error 0x%x; free shared "
                 "memory (/dev/shm), lower recv_buffer_no or recv_buffer_size, or change "
                 "recv_seg_id",
                 id, size, (unsigned)error);
        return CB_ERROR_MEMORY;
    }
    segment->id = id;
    segment->size = size;
    CB_TRY(prepare(segment));
    segment->state = SCI_LOCAL_CREATED;
    return CB_OK;
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

/* Those that are connected leave when they close, or end. */
static void remove_when_free(sci_local *segment)
{
    uint64_t pause_ns = REMOVE_PAUSE_NS;
    sci_error_t error;

    while (SCIRemoveSegment(segment->handle, 0, &error), error == SCI_ERR_BUSY) {
        cb_sleep_ns(pause_ns);
        pause_ns = pause_ns < REMOVE_PAUSE_MOST_NS ? 2 * pause_ns : pause_ns;
    }
    if (error != SCI_ERR_OK)
        cb_warning("SISCI cannot remove the local segment %u: error 0x%x; sisci-shm-clean removes "
                   "what is left in shared memory",
                   segment->id, (unsigned)error);
}

void sci_local_destroy(sci_local *segment)
{
    sci_error_t ignored;

    if (segment->state >= SCI_LOCAL_AVAILABLE)
        SCISetSegmentUnavailable(segment->handle, SCI_ADAPTER, 0, &ignored);
    if (segment->state >= SCI_LOCAL_MAPPED)
        SCIUnmapSegment(segment->map, 0, &ignored);
    if (segment->state >= SCI_LOCAL_CREATED)
        remove_when_free(segment);
    *segment = (sci_local){.state = SCI_LOCAL_DESTROYED};
}
