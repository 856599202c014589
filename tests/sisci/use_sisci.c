/* A program with the part of the interface that the project uses, in the common part of C and C++.
 * The tests compile it, unchanged, for Dolphin's names and for those of libsisci-shm, and against
 * the installed library. It sends itself a word. */
#include <stdio.h>
#include <stdlib.h>

#include "sisci_api.h"

static void insist(sci_error_t error, const char *what)
{
    if (error == SCI_ERR_OK)
        return;
    fprintf(stderr, "use_sisci: %s: error 0x%x\n", what, (unsigned)error);
    exit(1);
}

static sci_local_segment_t offer(sci_desc_t sd, volatile unsigned **memory, sci_map_t *map)
{
    sci_local_segment_t segment;
    sci_error_t error;

    SCICreateSegment(sd, &segment, 8, 8192, NULL, NULL, 0, &error);
    insist(error, "SCICreateSegment");
    SCIPrepareSegment(segment, 0, 0, &error);
    insist(error, "SCIPrepareSegment");
    *memory = (volatile unsigned *)SCIMapLocalSegment(segment, map, 0, 8192, NULL, 0, &error);
    insist(error, "SCIMapLocalSegment");
    SCISetSegmentAvailable(segment, 0, 0, &error);
    insist(error, "SCISetSegmentAvailable");
    return segment;
}

static unsigned own_node(void)
{
    unsigned node = 0;
    sci_query_adapter_t query;
    sci_error_t error;

    query.localAdapterNo = 0;
    query.data = &node;
    query.subcommand = SCI_Q_ADAPTER_NODEID;
    SCIQuery(SCI_Q_ADAPTER, &query, 0, &error);
    insist(error, "SCIQuery");
    return node;
}

static void send(sci_sequence_t sequence, volatile unsigned *there)
{
    sci_error_t error;

    while (SCIStartSequence(sequence, 0, &error) != SCI_SEQ_OK)
        insist(error, "SCIStartSequence");
    do {
        there[0] = 42;
        SCIStoreBarrier(sequence, 0);
        SCIFlush(sequence, 0);
    } while (SCICheckSequence(sequence, 0, &error) == SCI_SEQ_RETRIABLE);
    insist(error, "SCICheckSequence");
}

static void close_all(sci_local_segment_t local, sci_map_t local_map, sci_remote_segment_t remote,
                      sci_map_t map, sci_sequence_t sequence, sci_desc_t sd)
{
    sci_error_t error;

    SCIRemoveSequence(sequence, 0, &error);
    insist(error, "SCIRemoveSequence");
    SCIUnmapSegment(map, 0, &error);
    insist(error, "SCIUnmapSegment");
    SCIDisconnectSegment(remote, 0, &error);
    insist(error, "SCIDisconnectSegment");
    SCISetSegmentUnavailable(local, 0, SCI_FLAG_NOTIFY, &error);
    insist(error, "SCISetSegmentUnavailable");
    SCIUnmapSegment(local_map, 0, &error);
    insist(error, "SCIUnmapSegment");
    SCIRemoveSegment(local, 0, &error);
    insist(error, "SCIRemoveSegment");
    SCIClose(sd, 0, &error);
    insist(error, "SCIClose");
    SCITerminate();
}

int main(void)
{
    sci_desc_t sd;
    sci_map_t local_map, map;
    volatile unsigned *here, *there;
    sci_local_segment_t local;
    sci_remote_segment_t remote;
    sci_sequence_t sequence;
    sci_error_t error;

    SCIInitialize(0, &error);
    insist(error, "SCIInitialize");
    SCIOpen(&sd, 0, &error);
    insist(error, "SCIOpen");
    local = offer(sd, &here, &local_map);
    SCIConnectSegment(sd, &remote, own_node(), 8, 0, NULL, NULL, SCI_INFINITE_TIMEOUT, 0, &error);
    insist(error, "SCIConnectSegment");
    there = (volatile unsigned *)SCIMapRemoteSegment(
        remote, &map, 0, SCIGetRemoteSegmentSize(remote), NULL, 0, &error);
    insist(error, "SCIMapRemoteSegment");
    SCICreateMapSequence(map, &sequence, 0, &error);
    insist(error, "SCICreateMapSequence");
    send(sequence, there);
    printf("%u\n", here[0]);
    close_all(local, local_map, remote, map, sequence, sd);
    return 0;
}
