/* Measurements from which a calibration is made. */
#ifndef TOOLS_CCMOD_MEASUREMENTS_H
#define TOOLS_CCMOD_MEASUREMENTS_H

#include "base/status.h"
#include "tools/ccmod/measurements_columns.h"

/* Read the result of cb_calibrate or cb_oneway (a JSON document, that is: it begins with a brace),
 * or two columns. What is wrong is logged. Closed by measurements_close in any case. */
cb_status measurements_read(const char *path, bool round_trips, measurements *out);

#endif
