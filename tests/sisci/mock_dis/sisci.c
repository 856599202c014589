/* The mock's library: one node, one segment, one memory. Every handle is NULL, and every call
 * succeeds. Compiled with -D_REENTRANT it exports the MT names, as a real installation does beside
 * the ST names. */
#include "sisci_api.h"

static unsigned memory[2048];

const unsigned int SCI_FLAG_USE_CALLBACK = 1;
const unsigned int SCI_FLAG_NOTIFY = 2;
const unsigned int SCI_INFINITE_TIMEOUT = 0xffffffff;
const unsigned int SCI_Q_ADAPTER = 3;
const unsigned int SCI_Q_ADAPTER_NODEID = 4;

void SCIInitialize(unsigned int flags, sci_error_t *error)
{
    (void)flags;
    *error = SCI_ERR_OK;
}

void SCITerminate(void)
{
}

void SCIOpen(sci_desc_t *sd, unsigned int flags, sci_error_t *error)
{
    *sd = NULL;
    SCIInitialize(flags, error);
}

void SCIClose(sci_desc_t sd, unsigned int flags, sci_error_t *error)
{
    (void)sd;
    SCIInitialize(flags, error);
}

void SCIQuery(unsigned int command, void *data, unsigned int flags, sci_error_t *error)
{
    (void)command;
    *(unsigned *)((sci_query_adapter_t *)data)->data = 4;
    SCIInitialize(flags, error);
}

void SCICreateSegment(sci_desc_t sd, sci_local_segment_t *segment, unsigned int segmentId,
                      size_t size, sci_cb_local_segment_t callback, void *callbackArg,
                      unsigned int flags, sci_error_t *error)
{
    (void)sd, (void)segmentId, (void)size, (void)callback, (void)callbackArg;
    *segment = NULL;
    SCIInitialize(flags, error);
}

void SCIPrepareSegment(sci_local_segment_t segment, unsigned int localAdapterNo, unsigned int flags,
                       sci_error_t *error)
{
    (void)segment, (void)localAdapterNo;
    SCIInitialize(flags, error);
}

void SCISetSegmentAvailable(sci_local_segment_t segment, unsigned int localAdapterNo,
                            unsigned int flags, sci_error_t *error)
{
    SCIPrepareSegment(segment, localAdapterNo, flags, error);
}

void SCISetSegmentUnavailable(sci_local_segment_t segment, unsigned int localAdapterNo,
                              unsigned int flags, sci_error_t *error)
{
    SCIPrepareSegment(segment, localAdapterNo, flags, error);
}

void SCIRemoveSegment(sci_local_segment_t segment, unsigned int flags, sci_error_t *error)
{
    SCIPrepareSegment(segment, 0, flags, error);
}

void SCIConnectSegment(sci_desc_t sd, sci_remote_segment_t *segment, unsigned int nodeId,
                       unsigned int segmentId, unsigned int localAdapterNo,
                       sci_cb_remote_segment_t callback, void *callbackArg, unsigned int timeout,
                       unsigned int flags, sci_error_t *error)
{
    (void)sd, (void)nodeId, (void)segmentId, (void)localAdapterNo;
    (void)callback, (void)callbackArg, (void)timeout;
    *segment = NULL;
    SCIInitialize(flags, error);
}

void SCIDisconnectSegment(sci_remote_segment_t segment, unsigned int flags, sci_error_t *error)
{
    (void)segment;
    SCIInitialize(flags, error);
}

size_t SCIGetRemoteSegmentSize(sci_remote_segment_t segment)
{
    (void)segment;
    return sizeof(memory);
}

void *SCIMapLocalSegment(sci_local_segment_t segment, sci_map_t *map, size_t offset, size_t size,
                         void *addr, unsigned int flags, sci_error_t *error)
{
    (void)segment, (void)offset, (void)size, (void)addr;
    *map = NULL;
    SCIInitialize(flags, error);
    return memory;
}

volatile void *SCIMapRemoteSegment(sci_remote_segment_t segment, sci_map_t *map, size_t offset,
                                   size_t size, void *addr, unsigned int flags, sci_error_t *error)
{
    (void)segment;
    return SCIMapLocalSegment(NULL, map, offset, size, addr, flags, error);
}

void SCIUnmapSegment(sci_map_t map, unsigned int flags, sci_error_t *error)
{
    (void)map;
    SCIInitialize(flags, error);
}

void SCICreateMapSequence(sci_map_t map, sci_sequence_t *sequence, unsigned int flags,
                          sci_error_t *error)
{
    (void)map;
    *sequence = NULL;
    SCIInitialize(flags, error);
}

void SCIRemoveSequence(sci_sequence_t sequence, unsigned int flags, sci_error_t *error)
{
    (void)sequence;
    SCIInitialize(flags, error);
}

sci_sequence_status_t SCIStartSequence(sci_sequence_t sequence, unsigned int flags,
                                       sci_error_t *error)
{
    SCIRemoveSequence(sequence, flags, error);
    return SCI_SEQ_OK;
}

sci_sequence_status_t SCICheckSequence(sci_sequence_t sequence, unsigned int flags,
                                       sci_error_t *error)
{
    return SCIStartSequence(sequence, flags, error);
}

void SCIStoreBarrier(sci_sequence_t sequence, unsigned int flags)
{
    (void)sequence, (void)flags;
}

void SCIFlush(sci_sequence_t sequence, unsigned int flags)
{
    SCIStoreBarrier(sequence, flags);
}
