/* Settings where there are no configuration files: made from the job, so that every limit holds. */
#ifndef BASE_DERIVE_H
#define BASE_DERIVE_H

#include "base/settings.h"

/* The Context SCI of every process of a job. Pure. All processes get the same: a header and inline
 * lines for each other process, receive buffers that take the largest message of the run whole, as
 * many outstanding as the segment has room for, and an area for each that is exactly full. */
cb_sci_settings cb_derive_sci(const cb_job *job);

/* Settings of all processes of a job, without names, groups and node_id. CB_ERROR_MEMORY, logged;
 * then there is nothing to free. */
cb_status cb_derive_settings(const cb_job *job, cb_settings *out);

#endif
