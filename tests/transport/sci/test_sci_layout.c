/* The layout of segments: areas are disjoint, and limits are checked at start. */
#include "transport/sci/layout.h"

#include "transport/sci/parameters.h"
#include "base/log.h"
#include "tests/common/unit.h"

enum { RANKS = 5 };

static cb_settings derived(size_t ranks)
{
    cb_settings settings = {0};
    const cb_job job = {.ranks = ranks, .largest_bytes = 8192, .held_buffers = 2};

    ck_assert_int_eq(cb_settings_derive(&sci_parameters, &job, NULL, &settings), CB_OK);
    return settings;
}

START_TEST(values_derived_from_a_job_keep_the_limits)
{
    for (size_t ranks = 1; ranks <= 64; ranks++) {
        cb_settings settings = derived(ranks);

        for (size_t rank = 0; rank < ranks; rank++)
            ck_assert_int_eq(sci_layout_check(&settings, rank), CB_OK);
        cb_settings_free(&settings);
    }
}
END_TEST

/* With senders of different numbers of outstanding messages. */
START_TEST(the_areas_of_senders_are_adjacent_and_disjoint)
{
    cb_settings settings = derived(RANKS);

    for (size_t rank = 0; rank < RANKS; rank++)
        sci_settings_of(&settings, rank)->max_outst_buffers = rank + 1;
    for (size_t receiver = 0; receiver < RANKS; receiver++) {
        uint64_t header = 0, lines = sci_settings_of(&settings, receiver)->header_area_size;

        for (size_t sender = 0; sender < RANKS; sender++) {
            sci_layout layout = sci_layout_of(&settings, receiver, sender);

            if (sender == receiver)
                continue;
            ck_assert_uint_eq(layout.credits, header);
            ck_assert_uint_eq(layout.lines, lines);
            header += SCI_HEADER_BYTES;
            lines += layout.outstanding * SCI_LINE_BYTES;
            ck_assert_uint_le(lines, layout.buffers);
        }
    }
    cb_settings_free(&settings);
}
END_TEST

typedef struct {
    size_t offset; /* offset of the parameter in sci_settings */
    uint64_t value;
} broken;

START_TEST(a_parameter_beyond_a_limit_is_refused)
{
    cb_settings all = derived(RANKS);
    const sci_settings good = *sci_settings_of(&all, 0);
    const broken parameters[] = {
        {offsetof(sci_settings, header_area_size), good.header_area_size - 1},
        {offsetof(sci_settings, inline_area_size), good.inline_area_size - 1},
        {offsetof(sci_settings, recv_buffer_no), good.recv_buffer_no - 2},
        {offsetof(sci_settings, recv_seg_size), good.recv_seg_size - 1},
        {offsetof(sci_settings, recv_buffer_size), 63},
    };

    cb_log_silence(true);
    for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++) {
        cb_settings settings = derived(RANKS);
        char *sci = cb_settings_values(&settings, 1);

        *(uint64_t *)(void *)(sci + parameters[i].offset) = parameters[i].value;
        ck_assert_int_eq(sci_layout_check(&settings, 1), CB_ERROR_USAGE);
        cb_settings_free(&settings);
    }
    cb_log_silence(false);
    cb_settings_free(&all);
}
END_TEST

/* Up to 8 outstanding a header has 8 words for notices and 8 for credits; beyond, on both sides of
 * a connection alike, its words are credits and the notices are in the row. A buffer of the note,
 * of 8 KB, carries the note's largest message, of 8 KB, in one piece. */
START_TEST(notices_of_more_than_eight_messages_are_outside_of_the_header)
{
    cb_settings settings = derived(2);

    sci_settings_of(&settings, 0)->inline_area_size =
        sci_settings_of(&settings, 1)->inline_area_size = 0;
    sci_settings_of(&settings, 1)->max_outst_buffers = 8;
    for (uint64_t outstanding = 8; outstanding <= SCI_MAX_OUTSTANDING; outstanding++) {
        sci_settings_of(&settings, 0)->max_outst_buffers = outstanding;
        for (size_t rank = 0; rank < 2; rank++) {
            sci_layout layout = sci_layout_of(&settings, rank, !rank);

            ck_assert_int_eq(sci_layout_check(&settings, rank), CB_OK);
            if (outstanding > 8) {
                ck_assert_uint_eq(layout.credits, 0);
                ck_assert_uint_eq(layout.notices, layout.row + offsetof(sci_row, notices));
            } else {
                ck_assert_uint_eq(layout.credits, 32);
                ck_assert_uint_eq(layout.notices, 0);
            }
            ck_assert_uint_eq(layout.piece_bytes, 8192);
        }
    }
    ck_assert_uint_eq(sci_layout_least_piece(&settings), 8192);
    cb_settings_free(&settings);
}
END_TEST

/* They end the segment, whose size need not be a whole number of lines. */
START_TEST(group_tables_are_placed_after_the_configured_areas)
{
    cb_settings settings = derived(RANKS);

    sci_settings_of(&settings, 2)->recv_seg_size += 1;
    for (size_t sender = 0; sender < RANKS; sender++) {
        const size_t position = sender < 2 ? sender : sender - 1;
        sci_layout layout = sci_layout_of(&settings, 2, sender);

        if (sender == 2)
            continue;
        ck_assert_uint_eq(layout.row % SCI_LINE_BYTES, 0);
        ck_assert_uint_ge(layout.row, sci_settings_of(&settings, 2)->recv_seg_size);
        ck_assert_uint_eq(layout.row + (RANKS - 1 - position) * sizeof(sci_row),
                          sci_layout_segment_bytes(&settings, 2));
    }
    cb_settings_free(&settings);
}
END_TEST

UNIT_MAIN("the layout of sci", values_derived_from_a_job_keep_the_limits,
          the_areas_of_senders_are_adjacent_and_disjoint, a_parameter_beyond_a_limit_is_refused,
          notices_of_more_than_eight_messages_are_outside_of_the_header,
          group_tables_are_placed_after_the_configured_areas)
