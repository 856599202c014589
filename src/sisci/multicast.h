/* Multicast groups: segments of one number whose members are in any processes, on any nodes of a
 * job. In plain mode all members share one memory, which a store reaches once for all. In lossy
 * mode, as on real adapters, each has its own, so that a store may reach one and not the other; the
 * first member decides. */
#ifndef SISCI_MULTICAST_H
#define SISCI_MULTICAST_H

#include "sisci/objects.h"

typedef enum {
    SISCI_JOIN_OK,
    SISCI_JOIN_OTHER_SIZE, /* the group has another */
    SISCI_JOIN_FAILED      /* see the status */
} sisci_join_outcome;

typedef struct {
    bool own_memory;    /* each member has its own */
    sisci_object group; /* else this; closed by the caller */
} sisci_membership;

/* Find the group of that number, or found it, for a new member of `size` bytes. The registry is
 * locked, and stays so until the member is published. */
sisci_join_outcome sisci_multicast_join(unsigned number, size_t size, sisci_membership *membership,
                                        sisci_object_status *status);

/* After a member's name is gone: remove the memory of the group if nobody is left. The registry is
 * locked. */
void sisci_multicast_leave(unsigned number);

#endif
