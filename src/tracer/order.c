/* The k-th message goes to one of the receipts that begin before the first of the others is done.
 */
#include "tracer/order.h"

/* The receipt that is done first of those not taken, from `first` on. */
static size_t first_done(const tracer_receipt *receipts, size_t count, size_t first)
{
    size_t found = first;

    for (size_t i = first; i < count && receipts[i].place <= receipts[found].done; i++) {
        if (!receipts[i].taken && receipts[i].done < receipts[found].done)
            found = i;
    }
    return found;
}

/* The first receipt with these bytes that begins before `urgent` is done; `urgent` if there is
 * none. */
static size_t choose(const tracer_receipt *receipts, size_t count, size_t first, size_t urgent,
                     uint64_t bytes)
{
    for (size_t i = first; i < count && receipts[i].place <= receipts[urgent].done; i++) {
        if (!receipts[i].taken && receipts[i].bytes == bytes)
            return i;
    }
    return urgent;
}

void tracer_order(tracer_receipt *receipts, size_t count, const uint64_t *sent,
                  tracer_arrangement *out)
{
    uint64_t after = 0;
    size_t first = 0;

    for (size_t i = 0; i < count; i++)
        receipts[i].taken = false;
    for (size_t k = 0; k < count; k++) {
        size_t chosen;

        while (receipts[first].taken)
            first++;
        chosen = choose(receipts, count, first, first_done(receipts, count, first), sent[k]);
        receipts[chosen].taken = true;
        if (receipts[chosen].place > after)
            after = receipts[chosen].place;
        out[k] = (tracer_arrangement){chosen, after, sent[k]};
    }
}
