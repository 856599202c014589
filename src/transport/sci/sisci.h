/* The technology sci's view of the SISCI API: a device, local and remote segments as state
 * machines, sequences and interrupts (Bogaerts, "Implementation of the Message Passing Software
 * Layer over SCI", section 11). The protocol uses SISCI only through these functions, which compile
 * with Dolphin's header and with that of src/sisci. Errors are logged where they are detected. */
#ifndef TRANSPORT_SCI_SISCI_H
#define TRANSPORT_SCI_SISCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sisci_api.h>

#include "base/status.h"

enum { SCI_ADAPTER = 0, SCI_PEERS_PER_DEVICE = 32 };

/* Log the failed operation and its object; returns CB_ERROR_TRANSPORT. */
cb_status sci_failed(const char *attempt, unsigned node_id, unsigned segment_id, sci_error_t error,
                     const char *advice);

/* As the slot of transport_technology. */
cb_status sci_library_probe(char *text, size_t bytes);

/* A virtual device: a channel to the driver. */
typedef struct {
    sci_desc_t handle;
    bool is_open;
} sci_device;

/* Start and stop the library; calls come in pairs. Start returns CB_ERROR_MEMORY if shared memory
 * is full, CB_ERROR_USAGE if an environment variable is invalid, otherwise CB_ERROR_UNSUPPORTED;
 * logged. */
cb_status sci_library_start(void);
void sci_library_stop(void);
cb_status sci_library_node_id(unsigned *node_id);
cb_status sci_device_open(sci_device *device);
void sci_device_close(sci_device *device);

/* Memory of this process that others write to: destroyed -> created -> mapped -> available. */
typedef enum {
    SCI_LOCAL_DESTROYED,
    SCI_LOCAL_CREATED,
    SCI_LOCAL_MAPPED,
    SCI_LOCAL_AVAILABLE
} sci_local_state;

typedef struct {
    sci_local_state state;
    sci_local_segment_t handle;
    sci_map_t map;
    unsigned id;
    size_t size;
    unsigned char *address; /* while mapped */
} sci_local;

/* Create takes the first free id of first, first + stride, ... It requires a destroyed segment and
 * an open device, each other function the preceding state; in another state nothing is done, and
 * the result is CB_ERROR_USAGE, logged. A failure leaves the state unchanged. */
cb_status sci_local_create(sci_local *segment, const sci_device *device, unsigned first,
                           unsigned stride, size_t size);
cb_status sci_local_map(sci_local *segment);

/* As create, for a member of the multicast group `id`, in which all segments have the same size. */
cb_status sci_local_join(sci_local *segment, const sci_device *device, unsigned id, size_t size);

/* Whether the adapter has multicast; `id` must not belong to a group. */
bool sci_local_can_join(const sci_device *device, unsigned id);

cb_status sci_local_offer(sci_local *segment);

/* From any state to destroyed. The second waits until no process is connected; the first returns
 * false if one is, and leaves the state created. */
bool sci_local_try_destroy(sci_local *segment);
void sci_local_destroy(sci_local *segment);

static inline bool sci_local_is_available(const sci_local *segment)
{
    return segment->state == SCI_LOCAL_AVAILABLE;
}

/* Memory of another process: disconnected -> connected -> mapped. */
typedef enum { SCI_REMOTE_DISCONNECTED, SCI_REMOTE_CONNECTED, SCI_REMOTE_MAPPED } sci_remote_state;

typedef struct {
    sci_remote_state state;
    sci_remote_segment_t handle;
    sci_map_t map;
    unsigned node_id, id;
    bool group;
    size_t size;
    volatile unsigned char *address; /* while mapped; write only */
} sci_remote;

/* States are required as for local segments. Connect retries for some seconds if the segment does
 * not exist yet. */
cb_status sci_remote_connect(sci_remote *segment, const sci_device *device, unsigned node_id,
                             unsigned id);
cb_status sci_remote_map(sci_remote *segment);

/* As connect, to all available members of the multicast group `id`. */
cb_status sci_remote_connect_group(sci_remote *segment, const sci_device *device, unsigned id);
void sci_remote_disconnect(sci_remote *segment); /* from any state */

/* Checks whether transfers to a mapped remote segment have arrived. For one thread at a time. */
typedef struct {
    sci_sequence_t handle; /* NULL: closed */
    const sci_remote *segment;
    uint64_t failing_since_ns; /* since when the current transfer has been repeated */
} sci_sequence;

/* Requires a closed sequence (zeroed at first) and a mapped segment. */
cb_status sci_sequence_open(sci_sequence *sequence, const sci_remote *segment);
void sci_sequence_close(sci_sequence *sequence);

/* After an unsuccessful check. CB_EMPTY: transfer again; CB_ERROR_TRANSPORT, logged: the peer is
 * lost. */
__attribute__((cold)) cb_status
sci_sequence_recover(sci_sequence *sequence, sci_sequence_status_t status, sci_error_t error);

/* Decide whether to repeat a failed transfer. CB_EMPTY: repeat it; CB_ERROR_TRANSPORT, logged: it
 * has failed so long and so often that the peer is lost. `tries` counts the previous failures. */
__attribute__((cold)) cb_status sci_sequence_may_retry(sci_sequence *sequence, uint32_t tries);

/* Hot. For a loop around sci_sequence_check: whether the transfer must be repeated. */
static inline bool sci_sequence_tries_again(sci_sequence *sequence, cb_status *status,
                                            uint32_t tries)
{
    if (__builtin_expect(*status != CB_EMPTY, 1))
        return false;
    *status = sci_sequence_may_retry(sequence, tries);
    return *status == CB_EMPTY;
}

/* Hot. Check that all stores of this thread since the last check have arrived, and order them
 * before later stores. CB_OK; CB_EMPTY: store again and check again; CB_ERROR_TRANSPORT. */
static inline cb_status sci_sequence_check(sci_sequence *sequence)
{
    sci_error_t error;
    sci_sequence_status_t status = SCICheckSequence(sequence->handle, 0, &error);

    if (__builtin_expect(status == SCI_SEQ_OK && error == SCI_ERR_OK, 1))
        return CB_OK;
    return sci_sequence_recover(sequence, status, error);
}

/* Hot. Copy to a mapped remote segment and check; returns as sci_sequence_check. The library only
 * reads the source, although its prototype is not const. */
static inline cb_status sci_remote_copy(const sci_remote *segment, sci_sequence *sequence,
                                        size_t offset, const void *data, size_t bytes)
{
    const union {
        const void *read;
        void *any;
    } source = {.read = data};
    sci_error_t error;
    cb_status status;

    SCIMemCpy(sequence->handle, source.any, segment->map, offset, bytes, 0, &error);
    status = sci_sequence_check(sequence);
    if (__builtin_expect(status == CB_OK && error != SCI_ERR_OK, 0))
        return sci_failed("copy to the segment", segment->node_id, segment->id, error,
                          "see whether its process runs");
    return status;
}

/* Interrupts, for receives that sleep: a bell is local, a rope rings the bell of another process.
 */
typedef struct {
    sci_local_interrupt_t handle; /* NULL: none */
    unsigned number;
} sci_bell;

typedef struct {
    sci_remote_interrupt_t handle; /* NULL: not connected */
} sci_bell_rope;

/* A wait ends with a ring (each ring ends one wait, also a later one) or after `timeout_ms`. A ring
 * that fails is detected by the sequence to the same peer. */
cb_status sci_bell_create(sci_bell *bell, const sci_device *device);
void sci_bell_destroy(sci_bell *bell);
void sci_bell_wait(const sci_bell *bell, unsigned timeout_ms);
cb_status sci_bell_connect(sci_bell_rope *rope, const sci_device *device, unsigned node_id,
                           unsigned number);
void sci_bell_disconnect(sci_bell_rope *rope);
void sci_bell_ring(const sci_bell_rope *rope);

#endif
