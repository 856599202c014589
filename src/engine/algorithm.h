/* Calibrated work for --algorithm and --slow-us, which a receiving rank runs on its packets.
 *
 * The work is calibrated on each rank's core before the first measurement and refined before each
 * one. After the last measurement its drift is compared with the clock. All functions that return
 * cb_status return CB_ERROR_MEMORY, CB_ERROR_SYSTEM or the control plane's error, logged. */
#ifndef ENGINE_ALGORITHM_H
#define ENGINE_ALGORITHM_H

#include "engine/benchmark.h"
#include "engine/session.h"
#include "host/work.h"

/* Calibrate, if any measurement of the plan runs an algorithm. algorithm_check calibrates again at
 * the end of the run and writes the drift in % into the document. Both are collective over all
 * ranks. */
cb_status algorithm_calibrate(engine_session *session, const bench_plan *plan);
cb_status algorithm_check(const engine_session *session);

/* Refine this rank's calibration and convert `us` to units of host_work, at the fastest rate found
 * so far. If us <= 0, *units is 0 and nothing is calibrated. Local. */
cb_status algorithm_units(host_work_rate *rate, double us, uint64_t *units);

/* Mean time of one run of the algorithm over all ranks of the team, in us, by their own clocks.
 * Negative if it never ran. The result is valid at index 0 of the team. Collective over the team.
 */
cb_status algorithm_mean_us(control_team *team, uint64_t elapsed_ns, uint64_t runs,
                            double *mean_us);

#endif
