/* The protocol over remote memory and messages, over a driver that delays, reorders and refuses at
 * random: nothing is lost, doubled, reordered or overwritten, whatever the driver does. */
#include "tests/transport/remote/loop.h"

#include <sched.h>
#include <string.h>

#include "base/log.h"
#include "base/random.h"
#include "tests/common/unit.h"
#include "transport/remote/parameters.h"

/* Numbers of the messages: the first is that of all tests but those of a wrap. */
enum { MESSAGES = 200 };

static const uint32_t near_wrap = UINT32_MAX - 75;

static size_t size_of(uint64_t number, size_t most)
{
    cb_random random = cb_random_seed(number + 1);

    return (size_t)cb_random_below(&random, most + 1);
}

/* Run a body in every way of moving messages, with every number of slots. */
static void run_all_ways(loop_plan plan, void (*body)(loop_end *end))
{
    static const uint64_t outstanding[] = {1, 4, 64};

    for (plan.way = 0; plan.way < LOOP_WAYS; plan.way++)
        for (size_t i = 0; i < sizeof(outstanding) / sizeof(outstanding[0]); i++) {
            plan.outstanding = outstanding[i];
            plan.seed++;
            loop_run(&plan, body);
        }
}

/* A loaded exchange: each rank sends to the next and receives from the one before, in batches that
 * exceed the slots. */
static void exchange_in_batches(loop_end *end)
{
    const int next = (end->rank + 1) % end->plan->ranks;
    const int previous = (end->rank + end->plan->ranks - 1) % end->plan->ranks;
    const uint64_t batch = 100;
    transport_buffer *nothing;

    for (uint64_t first = 0; first < MESSAGES; first += batch) {
        for (uint64_t i = first; i < first + batch; i++)
            loop_send(end, next, i, size_of(i, end->plan->message_bytes));
        for (uint64_t i = first; i < first + batch; i++)
            loop_receive(end, previous, i, size_of(i, end->plan->message_bytes));
    }
    LOOP_OK(transport_flush(end->factory));
    ck_assert_uint_eq(end->factory->held, 0);
    loop_meet();
    while (loop_factory(end)->counts[REMOTE_DROPPED] < loop_foreign(end))
        ck_assert_int_eq(transport_try_receive(end->nodes[previous], &nothing), CB_EMPTY);
    loop_meet();
}

START_TEST(messages_arrive_once_in_order_and_whole)
{
    run_all_ways((loop_plan){.ranks = 2, .buffer_size = 256, .message_bytes = 256, .delayed = 40},
                 exchange_in_batches);
}
END_TEST

START_TEST(messages_of_several_ranks_are_kept_apart)
{
    run_all_ways((loop_plan){.ranks = 4, .buffer_size = 128, .message_bytes = 128, .delayed = 20},
                 exchange_in_batches);
}
END_TEST

START_TEST(a_library_without_room_delays_messages_and_loses_none)
{
    run_all_ways(
        (loop_plan){
            .ranks = 2, .buffer_size = 256, .message_bytes = 256, .delayed = 20, .refused = 50},
        exchange_in_batches);
}
END_TEST

START_TEST(messages_longer_than_a_slot_are_sent_in_pieces)
{
    run_all_ways(
        (loop_plan){
            .ranks = 2, .buffer_size = 64, .message_bytes = 1000, .delayed = 30, .refused = 20},
        exchange_in_batches);
}
END_TEST

START_TEST(messages_longer_than_the_library_carries_are_sent_in_pieces)
{
    run_all_ways((loop_plan){.ranks = 2,
                             .buffer_size = 1024,
                             .message_bytes = 1000,
                             .piece_limit = 100,
                             .delayed = 30},
                 exchange_in_batches);
}
END_TEST

START_TEST(numbers_may_wrap)
{
    run_all_ways((loop_plan){.ranks = 2,
                             .buffer_size = 64,
                             .message_bytes = 200,
                             .delayed = 30,
                             .refused = 10,
                             .first = near_wrap},
                 exchange_in_batches);
}
END_TEST

START_TEST(messages_of_another_job_and_unexpected_numbers_are_dropped_and_counted)
{
    run_all_ways(
        (loop_plan){
            .ranks = 2, .buffer_size = 64, .message_bytes = 64, .delayed = 30, .foreign = 30},
        exchange_in_batches);
}
END_TEST

/* Forwarding */

static void pass_round(loop_end *end)
{
    const int next = (end->rank + 1) % end->plan->ranks;
    const int previous = (end->rank + end->plan->ranks - 1) % end->plan->ranks;
    const uint64_t abreast = 20, rounds = 10;
    transport_buffer *buffer;

    if (end->rank == 0)
        for (uint64_t i = 0; i < abreast; i++)
            loop_send(end, next, i, size_of(i, end->plan->message_bytes));
    for (uint64_t i = 0; i < abreast * rounds; i++) {
        const bool ends = end->rank == 0 && i >= abreast * (rounds - 1);

        LOOP_OK(transport_receive(end->nodes[previous], &buffer));
        loop_check(buffer, 0, i % abreast, size_of(i % abreast, end->plan->message_bytes));
        if (ends)
            transport_buffer_release(buffer);
        else
            LOOP_OK(transport_send(end->nodes[next], buffer));
    }
    LOOP_OK(transport_flush(end->factory));
    ck_assert_uint_eq(end->factory->held, 0);
}

START_TEST(received_messages_can_be_sent_on)
{
    run_all_ways(
        (loop_plan){
            .ranks = 3, .buffer_size = 128, .message_bytes = 128, .delayed = 30, .refused = 20},
        pass_round);
}
END_TEST

START_TEST(received_messages_of_several_pieces_can_be_sent_on)
{
    run_all_ways((loop_plan){.ranks = 3, .buffer_size = 64, .message_bytes = 500, .delayed = 30},
                 pass_round);
}
END_TEST

/* All ranks forward at a time, more messages than there are slots: those that are queued must not
 * keep slots. */
static void all_forward(loop_end *end)
{
    const int next = (end->rank + 1) % end->plan->ranks;
    const int previous = (end->rank + end->plan->ranks - 1) % end->plan->ranks;
    const uint64_t abreast = 20, rounds = 6;
    transport_buffer *buffer;

    for (uint64_t i = 0; i < abreast; i++)
        loop_send(end, next, i, 64);
    for (uint64_t round = 1; round < rounds; round++)
        for (uint64_t i = 0; i < abreast; i++) {
            LOOP_OK(transport_receive(end->nodes[previous], &buffer));
            LOOP_OK(transport_send(end->nodes[next], buffer));
        }
    for (uint64_t i = 0; i < abreast; i++) {
        const int ranks = end->plan->ranks;
        const int source = (end->rank + ranks * (int)rounds - (int)rounds) % ranks;

        LOOP_OK(transport_receive(end->nodes[previous], &buffer));
        loop_check(buffer, source, i, 64);
        transport_buffer_release(buffer);
    }
}

START_TEST(a_ring_in_which_all_forward_does_not_stop)
{
    run_all_ways((loop_plan){.ranks = 3, .buffer_size = 64, .message_bytes = 64, .delayed = 10},
                 all_forward);
}
END_TEST

/* A buffer that is sent on is the slot itself, where that is possible. */
static void see_forwarding(loop_end *end)
{
    transport_buffer *buffer;

    if (end->rank == 0) {
        loop_send(end, 1, 1, 64);
        loop_receive(end, 1, 1, 64);
        return;
    }
    LOOP_OK(transport_receive(end->nodes[0], &buffer));
    ck_assert(remote_is_slot(loop_factory(end), buffer));
    loop_check(buffer, 0, 1, 64);
    transport_buffer_release(buffer);
    loop_send(end, 0, 1, 64);
}

START_TEST(a_receive_gives_the_slot_itself)
{
    run_all_ways((loop_plan){.ranks = 2, .buffer_size = 64, .message_bytes = 64}, see_forwarding);
}
END_TEST

/* Credits */

static void hold_all(loop_end *end)
{
    const uint64_t slots = end->plan->outstanding, more = 3;
    transport_buffer *held[64];

    if (end->rank == 0) {
        for (uint64_t i = 0; i < slots + more; i++)
            loop_send(end, 1, i, 64);
        loop_meet();
        loop_meet();
        ck_assert_uint_eq(loop_factory(end)->queued, more);
        loop_meet();
        LOOP_OK(transport_flush(end->factory));
        return;
    }
    loop_meet();
    for (uint64_t i = 0; i < slots; i++)
        LOOP_OK(transport_receive(end->nodes[0], &held[i]));
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(transport_try_receive(end->nodes[0], &held[slots]), CB_EMPTY);
    loop_meet();
    loop_meet();
    for (uint64_t i = slots; i-- > 0;) {
        loop_check(held[i], 0, i, 64);
        transport_buffer_release(held[i]);
    }
    for (uint64_t i = slots; i < slots + more; i++)
        loop_receive(end, 0, i, 64);
}

START_TEST(a_user_who_holds_all_slots_stops_the_sender)
{
    run_all_ways((loop_plan){.ranks = 2, .buffer_size = 64, .message_bytes = 64}, hold_all);
}
END_TEST

/* All messages were received and released, and the receiver does not poll again. */
static void send_after_release(loop_end *end)
{
    const remote_node *peer = &loop_factory(end)->nodes[!end->rank];
    transport_buffer *nothing;

    for (uint64_t i = 0; i < 10 * end->plan->outstanding; i++) {
        if (end->rank == 0) {
            ck_assert_msg(peer->number != peer->room, "no credit for message %d", (int)i);
            loop_send(end, 1, i, 64);
        }
        loop_meet();
        if (end->rank == 1)
            loop_receive(end, 0, i, 64);
        loop_meet();
        if (end->rank == 0)
            ck_assert_int_eq(transport_try_receive(end->nodes[1], &nothing), CB_EMPTY);
    }
}

START_TEST(a_sender_has_credit_once_all_its_messages_are_released)
{
    run_all_ways((loop_plan){.ranks = 2, .buffer_size = 64, .message_bytes = 64},
                 send_after_release);
}
END_TEST

static void answer_each(loop_end *end)
{
    for (uint64_t i = 0; i < MESSAGES; i++) {
        if (end->rank == 0)
            loop_send(end, 1, i, 64);
        loop_receive(end, !end->rank, i, 64);
        if (end->rank == 1)
            loop_send(end, 0, i, 64);
    }
    ck_assert_uint_eq(loop_words(end), 1);
    loop_meet();
}

START_TEST(an_exchange_needs_no_words_beside_its_messages)
{
    for (loop_way way = 0; way < LOOP_WAYS; way++)
        loop_run(
            &(loop_plan){
                .way = way, .ranks = 2, .outstanding = 4, .buffer_size = 64, .message_bytes = 64},
            answer_each);
}
END_TEST

static void stream(loop_end *end)
{
    for (uint64_t i = 0; i < MESSAGES; i++)
        if (end->rank == 0)
            loop_send(end, 1, i, 64);
        else
            loop_receive(end, 0, i, 64);
    LOOP_OK(transport_flush(end->factory));
    ck_assert_uint_le(loop_words(end), 1 + MESSAGES / (end->plan->outstanding / 2));
    loop_meet();
}

START_TEST(a_stream_needs_a_word_for_half_of_the_slots_at_most)
{
    for (loop_way way = 0; way < LOOP_WAYS; way++)
        loop_run(
            &(loop_plan){
                .way = way, .ranks = 2, .outstanding = 16, .buffer_size = 64, .message_bytes = 64},
            stream);
}
END_TEST

/* One poll finds all messages; the others are received without one. */
static void receive_without_polls(loop_end *end)
{
    const uint64_t messages = 10;
    size_t polls;

    if (end->rank == 0)
        for (uint64_t i = 0; i < messages; i++)
            loop_send(end, 1, i, 64);
    loop_meet();
    if (end->rank == 1) {
        loop_receive(end, 0, 0, 64);
        polls = loop_polls(end);
        for (uint64_t i = 1; i < messages; i++)
            loop_receive(end, 0, i, 64);
        ck_assert_uint_eq(loop_polls(end), polls);
    }
    loop_meet();
}

START_TEST(a_message_that_has_arrived_is_received_without_a_call_of_the_driver)
{
    loop_run(&(loop_plan){.ranks = 2, .outstanding = 16, .buffer_size = 64, .message_bytes = 64},
             receive_without_polls);
}
END_TEST

/* The slots of messages that are sent on are granted again, without a poll that finds nothing. */
static void send_all_on(loop_end *end)
{
    const uint64_t slots = end->plan->outstanding;
    transport_buffer *held[64], *nothing;

    if (end->rank == 0)
        for (uint64_t i = 0; i < slots; i++)
            loop_send(end, 1, i, 64);
    loop_meet();
    if (end->rank == 1) {
        for (uint64_t i = 0; i < slots; i++)
            LOOP_OK(transport_receive(end->nodes[0], &held[i]));
        for (uint64_t i = 0; i < slots; i++)
            LOOP_OK(transport_send(end->nodes[2], held[i]));
    }
    loop_meet();
    if (end->rank == 0) {
        const remote_node *peer = &loop_factory(end)->nodes[1];

        ck_assert_int_eq(transport_try_receive(end->nodes[1], &nothing), CB_EMPTY);
        ck_assert_uint_ne(peer->number, peer->room);
    }
    loop_meet();
}

START_TEST(slots_that_are_sent_on_are_granted_at_once)
{
    for (loop_way way = 0; way < LOOP_WAYS; way++)
        loop_run(
            &(loop_plan){
                .way = way, .ranks = 3, .outstanding = 4, .buffer_size = 64, .message_bytes = 64},
            send_all_on);
}
END_TEST

/* Rank 0 owes grants to rank 1, which it cannot reach, and to rank 2. */
static void owe_both(loop_end *end)
{
    const uint64_t messages = end->plan->outstanding / 2;
    remote_factory *factory = loop_factory(end);
    transport_buffer *nothing;

    if (end->rank > 0)
        for (uint64_t i = 0; i < messages; i++)
            loop_send(end, 0, i, 64);
    loop_meet();
    if (end->rank == 0) {
        for (int rank = 1; rank <= 2; rank++)
            for (uint64_t i = 0; i < messages; i++)
                loop_receive(end, rank, i, 64);
        ck_assert_uint_eq(factory->indebted, 2);
        cb_log_silence(true);
        loop_break(end, 1);
        ck_assert_int_eq(transport_try_receive(end->nodes[2], &nothing), CB_EMPTY);
        ck_assert_int_eq(transport_try_receive(end->nodes[1], &nothing), CB_ERROR_TRANSPORT);
    }
    loop_meet();
    if (end->rank == 2) {
        ck_assert_int_eq(transport_try_receive(end->nodes[0], &nothing), CB_EMPTY);
        ck_assert_uint_eq(factory->nodes[0].room, messages + end->plan->outstanding);
    }
    loop_meet();
    if (end->rank == 1)
        (void)remote_lose(factory, 0, "reach", "this is a test");
}

START_TEST(a_grant_that_fails_fails_no_receive_from_another_rank)
{
    for (loop_way way = 0; way < LOOP_WAYS; way++)
        loop_run(
            &(loop_plan){
                .way = way, .ranks = 3, .outstanding = 4, .buffer_size = 64, .message_bytes = 64},
            owe_both);
}
END_TEST

/* The grant for the last piece is due at once. */
static void owe_for_a_piece(loop_end *end)
{
    if (end->rank == 1)
        loop_send(end, 0, 7, 3 * 64);
    loop_meet();
    if (end->rank == 0) {
        cb_log_silence(true);
        loop_break(end, 1);
        loop_receive(end, 1, 7, 3 * 64);
    }
    loop_meet();
    if (end->rank == 1)
        (void)remote_lose(loop_factory(end), 0, "reach", "this is a test");
}

START_TEST(a_grant_that_fails_hides_no_message)
{
    for (loop_way way = 0; way < LOOP_WAYS; way++)
        loop_run(
            &(loop_plan){
                .way = way, .ranks = 2, .outstanding = 4, .buffer_size = 64, .message_bytes = 192},
            owe_for_a_piece);
}
END_TEST

/* Memory ends between two pieces of a message. */
static void break_off(loop_end *end)
{
    transport_pool *pool = &loop_factory(end)->pieces;
    transport_buffer *buffer, *pieces = NULL;

    if (end->rank == 0) {
        cb_log_silence(true);
        loop_send(end, 1, 0, 192);
        pieces = pool->first;
        pool->first = NULL;
        loop_fill_memory(end);
    }
    loop_meet();
    if (end->rank == 1)
        for (int i = 0; i < 10; i++)
            ck_assert_int_eq(transport_try_receive(end->nodes[0], &buffer), CB_EMPTY);
    loop_meet();
    if (end->rank == 0) {
        ck_assert_int_eq(transport_try_receive(end->nodes[1], &buffer), CB_ERROR_TRANSPORT);
        ck_assert_int_eq(transport_send(end->nodes[1], loop_message(end, 1, 64)),
                         CB_ERROR_TRANSPORT);
        pool->first = pieces;
    }
    loop_meet();
    if (end->rank == 1)
        (void)remote_lose(loop_factory(end), 0, "reach", "this is a test");
}

START_TEST(a_rank_that_has_got_a_part_of_a_message_gets_no_other)
{
    for (loop_way way = 0; way < LOOP_WAYS; way++)
        loop_run(
            &(loop_plan){
                .way = way, .ranks = 2, .outstanding = 1, .buffer_size = 64, .message_bytes = 192},
            break_off);
}
END_TEST

static void flush_all(loop_end *end)
{
    if (end->rank == 0) {
        loop_send(end, 1, 0, 64);
        ck_assert_uint_gt(loop_lingering(end), 0);
        LOOP_OK(transport_flush(end->factory));
        ck_assert_uint_eq(loop_lingering(end), 0);
        return;
    }
    loop_receive(end, 0, 0, 64);
}

START_TEST(a_flush_waits_until_the_library_has_sent_all)
{
    loop_run(&(loop_plan){.ranks = 2, .outstanding = 4, .buffer_size = 64, .message_bytes = 64},
             flush_all);
}
END_TEST

/* Refusals */

static void wait_for_room(loop_end *end)
{
    if (end->rank == 0) {
        loop_refuse(end, true);
        for (uint64_t i = 0; i < 50; i++)
            loop_send(end, 1, i, size_of(i, 200));
        ck_assert_uint_eq(loop_factory(end)->queued, 50);
        ck_assert_uint_eq(loop_factory(end)->counts[REMOTE_QUEUE_FULL], 1);
        loop_refuse(end, false);
        LOOP_OK(transport_flush(end->factory));
        return;
    }
    for (uint64_t i = 0; i < 50; i++)
        loop_receive(end, 0, i, size_of(i, 200));
}

START_TEST(a_full_library_is_counted_and_its_messages_are_queued)
{
    run_all_ways((loop_plan){.ranks = 2, .buffer_size = 64, .message_bytes = 200}, wait_for_room);
}
END_TEST

/* Closing */

static void leave_unread(loop_end *end)
{
    for (uint64_t i = 0; i < 200; i++)
        loop_send(end, !end->rank, i, size_of(i, 200));
    if (end->rank == 1)
        for (uint64_t i = 0; i < 5; i++)
            loop_receive(end, 0, i, size_of(i, 200));
}

START_TEST(factories_can_be_closed_with_unread_messages)
{
    run_all_ways(
        (loop_plan){
            .ranks = 2, .buffer_size = 64, .message_bytes = 200, .delayed = 30, .refused = 20},
        leave_unread);
}
END_TEST

static void close_early(loop_end *end)
{
    if (end->rank == 0)
        for (uint64_t i = 0; i < 100; i++)
            loop_send(end, 1, i, 64);
    if (end->rank == 1)
        for (uint64_t i = 0; i < 100; i++) {
            loop_receive(end, 0, i, 64);
            sched_yield();
        }
}

START_TEST(what_was_sent_before_the_close_arrives)
{
    run_all_ways((loop_plan){.ranks = 3, .buffer_size = 64, .message_bytes = 64, .delayed = 30},
                 close_early);
}
END_TEST

/* Lost ranks */

static void lose_peer(loop_end *end)
{
    transport_buffer *buffer;
    char text[CB_LAST_ERROR_BYTES];

    if (end->rank == 0) {
        loop_send(end, 1, 7, 64);
        LOOP_OK(transport_flush(end->factory));
        loop_cut(end);
    }
    loop_meet();
    if (end->rank == 1) {
        cb_log_silence(true);
        loop_end_process(&loop_factory(end)->nodes[0]);
        loop_receive(end, 0, 7, 64);
        ck_assert_int_eq(transport_receive(end->nodes[0], &buffer), CB_ERROR_TRANSPORT);
        ck_assert(transport_last_error(end->factory, text, sizeof(text)));
        ck_assert_str_eq(
            text, "cannot reach rank 0 over loop: its process has ended; see the messages of "
                  "that rank, and check that its host is reachable");
        ck_assert_int_eq(transport_send(end->nodes[0], loop_message(end, 1, 64)),
                         CB_ERROR_TRANSPORT);
        cb_log_silence(false);
    }
    loop_meet();
    if (end->rank == 0) {
        cb_log_silence(true);
        remote_lose(loop_factory(end), 1, "reach", "this is a test");
    }
}

START_TEST(a_peer_whose_process_ends_is_an_error_after_its_last_message)
{
    for (loop_way way = 0; way < LOOP_WAYS; way++)
        loop_run(
            &(loop_plan){
                .way = way, .ranks = 2, .outstanding = 4, .buffer_size = 64, .message_bytes = 64},
            lose_peer);
}
END_TEST

START_TEST(an_open_fails_if_the_process_of_a_rank_ends)
{
    cb_log_silence(true);
    for (int dead = 1; dead < 3; dead++)
        loop_run(&(loop_plan){.ranks = 3, .dead = dead}, NULL);
}
END_TEST

/* The library took the first word to it, and would not report that no process reads it. */
START_TEST(an_open_fails_if_a_rank_on_another_host_ends)
{
    cb_log_silence(true);
    for (int dead = 1; dead < 3; dead++)
        loop_run(&(loop_plan){.ranks = 3, .dead = dead, .elsewhere = true}, NULL);
}
END_TEST

/* Rank 0 begins to close and ends, while messages for it wait for credit. */
static void end_in_closing(loop_end *end)
{
    remote_factory *factory = loop_factory(end);

    if (end->rank == 1)
        for (uint64_t i = 0; i < end->plan->outstanding + 3; i++)
            loop_send(end, 0, i, 64);
    else
        LOOP_OK(factory->driver->tell(factory, 1, REMOTE_CLOSE, 1));
    loop_meet();
    if (end->rank == 1) {
        loop_end_process(&factory->nodes[0]);
        return;
    }
    loop_cut(end);
    (void)remote_lose(factory, 1, "reach", "this is a test");
}

START_TEST(a_close_ends_if_the_process_of_a_rank_ends_in_its_own)
{
    cb_log_silence(true);
    loop_run(&(loop_plan){.ranks = 2, .outstanding = 4, .buffer_size = 64, .message_bytes = 64},
             end_in_closing);
}
END_TEST

static void expect_from_closed(loop_end *end)
{
    transport_buffer *buffer;
    char text[CB_LAST_ERROR_BYTES];

    if (end->rank == 0)
        return;
    cb_log_silence(true);
    ck_assert_int_eq(transport_receive(end->nodes[0], &buffer), CB_ERROR_TRANSPORT);
    ck_assert(transport_last_error(end->factory, text, sizeof(text)));
    ck_assert_ptr_nonnull(strstr(text, "it has closed its end and sent no more"));
}

START_TEST(a_receive_from_a_rank_that_closed_is_an_error)
{
    loop_run(&(loop_plan){.ranks = 2, .outstanding = 4, .buffer_size = 64, .message_bytes = 64},
             expect_from_closed);
}
END_TEST

/* Derived values */

START_TEST(slots_follow_from_the_job)
{
    static const struct {
        cb_job job;
        uint64_t outstanding, buffer_size;
    } cases[] = {
        {{.ranks = 2, .largest_bytes = 8}, 256, 64},
        {{.ranks = 2, .largest_bytes = 0}, 256, 64},
        {{.ranks = 2, .largest_bytes = 65536}, 8, 65536},
        {{.ranks = 2, .largest_bytes = 1 << 20}, 4, 1 << 20},
        {{.ranks = 2, .largest_bytes = 64 << 20}, 4, 16 << 20},
        {{.ranks = 17, .largest_bytes = 64}, 256, 64},
        {{.ranks = 17, .largest_bytes = 1 << 20}, 4, 1 << 20},
        {{.ranks = 1, .largest_bytes = 100}, 256, 128},
        {{.ranks = 2, .largest_bytes = 1 << 20, .held_buffers = 2}, 4, 1 << 20},
        {{.ranks = 2, .largest_bytes = 1 << 20, .held_buffers = 9}, 32, 1 << 20},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        remote_settings values = {0};

        remote_derive(&cases[i].job, &values);
        ck_assert_msg(values.outstanding == cases[i].outstanding &&
                          values.buffer_size == cases[i].buffer_size,
                      "case %zu: %llu slots of %llu bytes", i,
                      (unsigned long long)values.outstanding,
                      (unsigned long long)values.buffer_size);
    }
}
END_TEST

UNIT_MAIN("remote", messages_arrive_once_in_order_and_whole,
          messages_of_several_ranks_are_kept_apart,
          a_library_without_room_delays_messages_and_loses_none,
          messages_longer_than_a_slot_are_sent_in_pieces,
          messages_longer_than_the_library_carries_are_sent_in_pieces, numbers_may_wrap,
          messages_of_another_job_and_unexpected_numbers_are_dropped_and_counted,
          received_messages_can_be_sent_on, received_messages_of_several_pieces_can_be_sent_on,
          a_ring_in_which_all_forward_does_not_stop, a_receive_gives_the_slot_itself,
          a_user_who_holds_all_slots_stops_the_sender,
          a_sender_has_credit_once_all_its_messages_are_released,
          an_exchange_needs_no_words_beside_its_messages,
          a_stream_needs_a_word_for_half_of_the_slots_at_most,
          a_message_that_has_arrived_is_received_without_a_call_of_the_driver,
          slots_that_are_sent_on_are_granted_at_once,
          a_grant_that_fails_fails_no_receive_from_another_rank,
          a_grant_that_fails_hides_no_message,
          a_rank_that_has_got_a_part_of_a_message_gets_no_other,
          a_flush_waits_until_the_library_has_sent_all,
          a_full_library_is_counted_and_its_messages_are_queued,
          factories_can_be_closed_with_unread_messages, what_was_sent_before_the_close_arrives,
          a_peer_whose_process_ends_is_an_error_after_its_last_message,
          an_open_fails_if_the_process_of_a_rank_ends, an_open_fails_if_a_rank_on_another_host_ends,
          a_close_ends_if_the_process_of_a_rank_ends_in_its_own,
          a_receive_from_a_rank_that_closed_is_an_error, slots_follow_from_the_job)
