/* Events of connections: callbacks and waits on both sides, and the end of processes. */
#include "tests/sisci/fixture.h"

#include <pthread.h>
#include <stdatomic.h>

#include "sisci/internal.h"

enum { ID = 17, BYTES = 8192 };

static int connect_and_disconnect(helper *test, const void *rounds)
{
    sci_desc_t sd = begin();
    sci_error_t error;

    expect(test, 's');
    for (int i = 0; i < *(const int *)rounds; i++) {
        SCIDisconnectSegment(reach(sd, 4, ID), 0, &error);
        ck_ok(error);
    }
    tell(test, 'd');
    SCITerminate();
    return 0;
}

static void expect_event(sci_local_segment_t segment, sci_segment_cb_reason_t reason, unsigned node)
{
    unsigned source, adapter;
    sci_error_t error;

    ck_assert_int_eq(SCIWaitForLocalSegmentEvent(segment, &source, &adapter, SOON_MS, 0, &error),
                     reason);
    ck_ok(error);
    ck_assert_uint_eq(source, node);
    ck_assert_uint_eq(adapter, 0);
}

/* The helper disconnects faster than any thread could notice; each connection is an event all
 * the same. */
START_TEST(even_short_connections_are_events)
{
    const int rounds = 20;
    helper other = helper_start(connect_and_disconnect, &rounds, 12);
    sci_local_segment_t segment = offer(begin(), ID, BYTES);

    tell(&other, 's');
    expect(&other, 'd');
    for (int i = 0; i < rounds; i++) {
        expect_event(segment, SCI_CB_CONNECT, 12);
        expect_event(segment, SCI_CB_DISCONNECT, 12);
    }
    helper_finish(&other);
}
END_TEST

static int connect_and_wait(helper *test, const void *unused)
{
    sci_desc_t sd = begin();

    (void)unused;
    expect(test, 's');
    reach(sd, 4, ID);
    tell(test, 'c');
    expect(test, 'q');
    SCITerminate();
    return 0;
}

START_TEST(the_end_of_a_process_is_a_disconnection)
{
    helper other = helper_start(connect_and_wait, NULL, 0);
    sci_local_segment_t segment = offer(begin(), ID, BYTES);

    tell(&other, 's');
    expect(&other, 'c');
    expect_event(segment, SCI_CB_CONNECT, 4);
    helper_kill(&other);
    expect_event(segment, SCI_CB_DISCONNECT, 4);
}
END_TEST

START_TEST(a_process_that_was_killed_keeps_no_segment_busy)
{
    helper other = helper_start(connect_and_wait, NULL, 0);
    sci_local_segment_t segment = offer(begin(), ID, BYTES);
    sci_error_t error;

    tell(&other, 's');
    expect(&other, 'c');
    SCIRemoveSegment(segment, 0, &error);
    ck_error(error, SCI_ERR_BUSY);
    helper_kill(&other);
    SCIRemoveSegment(segment, 0, &error);
    ck_ok(error);
}
END_TEST

/* Calls seen by the callbacks, for a test that waits for them. */
typedef struct {
    _Atomic unsigned connects, disconnects, losses;
    unsigned limit; /* calls after which the callback cancels itself; 0: never */
    sci_error_t removal;
} record;

static sci_callback_action_t record_local(void *argument, sci_local_segment_t segment,
                                          sci_segment_cb_reason_t reason, unsigned node,
                                          unsigned adapter, sci_error_t status)
{
    record *seen = argument;

    ck_assert(segment != NULL && node == 4 && adapter == 0 && status == SCI_ERR_OK);
    SCIRemoveSegment(segment, 0, &seen->removal);
    if (reason == SCI_CB_CONNECT)
        seen->connects++;
    else
        seen->disconnects++;
    return seen->limit > 0 && seen->connects == seen->limit ? SCI_CALLBACK_CANCEL
                                                            : SCI_CALLBACK_CONTINUE;
}

static sci_callback_action_t record_remote(void *argument, sci_remote_segment_t segment,
                                           sci_segment_cb_reason_t reason, sci_error_t status)
{
    record *seen = argument;

    ck_assert(segment != NULL && status == SCI_ERR_OK);
    SCIDisconnectSegment(segment, 0, &seen->removal);
    if (reason == SCI_CB_LOST)
        seen->losses++;
    else
        seen->disconnects++;
    return SCI_CALLBACK_CONTINUE;
}

static sci_local_segment_t offer_with_callback(sci_desc_t sd, record *seen)
{
    sci_local_segment_t segment;
    sci_error_t error;

    SCICreateSegment(sd, &segment, ID, BYTES, record_local, seen, SCI_FLAG_USE_CALLBACK, &error);
    ck_ok(error);
    SCIPrepareSegment(segment, 0, 0, &error);
    SCISetSegmentAvailable(segment, 0, 0, &error);
    ck_ok(error);
    return segment;
}

START_TEST(a_callback_is_made_for_each_connection_and_disconnection)
{
    const int rounds = 5;
    record seen = {0};
    helper other = helper_start(connect_and_disconnect, &rounds, 0);

    offer_with_callback(begin(), &seen);
    tell(&other, 's');
    helper_finish(&other);
    until(seen.disconnects == 5);
    ck_assert_uint_eq(seen.connects, 5);
    SCITerminate();
}
END_TEST

START_TEST(a_callback_that_cancels_itself_is_not_called_again)
{
    const int rounds = 5;
    record seen = {.limit = 1};
    unsigned node, adapter;
    helper other = helper_start(connect_and_disconnect, &rounds, 0);
    sci_local_segment_t segment = offer_with_callback(begin(), &seen);
    sci_error_t error;

    tell(&other, 's');
    helper_finish(&other);
    until(seen.connects == 1);
    SCIWaitForLocalSegmentEvent(segment, &node, &adapter, NOT_MS, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_OPERATION);
    SCITerminate();
    ck_assert_uint_eq(seen.connects + seen.disconnects, 1);
}
END_TEST

START_TEST(a_callback_cannot_remove_its_own_segment)
{
    const int rounds = 1;
    record seen = {0};
    helper other = helper_start(connect_and_disconnect, &rounds, 0);

    offer_with_callback(begin(), &seen);
    tell(&other, 's');
    helper_finish(&other);
    until(seen.disconnects == 1);
    ck_error(seen.removal, SCI_ERR_BUSY);
    SCITerminate();
}
END_TEST

/* Events are detected by the thread that makes the callbacks. */
typedef struct {
    sci_remote_segment_t segment;
    sci_error_t error;
    _Atomic unsigned calls;
} wait_within;

static sci_callback_action_t wait_in_callback(void *argument, sci_local_interrupt_t interrupt,
                                              sci_error_t status)
{
    wait_within *seen = argument;
    sci_error_t ignored;

    (void)interrupt, (void)status;
    SCIWaitForRemoteSegmentEvent(seen->segment, &ignored, SCI_INFINITE_TIMEOUT, 0, &seen->error);
    seen->calls++;
    return SCI_CALLBACK_CONTINUE;
}

START_TEST(a_callback_cannot_wait_for_events)
{
    sci_desc_t sd = begin();
    wait_within seen = {0};
    sci_local_interrupt_t local;
    sci_remote_interrupt_t remote;
    unsigned number;
    sci_error_t error;

    offer(sd, ID, BYTES);
    seen.segment = reach(sd, 4, ID);
    SCICreateInterrupt(sd, &local, 0, &number, wait_in_callback, &seen, SCI_FLAG_USE_CALLBACK,
                       &error);
    SCIConnectInterrupt(sd, &remote, 4, 0, number, 0, 0, &error);
    SCITriggerInterrupt(remote, 0, &error);
    ck_ok(error);
    until(seen.calls == 1);
    ck_error(seen.error, SCI_ERR_ILLEGAL_OPERATION);
}
END_TEST

static int offer_and_wait(helper *test, const void *unused)
{
    sci_desc_t sd = begin();
    sci_local_segment_t segment = offer(sd, ID, BYTES);
    sci_error_t error;

    (void)unused;
    tell(test, 'r');
    for (;;) {
        char order = hear(test);

        if (order == 'q')
            break;
        SCISetSegmentUnavailable(
            segment, 0, order == 'n' ? SCI_FLAG_NOTIFY : SCI_FLAG_FORCE_DISCONNECT, &error);
        ck_ok(error);
        if (order == 'f') {
            SCIRemoveSegment(segment, 0, &error);
            ck_ok(error);
        }
        tell(test, 'd');
    }
    SCITerminate();
    return 0;
}

static sci_segment_cb_reason_t next_event(sci_remote_segment_t segment)
{
    sci_segment_cb_reason_t reason;
    sci_error_t error, status;

    reason = SCIWaitForRemoteSegmentEvent(segment, &status, SOON_MS, 0, &error);
    ck_ok(error);
    ck_ok(status);
    return reason;
}

static sci_sequence_status_t check(sci_sequence_t sequence)
{
    sci_error_t error;
    sci_sequence_status_t status = SCICheckSequence(sequence, 0, &error);

    ck_ok(error);
    return status;
}

static sci_sequence_status_t start(sci_sequence_t sequence)
{
    sci_error_t error;
    sci_sequence_status_t status = SCIStartSequence(sequence, 0, &error);

    ck_ok(error);
    return status;
}

START_TEST(a_notified_peer_stays_connected)
{
    helper other = helper_start(offer_and_wait, NULL, 8);
    sci_desc_t sd = begin();
    sci_remote_segment_t remote;
    sci_map_t map;
    sci_sequence_t sequence;

    expect(&other, 'r');
    remote = reach(sd, 8, ID);
    map_remote(remote, &map);
    sequence = watch(map);
    tell(&other, 'n');
    expect(&other, 'd');
    ck_assert_int_eq(next_event(remote), SCI_CB_DISCONNECT);
    ck_assert_int_eq(check(sequence), SCI_SEQ_OK);
    tell(&other, 'q');
    helper_finish(&other);
}
END_TEST

START_TEST(a_forced_disconnection_loses_the_peer_and_frees_the_segment)
{
    helper other = helper_start(offer_and_wait, NULL, 8);
    sci_desc_t sd = begin();
    sci_remote_segment_t remote;
    sci_map_t map;
    sci_sequence_t sequence;

    expect(&other, 'r');
    remote = reach(sd, 8, ID);
    map_remote(remote, &map);
    sequence = watch(map);
    tell(&other, 'f');
    expect(&other, 'd');
    ck_assert_int_eq(next_event(remote), SCI_CB_LOST);
    ck_assert_int_eq(check(sequence), SCI_SEQ_NOT_RETRIABLE);
    tell(&other, 'q');
    helper_finish(&other);
}
END_TEST

START_TEST(a_segment_is_lost_when_its_owner_is_killed)
{
    helper other = helper_start(offer_and_wait, NULL, 0);
    sci_desc_t sd = begin();
    sci_remote_segment_t remote;
    sci_map_t map;
    sci_sequence_t sequence;

    expect(&other, 'r');
    remote = reach(sd, 4, ID);
    map_remote(remote, &map);
    sequence = watch(map);
    ck_assert_int_eq(start(sequence), SCI_SEQ_OK);
    helper_kill(&other);
    ck_assert_int_eq(next_event(remote), SCI_CB_LOST);
    ck_assert_int_eq(check(sequence), SCI_SEQ_NOT_RETRIABLE);
    ck_assert_int_eq(start(sequence), SCI_SEQ_NOT_RETRIABLE);
    ck_assert_int_eq(check(sequence), SCI_SEQ_NOT_RETRIABLE);
}
END_TEST

START_TEST(a_lost_connection_cannot_be_mapped_and_can_be_closed)
{
    helper other = helper_start(offer_and_wait, NULL, 0);
    sci_desc_t sd = begin();
    sci_remote_segment_t remote;
    sci_error_t error;
    sci_map_t map;

    expect(&other, 'r');
    remote = reach(sd, 4, ID);
    helper_kill(&other);
    ck_assert_int_eq(next_event(remote), SCI_CB_LOST);
    SCIMapRemoteSegment(remote, &map, 0, BYTES, NULL, 0, &error);
    ck_error(error, SCI_ERR_SEGMENT_NOT_CONNECTED);
    SCIDisconnectSegment(remote, 0, &error);
    ck_ok(error);
    SCIClose(sd, 0, &error);
    ck_ok(error);
}
END_TEST

START_TEST(a_segment_is_lost_when_its_owner_ends_in_order)
{
    helper other = helper_start(offer_and_wait, NULL, 0);
    sci_desc_t sd = begin();
    sci_remote_segment_t remote;

    expect(&other, 'r');
    remote = reach(sd, 4, ID);
    tell(&other, 'q');
    ck_assert_int_eq(next_event(remote), SCI_CB_LOST);
    helper_finish(&other);
}
END_TEST

START_TEST(a_remote_callback_is_made_when_the_owner_is_lost)
{
    helper other = helper_start(offer_and_wait, NULL, 0);
    sci_desc_t sd = begin();
    record seen = {0};
    sci_remote_segment_t remote;
    sci_error_t error;

    expect(&other, 'r');
    SCIConnectSegment(sd, &remote, 4, ID, 0, record_remote, &seen, SCI_INFINITE_TIMEOUT,
                      SCI_FLAG_USE_CALLBACK, &error);
    ck_ok(error);
    helper_kill(&other);
    until(seen.losses == 1);
    ck_error(seen.removal, SCI_ERR_BUSY);
    SCITerminate();
}
END_TEST

START_TEST(a_wait_for_a_remote_event_times_out)
{
    sci_desc_t sd = begin();
    sci_error_t error, status;

    offer(sd, ID, BYTES);
    SCIWaitForRemoteSegmentEvent(reach(sd, 4, ID), &status, NOT_MS, 0, &error);
    ck_error(error, SCI_ERR_TIMEOUT);
}
END_TEST

/* Removal while another thread waits. */
static void *wait_for_local_event(void *segment)
{
    static sci_error_t error;
    unsigned node, adapter;

    SCIWaitForLocalSegmentEvent(segment, &node, &adapter, SCI_INFINITE_TIMEOUT, 0, &error);
    return &error;
}

/* Read from the library's internal state: the interface does not report waiting threads. */
static bool has_waiter(sci_local_segment_t segment)
{
    bool waits;

    sisci_lock();
    waits = segment->resource.waiters > 0;
    sisci_unlock();
    return waits;
}

START_TEST(removal_cancels_a_wait)
{
    sci_local_segment_t segment = offer(begin(), ID, BYTES);
    pthread_t waiter;
    void *result;
    sci_error_t error;

    pthread_create(&waiter, NULL, wait_for_local_event, segment);
    sched_yield();
    until(has_waiter(segment));
    SCIRemoveSegment(segment, 0, &error);
    ck_ok(error);
    pthread_join(waiter, &result);
    ck_error(*(sci_error_t *)result, SCI_ERR_CANCELLED);
}
END_TEST

UNIT_MAIN("sisci event", even_short_connections_are_events, the_end_of_a_process_is_a_disconnection,
          a_process_that_was_killed_keeps_no_segment_busy,
          a_callback_is_made_for_each_connection_and_disconnection,
          a_callback_that_cancels_itself_is_not_called_again,
          a_callback_cannot_remove_its_own_segment, a_callback_cannot_wait_for_events,
          a_notified_peer_stays_connected,
          a_forced_disconnection_loses_the_peer_and_frees_the_segment,
          a_segment_is_lost_when_its_owner_is_killed,
          a_lost_connection_cannot_be_mapped_and_can_be_closed,
          a_segment_is_lost_when_its_owner_ends_in_order,
          a_remote_callback_is_made_when_the_owner_is_lost, a_wait_for_a_remote_event_times_out,
          removal_cancels_a_wait)
