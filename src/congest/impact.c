/* Ratios are averaged as logarithms: a figure that doubles and one that halves cancel out. */
#include "congest/impact.h"

#include <math.h>

#include "stats/student.h"

static const double nothing = (double)NAN;

double congest_mean(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0)) /* also if it is NaN */
            return nothing;
        sum += log(values[i]);
    }
    return count > 0 ? exp(sum / (double)count) : nothing;
}

congest_impact congest_impact_of(const double *alone, const double *beside, size_t rounds)
{
    congest_impact impact = {nothing, nothing, nothing};
    double logs[CONGEST_ROUNDS_MOST], mean = 0, squares = 0, reach;

    if (rounds == 0 || rounds > CONGEST_ROUNDS_MOST)
        return impact;
    for (size_t i = 0; i < rounds; i++) {
        if (!(beside[i] > 0) || !(alone[i] > 0) || !(alone[i + 1] > 0))
            return impact;
        logs[i] = log(beside[i]) - (log(alone[i]) + log(alone[i + 1])) / 2;
        mean += logs[i] / (double)rounds;
    }
    impact.ratio = exp(mean);
    if (rounds < 2)
        return impact;
    for (size_t i = 0; i < rounds; i++)
        squares += (logs[i] - mean) * (logs[i] - mean);
    reach = stats_student_95(rounds - 1) * sqrt(squares / (double)(rounds - 1) / (double)rounds);
    impact.low = exp(mean - reach);
    impact.high = exp(mean + reach);
    return impact;
}
