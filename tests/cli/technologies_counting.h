/* A technology that wraps another one and counts the messages and bytes sent to each rank. */
#ifndef TESTS_TECHNOLOGIES_COUNTING_H
#define TESTS_TECHNOLOGIES_COUNTING_H

#include <stdio.h>

#include "transport/transport.h"

/* Open `counted` with counting. Only one can be open in a process. */
cb_status counting_open(const transport_technology *counted, const transport_bootstrap *bootstrap,
                        transport_factory **out);

/* Write a line "FROM TO BYTES MESSAGES" for each receiver and size, and clear the counts.
 * Returns -1 on a write error. A multicast by the technology counts once per receiver. */
int counting_write(FILE *stream);

#endif
