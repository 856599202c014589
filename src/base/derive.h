/* Settings where there are no configuration files: made from the job, so that every limit holds. */
#ifndef BASE_DERIVE_H
#define BASE_DERIVE_H

#include "base/settings.h"

/* The Context SCI of every process of a job. Pure. There is a header, and there are inline lines
 * and receive buffers, for each other process and all that it may have outstanding, and receive
 * buffers for what is held; the segment is full to the byte. A receive buffer takes the largest
 * message of the run, as long as one for each peer does not need more than 256 MiB. */
cb_sci_settings cb_derive_sci(const cb_job *job);

/* Settings of all processes of a job, without names, groups and node_id; the id is the rank, and
 * the Contexts TCP and UDP have their defaults.
 * CB_ERROR_MEMORY, logged; then there is nothing to free. */
cb_status cb_derive_settings(const cb_job *job, cb_settings *out);

#endif
