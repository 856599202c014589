/* What an installation of Dolphin's has: functions and constants are macros for mangled names, and
 * the constants are variables. Text of our own, for all that programs here may use; DMA is left
 * out.
 */
#ifndef MOCK_SISCI_API_H
#define MOCK_SISCI_API_H

#include "sisci_error.h"
#include "sisci_types.h"

#ifdef _REENTRANT
#define MOCK_FUNCTION(name) _SISCI_PUBLIC_FUNC_MT_##name
#else
#define MOCK_FUNCTION(name) _SISCI_PUBLIC_FUNC_ST_##name
#endif
#define MOCK_CONSTANT(name) _SISCI_PUBLIC_CONST_##name

#define SCI_FLAG_USE_CALLBACK MOCK_CONSTANT(SCI_FLAG_USE_CALLBACK)
#define SCI_FLAG_EMPTY MOCK_CONSTANT(SCI_FLAG_EMPTY)
#define SCI_FLAG_PRIVATE MOCK_CONSTANT(SCI_FLAG_PRIVATE)
#define SCI_FLAG_AUTO_ID MOCK_CONSTANT(SCI_FLAG_AUTO_ID)
#define SCI_FLAG_BROADCAST MOCK_CONSTANT(SCI_FLAG_BROADCAST)
#define SCI_FLAG_FIXED_MAP_ADDR MOCK_CONSTANT(SCI_FLAG_FIXED_MAP_ADDR)
#define SCI_FLAG_READONLY_MAP MOCK_CONSTANT(SCI_FLAG_READONLY_MAP)
#define SCI_FLAG_ASYNCHRONOUS_CONNECT MOCK_CONSTANT(SCI_FLAG_ASYNCHRONOUS_CONNECT)
#define SCI_FLAG_FORCE_DISCONNECT MOCK_CONSTANT(SCI_FLAG_FORCE_DISCONNECT)
#define SCI_FLAG_NOTIFY MOCK_CONSTANT(SCI_FLAG_NOTIFY)
#define SCI_FLAG_THREAD_SAFE MOCK_CONSTANT(SCI_FLAG_THREAD_SAFE)
#define SCI_FLAG_FIXED_INTNO MOCK_CONSTANT(SCI_FLAG_FIXED_INTNO)
#define SCI_FLAG_SHARED_INT MOCK_CONSTANT(SCI_FLAG_SHARED_INT)
#define SCI_FLAG_COUNTING_INT MOCK_CONSTANT(SCI_FLAG_COUNTING_INT)
#define SCI_FLAG_NO_FLUSH MOCK_CONSTANT(SCI_FLAG_NO_FLUSH)
#define SCI_FLAG_NO_STORE_BARRIER MOCK_CONSTANT(SCI_FLAG_NO_STORE_BARRIER)
#define SCI_FLAG_FAST_BARRIER MOCK_CONSTANT(SCI_FLAG_FAST_BARRIER)
#define SCI_FLAG_ERROR_CHECK MOCK_CONSTANT(SCI_FLAG_ERROR_CHECK)
#define SCI_FLAG_BLOCK_READ MOCK_CONSTANT(SCI_FLAG_BLOCK_READ)
#define SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY MOCK_CONSTANT(SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY)
#define SCI_LOCAL_HOST MOCK_CONSTANT(SCI_LOCAL_HOST)
#define SCI_INFINITE_TIMEOUT MOCK_CONSTANT(SCI_INFINITE_TIMEOUT)
#define DIS_BROADCAST_NODEID_GROUP_ALL MOCK_CONSTANT(DIS_BROADCAST_NODEID_GROUP_ALL)
#define SCI_Q_VENDORID MOCK_CONSTANT(SCI_Q_VENDORID)
#define SCI_Q_API MOCK_CONSTANT(SCI_Q_API)
#define SCI_Q_ADAPTER MOCK_CONSTANT(SCI_Q_ADAPTER)
#define SCI_Q_ADAPTER_NODEID MOCK_CONSTANT(SCI_Q_ADAPTER_NODEID)
#define SCI_Q_ADAPTER_NUMBER MOCK_CONSTANT(SCI_Q_ADAPTER_NUMBER)
#define SCI_Q_ADAPTER_CONFIGURED MOCK_CONSTANT(SCI_Q_ADAPTER_CONFIGURED)
#define SCI_Q_ADAPTER_LINK_OPERATIONAL MOCK_CONSTANT(SCI_Q_ADAPTER_LINK_OPERATIONAL)
extern const unsigned int SCI_FLAG_USE_CALLBACK;
extern const unsigned int SCI_FLAG_EMPTY;
extern const unsigned int SCI_FLAG_PRIVATE;
extern const unsigned int SCI_FLAG_AUTO_ID;
extern const unsigned int SCI_FLAG_BROADCAST;
extern const unsigned int SCI_FLAG_FIXED_MAP_ADDR;
extern const unsigned int SCI_FLAG_READONLY_MAP;
extern const unsigned int SCI_FLAG_ASYNCHRONOUS_CONNECT;
extern const unsigned int SCI_FLAG_FORCE_DISCONNECT;
extern const unsigned int SCI_FLAG_NOTIFY;
extern const unsigned int SCI_FLAG_THREAD_SAFE;
extern const unsigned int SCI_FLAG_FIXED_INTNO;
extern const unsigned int SCI_FLAG_SHARED_INT;
extern const unsigned int SCI_FLAG_COUNTING_INT;
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

#define SCIInitialize MOCK_FUNCTION(SCIInitialize)
#define SCITerminate MOCK_FUNCTION(SCITerminate)
#define SCIOpen MOCK_FUNCTION(SCIOpen)
#define SCIClose MOCK_FUNCTION(SCIClose)
#define SCIGetErrorString MOCK_FUNCTION(SCIGetErrorString)
#define SCIGetLocalNodeId MOCK_FUNCTION(SCIGetLocalNodeId)
#define SCIProbeNode MOCK_FUNCTION(SCIProbeNode)
#define SCIQuery MOCK_FUNCTION(SCIQuery)
#define SCICreateSegment MOCK_FUNCTION(SCICreateSegment)
#define SCIPrepareSegment MOCK_FUNCTION(SCIPrepareSegment)
#define SCISetSegmentAvailable MOCK_FUNCTION(SCISetSegmentAvailable)
#define SCISetSegmentUnavailable MOCK_FUNCTION(SCISetSegmentUnavailable)
#define SCIRemoveSegment MOCK_FUNCTION(SCIRemoveSegment)
#define SCIGetLocalSegmentId MOCK_FUNCTION(SCIGetLocalSegmentId)
#define SCIGetLocalSegmentSize MOCK_FUNCTION(SCIGetLocalSegmentSize)
#define SCIWaitForLocalSegmentEvent MOCK_FUNCTION(SCIWaitForLocalSegmentEvent)
#define SCIConnectSegment MOCK_FUNCTION(SCIConnectSegment)
#define SCIDisconnectSegment MOCK_FUNCTION(SCIDisconnectSegment)
#define SCIGetRemoteSegmentSize MOCK_FUNCTION(SCIGetRemoteSegmentSize)
#define SCIGetRemoteSegmentId MOCK_FUNCTION(SCIGetRemoteSegmentId)
#define SCIGetRemoteSegmentNodeId MOCK_FUNCTION(SCIGetRemoteSegmentNodeId)
#define SCIWaitForRemoteSegmentEvent MOCK_FUNCTION(SCIWaitForRemoteSegmentEvent)
#define SCIMapLocalSegment MOCK_FUNCTION(SCIMapLocalSegment)
#define SCIMapRemoteSegment MOCK_FUNCTION(SCIMapRemoteSegment)
#define SCIUnmapSegment MOCK_FUNCTION(SCIUnmapSegment)
#define SCIGetMapPointer MOCK_FUNCTION(SCIGetMapPointer)
#define SCICreateMapSequence MOCK_FUNCTION(SCICreateMapSequence)
#define SCIRemoveSequence MOCK_FUNCTION(SCIRemoveSequence)
#define SCIStartSequence MOCK_FUNCTION(SCIStartSequence)
#define SCICheckSequence MOCK_FUNCTION(SCICheckSequence)
#define SCIStoreBarrier MOCK_FUNCTION(SCIStoreBarrier)
#define SCIFlush MOCK_FUNCTION(SCIFlush)
#define SCIMemCpy MOCK_FUNCTION(SCIMemCpy)
#define SCIMemWrite MOCK_FUNCTION(SCIMemWrite)
#define SCITransferBlock MOCK_FUNCTION(SCITransferBlock)
#define SCICreateInterrupt MOCK_FUNCTION(SCICreateInterrupt)
#define SCIRemoveInterrupt MOCK_FUNCTION(SCIRemoveInterrupt)
#define SCIWaitForInterrupt MOCK_FUNCTION(SCIWaitForInterrupt)
#define SCIConnectInterrupt MOCK_FUNCTION(SCIConnectInterrupt)
#define SCIDisconnectInterrupt MOCK_FUNCTION(SCIDisconnectInterrupt)
#define SCITriggerInterrupt MOCK_FUNCTION(SCITriggerInterrupt)
#define SCICreateDataInterrupt MOCK_FUNCTION(SCICreateDataInterrupt)
#define SCIRemoveDataInterrupt MOCK_FUNCTION(SCIRemoveDataInterrupt)
#define SCIWaitForDataInterrupt MOCK_FUNCTION(SCIWaitForDataInterrupt)
#define SCIConnectDataInterrupt MOCK_FUNCTION(SCIConnectDataInterrupt)
#define SCIDisconnectDataInterrupt MOCK_FUNCTION(SCIDisconnectDataInterrupt)
#define SCITriggerDataInterrupt MOCK_FUNCTION(SCITriggerDataInterrupt)

typedef struct {
    char *str;
    unsigned int length;
} sci_query_string_t;

typedef struct {
    unsigned int localAdapterNo, portNo, subcommand;
    void *data;
} sci_query_adapter_t;

void SCIInitialize(unsigned int flags, sci_error_t *error);
void SCITerminate(void);
void SCIOpen(sci_desc_t *sd, unsigned int flags, sci_error_t *error);
void SCIClose(sci_desc_t sd, unsigned int flags, sci_error_t *error);
const char *SCIGetErrorString(sci_error_t error);
void SCIGetLocalNodeId(unsigned int adapterNo, unsigned int *nodeId, unsigned int flags,
                       sci_error_t *error);
int SCIProbeNode(sci_desc_t sd, unsigned int localAdapterNo, unsigned int nodeId,
                 unsigned int flags, sci_error_t *error);
void SCIQuery(unsigned int command, void *data, unsigned int flags, sci_error_t *error);
void SCICreateSegment(sci_desc_t sd, sci_local_segment_t *segment, unsigned int segmentId,
                      size_t size, sci_cb_local_segment_t callback, void *callbackArg,
                      unsigned int flags, sci_error_t *error);
void SCIPrepareSegment(sci_local_segment_t segment, unsigned int localAdapterNo, unsigned int flags,
                       sci_error_t *error);
void SCISetSegmentAvailable(sci_local_segment_t segment, unsigned int localAdapterNo,
                            unsigned int flags, sci_error_t *error);
void SCISetSegmentUnavailable(sci_local_segment_t segment, unsigned int localAdapterNo,
                              unsigned int flags, sci_error_t *error);
void SCIRemoveSegment(sci_local_segment_t segment, unsigned int flags, sci_error_t *error);
unsigned int SCIGetLocalSegmentId(sci_local_segment_t segment);
size_t SCIGetLocalSegmentSize(sci_local_segment_t segment);
sci_segment_cb_reason_t SCIWaitForLocalSegmentEvent(sci_local_segment_t segment,
                                                    unsigned int *sourcenodeId,
                                                    unsigned int *localAdapterNo,
                                                    unsigned int timeout, unsigned int flags,
                                                    sci_error_t *error);
void SCIConnectSegment(sci_desc_t sd, sci_remote_segment_t *segment, unsigned int nodeId,
                       unsigned int segmentId, unsigned int localAdapterNo,
                       sci_cb_remote_segment_t callback, void *callbackArg, unsigned int timeout,
                       unsigned int flags, sci_error_t *error);
void SCIDisconnectSegment(sci_remote_segment_t segment, unsigned int flags, sci_error_t *error);
size_t SCIGetRemoteSegmentSize(sci_remote_segment_t segment);
unsigned int SCIGetRemoteSegmentId(sci_remote_segment_t segment);
unsigned int SCIGetRemoteSegmentNodeId(sci_remote_segment_t segment);
sci_segment_cb_reason_t SCIWaitForRemoteSegmentEvent(sci_remote_segment_t segment,
                                                     sci_error_t *status, unsigned int timeout,
                                                     unsigned int flags, sci_error_t *error);
void *SCIMapLocalSegment(sci_local_segment_t segment, sci_map_t *map, size_t offset, size_t size,
                         void *addr, unsigned int flags, sci_error_t *error);
volatile void *SCIMapRemoteSegment(sci_remote_segment_t segment, sci_map_t *map, size_t offset,
                                   size_t size, void *addr, unsigned int flags, sci_error_t *error);
void SCIUnmapSegment(sci_map_t map, unsigned int flags, sci_error_t *error);
volatile void *SCIGetMapPointer(sci_map_t map);
void SCICreateMapSequence(sci_map_t map, sci_sequence_t *sequence, unsigned int flags,
                          sci_error_t *error);
void SCIRemoveSequence(sci_sequence_t sequence, unsigned int flags, sci_error_t *error);
sci_sequence_status_t SCIStartSequence(sci_sequence_t sequence, unsigned int flags,
                                       sci_error_t *error);
sci_sequence_status_t SCICheckSequence(sci_sequence_t sequence, unsigned int flags,
                                       sci_error_t *error);
void SCIStoreBarrier(sci_sequence_t sequence, unsigned int flags);
void SCIFlush(sci_sequence_t sequence, unsigned int flags);
void SCIMemCpy(sci_sequence_t sequence, void *memAddr, sci_map_t remoteMap, size_t remoteOffset,
               size_t size, unsigned int flags, sci_error_t *error);
void SCIMemWrite(void *memAddr, volatile void *remoteAddr, size_t size, unsigned int flags,
                 sci_error_t *error);
void SCITransferBlock(sci_map_t sourceMap, size_t sourceOffset, sci_map_t destinationMap,
                      size_t destinationOffset, size_t size, unsigned int flags,
                      sci_error_t *error);
void SCICreateInterrupt(sci_desc_t sd, sci_local_interrupt_t *interrupt,
                        unsigned int localAdapterNo, unsigned int *interruptNo,
                        sci_cb_interrupt_t callback, void *callbackArg, unsigned int flags,
                        sci_error_t *error);
void SCIRemoveInterrupt(sci_local_interrupt_t interrupt, unsigned int flags, sci_error_t *error);
void SCIWaitForInterrupt(sci_local_interrupt_t interrupt, unsigned int timeout, unsigned int flags,
                         sci_error_t *error);
void SCIConnectInterrupt(sci_desc_t sd, sci_remote_interrupt_t *interrupt, unsigned int nodeId,
                         unsigned int localAdapterNo, unsigned int interruptNo,
                         unsigned int timeout, unsigned int flags, sci_error_t *error);
void SCIDisconnectInterrupt(sci_remote_interrupt_t interrupt, unsigned int flags,
                            sci_error_t *error);
void SCITriggerInterrupt(sci_remote_interrupt_t interrupt, unsigned int flags, sci_error_t *error);
void SCICreateDataInterrupt(sci_desc_t sd, sci_local_data_interrupt_t *interrupt,
                            unsigned int localAdapterNo, unsigned int *interruptNo,
                            sci_cb_data_interrupt_t callback, void *callbackArg, unsigned int flags,
                            sci_error_t *error);
void SCIRemoveDataInterrupt(sci_local_data_interrupt_t interrupt, unsigned int flags,
                            sci_error_t *error);
void SCIWaitForDataInterrupt(sci_local_data_interrupt_t interrupt, void *data, unsigned int *length,
                             unsigned int timeout, unsigned int flags, sci_error_t *error);
void SCIConnectDataInterrupt(sci_desc_t sd, sci_remote_data_interrupt_t *interrupt,
                             unsigned int nodeId, unsigned int localAdapterNo,
                             unsigned int interruptNo, unsigned int timeout, unsigned int flags,
                             sci_error_t *error);
void SCIDisconnectDataInterrupt(sci_remote_data_interrupt_t interrupt, unsigned int flags,
                                sci_error_t *error);
void SCITriggerDataInterrupt(sci_remote_data_interrupt_t interrupt, void *data, unsigned int length,
                             unsigned int flags, sci_error_t *error);

#endif
