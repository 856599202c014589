/* A fit of Parkbench in JSON and text: with and without rates per processor, and what is
 * reported if the line is refused. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "tests/common/unit.h"

/* r_inf 100 MB/s, n_half 200 bytes. */
static const stats_parkbench good_part = {.line = {.to_bytes = 1800,
                                                   .overhead_us = 2,
                                                   .r_inf_MBps = 100,
                                                   .n_half_bytes = 200,
                                                   .rms_residual_us = 0.25},
                                          .pi0_Hz = 500000,
                                          .maximum_MBps = 90,
                                          .maximum_bytes = 1800};

static stats_parkbench refused_part(void)
{
    stats_parkbench part = good_part;

    part.line.refusal = "there is no line";
    part.pi0_Hz = (double)NAN;
    return part;
}

/* A fit in a format; the caller frees the text. */
static char *written(report_format format, bool per_processor, const stats_parkbench *part)
{
    report_document *document;
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);

    ck_assert_ptr_nonnull(stream);
    ck_assert_int_eq(report_create("comms3", "COMMS3", "a title", "mpi", &document), CB_OK);
    ck_assert_int_eq(report_direct(document, format, NULL, stream), CB_OK);
    ck_assert_int_eq(
        report_add_parkbench(document, "saturate", 5, "message_us", per_processor, part), CB_OK);
    ck_assert_int_eq(report_finish(document, NULL), CB_OK);
    report_free(document);
    fclose(stream);
    return text;
}

static json_t *fit_of(bool per_processor, const stats_parkbench *part)
{
    char *text = written(REPORT_JSON, per_processor, part);
    json_t *root = json_loads(text, 0, NULL), *fit;

    ck_assert_ptr_nonnull(root);
    fit = json_incref(json_array_get(json_object_get(root, "fit"), 0));
    ck_assert_ptr_nonnull(fit);
    json_decref(root);
    free(text);
    return fit;
}

static void assert_number(const json_t *fit, const char *key, double expected)
{
    const json_t *value = json_object_get(fit, key);

    ck_assert_msg(json_is_number(value), "%s is absent", key);
    ck_assert_double_eq_tol(json_number_value(value), expected, 1e-9 * expected);
}

static void assert_no(const json_t *fit, const char *key)
{
    ck_assert_msg(json_object_get(fit, key) == NULL, "%s is there", key);
}

START_TEST(a_fit_has_the_parameters_and_the_maximum)
{
    json_t *fit = fit_of(false, &good_part);

    ck_assert_str_eq(json_string_value(json_object_get(fit, "figure")), "message_us");
    assert_number(fit, "overhead_us", 2);
    assert_number(fit, "r_inf_MBps", 100);
    assert_number(fit, "n_half_bytes", 200);
    assert_number(fit, "pi0_Hz", 500000);
    assert_number(fit, "maximum_MBps", 90);
    assert_number(fit, "maximum_at_bytes", 1800);
    assert_no(fit, "maximum_per_processor_MBps");
    assert_no(fit, "r_inf_per_processor_MBps");
    json_decref(fit);
}
END_TEST

START_TEST(rates_per_processor_are_reported)
{
    json_t *fit = fit_of(true, &good_part);

    assert_number(fit, "r_inf_per_processor_MBps", 20);
    assert_number(fit, "maximum_per_processor_MBps", 18);
    json_decref(fit);
}
END_TEST

START_TEST(a_refused_fit_keeps_the_maximum)
{
    stats_parkbench part = refused_part();
    json_t *fit = fit_of(true, &part);

    ck_assert_str_eq(json_string_value(json_object_get(fit, "refusal")), "there is no line");
    assert_number(fit, "maximum_MBps", 90);
    assert_number(fit, "maximum_per_processor_MBps", 18);
    assert_no(fit, "r_inf_MBps");
    assert_no(fit, "pi0_Hz");
    assert_no(fit, "r_inf_per_processor_MBps");
    json_decref(fit);
}
END_TEST

START_TEST(the_text_has_a_line_for_the_maximum)
{
    char *text = written(REPORT_TEXT, true, &good_part);

    ck_assert_ptr_nonnull(strstr(text, ", n_half 200 bytes, pi0 500000 /s, rms residual"));
    ck_assert_ptr_nonnull(strstr(text, "\n    maximum 90 MB/s, at 1800 bytes, per processor 18 "
                                       "MB/s, r_inf per processor 20 MB/s\n"));
    free(text);
}
END_TEST

START_TEST(without_a_maximum_the_text_has_no_line_for_it)
{
    stats_parkbench part = refused_part();
    char *text;

    part.maximum_MBps = part.maximum_bytes = (double)NAN;
    text = written(REPORT_TEXT, true, &part);
    ck_assert_ptr_nonnull(strstr(text, "\n    none: there is no line\n"));
    ck_assert_ptr_null(strstr(text, "maximum"));
    free(text);
}
END_TEST

UNIT_MAIN("report_parkbench", a_fit_has_the_parameters_and_the_maximum,
          rates_per_processor_are_reported, a_refused_fit_keeps_the_maximum,
          the_text_has_a_line_for_the_maximum, without_a_maximum_the_text_has_no_line_for_it)
