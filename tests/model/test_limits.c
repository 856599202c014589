/* What would take for ever, or all memory: clocks so late that a double can no longer tell apart
 * what happens, and messages that nobody receives. */
#include <string.h>

#include "model/ccmod.h"
#include "tests/model/trace_text.h"
#include "tests/unit/unit.h"

static cb_status evaluate(const char *text, bool plain, ccmod_result **out, ccmod_error *error)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 2, 100);
    ccmod_parameters parameters = ccmod_parameters_default();

    parameters.plain = plain;
    return text_evaluate(text, &calibration, &parameters, out, error);
}

/* At 10^15 us two neighbouring doubles are 0.125 us apart, and a byte takes 0.01 us. */
START_TEST(a_message_shorter_than_the_clock_can_tell_still_ends)
{
    static const char text[] = "%cct 1 ranks 2 unit us\n0: c 1e15\ns 1 1\n1: r 0 1\n";

    for (int i = 0; i < 2; i++) {
        ccmod_result *result = NULL;
        ccmod_error error;

        ck_assert_int_eq(evaluate(text, i == 1, &result, &error), CB_OK);
        ck_assert_double_eq_tol(result->end_us, 1e15 + 3, 1);
        ccmod_result_free(result);
    }
}
END_TEST

START_TEST(a_clock_beyond_all_times_is_refused)
{
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_int_eq(
        evaluate("%cct 1 ranks 1 unit us\n0:\n@ 2000\nc 1e15\n;\n", false, &result, &error),
        CB_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "model time"));
}
END_TEST

START_TEST(messages_that_are_started_without_end_are_refused)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 2, 100);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_result *result = NULL;
    ccmod_error error;

    parameters.open_messages = 1000;
    ck_assert_int_eq(text_evaluate("%cct 1 ranks 2 unit us\n0:\n@ 1000000000000\nis 1 5\n;\n",
                                   &calibration, &parameters, &result, &error),
                     CB_ERROR_USAGE);
    ck_assert_uint_eq(error.line, 4);
    ck_assert_ptr_nonnull(strstr(error.text, "rank 0"));
}
END_TEST

UNIT_MAIN("limits", a_message_shorter_than_the_clock_can_tell_still_ends,
          a_clock_beyond_all_times_is_refused, messages_that_are_started_without_end_are_refused)
