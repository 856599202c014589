/* The rows of the Context OFI. */
#include "transport/ofi/parameters.h"

#include <stdio.h>

enum { DEPTH_MOST = 1 << 20 };

static const char *const methods[] = {
    [OFI_METHOD_MESSAGE] = "message", [OFI_METHOD_WRITE] = "write", NULL};

/* Messages and words are received from one queue. */
static bool accepts_depth(uint64_t value, char why[CB_WHY_BYTES])
{
    if (value != 1)
        return true;
    snprintf(why, CB_WHY_BYTES, "one is for messages and one for credits; use 2 or more");
    return false;
}

static const cb_parameter rows[] = {
    REMOTE_PARAMETER_ROWS,
    {.name = "method",
     .scopes = REMOTE_SAME,
     .kind = CB_PARAMETER_CHOICE,
     .offset = offsetof(ofi_settings, method),
     .choices = methods,
     .help = "Messages into posted buffers, or writes with completion data into announced ones"},
    {.name = "provider",
     .scopes = REMOTE_SAME,
     .kind = CB_PARAMETER_TEXT,
     .offset = offsetof(ofi_settings, provider),
     .help = "The provider of libfabric, such as tcp;ofi_rxm; by default the first that fits, in "
             "the order of docs/reference/technologies.md"},
    {.name = "domain",
     .scopes = REMOTE_OWN,
     .kind = CB_PARAMETER_TEXT,
     .offset = offsetof(ofi_settings, domain),
     .help = "The domain of the provider, such as the name of a network interface; by default its "
             "first"},
    {.name = "tx_depth",
     .scopes = REMOTE_OWN,
     .offset = offsetof(ofi_settings, tx_depth),
     .maximum = DEPTH_MOST,
     .help = "Number of operations that the provider's transmit queue holds; 0: its default"},
    {.name = "rx_depth",
     .scopes = REMOTE_OWN,
     .offset = offsetof(ofi_settings, rx_depth),
     .maximum = DEPTH_MOST,
     .accepts = accepts_depth,
     .help = "Number of buffers that the provider's receive queue holds; 0: its default"},
    {.name = "inject_size",
     .scopes = REMOTE_OWN,
     .kind = CB_PARAMETER_SIZE,
     .offset = offsetof(ofi_settings, inject_size),
     .default_value = CB_PARAMETER_ABSENT,
     .maximum = UINT64_C(1) << 20,
     .help = "Largest message that is injected, so that its buffer is free at once; by default the "
             "provider's limit"},
};

static void derive(const cb_job *job, void *values)
{
    remote_derive(job, values);
}

const cb_parameter_set ofi_parameters = {
    .context = "OFI",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .bytes = sizeof(ofi_settings),
    .derive = derive,
};
