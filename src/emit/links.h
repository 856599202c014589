/* Links of a network for the order in which messages arrive: each node has a full-duplex link to
 * one switch, all are equally fast, and time is counted in bytes.
 *
 * A message is divided into parts, of which a link carries one at a time. In the queue of its
 * source's link it has at most ten packets, or one part if that is longer, so that long messages to
 * different destinations share that link; messages of a pair stay in order. A part asks for the
 * link of its destination as soon as it has that of its source. Share rule fifo of the model
 * computes the same for pairs that were idle (src/model/sharing/flows_fifo.c): in its evaluation
 * messages come about in this order. */
#ifndef EMIT_LINKS_H
#define EMIT_LINKS_H

#include <stddef.h>

#include "base/status.h"

typedef struct emit_links emit_links;

/* CB_ERROR_MEMORY, logged. */
cb_status emit_links_open(size_t nodes, emit_links **out);
void emit_links_close(emit_links *links); /* NULL is accepted */

/* Send a message at `time`, not before that of the last event. `what` is returned when it arrives.
 * CB_ERROR_MEMORY, logged. */
cb_status emit_links_send(emit_links *links, size_t from, size_t to, size_t bytes, double time,
                          void *what);

/* Time of the next event; INFINITY: none. */
double emit_links_next(const emit_links *links);

typedef struct {
    void *what; /* NULL: no message has arrived */
    size_t from, to;
    double time;
} emit_arrival;

/* Let the next event happen; there is one. CB_ERROR_MEMORY, logged. */
cb_status emit_links_pass(emit_links *links, emit_arrival *out);

/* The time that a packet takes, in bytes. */
double emit_links_packet(void);

#endif
