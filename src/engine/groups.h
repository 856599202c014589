/* Groups of the configuration: the members of --group take the place of --receivers. */
#ifndef ENGINE_GROUPS_H
#define ENGINE_GROUPS_H

#include "base/context.h"
#include "engine/options.h"

/* Put the members of --group, where it is given, in the place of --receivers and, unless numbers
 * are asked for, their number in that of --destinations or --sources. `config` NULL: there are no
 * files. CB_ERROR_USAGE, logged, where there is no such group, or a member that cannot take part.
 * Local, alike in all ranks. */
cb_status groups_choose(const benchmark *definition, const cb_config *config, size_t ranks,
                        bench_options *options);

#endif
