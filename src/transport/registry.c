/* The list of technologies. A new one is declared and listed here. */
#include "transport/transport.h"

extern const transport_technology transport_mpi, transport_sci, transport_tcp, transport_udp,
    transport_ofi, transport_ucx, transport_rma, transport_null;

const transport_technology *const transport_technologies[] = {
    &transport_mpi, &transport_sci, &transport_tcp,  &transport_udp, &transport_ofi,
    &transport_ucx, &transport_rma, &transport_null, NULL,
};
