/* The Context OFI. */
#ifndef TRANSPORT_OFI_PARAMETERS_H
#define TRANSPORT_OFI_PARAMETERS_H

#include "transport/remote/parameters.h"

/* How messages travel. */
enum { OFI_METHOD_MESSAGE, OFI_METHOD_WRITE };

typedef struct {
    remote_settings remote;
    uint64_t method;   /* OFI_METHOD_MESSAGE, OFI_METHOD_WRITE */
    uint64_t provider; /* texts, see cb_parameter_text */
    uint64_t domain;
    uint64_t tx_depth, rx_depth; /* operations; 0: the provider's default */
    uint64_t inject_size;        /* bytes; CB_PARAMETER_ABSENT: the provider's limit */
} ofi_settings;

extern const cb_parameter_set ofi_parameters;

#endif
