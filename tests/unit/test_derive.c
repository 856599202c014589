/* Settings derived from a job: every limit holds for jobs of all kinds, and the choices between the
 * limits are those that are described. */
#include "base/derive.h"

#include "base/parameters.h"
#include "tests/unit/unit.h"

static const size_t ranks[] = {1, 2, 3, 17, 129, 1000, 65536};
static const size_t sizes[] = {0, 1, 64, 65, 1024, 1 << 20, (4 << 20) + 1, 1 << 30};

/* Runs `check` for jobs of all these ranks and sizes. */
static void for_all_jobs(void (*check)(const cb_job *job, const cb_sci_settings *sci))
{
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
        for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++)
            for (size_t held = 0; held < 4; held++) {
                cb_job job = {.ranks = ranks[i], .largest_bytes = sizes[j], .held_buffers = held};
                cb_sci_settings sci = cb_derive_sci(&job);

                check(&job, &sci);
            }
}

static void check_limits(const cb_job *job, const cb_sci_settings *sci)
{
    uint64_t peers = job->ranks - 1;

    ck_assert_uint_ge(sci->header_area_size, peers * CB_SCI_HEADER_BYTES);
    ck_assert_uint_ge(sci->inline_area_size, peers * sci->max_outst_buffers * CB_SCI_LINE_BYTES);
    ck_assert_uint_ge(sci->recv_buffer_no, peers * sci->max_outst_buffers + job->held_buffers);
    ck_assert_uint_eq(sci->recv_seg_size, sci->header_area_size + sci->inline_area_size +
                                              sci->recv_buffer_no * sci->recv_buffer_size);
}

START_TEST(every_limit_holds_and_the_segment_is_full)
{
    for_all_jobs(check_limits);
}
END_TEST

static void check_ranges(const cb_job *job, const cb_sci_settings *sci)
{
    cb_node_settings node = {.node_id = 4, .sci = *sci};

    for (size_t i = 0; i < CB_PARAMETERS; i++) {
        const cb_parameter *row = &cb_parameters[i];
        uint64_t value = cb_parameter_get(row, &node);

        if (row->context != CB_CONTEXT_SCI)
            continue;
        ck_assert_msg(value >= row->minimum && value <= row->maximum, "%s = %llu for %zu ranks",
                      row->name, (unsigned long long)value, job->ranks);
        ck_assert_msg(row->multiple == 0 || value % row->multiple == 0, "%s = %llu for %zu bytes",
                      row->name, (unsigned long long)value, job->largest_bytes);
    }
}

START_TEST(every_value_is_one_that_files_could_give)
{
    for_all_jobs(check_ranges);
}
END_TEST

START_TEST(a_receive_buffer_takes_the_largest_message_whole)
{
    const cb_job job = {.ranks = 17, .largest_bytes = (4 << 20) + 1, .held_buffers = 2};

    ck_assert_uint_eq(cb_derive_sci(&job).recv_buffer_size, (4 << 20) + 64);
}
END_TEST

START_TEST(messages_come_in_pieces_where_one_buffer_for_each_peer_needs_too_much)
{
    const cb_job job = {.ranks = 129, .largest_bytes = 4 << 20, .held_buffers = 2};

    ck_assert_uint_eq(cb_derive_sci(&job).recv_buffer_size, 2 << 20);
    ck_assert_uint_eq(cb_derive_sci(&job).max_outst_buffers, 1);
}
END_TEST

START_TEST(small_messages_may_be_outstanding_as_many_as_a_header_has_room_for)
{
    const cb_job job = {.ranks = 17, .largest_bytes = 1024, .held_buffers = 2};

    ck_assert_uint_eq(cb_derive_sci(&job).max_outst_buffers, CB_SCI_MAX_OUTSTANDING);
}
END_TEST

START_TEST(all_nodes_get_the_same_and_their_rank_as_id)
{
    const cb_job job = {.ranks = 3, .largest_bytes = 64, .held_buffers = 2};
    cb_settings settings;

    ck_assert_int_eq(cb_derive_settings(&job, &settings), CB_OK);
    ck_assert(!settings.configured);
    ck_assert_uint_eq(settings.node_count, 3);
    ck_assert_uint_eq(settings.group_count, 0);
    for (uint32_t rank = 0; rank < 3; rank++) {
        ck_assert_uint_eq(settings.nodes[rank].id, rank);
        ck_assert_uint_eq(settings.nodes[rank].node_id, CB_NODE_ID_UNKNOWN);
        ck_assert_uint_eq(settings.nodes[rank].sci.recv_buffer_no,
                          cb_derive_sci(&job).recv_buffer_no);
    }
    cb_settings_free(&settings);
    ck_assert_ptr_null(settings.nodes);
}
END_TEST

START_TEST(other_contexts_have_their_defaults)
{
    const cb_job job = {.ranks = 2, .largest_bytes = 64, .held_buffers = 2};
    cb_settings settings;

    ck_assert_int_eq(cb_derive_settings(&job, &settings), CB_OK);
    for (size_t i = 0; i < CB_PARAMETERS; i++)
        if (cb_parameters[i].context != CB_CONTEXT_SCI)
            ck_assert_uint_eq(cb_parameter_get(&cb_parameters[i], &settings.nodes[1]),
                              cb_parameters[i].default_value);
    cb_settings_free(&settings);
}
END_TEST

UNIT_MAIN("derive", every_limit_holds_and_the_segment_is_full,
          every_value_is_one_that_files_could_give,
          a_receive_buffer_takes_the_largest_message_whole,
          messages_come_in_pieces_where_one_buffer_for_each_peer_needs_too_much,
          small_messages_may_be_outstanding_as_many_as_a_header_has_room_for,
          all_nodes_get_the_same_and_their_rank_as_id, other_contexts_have_their_defaults)
