/* The rows of the Context UCX. */
#include "transport/ucx/parameters.h"

static const char *const methods[] = {[UCX_AM] = "am", [UCX_PUT] = "put", NULL};

static const cb_parameter rows[] = {
    REMOTE_PARAMETER_ROWS,
    {.name = "method",
     .kind = CB_PARAMETER_CHOICE,
     .scopes = REMOTE_SAME,
     .offset = offsetof(ucx_settings, method),
     .choices = methods,
     .help = "Messages are active messages, or are put into the receiver's memory and then "
             "announced"},
    {.name = "transports",
     .kind = CB_PARAMETER_TEXT,
     .scopes = REMOTE_OWN,
     .offset = offsetof(ucx_settings, transports),
     .help = "The transports that UCX may use, separated by commas, as in UCX_TLS; none: as UCX "
             "chooses"},
    {.name = "devices",
     .kind = CB_PARAMETER_TEXT,
     .scopes = REMOTE_OWN,
     .offset = offsetof(ucx_settings, devices),
     .help = "The network devices that UCX may use, separated by commas, as in UCX_NET_DEVICES; "
             "none: as UCX chooses"},
};

static void derive(const cb_job *job, void *values)
{
    remote_derive(job, values);
}

const cb_parameter_set ucx_parameters = {
    .context = "UCX",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .bytes = sizeof(ucx_settings),
    .derive = derive,
};
