/* The technology sci between two processes: queues, exhaustion, pieces, waiting, threads, end of
 * a peer. */
#include "tests/transport/sci/pair.h"
#include "tests/common/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "transport/sci/internal.h"

/* The linker replaces library calls by these wrappers, which return an error together with any
 * status; the library itself does not do that on request. */
typedef struct {
    bool active;
    sci_sequence_status_t status;
    sci_error_t error;
} saying;

static saying of_checks, of_starts;

sci_sequence_status_t __real_sisci_shm_mt_SCICheckSequence(sci_sequence_t sequence, unsigned flags,
                                                           sci_error_t *error);
sci_sequence_status_t __wrap_sisci_shm_mt_SCICheckSequence(sci_sequence_t sequence, unsigned flags,
                                                           sci_error_t *error);
sci_sequence_status_t __real_sisci_shm_mt_SCIStartSequence(sci_sequence_t sequence, unsigned flags,
                                                           sci_error_t *error);
sci_sequence_status_t __wrap_sisci_shm_mt_SCIStartSequence(sci_sequence_t sequence, unsigned flags,
                                                           sci_error_t *error);

sci_sequence_status_t __wrap_sisci_shm_mt_SCICheckSequence(sci_sequence_t sequence, unsigned flags,
                                                           sci_error_t *error)
{
    if (!of_checks.active)
        return __real_sisci_shm_mt_SCICheckSequence(sequence, flags, error);
    *error = of_checks.error;
    return of_checks.status;
}

sci_sequence_status_t __wrap_sisci_shm_mt_SCIStartSequence(sci_sequence_t sequence, unsigned flags,
                                                           sci_error_t *error)
{
    if (!of_starts.active)
        return __real_sisci_shm_mt_SCIStartSequence(sequence, flags, error);
    *error = of_starts.error;
    return of_starts.status;
}

static void expect(const pair_plan *plan, int zero, int one)
{
    int outcomes[2];

    pair_run(plan, outcomes);
    ck_assert_int_eq(outcomes[0], zero);
    ck_assert_int_eq(outcomes[1], one);
}

/* Queues: many more messages than 15 cycles of every ring, and than all patterns of notices and
 * credits. */

enum { MANY = 3000, PIECE = 128 };

static size_t mixed_size(uint64_t number)
{
    return (size_t)(number * 37 % 200);
}

static void send_many(pair_end *end)
{
    for (uint64_t i = 0; i < MANY; i++)
        pair_send(end, i, mixed_size(i));
    pair_tell(end);
}

static void receive_many(pair_end *end)
{
    pair_hear(end);
    for (uint64_t i = 0; i < MANY; i++)
        pair_receive(end, i, mixed_size(i));
}

static pair_plan many_plan(uint64_t outstanding, bool lines, bool heap)
{
    return (pair_plan){.form = {.outstanding = outstanding,
                                .bytes = PIECE,
                                .spare = 2,
                                .lines = lines,
                                .heap = heap},
                       .message_bytes = 200,
                       .wait = TRANSPORT_WAIT_YIELD,
                       .bodies = {send_many, receive_many}};
}

START_TEST(messages_without_credit_are_queued_in_order)
{
    static const uint64_t outstanding[] = {1, 3, 8, 15};

    for (size_t i = 0; i < sizeof(outstanding) / sizeof(*outstanding); i++) {
        pair_plan plan = many_plan(outstanding[i], true, i % 2 == 0);

        expect(&plan, 0, 0);
    }
}
END_TEST

/* The protocol of the note: notices, heap, each receive acknowledged, whole lines of data. */
START_TEST(the_protocol_of_the_note_delivers_in_order)
{
    static const uint64_t outstanding[] = {1, 4, 15};

    for (size_t i = 0; i < sizeof(outstanding) / sizeof(*outstanding); i++) {
        pair_plan plan = many_plan(outstanding[i], false, true);

        plan.form.acknowledge_each = true;
        plan.form.multiple = SCI_LINE_BYTES;
        expect(&plan, 0, 0);
    }
}
END_TEST

/* One of four messages is received, without a later poll, which would send owed credits. */

enum { CREDITS = 4 };

static void send_one_more_than_credits(pair_end *end)
{
    pair_hear(end); /* the credits have been given */
    for (uint64_t i = 0; i < CREDITS; i++)
        pair_send(end, i, 64);
    pair_tell(end);
    pair_hear(end);
    pair_send(end, CREDITS, 64);
}

static void expect_sent(pair_end *end)
{
    send_one_more_than_credits(end);
    PAIR_REQUIRE(!sci_has_queued(sci_factory_of(end->factory)), PAIR_WRONG);
    pair_tell(end);
}

static void expect_queued(pair_end *end)
{
    send_one_more_than_credits(end);
    PAIR_REQUIRE(sci_has_queued(sci_factory_of(end->factory)), PAIR_WRONG);
    pair_tell(end);
}

static void receive_one_and_then_all(pair_end *end)
{
    pair_tell(end);
    pair_hear(end);
    pair_receive(end, 0, 64);
    pair_tell(end);
    pair_hear(end);
    for (uint64_t i = 1; i <= CREDITS; i++)
        pair_receive(end, i, 64);
}

START_TEST(each_receive_is_acknowledged_at_once_if_that_is_configured)
{
    pair_plan plan = many_plan(CREDITS, true, false);

    plan.bodies[0] = expect_queued;
    plan.bodies[1] = receive_one_and_then_all;
    expect(&plan, 0, 0);
    plan.form.acknowledge_each = true;
    plan.bodies[0] = expect_sent;
    expect(&plan, 0, 0);
}
END_TEST

/* The first bytes of a line are sent; how many of it arrive is seen in the receive buffer. */

enum { SENT = 10, MARK = 7 };

static void send_beginning_of_line(pair_end *end)
{
    transport_buffer *buffer = transport_buffer_create(end->factory, SCI_LINE_BYTES);

    PAIR_REQUIRE(buffer != NULL, PAIR_WRONG);
    memset(buffer->data, MARK, SCI_LINE_BYTES);
    buffer->size = SENT;
    PAIR_REQUIRE(transport_send(end->node, buffer) == CB_OK, PAIR_LOST);
}

static void expect_marks(pair_end *end, size_t marks)
{
    transport_buffer *buffer = NULL;
    size_t found = 0;

    PAIR_REQUIRE(transport_receive(end->node, &buffer) == CB_OK, PAIR_LOST);
    PAIR_REQUIRE(buffer->size == SENT, PAIR_WRONG);
    while (found < SCI_LINE_BYTES && ((const unsigned char *)buffer->data)[found] == MARK)
        found++;
    PAIR_REQUIRE(found == marks, PAIR_WRONG);
    transport_buffer_release(buffer);
}

static void expect_exact(pair_end *end)
{
    expect_marks(end, SENT);
}

static void expect_multiple_of_16(pair_end *end)
{
    expect_marks(end, 16);
}

static void expect_line(pair_end *end)
{
    expect_marks(end, SCI_LINE_BYTES);
}

START_TEST(data_are_written_in_the_configured_multiple)
{
    static const struct {
        uint64_t multiple;
        pair_body receive;
    } cases[] = {{1, expect_exact}, {16, expect_multiple_of_16}, {SCI_LINE_BYTES, expect_line}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        pair_plan plan = many_plan(1, false, false);

        plan.form.multiple = cases[i].multiple;
        plan.bodies[0] = send_beginning_of_line;
        plan.bodies[1] = cases[i].receive;
        expect(&plan, 0, 0);
    }
}
END_TEST

START_TEST(notices_replace_lines_where_none_are_configured)
{
    static const uint64_t outstanding[] = {1, 3, 8, 9, 15};

    for (size_t i = 0; i < sizeof(outstanding) / sizeof(*outstanding); i++) {
        pair_plan plan = many_plan(outstanding[i], false, false);

        expect(&plan, 0, 0);
    }
}
END_TEST

/* Credits: a receiver that has taken all messages and polls no more has left its sender at least
 * one credit. So a flush never waits for it. */

enum { SINGLES = 40 };

static void send_singly(pair_end *end)
{
    for (uint64_t i = 0; i < SINGLES; i++) {
        pair_send(end, i, 100);
        PAIR_REQUIRE(transport_flush(end->factory) == CB_OK, PAIR_LOST);
        pair_tell(end);
        pair_hear(end);
    }
}

/* The messages have arrived, so that no poll in between finds nothing. */
static void receive_singly(pair_end *end)
{
    for (uint64_t i = 0; i < SINGLES; i++) {
        pair_hear(end);
        pair_receive(end, i, 100);
        pair_tell(end);
    }
}

START_TEST(a_sender_has_a_credit_once_all_its_messages_were_received)
{
    static const uint64_t outstanding[] = {1, 2, 3, 4, 15};

    for (size_t i = 0; i < sizeof(outstanding) / sizeof(*outstanding); i++) {
        pair_plan plan = many_plan(outstanding[i], true, false);

        plan.bodies[0] = send_singly;
        plan.bodies[1] = receive_singly;
        expect(&plan, 0, 0);
    }
}
END_TEST

/* Exhaustion: the receiver holds all its buffers but the one it waits with. */

enum { SPARE = 3, OUTSTANDING = 2 };

static void send_until_starved(pair_end *end)
{
    for (uint64_t i = 0; i < 20; i++)
        pair_send(end, i, 100);
    PAIR_REQUIRE(transport_flush(end->factory) == CB_OK, PAIR_LOST);
    pair_tell(end);
}

/* With all buffers held no acknowledgement can be sent; one release lets exactly one more
 * message arrive. */
static void hold_then_release(pair_end *end)
{
    transport_buffer *held[SPARE + OUTSTANDING], *none = NULL;
    uint64_t next = 0;

    for (size_t i = 0; i < SPARE + OUTSTANDING; i++, next++) {
        PAIR_REQUIRE(transport_receive(end->node, &held[i]) == CB_OK, PAIR_WRONG);
        pair_check(held[i], 0, next, 100);
    }
    for (int i = 0; i < 1000; i++)
        PAIR_REQUIRE(transport_try_receive(end->node, &none) == CB_EMPTY, PAIR_WRONG);
    for (size_t i = 0; i < SPARE + OUTSTANDING; i++)
        pair_check(held[i], 0, i, 100);
    for (size_t i = 0; i < SPARE + OUTSTANDING; i++)
        transport_buffer_release(held[i]);
    for (; next < 20; next++)
        pair_receive(end, next, 100);
    pair_hear(end);
}

START_TEST(an_acknowledgement_without_a_buffer_waits_for_a_release)
{
    pair_plan plan = {
        .form = {.outstanding = OUTSTANDING, .bytes = PIECE, .spare = SPARE, .lines = true},
        .message_bytes = PIECE,
        .wait = TRANSPORT_WAIT_YIELD,
        .bodies = {send_until_starved, hold_then_release}};

    expect(&plan, 0, 0);
}
END_TEST

/* Pieces */

static size_t large_size(uint64_t number)
{
    static const size_t sizes[] = {PIECE - 1, PIECE,     PIECE + 1,      2 * PIECE, 2 * PIECE + 56,
                                   5000,      PIECE * 7, PIECE * 7 + 57, 1,         0};

    return sizes[number % (sizeof(sizes) / sizeof(*sizes))];
}

static void send_large(pair_end *end)
{
    for (uint64_t i = 0; i < 60; i++)
        pair_send(end, i, large_size(i));
}

static void receive_large(pair_end *end)
{
    for (uint64_t i = 0; i < 60; i++)
        pair_receive(end, i, large_size(i));
}

START_TEST(a_message_longer_than_a_receive_buffer_is_reassembled)
{
    static const uint64_t outstanding[] = {3, 15};

    for (int i = 0; i < 4; i++) {
        pair_plan plan = {.form = {.outstanding = outstanding[i / 2],
                                   .bytes = PIECE,
                                   .spare = 1,
                                   .lines = i % 2 == 1},
                          .message_bytes = 5000,
                          .wait = TRANSPORT_WAIT_YIELD,
                          .bodies = {send_large, receive_large}};

        expect(&plan, 0, 0);
    }
}
END_TEST

/* Send buffers */

enum { POOL = 40, POOL_BYTES = 4096 };

/* All preallocated buffers are contiguous; those allocated later are elsewhere. */
static void take_the_pool(pair_end *end)
{
    transport_buffer *taken[POOL];
    uintptr_t first = UINTPTR_MAX, last = 0;

    for (size_t i = 0; i < POOL; i++) {
        uintptr_t at;

        taken[i] = transport_buffer_create(end->factory, 1);
        PAIR_REQUIRE(taken[i] != NULL && taken[i]->capacity == POOL_BYTES, PAIR_WRONG);
        at = (uintptr_t)taken[i]->data;
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    PAIR_REQUIRE(last - first == (POOL - 1) * POOL_BYTES, PAIR_WRONG);
    for (size_t i = 0; i < POOL; i++)
        transport_buffer_release(taken[i]);
}

START_TEST(a_send_pool_has_the_configured_number_and_size_of_buffers)
{
    pair_plan plan = many_plan(2, true, false);

    plan.form.pool_buffers = POOL;
    plan.form.pool_bytes = POOL_BYTES;
    plan.bodies[0] = plan.bodies[1] = take_the_pool;
    expect(&plan, 0, 0);
}
END_TEST

START_TEST(a_send_pool_grows_for_messages_longer_than_configured)
{
    pair_plan plan = many_plan(2, true, false);

    plan.form.pool_buffers = 2;
    plan.form.pool_bytes = 64;
    expect(&plan, 0, 0);
}
END_TEST

/* Sleeping */

static void bounce(pair_end *end)
{
    for (uint64_t i = 0; i < 200; i++) {
        if (end->rank == 0)
            pair_send(end, i, 40);
        pair_receive(end, i, 40);
        if (end->rank == 1)
            pair_send(end, i, 40);
    }
}

START_TEST(a_sleeping_receive_is_woken)
{
    pair_plan plan = many_plan(15, true, false);

    plan.wait = TRANSPORT_WAIT_BLOCK;
    plan.bodies[0] = plan.bodies[1] = bounce;
    expect(&plan, 0, 0);
}
END_TEST

/* Threads; most effective in a build with the thread sanitizer. */

static void talk_by_threads(pair_end *end)
{
    pair_talk_by_threads(end, 6, 300);
}

START_TEST(many_threads_send_while_one_receives)
{
    pair_plan plan = many_plan(15, true, false);

    plan.many_senders = true;
    plan.message_bytes = 480;
    plan.bodies[0] = plan.bodies[1] = talk_by_threads;
    expect(&plan, 0, 0);
}
END_TEST

/* Ends */

static void die(pair_end *end)
{
    pair_hear(end);
    raise(SIGKILL);
}

static void wait_without_success(pair_end *end)
{
    transport_buffer *buffer = NULL;

    pair_tell(end);
    PAIR_REQUIRE(transport_receive(end->node, &buffer) == CB_OK, PAIR_LOST);
}

START_TEST(a_killed_peer_is_reported_by_a_waiting_receive)
{
    for (transport_wait wait = TRANSPORT_WAIT_SPIN; wait <= TRANSPORT_WAIT_BLOCK; wait++) {
        pair_plan plan = many_plan(2, true, false);

        plan.wait = wait;
        plan.bodies[0] = die;
        plan.bodies[1] = wait_without_success;
        expect(&plan, PAIR_KILLED, PAIR_LOST);
    }
}
END_TEST

static void poll_without_success(pair_end *end)
{
    transport_buffer *buffer = NULL;
    cb_status status;

    pair_tell(end);
    while ((status = transport_try_receive(end->node, &buffer)) == CB_EMPTY)
        continue;
    PAIR_REQUIRE(status == CB_OK, PAIR_LOST);
}

START_TEST(a_killed_peer_is_reported_by_a_polling_receive)
{
    pair_plan plan = many_plan(2, true, false);

    plan.bodies[0] = die;
    plan.bodies[1] = poll_without_success;
    expect(&plan, PAIR_KILLED, PAIR_LOST);
}
END_TEST

static sci_sequence_status_t beside_the_error;

static void send_with_failing_checks(pair_end *end)
{
    of_checks = (saying){true, beside_the_error, SCI_ERR_SYSTEM};
    pair_send(end, 0, 8);
}

static void hear_the_end(pair_end *end)
{
    pair_hear(end);
}

START_TEST(a_check_with_an_error_is_a_failure_whatever_the_status)
{
    static const sci_sequence_status_t beside[] = {SCI_SEQ_OK, SCI_SEQ_RETRIABLE, SCI_SEQ_PENDING};

    for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
        pair_plan plan = many_plan(2, true, false);

        beside_the_error = beside[i];
        plan.bodies[0] = send_with_failing_checks;
        plan.bodies[1] = hear_the_end;
        expect(&plan, PAIR_LOST, PAIR_LOST);
    }
}
END_TEST

static void send_with_failing_starts(pair_end *end)
{
    of_checks = (saying){true, SCI_SEQ_PENDING, SCI_ERR_OK};
    of_starts = (saying){true, SCI_SEQ_OK, SCI_ERR_SYSTEM};
    pair_send(end, 0, 8);
}

START_TEST(a_start_with_an_error_is_a_failure_whatever_the_status)
{
    pair_plan plan = many_plan(2, true, false);

    plan.bodies[0] = send_with_failing_starts;
    plan.bodies[1] = hear_the_end;
    expect(&plan, PAIR_LOST, PAIR_LOST);
}
END_TEST

static void send_to_the_mute(pair_end *end)
{
    pair_send(end, 0, 100);
    pair_tell(end);
    pair_hear(end);
}

/* The sender gets no notification that its message has arrived. */
static void receive_mutely(pair_end *end)
{
    const sci_factory *factory = sci_factory_of(end->factory);
    const uint32_t before = factory->free_count;
    transport_buffer *buffer = NULL;
    char text[CB_LAST_ERROR_BYTES];

    pair_hear(end);
    of_checks = (saying){true, SCI_SEQ_OK, SCI_ERR_SYSTEM};
    PAIR_REQUIRE(transport_receive(end->node, &buffer) == CB_ERROR_TRANSPORT, PAIR_WRONG);
    PAIR_REQUIRE(transport_last_error(end->factory, text, sizeof(text)), PAIR_WRONG);
    PAIR_REQUIRE(strstr(text, "check the transfers to the segment") != NULL, PAIR_WRONG);
    PAIR_REQUIRE(factory->free_count == before, PAIR_WRONG);
    pair_tell(end);
    pair_hear(end); /* the other end has sent its last message */
    _exit(0);
}

START_TEST(a_failed_receive_releases_its_buffer)
{
    pair_plan plan = many_plan(1, true, false);

    plan.bodies[0] = send_to_the_mute;
    plan.bodies[1] = receive_mutely;
    expect(&plan, PAIR_LOST, 0);
}
END_TEST

static void nothing(pair_end *end)
{
    (void)end;
}

START_TEST(a_segment_that_exceeds_shared_memory_is_refused)
{
    pair_plan plan = many_plan(1, true, false);

    plan.form.bytes = UINT64_C(1) << 44;
    plan.bodies[0] = plan.bodies[1] = nothing;
    expect(&plan, PAIR_REFUSED, PAIR_REFUSED);
}
END_TEST

START_TEST(a_failed_start_of_the_library_is_explained)
{
    struct rlimit limit;
    rlim_t before;

    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    before = limit.rlim_cur;
    signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = 1; /* applies to shared memory as well */
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(sci_library_start(), CB_ERROR_MEMORY);
    limit.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    setenv("SISCI_SHM_NODE", "5", 1);
    ck_assert_int_eq(sci_library_start(), CB_ERROR_USAGE);
    setenv("SISCI_SHM_NODE", "4", 1);
    setenv("SISCI_SHM_JOB", "no.dots", 1);
    ck_assert_int_eq(sci_library_start(), CB_ERROR_USAGE);
}
END_TEST

START_TEST(two_jobs_of_a_user_are_separate)
{
    pair_plan plan = many_plan(3, true, false);
    pair_job jobs[2];

    for (int i = 0; i < 2; i++)
        jobs[i] = pair_start(&plan);
    for (int i = 0; i < 2; i++) {
        int outcomes[2];

        pair_wait(jobs[i], outcomes);
        ck_assert_int_eq(outcomes[0], 0);
        ck_assert_int_eq(outcomes[1], 0);
    }
}
END_TEST

UNIT_MAIN("sci between two processes", messages_without_credit_are_queued_in_order,
          the_protocol_of_the_note_delivers_in_order,
          each_receive_is_acknowledged_at_once_if_that_is_configured,
          data_are_written_in_the_configured_multiple,
          notices_replace_lines_where_none_are_configured,
          a_sender_has_a_credit_once_all_its_messages_were_received,
          an_acknowledgement_without_a_buffer_waits_for_a_release,
          a_message_longer_than_a_receive_buffer_is_reassembled,
          a_send_pool_has_the_configured_number_and_size_of_buffers,
          a_send_pool_grows_for_messages_longer_than_configured, a_sleeping_receive_is_woken,
          many_threads_send_while_one_receives, a_killed_peer_is_reported_by_a_waiting_receive,
          a_killed_peer_is_reported_by_a_polling_receive,
          a_check_with_an_error_is_a_failure_whatever_the_status,
          a_start_with_an_error_is_a_failure_whatever_the_status,
          a_failed_receive_releases_its_buffer, a_segment_that_exceeds_shared_memory_is_refused,
          a_failed_start_of_the_library_is_explained, two_jobs_of_a_user_are_separate)
