/* The recorder: what a few ranks send and receive over it, as the lines of a trace. */
#include "emit/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "tests/common/unit.h"

enum { RANKS = 3 };

/* What each rank does, and what it needs for that. */
typedef struct {
    emit_recorder *recorder;
    transport_node *nodes[RANKS][RANKS];
    transport_group *groups[RANKS];
    bool multicast;
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

/* Rank 0 hears of the others, who send as many bytes as `sizes` says, one or two each. */
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

/* Rank 0 to a group of the others: by a loop, or as a multicast. */
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

/* Record a play; again, with that rank named, when the receives of a rank turn out to name their
 * senders. */
static void record(play *all, emit_coroutine part, const bool *named, emit_scheduler **scheduler)
{
    bool names[RANKS];
    cb_status status;
    size_t rank;

    memcpy(names, named, sizeof(names));
    for (;;) {
        set_up(all);
        for (rank = 0; rank < RANKS; rank++)
            if (names[rank])
                emit_recorder_name_senders(all->recorder, rank);
        ck_assert_int_eq(emit_scheduler_create(RANKS, part, all, scheduler), CB_OK);
        emit_recorder_set_scheduler(all->recorder, *scheduler);
        status = emit_scheduler_run(*scheduler);
        if (status == CB_OK)
            return;
        ck_assert_msg(emit_recorder_must_name(all->recorder, &rank) && !names[rank],
                      "the recording ends with '%s'", cb_status_text(status));
        names[rank] = true;
        emit_scheduler_free(*scheduler);
        tear_down(all);
    }
}

/* The trace of a play, with | for the ends of lines. */
static void expect_trace(emit_coroutine part, bool multicast, bool rank0_named,
                         const char *expected)
{
    play all = {.multicast = multicast};
    emit_scheduler *scheduler;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);

    record(&all, part, (const bool[RANKS]){rank0_named}, &scheduler);
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

START_TEST(receives_from_a_group_are_from_any)
{
    expect_trace(gather_alike, false, false, "0:|@ 2|r any 8|;|w|1-2:|is 0 8|w|");
}
END_TEST

START_TEST(where_the_sender_decides_what_is_next_it_is_named)
{
    expect_trace(gather_alike, false, true, "0:|r 1 8|r 2 8|w|1-2:|is 0 8|w|");
}
END_TEST

START_TEST(where_sizes_differ_senders_are_named)
{
    expect_trace(gather_unlike, false, false, "0:|r 1 8|r 2 9|w|1:|is 0 8|w|2:|is 0 9|w|");
}
END_TEST

START_TEST(beside_a_receive_from_one_senders_are_named)
{
    expect_trace(gather_and_receive, false, false,
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

START_TEST(a_multicast_has_its_list)
{
    expect_trace(spread, true, false, "0:|m 1-2 5|w|1-2:|r 0 5|w|");
}
END_TEST

START_TEST(what_nobody_receives_is_given_back)
{
    expect_trace(leave_unreceived, false, false, "1:|is 0 3|w|");
}
END_TEST

UNIT_MAIN("recorder", receives_from_a_group_are_from_any,
          where_the_sender_decides_what_is_next_it_is_named, where_sizes_differ_senders_are_named,
          beside_a_receive_from_one_senders_are_named,
          computing_is_recorded_and_idle_ranks_have_no_section, a_group_send_is_a_loop,
          a_multicast_has_its_list, what_nobody_receives_is_given_back)
