/* How often one processor receives, while an evaluation goes on: the means of batches, and what
 * they say of the rate in the long run. Internal to src/model. */
#ifndef MODEL_EVALUATION_RATE_H
#define MODEL_EVALUATION_RATE_H

#include <stdbool.h>

#include <ccmod/ccmod.h>

enum { RATE_BATCHES = 64 };

/* Batches of equally many receives. When there are RATE_BATCHES of them each two become one, so
 * that the memory does not grow, and batches get longer as the run does. Zero in the beginning, but
 * for `batch`: 1, or a round where receives come in rounds, since a batch that ends within a round
 * would tell of the round and not of the rate. */
typedef struct {
    uint64_t received;
    uint64_t batch;                     /* receives in each batch */
    uint64_t in_batch;                  /* in the one that is not full */
    size_t count;                       /* of full batches */
    double bounds_us[RATE_BATCHES + 1]; /* batch i lasts from bounds_us[i] to [i + 1] */
} rate_record;

/* Hot. A receive is complete; the first one only begins the first batch. Times never descend. */
void ccmod_rate_note(rate_record *record, double now_us);

/* The rate, and its 95 % interval by Student's t. The first quarter of the batches is left out:
 * the system was filling. Where a batch tells of the next one the interval is wider, by what an
 * autoregression of first order would have. With too few batches, or with an interval that has no
 * upper end, the rate is not known: `batches` is 0. */
ccmod_rate ccmod_rate_find(const rate_record *record);

#endif
