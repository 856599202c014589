/* A technology for unit tests of what stands above the transport: it moves buffers through queues
 * inside the process. Each node is one way out and one way in, and a receive that finds nothing
 * lets the other side go on. */
#ifndef TESTS_ENGINE_LOOP_H
#define TESTS_ENGINE_LOOP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/benchmark.h"
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
    void (*go_on)(void *other); /* called while a receive finds nothing; NULL: none */
    void *other;
    const size_t *arrivals; /* of a waiting receive from a group, of one too: which node is next */
    size_t created;         /* buffers, so far */
    cb_status broken;       /* what a waiting receive from a node gives, where that is an error */
} loop_factory;

/* One side with some peers. */
typedef struct {
    loop_factory factory;
    loop_node nodes[MOST_PEERS];
    transport_node *listed[MOST_PEERS];
    transport_group group;
    bench_peer peers[MOST_PEERS];
    int ranks[MOST_PEERS + 1];
    bench_rank me;
} side;

/* A side of packets of 8 bytes that touches what it receives; its nodes have no queues yet. */
void make_side(side *s, size_t peers, unsigned window);

/* Every buffer is new, filled as traffic_fill has it, and freed as soon as it is released. */
void loop_buffer_release(transport_buffer *buffer);

/* Release what will not be received. */
void discard(queue *q);

#endif
