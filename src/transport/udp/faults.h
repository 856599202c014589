/* Faults on purpose, where a datagram is sent: losses, doublings and reorderings at random, for
 * tests and for seeing what a benchmark makes of them on a network that has none. */
#ifndef TRANSPORT_UDP_FAULTS_H
#define TRANSPORT_UDP_FAULTS_H

#include "base/random.h"
#include "base/status.h"

typedef enum { UDP_FAULT_NONE, UDP_FAULT_LOSS, UDP_FAULT_DOUBLE, UDP_FAULT_REORDER } udp_fault;

typedef struct {
    double loss, doubling, reordering; /* probabilities; the sum is at most 1 */
    cb_random random;
} udp_faults;

/* From a text like "loss=0.01,double=0.001,reorder=0.02,seed=7", all parts optional; NULL: none.
 * Ranks draw differently. CB_ERROR_USAGE, logged, for anything else. */
cb_status udp_faults_read(const char *text, int rank, udp_faults *out);

/* Hot. What happens to the next datagram. */
static inline udp_fault udp_faults_next(udp_faults *faults)
{
    double drawn;

    if (__builtin_expect(faults->loss + faults->doubling + faults->reordering <= 0, 1))
        return UDP_FAULT_NONE;
    drawn = cb_random_unit(&faults->random);
    if (drawn < faults->loss)
        return UDP_FAULT_LOSS;
    if (drawn < faults->loss + faults->doubling)
        return UDP_FAULT_DOUBLE;
    return drawn < faults->loss + faults->doubling + faults->reordering ? UDP_FAULT_REORDER
                                                                        : UDP_FAULT_NONE;
}

#endif
