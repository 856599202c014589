/* The messages that a rank of the recorder has not received yet, in a queue for each sender.
 *
 * Receives from several senders go in rounds: each round takes one message of every known sender. A
 * rank waits for the missing ones, and starts a new round early only if no other rank can run. So
 * the order does not depend on which rank happens to run first. */
#ifndef WORLD_MAILBOX_H
#define WORLD_MAILBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "transport/transport.h"

/* Part of each message. */
typedef struct mailbox_item {
    struct mailbox_item *next;           /* of the same sender */
    struct mailbox_item *before, *after; /* in the order in which they came to the mailbox */
    uint32_t sender;
    uint32_t number; /* among the sender's messages to the mailbox, from 1 on; 0: as they come */
} mailbox_item;

typedef struct {
    uint32_t sender;
    mailbox_item *first, *last;
    uint32_t number; /* of the last one that had a number */
} mailbox_channel;

typedef struct {
    mailbox_channel *channels;
    size_t count, room;
    uint32_t *slots; /* hash table by sender: 1 + index of the channel; 0: free */
    size_t slot_count;
    mailbox_item *oldest, *newest; /* of all senders */
    mailbox_item *early;           /* that came before one with a smaller number */
    /* With rounds; else NULL: */
    uint64_t *ready; /* a bit for each sender with messages, */
    size_t ready_count;
    uint64_t *due;       /* and for each that has not had its turn in the round; */
    size_t due_count;    /* number of those */
    size_t considered;   /* channels that have been in some round */
    uint64_t round_turn; /* turn of the scheduler in which one of these was last received */
} mailbox;

/* How a rank chooses among messages. */
typedef struct {
    transport_node *const *members; /* by rank: NULL if it is not in the group */
    size_t ranks;
    size_t heard_first; /* ranks below this go first; a round of the others takes a turn */
    uint64_t turn;
    bool stuck;
} mailbox_order;

/* The mailbox is zero, and nothing was put. Only one with rounds has mailbox_take_any; it takes
 * memory for all ranks. CB_ERROR_MEMORY, logged. Close it afterwards in any case. */
cb_status mailbox_keep_rounds(mailbox *box, size_t ranks);

/* The mailbox is empty; one that was never used is zero. */
void mailbox_close(mailbox *box);

/* Append a message to its sender's queue, or keep it until those with smaller numbers have come.
 * After CB_ERROR_MEMORY, logged, the caller still owns it. */
cb_status mailbox_put(mailbox *box, uint32_t sender, mailbox_item *put);

/* The next message of a sender; NULL if there is none. */
mailbox_item *mailbox_next(const mailbox *box, uint32_t sender);

/* Remove it. */
mailbox_item *mailbox_take(mailbox *box, uint32_t sender);

/* Remove the oldest message of all senders, at last those that are kept; NULL if there is none. */
mailbox_item *mailbox_take_oldest(mailbox *box);

/* Remove a message of a group; NULL if none may be received now. */
mailbox_item *mailbox_take_any(mailbox *box, const mailbox_order *order, uint32_t *sender);

/* The oldest message of a group; NULL if there is none. */
mailbox_item *mailbox_oldest(const mailbox *box, transport_node *const *members);

#endif
