/* Receives in the order of the sends. A program may receive the messages of another rank in any
 * order, by tags and communicators, but a trace has no tags: the first receive takes the first
 * message. */
#ifndef TRACER_ORDER_H
#define TRACER_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A receive of messages from one rank. */
typedef struct {
    uint64_t place; /* of its record */
    uint64_t done;  /* place of the record that completes it: its own, or of the wait after it */
    uint64_t bytes;
    bool taken; /* set by tracer_order */
} tracer_receipt;

/* What becomes of the receipt `index`: it follows the record at `after`, which is its own place
 * if it stays there, and gets `bytes`. */
typedef struct {
    size_t index;
    uint64_t after, bytes;
} tracer_arrangement;

/* Arrange `count` receipts, sorted by place, so that the k-th takes the message of sent[k] bytes.
 * Each stays where it is or moves to a later place before its `done`. Of those that the message may
 * complete without delaying another one beyond its `done`, the first with the same bytes takes it;
 * if there is none, that which is done first, with the bytes of the message. When a program
 * completes its k-th receive, k messages were sent to it, so that this makes no deadlock. */
void tracer_order(tracer_receipt *receipts, size_t count, const uint64_t *sent,
                  tracer_arrangement *out);

#endif
