/* Formulas over named numbers, as benchmarks.json has them: + - * / and parentheses, and bits(x),
 * the number of binary digits of a whole number. python/combench/common/catalogue.py reads the same
 * texts. */
#ifndef BASE_FORMULA_H
#define BASE_FORMULA_H

#include <stddef.h>

typedef struct {
    const char *name;
    double value;
} cb_named_value;

/* The value of a formula; NaN if the text is none or has an unknown name. Pure. */
double cb_formula_value(const char *formula, const cb_named_value *names, size_t count);

#endif
