/* The parameters and counters that the technologies over remote/ have in common. Independent of
 * their libraries, so that a build without one of these reads the same files. */
#ifndef TRANSPORT_REMOTE_PARAMETERS_H
#define TRANSPORT_REMOTE_PARAMETERS_H

#include "base/parameters.h"
#include "transport/remote/remote.h"

/* All processes of a job need the same value; or each may have its own. */
enum {
    REMOTE_SAME = CB_SCOPE_TOP | CB_SCOPE_JOB,
    REMOTE_OWN = CB_SCOPE_TOP | CB_SCOPE_NODE | CB_SCOPE_MACHINE | CB_SCOPE_JOB
};

/* The parameters that all of these technologies have; their structs begin with it. 0: derived from
 * the job. */
typedef struct {
    uint64_t outstanding;
    uint64_t buffer_size;
} remote_settings;

/* Their rows, the first of a technology's set. The same for all nodes. */
#define REMOTE_PARAMETER_ROWS                                                                      \
    {.name = "outstanding",                                                                        \
     .scopes = CB_SCOPE_TOP | CB_SCOPE_JOB,                                                        \
     .offset = offsetof(remote_settings, outstanding),                                             \
     .maximum = REMOTE_OUTSTANDING_MOST,                                                           \
     .accepts = remote_accepts_outstanding,                                                        \
     .help = "Maximum number of messages to another process that it has not released, a power "    \
             "of 2; 0: follows from the job"},                                                     \
    {                                                                                              \
        .name = "buffer_size", .scopes = CB_SCOPE_TOP | CB_SCOPE_JOB, .kind = CB_PARAMETER_SIZE,   \
        .offset = offsetof(remote_settings, buffer_size), .maximum = UINT64_C(1) << 30,            \
        .help = "Size of a receive buffer; a longer message is sent in pieces; 0: follows from "   \
                "the job"                                                                          \
    }

bool remote_accepts_outstanding(uint64_t value, char why[CB_WHY_BYTES]);

/* Derive both parameters from the job. Pure. */
void remote_derive(const cb_job *job, remote_settings *settings);

#endif
