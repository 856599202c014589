/* What technologies with a defect do to a message in place of sending it, over mpi. One message can
 * be held back at a time. */
#ifndef TESTS_DEFECTS_H
#define TESTS_DEFECTS_H

#include <stdint.h>

#include "transport/transport.h"

extern const transport_technology transport_mpi, transport_null;

/* Where a message goes: to a node, or to a group by mpi's own multicast. */
typedef struct {
    transport_node *node;
    transport_group *group; /* or NULL */
} defect_way;

/* Takes the buffer, as a send does. */
typedef cb_status (*defect)(defect_way to, transport_buffer *buffer);

/* drop, double, reorder (held until the next one the same way is sent), corrupt (the last
 * byte), mislabel (the first) or cut (by a byte); NULL for any other name, and for NULL. */
defect defect_named(const char *name);

/* Send a message as it is, and after it the one that is held for the same way. */
cb_status defect_send(defect_way to, transport_buffer *buffer);

/* Send the one that is held, if any. */
cb_status defect_send_held(void);

/* A number of the environment. */
uint64_t defect_number(const char *name, uint64_t without);

#endif
