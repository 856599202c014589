/* Other processes: whether they are alive, and the bell (a semaphore) that wakes their library's
 * thread. Each process that uses the library has an object, its presence. All functions are called
 * with the library locked, except those on an open peer, which any thread may call at any time. */
#ifndef SISCI_PEER_H
#define SISCI_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "sisci/registry.h"

typedef struct sisci_peer sisci_peer;

/* How often a process is checked to be alive; all processes that watch it share one check. */
enum { SISCI_WATCH_MS = 100 };

/* Create the presence of this process; remove it for other processes. The registry is locked. */
sisci_object_status sisci_presence_create(const char *job, unsigned node,
                                          const sisci_process *self);
void sisci_presence_withdraw(void);

/* Close the withdrawn presence. No thread may wait for the bell any more. */
void sisci_presence_close(void);

/* Wait until the bell of this process rings, or until that time (CLOCK_MONOTONIC; NULL: no
 * timeout). */
void sisci_presence_wait(const struct timespec *until);

/* Ring the bell of this process. */
void sisci_presence_ring(void);

/* Whether a process of that node is present. */
bool sisci_node_exists(const char *job, unsigned node);

/* Open a process, or add a reference to it; NULL if it is absent or memory is short. Each call
 * needs one sisci_peer_release, which ignores NULL. */
sisci_peer *sisci_peer_acquire(const char *job, unsigned node, const sisci_process *process);
void sisci_peer_release(sisci_peer *peer);

/* Whether the process has ended; up to SISCI_WATCH_MS late. */
bool sisci_peer_has_ended(sisci_peer *peer);

void sisci_peer_ring(sisci_peer *peer);

/* Whether any peer is open, so that the library's thread has to watch. */
bool sisci_peers_exist(void);

/* In a child after fork(): drop the parent's state. */
void sisci_peers_forget(void);

#endif
