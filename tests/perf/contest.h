/* What the programs share that let the project and a bare reference take turns in the same
 * processes: cores, the data that both refer to, and the median of the turns. */
#ifndef TESTS_PERF_CONTEST_H
#define TESTS_PERF_CONTEST_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Bind this process to the allowed core number `number`, counted from 0, if there is one. */
static inline void contest_bind(int number)
{
    cpu_set_t allowed, one;

    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && number-- == 0)
            CPU_SET(cpu, &one);
    if (CPU_COUNT(&one) == 1)
        sched_setaffinity(0, sizeof(one), &one);
}

/* Of the whole words. */
static inline uint64_t contest_sum(const void *data, size_t bytes)
{
    const uint64_t *words = data;
    uint64_t sum = 0;

    for (size_t i = 0; i < bytes / sizeof(*words); i++)
        sum += words[i];
    return sum;
}

static inline int contest_ascending(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;

    return (a > b) - (a < b);
}

/* The middle one of an odd number of values, which are sorted by it. */
static inline double contest_median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), contest_ascending);
    return values[count / 2];
}

#endif
