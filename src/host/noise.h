/* The arithmetic of the noise probe, apart from the clock, so that it can be tested on readings of
 * any kind. Private to src/host and its tests. */
#ifndef HOST_NOISE_H
#define HOST_NOISE_H

#include <stdint.h>

#include "host/host.h"

enum { HOST_NOISE_QUANTUM_NS = 10000 };

typedef struct {
    uint64_t first_ns, last_ns; /* readings */
    uint64_t stolen_ns;         /* sum of all gaps above the quantum */
    uint64_t longest_ns;        /* gap, whether above the quantum or not */
} host_gaps;

static inline host_gaps host_gaps_begin(uint64_t reading_ns)
{
    return (host_gaps){.first_ns = reading_ns, .last_ns = reading_ns};
}

/* Hot: runs between any two readings of the probe. Readings never go back. */
static inline void host_gaps_add(host_gaps *gaps, uint64_t reading_ns)
{
    uint64_t gap_ns = reading_ns - gaps->last_ns;

    gaps->last_ns = reading_ns;
    if (gap_ns > gaps->longest_ns)
        gaps->longest_ns = gap_ns;
    if (gap_ns > HOST_NOISE_QUANTUM_NS)
        gaps->stolen_ns += gap_ns;
}

host_noise host_gaps_result(const host_gaps *gaps);

#endif
