/* Batch means: successive receives of a processor are correlated, long batches hardly are, so the
 * spread of batches shows the uncertainty of the mean. */
#include "model/evaluation/rate.h"

#include <math.h>

#include "stats/student.h"

enum { LEAST_BATCHES = 10 }; /* after those that are left out */

/* Largest correlation that a wider interval can compensate. */
static const double largest_correlation = 0.9;

void ccmod_rate_note(rate_record *record, double now_us)
{
    if (record->received++ == 0) {
        record->bounds_us[0] = now_us;
        return;
    }
    if (++record->in_batch < record->batch)
        return;
    record->in_batch = 0;
    record->bounds_us[++record->count] = now_us;
    if (record->count < RATE_BATCHES)
        return;
    record->count /= 2;
    record->batch *= 2;
    for (size_t i = 1; i <= record->count; i++)
        record->bounds_us[i] = record->bounds_us[2 * i];
}

/* Mean duration of the batches from `first` on, and its standard error. */
static void describe(const rate_record *record, size_t first, double *mean_us, double *error_us)
{
    const double *bounds_us = record->bounds_us;
    double count = (double)(record->count - first);
    double squares = 0, products = 0, before = 0, correlation;

    *mean_us = (bounds_us[record->count] - bounds_us[first]) / count;
    for (size_t i = first; i < record->count; i++) {
        double off = bounds_us[i + 1] - bounds_us[i] - *mean_us;

        squares += off * off;
        products += off * before;
        before = off;
    }
    correlation = squares > 0 ? fmin(fmax(products / squares, 0), largest_correlation) : 0;
    *error_us = sqrt(squares / (count - 1) / count * (1 + correlation) / (1 - correlation));
}

ccmod_rate ccmod_rate_find(const rate_record *record)
{
    size_t first = record->count / 4;
    size_t counted = record->count - first;
    ccmod_rate rate = {.received = record->received};
    double mean_us, error_us, half_us;

    if (counted < LEAST_BATCHES)
        return rate;
    describe(record, first, &mean_us, &error_us);
    half_us = stats_student_95(counted - 1) * error_us;
    if (!(half_us < mean_us))
        return rate;
    rate.batches = counted;
    rate.counted = counted * record->batch;
    rate.from_us = record->bounds_us[first];
    rate.to_us = record->bounds_us[record->count];
    rate.per_s = 1e6 * (double)record->batch / mean_us;
    rate.low_per_s = 1e6 * (double)record->batch / (mean_us + half_us);
    rate.high_per_s = 1e6 * (double)record->batch / (mean_us - half_us);
    return rate;
}
