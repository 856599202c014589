/* Options of event building: schedule, folding, packing, and what follows from them. Pure. */
#ifndef EVB_OPTIONS_H
#define EVB_OPTIONS_H

#include <stdbool.h>

#include "engine/plan.h"

typedef enum {
    EVB_NONE,    /* event after event: all sources send to the same builder */
    EVB_OFFSET,  /* the same, but each source starts with another builder */
    EVB_SHIFT,   /* in phase k source i sends to builder i + k, and phases follow the messages */
    EVB_BARRIER, /* the same, and all ranks meet after each phase */
    EVB_CREDITS  /* builders ask for fragments */
} evb_order;

typedef struct {
    evb_order order;
    size_t credits; /* fragments that a builder has asked for; EVB_CREDITS only */
} evb_schedule;

/* Own options of the benchmark; NULL: not given. */
typedef struct {
    const char *schedule, *folding;
    uint64_t pack, ahead; /* 0 as 1 */
} evb_options;

extern const char *const evb_foldings[];

/* "none", "shift", "barrier", "offset", "credits:4"; NULL is shift. CB_ERROR_USAGE, logged. */
cb_status evb_schedule_parse(const char *text, evb_schedule *out);

/* Whether readout and builder of a unit are one process; and the number of units of that many
 * ranks. */
bool evb_is_folded(const bench_options *options);
size_t evb_units(const bench_options *options, size_t ranks);

/* Callbacks and units of the definition: see engine/definition.h. */
cb_status evb_check(const bench_options *options);
size_t evb_multiple(const bench_options *options);
bench_scale evb_scale(const bench_options *options, size_t ranks);
extern const bench_units evb_units_of_ranks;

/* Why a technology with these capabilities cannot be measured; NULL: it can. */
const char *evb_obstacle(const bench_options *options, unsigned capabilities);

#endif
