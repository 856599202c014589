/* How long something was waited for that may not come. A pause between two polls counts up to a
 * limit: this process had no core then, or the machine stood still, and so it may be with the one
 * that sends. */
#ifndef BENCH_PATIENCE_H
#define BENCH_PATIENCE_H

#include <stdint.h>

typedef struct {
    uint64_t polled_ns, waited_ns;
} bench_waiting;

static inline bench_waiting bench_waiting_begin(uint64_t now_ns)
{
    return (bench_waiting){.polled_ns = now_ns};
}

/* At each poll that found nothing: the nanoseconds that have counted until now. */
static inline uint64_t bench_waiting_on(bench_waiting *so_far, uint64_t now_ns)
{
    const uint64_t most_ns = 20000000;
    uint64_t pause_ns = now_ns - so_far->polled_ns;

    so_far->polled_ns = now_ns;
    so_far->waited_ns += pause_ns < most_ns ? pause_ns : most_ns;
    return so_far->waited_ns;
}

#endif
