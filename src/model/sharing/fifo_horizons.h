/* Signals of event horizons with share rule fifo. Nothing is recorded unless an observer needs
 * them. Internal to src/model. */
#ifndef MODEL_SHARING_FIFO_HORIZONS_H
#define MODEL_SHARING_FIFO_HORIZONS_H

#include "model/sharing/traffic.h"

/* The message enters the links. */
ccmod_status ccmod_fifo_horizons_start(ccmod_traffic *traffic, uint32_t message);
/* A horizon ends now: signal it as of its beginning, before the traffic changes. */
ccmod_status ccmod_fifo_horizons_begin(ccmod_traffic *traffic);
/* The traffic has changed: signal what was consumed. Messages in traffic->ended leave. */
ccmod_status ccmod_fifo_horizons_end(ccmod_traffic *traffic);

#endif
