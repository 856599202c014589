/* The control block of a segment, with the table of its connections. A slot's generation counts its
 * connections and disconnections: odd while in use. The segment's owner records up to which
 * generation it has reported; a slot is reused only when all is reported, so that no connection is
 * missed, however short. */
#ifndef SISCI_CONNECTIONS_H
#define SISCI_CONNECTIONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sisci/registry.h"

enum { SISCI_CONNECTIONS = 960 };

typedef struct {
    _Alignas(64) _Atomic uint32_t generation;
    _Atomic uint32_t notices; /* number of the owner's requests to disconnect */
    uint32_t reported;
    uint32_t node;
    sisci_process process;
    uint32_t order[2]; /* of its last disconnection and connection, among all changes */
} sisci_slot;

typedef struct {
    sisci_object_head head;
    uint32_t node;
    uint32_t segment_id;
    uint64_t size;       /* of the segment, as created */
    uint32_t own_memory; /* the data is in this object; otherwise in that of its group */
    uint32_t available;  /* protects these two and the slots */
    uint32_t removed;
    pthread_mutex_t lock;
    _Atomic uint32_t changes; /* total number of connections and disconnections */
    sisci_slot slots[SISCI_CONNECTIONS];
} sisci_control;

_Static_assert(sizeof(sisci_control) <= SISCI_CONTROL_BYTES, "the control block of a segment");

static inline sisci_control *sisci_control_of(const sisci_object *object)
{
    return (sisci_control *)object->head;
}

typedef enum {
    SISCI_CONNECT_OK,
    SISCI_CONNECT_REMOVED,
    SISCI_CONNECT_REFUSED, /* not available */
    SISCI_CONNECT_FULL
} sisci_connect_status;

/* A connection, as seen by the process that made it. */
typedef struct {
    uint32_t slot;
    uint32_t generation;
    uint32_t notices;
} sisci_ticket;

/* Take a slot. */
sisci_connect_status sisci_connections_take(sisci_control *control, uint32_t node,
                                            const sisci_process *process, sisci_ticket *ticket);

/* Release the slot; false: the owner has already cut the connection. */
bool sisci_connections_give(sisci_control *control, const sisci_ticket *ticket);

/* Whether the owner has cut the connection, and whether it has requested a disconnection since the
 * last call. Cheap; takes no lock. */
bool sisci_connections_is_cut(const sisci_control *control, const sisci_ticket *ticket);
bool sisci_connections_was_asked(const sisci_control *control, sisci_ticket *ticket);

/* For the owner, with the lock held: */

/* The oldest unreported connection or disconnection, which then counts as reported; false: none is
 * left. */
bool sisci_connections_next_change(sisci_control *control, uint32_t *slot, bool *connected);

/* Empty a slot that is in use. */
void sisci_connections_cut(sisci_control *control, uint32_t slot);

bool sisci_connections_in_use(const sisci_control *control, uint32_t slot);

/* Empty the slots of ended processes; returns the number of slots still in use. */
uint32_t sisci_connections_cut_ended(sisci_control *control);

/* Request all connected processes to disconnect, or cut all connections. */
void sisci_connections_ask_all(sisci_control *control);
void sisci_connections_cut_all(sisci_control *control);

#endif
