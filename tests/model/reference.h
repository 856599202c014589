/* A reference implementation: the eight steps of the article, as simple as possible, using only
 * the interfaces of the library. Everything is recomputed at every horizon. */
#ifndef TESTS_MODEL_REFERENCE_H
#define TESTS_MODEL_REFERENCE_H

#include "tests/model/records.h"

typedef struct {
    double end_us;
    ccmod_processor *processors; /* one per processor; freed by the caller */
    bool finished;               /* false: a deadlock */
} reference_result;

/* Supports no background, a constant one, and that of the network. */
reference_result reference_evaluate(const record_table *table, const ccmod_network *network,
                                    const ccmod_calibration *calibration,
                                    const ccmod_parameters *parameters);

#endif
