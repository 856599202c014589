/* Measurements from which a calibration is made. */
#ifndef TOOLS_CCMOD_MEASUREMENTS_H
#define TOOLS_CCMOD_MEASUREMENTS_H

#include "base/status.h"
#include "tools/ccmod/measurements_columns.h"

/* Read the result of cb_calibrate or cb_oneway (a JSON document, that is: it begins with a brace),
 * or two columns. What is wrong is logged. Closed by measurements_close in any case. */
cb_status measurements_read(const char *path, bool round_trips, measurements *out);

/* What flows take from each other, beside the fitted holds of the calibration; without holds NaN.
 */
void measurements_find_contentions(measurements *found, const ccmod_calibration *calibration);

/* How long an acknowledgement keeps its links: what a packet waits in a ring, but no longer than a
 * message without bytes; 0 where there is none, or what waits is less than half of that. */
double measurements_acknowledgement(const measurements *found,
                                    const ccmod_calibration *calibration);

#endif
