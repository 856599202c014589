/* The options of this benchmark only. */
#ifndef CONGEST_OPTIONS_H
#define CONGEST_OPTIONS_H

#include <stdint.h>

#include "base/units.h"

typedef struct {
    const char *victim, *aggressor; /* a benchmark and its options; NULL: not given */
    const char *placement;
    uint64_t victim_ranks;   /* 0: half of the job */
    cb_list aggressor_ranks; /* empty: all others */
    uint64_t rounds;
    double rate_hz; /* of the aggressor's steps; 0: one after another */
    const char *arrivals;
} congest_options;

#endif
