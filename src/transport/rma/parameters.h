/* The Context RMA. */
#ifndef TRANSPORT_RMA_PARAMETERS_H
#define TRANSPORT_RMA_PARAMETERS_H

#include "transport/remote/parameters.h"

typedef struct {
    remote_settings remote;
} rma_settings;

extern const cb_parameter_set rma_parameters;

#endif
