/* Messages between two nodes. All ranks form a ring, each as sender and receiver. */
#include "tests/transport/conformance.h"

#include <sched.h>

#include "base/random.h"

/* Seventeen ranks with buffers of 4 MiB would need much memory and test nothing more. */
static int ring_length(size_t bytes)
{
    const int few = 3;

    return bytes > 256 * 1024 && job.size > few ? few : job.size;
}

static void pass_round(uint64_t number, size_t bytes)
{
    int length = ring_length(bytes);

    if (job.rank >= length)
        return;
    conformance_send(conformance_next(length), number, bytes);
    conformance_receive(conformance_previous(length), number, bytes);
}

/* For a technology with a maximum size, the sizes up to that. */
static void pass_sizes(size_t first, size_t last)
{
    if (!conformance_can_prepare(last))
        return;
    for (size_t bytes = first; bytes <= last; bytes++)
        pass_round(bytes, bytes);
}

JOB_TEST(messages_around_each_power_of_two_arrive_complete)
{
    pass_sizes(0, 0);
    for (size_t power = 1; power <= 4 * 1024 * 1024; power *= 2)
        pass_sizes(power - 1, power + 1);
}

/* At the protocol switch of an MPI library its own headers count as well. */
JOB_TEST(messages_of_sizes_around_a_protocol_switch_arrive_complete)
{
    static const size_t switches[] = {4096, 32768, 65536};

    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
        pass_sizes(switches[i] - 80, switches[i]);
}

/* In one pool, as acknowledgements of the engine share a pool with packets. */
JOB_TEST(a_message_has_its_sent_size_and_not_the_announced_one)
{
    conformance_prepare(8192);
    for (size_t bytes = 0; bytes <= 8192; bytes += 512) {
        pass_round(bytes, bytes);
        pass_round(bytes, 0);
    }
}

JOB_TEST(a_buffer_with_reduced_size_is_sent_with_that_size)
{
    transport_buffer *buffer;

    conformance_prepare(1024);
    buffer = conformance_message(job.rank, 7, 1024);
    buffer->size = 24;
    REQUIRE_OK(transport_send(here.nodes[conformance_next(job.size)], buffer));
    conformance_receive(conformance_previous(job.size), 7, 24);
}

/* Small and large messages, which use different protocols and might overtake. */
JOB_TEST(messages_of_any_sizes_keep_their_order)
{
    enum { BATCHES = 20, BATCH = 25, LARGEST = 100000 };
    cb_random sent = cb_random_seed(1), expected = cb_random_seed(1);
    uint64_t number = 0;

    if (!conformance_declares(TRANSPORT_ORDERED | TRANSPORT_RELIABLE))
        return;
    conformance_prepare(LARGEST);
    for (int batch = 0; batch < BATCHES; batch++) {
        for (uint64_t i = 0; i < BATCH; i++)
            conformance_send(conformance_next(job.size), number + i,
                             (size_t)1 << cb_random_below(&sent, 17));
        for (uint64_t i = 0; i < BATCH; i++)
            conformance_receive(conformance_previous(job.size), number + i,
                                (size_t)1 << cb_random_below(&expected, 17));
        number += BATCH;
    }
}

static void outstanding(uint64_t messages, size_t bytes)
{
    int length = ring_length(messages * bytes);

    conformance_prepare(bytes);
    if (job.rank < length)
        for (uint64_t i = 0; i < messages; i++)
            conformance_send(conformance_next(length), i, bytes);
    job_barrier();
    if (job.rank < length)
        for (uint64_t i = 0; i < messages; i++)
            conformance_receive(conformance_previous(length), i, bytes);
    REQUIRE_OK(transport_flush(here.factory));
    job_barrier();
    if (job.rank < length)
        conformance_expect_silence(here.nodes[conformance_previous(length)]);
}

JOB_TEST(thousands_of_small_sends_are_kept_until_they_are_received)
{
    if (conformance_declares(TRANSPORT_ORDERED | TRANSPORT_RELIABLE))
        outstanding(4000, 64);
}

JOB_TEST(many_large_sends_are_kept_until_they_are_received)
{
    if (conformance_declares(TRANSPORT_ORDERED | TRANSPORT_RELIABLE))
        outstanding(150, 100000);
}

JOB_TEST(a_sent_buffer_no_longer_counts_as_held)
{
    const size_t bytes = conformance_can_prepare(100000) ? 100000 : 1000;

    conformance_prepare(bytes);
    conformance_send(conformance_next(job.size), 1, bytes);
    ck_assert_uint_eq(here.factory->held, 0);
    conformance_receive(conformance_previous(job.size), 1, bytes);
}

JOB_TEST(polling_finds_nothing_before_the_send_and_after_the_receive)
{
    transport_node *previous = here.nodes[conformance_previous(job.size)];
    transport_buffer *buffer = NULL;
    cb_status status;

    conformance_prepare(64);
    for (uint64_t i = 0; i < 10; i++) {
        conformance_expect_silence(previous);
        job_barrier();
        conformance_send(conformance_next(job.size), i, 64);
        while ((status = transport_try_receive(previous, &buffer)) == CB_EMPTY)
            sched_yield();
        REQUIRE_OK(status);
        conformance_check(buffer, conformance_previous(job.size), i, 64);
        transport_buffer_release(buffer);
        conformance_expect_silence(previous);
        REQUIRE_OK(transport_flush(here.factory));
        job_barrier();
    }
}

/* The next message, by a blocking receive or by polling. */
static transport_buffer *receive_somehow(transport_node *node, bool block)
{
    transport_buffer *buffer = NULL;
    cb_status status;

    if (block) {
        REQUIRE_OK(transport_receive(node, &buffer));
        return buffer;
    }
    status = transport_try_receive(node, &buffer);
    REQUIRE_OK(status == CB_EMPTY ? CB_OK : status);
    return status == CB_OK ? buffer : NULL;
}

JOB_TEST(blocking_and_polling_receives_can_be_mixed)
{
    enum { MESSAGES = 1000, AHEAD = 10 };
    cb_random random = cb_random_seed((uint64_t)job.rank);
    int previous = conformance_previous(job.size);
    uint64_t sent = 0, received = 0;

    if (!conformance_declares(TRANSPORT_ORDERED | TRANSPORT_RELIABLE))
        return;
    conformance_prepare(64);
    while (received < MESSAGES) {
        transport_buffer *buffer;

        for (; sent < MESSAGES && sent < received + AHEAD; sent++)
            conformance_send(conformance_next(job.size), sent, 64);
        buffer = receive_somehow(here.nodes[previous], cb_random_below(&random, 4) == 0);
        if (buffer == NULL)
            continue;
        conformance_check(buffer, previous, received++, 64);
        transport_buffer_release(buffer);
    }
}

/* Rank 0's message travels round the ring and back; all others forward what they received. */
static void go_round(uint64_t number, size_t bytes)
{
    transport_buffer *buffer = NULL;
    transport_node *next = here.nodes[conformance_next(job.size)];

    if (job.rank == 0)
        conformance_send(conformance_next(job.size), number, bytes);
    REQUIRE_OK(transport_receive(here.nodes[conformance_previous(job.size)], &buffer));
    conformance_check(buffer, 0, number, bytes);
    if (job.rank == 0)
        transport_buffer_release(buffer);
    else
        REQUIRE_OK(transport_send(next, buffer));
}

JOB_TEST(a_received_buffer_can_be_forwarded)
{
    static const size_t sizes[] = {0, 64, 5000, 100000};

    if (!conformance_declares(TRANSPORT_RELIABLE))
        return;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        conformance_prepare(sizes[i]);
        for (uint64_t round = 0; round < 20; round++)
            go_round(round, sizes[i]);
    }
}

/* Every rank sends to every other in rotated order, then receives: an exchange among all. */
JOB_TEST(all_ranks_can_send_to_all_before_any_receives)
{
    enum { ROUNDS = 5, BYTES = 5000 };

    if (!conformance_declares(TRANSPORT_RELIABLE))
        return;
    conformance_prepare(BYTES);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (int step = 1; step < job.size; step++)
            conformance_send((job.rank + step) % job.size, round, BYTES);
        for (int step = 1; step < job.size; step++)
            conformance_receive((job.rank + job.size - step) % job.size, round, BYTES);
        REQUIRE_OK(transport_flush(here.factory));
        job_barrier();
    }
}

/* Messages of two sources are kept apart, in any order of receiving. */
JOB_TEST(a_receive_from_a_node_keeps_messages_of_others)
{
    enum { MESSAGES = 30 };

    if (!conformance_declares(TRANSPORT_ORDERED | TRANSPORT_RELIABLE))
        return;
    conformance_prepare(64);
    for (uint64_t i = 0; job.rank > 0 && i < MESSAGES; i++)
        conformance_send(0, i, 64);
    job_barrier();
    for (int source = job.size - 1; job.rank == 0 && source > 0; source--)
        for (uint64_t i = 0; i < MESSAGES; i++)
            conformance_receive(source, i, 64);
}

/* Preparations for the existing nodes remain valid for them. */
JOB_TEST(creating_a_node_later_does_not_affect_others)
{
    transport_node *itself = NULL;

    if (!conformance_declares(TRANSPORT_RELIABLE) || !conformance_can_prepare(100000))
        return;
    conformance_expect_silence(here.nodes[conformance_previous(job.size)]);
    REQUIRE_OK(transport_node_create(here.factory, job.rank, &itself));
    job_barrier();
    pass_round(1, 100000);
    pass_round(2, 100000);
    transport_node_destroy(itself);
    pass_round(3, 100000);
}

/* Holds also for technologies that lose or reorder: only messages that arrive are checked. */
JOB_TEST(no_message_arrives_that_was_not_sent)
{
    enum { MESSAGES = 100, BYTES = 1000, EMPTY_ROUNDS = 50 };
    int previous = conformance_previous(job.size);
    bool seen[MESSAGES] = {false};
    uint64_t received = 0;

    conformance_prepare(BYTES);
    for (uint64_t i = 0; i < MESSAGES; i++)
        conformance_send(conformance_next(job.size), i, BYTES);
    for (int round = 0; round < EMPTY_ROUNDS || conformance_declares(TRANSPORT_RELIABLE); round++) {
        transport_buffer *buffer = receive_somehow(here.nodes[previous], false);
        uint64_t number;

        if (received == MESSAGES)
            break;
        if (buffer == NULL) {
            sched_yield();
            continue;
        }
        number = conformance_number(buffer);
        ck_assert_uint_lt(number, MESSAGES);
        ck_assert_msg(!seen[number], "number %d came twice", (int)number);
        seen[number] = true;
        received++;
        conformance_check(buffer, previous, number, BYTES);
        transport_buffer_release(buffer);
    }
}

TCase *conformance_sizes(void)
{
    TCase *theme = tcase_create("sizes");

    tcase_set_tags(theme, "sizes");
    tcase_add_test(theme, messages_around_each_power_of_two_arrive_complete);
    tcase_add_test(theme, messages_of_sizes_around_a_protocol_switch_arrive_complete);
    tcase_add_test(theme, messages_of_any_sizes_keep_their_order);
    tcase_add_test(theme, many_large_sends_are_kept_until_they_are_received);
    return theme;
}

TCase *conformance_nodes(void)
{
    TCase *theme = tcase_create("nodes");

    tcase_add_test(theme, a_message_has_its_sent_size_and_not_the_announced_one);
    tcase_add_test(theme, a_buffer_with_reduced_size_is_sent_with_that_size);
    tcase_add_test(theme, thousands_of_small_sends_are_kept_until_they_are_received);
    tcase_add_test(theme, a_sent_buffer_no_longer_counts_as_held);
    tcase_add_test(theme, polling_finds_nothing_before_the_send_and_after_the_receive);
    tcase_add_test(theme, blocking_and_polling_receives_can_be_mixed);
    tcase_add_test(theme, a_received_buffer_can_be_forwarded);
    tcase_add_test(theme, all_ranks_can_send_to_all_before_any_receives);
    tcase_add_test(theme, a_receive_from_a_node_keeps_messages_of_others);
    tcase_add_test(theme, creating_a_node_later_does_not_affect_others);
    tcase_add_test(theme, no_message_arrives_that_was_not_sent);
    return theme;
}
