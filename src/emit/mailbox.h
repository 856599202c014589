/* What has come to a rank of the recorder and was not received yet: a queue for each sender, and
 * the turns that the queues take, so that a receive from several is fair. */
#ifndef EMIT_MAILBOX_H
#define EMIT_MAILBOX_H

#include "transport/transport.h"

typedef struct emit_channel emit_channel;

/* Empty with its size alone. */
typedef struct {
    size_t size;               /* senders, numbered from 0 */
    emit_channel **channels;   /* of each sender, made by its first message */
    emit_channel *next, *last; /* whose turn it is, of those with messages */
} emit_mailbox;

/* Put a message after the others of its sender. CB_ERROR_MEMORY, logged; the message is then still
 * the caller's. */
cb_status emit_mailbox_put(emit_mailbox *box, int sender, transport_buffer *message);

/* Take the next message of a sender, or of any for which `members` is not NULL: of those the one
 * whose turn it is. *sender is who sent it. NULL where none has come. */
transport_buffer *emit_mailbox_take(emit_mailbox *box, int sender);
transport_buffer *emit_mailbox_take_any(emit_mailbox *box, transport_node *const *members,
                                        int *sender);

/* Free the queues; messages in them are given to `release`. */
void emit_mailbox_clear(emit_mailbox *box, void (*release)(transport_buffer *message));

#endif
