/* What the files of the protocol share. All but remote_pause are called with the factory's lock
 * held, if several threads send. */
#ifndef TRANSPORT_REMOTE_INTERNAL_H
#define TRANSPORT_REMOTE_INTERNAL_H

#include "transport/common/host.h"
#include "transport/remote/remote.h"

static inline remote_node *remote_source_of(const remote_factory *factory, const remote_slot *slot)
{
    return &factory->nodes[slot->source];
}

/* The slot of the next message for the user. */
static inline remote_slot *remote_next_slot(const remote_factory *factory, const remote_node *node)
{
    return &node->slots[node->next & (factory->outstanding - 1)];
}

/* credit.c: slots that are released, and grants. remote_pay sends the grant that is due, at once
 * (`all`), or only if its target may soon have no credit; remote_pay_urgent does the latter for all
 * ranks, and leaves errors to the next transfer. */
void remote_release_slot(remote_factory *factory, remote_slot *slot);
cb_status remote_pay(remote_factory *factory, remote_node *node, bool all);
cb_status remote_pay_all(remote_factory *factory);
void remote_pay_urgent(remote_factory *factory);

/* buffers.c: give back a buffer that is not needed any more, of a pool or a slot. */
void remote_give_back(remote_factory *factory, transport_buffer *buffer);

/* send.c: let the library progress, and send what has credit from all queues. remote_is_sent: the
 * driver has no buffer, and none is queued. */
cb_status remote_progress(remote_factory *factory, int from);
bool remote_is_sent(const remote_factory *factory);

/* progress.c. remote_find_nothing follows an empty poll: it sends grants and sometimes looks at the
 * peers; CB_EMPTY. remote_pause, without the lock, waits as the policy says; `polls` counts from 0.
 */
cb_status remote_find_nothing(remote_factory *factory);
void remote_pause(remote_factory *factory, uint64_t polls);

/* presence.c: the process of each rank. remote_introduce fills in the identity of this one, by
 * which the others watch it if they share its host. remote_look finds out which have ended; without
 * effect within a second of the last look. */
typedef struct {
    transport_host host;
    int32_t number;
} remote_identity;

void remote_introduce(remote_identity *mine);
void remote_watch(remote_node *node, const remote_identity *mine, const remote_identity *theirs);
void remote_look(remote_factory *factory);

/* Whether no message can come any more, since the rank closed some seconds ago. */
bool remote_is_silent(const remote_node *node);

/* close.c: free all that an open made, also in part. */
void remote_destroy(remote_factory *factory);

#endif
