/* The known name that is nearest to one that is not, for error texts. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* How many letters have to be changed, added or left out to make one word of the other; letters
 * behind the first 63 of a word do not count. */
size_t cb_distance(const char *left, const char *right);

/* Of `count` names, the one with the smallest distance to `name`, the first of several; NULL when
 * there are none. */
const char *cb_nearest(const char *name, const char *const *names, size_t count);

#endif
