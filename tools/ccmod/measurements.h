/* Measurements for a calibration. */
#ifndef TOOLS_CCMOD_MEASUREMENTS_H
#define TOOLS_CCMOD_MEASUREMENTS_H

#include "base/status.h"
#include "tools/ccmod/measurements_columns.h"

/* Read a result of cb_calibrate or cb_oneway (a JSON document, which begins with a brace), or two
 * columns. Errors are logged. Close with measurements_close in any case. */
cb_status measurements_read(const char *path, bool round_trips, measurements *out);

/* The contention between flows, relative to the fitted holds of the calibration; NaN without holds.
 */
void measurements_find_contentions(measurements *found, const ccmod_calibration *calibration);

/* How long an acknowledgement occupies its links. If the calibration knows packets: the time of a
 * header. Otherwise the delay of a packet in a ring, but at most the time of an empty message. 0 if
 * there is none: over another technology than tcp, if the delay is less than half of that time. */
double measurements_acknowledgement(const measurements *found,
                                    const ccmod_calibration *calibration);

/* How links share messages that meet, as share_rule of a calibration: 0 if that was not measured,
 * or the calibration does not know packets, except if each message is a datagram. */
unsigned measurements_share_rule(const measurements *found, const ccmod_calibration *calibration);

#endif
