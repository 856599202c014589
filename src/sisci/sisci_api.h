/* SISCI API 2 over POSIX shared memory: remote memory for the processes of one host, with the
 * names, states and errors of the interface to Dolphin's adapters. sisci-shm(7) is the
 * introduction.
 *
 * Every function with a parameter `error` sets *error, which must not be NULL: SCI_ERR_OK, or the
 * reason of a failure. Functions and constants are macros for names of this library, so that a
 * program may also link the vendor's. The MT names (-D_REENTRANT) and the ST names are the same
 * functions, which are thread-safe, except that a handle must not be used while or after another
 * thread removes it.
 *
 * Errors of all functions: SCI_ERR_ILLEGAL_PARAMETER (a NULL handle or pointer),
 * SCI_ERR_ILLEGAL_FLAG (a flag of another function), SCI_ERR_FLAG_NOT_IMPLEMENTED (a flag for real
 * adapters only), SCI_ERR_NO_SUCH_ADAPTERNO (only adapter 0 exists), SCI_ERR_ILLEGAL_ADAPTERNO
 * (more than any host can have), SCI_ERR_API_NOSPC (out of memory), SCI_ERR_NOSPC (out of shared
 * memory), SCI_ERR_SYSTEM (a system call failed: see errno). Timeouts are in milliseconds;
 * SCI_INFINITE_TIMEOUT never expires. Sizes and offsets are in bytes. */
#ifndef SISCI_SHM_API_H
#define SISCI_SHM_API_H

#include <stddef.h>

#include "sisci_error.h"
#include "sisci_types.h"

/* The version of the library, as printed by pkg-config --modversion sisci-shm. */
#define SISCI_SHM_VERSION_MAJOR 0
#define SISCI_SHM_VERSION_MINOR 3
#define SISCI_SHM_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* The shared library exports only what is declared here. */
#pragma GCC visibility push(default)

#ifdef _REENTRANT
#define SISCI_SHM_FUNCTION(name) sisci_shm_mt_##name
#else
#define SISCI_SHM_FUNCTION(name) sisci_shm_st_##name
#endif
#define SISCI_SHM_CONSTANT(name) sisci_shm_const_##name

/* Constants are variables: they cannot be case labels or initialise static objects. */
#define SCI_FLAG_USE_CALLBACK SISCI_SHM_CONSTANT(SCI_FLAG_USE_CALLBACK)
#define SCI_FLAG_EMPTY SISCI_SHM_CONSTANT(SCI_FLAG_EMPTY)
#define SCI_FLAG_PRIVATE SISCI_SHM_CONSTANT(SCI_FLAG_PRIVATE)
#define SCI_FLAG_AUTO_ID SISCI_SHM_CONSTANT(SCI_FLAG_AUTO_ID)
#define SCI_FLAG_BROADCAST SISCI_SHM_CONSTANT(SCI_FLAG_BROADCAST)
#define SCI_FLAG_DMA_SOURCE_ONLY SISCI_SHM_CONSTANT(SCI_FLAG_DMA_SOURCE_ONLY)
#define SCI_FLAG_FIXED_MAP_ADDR SISCI_SHM_CONSTANT(SCI_FLAG_FIXED_MAP_ADDR)
#define SCI_FLAG_READONLY_MAP SISCI_SHM_CONSTANT(SCI_FLAG_READONLY_MAP)
#define SCI_FLAG_ASYNCHRONOUS_CONNECT SISCI_SHM_CONSTANT(SCI_FLAG_ASYNCHRONOUS_CONNECT)
#define SCI_FLAG_FORCE_DISCONNECT SISCI_SHM_CONSTANT(SCI_FLAG_FORCE_DISCONNECT)
#define SCI_FLAG_NOTIFY SISCI_SHM_CONSTANT(SCI_FLAG_NOTIFY)
#define SCI_FLAG_THREAD_SAFE SISCI_SHM_CONSTANT(SCI_FLAG_THREAD_SAFE)
#define SCI_FLAG_FIXED_INTNO SISCI_SHM_CONSTANT(SCI_FLAG_FIXED_INTNO)
#define SCI_FLAG_SHARED_INT SISCI_SHM_CONSTANT(SCI_FLAG_SHARED_INT)
#define SCI_FLAG_COUNTING_INT SISCI_SHM_CONSTANT(SCI_FLAG_COUNTING_INT)
#define SCI_FLAG_DMA_READ SISCI_SHM_CONSTANT(SCI_FLAG_DMA_READ)
#define SCI_FLAG_DMA_WAIT SISCI_SHM_CONSTANT(SCI_FLAG_DMA_WAIT)
#define SCI_FLAG_DMA_GLOBAL SISCI_SHM_CONSTANT(SCI_FLAG_DMA_GLOBAL)
#define SCI_FLAG_DMA_SYSDMA SISCI_SHM_CONSTANT(SCI_FLAG_DMA_SYSDMA)
#define SCI_FLAG_DMA_ADAPTER SISCI_SHM_CONSTANT(SCI_FLAG_DMA_ADAPTER)
#define SCI_FLAG_NO_FLUSH SISCI_SHM_CONSTANT(SCI_FLAG_NO_FLUSH)
#define SCI_FLAG_NO_STORE_BARRIER SISCI_SHM_CONSTANT(SCI_FLAG_NO_STORE_BARRIER)
#define SCI_FLAG_FAST_BARRIER SISCI_SHM_CONSTANT(SCI_FLAG_FAST_BARRIER)
#define SCI_FLAG_ERROR_CHECK SISCI_SHM_CONSTANT(SCI_FLAG_ERROR_CHECK)
#define SCI_FLAG_BLOCK_READ SISCI_SHM_CONSTANT(SCI_FLAG_BLOCK_READ)
#define SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY SISCI_SHM_CONSTANT(SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY)
#define SCI_LOCAL_HOST SISCI_SHM_CONSTANT(SCI_LOCAL_HOST)
#define SCI_INFINITE_TIMEOUT SISCI_SHM_CONSTANT(SCI_INFINITE_TIMEOUT)
#define DIS_BROADCAST_NODEID_GROUP_ALL SISCI_SHM_CONSTANT(DIS_BROADCAST_NODEID_GROUP_ALL)
#define SCI_Q_VENDORID SISCI_SHM_CONSTANT(SCI_Q_VENDORID)
#define SCI_Q_API SISCI_SHM_CONSTANT(SCI_Q_API)
#define SCI_Q_ADAPTER SISCI_SHM_CONSTANT(SCI_Q_ADAPTER)
#define SCI_Q_ADAPTER_NODEID SISCI_SHM_CONSTANT(SCI_Q_ADAPTER_NODEID)
#define SCI_Q_ADAPTER_NUMBER SISCI_SHM_CONSTANT(SCI_Q_ADAPTER_NUMBER)
#define SCI_Q_ADAPTER_CONFIGURED SISCI_SHM_CONSTANT(SCI_Q_ADAPTER_CONFIGURED)
#define SCI_Q_ADAPTER_LINK_OPERATIONAL SISCI_SHM_CONSTANT(SCI_Q_ADAPTER_LINK_OPERATIONAL)
#define SCI_Q_ADAPTER_DMA_MTU SISCI_SHM_CONSTANT(SCI_Q_ADAPTER_DMA_MTU)
#define SCI_Q_ADAPTER_DMA_SIZE_ALIGNMENT SISCI_SHM_CONSTANT(SCI_Q_ADAPTER_DMA_SIZE_ALIGNMENT)
#define SCI_Q_ADAPTER_DMA_OFFSET_ALIGNMENT SISCI_SHM_CONSTANT(SCI_Q_ADAPTER_DMA_OFFSET_ALIGNMENT)

extern const unsigned int SCI_FLAG_USE_CALLBACK;
extern const unsigned int SCI_FLAG_EMPTY;
extern const unsigned int SCI_FLAG_PRIVATE;
extern const unsigned int SCI_FLAG_AUTO_ID;
extern const unsigned int SCI_FLAG_BROADCAST;
extern const unsigned int SCI_FLAG_DMA_SOURCE_ONLY;
extern const unsigned int SCI_FLAG_FIXED_MAP_ADDR;
extern const unsigned int SCI_FLAG_READONLY_MAP;
extern const unsigned int SCI_FLAG_ASYNCHRONOUS_CONNECT;
extern const unsigned int SCI_FLAG_FORCE_DISCONNECT;
extern const unsigned int SCI_FLAG_NOTIFY;
extern const unsigned int SCI_FLAG_THREAD_SAFE;
extern const unsigned int SCI_FLAG_FIXED_INTNO;
extern const unsigned int SCI_FLAG_SHARED_INT;
extern const unsigned int SCI_FLAG_COUNTING_INT;
extern const unsigned int SCI_FLAG_DMA_READ;
extern const unsigned int SCI_FLAG_DMA_WAIT;
extern const unsigned int SCI_FLAG_DMA_GLOBAL;
extern const unsigned int SCI_FLAG_DMA_SYSDMA;
extern const unsigned int SCI_FLAG_DMA_ADAPTER;
extern const unsigned int SCI_FLAG_NO_FLUSH;
extern const unsigned int SCI_FLAG_NO_STORE_BARRIER;
extern const unsigned int SCI_FLAG_FAST_BARRIER;
extern const unsigned int SCI_FLAG_ERROR_CHECK;
extern const unsigned int SCI_FLAG_BLOCK_READ;
extern const unsigned int SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY;
extern const unsigned int SCI_LOCAL_HOST;
extern const unsigned int SCI_INFINITE_TIMEOUT;
extern const unsigned int DIS_BROADCAST_NODEID_GROUP_ALL;
extern const unsigned int SCI_Q_VENDORID;
extern const unsigned int SCI_Q_API;
extern const unsigned int SCI_Q_ADAPTER;
extern const unsigned int SCI_Q_ADAPTER_NODEID;
extern const unsigned int SCI_Q_ADAPTER_NUMBER;
extern const unsigned int SCI_Q_ADAPTER_CONFIGURED;
extern const unsigned int SCI_Q_ADAPTER_LINK_OPERATIONAL;
extern const unsigned int SCI_Q_ADAPTER_DMA_MTU;
extern const unsigned int SCI_Q_ADAPTER_DMA_SIZE_ALIGNMENT;
extern const unsigned int SCI_Q_ADAPTER_DMA_OFFSET_ALIGNMENT;

#define SCIInitialize SISCI_SHM_FUNCTION(SCIInitialize)
#define SCITerminate SISCI_SHM_FUNCTION(SCITerminate)
#define SCIOpen SISCI_SHM_FUNCTION(SCIOpen)
#define SCIClose SISCI_SHM_FUNCTION(SCIClose)
#define SCIGetErrorString SISCI_SHM_FUNCTION(SCIGetErrorString)
#define SCIGetLocalNodeId SISCI_SHM_FUNCTION(SCIGetLocalNodeId)
#define SCIProbeNode SISCI_SHM_FUNCTION(SCIProbeNode)
#define SCIQuery SISCI_SHM_FUNCTION(SCIQuery)
#define SCICreateSegment SISCI_SHM_FUNCTION(SCICreateSegment)
#define SCIPrepareSegment SISCI_SHM_FUNCTION(SCIPrepareSegment)
#define SCISetSegmentAvailable SISCI_SHM_FUNCTION(SCISetSegmentAvailable)
#define SCISetSegmentUnavailable SISCI_SHM_FUNCTION(SCISetSegmentUnavailable)
#define SCIRemoveSegment SISCI_SHM_FUNCTION(SCIRemoveSegment)
#define SCIGetLocalSegmentId SISCI_SHM_FUNCTION(SCIGetLocalSegmentId)
#define SCIGetLocalSegmentSize SISCI_SHM_FUNCTION(SCIGetLocalSegmentSize)
#define SCIWaitForLocalSegmentEvent SISCI_SHM_FUNCTION(SCIWaitForLocalSegmentEvent)
#define SCIConnectSegment SISCI_SHM_FUNCTION(SCIConnectSegment)
#define SCIDisconnectSegment SISCI_SHM_FUNCTION(SCIDisconnectSegment)
#define SCIGetRemoteSegmentSize SISCI_SHM_FUNCTION(SCIGetRemoteSegmentSize)
#define SCIGetRemoteSegmentId SISCI_SHM_FUNCTION(SCIGetRemoteSegmentId)
#define SCIGetRemoteSegmentNodeId SISCI_SHM_FUNCTION(SCIGetRemoteSegmentNodeId)
#define SCIWaitForRemoteSegmentEvent SISCI_SHM_FUNCTION(SCIWaitForRemoteSegmentEvent)
#define SCIMapLocalSegment SISCI_SHM_FUNCTION(SCIMapLocalSegment)
#define SCIMapRemoteSegment SISCI_SHM_FUNCTION(SCIMapRemoteSegment)
#define SCIUnmapSegment SISCI_SHM_FUNCTION(SCIUnmapSegment)
#define SCIGetMapPointer SISCI_SHM_FUNCTION(SCIGetMapPointer)
#define SCICreateMapSequence SISCI_SHM_FUNCTION(SCICreateMapSequence)
#define SCIRemoveSequence SISCI_SHM_FUNCTION(SCIRemoveSequence)
#define SCIStartSequence SISCI_SHM_FUNCTION(SCIStartSequence)
#define SCICheckSequence SISCI_SHM_FUNCTION(SCICheckSequence)
#define SCIStoreBarrier SISCI_SHM_FUNCTION(SCIStoreBarrier)
#define SCIFlush SISCI_SHM_FUNCTION(SCIFlush)
#define SCIMemCpy SISCI_SHM_FUNCTION(SCIMemCpy)
#define SCIMemWrite SISCI_SHM_FUNCTION(SCIMemWrite)
#define SCITransferBlock SISCI_SHM_FUNCTION(SCITransferBlock)
#define SCICreateInterrupt SISCI_SHM_FUNCTION(SCICreateInterrupt)
#define SCIRemoveInterrupt SISCI_SHM_FUNCTION(SCIRemoveInterrupt)
#define SCIWaitForInterrupt SISCI_SHM_FUNCTION(SCIWaitForInterrupt)
#define SCIConnectInterrupt SISCI_SHM_FUNCTION(SCIConnectInterrupt)
#define SCIDisconnectInterrupt SISCI_SHM_FUNCTION(SCIDisconnectInterrupt)
#define SCITriggerInterrupt SISCI_SHM_FUNCTION(SCITriggerInterrupt)
#define SCICreateDataInterrupt SISCI_SHM_FUNCTION(SCICreateDataInterrupt)
#define SCIRemoveDataInterrupt SISCI_SHM_FUNCTION(SCIRemoveDataInterrupt)
#define SCIWaitForDataInterrupt SISCI_SHM_FUNCTION(SCIWaitForDataInterrupt)
#define SCIConnectDataInterrupt SISCI_SHM_FUNCTION(SCIConnectDataInterrupt)
#define SCIDisconnectDataInterrupt SISCI_SHM_FUNCTION(SCIDisconnectDataInterrupt)
#define SCITriggerDataInterrupt SISCI_SHM_FUNCTION(SCITriggerDataInterrupt)
#define SCICreateDMAQueue SISCI_SHM_FUNCTION(SCICreateDMAQueue)
#define SCIRemoveDMAQueue SISCI_SHM_FUNCTION(SCIRemoveDMAQueue)
#define SCIStartDmaTransfer SISCI_SHM_FUNCTION(SCIStartDmaTransfer)
#define SCIWaitForDMAQueue SISCI_SHM_FUNCTION(SCIWaitForDMAQueue)
#define SCIDMAQueueState SISCI_SHM_FUNCTION(SCIDMAQueueState)
#define SCIAbortDMAQueue SISCI_SHM_FUNCTION(SCIAbortDMAQueue)

/* The library and its devices. */

/* Start to use the library; the first call of a program. Reads SISCI_SHM_JOB, SISCI_SHM_NODE and
 * SISCI_SHM_FAULTS, removes the remains of ended processes of this user, and starts the library's
 * thread. May be repeated; each call needs one SCITerminate(). No flags. A child made by fork()
 * must call it again, and must not use handles of its parent. SCI_ERR_ILLEGAL_PARAMETER,
 * SCI_ERR_ILLEGAL_NODEID: a variable is invalid; stderr says which. SCI_ERR_ACCESS: the lock file
 * in /dev/shm cannot be used; stderr says why. SCI_ERR_NOT_INITIALIZED: called in a callback while
 * another thread is in SCITerminate(). */
void SCIInitialize(unsigned int flags, sci_error_t *error);

/* Undo one SCIInitialize(). The last call closes everything still open as if the process had ended,
 * and its handles become invalid; waits of other threads end with SCI_ERR_CANCELLED. In a callback
 * the last call has no effect. */
void SCITerminate(void);

/* Open a virtual device; everything created through it must be removed before SCIClose(). Flags:
 * SCI_FLAG_THREAD_SAFE (always the case). SCI_ERR_NOT_INITIALIZED. */
void SCIOpen(sci_desc_t *sd, unsigned int flags, sci_error_t *error);

/* SCI_ERR_BUSY: a segment, map, sequence, interrupt or queue of the device still exists. */
void SCIClose(sci_desc_t sd, unsigned int flags, sci_error_t *error);

/* The name of an error and its meaning; static storage, never NULL. */
const char *SCIGetErrorString(sci_error_t error);

/* The node id of this process: SISCI_SHM_NODE. SCI_ERR_NOT_INITIALIZED. */
void SCIGetLocalNodeId(unsigned int adapterNo, unsigned int *nodeId, unsigned int flags,
                       sci_error_t *error);

/* 1 if a process of that node uses the library, otherwise 0. SCI_ERR_ILLEGAL_NODEID;
 * SCI_ERR_NO_SUCH_NODEID: the node has no process. */
int SCIProbeNode(sci_desc_t sd, unsigned int localAdapterNo, unsigned int nodeId,
                 unsigned int flags, sci_error_t *error);

typedef struct {
    char *str;           /* filled by the query, cut to `length` bytes including the final zero */
    unsigned int length; /* size of str in bytes */
} sci_query_string_t;

typedef struct {
    unsigned int localAdapterNo;
    unsigned int portNo; /* not used */
    unsigned int subcommand;
    void *data; /* an unsigned int, set by the query */
} sci_query_adapter_t;

/* SCI_Q_VENDORID and SCI_Q_API fill a sci_query_string_t; SCI_Q_ADAPTER with a sci_query_adapter_t
 * and SCI_Q_ADAPTER_* as subcommand returns a number. SCI_ERR_ILLEGAL_QUERY: any other;
 * SCI_ERR_NOT_INITIALIZED. */
void SCIQuery(unsigned int command, void *data, unsigned int flags, sci_error_t *error);

/* Local segments: created -> prepared -> available <-> unavailable -> removed. */

/* Allocate `size` > 0 bytes of zeroed shared memory, local to the calling thread (NUMA). The id is
 * unique on the node. Flags: SCI_FLAG_USE_CALLBACK (call `callback` for each connection and
 * disconnection), SCI_FLAG_PRIVATE (no id, no connections; for DMA), SCI_FLAG_AUTO_ID (the first
 * free id from segmentId on: SCIGetLocalSegmentId()), SCI_FLAG_BROADCAST (a member of the multicast
 * group segmentId, which any number of processes may join with the same size).
 * SCI_ERR_SEGMENTID_USED; SCI_ERR_ILLEGAL_PARAMETER also: size 0, or not that of the group. */
void SCICreateSegment(sci_desc_t sd, sci_local_segment_t *segment, unsigned int segmentId,
                      size_t size, sci_cb_local_segment_t callback, void *callbackArg,
                      unsigned int flags, sci_error_t *error);

/* Make the segment accessible to an adapter. Flags: SCI_FLAG_DMA_SOURCE_ONLY (no effect here),
 * SCI_FLAG_BROADCAST (required if and only if it was given to SCICreateSegment()). */
void SCIPrepareSegment(sci_local_segment_t segment, unsigned int localAdapterNo, unsigned int flags,
                       sci_error_t *error);

/* Accept connections. SCI_ERR_SEGMENT_NOT_PREPARED; SCI_ERR_ILLEGAL_OPERATION: a private segment.
 */
void SCISetSegmentAvailable(sci_local_segment_t segment, unsigned int localAdapterNo,
                            unsigned int flags, sci_error_t *error);

/* Accept no more connections. Existing ones stay, unless a flag is given: SCI_FLAG_NOTIFY requests
 * their end by SCI_CB_DISCONNECT, SCI_FLAG_FORCE_DISCONNECT ends them: SCI_CB_LOST and
 * SCI_SEQ_NOT_RETRIABLE. SCI_ERR_ILLEGAL_OPERATION: it is not available. */
void SCISetSegmentUnavailable(sci_local_segment_t segment, unsigned int localAdapterNo,
                              unsigned int flags, sci_error_t *error);

/* SCI_ERR_BUSY: it is mapped in this process, has connections, or is used by a DMA transfer. Ends
 * waits for its events with SCI_ERR_CANCELLED. */
void SCIRemoveSegment(sci_local_segment_t segment, unsigned int flags, sci_error_t *error);

unsigned int SCIGetLocalSegmentId(sci_local_segment_t segment);
size_t SCIGetLocalSegmentSize(sci_local_segment_t segment);

/* Wait for the next connection or disconnection and take it: SCI_CB_CONNECT or SCI_CB_DISCONNECT,
 * with the node it came from. After an error the result is undefined. SCI_ERR_TIMEOUT;
 * SCI_ERR_CANCELLED: the segment was removed; SCI_ERR_ILLEGAL_OPERATION: it has a callback, or the
 * call is in one. */
sci_segment_cb_reason_t SCIWaitForLocalSegmentEvent(sci_local_segment_t segment,
                                                    unsigned int *sourcenodeId,
                                                    unsigned int *localAdapterNo,
                                                    unsigned int timeout, unsigned int flags,
                                                    sci_error_t *error);

/* Remote segments. */

/* Connect to a segment, or with SCI_FLAG_BROADCAST and the node DIS_BROADCAST_NODEID_GROUP_ALL to
 * all available members of a multicast group. Never waits, whatever `timeout` is: try again after
 * SCI_ERR_NO_SUCH_NODEID (no process of that node yet), SCI_ERR_NO_SUCH_SEGMENT or
 * SCI_ERR_CONNECTION_REFUSED (not available yet). Flags: SCI_FLAG_USE_CALLBACK, SCI_FLAG_BROADCAST.
 * SCI_ERR_ILLEGAL_NODEID; SCI_ERR_API_NOSPC also: the segment has its maximum of connections. */
void SCIConnectSegment(sci_desc_t sd, sci_remote_segment_t *segment, unsigned int nodeId,
                       unsigned int segmentId, unsigned int localAdapterNo,
                       sci_cb_remote_segment_t callback, void *callbackArg, unsigned int timeout,
                       unsigned int flags, sci_error_t *error);

/* SCI_ERR_BUSY: it is mapped, or used by a DMA transfer. Ends waits for its events with
 * SCI_ERR_CANCELLED. */
void SCIDisconnectSegment(sci_remote_segment_t segment, unsigned int flags, sci_error_t *error);

size_t SCIGetRemoteSegmentSize(sci_remote_segment_t segment);
unsigned int SCIGetRemoteSegmentId(sci_remote_segment_t segment);
unsigned int SCIGetRemoteSegmentNodeId(sci_remote_segment_t segment);

/* Wait for SCI_CB_DISCONNECT (the owner asks to disconnect) or SCI_CB_LOST, and take it; *status is
 * SCI_ERR_OK. Errors as for SCIWaitForLocalSegmentEvent(), cancelled by SCIDisconnectSegment(). */
sci_segment_cb_reason_t SCIWaitForRemoteSegmentEvent(sci_remote_segment_t segment,
                                                     sci_error_t *status, unsigned int timeout,
                                                     unsigned int flags, sci_error_t *error);

/* Maps. */

/* Map `size` > 0 bytes from `offset` of a segment; NULL after an error. `addr` is used only with
 * SCI_FLAG_FIXED_MAP_ADDR. Flags: SCI_FLAG_FIXED_MAP_ADDR, SCI_FLAG_READONLY_MAP;
 * SCI_FLAG_BROADCAST for members of a group, required for a remote one. SCI_ERR_OUT_OF_RANGE:
 * beyond the segment; SCI_ERR_SIZE_ALIGNMENT: size 0; SCI_ERR_OFFSET_ALIGNMENT: the offset is not a
 * multiple of 4096; SCI_ERR_ILLEGAL_ADDRESS: `addr` is in use or not the address of a page;
 * SCI_ERR_SEGMENT_NOT_CONNECTED: the connection is lost. */
void *SCIMapLocalSegment(sci_local_segment_t segment, sci_map_t *map, size_t offset, size_t size,
                         void *addr, unsigned int flags, sci_error_t *error);
volatile void *SCIMapRemoteSegment(sci_remote_segment_t segment, sci_map_t *map, size_t offset,
                                   size_t size, void *addr, unsigned int flags, sci_error_t *error);

/* SCI_ERR_BUSY: a sequence of the map still exists. */
void SCIUnmapSegment(sci_map_t map, unsigned int flags, sci_error_t *error);

volatile void *SCIGetMapPointer(sci_map_t map);

/* Sequences, and the order of stores. */

/* A sequence checks the transfers of one remote map. Flags: SCI_FLAG_FAST_BARRIER (no effect).
 * SCI_ERR_ILLEGAL_PARAMETER also: a local map. */
void SCICreateMapSequence(sci_map_t map, sci_sequence_t *sequence, unsigned int flags,
                          sci_error_t *error);
void SCIRemoveSequence(sci_sequence_t sequence, unsigned int flags, sci_error_t *error);

/* Start checking. SCI_SEQ_OK: store now; SCI_SEQ_PENDING, SCI_SEQ_NOT_RETRIABLE: not yet, call
 * again; if it never succeeds, the peer is lost. */
sci_sequence_status_t SCIStartSequence(sci_sequence_t sequence, unsigned int flags,
                                       sci_error_t *error);

/* Whether all stores since the start, or since the last check, have arrived. Flushes and orders the
 * stores, unless both SCI_FLAG_NO_FLUSH and SCI_FLAG_NO_STORE_BARRIER are given. */
sci_sequence_status_t SCICheckSequence(sci_sequence_t sequence, unsigned int flags,
                                       sci_error_t *error);

/* Order earlier stores before later stores and loads. */
void SCIStoreBarrier(sci_sequence_t sequence, unsigned int flags);

/* Send buffered stores. `sequence` may be NULL, which flushes all maps of the process. Flags:
 * SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY (no effect). */
void SCIFlush(sci_sequence_t sequence, unsigned int flags);

/* Copies. */

/* Copy `size` bytes from memory to a remote map, or with SCI_FLAG_BLOCK_READ from the map to
 * memory. With SCI_FLAG_ERROR_CHECK, which requires the sequence, the copy has arrived when the
 * function returns SCI_ERR_OK; otherwise the sequence is not used. SCI_ERR_OUT_OF_RANGE: beyond the
 * map; SCI_ERR_ACCESS: the map is read-only, here and in the next two functions;
 * SCI_ERR_TRANSFER_FAILED: the check failed (the sequence must be started again). */
void SCIMemCpy(sci_sequence_t sequence, void *memAddr, sci_map_t remoteMap, size_t remoteOffset,
               size_t size, unsigned int flags, sci_error_t *error);

/* As SCIMemCpy() without a check, to an address in a remote map. SCI_ERR_ILLEGAL_ADDRESS: no map of
 * this process contains the whole range. */
void SCIMemWrite(void *memAddr, volatile void *remoteAddr, size_t size, unsigned int flags,
                 sci_error_t *error);

/* Copy between two maps and wait for its arrival. SCI_ERR_OUT_OF_RANGE; SCI_ERR_TRANSFER_FAILED. */
void SCITransferBlock(sci_map_t sourceMap, size_t sourceOffset, sci_map_t destinationMap,
                      size_t destinationOffset, size_t size, unsigned int flags,
                      sci_error_t *error);

/* Interrupts. Each trigger is counted, and ends one wait or makes one callback. */

/* With SCI_FLAG_FIXED_INTNO *interruptNo is the requested number, otherwise it is set to a free
 * one. Numbers are unique on the node. Flags: SCI_FLAG_USE_CALLBACK, SCI_FLAG_FIXED_INTNO,
 * SCI_FLAG_COUNTING_INT (always the case). SCI_ERR_INTNO_USED. */
void SCICreateInterrupt(sci_desc_t sd, sci_local_interrupt_t *interrupt,
                        unsigned int localAdapterNo, unsigned int *interruptNo,
                        sci_cb_interrupt_t callback, void *callbackArg, unsigned int flags,
                        sci_error_t *error);

/* Ends waits with SCI_ERR_CANCELLED; connected processes can no longer trigger it. */
void SCIRemoveInterrupt(sci_local_interrupt_t interrupt, unsigned int flags, sci_error_t *error);

/* SCI_ERR_TIMEOUT; SCI_ERR_CANCELLED: it was removed; SCI_ERR_ILLEGAL_OPERATION: it has a callback.
 */
void SCIWaitForInterrupt(sci_local_interrupt_t interrupt, unsigned int timeout, unsigned int flags,
                         sci_error_t *error);

/* Never waits. SCI_ERR_NO_SUCH_NODEID; SCI_ERR_NO_SUCH_INTNO; SCI_ERR_ILLEGAL_NODEID. */
void SCIConnectInterrupt(sci_desc_t sd, sci_remote_interrupt_t *interrupt, unsigned int nodeId,
                         unsigned int localAdapterNo, unsigned int interruptNo,
                         unsigned int timeout, unsigned int flags, sci_error_t *error);
void SCIDisconnectInterrupt(sci_remote_interrupt_t interrupt, unsigned int flags,
                            sci_error_t *error);

/* SCI_ERR_NOT_CONNECTED: the interrupt was removed, or its owner has ended. */
void SCITriggerInterrupt(sci_remote_interrupt_t interrupt, unsigned int flags, sci_error_t *error);

/* Interrupts that carry up to 1024 bytes, delivered in the order of their triggers, with their own
 * range of numbers. Up to 48 can be pending. Functions, flags and errors as above, and: */
void SCICreateDataInterrupt(sci_desc_t sd, sci_local_data_interrupt_t *interrupt,
                            unsigned int localAdapterNo, unsigned int *interruptNo,
                            sci_cb_data_interrupt_t callback, void *callbackArg, unsigned int flags,
                            sci_error_t *error);
void SCIRemoveDataInterrupt(sci_local_data_interrupt_t interrupt, unsigned int flags,
                            sci_error_t *error);

/* *length is the size of `data`, and on return the bytes received. SCI_ERR_OUT_OF_RANGE: `data` is
 * too small; *length is the size needed, and the interrupt stays pending. */
void SCIWaitForDataInterrupt(sci_local_data_interrupt_t interrupt, void *data, unsigned int *length,
                             unsigned int timeout, unsigned int flags, sci_error_t *error);
void SCIConnectDataInterrupt(sci_desc_t sd, sci_remote_data_interrupt_t *interrupt,
                             unsigned int nodeId, unsigned int localAdapterNo,
                             unsigned int interruptNo, unsigned int timeout, unsigned int flags,
                             sci_error_t *error);
void SCIDisconnectDataInterrupt(sci_remote_data_interrupt_t interrupt, unsigned int flags,
                                sci_error_t *error);

/* SCI_ERR_OUT_OF_RANGE: more than 1024 bytes; SCI_ERR_OVERFLOW: 48 are pending. */
void SCITriggerDataInterrupt(sci_remote_data_interrupt_t interrupt, void *data, unsigned int length,
                             unsigned int flags, sci_error_t *error);

/* DMA: one engine per process, which executes transfers in the order of their start. */

/* A queue of at most maxEntries > 0 pending transfers. */
void SCICreateDMAQueue(sci_desc_t sd, sci_dma_queue_t *dq, unsigned int localAdapterNo,
                       unsigned int maxEntries, unsigned int flags, sci_error_t *error);

/* SCI_ERR_BUSY: transfers are pending or, in a callback, calls are due. */
void SCIRemoveDMAQueue(sci_dma_queue_t dq, unsigned int flags, sci_error_t *error);

/* Start to copy `size` > 0 bytes from the local to the remote segment, or with SCI_FLAG_DMA_READ
 * the other way. Size and offsets are multiples of 4 (SCI_Q_ADAPTER_DMA_SIZE_ALIGNMENT). Flags:
 * SCI_FLAG_USE_CALLBACK (call `callback` at the end with SCI_ERR_OK, SCI_ERR_TRANSFER_FAILED or
 * SCI_ERR_CANCELLED), SCI_FLAG_DMA_WAIT (return at the end; not with a callback),
 * SCI_FLAG_DMA_READ, SCI_FLAG_DMA_GLOBAL, SCI_FLAG_DMA_SYSDMA, SCI_FLAG_DMA_ADAPTER (no effect:
 * there is one engine). SCI_ERR_MAX_ENTRIES; SCI_ERR_OUT_OF_RANGE: beyond a segment;
 * SCI_ERR_SIZE_ALIGNMENT; SCI_ERR_OFFSET_ALIGNMENT; SCI_ERR_SEGMENT_NOT_PREPARED;
 * SCI_ERR_SEGMENT_NOT_CONNECTED: lost; SCI_ERR_ILLEGAL_OPERATION: a read from a multicast group, or
 * a queue that is being aborted; with SCI_FLAG_DMA_WAIT also SCI_ERR_TRANSFER_FAILED, or
 * SCI_ERR_CANCELLED after SCIAbortDMAQueue(). */
void SCIStartDmaTransfer(sci_dma_queue_t dq, sci_local_segment_t localSegment,
                         sci_remote_segment_t remoteSegment, size_t localOffset, size_t size,
                         size_t remoteOffset, sci_cb_dma_t callback, void *callbackArg,
                         unsigned int flags, sci_error_t *error);

/* Wait until the queue has no pending transfers; returns its state. SCI_ERR_TIMEOUT. */
sci_dma_queue_state_t SCIWaitForDMAQueue(sci_dma_queue_t dq, unsigned int timeout,
                                         unsigned int flags, sci_error_t *error);

sci_dma_queue_state_t SCIDMAQueueState(sci_dma_queue_t dq);

/* Stop the transfers of the queue where they are. SCI_ERR_ILLEGAL_OPERATION: none is pending. */
void SCIAbortDMAQueue(sci_dma_queue_t dq, unsigned int flags, sci_error_t *error);

/* Not in the SISCI API: remove the names of all objects of this process from /dev/shm before it
 * ends by a signal or by _exit(). Mapped memory can still be used, but no process can connect to
 * it, and this process can create no more objects: SCI_ERR_CANCELLED. Async-signal-safe. */
void sisci_shm_abandon(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
