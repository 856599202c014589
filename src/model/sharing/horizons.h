/* Signals of an event horizon that do not depend on the share rule. Internal to src/model. */
#ifndef MODEL_SHARING_HORIZONS_H
#define MODEL_SHARING_HORIZONS_H

#include "model/sharing/traffic.h"

/* GO_STARTEVENT and SYSCONT, of the traffic since `since_us`. */
ccmod_status ccmod_horizon_signal_traffic(ccmod_traffic *traffic, double since_us);

/* EVENTHORIZON. */
ccmod_status ccmod_horizon_signal_duration(const ccmod_traffic *traffic, double since_us,
                                           double passed_us);

#endif
