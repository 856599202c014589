/* The recorder: sends and receives of a few ranks become the lines of a trace. */
#include "emit/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "tests/common/unit.h"

enum { RANKS = 3 };

/* The actions of each rank, and their state. */
typedef struct {
    emit_recorder *recorder;
    transport_node *nodes[RANKS][RANKS];
    transport_group *groups[RANKS];
    bool multicast;
    emit_scheduler *scheduler;
} play;

static cb_status send_to(play *all, size_t from, size_t to, size_t bytes)
{
    transport_buffer *buffer =
        transport_buffer_create(emit_recorder_factory(all->recorder, from), bytes);

    ck_assert_ptr_nonnull(buffer);
    if (bytes > 0)
        memset(buffer->data, (int)from, bytes);
    return transport_send(all->nodes[from][to], buffer);
}

static cb_status receive_any(play *all, size_t rank)
{
    transport_buffer *buffer;
    transport_node *from = NULL;

    CB_TRY(transport_group_receive(all->groups[rank], &buffer, &from));
    ck_assert_ptr_nonnull(from);
    if (buffer->size > 0)
        ck_assert_int_eq(*(const char *)buffer->data, from->rank);
    transport_buffer_release(buffer);
    return CB_OK;
}

static cb_status receive_from(play *all, size_t rank, size_t from)
{
    transport_buffer *buffer;

    CB_TRY(transport_receive(all->nodes[rank][from], &buffer));
    transport_buffer_release(buffer);
    return CB_OK;
}

/* Rank 0 receives one or two messages from each other rank, of the sizes in `sizes`. */
static cb_status gather(play *all, size_t rank, size_t first, size_t second)
{
    if (rank > 0)
        return send_to(all, rank, 0, rank == 1 ? first : second);
    CB_TRY(receive_any(all, 0));
    return receive_any(all, 0);
}

static cb_status gather_alike(void *context, size_t rank)
{
    return gather(context, rank, 8, 8);
}

static cb_status gather_unlike(void *context, size_t rank)
{
    return gather(context, rank, 8, 9);
}

static cb_status gather_and_receive(void *context, size_t rank)
{
    play *all = context;

    CB_TRY(gather(all, rank, 8, 8));
    if (rank == 1)
        return send_to(all, 1, 0, 8);
    return rank == 0 ? receive_from(all, 0, 1) : CB_OK;
}

static cb_status compute(void *context, size_t rank)
{
    play *all = context;

    return rank == 1 ? emit_recorder_compute(all->recorder, 1, 12.5) : CB_OK;
}

/* Rank 0 sends to a group of the others: in a loop, or as a multicast. */
static cb_status spread(void *context, size_t rank)
{
    play *all = context;
    transport_factory *factory = emit_recorder_factory(all->recorder, rank);
    transport_group *group;
    cb_status status;

    CB_TRY(transport_group_create(factory, all->nodes[rank] + 1, RANKS - 1,
                                  rank == 0 ? NULL : all->nodes[rank][0], all->multicast, &group));
    if (rank == 0) {
        status = transport_group_send(group, transport_buffer_create(factory, 5));
    } else {
        transport_buffer *buffer = NULL;

        status = transport_group_receive_root(group, &buffer);
        transport_buffer_release(buffer);
    }
    transport_group_destroy(group);
    return status;
}

static cb_status leave_unreceived(void *context, size_t rank)
{
    return rank == 1 ? send_to(context, 1, 0, 3) : CB_OK;
}

static void set_up(play *all)
{
    ck_assert_int_eq(emit_recorder_open(RANKS, &all->recorder), CB_OK);
    for (size_t rank = 0; rank < RANKS; rank++) {
        transport_factory *factory = emit_recorder_factory(all->recorder, rank);

        for (int to = 0; to < RANKS; to++)
            ck_assert_int_eq(transport_node_create(factory, to, &all->nodes[rank][to]), CB_OK);
        ck_assert_int_eq(transport_group_create(factory, all->nodes[rank], RANKS, NULL, false,
                                                &all->groups[rank]),
                         CB_OK);
    }
}

static void tear_down(play *all)
{
    for (size_t rank = 0; rank < RANKS; rank++) {
        transport_group_destroy(all->groups[rank]);
        for (int to = 0; to < RANKS; to++)
            transport_node_destroy(all->nodes[rank][to]);
    }
    emit_recorder_close(all->recorder);
}

/* The trace of the actions, with | in place of line ends. */
static void expect_trace_of(emit_coroutine part, bool multicast, bool rank0_named, bool by_tree,
                            const char *expected)
{
    play all = {.multicast = multicast};
    emit_scheduler *scheduler;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);

    set_up(&all);
    if (by_tree)
        emit_recorder_send_by_tree(all.recorder);
    if (rank0_named)
        emit_recorder_name_senders(all.recorder, 0);
    ck_assert_int_eq(emit_scheduler_create(RANKS, part, &all, &scheduler), CB_OK);
    emit_recorder_set_scheduler(all.recorder, scheduler);
    all.scheduler = scheduler;
    ck_assert_int_eq(emit_scheduler_run(scheduler), CB_OK);
    ck_assert_int_eq(emit_recorder_finish(all.recorder), CB_OK);
    ck_assert_int_eq(emit_recorder_write(all.recorder, stream), CB_OK);
    fclose(stream);
    for (size_t i = 0; i < bytes; i++)
        text[i] = text[i] == '\n' ? '|' : text[i];
    ck_assert_str_eq(text, expected);
    free(text);
    emit_scheduler_free(scheduler);
    tear_down(&all);
}

static void expect_trace(emit_coroutine part, bool multicast, bool rank0_named,
                         const char *expected)
{
    expect_trace_of(part, multicast, rank0_named, false, expected);
}

/* Expect that the actions can only be recorded if the receives of rank 0 name their senders. */
static void expect_must_name(emit_coroutine part)
{
    play all = {0};
    emit_scheduler *scheduler;
    size_t rank = RANKS;

    set_up(&all);
    ck_assert_int_eq(emit_scheduler_create(RANKS, part, &all, &scheduler), CB_OK);
    emit_recorder_set_scheduler(all.recorder, scheduler);
    ck_assert(!emit_recorder_must_name(all.recorder, &rank));
    ck_assert_int_eq(emit_scheduler_run(scheduler), CB_ERROR_TRANSPORT);
    ck_assert(emit_recorder_must_name(all.recorder, &rank));
    ck_assert_uint_eq(rank, 0);
    emit_scheduler_free(scheduler);
    tear_down(&all);
}

START_TEST(receives_from_a_group_name_no_sender)
{
    expect_trace(gather_alike, false, false, "0:|@ 2|r any 8|;|w|1-2:|is 0 8|w|");
}
END_TEST

START_TEST(receives_name_their_senders_on_request)
{
    expect_trace(gather_alike, false, true, "0:|r 1 8|r 2 8|w|1-2:|is 0 8|w|");
}
END_TEST

START_TEST(receives_name_their_senders_where_sizes_differ)
{
    expect_must_name(gather_unlike);
    expect_trace(gather_unlike, false, true, "0:|r 1 8|r 2 9|w|1:|is 0 8|w|2:|is 0 9|w|");
}
END_TEST

START_TEST(receives_name_their_senders_where_another_receive_does)
{
    expect_must_name(gather_and_receive);
    expect_trace(gather_and_receive, false, true,
                 "0:|r 1 8|r 2 8|r 1 8|w|1:|@ 2|is 0 8|;|w|2:|is 0 8|w|");
}
END_TEST

START_TEST(computing_is_recorded_and_idle_ranks_have_no_section)
{
    expect_trace(compute, false, false, "1:|c 12.5|w|");
}
END_TEST

START_TEST(a_group_send_is_a_loop)
{
    expect_trace(spread, false, false, "0:|is 1 5|is 2 5|w|1-2:|r 0 5|w|");
}
END_TEST

START_TEST(a_multicast_names_its_receivers)
{
    expect_trace(spread, true, false, "0:|m 1-2 5|w|1-2:|r 0 5|w|");
}
END_TEST

START_TEST(a_tree_multicast_becomes_sends_between_ranks)
{
    expect_trace_of(spread, true, false, true, "0:|is 1 5|is 2 5|w|1-2:|r 0 5|w|");
}
END_TEST

/* Rank 0 receives from the others in rounds. Rank 2 sends all its messages before rank 1 does,
 * so in the second and third round rank 2 comes first, once each. */
static cb_status gather_in_rounds(void *context, size_t rank)
{
    enum { ROUNDS = 3 };
    play *all = context;

    for (int round = 0; round < ROUNDS; round++) {
        if (rank > 0)
            CB_TRY(send_to(all, rank, 0, 8));
        if (rank == 1)
            emit_scheduler_pause(all->scheduler);
    }
    for (int i = 0; rank == 0 && i < 2 * ROUNDS; i++)
        CB_TRY(receive_any(all, 0));
    return CB_OK;
}

START_TEST(a_round_waits_for_late_ranks)
{
    expect_trace(gather_in_rounds, false, true,
                 "0:|r 1 8|@ 2|r 2 8|;|r 1 8|r 2 8|r 1 8|w|1-2:|@ 3|is 0 8|;|w|");
}
END_TEST

static cb_status gather_unevenly(void *context, size_t rank)
{
    play *all = context;

    for (size_t i = 0; rank > 0 && i < 2 * rank - 1; i++)
        CB_TRY(send_to(all, rank, 0, 8));
    for (int i = 0; rank == 0 && i < 4; i++)
        CB_TRY(receive_any(all, 0));
    return CB_OK;
}

START_TEST(a_round_does_not_wait_for_ranks_that_send_no_more)
{
    expect_trace(gather_unevenly, false, true,
                 "0:|r 1 8|@ 3|r 2 8|;|w|1:|is 0 8|w|2:|@ 3|is 0 8|;|w|");
}
END_TEST

START_TEST(buffers_of_unreceived_messages_are_released)
{
    expect_trace(leave_unreceived, false, false, "1:|is 0 3|w|");
}
END_TEST

UNIT_MAIN("recorder", receives_from_a_group_name_no_sender, receives_name_their_senders_on_request,
          receives_name_their_senders_where_sizes_differ,
          receives_name_their_senders_where_another_receive_does,
          computing_is_recorded_and_idle_ranks_have_no_section, a_group_send_is_a_loop,
          a_multicast_names_its_receivers, a_tree_multicast_becomes_sends_between_ranks,
          a_round_waits_for_late_ranks, a_round_does_not_wait_for_ranks_that_send_no_more,
          buffers_of_unreceived_messages_are_released)
