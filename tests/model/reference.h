/* The oracle: the article's evaluation in its eight steps, written as plainly as possible and
 * without anything of the library but its interfaces. Everything is recomputed at every horizon. */
#ifndef TESTS_MODEL_REFERENCE_H
#define TESTS_MODEL_REFERENCE_H

#include "tests/model/records.h"

typedef struct {
    double end_us;
    ccmod_processor *processors; /* of the table; freed by the caller */
    bool finished;               /* false: a deadlock */
} reference_result;

/* Of the background kinds none and constant, and whatever the network has of its own. */
reference_result reference_evaluate(const record_table *table, const ccmod_network *network,
                                    const ccmod_calibration *calibration,
                                    const ccmod_parameters *parameters);

#endif
