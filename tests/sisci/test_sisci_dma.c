/* DMA queues: states, errors, order, and completion of transfers. */
#include "tests/sisci/fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { SOURCE_ID = 1, TARGET_ID = 2, BYTES = 1 << 20, ENTRIES = 4 };

typedef struct {
    sci_desc_t sd;
    sci_local_segment_t source, target;
    sci_map_t source_map, target_map;
    unsigned char *from, *to;
    sci_remote_segment_t remote;
    sci_dma_queue_t queue;
} engine;

static engine make_engine(const char *faults)
{
    engine made = {.sd = begin_with(faults)};
    sci_error_t error;

    made.source = offer(made.sd, SOURCE_ID, BYTES);
    made.target = offer(made.sd, TARGET_ID, BYTES);
    made.from = (unsigned char *)map_local(made.source, &made.source_map);
    made.to = (unsigned char *)map_local(made.target, &made.target_map);
    made.remote = reach(made.sd, SCI_LOCAL_HOST, TARGET_ID);
    SCICreateDMAQueue(made.sd, &made.queue, 0, ENTRIES, 0, &error);
    ck_ok(error);
    return made;
}

static sci_error_t start(const engine *e, size_t from, size_t size, size_t to, unsigned flags)
{
    sci_error_t error;

    SCIStartDmaTransfer(e->queue, e->source, e->remote, from, size, to, NULL, NULL, flags, &error);
    return error;
}

static sci_dma_queue_state_t await(const engine *e)
{
    sci_error_t error;
    sci_dma_queue_state_t state = SCIWaitForDMAQueue(e->queue, SOON_MS, 0, &error);

    ck_ok(error);
    ck_assert_int_eq(SCIDMAQueueState(e->queue), state);
    return state;
}

START_TEST(a_new_queue_is_idle)
{
    engine e = make_engine("");

    ck_assert_int_eq(SCIDMAQueueState(e.queue), SCI_DMAQUEUE_IDLE);
}
END_TEST

START_TEST(a_transfer_is_done_once_its_data_arrived)
{
    engine e = make_engine("");

    memset(e.from, 0x33, BYTES);
    ck_ok(start(&e, 8, 1000, 16, 0));
    ck_assert_int_eq(await(&e), SCI_DMAQUEUE_DONE);
    ck_assert_int_eq(e.to[15], 0);
    ck_assert_mem_eq(e.to + 16, e.from, 1000);
    ck_assert_int_eq(e.to[1016], 0);
}
END_TEST

START_TEST(a_read_transfers_in_the_other_direction)
{
    engine e = make_engine("");

    memset(e.to, 0x44, BYTES);
    ck_ok(start(&e, 0, 64, 128, SCI_FLAG_DMA_READ));
    ck_assert_int_eq(await(&e), SCI_DMAQUEUE_DONE);
    ck_assert_mem_eq(e.from, e.to, 64);
    ck_assert_int_eq(e.from[64], 0);
}
END_TEST

START_TEST(a_start_can_wait_for_its_transfer)
{
    engine e = make_engine("");

    memset(e.from, 0x55, BYTES);
    ck_ok(start(&e, 0, BYTES, 0, SCI_FLAG_DMA_WAIT));
    ck_assert_mem_eq(e.to, e.from, BYTES);
    ck_assert_int_eq(SCIDMAQueueState(e.queue), SCI_DMAQUEUE_DONE);
}
END_TEST

START_TEST(transfers_are_done_in_order)
{
    engine e = make_engine("");

    for (unsigned char round = 0; round < 50; round++) {
        e.from[0] = round;
        e.from[4] = (unsigned char)(round + 100);
        ck_ok(start(&e, 0, 4, 0, 0));
        ck_ok(start(&e, 4, 4, 0, 0));
        ck_assert_int_eq(await(&e), SCI_DMAQUEUE_DONE);
        ck_assert_int_eq(e.to[0], round + 100);
    }
}
END_TEST

START_TEST(a_start_checks_its_parameters)
{
    engine e = make_engine("");

    ck_error(start(&e, 0, 0, 0, 0), SCI_ERR_SIZE_ALIGNMENT);
    ck_error(start(&e, 0, 6, 0, 0), SCI_ERR_SIZE_ALIGNMENT);
    ck_error(start(&e, 2, 4, 0, 0), SCI_ERR_OFFSET_ALIGNMENT);
    ck_error(start(&e, 0, 4, 2, 0), SCI_ERR_OFFSET_ALIGNMENT);
    ck_error(start(&e, BYTES, 4, 0, 0), SCI_ERR_OUT_OF_RANGE);
    ck_error(start(&e, 0, 8, BYTES - 4, 0), SCI_ERR_OUT_OF_RANGE);
    ck_error(start(&e, 0, 4, 0, SCI_FLAG_USE_CALLBACK), SCI_ERR_ILLEGAL_PARAMETER);
    ck_error(start(&e, 0, 4, 0, SCI_FLAG_NOTIFY), SCI_ERR_ILLEGAL_FLAG);
    ck_assert_int_eq(SCIDMAQueueState(e.queue), SCI_DMAQUEUE_IDLE);
}
END_TEST

START_TEST(an_unprepared_segment_cannot_be_transferred)
{
    engine e = make_engine("");
    sci_error_t error;

    SCICreateSegment(e.sd, &e.source, 0, BYTES, NULL, NULL, SCI_FLAG_PRIVATE, &error);
    ck_ok(error);
    ck_error(start(&e, 0, 4, 0, 0), SCI_ERR_SEGMENT_NOT_PREPARED);
    SCIPrepareSegment(e.source, 0, SCI_FLAG_DMA_SOURCE_ONLY, &error);
    ck_ok(error);
    ck_ok(start(&e, 0, 4, 0, 0));
    ck_assert_int_eq(await(&e), SCI_DMAQUEUE_DONE);
}
END_TEST

START_TEST(a_transfer_to_a_lost_segment_fails)
{
    engine e = make_engine("");
    sci_error_t error, status;

    SCISetSegmentUnavailable(e.target, 0, SCI_FLAG_FORCE_DISCONNECT, &error);
    ck_ok(error);
    ck_assert_int_eq(SCIWaitForRemoteSegmentEvent(e.remote, &status, SOON_MS, 0, &error),
                     SCI_CB_LOST);
    ck_error(start(&e, 0, 4, 0, 0), SCI_ERR_SEGMENT_NOT_CONNECTED);
}
END_TEST

/* A callback that blocks the library's thread until it is released. */
typedef struct {
    pthread_mutex_t gate;
    _Atomic unsigned calls;
    sci_error_t last;
} record;

static sci_callback_action_t note(void *argument, sci_dma_queue_t queue, sci_error_t status)
{
    record *seen = argument;

    ck_assert_ptr_nonnull(queue);
    pthread_mutex_lock(&seen->gate);
    seen->last = status;
    seen->calls++;
    pthread_mutex_unlock(&seen->gate);
    return SCI_CALLBACK_CONTINUE;
}

static sci_error_t start_with_callback(const engine *e, record *seen, size_t size)
{
    sci_error_t error;

    SCIStartDmaTransfer(e->queue, e->source, e->remote, 0, size, 0, note, seen,
                        SCI_FLAG_USE_CALLBACK, &error);
    return error;
}

START_TEST(each_transfer_makes_its_callback)
{
    engine e = make_engine("");
    record seen = {.gate = PTHREAD_MUTEX_INITIALIZER};
    sci_error_t error;

    for (int i = 0; i < ENTRIES; i++)
        ck_ok(start_with_callback(&e, &seen, 64));
    await(&e);
    SCIRemoveDMAQueue(e.queue, 0, &error);
    ck_ok(error);
    ck_assert_uint_eq(seen.calls, ENTRIES);
    ck_ok(seen.last);
}
END_TEST

/* Two queues: the callback of the first tries to remove the second, whose own callback is
 * pending. */
typedef struct {
    engine *e;
    sci_dma_queue_t other;
    _Atomic unsigned calls;
    sci_error_t removal;
} removing;

static sci_callback_action_t count_call(void *argument, sci_dma_queue_t queue, sci_error_t status)
{
    removing *seen = argument;

    (void)queue, (void)status;
    seen->calls++;
    return SCI_CALLBACK_CONTINUE;
}

static sci_callback_action_t remove_other(void *argument, sci_dma_queue_t queue, sci_error_t status)
{
    removing *seen = argument;
    sci_error_t error;

    (void)queue, (void)status;
    SCIStartDmaTransfer(seen->other, seen->e->source, seen->e->remote, 0, 64, 0, count_call, seen,
                        SCI_FLAG_USE_CALLBACK, &error);
    SCIWaitForDMAQueue(seen->other, SOON_MS, 0, &error);
    SCIRemoveDMAQueue(seen->other, 0, &seen->removal);
    seen->calls++;
    return SCI_CALLBACK_CONTINUE;
}

START_TEST(a_callback_cannot_remove_a_queue_with_a_pending_callback)
{
    engine e = make_engine("");
    removing seen = {.e = &e};
    sci_error_t error;

    SCICreateDMAQueue(e.sd, &seen.other, 0, 1, 0, &error);
    ck_ok(error);
    SCIStartDmaTransfer(e.queue, e.source, e.remote, 0, 64, 0, remove_other, &seen,
                        SCI_FLAG_USE_CALLBACK, &error);
    ck_ok(error);
    until(seen.calls == 2);
    ck_error(seen.removal, SCI_ERR_BUSY);
    SCITerminate();
}
END_TEST

/* Transfers of the whole segment keep the DMA engine busy while others are started. If it is
 * faster than that, the round proves nothing and is repeated. */
START_TEST(a_full_queue_refuses_transfers)
{
    engine e = make_engine("");
    sci_error_t error = SCI_ERR_OK;

    while (error == SCI_ERR_OK)
        error = start(&e, 0, BYTES, 0, 0);
    ck_error(error, SCI_ERR_MAX_ENTRIES);
    ck_assert_int_eq(await(&e), SCI_DMAQUEUE_DONE);
}
END_TEST

START_TEST(a_running_transfer_keeps_queue_and_segments_busy)
{
    engine e = make_engine("");
    sci_error_t error;

    do {
        for (int i = 0; i < ENTRIES; i++)
            start(&e, 0, BYTES, 0, 0);
        SCIRemoveDMAQueue(e.queue, 0, &error);
        if (error == SCI_ERR_OK)
            SCICreateDMAQueue(e.sd, &e.queue, 0, ENTRIES, 0, &error);
    } while (error == SCI_ERR_OK);
    ck_error(error, SCI_ERR_BUSY);
    await(&e);
    SCIDisconnectSegment(e.remote, 0, &error);
    ck_ok(error);
}
END_TEST

START_TEST(an_abort_ends_running_transfers)
{
    engine e = make_engine("");
    record seen = {.gate = PTHREAD_MUTEX_INITIALIZER};
    sci_dma_queue_state_t state;
    sci_error_t error;

    do {
        while (start_with_callback(&e, &seen, BYTES) == SCI_ERR_OK)
            continue;
        SCIAbortDMAQueue(e.queue, 0, &error);
        state = await(&e);
    } while (error != SCI_ERR_OK);
    ck_assert_int_eq(state, SCI_DMAQUEUE_ABORTED);
    SCIRemoveDMAQueue(e.queue, 0, &error);
    ck_ok(error);
    ck_error(seen.last, SCI_ERR_CANCELLED);
}
END_TEST

START_TEST(an_aborted_queue_can_be_used_again)
{
    engine e = make_engine("");
    sci_error_t error;

    SCIAbortDMAQueue(e.queue, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_OPERATION);
    ck_ok(start(&e, 0, BYTES, 0, 0));
    SCIAbortDMAQueue(e.queue, 0, &error);
    await(&e);
    ck_ok(start(&e, 0, 64, 0, 0));
    ck_assert_int_eq(await(&e), SCI_DMAQUEUE_DONE);
}
END_TEST

START_TEST(a_wait_for_a_queue_times_out)
{
    engine e = make_engine("");
    sci_error_t error = SCI_ERR_OK;

    while (error == SCI_ERR_OK) {
        start(&e, 0, BYTES, 0, 0);
        SCIWaitForDMAQueue(e.queue, 0, 0, &error);
    }
    ck_error(error, SCI_ERR_TIMEOUT);
    await(&e);
}
END_TEST

START_TEST(a_transfer_with_a_fault_is_an_error)
{
    engine e = make_engine("seed=1,drop=1");
    record seen = {.gate = PTHREAD_MUTEX_INITIALIZER};
    sci_error_t error;

    memset(e.from, 0x66, BYTES);
    ck_error(start(&e, 0, 64, 0, SCI_FLAG_DMA_WAIT), SCI_ERR_TRANSFER_FAILED);
    ck_assert_int_eq(SCIDMAQueueState(e.queue), SCI_DMAQUEUE_ERROR);
    ck_assert_int_eq(e.to[0], 0);
    ck_ok(start_with_callback(&e, &seen, 64));
    ck_assert_int_eq(await(&e), SCI_DMAQUEUE_ERROR);
    SCIRemoveDMAQueue(e.queue, 0, &error);
    ck_error(seen.last, SCI_ERR_TRANSFER_FAILED);
}
END_TEST

START_TEST(transfers_without_faults_succeed_in_lossy_mode)
{
    engine e = make_engine("seed=1,reorder=1");

    memset(e.from, 0x77, BYTES);
    ck_ok(start(&e, 0, BYTES, 0, SCI_FLAG_DMA_WAIT));
    ck_assert_mem_eq(e.to, e.from, BYTES);
}
END_TEST

UNIT_MAIN("sisci dma", a_new_queue_is_idle, a_transfer_is_done_once_its_data_arrived,
          a_read_transfers_in_the_other_direction, a_start_can_wait_for_its_transfer,
          transfers_are_done_in_order, a_start_checks_its_parameters,
          an_unprepared_segment_cannot_be_transferred, a_transfer_to_a_lost_segment_fails,
          each_transfer_makes_its_callback,
          a_callback_cannot_remove_a_queue_with_a_pending_callback, a_full_queue_refuses_transfers,
          a_running_transfer_keeps_queue_and_segments_busy, an_abort_ends_running_transfers,
          an_aborted_queue_can_be_used_again, a_wait_for_a_queue_times_out,
          a_transfer_with_a_fault_is_an_error, transfers_without_faults_succeed_in_lossy_mode)
