/* Whole documents: their three formats equal golden files, on a stream and in a file. */
#include "tests/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void add(report_document *document, report_row *row, const char *stopped_by,
                bool oversubscribed)
{
    report_set_text(row, REPORT_STOPPED_BY, stopped_by);
    report_set_flag(row, REPORT_OVERSUBSCRIBED, oversubscribed);
    ck_assert_int_eq(report_add(document, row), CB_OK);
}

static void add_pingpong(report_document *document)
{
    static const double slow_blocks[] = {12.5, 12.25, 12.75};
    static stats_histogram many, few;
    report_row row = typical_row("pingpong", 0);

    fill_histogram(&many, 20000);
    fill_histogram(&few, 200);
    report_set_distribution(&row, REPORT_STEP_US, &many, 2);
    add(document, &row, "precision", false);
    row = typical_row("pingpong", 64);
    report_set_distribution(&row, REPORT_STEP_US, &few, 2);
    add(document, &row, "max-time", false);
    row = basic_row("pingpong", 1024, "none");
    set_times(&row, REPORT_LATENCY_US, slow_blocks, 3);
    add(document, &row, "max-time", true);
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
    report_row row = typical_row("stream", 64);

    report_set_number(&row, REPORT_SKEW_US, 0.2);
    report_set_number(&row, REPORT_SHORTFALL_PCT, 0);
    report_set_member(&row, REPORT_VERIFY, 1000, "messages");
    report_set_member(&row, REPORT_VERIFY, 2, "lost");
    report_set_member(&row, REPORT_VERIFY, 0, "doubled");
    report_set_member(&row, REPORT_VERIFY, 1, "reordered");
    report_set_member(&row, REPORT_VERIFY, 0, "corrupted");
    add(document, &row, "precision", false);
}

/* With computing tasks; in the second row that of the destination did too little for a figure. */
static void add_occupied(report_document *document)
{
    for (int i = 0; i < 2; i++) {
        report_row row = basic_row("stream", i == 0 ? 64 : 256, "both");

        set_times(&row, REPORT_LATENCY_US, even_blocks, BLOCKS);
        report_set_number(&row, REPORT_TOUCH_US, 0.004);
        report_set_number(&row, REPORT_SLOWDOWN_COMMUNICATION, 6.25);
        report_set_member(&row, REPORT_SLOWDOWN_COMPUTING, 1.25, "source");
        report_set_member(&row, REPORT_SLOWDOWN_COMPUTING, i == 0 ? 2 : 125, "destination");
        if (i == 1)
            report_set_member_flag(&row, REPORT_SLOWDOWN_COMPUTING_AT_LEAST, true, "destination");
        report_set_member(&row, REPORT_COMPUTING_LEFT_PCT, 80, "source");
        report_set_member(&row, REPORT_COMPUTING_LEFT_PCT, i == 0 ? 50 : 0.8, "destination");
        report_set_member(&row, REPORT_COMPUTING_ALONE_PCT, 99.5, "source");
        report_set_member(&row, REPORT_COMPUTING_ALONE_PCT, 98, "destination");
        add(document, &row, NULL, false);
    }
}

static void set_accounts(report_row *row)
{
    static const struct {
        report_column column;
        double value;
    } accounts[] = {{REPORT_DUE, 3003},     {REPORT_NOT_ISSUED, 0}, {REPORT_ISSUED, 3003},
                    {REPORT_DECIDED, 3000}, {REPORT_LOST, 3},       {REPORT_IN_FLIGHT, 0},
                    {REPORT_ERRORS, 1}};

    for (size_t i = 0; i < sizeof(accounts) / sizeof(accounts[0]); i++)
        report_set_number(row, accounts[i].column, accounts[i].value);
}

/* An open loop of a farm; its third destination is slow. */
static report_row row_of_farm(double offered_hz)
{
    static stats_histogram latencies[4];
    report_row row = basic_row("open", 64, "none");

    memset(latencies, 0, sizeof(latencies));
    for (size_t i = 0; i < 3; i++) {
        fill_histogram(&latencies[i], i == 2 ? 100 : 1000);
        for (unsigned k = 0; i == 2 && k < 900; k++)
            stats_histogram_record(&latencies[i], 5000);
        stats_histogram_merge(&latencies[3], &latencies[i]);
        report_set_member(&row, REPORT_PER_DESTINATION, 2 + (double)i, "%zu.rank", i);
        report_set_member(&row, REPORT_PER_DESTINATION, 1000, "%zu.decided", i);
        report_set_member(&row, REPORT_PER_DESTINATION, (double)i, "%zu.lost", i);
        report_set_member(&row, REPORT_PER_DESTINATION, 2.5, "%zu.in_flight_mean", i);
        report_set_member(&row, REPORT_PER_DESTINATION, 7, "%zu.in_flight_most", i);
        report_set_member_percentiles(&row, REPORT_PER_DESTINATION, &latencies[i], "%zu.latency_us",
                                      i);
    }
    report_set_distribution(&row, REPORT_EVENT_LATENCY_US, &latencies[3], 1);
    report_set_text(&row, REPORT_ARRIVALS, "poisson");
    report_set_number(&row, REPORT_PROCESSORS, 5);
    report_set_number(&row, REPORT_SOURCES, 1);
    report_set_number(&row, REPORT_DESTINATIONS, 3);
    report_set_number(&row, REPORT_ALGORITHM_US, 50);
    report_set_number(&row, REPORT_ALGORITHM_TRUE_US, 51.25);
    report_set_number(&row, REPORT_IN_FLIGHT_LIMIT, 12);
    report_set_number(&row, REPORT_OFFERED_HZ, offered_hz);
    report_set_number(&row, REPORT_FREQUENCY_HZ, 1e6 / 0.31);
    report_set_number(&row, REPORT_THROUGHPUT_MBPS, 64 / 0.31);
    report_set_number(&row, REPORT_TOUCH_US, 0.004);
    set_accounts(&row);
    return row;
}

static void add_farm(report_document *document)
{
    report_row row = row_of_farm(50000);

    report_set_flag(&row, REPORT_SATURATED, false);
    report_set_number(&row, REPORT_GENERATOR_ERROR_PCT, 2);
    report_set_member(&row, REPORT_FOUND_HZ, 50000, "value");
    report_set_member(&row, REPORT_FOUND_HZ, 48000, "interval.0");
    report_set_member(&row, REPORT_FOUND_HZ, 55000, "interval.1");
    report_set_member(&row, REPORT_FOUND_HZ, 4, "held");
    report_set_member(&row, REPORT_FOUND_HZ, 5, "repeats");
    add(document, &row, NULL, false);
    row = row_of_farm(60000);
    report_set_flag(&row, REPORT_SATURATED, true);
    report_set_text(&row, REPORT_LIMITED_BY, "supervisor");
    add(document, &row, NULL, false);
}

static const cb_counter counter_rows[] = {
    {.key = "lost", .unit = "messages", .heading = "given up"},
    {.key = "late", .unit = "messages"},
    {.key = "doubled", .unit = "messages"},
    {.key = "reordered", .unit = "messages"},
    {.key = "overrun", .unit = "datagrams"},
    {.key = "foreign", .unit = "datagrams"},
    {.key = "unsent", .unit = "datagrams"},
    {.key = "sent", .unit = "datagrams"},
    {.key = "received", .unit = "datagrams"},
};

static const cb_counter_set counters = {.group = "datagrams", .rows = counter_rows, .count = 9};

static void set_counters(report_row *row)
{
    const cb_counts counts = {.set = &counters, .values = {9, 2, 3, 4, 5, 6, 1, 1000, 990}};

    report_set_counters(row, &counts);
}

/* Members that the other rows lack. */
static void add_rest(report_document *document)
{
    static const double shares[] = {0.5, 0.3, 0.2};
    report_row row = basic_row("event", 1048576, "none");

    set_times(&row, REPORT_ROUND_US, even_blocks, BLOCKS);
    report_set_number(&row, REPORT_TOUCH_US, 0.004);
    report_set_text(&row, REPORT_TOPOLOGY, "4-2-1");
    report_set_text(&row, REPORT_LIST, "rotate");
    report_set_text(&row, REPORT_MULTICAST, "loop");
    report_set_number(&row, REPORT_PIECE_BYTES, 65536);
    report_set_number(&row, REPORT_PER_NODE_MBPS, 12.5);
    report_set_number(&row, REPORT_SCALING_EFFICIENCY, 0.875);
    report_set_number(&row, REPORT_CONGESTION_RATIO, 1.5);
    report_set_numbers(&row, REPORT_SHARES, shares, 3);
    report_set_number(&row, REPORT_GROUP_CREATE_US, 51);
    report_set_number(&row, REPORT_WINDOW, 16);
    set_counters(&row);
    add(document, &row, "precision", false);
}

/* The document of the golden files. Every column of text and CSV occurs in one of its rows. */
static void fill_golden(report_document *document)
{
    static const cb_counter_set *const sets[] = {&counters};

    report_use_counters(sets, 1);
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

/* UPDATE_GOLDEN=1 rewrites the golden files. */
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

static void assert_golden_text(const char *text)
{
    assert_golden(text, "tests/report/golden/report.txt");
}

START_TEST(the_text_form_is_that_of_the_golden_file)
{
    capture c;

    capture_open(&c, REPORT_TEXT, NULL);
    fill_golden(c.document);
    assert_golden_text(c.output);
    capture_close(&c);
}
END_TEST

static const char *next_cell(const char *cell)
{
    return cell + strcspn(cell, ",\n") + 1;
}

/* The non-empty cells, each on its own line with its row and heading, so that a new column does
 * not change the golden file for the others. */
static void assert_golden_cells(const char *csv)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    const char *cell = strchr(csv, '\n') + 1;

    for (int row = 1; *cell != '\0'; row++)
        for (const char *head = csv; head == csv || head[-1] != '\n'; head = next_cell(head)) {
            size_t bytes = strcspn(cell, ",\n");

            if (bytes > 0)
                fprintf(stream, "%d %.*s %.*s\n", row, (int)strcspn(head, ",\n"), head, (int)bytes,
                        cell);
            cell = next_cell(cell);
        }
    fclose(stream);
    assert_golden(text, "tests/report/golden/report_cells.txt");
    free(text);
}

START_TEST(the_cells_of_the_csv_form_are_those_of_the_golden_file)
{
    capture c;

    capture_open(&c, REPORT_CSV, NULL);
    fill_golden(c.document);
    assert_golden_cells(c.output);
    capture_close(&c);
}
END_TEST

/* Replace the line with this key: the time and duration of the run are not compared. The caller
 * frees the text. */
static char *with_line(const char *text, const char *key, const char *line)
{
    const char *begin = strstr(text, key), *end;
    char *changed = NULL;

    ck_assert_ptr_nonnull(begin);
    end = strchr(begin, '\n');
    ck_assert_int_ge(asprintf(&changed, "%.*s%s%s", (int)(begin - text), text, line, end), 0);
    return changed;
}

START_TEST(the_json_form_is_that_of_the_golden_file)
{
    char *started, *text;
    capture c;

    capture_open(&c, REPORT_JSON, NULL);
    fill_golden(c.document);
    started = with_line(c.output, "\"started\"", "\"started\": \"2026-11-21T13:26:49Z\",");
    text = with_line(started, "\"elapsed_s\"", "\"elapsed_s\": 0,");
    assert_golden(text, "tests/report/golden/report.json");
    free(started);
    free(text);
    capture_close(&c);
}
END_TEST

static void assert_file_form(report_format format, void (*expect)(const char *written))
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
    expect(written);
    free(written);
    capture_close(&c);
}

START_TEST(a_csv_file_has_the_text_of_the_stream)
{
    assert_file_form(REPORT_CSV, assert_golden_cells);
}
END_TEST

START_TEST(a_text_file_keeps_the_order_of_rows_fits_and_skipped_measurements)
{
    assert_file_form(REPORT_TEXT, assert_golden_text);
}
END_TEST

UNIT_PART(report_golden, the_text_form_is_that_of_the_golden_file,
          the_cells_of_the_csv_form_are_those_of_the_golden_file,
          the_json_form_is_that_of_the_golden_file, a_csv_file_has_the_text_of_the_stream,
          a_text_file_keeps_the_order_of_rows_fits_and_skipped_measurements)
