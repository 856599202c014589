/* Rows as lines of text and CSV: streaming, blocks, widths, quotes. */
#include "tests/report/report.h"

#include <string.h>

enum { LINE_COLUMNS = 110 };

/* Parameters of other technologies do not belong to it. */
START_TEST(the_text_form_has_the_settings_of_the_technology)
{
    static const cb_parameter rows[] = {
        {.name = "max_outst_buffers"},
        {.name = "recv_seg_size", .kind = CB_PARAMETER_SIZE},
        {.name = "header_area_size", .kind = CB_PARAMETER_SIZE},
        {.name = "use_send_pool", .kind = CB_PARAMETER_FLAG},
    };
    static const cb_parameter_set parameters = {.rows = rows, .count = 4};
    capture c = {0};

    ck_assert_int_eq(report_create("oneway", "1.1", "title", "sci", &c.document), CB_OK);
    report_use_parameters(c.document, &parameters);
    c.stream = open_memstream(&c.output, &c.length);
    ck_assert_int_eq(report_direct(c.document, REPORT_TEXT, NULL, c.stream), CB_OK);
    report_put_text(c.document, "files", "environment.technology_settings.made_from");
    report_put_number(c.document, 15, "environment.technology_settings.max_outst_buffers");
    report_put_number(c.document, 1048576, "environment.technology_settings.recv_seg_size");
    report_put_number(c.document, 8192, "environment.technology_settings.header_area_size");
    report_put_flag(c.document, false, "environment.technology_settings.use_send_pool");
    report_put_number(c.document, 1, "environment.technology_settings.silence_s");
    ck_assert_int_eq(report_finish(c.document, NULL), CB_OK);
    fflush(c.stream);
    ck_assert_ptr_nonnull(
        strstr(c.output, "\nsettings made from the files: max_outst_buffers 15, recv_seg_size "
                         "1048576 bytes, header_area_size 8192 bytes,\n"
                         "    use_send_pool false\n"));
    capture_close(&c);
}
END_TEST

START_TEST(an_id_equal_to_the_name_is_printed_once)
{
    capture c = {0};

    ck_assert_int_eq(report_create("ring", "ring", "title", "mpi", &c.document), CB_OK);
    c.stream = open_memstream(&c.output, &c.length);
    ck_assert_int_eq(report_direct(c.document, REPORT_TEXT, NULL, c.stream), CB_OK);
    ck_assert_int_eq(report_finish(c.document, NULL), CB_OK);
    fflush(c.stream);
    ck_assert_int_eq(strncmp(c.output, "ring over mpi: title\n", 21), 0);
    capture_close(&c);
}
END_TEST

START_TEST(a_text_row_is_written_when_it_is_added)
{
    capture c;
    report_row row = typical_row("pingpong", 123456);

    capture_open(&c, REPORT_TEXT, NULL);
    ck_assert_int_eq(report_add(c.document, &row), CB_OK);
    ck_assert_ptr_nonnull(strstr(c.output, "123456"));
    capture_close(&c);
}
END_TEST

START_TEST(a_csv_row_is_written_when_it_is_added)
{
    capture c;
    report_row row = typical_row("pingpong", 123456);

    capture_open(&c, REPORT_CSV, NULL);
    ck_assert_int_eq(report_add(c.document, &row), CB_OK);
    ck_assert_ptr_nonnull(strstr(c.output, "\n123456,"));
    capture_close(&c);
}
END_TEST

START_TEST(a_csv_stream_has_one_header_line)
{
    capture c;
    report_row row = {.broken = false};

    capture_open(&c, REPORT_CSV, NULL);
    report_add(c.document, &row);
    report_add(c.document, &row);
    report_finish(c.document, NULL);
    ck_assert_uint_eq(count_of(c.output, ",oversubscribed,"), 1);
    capture_close(&c);
}
END_TEST

START_TEST(csv_quotes_special_characters)
{
    capture c;
    report_row row = {.broken = false};

    capture_open(&c, REPORT_CSV, NULL);
    report_set_text(&row, REPORT_MODE, "a,\"b\"");
    report_add(c.document, &row);
    ck_assert_ptr_nonnull(strstr(c.output, ",\"a,\"\"b\"\"\","));
    capture_close(&c);
}
END_TEST

START_TEST(a_row_with_all_columns_fits_the_line)
{
    static const double shares[] = {0.5, 0.5};
    static const report_column numbers[] = {REPORT_SKEW_US,          REPORT_GROUP_CREATE_US,
                                            REPORT_PER_NODE_MBPS,    REPORT_SHORTFALL_PCT,
                                            REPORT_CONGESTION_RATIO, REPORT_SCALING_EFFICIENCY};
    static stats_histogram steps;
    double blocks[] = {1, 2, 3, 4, 5, 6, 7, 8};
    stats_summary round_us = stats_summarize(blocks, BLOCKS);
    capture c;
    report_row row = typical_row("free", 1048576);

    capture_open(&c, REPORT_TEXT, NULL);
    fill_histogram(&steps, 20000);
    report_set_distribution(&row, REPORT_STEP_US, &steps, 1);
    report_set_number(&row, REPORT_SOURCES, 16);
    report_set_number(&row, REPORT_DESTINATIONS, 16);
    report_set_summary(&row, REPORT_ROUND_US, &round_us);
    report_set_numbers(&row, REPORT_SHARES, shares, 2);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        report_set_number(&row, numbers[i], 1.5);
    report_set_member(&row, REPORT_VERIFY, 0, "messages");
    report_set_flag(&row, REPORT_OVERSUBSCRIBED, true);
    report_set_text(&row, REPORT_STOPPED_BY, "max-time");
    report_add(c.document, &row);
    for (char *line = strtok(c.output, "\n"); line != NULL; line = strtok(NULL, "\n"))
        ck_assert_msg(strlen(line) <= LINE_COLUMNS, "%zu columns: %s", strlen(line), line);
    capture_close(&c);
}
END_TEST

START_TEST(rows_with_equal_title_and_columns_share_a_block)
{
    capture c;
    report_row row = typical_row("pingpong", 64);

    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    row = basic_row("pingpong", 64, "none");
    set_times(&row, REPORT_LATENCY_US, even_blocks, BLOCKS);
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "mode pingpong"), 1);
    capture_close(&c);
}
END_TEST

START_TEST(a_figure_wider_than_its_column_stays_separated)
{
    capture c;
    report_row row = typical_row("free", 64);

    capture_open(&c, REPORT_TEXT, NULL);
    report_set_number(&row, REPORT_SHORTFALL_PCT, -123456789);
    report_add(c.document, &row);
    ck_assert_ptr_nonnull(strstr(c.output, " -123456789"));
    capture_close(&c);
}
END_TEST

START_TEST(a_figure_without_a_column_starts_a_block)
{
    capture c;
    report_row row = typical_row("pingpong", 64);

    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    row = typical_row("pingpong", 64);
    report_set_number(&row, REPORT_GROUP_CREATE_US, 77.7);
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "mode pingpong"), 2);
    ck_assert_ptr_nonnull(strstr(c.output, "77.7"));
    capture_close(&c);
}
END_TEST

START_TEST(formats_are_found_by_name)
{
    report_format format = REPORT_TEXT;

    ck_assert(report_format_named("csv", &format));
    ck_assert_int_eq(format, REPORT_CSV);
    ck_assert(!report_format_named("xml", &format));
}
END_TEST

UNIT_PART(report_lines, an_id_equal_to_the_name_is_printed_once,
          the_text_form_has_the_settings_of_the_technology, a_text_row_is_written_when_it_is_added,
          a_csv_row_is_written_when_it_is_added, a_csv_stream_has_one_header_line,
          csv_quotes_special_characters, a_row_with_all_columns_fits_the_line,
          rows_with_equal_title_and_columns_share_a_block,
          a_figure_wider_than_its_column_stays_separated, a_figure_without_a_column_starts_a_block,
          formats_are_found_by_name)
