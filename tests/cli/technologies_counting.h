/* A technology that is another one, and counts what is sent over it: to whom, and how many bytes.
 */
#ifndef TESTS_TECHNOLOGIES_COUNTING_H
#define TESTS_TECHNOLOGIES_COUNTING_H

#include <stdio.h>

#include "transport/transport.h"

/* Open `counted` so. One at a time, in a process. */
cb_status counting_open(const transport_technology *counted, const transport_bootstrap *bootstrap,
                        transport_factory **out);

/* A line "FROM TO BYTES MESSAGES" for each receiver and size, and forget them; -1 where not all
 * could be written. A technology's own multicast counts once for each receiver. */
int counting_write(FILE *stream);

#endif
