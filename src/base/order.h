/* Comparison functions for qsort, ascending. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdint.h>

/* double; must not be NaN. */
static inline int cb_ascending_reals(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* uint64_t. */
static inline int cb_ascending_counts(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

#endif
