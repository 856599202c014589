/* Faults that test technologies inject into a message sent over mpi. One message can be held
 * back at a time. */
#ifndef TESTS_DEFECTS_H
#define TESTS_DEFECTS_H

#include <stdint.h>

#include "transport/transport.h"

extern const transport_technology transport_mpi, transport_null;

/* The destination of a message: a node, or a group if mpi's own multicast is used. */
typedef struct {
    transport_node *node;
    transport_group *group; /* or NULL */
} defect_way;

/* Takes ownership of the buffer, as a send does. */
typedef cb_status (*defect)(defect_way to, transport_buffer *buffer);

/* The fault of this name: drop, double, reorder (hold the message until the next one to the same
 * destination was sent), swap (with the next message, which has to be to another node), corrupt
 * (the last byte), mislabel (the first byte) or cut (by a byte). NULL for NULL and unknown names.
 */
defect defect_named(const char *name);

/* Send a message unchanged, then the message held back for the same destination. */
cb_status defect_send(defect_way to, transport_buffer *buffer);

/* Send the message that is held back, if any. */
cb_status defect_send_held(void);

/* The words of an environment variable, separated by commas; the last one stands for those that are
 * missing. Returns the number of words that it has. */
enum { DEFECT_WORDS = 16 };
size_t defect_words(const char *name, const char *without, const char *words[DEFECT_WORDS]);

/* The number in an environment variable. */
uint64_t defect_number(const char *name, uint64_t without);

#endif
