/* The noise probe: a loop that does nothing but read the clock. Where two readings lie further
 * apart than the quantum, somebody else had the core: an interrupt, the kernel, the hypervisor, or
 * another process. */
#include "host/noise.h"

#include "base/clock.h"

static const double ns_per_us = 1e3;
static const double ns_per_ms = 1e6;

host_noise host_gaps_result(const host_gaps *gaps)
{
    double duration_ns = (double)(gaps->last_ns - gaps->first_ns);

    return (host_noise){
        .quantum_us = HOST_NOISE_QUANTUM_NS / ns_per_us,
        .stolen_pct = duration_ns > 0 ? 100 * (double)gaps->stolen_ns / duration_ns : 0,
        .longest_us = (double)gaps->longest_ns / ns_per_us,
        .duration_ms = duration_ns / ns_per_ms,
    };
}

host_noise host_probe_noise(unsigned duration_ms)
{
    uint64_t duration_ns = (uint64_t)duration_ms * 1000000u;
    host_gaps gaps;

    (void)cb_now_ns(); /* the first reading may fault the clock's page in, which is our own doing */
    gaps = host_gaps_begin(cb_now_ns());
    do {
        host_gaps_add(&gaps, cb_now_ns());
    } while (gaps.last_ns - gaps.first_ns < duration_ns);
    return host_gaps_result(&gaps);
}
