/* Numbers with units, and lists: what is accepted, and what is refused for which reason. */
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/unit.h"

static char why[CB_WHY_BYTES];

static uint64_t size_of(const char *text)
{
    uint64_t bytes = 0;

    ck_assert_msg(cb_parse_size(text, 0, UINT64_MAX, &bytes, why), "'%s': %s", text, why);
    return bytes;
}

/* The reason why `text` is refused where 0 to 100 is allowed. */
static const char *size_reason(const char *text)
{
    uint64_t bytes = 77;

    ck_assert_msg(!cb_parse_size(text, 0, 100, &bytes, why), "'%s' was taken", text);
    ck_assert_msg(bytes == 77, "'%s' was refused and left a value", text);
    return why;
}

static const char *count_reason(const char *text)
{
    uint64_t count;

    ck_assert_msg(!cb_parse_count(text, 1, 64, &count, why), "'%s' was taken", text);
    return why;
}

static double real_of(const char *text, const char *unit)
{
    double value = 0;

    ck_assert_msg(cb_parse_real(text, 0, HUGE_VAL, unit, &value, why), "'%s': %s", text, why);
    return value;
}

static const char *real_reason(const char *text, const char *unit)
{
    double value;

    ck_assert_msg(!cb_parse_real(text, 0.5, 10, unit, &value, why), "'%s' was taken", text);
    return why;
}

static void check_list(const cb_list *list, size_t count, const uint64_t *expected)
{
    ck_assert_uint_eq(list->count, count);
    ck_assert_mem_eq(list->values, expected, count * sizeof(*expected));
}

static const char *count_list_reason(const char *text)
{
    cb_list list;

    ck_assert_msg(!cb_parse_count_list(text, 0, UINT64_MAX, NULL, &list, why), "'%s' was taken",
                  text);
    return why;
}

static const char *size_list_reason(const char *text)
{
    cb_list list;

    ck_assert_msg(!cb_parse_size_list(text, 0, UINT64_MAX, &list, why), "'%s' was taken", text);
    return why;
}

START_TEST(sizes_take_powers_of_1000_and_1024)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } rows[] = {{"0", 0},
                {"64", 64},
                {"64B", 64},
                {"3kB", 3000},
                {"3MB", 3000000},
                {"3GB", 3000000000u},
                {"3KiB", 3 * 1024},
                {"3MiB", 3 << 20},
                {"3GiB", UINT64_C(3) << 30},
                {"007", 7},
                {"18446744073709551615", UINT64_MAX}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        ck_assert_uint_eq(size_of(rows[i].text), rows[i].bytes);
}
END_TEST

START_TEST(a_size_with_an_unknown_unit_is_reported_with_the_known_ones)
{
    ck_assert_str_eq(size_reason("4KX"), "unknown unit 'KX'; use B, kB, MB, GB, KiB, MiB or GiB");
}
END_TEST

START_TEST(units_are_case_sensitive_and_follow_without_a_blank)
{
    static const char *const texts[] = {"1KB", "1kb", "1K", "1kib", "1 kB", "1kB ", "1kBB", "1b"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_ptr_nonnull(strstr(size_reason(texts[i]), "unknown unit"));
}
END_TEST

START_TEST(a_fractional_size_is_refused)
{
    static const char *const texts[] = {"x", "kB", "+1", " 1", "nan", "inf", "1.5kB", ".5", "\n"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_str_eq(size_reason(texts[i]), "not a whole number; use 0 to 100");
}
END_TEST

START_TEST(an_empty_size_is_refused)
{
    ck_assert_ptr_nonnull(strstr(size_reason(""), "empty; use"));
}
END_TEST

START_TEST(a_negative_size_is_refused)
{
    ck_assert_ptr_nonnull(strstr(size_reason("-1"), "negative; use"));
}
END_TEST

START_TEST(sizes_that_do_not_fit_64_bits_are_too_large)
{
    static const char *const texts[] = {"18446744073709551616", "99999999999999999999999999999",
                                        "18446744073709551615kB", "17179869184GiB"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_ptr_nonnull(strstr(size_reason(texts[i]), "too large; use"));
}
END_TEST

START_TEST(the_range_of_a_size_is_printed_with_units)
{
    uint64_t bytes;

    ck_assert(!cb_parse_size("5GiB", 1024, UINT64_C(4) << 30, &bytes, why));
    ck_assert_str_eq(why, "too large; use 1KiB to 4GiB");
}
END_TEST

START_TEST(the_limits_of_a_count_are_included)
{
    uint64_t count;

    ck_assert(cb_parse_count("1", 1, 64, &count, why));
    ck_assert(cb_parse_count("64", 1, 64, &count, why));
    ck_assert_str_eq(count_reason("0"), "too small; use 1 to 64");
    ck_assert_str_eq(count_reason("65"), "too large; use 1 to 64");
}
END_TEST

START_TEST(a_count_with_a_unit_is_refused)
{
    ck_assert_str_eq(count_reason("5kB"), "not a whole number; use 1 to 64");
    ck_assert_str_eq(count_reason("5B"), "not a whole number; use 1 to 64");
}
END_TEST

START_TEST(a_count_without_upper_limit_names_the_lower_one)
{
    uint64_t count;

    ck_assert(!cb_parse_count("1", 2, UINT64_MAX, &count, why));
    ck_assert_str_eq(why, "too small; use 2 or more");
}
END_TEST

START_TEST(reals_are_converted_to_the_base_unit)
{
    ck_assert_double_eq(real_of("1.5", "s"), 1.5);
    ck_assert_double_eq(real_of("1.5s", "s"), 1.5);
    ck_assert_double_eq(real_of("250us", "s"), 250e-6);
    ck_assert_double_eq(real_of("1.1ms", "s"), 1.1e-3);
    ck_assert_double_eq(real_of("100kHz", "Hz"), 100e3);
    ck_assert_double_eq(real_of("2.5kbit", "bit/s"), 2500);
    ck_assert_double_eq(real_of("100mbit", "bit/s"), 100e6);
    ck_assert_double_eq(real_of("100Mbit", "bit/s"), 100e6);
    ck_assert_double_eq(real_of("1gbit", "bit/s"), 1e9);
    ck_assert_double_eq(real_of("2.5MHz", "Hz"), 2.5e6);
    ck_assert_double_eq(real_of("2%", "%"), 2);
    ck_assert_double_eq(real_of("1e3", NULL), 1000);
    ck_assert_double_eq(real_of("1E-3s", "s"), 1e-3);
    ck_assert_double_eq(real_of(".5", NULL), 0.5);
    ck_assert_double_eq(real_of("5.", NULL), 5);
}
END_TEST

START_TEST(a_unit_of_another_quantity_is_unknown)
{
    ck_assert_str_eq(real_reason("1Hz", "s"), "unknown unit 'Hz'; use s, ms, us or ns");
    ck_assert_str_eq(real_reason("1s", "%"), "unknown unit 's'; use %");
}
END_TEST

START_TEST(a_time_accepts_every_unit_of_time)
{
    ck_assert_double_eq(real_of("250ns", "us"), 0.25);
    ck_assert_double_eq(real_of("10", "us"), 10);
    ck_assert_double_eq(real_of("10us", "us"), 10);
    ck_assert_double_eq(real_of("10ms", "us"), 10000);
    ck_assert_double_eq(real_of("1.5s", "us"), 1500000);
    ck_assert_double_eq(real_of("500ns", "s"), 500e-9);
    ck_assert_str_eq(real_reason("1min", "us"), "unknown unit 'min'; use ns, us, ms or s");
}
END_TEST

START_TEST(a_real_without_dimension_refuses_a_unit)
{
    ck_assert_str_eq(real_reason("1s", NULL), "'s' after the number; use a number without a unit");
}
END_TEST

START_TEST(an_unlisted_base_unit_is_accepted_as_its_own_unit)
{
    ck_assert_double_eq(real_of("2furlong", "furlong"), 2);
    ck_assert_str_eq(real_reason("2mile", "furlong"), "unknown unit 'mile'; use furlong");
}
END_TEST

START_TEST(hexadecimal_infinite_and_nan_reals_are_refused)
{
    static const char *const texts[] = {
        "nan", "inf", "infinity", "0x10", "+1",  " 1",     ".",
        "e5",  "1e",  "1.2.3",    "1,5",  "1 s", "1e5000", "1e999999999999"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        real_reason(texts[i], "s");
}
END_TEST

START_TEST(the_range_of_a_real_is_printed_with_its_unit)
{
    ck_assert_str_eq(real_reason("0.4", "s"), "too small; use 0.5 to 10 s");
    ck_assert_str_eq(real_reason("11000ms", "s"), "too large; use 0.5 to 10 s");
    ck_assert_str_eq(real_reason("-1", NULL), "negative; use 0.5 to 10");
    ck_assert_str_eq(real_reason("", "s"), "empty; use 0.5 to 10 s");
    ck_assert_str_eq(real_reason("x", "s"), "not a number; use 0.5 to 10 s");
}
END_TEST

START_TEST(an_overflowing_real_is_refused_even_without_an_upper_limit)
{
    double value;

    ck_assert(!cb_parse_real("1e308MHz", 0, HUGE_VAL, "Hz", &value, why));
    ck_assert_str_eq(why, "too large; use 0 Hz or more");
}
END_TEST

START_TEST(a_size_list_keeps_its_order)
{
    static const uint64_t expected[] = {4096, 0, 1000000};
    cb_list list;

    ck_assert(cb_parse_size_list("4KiB,0,1MB", 0, UINT64_MAX, &list, why));
    check_list(&list, 3, expected);
    cb_list_free(&list);
}
END_TEST

START_TEST(a_count_list_expands_ranges)
{
    static const uint64_t expected[] = {3, 5, 7, 8, 9, 1};
    cb_list list;

    ck_assert(cb_parse_count_list("3,5,7-9,1-1", 0, UINT64_MAX, NULL, &list, why));
    check_list(&list, 6, expected);
    cb_list_free(&list);
}
END_TEST

START_TEST(a_list_of_times_accepts_units_and_ranges)
{
    static const uint64_t expected[] = {0, 50, 2000, 3, 7, 8};
    cb_list list;

    ck_assert(cb_parse_count_list("0,50us,2ms,3000ns,7-8", 0, 5000, "us", &list, why));
    check_list(&list, 6, expected);
    cb_list_free(&list);
    ck_assert(!cb_parse_count_list("500ns", 0, 5000, "us", &list, why));
    ck_assert_str_eq(why, "not a whole number; use 0 to 5000 us");
    ck_assert(!cb_parse_count_list("1s", 0, 5000, "us", &list, why));
    ck_assert_str_eq(why, "too large; use 0 to 5000 us");
}
END_TEST

START_TEST(a_range_may_end_at_the_largest_number)
{
    static const uint64_t expected[] = {UINT64_MAX - 1, UINT64_MAX};
    cb_list list;

    ck_assert(cb_parse_count_list("18446744073709551614-18446744073709551615", 0, UINT64_MAX, NULL,
                                  &list, why));
    check_list(&list, 2, expected);
    cb_list_free(&list);
}
END_TEST

START_TEST(a_freed_list_is_empty)
{
    cb_list list;

    ck_assert(cb_parse_count_list("1", 0, UINT64_MAX, NULL, &list, why));
    cb_list_free(&list);
    ck_assert_ptr_null(list.values);
    ck_assert_uint_eq(list.count, 0);
}
END_TEST

START_TEST(a_size_list_has_no_ranges)
{
    ck_assert_str_eq(size_list_reason("1-4"),
                     "unknown unit '-4'; use B, kB, MB, GB, KiB, MiB or GiB");
}
END_TEST

START_TEST(a_list_of_the_greatest_length_is_accepted)
{
    cb_list list;

    ck_assert(cb_parse_count_list("1-65536", 0, UINT64_MAX, NULL, &list, why));
    ck_assert_uint_eq(list.count, CB_LIST_MAXIMUM);
    ck_assert_uint_eq(list.values[CB_LIST_MAXIMUM - 1], 65536);
    cb_list_free(&list);
}
END_TEST

START_TEST(ranges_that_exceed_the_greatest_length_are_refused)
{
    static const char *const texts[] = {"0-65536", "0-99999999999", "0-18446744073709551615",
                                        "1-65536,70000", "1-40000,50000-90000"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_ptr_nonnull(
            strstr(count_list_reason(texts[i]), "more than 65536 values; shorten the list"));
}
END_TEST

START_TEST(an_empty_element_is_refused)
{
    static const char *const texts[] = {",", "1,", ",1", "1,,2"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_str_eq(count_list_reason(texts[i]),
                         "an element is empty; separate the values by single commas");
}
END_TEST

START_TEST(an_empty_list_is_refused)
{
    ck_assert_str_eq(count_list_reason(""), "empty; use 0 or more");
}
END_TEST

START_TEST(a_range_without_an_end_is_refused)
{
    ck_assert_str_eq(count_list_reason("7-"), "empty; use 0 or more");
    ck_assert_str_eq(count_list_reason("-7"), "negative; use 0 or more");
    ck_assert_str_eq(count_list_reason("1-2-3"), "not a whole number; use 0 or more");
    ck_assert_str_eq(count_list_reason("1--3"), "negative; use 0 or more");
}
END_TEST

START_TEST(a_falling_range_is_refused)
{
    ck_assert_str_eq(count_list_reason("9-7"),
                     "a descending range; write the smaller number first");
}
END_TEST

START_TEST(the_invalid_element_is_named)
{
    ck_assert_str_eq(size_list_reason("64,4KX,1"),
                     "element '4KX': unknown unit 'KX'; use B, kB, MB, GB, KiB, MiB or GiB");
}
END_TEST

START_TEST(a_repeated_value_is_refused)
{
    ck_assert_str_eq(size_list_reason("1024,7,1KiB"), "1KiB is repeated; give each value once");
    ck_assert_str_eq(count_list_reason("3,1-5"), "3 is repeated; give each value once");
}
END_TEST

START_TEST(the_limits_apply_to_each_element)
{
    cb_list list;

    ck_assert(!cb_parse_count_list("1,9", 0, 8, NULL, &list, why));
    ck_assert_str_eq(why, "element '9': too large; use 0 to 8");
}
END_TEST

START_TEST(a_reason_is_cut_to_its_buffer)
{
    char text[1000];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    text[0] = '1';
    text[500] = ',';
    ck_assert_uint_lt(strlen(size_list_reason(text)), CB_WHY_BYTES);
}
END_TEST

START_TEST(a_size_is_formatted_in_its_shortest_exact_form)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = {{0, "0"},
                {64, "64"},
                {1000, "1kB"},
                {1024, "1KiB"},
                {4096, "4KiB"},
                {1000001, "1000001"},
                {1000000, "1MB"},
                {1 << 20, "1MiB"},
                {(1 << 20) + 1, "1048577"},
                {UINT64_C(1) << 62, "4294967296GiB"},
                {UINT64_MAX, "18446744073709551615"}};
    char text[24];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cb_format_size(rows[i].bytes, text);
        ck_assert_str_eq(text, rows[i].text);
    }
}
END_TEST

START_TEST(a_formatted_size_parses_back)
{
    char text[24];

    for (uint64_t bytes = 1; bytes < UINT64_MAX / 3; bytes = bytes * 3 + 8) {
        cb_format_size(bytes, text);
        ck_assert_uint_eq(size_of(text), bytes);
    }
}
END_TEST

UNIT_MAIN("units", sizes_take_powers_of_1000_and_1024,
          a_size_with_an_unknown_unit_is_reported_with_the_known_ones,
          units_are_case_sensitive_and_follow_without_a_blank, a_fractional_size_is_refused,
          an_empty_size_is_refused, a_negative_size_is_refused,
          sizes_that_do_not_fit_64_bits_are_too_large, the_range_of_a_size_is_printed_with_units,
          the_limits_of_a_count_are_included, a_count_with_a_unit_is_refused,
          a_count_without_upper_limit_names_the_lower_one, reals_are_converted_to_the_base_unit,
          a_unit_of_another_quantity_is_unknown, a_time_accepts_every_unit_of_time,
          a_real_without_dimension_refuses_a_unit,
          an_unlisted_base_unit_is_accepted_as_its_own_unit,
          hexadecimal_infinite_and_nan_reals_are_refused,
          the_range_of_a_real_is_printed_with_its_unit,
          an_overflowing_real_is_refused_even_without_an_upper_limit, a_size_list_keeps_its_order,
          a_count_list_expands_ranges, a_list_of_times_accepts_units_and_ranges,
          a_range_may_end_at_the_largest_number, a_freed_list_is_empty, a_size_list_has_no_ranges,
          a_list_of_the_greatest_length_is_accepted,
          ranges_that_exceed_the_greatest_length_are_refused, an_empty_element_is_refused,
          an_empty_list_is_refused, a_range_without_an_end_is_refused, a_falling_range_is_refused,
          the_invalid_element_is_named, a_repeated_value_is_refused,
          the_limits_apply_to_each_element, a_reason_is_cut_to_its_buffer,
          a_size_is_formatted_in_its_shortest_exact_form, a_formatted_size_parses_back)
