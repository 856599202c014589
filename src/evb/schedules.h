/* The step functions of event building. A step is a turn: a message from each source to each
 * builder, in the order of the schedule. */
#ifndef EVB_SCHEDULES_H
#define EVB_SCHEDULES_H

#include "engine/traffic.h"

/* Hot. Begin the next turn. A builder may still miss fragments of this turn afterwards. */
cb_status evb_run_turn(bench_rank *me);

/* Complete all turns that have begun. */
cb_status evb_complete_turns(bench_rank *me);

#endif
