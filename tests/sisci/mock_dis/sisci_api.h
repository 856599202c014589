/* A part of what an installation of Dolphin's has: functions and constants are macros for mangled
 * names, and the constants are variables. Text of our own. */
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
#define SCI_FLAG_NOTIFY MOCK_CONSTANT(SCI_FLAG_NOTIFY)
#define SCI_INFINITE_TIMEOUT MOCK_CONSTANT(SCI_INFINITE_TIMEOUT)
#define SCI_Q_ADAPTER MOCK_CONSTANT(SCI_Q_ADAPTER)
#define SCI_Q_ADAPTER_NODEID MOCK_CONSTANT(SCI_Q_ADAPTER_NODEID)
extern const unsigned int SCI_FLAG_USE_CALLBACK;
extern const unsigned int SCI_FLAG_NOTIFY;
extern const unsigned int SCI_INFINITE_TIMEOUT;
extern const unsigned int SCI_Q_ADAPTER;
extern const unsigned int SCI_Q_ADAPTER_NODEID;

#define SCIInitialize MOCK_FUNCTION(SCIInitialize)
#define SCITerminate MOCK_FUNCTION(SCITerminate)
#define SCIOpen MOCK_FUNCTION(SCIOpen)
#define SCIClose MOCK_FUNCTION(SCIClose)
#define SCIQuery MOCK_FUNCTION(SCIQuery)
#define SCICreateSegment MOCK_FUNCTION(SCICreateSegment)
#define SCIPrepareSegment MOCK_FUNCTION(SCIPrepareSegment)
#define SCISetSegmentAvailable MOCK_FUNCTION(SCISetSegmentAvailable)
#define SCISetSegmentUnavailable MOCK_FUNCTION(SCISetSegmentUnavailable)
#define SCIRemoveSegment MOCK_FUNCTION(SCIRemoveSegment)
#define SCIConnectSegment MOCK_FUNCTION(SCIConnectSegment)
#define SCIDisconnectSegment MOCK_FUNCTION(SCIDisconnectSegment)
#define SCIGetRemoteSegmentSize MOCK_FUNCTION(SCIGetRemoteSegmentSize)
#define SCIMapLocalSegment MOCK_FUNCTION(SCIMapLocalSegment)
#define SCIMapRemoteSegment MOCK_FUNCTION(SCIMapRemoteSegment)
#define SCIUnmapSegment MOCK_FUNCTION(SCIUnmapSegment)
#define SCICreateMapSequence MOCK_FUNCTION(SCICreateMapSequence)
#define SCIRemoveSequence MOCK_FUNCTION(SCIRemoveSequence)
#define SCIStartSequence MOCK_FUNCTION(SCIStartSequence)
#define SCICheckSequence MOCK_FUNCTION(SCICheckSequence)
#define SCIStoreBarrier MOCK_FUNCTION(SCIStoreBarrier)
#define SCIFlush MOCK_FUNCTION(SCIFlush)

typedef struct {
    unsigned int localAdapterNo, portNo, subcommand;
    void *data;
} sci_query_adapter_t;

void SCIInitialize(unsigned int flags, sci_error_t *error);
void SCITerminate(void);
void SCIOpen(sci_desc_t *sd, unsigned int flags, sci_error_t *error);
void SCIClose(sci_desc_t sd, unsigned int flags, sci_error_t *error);
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
void SCIConnectSegment(sci_desc_t sd, sci_remote_segment_t *segment, unsigned int nodeId,
                       unsigned int segmentId, unsigned int localAdapterNo,
                       sci_cb_remote_segment_t callback, void *callbackArg, unsigned int timeout,
                       unsigned int flags, sci_error_t *error);
void SCIDisconnectSegment(sci_remote_segment_t segment, unsigned int flags, sci_error_t *error);
size_t SCIGetRemoteSegmentSize(sci_remote_segment_t segment);
void *SCIMapLocalSegment(sci_local_segment_t segment, sci_map_t *map, size_t offset, size_t size,
                         void *addr, unsigned int flags, sci_error_t *error);
volatile void *SCIMapRemoteSegment(sci_remote_segment_t segment, sci_map_t *map, size_t offset,
                                   size_t size, void *addr, unsigned int flags, sci_error_t *error);
void SCIUnmapSegment(sci_map_t map, unsigned int flags, sci_error_t *error);
void SCICreateMapSequence(sci_map_t map, sci_sequence_t *sequence, unsigned int flags,
                          sci_error_t *error);
void SCIRemoveSequence(sci_sequence_t sequence, unsigned int flags, sci_error_t *error);
sci_sequence_status_t SCIStartSequence(sci_sequence_t sequence, unsigned int flags,
                                       sci_error_t *error);
sci_sequence_status_t SCICheckSequence(sci_sequence_t sequence, unsigned int flags,
                                       sci_error_t *error);
void SCIStoreBarrier(sci_sequence_t sequence, unsigned int flags);
void SCIFlush(sci_sequence_t sequence, unsigned int flags);

#endif
