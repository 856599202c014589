/* How long the next batch may be, from what the last ones took. A batch that has begun cannot be
 * cut short, and others on the machine can make it many times slower than the one before: so its
 * length goes by the slowest of the last few, and not all of the time is staked on one. Pure. */
#ifndef ENGINE_PACE_H
#define ENGINE_PACE_H

#include <stddef.h>

enum { PACE_BATCHES = 3 };

/* What a step took in each of the last batches, from the start of all to the end of the last rank;
 * all zero: none was yet. */
typedef struct {
    double steps_ns[PACE_BATCHES];
    size_t count; /* so far; the latest is at (count - 1) % PACE_BATCHES */
} batch_pace;

/* A batch of `steps`, above 0, took so long. */
void pace_note(batch_pace *pace, double batch_ns, double steps);

/* A step in the latest batch, and in the slowest of the last three; 0 before the first. */
double pace_latest_ns(const batch_pace *pace);
double pace_slowest_ns(const batch_pace *pace);

/* How many steps the next batch may have with `left_ns` of a limit left: as many as fit at the
 * slowest pace, and within a quarter of the limit, or an eighth where the last batches differ by
 * more than a quarter. Negative when the time is over, infinite before the first batch. */
double pace_affordable(const batch_pace *pace, double left_ns, double limit_ns);

#endif
