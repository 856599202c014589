/* The list of technologies: a new one is a row here. */
#include "transport/technologies.h"

const transport_technology *const transport_technologies[] = {
    &transport_mpi,
    &transport_null,
    NULL,
};
