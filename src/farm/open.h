/* Open loops: the rows of --rate, --load-curve and --find-rate. */
#ifndef FARM_OPEN_H
#define FARM_OPEN_H

#include "farm/run.h"

/* Nothing where the options ask for no open loop. */
cb_status farm_measure_open(farm_run *run);

/* Whether the options ask for the closed loop's row. */
bool farm_wants_closed(const bench_options *options);

/* An open loop at a rate, as the options shape it. The k-th of a measurement draws its arrivals
 * alike in every run with the same --seed. */
farm_load farm_open_load(farm_run *run, double rate_hz, uint64_t events);

#endif
