/* Many threads in one process: transfers, connections, interrupts, starts and ends of the
 * library at the same time. The test is most effective in a build with the thread sanitizer. */
#include "tests/sisci/fixture.h"

#include <pthread.h>
#include <stdatomic.h>

#include "sisci/internal.h"

enum { THREADS = 8, ROUNDS = 50, ID = 51, NUMBER = 7, LINE_WORDS = 16 };

typedef struct {
    sci_desc_t sd;
    sci_map_t map;
    volatile unsigned *memory;
    unsigned number;
} part;

/* Run `body` in all threads, each with its own argument. */
static void run_all(void *(*body)(void *), const part *common)
{
    pthread_t threads[THREADS];
    part parts[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        parts[i] = *common;
        parts[i].number = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, body, &parts[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void *send_by_sequence(void *context)
{
    const part *mine = context;
    sci_sequence_t sequence = watch(mine->map);
    sci_error_t error;

    ck_assert_int_eq(SCIStartSequence(sequence, 0, &error), SCI_SEQ_OK);
    for (unsigned i = 1; i <= ROUNDS; i++) {
        mine->memory[mine->number * LINE_WORDS] = i;
        SCIStoreBarrier(sequence, 0);
        ck_assert_int_eq(SCICheckSequence(sequence, 0, &error), SCI_SEQ_OK);
    }
    SCIRemoveSequence(sequence, 0, &error);
    ck_ok(error);
    return NULL;
}

START_TEST(threads_with_separate_sequences_share_a_map)
{
    sci_map_t local;
    part common = {.sd = begin()};
    unsigned *here = map_local(offer(common.sd, ID, THREADS * LINE_WORDS * sizeof(*here)), &local);

    common.memory = map_remote(reach(common.sd, 4, ID), &common.map);
    run_all(send_by_sequence, &common);
    for (int i = 0; i < THREADS; i++)
        ck_assert_uint_eq(here[i * LINE_WORDS], ROUNDS);
    SCITerminate();
}
END_TEST

static sci_callback_action_t count_connections(void *argument, sci_local_segment_t segment,
                                               sci_segment_cb_reason_t reason, unsigned node,
                                               unsigned adapter, sci_error_t status)
{
    _Atomic unsigned *counts = argument;

    (void)segment, (void)node, (void)adapter, (void)status;
    counts[reason == SCI_CB_CONNECT ? 0 : 1]++;
    return SCI_CALLBACK_CONTINUE;
}

static void *connect_and_disconnect(void *context)
{
    const part *mine = context;
    sci_error_t error;

    for (int i = 0; i < ROUNDS; i++) {
        sci_remote_segment_t segment = reach(mine->sd, 4, ID);
        sci_map_t map;

        map_remote(segment, &map);
        SCIUnmapSegment(map, 0, &error);
        ck_ok(error);
        SCIDisconnectSegment(segment, 0, &error);
        ck_ok(error);
    }
    return NULL;
}

START_TEST(threads_connect_while_callbacks_are_made)
{
    static _Atomic unsigned counts[2];
    part common = {.sd = begin()};
    sci_local_segment_t segment;
    sci_error_t error;

    SCICreateSegment(common.sd, &segment, ID, 4096, count_connections, counts,
                     SCI_FLAG_USE_CALLBACK, &error);
    SCIPrepareSegment(segment, 0, 0, &error);
    SCISetSegmentAvailable(segment, 0, 0, &error);
    ck_ok(error);
    run_all(connect_and_disconnect, &common);
    until(counts[1] == THREADS * ROUNDS);
    ck_assert_uint_eq(counts[0], THREADS * ROUNDS);
    SCIRemoveSegment(segment, 0, &error);
    ck_ok(error);
    SCITerminate();
}
END_TEST

static sci_callback_action_t count_triggers(void *argument, sci_local_interrupt_t interrupt,
                                            sci_error_t status)
{
    _Atomic unsigned *count = argument;

    (void)interrupt, (void)status;
    (*count)++;
    return SCI_CALLBACK_CONTINUE;
}

static void *trigger(void *context)
{
    const part *mine = context;
    sci_remote_interrupt_t interrupt;
    sci_error_t error;

    SCIConnectInterrupt(mine->sd, &interrupt, 4, 0, NUMBER, 0, 0, &error);
    ck_ok(error);
    for (int i = 0; i < ROUNDS; i++) {
        SCITriggerInterrupt(interrupt, 0, &error);
        ck_ok(error);
    }
    SCIDisconnectInterrupt(interrupt, 0, &error);
    ck_ok(error);
    return NULL;
}

START_TEST(each_trigger_of_any_thread_makes_one_callback)
{
    static _Atomic unsigned count;
    part common = {.sd = begin()};
    unsigned number = NUMBER;
    sci_local_interrupt_t interrupt;
    sci_error_t error;

    SCICreateInterrupt(common.sd, &interrupt, 0, &number, count_triggers, &count,
                       SCI_FLAG_USE_CALLBACK | SCI_FLAG_FIXED_INTNO, &error);
    ck_ok(error);
    run_all(trigger, &common);
    until(count == THREADS * ROUNDS);
    SCITerminate();
}
END_TEST

/* Ends are as frequent as starts, so that the library starts and stops many times. */
static void *start_and_end(void *context)
{
    const part *mine = context;

    for (int i = 0; i < ROUNDS / 5; i++) {
        sci_error_t error;
        sci_desc_t sd;
        unsigned node;

        SCIInitialize(0, &error);
        ck_ok(error);
        SCIOpen(&sd, 0, &error);
        ck_ok(error);
        SCIGetLocalNodeId(0, &node, 0, &error);
        ck_ok(error);
        ck_assert_uint_eq(node, 4);
        if (mine->number % 2 == 0) {
            SCIClose(sd, 0, &error);
            ck_ok(error);
        }
        SCITerminate();
    }
    return NULL;
}

START_TEST(threads_start_and_end_the_library_concurrently)
{
    const part nothing = {0};
    sci_error_t error;
    unsigned node;

    begin();
    SCITerminate();
    run_all(start_and_end, &nothing);
    SCIGetLocalNodeId(0, &node, 0, &error);
    ck_error(error, SCI_ERR_NOT_INITIALIZED);
}
END_TEST

/* Waits of other threads when the library ends. */

typedef struct {
    sci_local_segment_t segment;
    sci_local_interrupt_t interrupt;
    sci_error_t error;
} waiter;

static void *wait_for_event(void *context)
{
    waiter *mine = context;
    unsigned node, adapter;

    SCIWaitForLocalSegmentEvent(mine->segment, &node, &adapter, SCI_INFINITE_TIMEOUT, 0,
                                &mine->error);
    return NULL;
}

static void *wait_for_interrupt(void *context)
{
    waiter *mine = context;

    SCIWaitForInterrupt(mine->interrupt, SCI_INFINITE_TIMEOUT, 0, &mine->error);
    return NULL;
}

/* Read from the library's internal state: the interface does not report waiting threads. */
static unsigned waiters_of(sci_desc_t sd)
{
    unsigned count = 0;

    sisci_lock();
    for (const sisci_resource *r = sd->newest; r != NULL; r = r->older)
        count += r->waiters;
    sisci_unlock();
    return count;
}

START_TEST(termination_cancels_all_waits)
{
    sci_desc_t sd = begin();
    waiter waiters[2] = {{.segment = offer(sd, ID, 4096)}};
    pthread_t threads[2];
    unsigned number;
    sci_error_t error;

    SCICreateInterrupt(sd, &waiters[1].interrupt, 0, &number, NULL, NULL, 0, &error);
    ck_ok(error);
    pthread_create(&threads[0], NULL, wait_for_event, &waiters[0]);
    pthread_create(&threads[1], NULL, wait_for_interrupt, &waiters[1]);
    until(waiters_of(sd) == 2);
    SCITerminate();
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        ck_error(waiters[i].error, SCI_ERR_CANCELLED);
    }
}
END_TEST

UNIT_MAIN("sisci threads", threads_with_separate_sequences_share_a_map,
          threads_connect_while_callbacks_are_made, each_trigger_of_any_thread_makes_one_callback,
          threads_start_and_end_the_library_concurrently, termination_cancels_all_waits)
