/* The conformance test of the technologies: what transport.h promises, asked of any technology that
 * delivers, through transport.h alone. One file for each theme:
 *
 *   conformance_nodes.c      messages between two nodes: content, order, waiting
 *   conformance_groups.c     group send, group receive, fairness
 *   conformance_changes.c    groups that change and overlap, mixed receives
 *   conformance_multicast.c  static groups of the technology's own group send
 *   conformance_pool.c       buffers and their preparation
 *   conformance_factory.c    wait policies, nodes, factories
 *   conformance_threads.c    several threads that send
 *   conformance_waiting.c    sends to a target that does nothing
 */
#ifndef TESTS_TRANSPORT_CONFORMANCE_H
#define TESTS_TRANSPORT_CONFORMANCE_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "tests/common/job.h"
#include "transport/transport.h"

TCase *conformance_sizes(void); /* with many and large messages; has the tag "sizes" */
TCase *conformance_nodes(void);
TCase *conformance_groups(void);
TCase *conformance_changes(void);
TCase *conformance_multicast(void);
TCase *conformance_pool(void);
TCase *conformance_factory(void);
TCase *conformance_threads(void);
TCase *conformance_waiting(void);

/* The technology under test, opened once for all tests of it. */
typedef struct {
    transport_factory *factory;
    transport_node **nodes; /* by rank; NULL for this process */
    transport_wait wait;    /* the wait policy of all tests but those of wait policies */
    cb_settings settings;   /* settings of the job for the technology */
    size_t settings_bytes;  /* the largest message in these settings */
    size_t
        unanswered; /* as announced: a technology may prepare for this number but not rely on it */
} conformance_state;

extern conformance_state here;

/* The bootstrap of a technology in this job. */
transport_bootstrap conformance_bootstrap(void);

bool conformance_declares(unsigned capabilities);

/* Announce messages of up to `bytes` in all ranks, and wait for all. Returns false, in all
 * ranks, if the technology cannot send that many bytes. */
bool conformance_can_prepare(size_t bytes);

/* The same, but fail if it cannot. */
void conformance_prepare(size_t bytes);

/* The same for multicasts that are received without waiting. */
void conformance_prepare_to_try(size_t bytes);

/* Send or receive message `number` of `source`; every byte of it is checked. */
transport_buffer *conformance_message(int source, uint64_t number, size_t bytes);
void conformance_fill(transport_buffer *buffer, int source, uint64_t number);
void conformance_check(const transport_buffer *buffer, int source, uint64_t number, size_t bytes);
void conformance_send(int destination, uint64_t number, size_t bytes);
void conformance_receive(int source, uint64_t number, size_t bytes);

/* The number in a message of at least 8 bytes. */
uint64_t conformance_number(const transport_buffer *buffer);

/* Expect no message from `rank`. */
void conformance_expect_silence(transport_node *node);

/* A dynamic group of these ranks, in this order. */
transport_group *conformance_group(const int *ranks, size_t count);

/* All ranks but this one. */
transport_group *conformance_group_of_others(void);

/* Whether the job has this many ranks, and messages of several sources can be distinguished. */
bool conformance_can_gather(int least_ranks);

/* Wait, in all ranks, for this many rounds of the control plane, so that a library can move
 * messages in transit to the receiver. Messages for which the receiver has no room stay with the
 * sender; a flush here would wait for a receive that comes later. */
void conformance_let_come(void);

/* The number of messages of each rank received here; the caller frees the array. */
uint64_t *conformance_counts(void);

/* Check, count and release the next message of its source. */
void conformance_accept(transport_buffer *buffer, const transport_node *from, size_t bytes,
                        uint64_t *counts);

void conformance_expect_silent_group(transport_group *group);

/* Neighbours of this rank on the ring of the first `length`. */
int conformance_next(int length);
int conformance_previous(int length);

#endif
