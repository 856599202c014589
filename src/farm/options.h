/* Options of a farm: which farms are measured, and checks of load and timeline. Pure functions. */
#ifndef FARM_OPTIONS_H
#define FARM_OPTIONS_H

#include "engine/options.h"
#include "engine/shape.h"

/* Choose the farms to measure in a job of `ranks` (choose_shapes of a benchmark): by --sources and
 * --destinations, or the default ones. CB_ERROR_USAGE, logged, if there are too few ranks, or if
 * farm_check_load or farm_check_timeline reject the options. */
cb_status farm_choose_shapes(const benchmark *definition, const bench_options *options,
                             size_t ranks, bench_shape_list *out);

/* Check the options of offered load. CB_ERROR_USAGE, logged. */
cb_status farm_check_load(const bench_options *options);

/* Check the options of a timeline; rank 0 has to hold all of its entries. CB_ERROR_USAGE, logged.
 */
cb_status farm_check_timeline(const bench_options *options, const bench_shape *farm);

/* Number of events in a timeline. */
uint64_t farm_timeline_events(const bench_options *options);

/* Largest number of timeline entries for `events` consecutive events, if each message comes once:
 * of a rank of that role; of all ranks together. */
size_t farm_timeline_entries(size_t role, size_t sources, size_t destinations, size_t events);
size_t farm_timeline_entries_of_all(size_t sources, size_t events);

#endif
