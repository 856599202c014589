/* Levenshtein's distance, one row of its table at a time. */
#include "base/nearest.h"

#include <string.h>

enum { LETTERS = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

size_t cb_distance(const char *left, const char *right)
{
    size_t rows = strnlen(left, LETTERS), columns = strnlen(right, LETTERS);
    size_t row[LETTERS + 1];

    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t above = row[j];

            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (left[i - 1] != right[j - 1]));
            diagonal = above;
        }
    }
    return row[columns];
}

const char *cb_nearest(const char *name, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t smallest = 0;

    for (size_t i = 0; i < count; i++) {
        size_t distance = cb_distance(name, names[i]);

        if (nearest == NULL || distance < smallest) {
            nearest = names[i];
            smallest = distance;
        }
    }
    return nearest;
}
