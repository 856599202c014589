/* What the options of a farm mean: which farms are measured, and whether loads and a timeline go
 * together. Pure functions. */
#ifndef FARM_OPTIONS_H
#define FARM_OPTIONS_H

#include "engine/options.h"
#include "engine/shape.h"

/* The farms to measure in a job of `ranks`, as choose_shapes of a benchmark: by --sources and
 * --destinations, or the usual ones. CB_ERROR_USAGE, logged, when there are too few ranks for one
 * that was asked for, or for any, and for options that farm_check_load or farm_check_timeline
 * refuse. */
cb_status farm_choose_shapes(const benchmark *definition, const bench_options *options,
                             size_t ranks, bench_shape_list *out);

/* CB_ERROR_USAGE, logged, for options of load that do not go together. */
cb_status farm_check_load(const bench_options *options);

/* The same for a timeline of a farm, of which rank 0 must hold all notes. */
cb_status farm_check_timeline(const bench_options *options, const bench_shape *farm);

/* How many events a timeline shall have. */
uint64_t farm_timeline_events(const bench_options *options);

/* How many entries of a timeline a rank makes at most of `events` in a row, where each message
 * comes once; and all ranks together. */
size_t farm_timeline_entries(size_t role, size_t sources, size_t destinations, size_t events);
size_t farm_timeline_entries_of_all(size_t sources, size_t events);

#endif
