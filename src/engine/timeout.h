/* For how long something was waited for that may never come. A pause between two polls counts up to
 * a limit: this process had no core meanwhile, or the machine stood still, and the same may be true
 * of the process that sends. */
#ifndef ENGINE_TIMEOUT_H
#define ENGINE_TIMEOUT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t polled_ns, waited_ns;
} timeout_clock;

static inline timeout_clock timeout_begin(uint64_t now_ns)
{
    return (timeout_clock){.polled_ns = now_ns};
}

/* At each poll that found nothing: whether more than `limit_ns` have counted by now. */
static inline bool timeout_is_over(timeout_clock *waiting, uint64_t now_ns, uint64_t limit_ns)
{
    const uint64_t longest_pause_ns = 20000000;
    uint64_t pause_ns = now_ns - waiting->polled_ns;

    waiting->polled_ns = now_ns;
    waiting->waited_ns += pause_ns < longest_pause_ns ? pause_ns : longest_pause_ns;
    return waiting->waited_ns > limit_ns;
}

#endif
