/* Formulas over named numbers. */
#include "base/formula.h"

#include <math.h>

#include "tests/common/unit.h"

static const cb_named_value names[] = {{"count", 6}, {"count_2", 0.5}};

static double value(const char *formula)
{
    return cb_formula_value(formula, names, 2);
}

START_TEST(operators_bind_as_in_arithmetic)
{
    ck_assert_double_eq(value("1"), 1);
    ck_assert_double_eq(value(" count * ( count - 1 ) "), 30);
    ck_assert_double_eq(value("1 + 2 * 3 - 4 / 2"), 5);
    ck_assert_double_eq(value("24 / count / 2"), 2);
    ck_assert_double_eq(value("100 * (1 - count_2)"), 50);
    ck_assert_double_eq(value("2.5 * count"), 15);
}
END_TEST

START_TEST(bits_are_the_binary_digits_of_a_whole_number)
{
    const double expected[] = {0, 1, 2, 2, 3, 3, 3, 3, 4};

    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        const cb_named_value n = {"n", (double)i};

        ck_assert_double_eq(cb_formula_value("bits(n)", &n, 1), expected[i]);
    }
    ck_assert_double_eq(value("count * bits(count - 1)"), 18);
}
END_TEST

START_TEST(what_is_no_formula_is_not_a_number)
{
    const char *const wrong[] = {"",       "coun",      "counts",     "count count", "(count",
                                 "count)", "count +",   "* 2",        "bits count",  "bits(1",
                                 "1 $ 2",  "bits(1/0)", "count ** 2", "-1"};
    char deep[100001];

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert_msg(isnan(value(wrong[i])), "'%s' is %g", wrong[i], value(wrong[i]));
    for (size_t i = 0; i + 1 < sizeof(deep); i++)
        deep[i] = '(';
    deep[sizeof(deep) - 1] = '\0';
    ck_assert_double_nan(value(deep));
}
END_TEST

UNIT_MAIN("formula", operators_bind_as_in_arithmetic, bits_are_the_binary_digits_of_a_whole_number,
          what_is_no_formula_is_not_a_number)
