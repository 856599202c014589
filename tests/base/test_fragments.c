/* Sizes of fragments: moments of the distributions, correlation, files, and what is refused. */
#include "base/fragments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "tests/common/unit.h"

enum { EVENTS = CB_FRAGMENT_EVENTS };

static cb_fragments parsed(const char *text, double correlation, uint64_t seed)
{
    cb_fragments fragments;
    char why[CB_WHY_BYTES] = "";

    ck_assert_msg(cb_fragments_parse(text, correlation, seed, &fragments, why), "%s: %s", text,
                  why);
    return fragments;
}

typedef struct {
    double mean, deviation;
} moments;

static moments moments_of(const cb_fragments *fragments, size_t source)
{
    double sum = 0, squares = 0;

    for (uint64_t event = 0; event < EVENTS; event++) {
        double size = (double)cb_fragments_size(fragments, event, source);

        sum += size;
        squares += size * size;
    }
    return (moments){sum / EVENTS, sqrt(squares / EVENTS - sum / EVENTS * sum / EVENTS)};
}

/* Four standard errors of the mean; 5 % of the deviation. */
static void assert_moments(const char *text, double mean, double deviation)
{
    cb_fragments fragments = parsed(text, 0.3, 7);
    moments found = moments_of(&fragments, 2);

    ck_assert_msg(fabs(found.mean - mean) <= 4 * deviation / sqrt(EVENTS) + 1e-9,
                  "%s: mean %g instead of %g", text, found.mean, mean);
    ck_assert_msg(fabs(found.deviation - deviation) <= 0.05 * deviation + 1e-9,
                  "%s: deviation %g instead of %g", text, found.deviation, deviation);
    ck_assert_msg(fabs(cb_fragments_mean(&fragments, 3) - mean) < 1e-3 * mean + 0.01,
                  "%s: stated mean %g instead of %g", text, cb_fragments_mean(&fragments, 3), mean);
}

START_TEST(distributions_have_their_moments)
{
    assert_moments("fixed:1KiB", 1024, 0);
    assert_moments("uniform:1000-3000", 2000, 2000 / sqrt(12));
    assert_moments("lognormal:4000,0.5", 4000 * exp(0.125),
                   4000 * exp(0.125) * sqrt(exp(0.25) - 1));
    assert_moments("gamma:8000,2", 8000, 8000 / sqrt(2));
    assert_moments("gamma:8000,0.5", 8000, 8000 / sqrt(0.5));
    assert_moments("gamma:8000,200", 8000, 8000 / sqrt(200));
}
END_TEST

START_TEST(uniform_sizes_reach_both_limits_and_not_beyond)
{
    cb_fragments fragments = parsed("uniform:10-13", 0, 1);
    uint64_t counts[4] = {0};

    for (uint64_t event = 0; event < EVENTS; event++) {
        uint64_t size = cb_fragments_size(&fragments, event, 0);

        UNIT_REQUIRE(size >= 10 && size <= 13, "%llu", (unsigned long long)size);
        counts[size - 10]++;
    }
    for (size_t i = 0; i < 4; i++)
        ck_assert_msg(fabs((double)counts[i] - EVENTS / 4.0) < 5 * sqrt(EVENTS / 4.0),
                      "size %zu came %llu times", 10 + i, (unsigned long long)counts[i]);
}
END_TEST

START_TEST(no_size_exceeds_the_stated_largest)
{
    static const char *const texts[] = {"uniform:1-9000", "lognormal:900,1", "gamma:900,0.3"};

    for (size_t i = 0; i < 3; i++) {
        cb_fragments fragments = parsed(texts[i], 0.5, 3);

        for (uint64_t event = 0; event < EVENTS; event++)
            UNIT_REQUIRE(cb_fragments_size(&fragments, event, 1) <=
                             cb_fragments_largest(&fragments, 2),
                         "%s, event %llu", texts[i], (unsigned long long)event);
    }
}
END_TEST

static double correlation_of(double wanted)
{
    cb_fragments fragments = parsed("uniform:0-1000000", wanted, 11);
    moments first = moments_of(&fragments, 0), second = moments_of(&fragments, 1);
    double sum = 0;

    for (uint64_t event = 0; event < EVENTS; event++)
        sum += ((double)cb_fragments_size(&fragments, event, 0) - first.mean) *
               ((double)cb_fragments_size(&fragments, event, 1) - second.mean);
    return sum / EVENTS / (first.deviation * second.deviation);
}

/* Of uniform numbers made from correlated normal ones: 6/pi asin(r/2). */
START_TEST(correlation_joins_the_sizes_of_an_event)
{
    ck_assert_double_eq_tol(correlation_of(0), 0, 0.03);
    ck_assert_double_eq_tol(correlation_of(0.5), 6 / 3.14159265 * asin(0.25), 0.03);
    ck_assert_double_eq_tol(correlation_of(1), 1, 1e-6);
}
END_TEST

START_TEST(the_seed_determines_all_sizes)
{
    cb_fragments one = parsed("gamma:1000,3", 0.4, 5), same = parsed("gamma:1000,3", 0.4, 5);
    cb_fragments other = parsed("gamma:1000,3", 0.4, 6);
    size_t different = 0;

    for (uint64_t event = 200; event-- > 0;) {
        UNIT_REQUIRE(cb_fragments_size(&one, event, 3) == cb_fragments_size(&same, event, 3),
                     "event %llu", (unsigned long long)event);
        different += cb_fragments_size(&one, event, 3) != cb_fragments_size(&other, event, 3);
    }
    ck_assert_uint_gt(different, 180);
    ck_assert_uint_eq(cb_fragments_size(&one, 9, 1),
                      cb_fragments_size(&one, 9 + cb_fragments_period(&one), 1));
}
END_TEST

START_TEST(elements_belong_to_successive_sources)
{
    cb_fragments fragments = parsed("fixed:100+fixed:200+uniform:1-2", 0, 1);

    ck_assert_uint_eq(cb_fragments_size(&fragments, 5, 0), 100);
    ck_assert_uint_eq(cb_fragments_size(&fragments, 5, 1), 200);
    ck_assert_uint_le(cb_fragments_size(&fragments, 5, 2), 2);
    ck_assert_uint_eq(cb_fragments_size(&fragments, 5, 3), 100);
    ck_assert_uint_eq(cb_fragments_largest(&fragments, 1), 100);
    ck_assert_double_eq(cb_fragments_mean(&fragments, 2), 150);
    ck_assert(!cb_fragments_is_fixed(&fragments));
}
END_TEST

START_TEST(malformed_specifications_are_refused)
{
    static const char *const texts[] = {"",
                                        "1KiB",
                                        "fixed",
                                        "fixed:",
                                        "fixed:-1",
                                        "fixed:2GiB",
                                        "uniform:5",
                                        "uniform:9-3",
                                        "uniform:1-x",
                                        "lognormal:1KiB",
                                        "gauss:1,2",
                                        "lognormal:0,1",
                                        "lognormal:1KiB,",
                                        "lognormal:1,-1",
                                        "lognormal:100MiB,1",
                                        "gamma:1KiB",
                                        "gamma:1KiB,0",
                                        "gamma:1KiB,1e9",
                                        "file:",
                                        "fixed:1+",
                                        "fixed:1+file:a"};
    cb_fragments fragments;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char why[CB_WHY_BYTES] = "";

        ck_assert_msg(!cb_fragments_parse(texts[i], 0, 1, &fragments, why), "accepted '%s'",
                      texts[i]);
        ck_assert_msg(why[0] != '\0', "no reason for '%s'", texts[i]);
    }
}
END_TEST

static cb_status read_text(const char *text, cb_fragments *out)
{
    static char specification[] = "file:fragments_XXXXXX";
    int descriptor;
    cb_status status;

    strcpy(specification, "file:fragments_XXXXXX");
    descriptor = mkstemp(specification + 5);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
    *out = parsed(specification, 0, 1);
    status = cb_fragments_read(out);
    unlink(specification + 5);
    return status;
}

START_TEST(a_file_is_replayed)
{
    cb_fragments fragments;

    ck_assert_int_eq(read_text("# sizes\n10 20\n\n30, 4KiB # busy\n", &fragments), CB_OK);
    ck_assert_uint_eq(cb_fragments_period(&fragments), 2);
    ck_assert_uint_eq(cb_fragments_sources(&fragments), 2);
    ck_assert_uint_eq(cb_fragments_size(&fragments, 0, 1), 20);
    ck_assert_uint_eq(cb_fragments_size(&fragments, 3, 0), 30);
    ck_assert_uint_eq(cb_fragments_largest(&fragments, 2), 4096);
    ck_assert_uint_eq(cb_fragments_largest(&fragments, 1), 30);
    ck_assert_double_eq(cb_fragments_mean(&fragments, 1), 20);
    cb_fragments_free(&fragments);
}
END_TEST

START_TEST(a_file_with_one_column_serves_any_number_of_sources)
{
    cb_fragments fragments;

    ck_assert_int_eq(read_text("10\n20\n60\n", &fragments), CB_OK);
    ck_assert_uint_eq(cb_fragments_sources(&fragments), SIZE_MAX);
    ck_assert_uint_eq(cb_fragments_size(&fragments, 4, 99), 20);
    ck_assert_double_eq(cb_fragments_mean(&fragments, 7), 30);
    cb_fragments_free(&fragments);
}
END_TEST

START_TEST(errors_of_a_file_name_the_line)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"10\n20 30\n", "line 2: 2 sizes, but the lines before have 1"},
        {"# a\n10\n\nten\n", "line 4: 'ten'"},
        {"10\n-3\n", "line 2: '-3'"},
        {"10\n2GiB\n", "line 2: '2GiB'"},
        {"# nothing\n", "has no sizes"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cb_fragments fragments;

        ck_assert_int_eq(read_text(cases[i].text, &fragments), CB_ERROR_USAGE);
        ck_assert_msg(strstr(cb_last_error(), cases[i].message) != NULL, "'%s' is not in '%s'",
                      cases[i].message, cb_last_error());
        ck_assert_ptr_null(fragments.table);
    }
}
END_TEST

START_TEST(a_missing_file_is_named)
{
    cb_fragments fragments = parsed("file:no/such/sizes", 0, 1);

    ck_assert_int_eq(cb_fragments_read(&fragments), CB_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(cb_last_error(), "no/such/sizes"));
}
END_TEST

UNIT_MAIN("fragments", distributions_have_their_moments,
          uniform_sizes_reach_both_limits_and_not_beyond, no_size_exceeds_the_stated_largest,
          correlation_joins_the_sizes_of_an_event, the_seed_determines_all_sizes,
          elements_belong_to_successive_sources, malformed_specifications_are_refused,
          a_file_is_replayed, a_file_with_one_column_serves_any_number_of_sources,
          errors_of_a_file_name_the_line, a_missing_file_is_named)
