/* How simulated links carry long messages: in the evaluations of the model, and in the emission of
 * traces, whose messages are to come in the same order. */
#ifndef BASE_PARTS_H
#define BASE_PARTS_H

#include <stddef.h>
#include <stdint.h>

/* Packets that a node may have in the queue of its link for a destination to which it has sent no
 * long message for CB_IDLE_US. 10: the initial window of RFC 6928. 200 ms: Linux's least
 * retransmission timeout, after which an idle connection starts again (RFC 5681, 4.1). Emission has
 * no unit of time: there the window always holds. */
enum { CB_FIRST_WINDOW = 10, CB_IDLE_US = 200000 };

/* The most parts of a message beside `live` others. A longer one is carried in parts of equal
 * length instead of packets: with 64 the interleaving error is a hundredth of it, and long messages
 * do not dominate the cost. With many messages each has fewer, so that about 4096 are in transit:
 * among hundreds in a queue the number of parts of each matters little. */
static inline uint32_t cb_most_parts(size_t live)
{
    const size_t largest = 64, crowd = 4096, most = crowd / (live + 1);

    if (most > largest)
        return (uint32_t)largest;
    return most > 1 ? (uint32_t)most : 1;
}

/* The first window of a message of `packets` packets, counted in its parts. */
static inline uint32_t cb_first_window(uint64_t packets, uint32_t parts)
{
    const uint64_t window = (uint64_t)CB_FIRST_WINDOW * parts / packets;

    return window > 1 ? (uint32_t)window : 1;
}

#endif
