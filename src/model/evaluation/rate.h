/* The receive rate of one processor during an evaluation: batch means, and the long-run rate with
 * its interval. Internal to src/model. */
#ifndef MODEL_EVALUATION_RATE_H
#define MODEL_EVALUATION_RATE_H

#include <stdbool.h>

#include <ccmod/ccmod.h>

enum { RATE_BATCHES = 64 };

/* Batches with equal numbers of receives. When there are RATE_BATCHES, pairs of them are merged, so
 * that memory is constant and batches grow with the run. Initially zero except for `batch`: 1, or
 * the size of a round if receives come in rounds, since a batch that ends within a round would
 * measure the round. */
typedef struct {
    uint64_t received;
    uint64_t batch;                     /* number of receives in each batch */
    uint64_t in_batch;                  /* number in the incomplete one */
    size_t count;                       /* number of complete batches */
    double bounds_us[RATE_BATCHES + 1]; /* batch i is from bounds_us[i] to [i + 1] */
} rate_record;

/* Hot. Record a completed receive; the first one starts the first batch. Times never decrease. */
void ccmod_rate_note(rate_record *record, double now_us);

/* The rate and its 95 % interval by Student's t. The first quarter of the batches is left out, in
 * which the system fills. If consecutive batches are correlated, the interval is widened as for a
 * first-order autoregression. With too few batches, or an interval without an upper end, the rate
 * is unknown: `batches` is 0. */
ccmod_rate ccmod_rate_find(const rate_record *record);

#endif
