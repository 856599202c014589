/* The layout of segments: areas do not overlap, and the limits are kept at start. */
#include "transport/sci/layout.h"

#include "base/derive.h"
#include "base/log.h"
#include "tests/unit/unit.h"

enum { RANKS = 5 };

static cb_settings derived(size_t ranks)
{
    cb_settings settings = {0};
    const cb_job job = {.ranks = ranks, .largest_bytes = 8192, .held_buffers = 2};

    ck_assert_int_eq(cb_derive_settings(&job, &settings), CB_OK);
    return settings;
}

START_TEST(what_is_derived_from_a_job_keeps_the_limits)
{
    for (size_t ranks = 1; ranks <= 64; ranks++) {
        cb_settings settings = derived(ranks);

        for (size_t rank = 0; rank < ranks; rank++)
            ck_assert_int_eq(sci_layout_check(&settings, rank), CB_OK);
        cb_settings_free(&settings);
    }
}
END_TEST

/* With senders that differ in what they may have outstanding. */
START_TEST(the_parts_of_the_senders_lie_side_by_side)
{
    cb_settings settings = derived(RANKS);

    for (size_t rank = 0; rank < RANKS; rank++)
        settings.nodes[rank].sci.max_outst_buffers = rank + 1;
    for (size_t receiver = 0; receiver < RANKS; receiver++) {
        uint64_t header = 0, lines = settings.nodes[receiver].sci.header_area_size;

        for (size_t sender = 0; sender < RANKS; sender++) {
            sci_layout layout = sci_layout_of(&settings, receiver, sender);

            if (sender == receiver)
                continue;
            ck_assert_uint_eq(layout.header, header);
            ck_assert_uint_eq(layout.lines, lines);
            header += CB_SCI_HEADER_BYTES;
            lines += layout.outstanding * CB_SCI_LINE_BYTES;
            ck_assert_uint_le(lines, layout.buffers);
        }
    }
    cb_settings_free(&settings);
}
END_TEST

typedef struct {
    size_t offset; /* of the parameter in cb_sci_settings */
    uint64_t value;
} broken;

START_TEST(a_parameter_beyond_a_limit_is_refused)
{
    const cb_sci_settings good =
        cb_derive_sci(&(cb_job){.ranks = RANKS, .largest_bytes = 8192, .held_buffers = 2});
    const broken parameters[] = {
        {offsetof(cb_sci_settings, header_area_size), good.header_area_size - 1},
        {offsetof(cb_sci_settings, inline_area_size), good.inline_area_size - 1},
        {offsetof(cb_sci_settings, recv_buffer_no), good.recv_buffer_no - 2},
        {offsetof(cb_sci_settings, recv_seg_size), good.recv_seg_size - 1},
        {offsetof(cb_sci_settings, recv_buffer_size), 63},
        {offsetof(cb_sci_settings, inline_area_size), 0}, /* notices of 15 do not fit */
    };

    cb_log_silence(true);
    for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++) {
        cb_settings settings = derived(RANKS);
        char *sci = (char *)&settings.nodes[1].sci;

        *(uint64_t *)(void *)(sci + parameters[i].offset) = parameters[i].value;
        ck_assert_int_eq(sci_layout_check(&settings, 1), CB_ERROR_USAGE);
        cb_settings_free(&settings);
    }
    cb_log_silence(false);
}
END_TEST

/* The credits for its own messages stand in its own headers, whatever its peers have. */
START_TEST(a_process_without_lines_has_room_for_the_credits_of_its_own_messages)
{
    cb_settings settings = derived(2);

    settings.nodes[0].sci.inline_area_size = 0;
    settings.nodes[0].sci.max_outst_buffers = 9;
    settings.nodes[1].sci.max_outst_buffers = 8;
    cb_log_silence(true);
    ck_assert_int_eq(sci_layout_check(&settings, 0), CB_ERROR_USAGE);
    cb_log_silence(false);
    settings.nodes[0].sci.max_outst_buffers = 8;
    ck_assert_int_eq(sci_layout_check(&settings, 0), CB_OK);
    cb_settings_free(&settings);
}
END_TEST

/* They end the segment, whose size need not be a whole number of lines. */
START_TEST(the_rows_about_groups_lie_behind_what_is_configured)
{
    cb_settings settings = derived(RANKS);

    settings.nodes[2].sci.recv_seg_size += 1;
    for (size_t sender = 0; sender < RANKS; sender++) {
        const size_t position = sender < 2 ? sender : sender - 1;
        sci_layout layout = sci_layout_of(&settings, 2, sender);

        if (sender == 2)
            continue;
        ck_assert_uint_eq(layout.row % CB_SCI_LINE_BYTES, 0);
        ck_assert_uint_ge(layout.row, settings.nodes[2].sci.recv_seg_size);
        ck_assert_uint_eq(layout.row + (RANKS - 1 - position) * sizeof(sci_group_row),
                          sci_layout_segment_bytes(&settings, 2));
    }
    cb_settings_free(&settings);
}
END_TEST

UNIT_MAIN("the layout of sci", what_is_derived_from_a_job_keeps_the_limits,
          the_parts_of_the_senders_lie_side_by_side, a_parameter_beyond_a_limit_is_refused,
          a_process_without_lines_has_room_for_the_credits_of_its_own_messages,
          the_rows_about_groups_lie_behind_what_is_configured)
