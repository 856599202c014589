/* Recursive descent over the text: a formula is evaluated a few times in a run. */
#include "base/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double no_value = (double)NAN;

enum { DEEPEST = 32 }; /* parentheses within each other */

typedef struct {
    const char *at;
    const cb_named_value *names;
    size_t count;
    size_t depth;
} reader;

static double read_sum(reader *in);

static bool take(reader *in, char character)
{
    in->at += strspn(in->at, " ");
    if (*in->at != character)
        return false;
    in->at++;
    return true;
}

static double read_group(reader *in)
{
    double value;

    if (in->depth == DEEPEST)
        return no_value;
    in->depth++;
    value = read_sum(in);
    in->depth--;
    return take(in, ')') ? value : no_value;
}

static double bits_of(double number)
{
    double bits = 0;

    if (!isfinite(number))
        return no_value;
    for (double rest = number; rest >= 1; rest = floor(rest / 2))
        bits++;
    return bits;
}

static double read_name(reader *in)
{
    const char *name = in->at;
    size_t length = 0;

    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        length++;
    in->at += length;
    if (length == strlen("bits") && strncmp(name, "bits", length) == 0)
        return take(in, '(') ? bits_of(read_group(in)) : no_value;
    for (size_t i = 0; i < in->count; i++)
        if (strlen(in->names[i].name) == length && strncmp(in->names[i].name, name, length) == 0)
            return in->names[i].value;
    return no_value;
}

static double read_value(reader *in)
{
    char *end;
    double value;

    if (take(in, '('))
        return read_group(in);
    if (!isdigit((unsigned char)*in->at))
        return read_name(in);
    value = strtod(in->at, &end);
    in->at = end;
    return value;
}

static double read_product(reader *in)
{
    double value = read_value(in);

    for (;;) {
        if (take(in, '*'))
            value *= read_value(in);
        else if (take(in, '/'))
            value /= read_value(in);
        else
            return value;
    }
}

static double read_sum(reader *in)
{
    double value = read_product(in);

    for (;;) {
        if (take(in, '+'))
            value += read_product(in);
        else if (take(in, '-'))
            value -= read_product(in);
        else
            return value;
    }
}

double cb_formula_value(const char *formula, const cb_named_value *names, size_t count)
{
    reader in = {.at = formula, .names = names, .count = count};
    const double value = read_sum(&in);

    return take(&in, '\0') ? value : no_value;
}
