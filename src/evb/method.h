/* What the plain passes cannot measure of event building: latencies of events, shares, accounts. */
#ifndef EVB_METHOD_H
#define EVB_METHOD_H

#include "engine/method.h"

/* `method` of the definition. */
extern const measurement_method evb_method;
#endif
