/* The rounds of a map: samples of this rank, and what rank 0 collects of all.
 *
 * After each round every rank reports to the first and waits for its order: to go on, to stop, to
 * leave out a host that was lost. Over a reliable technology these are messages with a timeout, so
 * that a host that is cut off does not hold the others; else the control plane carries them. */
#ifndef LINKMAP_MAP_H
#define LINKMAP_MAP_H

#include "engine/outcome.h"
#include "linkmap/link.h"

typedef enum { MAP_PAIRS, MAP_BISECTION, MAP_ONE_TO_ALL } map_pattern;

typedef struct map_run map_run;

struct map_run {
    const measurement_setting *setting;
    map_pattern pattern;
    link_end end;
    size_t hosts, self, cycles_least;
    double limit_s; /* after which no further cycle begins */
    bool *lost;     /* by host; hosts that take no further part */
    bool any_lost;  /* a host, also if not yet in `lost`, or a pair */
    bool left;      /* this rank was left out */
    /* Only at the first rank: */
    float *values;    /* of MAP_PAIRS: as in map_samples; of others: hosts values a cycle */
    size_t cycles;    /* complete */
    bool *lost_pairs; /* by hosts * one + other */
    size_t *order;    /* of a bisection; at all ranks */
    /* Called at the first rank after each cycle. */
    void (*after_cycle)(map_run *run, void *context);
    void *context;
};

/* Set up; map_run_free in any case. CB_ERROR_MEMORY, logged. */
cb_status map_run_make(map_run *run);
void map_run_free(map_run *run);

/* Run all cycles. Errors are those of the technology. */
cb_status map_run_cycles(map_run *run);

#endif
