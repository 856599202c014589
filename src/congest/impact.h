/* Congestion impact: how much longer a victim's figure is beside an aggressor than alone. Pure. */
#ifndef CONGEST_IMPACT_H
#define CONGEST_IMPACT_H

#include <stddef.h>

enum { CONGEST_ROUNDS_MOST = 31 };

/* Geometric mean over rounds of (beside / alone), and its 95 % interval by Student's t on the
 * logarithms. NaN: not measured; the interval needs two rounds. */
typedef struct {
    double ratio, low, high;
} congest_impact;

/* A round is one phase beside the aggressor between two alone: beside[i] is compared with the
 * geometric mean of alone[i] and alone[i + 1], so that a steady drift of the network or the machine
 * cancels out. If any value is not a number above 0, so is the result. */
congest_impact congest_impact_of(const double *alone, const double *beside, size_t rounds);

/* The geometric mean; NaN for no values, or if one is not above 0. */
double congest_mean(const double *values, size_t count);

#endif
