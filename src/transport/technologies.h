/* The technologies that can be built in; the list in technologies.c says which are. */
#ifndef TRANSPORT_TECHNOLOGIES_H
#define TRANSPORT_TECHNOLOGIES_H

#include "transport/transport.h"

extern const transport_technology transport_null;
extern const transport_technology transport_mpi;
extern const transport_technology transport_sci;
extern const transport_technology transport_tcp;
extern const transport_technology transport_udp;

#endif
