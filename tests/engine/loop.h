/* A technology for unit tests of the layers above the transport. It moves buffers through queues
 * inside the process. Each node has one outgoing and one incoming queue, and a receive that
 * finds nothing lets the other side continue. */
#ifndef TESTS_ENGINE_LOOP_H
#define TESTS_ENGINE_LOOP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/traffic.h"
#include "transport/transport.h"

enum { MOST_PEERS = 4 };

typedef struct {
    transport_buffer *first, **end;
    size_t length;
} queue;

typedef struct {
    transport_node base;
    queue *out, *in;
} loop_node;

typedef struct {
    transport_factory base;
    void (*go_on)(void *other); /* called when a receive finds nothing, or NULL */
    void *other;
    const size_t *arrivals; /* next node for a waiting receive from a group, even of one node */
    size_t created;         /* number of buffers allocated so far */
    cb_status broken;       /* error that a waiting receive from a node returns, if any */
} loop_factory;

/* One side with its peers. */
typedef struct {
    loop_factory factory;
    loop_node nodes[MOST_PEERS];
    transport_node *listed[MOST_PEERS];
    transport_group group;
    bench_peer peers[MOST_PEERS];
    int ranks[MOST_PEERS + 1];
    bench_rank me;
} side;

/* Create a side that sends packets of 8 bytes and touches those it receives; its nodes have no
 * queues yet. */
void make_side(side *s, size_t peers, unsigned window);

/* Every buffer is new, filled by traffic_fill, and freed when it is released. */
void loop_buffer_release(transport_buffer *buffer);

/* Release messages that will not be received. */
void discard(queue *q);

#endif
