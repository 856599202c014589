/* Results of evaluations. This file has the shared functions, the tests are in the files listed
 * in evaluation.h. */
#include "tests/model/evaluation.h"

#include <math.h>

#include "tests/model/trace_text.h"

ccmod_parameters in_mode(ccmod_mode mode)
{
    ccmod_parameters parameters = ccmod_parameters_default();

    parameters.mode = mode;
    parameters.share = CCMOD_BOTTLENECK;
    return parameters;
}

ccmod_calibration article(void)
{
    return ccmod_calibration_line(10.9, 18, 50);
}

ccmod_result *evaluate(const char *text, const ccmod_calibration *calibration,
                       const ccmod_parameters *parameters)
{
    ccmod_result *result = NULL;
    ccmod_error error;
    ccmod_status status = text_evaluate(text, calibration, parameters, &result, &error);

    ck_assert_msg(status == CCMOD_OK, "%s", error.text);
    return result;
}

double clock_of(const ccmod_result *result, size_t processor)
{
    return ccmod_result_processor(result, processor).clock_us;
}

void expect_clocks(const char *text, const ccmod_calibration *calibration,
                   const ccmod_parameters *parameters, const double expected[4])
{
    ccmod_result *result = evaluate(text, calibration, parameters);

    for (size_t i = 0; i < 4; i++) {
        if (expected[i] >= 0)
            ck_assert_msg(fabs(clock_of(result, i) - expected[i]) <= exact,
                          "clock %zu is %.12g, not %.12g, for:\n%s", i, clock_of(result, i),
                          expected[i], text);
    }
    ccmod_result_free(result);
}

UNIT_MAIN_OF("evaluation", EVALUATION_PARTS)
