/* The parameters of the technology ucx. */
#ifndef TRANSPORT_UCX_PARAMETERS_H
#define TRANSPORT_UCX_PARAMETERS_H

#include "transport/remote/parameters.h"

/* How messages are moved. */
enum { UCX_AM, UCX_PUT };

typedef struct {
    remote_settings remote;
    uint64_t method;
    uint64_t transports, devices; /* texts */
} ucx_settings;

extern const cb_parameter_set ucx_parameters;

#endif
