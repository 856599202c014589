/* What a result of cb_calibrate tells beside its ping-pong. */
#ifndef TOOLS_CCMOD_MEASUREMENTS_FLOWS_H
#define TOOLS_CCMOD_MEASUREMENTS_FLOWS_H

#include "report/reading.h"
#include "tools/ccmod/measurements_columns.h"

/* What a result of cb_calibrate tells beside its points, which are there. */
void measurements_read_flows(const report_reading *reading, measurements *found);

/* What flows take from each other, beside the fitted holds of the calibration; without holds NaN.
 */
void measurements_find_contentions(measurements *found, const ccmod_calibration *calibration);

/* How long an acknowledgement keeps its links: what a packet waits in a ring, but no longer than a
 * message without bytes; 0 where there is none, or what waits is less than half of that. */
double measurements_acknowledgement(const measurements *found,
                                    const ccmod_calibration *calibration);

#endif
