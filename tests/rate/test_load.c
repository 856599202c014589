/* Lists of offered rates and shares, and names of quantiles. */
#include "rate/load.h"

#include <stdio.h>

#include "tests/common/messages.h"

static rate_load_point points[RATE_LOAD_POINTS];

static size_t parsed(const char *text)
{
    size_t count;

    ck_assert_msg(rate_load_parse(text, points, &count) == CB_OK, "'%s' was refused", text);
    return count;
}

static void assert_point(size_t index, double rate_hz, double share)
{
    ck_assert_double_eq_tol(points[index].rate_hz, rate_hz, 1e-9 * rate_hz + 1e-12);
    ck_assert_double_eq_tol(points[index].share, share, 1e-12);
}

static void assert_refused(const char *text, const char *part)
{
    size_t count;
    int messages = messages_capture();

    ck_assert_msg(rate_load_parse(text, points, &count) == CB_ERROR_USAGE, "'%s' was taken", text);
    messages_expect(messages, part);
}

START_TEST(rates_have_units_and_keep_their_order)
{
    ck_assert_uint_eq(parsed("10kHz,500,2MHz,0.5Hz"), 4);
    assert_point(0, 10000, 0);
    assert_point(1, 500, 0);
    assert_point(2, 2e6, 0);
    assert_point(3, 0.5, 0);
}
END_TEST

START_TEST(percentages_are_shares)
{
    ck_assert_uint_eq(parsed("50%,110%,0.01%,1000%"), 4);
    assert_point(0, 0, 0.5);
    assert_point(1, 0, 1.1);
    assert_point(2, 0, 1e-4);
    assert_point(3, 0, 10);
}
END_TEST

START_TEST(rates_and_shares_mix)
{
    ck_assert_uint_eq(parsed("50,50%"), 2);
    assert_point(0, 50, 0);
    assert_point(1, 0, 0.5);
}
END_TEST

START_TEST(an_invalid_list_of_loads_is_refused)
{
    static const char *const texts[] = {
        "",     ",",    "10kHz,", ",10kHz", "10kHz,,50%", "%",     "fast",
        "50 %", "50%%", "-1kHz",  "1e30",   "0",          "0%",    "1001%",
        "2GHz", "10s",  "nan",    "inf",    "10kHz 5",    "50%Hz", "auto,50%"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_refused(texts[i], "give rates such as 10kHz");
}
END_TEST

START_TEST(the_message_quotes_the_list_and_names_the_mistake)
{
    assert_refused("10kHz,1001%", "'10kHz,1001%'");
    assert_refused("10kHz,1001%", "1001");
}
END_TEST

START_TEST(a_repeated_element_is_refused)
{
    assert_refused("10kHz,50%,10kHz", "repeated");
    assert_refused("10kHz,10000", "repeated");
    assert_refused("50%,50.0%", "repeated");
}
END_TEST

START_TEST(elements_beyond_the_capacity_are_refused)
{
    char text[8 * (RATE_LOAD_POINTS + 1)];
    size_t used = 0;

    for (size_t i = 0; i < RATE_LOAD_POINTS; i++)
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%s%zuHz", i > 0 ? "," : "", i + 1);
    ck_assert_uint_eq(parsed(text), RATE_LOAD_POINTS);
    assert_point(RATE_LOAD_POINTS - 1, RATE_LOAD_POINTS, 0);
    snprintf(text + used, sizeof(text) - used, ",100Hz");
    assert_refused(text, "more than 64");
}
END_TEST

START_TEST(an_element_longer_than_any_rate_is_refused)
{
    char text[130];

    memset(text, '1', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_refused(text, "too long");
}
END_TEST

START_TEST(quantiles_are_found_by_name)
{
    ck_assert_double_eq(rate_quantile("p50"), 0.5);
    ck_assert_double_eq(rate_quantile("p90"), 0.9);
    ck_assert_double_eq(rate_quantile("p99"), 0.99);
    ck_assert_double_eq(rate_quantile("p99.9"), 0.999);
    ck_assert_double_eq(rate_quantile("p75"), 0);
}
END_TEST

UNIT_MAIN("load", rates_have_units_and_keep_their_order, percentages_are_shares,
          rates_and_shares_mix, an_invalid_list_of_loads_is_refused,
          the_message_quotes_the_list_and_names_the_mistake, a_repeated_element_is_refused,
          elements_beyond_the_capacity_are_refused, an_element_longer_than_any_rate_is_refused,
          quantiles_are_found_by_name)
