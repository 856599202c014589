/* Sequences: started before the first transfer, and again after a fault that asks for it; a peer
 * for which that does not succeed in time is lost, and so is one for which SISCI has an error and
 * no mere status: it would be the same for ever. */
#include "transport/sci/sisci.h"

#include <sched.h>

#include "base/clock.h"
#include "base/log.h"

/* An outage of a link may last so long. */
static const uint64_t lost_after_ns = UINT64_C(2000000000);

static cb_status lost(const sci_sequence *sequence)
{
    cb_error("cannot transfer to the segment %u of SCI node %u: no transfer has succeeded for "
             "%u s, so that its process is taken for lost; see whether it runs, and the links",
             sequence->segment->id, sequence->segment->node_id,
             (unsigned)(lost_after_ns / 1000000000));
    return CB_ERROR_TRANSPORT;
}

static cb_status failed(const sci_sequence *sequence, const char *attempt, sci_error_t error)
{
    return sci_failed(attempt, sequence->segment->node_id, sequence->segment->id, error,
                      "see whether its process runs, and the adapter");
}

static cb_status start(sci_sequence *sequence)
{
    const uint64_t until_ns = cb_now_ns() + lost_after_ns;
    sci_sequence_status_t status;
    sci_error_t error;

    for (;;) {
        status = SCIStartSequence(sequence->handle, 0, &error);
        if (error != SCI_ERR_OK)
            return failed(sequence, "start a sequence of transfers to the segment", error);
        if (status == SCI_SEQ_OK)
            return CB_OK;
        if (cb_now_ns() > until_ns)
            return lost(sequence);
        sched_yield();
    }
}

cb_status sci_sequence_open(sci_sequence *sequence, const sci_remote *segment)
{
    sci_error_t error;

    SCICreateMapSequence(segment->map, &sequence->handle, 0, &error);
    if (error != SCI_ERR_OK) {
        sequence->handle = NULL;
        return sci_failed("create a sequence", segment->node_id, segment->id, error,
                          "check the adapter");
    }
    sequence->segment = segment;
    return start(sequence);
}

void sci_sequence_close(sci_sequence *sequence)
{
    sci_error_t ignored;

    if (sequence->handle != NULL)
        SCIRemoveSequence(sequence->handle, 0, &ignored);
    sequence->handle = NULL;
}

/* A process may be stopped for any time between two of them, so time alone says nothing. */
cb_status sci_sequence_endure(sci_sequence *sequence, uint32_t tries)
{
    const uint32_t tries_between_looks = 1024;

    if (tries == 0)
        sequence->failing_since_ns = cb_now_ns();
    if (tries % tries_between_looks != tries_between_looks - 1 ||
        cb_now_ns() - sequence->failing_since_ns < lost_after_ns)
        return CB_EMPTY;
    return lost(sequence);
}

cb_status sci_sequence_recover(sci_sequence *sequence, sci_sequence_status_t status,
                               sci_error_t error)
{
    if (error != SCI_ERR_OK)
        return failed(sequence, "check the transfers to the segment", error);
    if (status == SCI_SEQ_RETRIABLE)
        return CB_EMPTY;
    CB_TRY(start(sequence));
    return CB_EMPTY;
}
