/* Options of a farm: which farms are measured, and checks of load and timeline. Pure functions. */
#ifndef FARM_OPTIONS_H
#define FARM_OPTIONS_H

#include "engine/options.h"
#include "engine/definition.h"
#include "farm/farm.h"

/* The farms of --sources and --destinations, or the default ones. `choose` also returns
 * CB_ERROR_USAGE, logged, if --fetch does not fit, or if rate_check_load or farm_check_timeline
 * reject the options. */
extern const bench_counting farm_counted;

/* Own rows of farms. Offsets are into farm_own_options. */
extern const char *const farm_ways_to_tell[];
#define FARM_SUPERVISOR_ROW(help_text, more_text)                                                  \
    {                                                                                              \
        .name = "supervisor", .type = CB_OPTION_CHOICE,                                            \
        .offset = offsetof(farm_own_options, supervisor), .argument = "HOW",                       \
        .default_text = "loop", .choices = farm_ways_to_tell, .key = "supervisor",                 \
        .help = (help_text), .more = (more_text)                                                   \
    }

/* The shape of a farm: one supervisor, sources, destinations. */
bench_shape farm_shape(size_t sources, size_t destinations);

/* Whether the options tell sources by the technology's multicast. */
bool farm_tells_by_multicast(const bench_options *options);

/* Number of sources that have data of an event, in a farm of `sources`; with --accept, of the first
 * step. */
size_t farm_fetched(const bench_options *options, size_t sources);

/* The fraction of events whose first part is accepted, and which then have data of all sources;
 * negative: the events of this farm have one step. */
double farm_accept_fraction(const bench_options *options);

/* Check the options of a timeline; rank 0 has to hold all of its entries. CB_ERROR_USAGE, logged.
 */
cb_status farm_check_timeline(const bench_options *options, const bench_shape *farm);

/* Largest number of timeline entries for `events` consecutive events, if each message comes once:
 * of a rank of that role; of all ranks together. */
size_t farm_timeline_entries(size_t role, size_t sources, size_t destinations, size_t events);
size_t farm_timeline_entries_of_all(size_t sources, size_t events);

#endif
