/* The list of technologies: a new one is a row here. */
#include "config.h"

#include "transport/technologies.h"

const transport_technology *const transport_technologies[] = {
    &transport_mpi, &transport_null,
#ifdef HAVE_SISCI
    &transport_sci,
#endif
    &transport_tcp, &transport_udp,  NULL,
};
