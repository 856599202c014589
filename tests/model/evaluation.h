/* What the parts of test_evaluation share: a trace as text, evaluated on the crossbar, and its
 * clocks. One file for each theme:
 *
 *   evaluation_records.c           the article, what each kind of record costs, accounts
 *   evaluation_fifo.c              links that serve one packet after the other
 *   evaluation_acknowledgements.c  acknowledgements that go back over them
 *   evaluation_tcp.c               connections, and buffers that drop frames
 *   evaluation_sharing.c           ends of nodes that are shared, the load of others
 *   evaluation_observers.c         determinism, observers, progress, what is refused
 */
#ifndef TESTS_MODEL_EVALUATION_H
#define TESTS_MODEL_EVALUATION_H

#include <ccmod/ccmod.h>

#include "tests/common/unit.h"

#define HEAD "%cct 1 ranks 4 unit us\n"

static const double exact = 1e-9;

#define EVALUATION_PARTS                                                                           \
    evaluation_records, evaluation_fifo, evaluation_acknowledgements, evaluation_tcp,              \
        evaluation_sharing, evaluation_observers

unit_part EVALUATION_PARTS;

/* Default parameters with this mode, and the share rule of the article. */
ccmod_parameters in_mode(ccmod_mode mode);

/* The quiet time of 1000 bytes is 48.9 us, as in the article. */
ccmod_calibration article(void);

/* The evaluation must succeed; the caller frees the result. */
ccmod_result *evaluate(const char *text, const ccmod_calibration *calibration,
                       const ccmod_parameters *parameters);

double clock_of(const ccmod_result *result, size_t processor);

/* Expected clocks of ranks 0 to 3; a negative one is not compared. */
void expect_clocks(const char *text, const ccmod_calibration *calibration,
                   const ccmod_parameters *parameters, const double expected[4]);

#endif
