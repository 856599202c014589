/* The technology's view of the SISCI API: the library, virtual devices, segments, sequences and
 * interrupts. */
#include "config.h"

#include "transport/sci/sisci.h"

#include <sched.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "transport/sci/parameters.h"

/* The library and virtual devices */

cb_status sci_failed(const char *attempt, unsigned node_id, unsigned segment_id, sci_error_t error,
                     const char *advice)
{
    cb_error("SISCI cannot %s (node %u, id %u): %s; %s", attempt, node_id, segment_id,
             SCIGetErrorString(error), advice);
    return CB_ERROR_TRANSPORT;
}

/* Errors of the start and what they mean for the run. */
static const struct {
    sci_error_t error;
    cb_status status;
    const char *advice;
} start_errors[] = {
    {SCI_ERR_NOSPC, CB_ERROR_MEMORY,
     "free shared memory in /dev/shm, where sisci-shm-clean removes what killed processes left"},
    {SCI_ERR_ACCESS, CB_ERROR_USAGE, "remove what its message names"},
    {SCI_ERR_ILLEGAL_PARAMETER, CB_ERROR_USAGE, "correct the variable that its message names"},
    {SCI_ERR_ILLEGAL_NODEID, CB_ERROR_USAGE, "correct SISCI_SHM_NODE, or node_id of the machine"},
};

cb_status sci_library_start(void)
{
    const char *advice = "check that /dev/shm is usable, or that the adapter's driver is loaded";
    cb_status status = CB_ERROR_UNSUPPORTED;
    sci_error_t error;

    SCIInitialize(0, &error);
    if (error == SCI_ERR_OK)
        return CB_OK;
    for (size_t i = 0; i < sizeof(start_errors) / sizeof(*start_errors); i++)
        if (start_errors[i].error == error) {
            status = start_errors[i].status;
            advice = start_errors[i].advice;
        }
    cb_error("cannot start the SISCI library: %s; %s", SCIGetErrorString(error), advice);
    return status;
}

void sci_library_stop(void)
{
    SCITerminate();
}

cb_status sci_library_node_id(unsigned *node_id)
{
    sci_error_t error;

    SCIGetLocalNodeId(SCI_ADAPTER, node_id, 0, &error);
    if (error == SCI_ERR_OK)
        return CB_OK;
    return sci_failed("read the local node id", 0, 0, error, "check the adapter");
}

cb_status sci_library_probe(char *text, size_t bytes)
{
    unsigned node_id;
    cb_status status;

    CB_TRY(sci_library_start());
    status = sci_library_node_id(&node_id);
    sci_library_stop();
#ifdef HAVE_SISCI_DOLPHIN
    if (status == CB_OK)
        snprintf(text, bytes, "adapter with the node id %u", node_id);
#else
    if (status == CB_OK)
        snprintf(text, bytes, "shared memory of this host, in place of adapters");
#endif
    return status;
}

cb_status sci_device_open(sci_device *device)
{
    sci_error_t error;

    if (device->is_open)
        return CB_OK;
    SCIOpen(&device->handle, 0, &error);
    device->is_open = error == SCI_ERR_OK;
    return device->is_open ? CB_OK : sci_failed("open a device", 0, 0, error, "check the driver");
}

void sci_device_close(sci_device *device)
{
    sci_error_t error = SCI_ERR_OK;

    if (device->is_open)
        SCIClose(device->handle, 0, &error);
    if (error != SCI_ERR_OK)
        cb_warning("SISCI cannot close a device: %s; something of it is still in use",
                   SCIGetErrorString(error));
    device->is_open = false;
}

/* States: an operation in the wrong one is refused before SISCI is called. */

static cb_status wrong_state(const char *attempt, const char *state, const char *required)
{
    cb_error("SISCI cannot %s: it is %s, but must be %s; this is a defect of the technology sci",
             attempt, state, required);
    return CB_ERROR_USAGE;
}

static cb_status require_open(const sci_device *device, const char *attempt)
{
    return device->is_open ? CB_OK : wrong_state(attempt, "on a closed device", "on an open one");
}

static cb_status require_local(const sci_local *segment, sci_local_state required,
                               const char *attempt)
{
    static const char *const names[] = {[SCI_LOCAL_DESTROYED] = "destroyed",
                                        [SCI_LOCAL_CREATED] = "created",
                                        [SCI_LOCAL_MAPPED] = "mapped",
                                        [SCI_LOCAL_AVAILABLE] = "available"};

    return segment->state == required
               ? CB_OK
               : wrong_state(attempt, names[segment->state], names[required]);
}

static cb_status require_remote(const sci_remote *segment, sci_remote_state required,
                                const char *attempt)
{
    static const char *const names[] = {[SCI_REMOTE_DISCONNECTED] = "disconnected",
                                        [SCI_REMOTE_CONNECTED] = "connected",
                                        [SCI_REMOTE_MAPPED] = "mapped"};

    return segment->state == required
               ? CB_OK
               : wrong_state(attempt, names[segment->state], names[required]);
}

/* Local segments: destroyed -> created -> mapped -> available, and back */

enum { ID_TRIES = 256, REMOVE_PAUSE_NS = 50000, REMOVE_PAUSE_MOST_NS = 2000000 };

static cb_status local_prepare(sci_local *segment, unsigned flags)
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
    static const char attempt[] = "create the local segment";
    sci_error_t error = SCI_ERR_SEGMENTID_USED;
    unsigned id = first;

    CB_TRY(require_open(device, attempt));
    CB_TRY(require_local(segment, SCI_LOCAL_DESTROYED, attempt));
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
    CB_TRY(local_prepare(segment, 0));
    segment->state = SCI_LOCAL_CREATED;
    return CB_OK;
}

cb_status sci_local_join(sci_local *segment, const sci_device *device, unsigned id, size_t size)
{
    static const char attempt[] = "create a member of the multicast group";
    sci_error_t error;

    CB_TRY(require_open(device, attempt));
    CB_TRY(require_local(segment, SCI_LOCAL_DESTROYED, attempt));
    SCICreateSegment(device->handle, &segment->handle, id, size, NULL, NULL, SCI_FLAG_BROADCAST,
                     &error);
    if (error != SCI_ERR_OK)
        return sci_failed(attempt, DIS_BROADCAST_NODEID_GROUP_ALL, id, error,
                          "free shared memory (/dev/shm), or use --multicast loop");
    segment->id = id;
    segment->size = size;
    CB_TRY(local_prepare(segment, SCI_FLAG_BROADCAST));
    segment->state = SCI_LOCAL_CREATED;
    return CB_OK;
}

bool sci_local_can_join(const sci_device *device, unsigned id)
{
    sci_local_segment_t handle;
    sci_error_t error, ignored;

    SCICreateSegment(device->handle, &handle, id, SCI_LINE_BYTES, NULL, NULL, SCI_FLAG_BROADCAST,
                     &error);
    if (error != SCI_ERR_OK)
        return false;
    SCIPrepareSegment(handle, SCI_ADAPTER, SCI_FLAG_BROADCAST, &error);
    SCIRemoveSegment(handle, 0, &ignored);
    return error == SCI_ERR_OK;
}

cb_status sci_local_map(sci_local *segment)
{
    static const char attempt[] = "map the local segment";
    sci_error_t error;

    CB_TRY(require_local(segment, SCI_LOCAL_CREATED, attempt));
    segment->address =
        SCIMapLocalSegment(segment->handle, &segment->map, 0, segment->size, NULL, 0, &error);
    if (error != SCI_ERR_OK)
        return sci_failed(attempt, 0, segment->id, error, "lower recv_seg_size");
    segment->state = SCI_LOCAL_MAPPED;
    return CB_OK;
}

cb_status sci_local_offer(sci_local *segment)
{
    static const char attempt[] = "offer the local segment";
    sci_error_t error;

    CB_TRY(require_local(segment, SCI_LOCAL_MAPPED, attempt));
    SCISetSegmentAvailable(segment->handle, SCI_ADAPTER, 0, &error);
    if (error != SCI_ERR_OK)
        return sci_failed(attempt, 0, segment->id, error, "check the adapter");
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

/* Connected processes disconnect when they close, or end. */
void sci_local_destroy(sci_local *segment)
{
    uint64_t pause_ns = REMOVE_PAUSE_NS;

    while (!sci_local_try_destroy(segment)) {
        cb_sleep_ns(pause_ns);
        pause_ns = pause_ns < REMOVE_PAUSE_MOST_NS ? 2 * pause_ns : pause_ns;
    }
}

/* Remote segments: disconnected -> connected -> mapped, and back */

static const uint64_t connect_within_ns = UINT64_C(5000000000), connect_pause_ns = 1000000;

static bool may_come(sci_error_t error)
{
    return error == SCI_ERR_NO_SUCH_SEGMENT || error == SCI_ERR_CONNECTION_REFUSED ||
           error == SCI_ERR_NO_SUCH_NODEID;
}

static cb_status remote_connect(sci_remote *segment, const sci_device *device, unsigned node_id,
                                unsigned id, unsigned flags)
{
    static const char attempt[] = "connect to the segment";
    const uint64_t until_ns = cb_now_ns() + connect_within_ns;
    sci_error_t error;

    CB_TRY(require_open(device, attempt));
    CB_TRY(require_remote(segment, SCI_REMOTE_DISCONNECTED, attempt));
    for (;;) {
        SCIConnectSegment(device->handle, &segment->handle, node_id, id, SCI_ADAPTER, NULL, NULL,
                          SCI_INFINITE_TIMEOUT, flags, &error);
        if (!may_come(error) || cb_now_ns() > until_ns)
            break;
        cb_sleep_ns(connect_pause_ns);
    }
    if (error != SCI_ERR_OK)
        return sci_failed(attempt, node_id, id, error,
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
    return remote_connect(segment, device, node_id, id, 0);
}

cb_status sci_remote_connect_group(sci_remote *segment, const sci_device *device, unsigned id)
{
    CB_TRY(remote_connect(segment, device, DIS_BROADCAST_NODEID_GROUP_ALL, id, SCI_FLAG_BROADCAST));
    segment->group = true;
    return CB_OK;
}

cb_status sci_remote_map(sci_remote *segment)
{
    static const char attempt[] = "map the segment";
    sci_error_t error;

    CB_TRY(require_remote(segment, SCI_REMOTE_CONNECTED, attempt));
    segment->address = (volatile unsigned char *)SCIMapRemoteSegment(
        segment->handle, &segment->map, 0, segment->size, NULL,
        segment->group ? SCI_FLAG_BROADCAST : 0, &error);
    if (error != SCI_ERR_OK)
        return sci_failed(attempt, segment->node_id, segment->id, error, "lower recv_seg_size");
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

/* Sequences: started before the first transfer, and again after a fault that requires it. A peer is
 * lost if that does not succeed in time, or if SISCI reports an error instead of a status, since
 * errors are permanent. */

/* Longest outage of a link to survive. */
static const uint64_t lost_after_ns = UINT64_C(2000000000);

static cb_status sequence_lost(const sci_sequence *sequence)
{
    cb_error("cannot transfer to the segment %u of SCI node %u: no transfer has succeeded for "
             "%u s, so its process is considered lost; check that it runs, and the links",
             sequence->segment->id, sequence->segment->node_id,
             (unsigned)(lost_after_ns / 1000000000));
    return CB_ERROR_TRANSPORT;
}

static cb_status sequence_failed(const sci_sequence *sequence, const char *attempt,
                                 sci_error_t error)
{
    return sci_failed(attempt, sequence->segment->node_id, sequence->segment->id, error,
                      "check that its process runs, and the adapter");
}

static cb_status sequence_start(sci_sequence *sequence)
{
    const uint64_t until_ns = cb_now_ns() + lost_after_ns;
    sci_sequence_status_t status;
    sci_error_t error;

    for (;;) {
        status = SCIStartSequence(sequence->handle, 0, &error);
        if (error != SCI_ERR_OK)
            return sequence_failed(sequence, "start a sequence of transfers to the segment", error);
        if (status == SCI_SEQ_OK)
            return CB_OK;
        if (cb_now_ns() > until_ns)
            return sequence_lost(sequence);
        sched_yield();
    }
}

cb_status sci_sequence_open(sci_sequence *sequence, const sci_remote *segment)
{
    static const char attempt[] = "create a sequence";
    sci_error_t error;

    CB_TRY(require_remote(segment, SCI_REMOTE_MAPPED, attempt));
    if (sequence->handle != NULL)
        return wrong_state(attempt, "open already", "closed");
    SCICreateMapSequence(segment->map, &sequence->handle, 0, &error);
    if (error != SCI_ERR_OK) {
        sequence->handle = NULL;
        return sci_failed(attempt, segment->node_id, segment->id, error, "check the adapter");
    }
    sequence->segment = segment;
    return sequence_start(sequence);
}

void sci_sequence_close(sci_sequence *sequence)
{
    sci_error_t ignored;

    if (sequence->handle != NULL)
        SCIRemoveSequence(sequence->handle, 0, &ignored);
    sequence->handle = NULL;
}

/* Counts attempts as well as time: the process may have been stopped between two attempts. */
cb_status sci_sequence_may_retry(sci_sequence *sequence, uint32_t tries)
{
    const uint32_t tries_between_looks = 1024;

    if (tries == 0)
        sequence->failing_since_ns = cb_now_ns();
    if (tries % tries_between_looks != tries_between_looks - 1 ||
        cb_now_ns() - sequence->failing_since_ns < lost_after_ns)
        return CB_EMPTY;
    return sequence_lost(sequence);
}

cb_status sci_sequence_recover(sci_sequence *sequence, sci_sequence_status_t status,
                               sci_error_t error)
{
    if (error != SCI_ERR_OK)
        return sequence_failed(sequence, "check the transfers to the segment", error);
    if (status == SCI_SEQ_RETRIABLE)
        return CB_EMPTY;
    CB_TRY(sequence_start(sequence));
    return CB_EMPTY;
}

/* Interrupts: a local one to wait for, and remote ones to trigger */

cb_status sci_bell_create(sci_bell *bell, const sci_device *device)
{
    sci_error_t error;

    SCICreateInterrupt(device->handle, &bell->handle, SCI_ADAPTER, &bell->number, NULL, NULL, 0,
                       &error);
    if (error == SCI_ERR_OK)
        return CB_OK;
    bell->handle = NULL;
    return sci_failed("create an interrupt", 0, 0, error, "check the adapter, or free /dev/shm");
}

void sci_bell_destroy(sci_bell *bell)
{
    sci_error_t ignored;

    if (bell->handle != NULL)
        SCIRemoveInterrupt(bell->handle, 0, &ignored);
    bell->handle = NULL;
}

void sci_bell_wait(const sci_bell *bell, unsigned timeout_ms)
{
    sci_error_t ignored;

    SCIWaitForInterrupt(bell->handle, timeout_ms, 0, &ignored);
}

cb_status sci_bell_connect(sci_bell_rope *rope, const sci_device *device, unsigned node_id,
                           unsigned number)
{
    sci_error_t error;

    SCIConnectInterrupt(device->handle, &rope->handle, node_id, SCI_ADAPTER, number,
                        SCI_INFINITE_TIMEOUT, 0, &error);
    if (error == SCI_ERR_OK)
        return CB_OK;
    rope->handle = NULL;
    return sci_failed("connect to the interrupt", node_id, number, error,
                      "its process has ended; see its messages");
}

void sci_bell_disconnect(sci_bell_rope *rope)
{
    sci_error_t ignored;

    if (rope->handle != NULL)
        SCIDisconnectInterrupt(rope->handle, 0, &ignored);
    rope->handle = NULL;
}

void sci_bell_ring(const sci_bell_rope *rope)
{
    sci_error_t ignored;

    SCITriggerInterrupt(rope->handle, 0, &ignored);
}
