/* Two processes with a factory of the technology sci each, without a launcher: what the tests of
 * the layer share. Each end is a child; an end that fails says why on stderr. */
#ifndef TESTS_TRANSPORT_SCI_PAIR_H
#define TESTS_TRANSPORT_SCI_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"
#include "transport/transport.h"

enum { PAIR_WRONG = 1, PAIR_LOST = 2, PAIR_STUCK = 3, PAIR_KILLED = 4, PAIR_REFUSED = 5 };

typedef struct {
    transport_factory *factory;
    transport_node *node; /* the other end */
    int rank;
    int line; /* a socket to the other end, for synchronisation in tests */
} pair_end;

typedef void (*pair_body)(pair_end *end);

/* End this process with `outcome` unless `condition` holds. */
#define PAIR_REQUIRE(condition, outcome)                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            _exit(outcome);                                                                        \
        }                                                                                          \
    } while (0)

/* Settings of two processes: number outstanding, lines or notices, receive buffers of `bytes` and
 * `spare` of them beyond what the peer may fill; and, as if from files, a pool of this many send
 * buffers of a size. */
typedef struct {
    uint64_t outstanding, bytes, spare;
    bool lines, heap, acknowledge_each;
    uint64_t multiple;                 /* of what is written; 0: 1 */
    uint64_t pool_buffers, pool_bytes; /* 0: the pool follows from what is prepared */
} pair_form;

typedef struct {
    pair_form form;
    size_t message_bytes;
    bool many_senders;
    transport_wait wait;
    const char *faults; /* SISCI_SHM_FAULTS, or NULL */
    pair_body bodies[2];
    /* Called at each end after close: whether to open and run once more. NULL: once only. */
    bool (*again)(pair_end *end);
} pair_plan;

/* Run both bodies between open and close. outcomes[rank] is 0, or the PAIR_ value of the end;
 * PAIR_STUCK after a minute from an opening. */
void pair_run(const pair_plan *plan, int outcomes[2]);

/* Start it and wait for it later; two of them are two jobs. */
typedef struct {
    int children[2];
} pair_job;

pair_job pair_start(const pair_plan *plan);
void pair_wait(pair_job job, int outcomes[2]);

/* Message `number` of `source`: its bytes follow from both. pair_check ends the process. */
transport_buffer *pair_message(const pair_end *end, uint64_t number, size_t bytes);
void pair_send(pair_end *end, uint64_t number, size_t bytes);
void pair_check(const transport_buffer *buffer, int source, uint64_t number, size_t bytes);
void pair_receive(pair_end *end, uint64_t number, size_t bytes);

/* This many threads of this end (16 at most) send `each` messages of up to 480 bytes, while this
 * one receives as many from the other end: each once and whole, and those of a thread in order. The
 * factory is one for many senders; what was sent may still wait in a queue. */
void pair_talk_by_threads(pair_end *end, size_t threads, uint64_t each);

/* Send a signal to the other end, and wait for one. */
void pair_tell(const pair_end *end);
void pair_hear(const pair_end *end);

#endif
