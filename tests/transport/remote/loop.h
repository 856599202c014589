/* A driver of the protocol whose processes are threads of the test, and whose wire is a list for
 * each of them: it delays, reorders, refuses and repeats at random, and adds messages of another
 * job. */
#ifndef TESTS_TRANSPORT_REMOTE_LOOP_H
#define TESTS_TRANSPORT_REMOTE_LOOP_H

#include <check.h>

#include "transport/remote/remote.h"

enum { LOOP_RANKS_MOST = 8 };

/* How the driver moves a message. */
typedef enum {
    LOOP_MESSAGE, /* it is received into the slot */
    LOOP_BACKED,  /* it is in memory of the library until its release */
    LOOP_APART,   /* the same, and its header is not before the payload */
    LOOP_FETCHED, /* it is announced, and fetched later */
    LOOP_WRITTEN, /* the sender writes it into the slot */
    LOOP_WAYS
} loop_way;

extern const char *const loop_way_names[LOOP_WAYS];

/* Chances are in percent. */
typedef struct {
    loop_way way;
    int ranks;
    uint64_t outstanding, buffer_size; /* 0: derived */
    size_t piece_limit;
    size_t message_bytes; /* announced */
    unsigned delayed;     /* a packet, or the completion of a send, by some polls */
    unsigned refused;     /* a send or word, for want of room */
    unsigned foreign;     /* beside a packet: one of another job, or one that was not granted */
    uint32_t first;       /* number of the first messages */
    int dead;             /* rank whose process ends while the ranks meet; 0: none */
    bool elsewhere;       /* it is on another host: the second word to it fails */
    bool many_senders;
    uint64_t seed;
} loop_plan;

/* A process: a thread with its factory. */
typedef struct {
    int rank;
    const loop_plan *plan;
    transport_factory *factory;
    transport_node *nodes[LOOP_RANKS_MOST]; /* NULL: itself */
    cb_status closed;                       /* outcome of its close */
} loop_end;

/* Run `body` in each rank, between open and close; with a dead rank, each open has to fail, and
 * `body` is not run. */
void loop_run(const loop_plan *plan, void (*body)(loop_end *end));

/* Wait for all ranks. */
void loop_meet(void);

/* Of all ranks, while `body` runs: */
size_t loop_polls(const loop_end *end);     /* calls of the driver's poll by this rank */
size_t loop_words(const loop_end *end);     /* words told by this rank */
size_t loop_foreign(const loop_end *end);   /* packets to this rank that it has to drop */
void loop_refuse(loop_end *end, bool all);  /* sends of this rank */
void loop_cut(loop_end *end);               /* from now on nothing leaves this rank */
void loop_break(loop_end *end, int rank);   /* words of this rank to that one fail */
void loop_end_process(remote_node *node);   /* the process of a node ends, as its factory sees it */
size_t loop_lingering(const loop_end *end); /* flushes until the library has sent all */
void loop_fill_memory(loop_end *end);       /* from now on no pool of this rank grows */
remote_factory *loop_factory(loop_end *end);

/* Message `number` of `source`: its bytes follow from both. */
transport_buffer *loop_message(loop_end *end, uint64_t number, size_t bytes);
void loop_send(loop_end *end, int rank, uint64_t number, size_t bytes);
void loop_check(const transport_buffer *buffer, int source, uint64_t number, size_t bytes);
void loop_receive(loop_end *end, int rank, uint64_t number, size_t bytes);

#define LOOP_OK(call) ck_assert_int_eq((call), CB_OK)

#endif
