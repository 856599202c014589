/* What a technology counts while it works, as rows: the engine sums the counters over all ranks of
 * a measurement, and a result has them as one object. */
#ifndef BASE_COUNTER_H
#define BASE_COUNTER_H

#include <stddef.h>
#include <stdint.h>

enum { CB_COUNTERS_MOST = 32 };

typedef struct {
    const char *key; /* in the set's object */
    const char *unit;
    const char *meaning; /* a phrase */
    const char *heading; /* of a column of the text table; NULL: it is not shown there */
} cb_counter;

typedef struct {
    const char *group; /* the key of the object in a row of the result: "datagrams" */
    const cb_counter *rows;
    size_t count; /* CB_COUNTERS_MOST at the most */
} cb_counter_set;

/* What was counted. */
typedef struct {
    const cb_counter_set *set; /* NULL: nothing */
    uint64_t values[CB_COUNTERS_MOST];
} cb_counts;

#endif
