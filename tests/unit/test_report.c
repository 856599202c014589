/* The forms of a result: golden text, CSV and JSON, what is left out, and how rows stream. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "report/columns.h"
#include "report/report.h"
#include "tests/unit/unit.h"

enum { BLOCKS = 8, LINE_COLUMNS = 110 };

static const double even_blocks[BLOCKS] = {0.31, 0.30, 0.32, 0.31, 0.33, 0.29, 0.31, 0.32};

typedef struct {
    report_document *document;
    FILE *stream;
    char *output;
    size_t length;
} capture;

/* The stream keeps pointers into `c`, which therefore must stay where it is. */
static void capture_open(capture *c, report_format format, const char *path)
{
    cb_status status =
        report_create("oneway", "1.1", "one source, one destination", "mpi", &c->document);

    ck_assert_int_eq(status, CB_OK);
    c->stream = open_memstream(&c->output, &c->length);
    ck_assert_ptr_nonnull(c->stream);
    ck_assert_int_eq(report_direct(c->document, format, path, c->stream), CB_OK);
}

static void capture_close(capture *c)
{
    fclose(c->stream);
    free(c->output);
    report_free(c->document);
}

/* The finished document as readers see it. */
static json_t *capture_json(capture *c, const char *reason)
{
    json_t *root;

    ck_assert_int_eq(report_finish(c->document, reason), CB_OK);
    root = json_loads(c->output, 0, NULL);
    ck_assert_ptr_nonnull(root);
    return root;
}

/* The first result row of a JSON document with this one row. */
static json_t *written_row(const report_row *row)
{
    capture c;
    json_t *root, *result;

    capture_open(&c, REPORT_JSON, NULL);
    ck_assert_int_eq(report_add(c.document, row), CB_OK);
    root = capture_json(&c, NULL);
    result = json_incref(json_array_get(json_object_get(root, "results"), 0));
    ck_assert_ptr_nonnull(result);
    json_decref(root);
    capture_close(&c);
    return result;
}

static report_row typical_row(const char *mode, double size_bytes, const double *blocks,
                              size_t count)
{
    report_row row = report_row_initial();
    double sorted[BLOCKS];

    memcpy(sorted, blocks, count * sizeof(*blocks));
    row.mode = mode;
    row.occupation = "none";
    row.touch = "all";
    row.buffers = "hot";
    row.wait_requested = "auto";
    row.wait_effective = "spin";
    row.stopped_by = "precision";
    row.size_bytes = size_bytes;
    row.processors = 2;
    row.latency_us = stats_summarize(sorted, count);
    row.blocks_us = blocks;
    row.block_count = count;
    row.frequency_Hz = 1e6 / row.latency_us.median;
    row.throughput_MBps = size_bytes / row.latency_us.median;
    row.step_count = 200000;
    row.touch_us = 0.004;
    row.harness_us = 0.0123;
    return row;
}

static void fill_histogram(stats_histogram *steps, unsigned samples)
{
    memset(steps, 0, sizeof(*steps));
    for (unsigned i = 0; i < samples; i++)
        stats_histogram_record(steps, 600 + i % 50 + (i % 100 == 0 ? 3000 : 0));
}

static void put_environment(report_document *document)
{
    report_put_text(document, "cb_oneway", "command.%d", 0);
    report_put_text(document, "--sizes", "command.%d", 1);
    report_put_text(document, "0,64,1024", "command.%d", 2);
    report_put_number(document, 1.5, "parameters.max_time_s");
    report_put_text(document, "0.1.0", "environment.combench");
    report_put_text(document, "C11", "environment.language");
    report_put_text(document, "Open MPI v4.1.4", "environment.mpi");
    report_put_text(document, "CLOCK_MONOTONIC", "environment.clock.source");
    report_put_number(document, 1, "environment.clock.resolution_ns");
    report_put_number(document, 22.1, "environment.clock.cost_ns");
    report_put_number(document, 10, "environment.noise.quantum_us");
    report_put_number(document, 0.4, "environment.noise.stolen_pct");
    report_put_text(document, "node\xc3\xb6", "environment.hosts.%d.name", 0);
    report_put_text(document, "A processor", "environment.hosts.%d.cpu", 0);
    report_put_number(document, 2, "environment.hosts.%d.cores", 0);
    report_put_number(document, 212992, "environment.hosts.%d.tuning.[%s]", 0, "net.core.rmem_max");
    for (int rank = 0; rank < 2; rank++) {
        report_put_number(document, rank, "environment.ranks.%d.rank", rank);
        report_put_number(document, 0, "environment.ranks.%d.host", rank);
        report_put_text(document, rank == 0 ? "source" : "destination", "environment.ranks.%d.role",
                        rank);
    }
}

static void add_pingpong(report_document *document)
{
    static const double slow_blocks[] = {12.5, 12.25, 12.75};
    static stats_histogram many, few;
    report_row row = typical_row("pingpong", 0, even_blocks, BLOCKS);

    fill_histogram(&many, 20000);
    fill_histogram(&few, 200);
    row.steps = &many;
    row.step_divisor = 2;
    ck_assert_int_eq(report_add(document, &row), CB_OK);
    row = typical_row("pingpong", 64, even_blocks, BLOCKS);
    row.steps = &few;
    row.step_divisor = 2;
    row.stopped_by = "max-time";
    ck_assert_int_eq(report_add(document, &row), CB_OK);
    row = typical_row("pingpong", 1024, slow_blocks, 3);
    row.touch_us = REPORT_ABSENT;
    row.stopped_by = "max-time";
    row.oversubscribed = true;
    ck_assert_int_eq(report_add(document, &row), CB_OK);
}

static void add_fits(report_document *document)
{
    stats_segment segment = {.to_bytes = 1024,
                             .overhead_us = 0.29,
                             .r_inf_MBps = 3100,
                             .n_half_bytes = 899,
                             .rms_residual_us = 0.02};

    ck_assert_int_eq(report_add_fit(document, "pingpong", 2, "latency_us", &segment), CB_OK);
    segment.refusal = "its slope is not positive";
    ck_assert_int_eq(report_add_fit(document, "stream", 2, "latency_us", &segment), CB_OK);
}

static void add_stream(report_document *document)
{
    report_row row = typical_row("stream", 64, even_blocks, BLOCKS);

    row.skew_us = 0.2;
    row.loss_pct = 0;
    row.verification =
        (report_verification){.messages = 1000, .lost = 2, .reordered = 1, .done = true};
    ck_assert_int_eq(report_add(document, &row), CB_OK);
}

/* Beside computing tasks: of the second row the destination's did too little for a figure. */
static void add_occupied(report_document *document)
{
    report_row row = typical_row("stream", 64, even_blocks, BLOCKS);

    row.occupation = "both";
    row.stopped_by = NULL;
    row.slowdown_communication = 6.25;
    row.slowdown_computing[REPORT_SOURCE] = 1.25;
    row.slowdown_computing[REPORT_DESTINATION] = 2;
    row.computing_left_pct[REPORT_SOURCE] = 80;
    row.computing_left_pct[REPORT_DESTINATION] = 50;
    row.computing_alone_pct[REPORT_SOURCE] = 99.5;
    row.computing_alone_pct[REPORT_DESTINATION] = 98;
    ck_assert_int_eq(report_add(document, &row), CB_OK);
    row.size_bytes = 256;
    row.throughput_MBps *= 4;
    row.slowdown_computing[REPORT_DESTINATION] = 125;
    row.slowdown_computing_at_least[REPORT_DESTINATION] = true;
    row.computing_left_pct[REPORT_DESTINATION] = 0.8;
    ck_assert_int_eq(report_add(document, &row), CB_OK);
}

/* The document of the golden files. */
static void fill_golden(report_document *document)
{
    put_environment(document);
    add_pingpong(document);
    add_fits(document);
    add_stream(document);
    add_occupied(document);
    ck_assert_int_eq(report_skip(document, "mode round", "the technology cannot do it"), CB_OK);
    ck_assert_int_eq(report_finish(document, NULL), CB_OK);
}

static void source_path(char *path, size_t bytes, const char *name)
{
    const char *srcdir = getenv("srcdir");

    snprintf(path, bytes, "%s/%s", srcdir != NULL ? srcdir : ".", name);
}

static char *read_all(const char *path)
{
    FILE *stream = fopen(path, "r");
    char *text = NULL;
    size_t capacity = 0;

    ck_assert_msg(stream != NULL, "cannot read %s", path);
    if (getdelim(&text, &capacity, '\0', stream) < 0)
        ck_abort_msg("%s is empty", path);
    fclose(stream);
    return text;
}

static json_t *load_json(const char *name)
{
    char path[4096];
    json_error_t error;
    json_t *root;

    source_path(path, sizeof(path), name);
    root = json_load_file(path, 0, &error);
    ck_assert_msg(root != NULL, "%s: %s", path, error.text);
    return root;
}

static void assert_golden(const char *output, const char *name)
{
    char path[4096], *golden;

    source_path(path, sizeof(path), name);
    golden = read_all(path);
    ck_assert_msg(strcmp(output, golden) == 0, "differs from %s:\n%s", path, output);
    free(golden);
}

static void forget_times(json_t *root)
{
    json_object_del(root, "started");
    json_object_del(root, "elapsed_s");
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (text = strstr(text, part); text != NULL; text = strstr(text + 1, part))
        count++;
    return count;
}

START_TEST(the_text_form_is_that_of_the_golden_file)
{
    capture c;

    capture_open(&c, REPORT_TEXT, NULL);
    fill_golden(c.document);
    assert_golden(c.output, "tests/unit/golden/report.txt");
    capture_close(&c);
}
END_TEST

START_TEST(the_csv_form_is_that_of_the_golden_file)
{
    capture c;

    capture_open(&c, REPORT_CSV, NULL);
    fill_golden(c.document);
    assert_golden(c.output, "tests/unit/golden/report.csv");
    capture_close(&c);
}
END_TEST

START_TEST(the_json_form_is_that_of_the_golden_file_but_for_its_times)
{
    capture c;
    json_t *golden = load_json("tests/unit/golden/report.json"), *root;

    capture_open(&c, REPORT_JSON, NULL);
    fill_golden(c.document);
    root = json_loads(c.output, 0, NULL);
    forget_times(root);
    forget_times(golden);
    ck_assert_msg(json_equal(root, golden), "differs from tests/unit/golden/report.json:\n%s",
                  c.output);
    json_decref(root);
    json_decref(golden);
    capture_close(&c);
}
END_TEST

static void assert_file_form(report_format format, const char *golden)
{
    char directory[] = "/tmp/combench-report-XXXXXX", path[64], *written;
    capture c;

    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/result", directory);
    capture_open(&c, format, path);
    fill_golden(c.document);
    written = read_all(path);
    remove(path);
    remove(directory);
    assert_golden(written, golden);
    free(written);
    capture_close(&c);
}

/* Those of another technology do not belong to it. */
START_TEST(the_text_form_has_the_settings_of_the_technology)
{
    capture c = {0};

    ck_assert_int_eq(report_create("oneway", "1.1", "title", "sci", &c.document), CB_OK);
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

START_TEST(a_file_in_csv_form_is_as_the_stream)
{
    assert_file_form(REPORT_CSV, "tests/unit/golden/report.csv");
}
END_TEST

START_TEST(a_file_in_text_form_keeps_the_order_of_rows_fits_and_skips)
{
    assert_file_form(REPORT_TEXT, "tests/unit/golden/report.txt");
}
END_TEST

START_TEST(a_text_row_is_on_the_stream_when_it_is_added)
{
    capture c;
    report_row row = typical_row("pingpong", 123456, even_blocks, BLOCKS);

    capture_open(&c, REPORT_TEXT, NULL);
    ck_assert_int_eq(report_add(c.document, &row), CB_OK);
    ck_assert_ptr_nonnull(strstr(c.output, "123456"));
    capture_close(&c);
}
END_TEST

START_TEST(a_csv_row_is_on_the_stream_when_it_is_added)
{
    capture c;
    report_row row = typical_row("pingpong", 123456, even_blocks, BLOCKS);

    capture_open(&c, REPORT_CSV, NULL);
    ck_assert_int_eq(report_add(c.document, &row), CB_OK);
    ck_assert_ptr_nonnull(strstr(c.output, "\n123456,2,"));
    capture_close(&c);
}
END_TEST

START_TEST(a_csv_stream_has_one_header)
{
    capture c;
    report_row row = report_row_initial();

    capture_open(&c, REPORT_CSV, NULL);
    report_add(c.document, &row);
    report_add(c.document, &row);
    report_finish(c.document, NULL);
    ck_assert_uint_eq(count_of(c.output, "size_bytes"), 1);
    capture_close(&c);
}
END_TEST

START_TEST(csv_quotes_what_would_break_a_cell)
{
    capture c;
    report_row row = report_row_initial();

    capture_open(&c, REPORT_CSV, NULL);
    row.mode = "a,\"b\"";
    report_add(c.document, &row);
    ck_assert_ptr_nonnull(strstr(c.output, ",\"a,\"\"b\"\"\","));
    capture_close(&c);
}
END_TEST

START_TEST(a_row_without_values_has_no_keys_but_its_flag)
{
    report_row row = report_row_initial();
    json_t *result = written_row(&row);

    ck_assert_uint_eq(json_object_size(result), 1);
    ck_assert(json_is_false(json_object_get(result, "oversubscribed")));
    json_decref(result);
}
END_TEST

START_TEST(whole_numbers_are_integers)
{
    report_row row = typical_row("pingpong", 4096, even_blocks, BLOCKS);
    json_t *result = written_row(&row);

    ck_assert_int_eq(json_integer_value(json_object_get(result, "size_bytes")), 4096);
    json_decref(result);
}
END_TEST

START_TEST(reals_have_nine_digits)
{
    capture c;
    report_row row = report_row_initial();

    capture_open(&c, REPORT_JSON, NULL);
    row.touch_us = 1.0 / 3.0;
    report_add(c.document, &row);
    report_finish(c.document, NULL);
    ck_assert_ptr_nonnull(strstr(c.output, "\"touch_us\": 0.333333333}"));
    capture_close(&c);
}
END_TEST

START_TEST(fewer_than_six_values_give_no_interval)
{
    report_row row = typical_row("pingpong", 64, even_blocks, 5);
    json_t *result = written_row(&row), *latency = json_object_get(result, "latency_us");

    ck_assert_ptr_nonnull(json_object_get(latency, "median"));
    ck_assert_ptr_null(json_object_get(latency, "ci95"));
    json_decref(result);
}
END_TEST

static json_t *written_steps(const stats_histogram *steps, double divisor)
{
    report_row row = report_row_initial();
    json_t *result, *step_us;

    row.steps = steps;
    row.step_divisor = divisor;
    result = written_row(&row);
    step_us = json_incref(json_object_get(result, "step_us"));
    json_decref(result);
    return step_us;
}

START_TEST(a_percentile_needs_ten_samples_beyond_it)
{
    static const struct {
        unsigned samples;
        const char *key;
        bool there;
    } cases[] = {{19, "p50", false},     {20, "p50", true},     {99, "p90", false},
                 {100, "p90", true},     {999, "p99", false},   {1000, "p99", true},
                 {9999, "p99_9", false}, {10000, "p99_9", true}};
    static stats_histogram steps;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *written;

        fill_histogram(&steps, cases[i].samples);
        written = written_steps(&steps, 1);
        ck_assert_msg((json_object_get(written, cases[i].key) != NULL) == cases[i].there,
                      "%s with %u samples", cases[i].key, cases[i].samples);
        json_decref(written);
    }
}
END_TEST

START_TEST(the_counts_of_a_histogram_sum_to_its_samples)
{
    static stats_histogram steps;
    json_t *written, *counts, *bounds, *count;
    json_int_t sum = 0;
    size_t i;

    fill_histogram(&steps, 5000);
    written = written_steps(&steps, 2);
    counts = json_object_get(json_object_get(written, "histogram"), "counts");
    bounds = json_object_get(json_object_get(written, "histogram"), "bounds");
    json_array_foreach(counts, i, count) sum += json_integer_value(count);
    ck_assert_int_eq(sum, 5000);
    ck_assert_int_eq(json_integer_value(json_object_get(written, "samples")), 5000);
    ck_assert_uint_eq(json_array_size(bounds), json_array_size(counts) + 1);
    json_decref(written);
}
END_TEST

/* 100 and 1000 ns, halved: exact cells of 1 ns below 256 ns, then [1000, 1004) ns. */
START_TEST(empty_cells_between_two_in_use_become_one)
{
    static stats_histogram steps;
    json_t *written, *expected;

    memset(&steps, 0, sizeof(steps));
    stats_histogram_record(&steps, 100);
    stats_histogram_record(&steps, 1000);
    written = written_steps(&steps, 2);
    expected = json_pack("{s:[f,f,f,f], s:[i,i,i]}", "bounds", 0.05, 0.0505, 0.5, 0.502, "counts",
                         1, 0, 1);
    ck_assert_msg(json_equal(json_object_get(written, "histogram"), expected), "%s",
                  json_dumps(written, 0));
    json_decref(expected);
    json_decref(written);
}
END_TEST

START_TEST(steps_that_were_all_dropped_are_still_counted)
{
    static stats_histogram steps;
    json_t *written;

    memset(&steps, 0, sizeof(steps));
    steps.dropped = 3;
    written = written_steps(&steps, 1);
    ck_assert_int_eq(json_integer_value(json_object_get(written, "dropped")), 3);
    ck_assert_ptr_null(json_object_get(written, "histogram"));
    json_decref(written);
}
END_TEST

START_TEST(the_maximum_of_the_steps_is_divided_as_the_figure_is)
{
    static stats_histogram steps;
    json_t *written;

    memset(&steps, 0, sizeof(steps));
    stats_histogram_record(&steps, 5000);
    written = written_steps(&steps, 2);
    ck_assert_double_eq_tol(json_number_value(json_object_get(written, "max")), 2.5, 1e-9);
    json_decref(written);
}
END_TEST

START_TEST(shares_are_an_array_in_json_and_their_range_in_csv)
{
    static const double shares[] = {0.5, 0.3, 0.2};
    capture c;
    report_row row = report_row_initial();
    json_t *result;

    capture_open(&c, REPORT_CSV, NULL);
    row.shares = shares;
    row.share_count = 3;
    result = written_row(&row);
    ck_assert_uint_eq(json_array_size(json_object_get(result, "shares")), 3);
    json_decref(result);
    report_add(c.document, &row);
    ck_assert_ptr_nonnull(strstr(c.output, ",0.2,0.5,"));
    capture_close(&c);
}
END_TEST

/* The text as it comes back from a document. */
static void assert_written(const char *given, const char *expected)
{
    capture c;
    json_t *root;

    capture_open(&c, REPORT_JSON, NULL);
    report_put_text(c.document, given, "parameters.text");
    root = capture_json(&c, NULL);
    ck_assert_str_eq(
        json_string_value(json_object_get(json_object_get(root, "parameters"), "text")), expected);
    json_decref(root);
    capture_close(&c);
}

START_TEST(text_in_utf8_stays_as_it_is)
{
    assert_written("plain", "plain");
    assert_written("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}
END_TEST

#define REPLACED "\xef\xbf\xbd"

START_TEST(bytes_that_are_not_utf8_are_replaced)
{
    assert_written("a\xff!", "a" REPLACED "!");
    assert_written("cut\xe2\x82", "cut" REPLACED REPLACED);
    assert_written("\xc0\xaf", REPLACED REPLACED);
    assert_written("\xed\xa0\x80", REPLACED REPLACED REPLACED);
    assert_written("\xf4\x90\x80\x80", REPLACED REPLACED REPLACED REPLACED);
}
END_TEST

START_TEST(a_key_that_is_not_utf8_does_not_break_the_document)
{
    capture c;
    json_t *root;

    capture_open(&c, REPORT_JSON, NULL);
    report_put_text(c.document, "value", "environment.mpi_settings.[%s]", "b\xfftl");
    root = capture_json(&c, NULL);
    ck_assert_uint_eq(
        json_object_size(json_object_get(json_object_get(root, "environment"), "mpi_settings")), 1);
    json_decref(root);
    capture_close(&c);
}
END_TEST

START_TEST(a_key_in_brackets_keeps_its_dots)
{
    capture c;
    json_t *root, *tuning;

    capture_open(&c, REPORT_JSON, NULL);
    report_put_number(c.document, 7, "environment.tuning.[net.core.0]");
    root = capture_json(&c, NULL);
    tuning = json_object_get(json_object_get(root, "environment"), "tuning");
    ck_assert_int_eq(json_integer_value(json_object_get(tuning, "net.core.0")), 7);
    json_decref(root);
    capture_close(&c);
}
END_TEST

START_TEST(indices_may_come_in_any_order)
{
    capture c;
    json_t *root, *expected = json_pack("[s,s,s]", "a", "b", "c");

    capture_open(&c, REPORT_JSON, NULL);
    report_put_text(c.document, "c", "command.%d", 2);
    report_put_text(c.document, "a", "command.%d", 0);
    report_put_text(c.document, "b", "command.%d", 1);
    root = capture_json(&c, NULL);
    ck_assert(json_equal(json_object_get(root, "command"), expected));
    json_decref(expected);
    json_decref(root);
    capture_close(&c);
}
END_TEST

START_TEST(values_that_are_not_there_are_not_put)
{
    capture c;
    json_t *root;

    capture_open(&c, REPORT_JSON, NULL);
    report_put_text(c.document, NULL, "parameters.a");
    report_put_text(c.document, "", "parameters.b");
    report_put_number(c.document, REPORT_ABSENT, "parameters.c");
    report_put_number(c.document, (double)INFINITY, "parameters.d");
    root = capture_json(&c, NULL);
    ck_assert_uint_eq(json_object_size(json_object_get(root, "parameters")), 0);
    json_decref(root);
    capture_close(&c);
}
END_TEST

START_TEST(a_value_below_a_plain_value_makes_the_run_fail)
{
    capture c;

    capture_open(&c, REPORT_JSON, NULL);
    report_put_number(c.document, 1, "parameters.window");
    report_put_number(c.document, 2, "parameters.window.size");
    ck_assert_int_ne(report_finish(c.document, NULL), CB_OK);
    capture_close(&c);
}
END_TEST

START_TEST(a_finished_document_is_complete_and_has_no_reason)
{
    capture c;
    json_t *root;

    capture_open(&c, REPORT_JSON, NULL);
    root = capture_json(&c, NULL);
    ck_assert(json_is_true(json_object_get(root, "complete")));
    ck_assert_ptr_null(json_object_get(root, "reason"));
    json_decref(root);
    capture_close(&c);
}
END_TEST

START_TEST(an_interrupted_document_says_why)
{
    capture c;
    json_t *root;

    capture_open(&c, REPORT_JSON, NULL);
    root = capture_json(&c, "SIGTERM");
    ck_assert(json_is_false(json_object_get(root, "complete")));
    ck_assert_str_eq(json_string_value(json_object_get(root, "reason")), "SIGTERM");
    json_decref(root);
    capture_close(&c);
}
END_TEST

START_TEST(a_row_with_everything_fits_the_line)
{
    static const double shares[] = {0.5, 0.5};
    static stats_histogram steps;
    capture c;
    report_row row = typical_row("free", 1048576, even_blocks, BLOCKS);

    capture_open(&c, REPORT_TEXT, NULL);
    fill_histogram(&steps, 20000);
    row.steps = &steps;
    row.sources = row.destinations = 16;
    row.round_us = row.latency_us;
    row.shares = shares;
    row.share_count = 2;
    row.skew_us = row.group_create_us = row.per_node_MBps = row.scaling_efficiency = 1.5;
    row.congestion_ratio = row.loss_pct = 1.5;
    row.verification.done = true;
    row.oversubscribed = true;
    row.stopped_by = "max-time";
    report_add(c.document, &row);
    for (char *line = strtok(c.output, "\n"); line != NULL; line = strtok(NULL, "\n"))
        ck_assert_msg(strlen(line) <= LINE_COLUMNS, "%zu columns: %s", strlen(line), line);
    capture_close(&c);
}
END_TEST

START_TEST(rows_alike_in_title_and_columns_share_a_block)
{
    capture c;
    report_row row = typical_row("pingpong", 64, even_blocks, BLOCKS);

    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    row.touch_us = REPORT_ABSENT;
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "mode pingpong"), 1);
    capture_close(&c);
}
END_TEST

START_TEST(a_figure_longer_than_its_column_keeps_apart)
{
    capture c;
    report_row row = typical_row("free", 64, even_blocks, BLOCKS);

    capture_open(&c, REPORT_TEXT, NULL);
    row.loss_pct = -123456789;
    report_add(c.document, &row);
    ck_assert_ptr_nonnull(strstr(c.output, " -123456789"));
    capture_close(&c);
}
END_TEST

START_TEST(a_figure_without_a_column_begins_a_block)
{
    capture c;
    report_row row = typical_row("pingpong", 64, even_blocks, BLOCKS);

    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    row.group_create_us = 77.7;
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "mode pingpong"), 2);
    ck_assert_ptr_nonnull(strstr(c.output, "77.7"));
    capture_close(&c);
}
END_TEST

START_TEST(formats_are_known_by_name)
{
    report_format format = REPORT_TEXT;

    ck_assert(report_format_named("csv", &format));
    ck_assert_int_eq(format, REPORT_CSV);
    ck_assert(!report_format_named("xml", &format));
}
END_TEST

/* Farms */

START_TEST(a_rate_that_was_found_has_its_interval)
{
    report_row row = report_row_initial();
    json_t *result, *expected = json_pack("{s:i, s:[i,i], s:i, s:i}", "value", 50000, "interval",
                                          48000, 55000, "held", 4, "repeats", 5);

    row.found = (report_found){
        .value_Hz = 50000, .low_Hz = 48000, .high_Hz = 55000, .held = 4, .repeats = 5};
    result = written_row(&row);
    ck_assert(json_equal(json_object_get(result, "found_Hz"), expected));
    json_decref(expected);
    json_decref(result);
}
END_TEST

START_TEST(what_was_not_asked_for_has_no_answer)
{
    report_row row = report_row_initial();
    json_t *result = written_row(&row);

    ck_assert_ptr_null(json_object_get(result, "saturated"));
    ck_assert_ptr_null(json_object_get(result, "found_Hz"));
    ck_assert_ptr_null(json_object_get(result, "per_destination"));
    json_decref(result);
}
END_TEST

START_TEST(an_answer_is_yes_or_no)
{
    report_row row = report_row_initial();
    json_t *result;

    row.saturated = REPORT_YES;
    result = written_row(&row);
    ck_assert(json_is_true(json_object_get(result, "saturated")));
    json_decref(result);
    row.saturated = REPORT_NO;
    result = written_row(&row);
    ck_assert(json_is_false(json_object_get(result, "saturated")));
    json_decref(result);
}
END_TEST

/* Two destinations; the first recorded nothing. */
static report_row row_of_farm(const stats_histogram *latency)
{
    static const stats_histogram none;
    static report_destination list[2];
    report_row row = typical_row("open", 64, even_blocks, BLOCKS);

    list[0] = (report_destination){.rank = 3,
                                   .decided = 0,
                                   .lost = 2,
                                   .in_flight_mean = 0,
                                   .in_flight_most = 1,
                                   .latency = &none};
    list[1] = (report_destination){.rank = 4,
                                   .decided = 200,
                                   .lost = 0,
                                   .in_flight_mean = 2.5,
                                   .in_flight_most = 7,
                                   .latency = latency};
    row.per_destination = list;
    row.destination_count = 2;
    row.event_latency = latency;
    row.offered_Hz = 1000;
    row.saturated = REPORT_YES;
    row.limited_by = "farm";
    return row;
}

START_TEST(each_destination_is_an_object_without_a_histogram_of_its_own)
{
    static stats_histogram latency;
    report_row row;
    json_t *result, *list, *one;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    result = written_row(&row);
    list = json_object_get(result, "per_destination");
    ck_assert_uint_eq(json_array_size(list), 2);
    one = json_array_get(list, 1);
    ck_assert_int_eq(json_integer_value(json_object_get(one, "rank")), 4);
    ck_assert_int_eq(json_integer_value(json_object_get(one, "decided")), 200);
    ck_assert_double_eq(json_number_value(json_object_get(one, "in_flight_mean")), 2.5);
    one = json_object_get(one, "latency_us");
    ck_assert_ptr_nonnull(json_object_get(one, "p50"));
    ck_assert_ptr_null(json_object_get(one, "histogram"));
    one = json_object_get(result, "event_latency_us");
    ck_assert_ptr_nonnull(json_object_get(one, "histogram"));
    json_decref(result);
}
END_TEST

START_TEST(a_destination_without_decisions_has_no_latency)
{
    static stats_histogram latency;
    report_row row;
    json_t *result, *one;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    result = written_row(&row);
    one = json_array_get(json_object_get(result, "per_destination"), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(one, "lost")), 2);
    ck_assert_ptr_null(json_object_get(one, "latency_us"));
    json_decref(result);
}
END_TEST

/* The number in the cell under a head of CSV. */
static double csv_cell(const char *csv, const char *head)
{
    const char *line = strchr(csv, '\n') + 1, *heads = csv;
    size_t length = strlen(head);

    while (strncmp(heads, head, length) != 0 || (heads[length] != ',' && heads[length] != '\n')) {
        heads = strpbrk(heads, ",\n");
        ck_assert_msg(heads != NULL && *heads == ',', "CSV has no %s", head);
        heads++;
        line = strchr(line, ',');
        ck_assert_ptr_nonnull(line);
        line++;
    }
    return strtod(line, NULL);
}

START_TEST(csv_has_the_slowest_destination_and_the_most_in_flight)
{
    static stats_histogram latency;
    capture c;
    report_row row;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    row.found = (report_found){
        .value_Hz = 50000, .low_Hz = 48000, .high_Hz = 55000, .held = 4, .repeats = 5};
    capture_open(&c, REPORT_CSV, NULL);
    report_add(c.document, &row);
    ck_assert_double_eq_tol(csv_cell(c.output, "per_destination_slowest_p50_us"),
                            csv_cell(c.output, "event_latency_us_p50"), 1e-9);
    ck_assert_double_eq(csv_cell(c.output, "per_destination_in_flight_most"), 7);
    ck_assert_double_eq(csv_cell(c.output, "found_Hz_value"), 50000);
    ck_assert_double_eq(csv_cell(c.output, "found_Hz_low"), 48000);
    ck_assert_double_eq(csv_cell(c.output, "found_Hz_high"), 55000);
    ck_assert_double_eq(csv_cell(c.output, "found_Hz_held"), 4);
    capture_close(&c);
}
END_TEST

START_TEST(a_saturated_row_is_marked_in_the_text_and_the_mark_explained)
{
    static stats_histogram latency;
    capture c;
    report_row row;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    row.saturated = REPORT_NO;
    row.limited_by = NULL;
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "!\n"), 1);
    report_finish(c.document, NULL);
    ck_assert_ptr_nonnull(strstr(c.output, "\n! saturated"));
    capture_close(&c);
}
END_TEST

START_TEST(a_row_that_is_off_its_schedule_is_marked_and_one_that_keeps_it_is_not)
{
    static stats_histogram latency;
    capture c;
    report_row row;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    row.saturated = REPORT_NO;
    row.limited_by = NULL;
    row.generator_error_pct = 1;
    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "?\n"), 0);
    row.generator_error_pct = 1.01;
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "?\n"), 1);
    report_finish(c.document, NULL);
    ck_assert_ptr_nonnull(strstr(c.output, "\n? events were issued"));
    capture_close(&c);
}
END_TEST

/* A key that is missing on either side would be refused by every reader, or checked by none. */
START_TEST(the_schema_has_the_columns_of_the_table_and_no_others)
{
    json_t *schema = load_json("docs/combench-result-1.schema.json");
    json_t *row = json_object_get(json_object_get(schema, "$defs"), "row");
    json_t *properties = json_object_get(row, "properties");

    ck_assert(json_is_false(json_object_get(row, "additionalProperties")));
    for (size_t i = 0; i < report_column_count; i++)
        ck_assert_msg(json_object_get(properties, report_columns[i].key) != NULL,
                      "the schema lacks %s", report_columns[i].key);
    ck_assert_uint_eq(json_object_size(properties), report_column_count);
    json_decref(schema);
}
END_TEST

UNIT_MAIN("report", the_text_form_is_that_of_the_golden_file,
          the_csv_form_is_that_of_the_golden_file,
          the_json_form_is_that_of_the_golden_file_but_for_its_times,
          the_text_form_has_the_settings_of_the_technology, a_file_in_csv_form_is_as_the_stream,
          a_file_in_text_form_keeps_the_order_of_rows_fits_and_skips,
          a_text_row_is_on_the_stream_when_it_is_added, a_csv_row_is_on_the_stream_when_it_is_added,
          a_csv_stream_has_one_header, csv_quotes_what_would_break_a_cell,
          a_row_without_values_has_no_keys_but_its_flag, whole_numbers_are_integers,
          reals_have_nine_digits, fewer_than_six_values_give_no_interval,
          a_percentile_needs_ten_samples_beyond_it, the_counts_of_a_histogram_sum_to_its_samples,
          empty_cells_between_two_in_use_become_one, steps_that_were_all_dropped_are_still_counted,
          the_maximum_of_the_steps_is_divided_as_the_figure_is,
          shares_are_an_array_in_json_and_their_range_in_csv, text_in_utf8_stays_as_it_is,
          bytes_that_are_not_utf8_are_replaced, a_key_that_is_not_utf8_does_not_break_the_document,
          a_key_in_brackets_keeps_its_dots, indices_may_come_in_any_order,
          values_that_are_not_there_are_not_put, a_value_below_a_plain_value_makes_the_run_fail,
          a_finished_document_is_complete_and_has_no_reason, an_interrupted_document_says_why,
          a_row_with_everything_fits_the_line, rows_alike_in_title_and_columns_share_a_block,
          a_figure_longer_than_its_column_keeps_apart, a_figure_without_a_column_begins_a_block,
          formats_are_known_by_name, a_rate_that_was_found_has_its_interval,
          what_was_not_asked_for_has_no_answer, an_answer_is_yes_or_no,
          each_destination_is_an_object_without_a_histogram_of_its_own,
          a_destination_without_decisions_has_no_latency,
          csv_has_the_slowest_destination_and_the_most_in_flight,
          a_saturated_row_is_marked_in_the_text_and_the_mark_explained,
          a_row_that_is_off_its_schedule_is_marked_and_one_that_keeps_it_is_not,
          the_schema_has_the_columns_of_the_table_and_no_others)
