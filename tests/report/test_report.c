/* The formats of a result. This file has the shared functions, the tests are in the files listed
 * in report.h. */
#include "tests/report/report.h"

#include <stdlib.h>
#include <string.h>

const double even_blocks[BLOCKS] = {0.31, 0.30, 0.32, 0.31, 0.33, 0.29, 0.31, 0.32};

void capture_open(capture *c, report_format format, const char *path)
{
    cb_status status =
        report_create("oneway", "1.1", "one source, one destination", "mpi", &c->document);

    ck_assert_int_eq(status, CB_OK);
    c->stream = open_memstream(&c->output, &c->length);
    ck_assert_ptr_nonnull(c->stream);
    ck_assert_int_eq(report_direct(c->document, format, path, c->stream), CB_OK);
}

void capture_close(capture *c)
{
    fclose(c->stream);
    free(c->output);
    report_free(c->document);
}

json_t *capture_json(capture *c, const char *reason)
{
    json_t *root;

    ck_assert_int_eq(report_finish(c->document, reason), CB_OK);
    root = json_loads(c->output, 0, NULL);
    ck_assert_ptr_nonnull(root);
    return root;
}

json_t *written_row(report_row *row)
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

report_row basic_row(const char *mode, double size_bytes, const char *occupation)
{
    report_row row = {.broken = false};

    report_set_text(&row, REPORT_MODE, mode);
    report_set_text(&row, REPORT_OCCUPATION, occupation);
    report_set_text(&row, REPORT_TOUCH, "all");
    report_set_text(&row, REPORT_BUFFERS, "hot");
    report_set_member_text(&row, REPORT_WAIT, "auto", "requested");
    report_set_member_text(&row, REPORT_WAIT, "spin", "effective");
    report_set_number(&row, REPORT_SIZE_BYTES, size_bytes);
    return row;
}

void set_times(report_row *row, report_column figure, const double *blocks, size_t count)
{
    double sorted[BLOCKS];
    stats_summary summary;

    memcpy(sorted, blocks, count * sizeof(*blocks));
    summary = strcmp(report_row_text(row, REPORT_OCCUPATION, ""), "none") == 0
                  ? stats_summarize(sorted, count)
                  : stats_summarize_mean(sorted, count);
    report_set_number(row, REPORT_PROCESSORS, 2);
    report_set_summary(row, figure, &summary);
    report_set_numbers(row, REPORT_BLOCKS_US, blocks, count);
    report_set_number(row, REPORT_BLOCKS, (double)count);
    report_set_number(row, REPORT_STEPS, 200000);
    report_set_number(row, REPORT_FREQUENCY_HZ, 1e6 / summary.median);
    report_set_number(row, REPORT_THROUGHPUT_MBPS,
                      report_row_number(row, REPORT_SIZE_BYTES, "") / summary.median);
    report_set_number(row, REPORT_HARNESS_US, 0.0123);
}

report_row typical_row(const char *mode, double size_bytes)
{
    report_row row = basic_row(mode, size_bytes, "none");

    set_times(&row, REPORT_LATENCY_US, even_blocks, BLOCKS);
    report_set_number(&row, REPORT_TOUCH_US, 0.004);
    return row;
}

void fill_histogram(stats_histogram *steps, unsigned samples)
{
    memset(steps, 0, sizeof(*steps));
    for (unsigned i = 0; i < samples; i++)
        stats_histogram_record(steps, 600 + i % 50 + (i % 100 == 0 ? 3000 : 0));
}

void source_path(char *path, size_t bytes, const char *name)
{
    const char *srcdir = getenv("srcdir");

    snprintf(path, bytes, "%s/%s", srcdir != NULL ? srcdir : ".", name);
}

size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (text = strstr(text, part); text != NULL; text = strstr(text + 1, part))
        count++;
    return count;
}

UNIT_MAIN_OF("report", REPORT_PARTS)
