/* A list of technologies for tests of configuration files. */
#ifndef TESTS_BASE_TECHNOLOGIES_H
#define TESTS_BASE_TECHNOLOGIES_H

#include "base/context.h"
#include "transport/ofi/parameters.h"
#include "transport/sci/parameters.h"
#include "transport/tcp/internal.h"
#include "transport/udp/internal.h"

static const cb_config_technology known_technologies[] = {
    {.name = "mpi"},
    {.name = "sci", .parameters = &sci_parameters, .is_default = true},
    {.name = "tcp", .parameters = &tcp_parameters},
    {.name = "udp", .parameters = &udp_parameters},
    {.name = "ofi", .parameters = &ofi_parameters},
};

enum { KNOWN_TECHNOLOGIES = sizeof(known_technologies) / sizeof(known_technologies[0]) };

#endif
