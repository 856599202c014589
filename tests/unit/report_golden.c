/* Documents as a whole: their three forms are those of golden files, on a stream and in a file, and
 * the schema has the columns of the table. */
#include "tests/unit/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"

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

/* An open loop of a farm over two hosts; its third destination is slow. */
static void add_farm(report_document *document)
{
    static stats_histogram latencies[4];
    report_destination list[3];
    size_t ranks[2][2] = {{1, 0}, {1, 2}};
    const report_role roles[] = {
        {.name = "supervisor", .ranks = ranks[0]}, {.name = "destination", .ranks = ranks[1]}, {0}};
    report_row row = typical_row("open", 64, even_blocks, BLOCKS);

    for (size_t i = 0; i < 3; i++) {
        fill_histogram(&latencies[i], 1000);
        if (i == 2)
            for (unsigned k = 0; k < 8000; k++)
                stats_histogram_record(&latencies[i], 5000);
        stats_histogram_merge(&latencies[3], &latencies[i]);
        list[i] = (report_destination){.rank = 3 + (double)i,
                                       .decided = 1000,
                                       .lost = (double)i,
                                       .in_flight_mean = 2.5,
                                       .in_flight_most = 7,
                                       .latency = &latencies[i]};
    }
    row.latency_us.count = 0;
    row.blocks_us = NULL;
    row.block_count = 0;
    row.step_count = row.harness_us = REPORT_ABSENT;
    row.stopped_by = NULL;
    row.roles = roles;
    row.role_count = 3;
    row.host_count = 2;
    row.arrivals = "poisson";
    row.sources = 1;
    row.destinations = 3;
    row.algorithm_us = 50;
    row.algorithm_true_us = 51.25;
    row.in_flight_limit = 12;
    row.offered_Hz = 50000;
    row.event_latency = &latencies[3];
    row.saturated = REPORT_NO;
    row.generator_error_pct = 2;
    row.found = (report_found){
        .value_Hz = 50000, .low_Hz = 48000, .high_Hz = 55000, .held = 4, .repeats = 5};
    row.per_destination = list;
    row.destination_count = 3;
    row.due = row.issued = 3003;
    row.not_issued = 0;
    row.decided = 3000;
    row.lost = 3;
    row.in_flight = 0;
    row.errors = 1;
    ck_assert_int_eq(report_add(document, &row), CB_OK);
    row.found.repeats = 0;
    row.offered_Hz = 60000;
    row.saturated = REPORT_YES;
    row.limited_by = "supervisor";
    row.generator_error_pct = REPORT_ABSENT;
    ck_assert_int_eq(report_add(document, &row), CB_OK);
}

/* What the other rows lack. */
static void add_rest(report_document *document)
{
    static const double shares[] = {0.5, 0.3, 0.2};
    report_row row = typical_row("event", 1048576, even_blocks, BLOCKS);

    row.round_us = row.latency_us;
    row.latency_us.count = 0;
    row.topology = "4-2-1";
    row.list = "rotate";
    row.multicast = "loop";
    row.piece_bytes = 65536;
    row.per_node_MBps = 12.5;
    row.scaling_efficiency = 0.875;
    row.congestion_ratio = 1.5;
    row.shares = shares;
    row.share_count = 3;
    row.group_create_us = 51;
    row.window = 16;
    row.datagrams = (report_datagrams){.sent = 1000,
                                       .received = 990,
                                       .unsent = 1,
                                       .lost = 9,
                                       .late = 2,
                                       .doubled = 3,
                                       .reordered = 4,
                                       .overrun = 5,
                                       .foreign = 6,
                                       .done = true};
    ck_assert_int_eq(report_add(document, &row), CB_OK);
}

/* The document of the golden files. Every column is in one of its rows. */
static void fill_golden(report_document *document)
{
    put_environment(document);
    add_pingpong(document);
    add_fits(document);
    add_stream(document);
    add_occupied(document);
    add_farm(document);
    add_rest(document);
    ck_assert_int_eq(report_skip(document, "mode round", "the technology cannot do it"), CB_OK);
    ck_assert_int_eq(report_finish(document, NULL), CB_OK);
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

/* UPDATE_GOLDEN=1 writes the golden files anew. */
static void assert_golden(const char *output, const char *name)
{
    char path[4096], *golden;

    source_path(path, sizeof(path), name);
    if (getenv("UPDATE_GOLDEN") != NULL) {
        FILE *stream = fopen(path, "w");

        ck_assert_msg(stream != NULL, "cannot write %s", path);
        fputs(output, stream);
        fclose(stream);
    }
    golden = read_all(path);
    ck_assert_msg(strcmp(output, golden) == 0, "differs from %s:\n%s", path, output);
    free(golden);
}

static void forget_times(json_t *root)
{
    json_object_del(root, "started");
    json_object_del(root, "elapsed_s");
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
    json_t *golden, *root;

    capture_open(&c, REPORT_JSON, NULL);
    fill_golden(c.document);
    if (getenv("UPDATE_GOLDEN") != NULL)
        assert_golden(c.output, "tests/unit/golden/report.json");
    golden = load_json("tests/unit/golden/report.json");
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

UNIT_PART(report_golden, the_text_form_is_that_of_the_golden_file,
          the_csv_form_is_that_of_the_golden_file,
          the_json_form_is_that_of_the_golden_file_but_for_its_times,
          a_file_in_csv_form_is_as_the_stream,
          a_file_in_text_form_keeps_the_order_of_rows_fits_and_skips,
          the_schema_has_the_columns_of_the_table_and_no_others)
