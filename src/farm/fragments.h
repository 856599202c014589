/* What a farm's programs do about fragments: made, sent, referred to, and put together to events.
 * farm.h has what programs call. */
#ifndef FARM_FRAGMENTS_H
#define FARM_FRAGMENTS_H

#include "farm/rank.h"

extern const farm_fragments farm_fragments_touched; /* --touch all */
extern const farm_fragments farm_fragments_bare;    /* --touch none */
extern const farm_fragments farm_fragments_verified;

/* The sum of all that a destination referred to is what it must be, else CB_ERROR_DATA, logged. */
cb_status farm_check_sum(const bench_rank *me);

#endif
