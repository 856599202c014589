/* Results of every call for parameters that are invalid in any state: a null handle, an
 * undefined flag, a missing adapter. One row per call. */
#include "tests/sisci/states.h"

enum { ID = 23, NUMBER = 5, BYTES = 8192 };

/* An undefined flag. */
static const unsigned wrong_flag = 1u << 31;

/* Make the call with the handles of `here`, which are all NULL where the column asks for that. */
typedef sci_error_t (*attempt)(const world *here, unsigned adapter, unsigned flags);

static sci_error_t close_it(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIClose(here->sd, flags, &error);
    return error;
}

static sci_error_t probe_node(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    SCIProbeNode(here->sd, adapter, 4, flags, &error);
    return error;
}

static sci_error_t create_segment(const world *here, unsigned adapter, unsigned flags)
{
    sci_local_segment_t made;
    sci_error_t error;

    (void)adapter;
    SCICreateSegment(here->sd, &made, ID + 1, BYTES, NULL, NULL, flags, &error);
    return error;
}

static sci_error_t prepare(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    SCIPrepareSegment(here->local, adapter, flags, &error);
    return error;
}

static sci_error_t set_available(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    SCISetSegmentAvailable(here->local, adapter, flags, &error);
    return error;
}

static sci_error_t set_unavailable(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    SCISetSegmentUnavailable(here->local, adapter, flags, &error);
    return error;
}

static sci_error_t remove_segment(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIRemoveSegment(here->local, flags, &error);
    return error;
}

static sci_error_t wait_for_local(const world *here, unsigned adapter, unsigned flags)
{
    unsigned node;
    sci_error_t error;

    SCIWaitForLocalSegmentEvent(here->local, &node, &adapter, NOT_MS, flags, &error);
    return error;
}

static sci_error_t connect(const world *here, unsigned adapter, unsigned flags)
{
    sci_remote_segment_t made;
    sci_error_t error;

    SCIConnectSegment(here->sd, &made, 4, ID, adapter, NULL, NULL, 0, flags, &error);
    return error;
}

static sci_error_t disconnect(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIDisconnectSegment(here->remote, flags, &error);
    return error;
}

static sci_error_t wait_for_remote(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error, status;

    (void)adapter;
    SCIWaitForRemoteSegmentEvent(here->remote, &status, NOT_MS, flags, &error);
    return error;
}

static sci_error_t map_local_segment(const world *here, unsigned adapter, unsigned flags)
{
    sci_map_t made;
    sci_error_t error;

    (void)adapter;
    ck_assert_ptr_null(SCIMapLocalSegment(here->local, &made, 0, BYTES, NULL, flags, &error));
    return error;
}

static sci_error_t map_remote_segment(const world *here, unsigned adapter, unsigned flags)
{
    sci_map_t made;
    sci_error_t error;

    (void)adapter;
    ck_assert(SCIMapRemoteSegment(here->remote, &made, 0, BYTES, NULL, flags, &error) == NULL);
    return error;
}

static sci_error_t unmap(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIUnmapSegment(here->map, flags, &error);
    return error;
}

static sci_error_t create_sequence(const world *here, unsigned adapter, unsigned flags)
{
    sci_sequence_t made;
    sci_error_t error;

    (void)adapter;
    SCICreateMapSequence(here->map, &made, flags, &error);
    return error;
}

static sci_error_t remove_sequence(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIRemoveSequence(here->sequence, flags, &error);
    return error;
}

static sci_error_t start_sequence(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    ck_assert_int_eq(SCIStartSequence(here->sequence, flags, &error), SCI_SEQ_NOT_RETRIABLE);
    return error;
}

static sci_error_t check_sequence(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    ck_assert_int_eq(SCICheckSequence(here->sequence, flags, &error), SCI_SEQ_NOT_RETRIABLE);
    return error;
}

static sci_error_t copy(const world *here, unsigned adapter, unsigned flags)
{
    unsigned word = 0;
    sci_error_t error;

    (void)adapter;
    SCIMemCpy(here->sequence, &word, here->map, 0, sizeof(word), flags, &error);
    return error;
}

static sci_error_t write_to_address(const world *here, unsigned adapter, unsigned flags)
{
    unsigned word = 0;
    sci_error_t error;

    (void)adapter;
    SCIMemWrite(&word, here->map != NULL ? SCIGetMapPointer(here->map) : NULL, sizeof(word), flags,
                &error);
    return error;
}

static sci_error_t transfer_block(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCITransferBlock(here->map, 0, here->map, 0, 4, flags, &error);
    return error;
}

static sci_error_t create_interrupt(const world *here, unsigned adapter, unsigned flags)
{
    sci_local_interrupt_t made;
    unsigned number;
    sci_error_t error;

    SCICreateInterrupt(here->sd, &made, adapter, &number, NULL, NULL, flags, &error);
    return error;
}

static sci_error_t remove_interrupt(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIRemoveInterrupt(here->interrupt, flags, &error);
    return error;
}

static sci_error_t wait_for_interrupt(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIWaitForInterrupt(here->interrupt, NOT_MS, flags, &error);
    return error;
}

static sci_error_t connect_interrupt(const world *here, unsigned adapter, unsigned flags)
{
    sci_remote_interrupt_t made;
    sci_error_t error;

    SCIConnectInterrupt(here->sd, &made, 4, adapter, NUMBER, 0, flags, &error);
    return error;
}

static sci_error_t disconnect_interrupt(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIDisconnectInterrupt(here->trigger, flags, &error);
    return error;
}

static sci_error_t trigger(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCITriggerInterrupt(here->trigger, flags, &error);
    return error;
}

static sci_error_t create_data_interrupt(const world *here, unsigned adapter, unsigned flags)
{
    sci_local_data_interrupt_t made;
    unsigned number;
    sci_error_t error;

    SCICreateDataInterrupt(here->sd, &made, adapter, &number, NULL, NULL, flags, &error);
    return error;
}

static sci_error_t remove_data_interrupt(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIRemoveDataInterrupt(here->data_interrupt, flags, &error);
    return error;
}

static sci_error_t wait_for_data_interrupt(const world *here, unsigned adapter, unsigned flags)
{
    unsigned word, length = sizeof(word);
    sci_error_t error;

    (void)adapter;
    SCIWaitForDataInterrupt(here->data_interrupt, &word, &length, NOT_MS, flags, &error);
    return error;
}

static sci_error_t connect_data_interrupt(const world *here, unsigned adapter, unsigned flags)
{
    sci_remote_data_interrupt_t made;
    sci_error_t error;

    SCIConnectDataInterrupt(here->sd, &made, 4, adapter, NUMBER, 0, flags, &error);
    return error;
}

static sci_error_t disconnect_data_interrupt(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIDisconnectDataInterrupt(here->data_trigger, flags, &error);
    return error;
}

static sci_error_t trigger_data(const world *here, unsigned adapter, unsigned flags)
{
    unsigned word = 0;
    sci_error_t error;

    (void)adapter;
    SCITriggerDataInterrupt(here->data_trigger, &word, sizeof(word), flags, &error);
    return error;
}

static sci_error_t create_queue(const world *here, unsigned adapter, unsigned flags)
{
    sci_dma_queue_t made;
    sci_error_t error;

    SCICreateDMAQueue(here->sd, &made, adapter, 1, flags, &error);
    return error;
}

static sci_error_t remove_queue(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIRemoveDMAQueue(here->queue, flags, &error);
    return error;
}

static sci_error_t start_transfer(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIStartDmaTransfer(here->queue, here->local, here->remote, 0, BYTES, 0, NULL, NULL, flags,
                        &error);
    return error;
}

static sci_error_t wait_for_queue(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIWaitForDMAQueue(here->queue, NOT_MS, flags, &error);
    return error;
}

static sci_error_t abort_queue(const world *here, unsigned adapter, unsigned flags)
{
    sci_error_t error;

    (void)adapter;
    SCIAbortDMAQueue(here->queue, flags, &error);
    return error;
}

static const struct {
    const char *name;
    attempt make;
    bool takes_adapter;
} attempts[] = {
    {"SCIClose", close_it, false},
    {"SCIProbeNode", probe_node, true},
    {"SCICreateSegment", create_segment, false},
    {"SCIPrepareSegment", prepare, true},
    {"SCISetSegmentAvailable", set_available, true},
    {"SCISetSegmentUnavailable", set_unavailable, true},
    {"SCIRemoveSegment", remove_segment, false},
    {"SCIWaitForLocalSegmentEvent", wait_for_local, false},
    {"SCIConnectSegment", connect, true},
    {"SCIDisconnectSegment", disconnect, false},
    {"SCIWaitForRemoteSegmentEvent", wait_for_remote, false},
    {"SCIMapLocalSegment", map_local_segment, false},
    {"SCIMapRemoteSegment", map_remote_segment, false},
    {"SCIUnmapSegment", unmap, false},
    {"SCICreateMapSequence", create_sequence, false},
    {"SCIRemoveSequence", remove_sequence, false},
    {"SCIStartSequence", start_sequence, false},
    {"SCICheckSequence", check_sequence, false},
    {"SCIMemCpy", copy, false},
    {"SCIMemWrite", write_to_address, false},
    {"SCITransferBlock", transfer_block, false},
    {"SCICreateInterrupt", create_interrupt, true},
    {"SCIRemoveInterrupt", remove_interrupt, false},
    {"SCIWaitForInterrupt", wait_for_interrupt, false},
    {"SCIConnectInterrupt", connect_interrupt, true},
    {"SCIDisconnectInterrupt", disconnect_interrupt, false},
    {"SCITriggerInterrupt", trigger, false},
    {"SCICreateDataInterrupt", create_data_interrupt, true},
    {"SCIRemoveDataInterrupt", remove_data_interrupt, false},
    {"SCIWaitForDataInterrupt", wait_for_data_interrupt, false},
    {"SCIConnectDataInterrupt", connect_data_interrupt, true},
    {"SCIDisconnectDataInterrupt", disconnect_data_interrupt, false},
    {"SCITriggerDataInterrupt", trigger_data, false},
    {"SCICreateDMAQueue", create_queue, true},
    {"SCIRemoveDMAQueue", remove_queue, false},
    {"SCIStartDmaTransfer", start_transfer, false},
    {"SCIWaitForDMAQueue", wait_for_queue, false},
    {"SCIAbortDMAQueue", abort_queue, false},
};

enum { ATTEMPTS = sizeof(attempts) / sizeof(attempts[0]) };

/* One object of each kind, for calls with a single invalid parameter. */
static world have_all(void)
{
    unsigned number = NUMBER;
    world all = {.sd = begin()};
    sci_error_t error;

    all.local = offer(all.sd, ID, BYTES);
    all.remote = reach(all.sd, 4, ID);
    map_remote(all.remote, &all.map);
    all.sequence = watch(all.map);
    SCICreateInterrupt(all.sd, &all.interrupt, 0, &number, NULL, NULL, SCI_FLAG_FIXED_INTNO,
                       &error);
    SCIConnectInterrupt(all.sd, &all.trigger, 4, 0, NUMBER, 0, 0, &error);
    ck_ok(error);
    SCICreateDataInterrupt(all.sd, &all.data_interrupt, 0, &number, NULL, NULL,
                           SCI_FLAG_FIXED_INTNO, &error);
    SCIConnectDataInterrupt(all.sd, &all.data_trigger, 4, 0, NUMBER, 0, 0, &error);
    ck_ok(error);
    SCICreateDMAQueue(all.sd, &all.queue, 0, 1, 0, &error);
    ck_ok(error);
    return all;
}

static void insist(const char *name, sci_error_t error, sci_error_t expected)
{
    ck_assert_msg(error == expected, "%s: '%s' and not '%s'", name, SCIGetErrorString(error),
                  SCIGetErrorString(expected));
}

START_TEST(a_null_handle_is_an_illegal_parameter)
{
    const world nothing = {0};

    begin();
    for (int i = 0; i < ATTEMPTS; i++)
        insist(attempts[i].name, attempts[i].make(&nothing, 0, 0), SCI_ERR_ILLEGAL_PARAMETER);
}
END_TEST

START_TEST(an_undefined_flag_is_illegal)
{
    world all = have_all();

    for (int i = 0; i < ATTEMPTS; i++)
        insist(attempts[i].name, attempts[i].make(&all, 0, wrong_flag), SCI_ERR_ILLEGAL_FLAG);
}
END_TEST

START_TEST(a_missing_adapter_is_reported)
{
    world all = have_all();

    for (int i = 0; i < ATTEMPTS; i++)
        if (attempts[i].takes_adapter)
            insist(attempts[i].name, attempts[i].make(&all, 1, 0), SCI_ERR_NO_SUCH_ADAPTERNO);
}
END_TEST

START_TEST(an_adapter_number_has_its_limit)
{
    world all = have_all();

    for (int i = 0; i < ATTEMPTS; i++)
        if (attempts[i].takes_adapter)
            insist(attempts[i].name, attempts[i].make(&all, 32, 0), SCI_ERR_ILLEGAL_ADAPTERNO);
}
END_TEST

UNIT_MAIN("sisci handles", a_null_handle_is_an_illegal_parameter, an_undefined_flag_is_illegal,
          a_missing_adapter_is_reported, an_adapter_number_has_its_limit)
