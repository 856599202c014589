/* What has come to a rank of the recorder and was not received yet: a queue for each sender, and
 * the turns that the queues take, so that a receive from several is fair. */
#ifndef BENCH_MAILBOX_H
#define BENCH_MAILBOX_H

#include "transport/transport.h"

typedef struct bench_channel bench_channel;

/* Empty with its size alone. */
typedef struct {
    size_t size;                /* senders, numbered from 0 */
    bench_channel **channels;   /* of each sender, made by its first message */
    bench_channel *next, *last; /* whose turn it is, of those with messages */
} bench_mailbox;

/* Put a message behind the others of its sender. CB_ERROR_MEMORY, logged; the message is then still
 * the caller's. */
cb_status bench_mailbox_put(bench_mailbox *box, int sender, transport_buffer *message);

/* Take the next message of a sender, or of any for which `members` is not NULL: of those the one
 * whose turn it is. *sender is who sent it. NULL where none has come. */
transport_buffer *bench_mailbox_take(bench_mailbox *box, int sender);
transport_buffer *bench_mailbox_take_any(bench_mailbox *box, transport_node *const *members,
                                         int *sender);

/* Free the queues; messages in them are given to `release`. */
void bench_mailbox_clear(bench_mailbox *box, void (*release)(transport_buffer *message));

#endif
