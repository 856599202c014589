/* Parkbench programs: they check their clock (TICK1, TICK2) before they measure, and fit
 * Parkbench's parameters to each curve. */
#ifndef PARKBENCH_METHOD_H
#define PARKBENCH_METHOD_H

#include "base/options.h"
#include "engine/method.h"

/* Runs TICK1 and TICK2 on all ranks at once, which takes 0.1 s, or 0.3 s with a bad clock. A clock
 * that is too coarse or not accurate is CB_ERROR_USAGE. The document gets the coarsest clock and
 * the least accurate one. */
extern const measurement_method parkbench_method;

extern const bench_fit parkbench_fit;

/* --breakpoint */
enum { PARKBENCH_OWN_OPTIONS = 1 };
extern const cb_option parkbench_own_options[PARKBENCH_OWN_OPTIONS];

#endif
