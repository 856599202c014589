/* The algorithm that receiving processors run on each packet: work that is calibrated on each
 * rank's core before the first measurement and again before each, and compared with the clock after
 * the last. */
#ifndef ENGINE_ALGORITHM_H
#define ENGINE_ALGORITHM_H

#include "engine/benchmark.h"
#include "engine/session.h"
#include "host/work.h"

/* Calibrate the work of algorithms where the plan has any; collective over all. Check it again at
 * the end, and put into the document by how much it drifted. */
cb_status algorithm_calibrate(engine_session *session, const bench_plan *plan);
cb_status algorithm_check(const engine_session *session);

/* Calibrate this rank's core once more; *units take `us` at the fastest rate that was found so far.
 * None, and no calibration, for a time that is not above 0. */
cb_status algorithm_units(host_work_rate *rate, double us, uint64_t *units);

/* The mean over all runs of the algorithm, as the clocks of the ranks saw them that ran it;
 * negative where none did. It counts at index 0 of the team. Together. */
cb_status algorithm_mean_us(control_team *team, uint64_t elapsed_ns, uint64_t runs,
                            double *mean_us);

#endif
