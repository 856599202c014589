/* Internals of the technology mpi, shared by its files. */
#ifndef TRANSPORT_MPI_INTERNAL_H
#define TRANSPORT_MPI_INTERNAL_H

#include "config.h"

#include <mpi.h>

#include "transport/common/group.h"
#include "transport/buffer.h"
#include "transport/common/technology.h"
#include "transport/transport.h"

enum {
    MESSAGE_TAG = 1,
    GROUP_TAG = 2,
    COUNT_TAG = 3,
    QUEUE_INITIAL = 256,
    REAP_INTERVAL = 16,       /* pending sends are tested each time this many are queued, */
    REAP_TOGETHER = 8,        /* this many by one call, and ... */
    REAP_SINGLY_BYTES = 1024, /* ... larger messages one by one */
    EXTRA_MAXIMUM = 64, /* maximum number of extra receives posted for a node after its first */
    EXTRA_BYTES = 128 * 1024, /* their total size for all nodes, so that they stay in cache */
    EXTRA_LEAST_BYTES = 128   /* no extra receives for messages up to this size */
};

typedef struct mpi_group mpi_group;

typedef struct {
    MPI_Request request;
    transport_buffer *buffer;
} posted_receive;

typedef struct {
    transport_node base;
    /* Of the receive that is posted, or has completed and was not given out. */
    transport_buffer *posted;
    MPI_Request *request; /* where its requests are stored: in the polled group's list, or `own` */
    MPI_Request own;
    bool arrived;
    size_t arrived_bytes;
    size_t extra_first, extra_count;
    posted_receive extra[EXTRA_MAXIMUM]; /* a ring: receives for the messages after that one */
} mpi_node;

/* A pending send. Its buffer is released when it and all earlier sends are complete. */
typedef struct {
    transport_buffer *buffer; /* NULL: a later entry has it */
    const mpi_group *group;   /* the group of a broadcast; NULL: a message to one node */
} kept_send;

typedef struct {
    transport_factory base;
    transport_pool pool;
    MPI_Comm communicator;
    MPI_Request complete; /* request of a send that is complete on return; see mpi_learn_complete */
    size_t message_bytes;
    size_t multicast_bytes; /* and of every multicast */
    size_t unanswered;
    size_t extra;        /* number of receives to keep posted after the first of each node */
    bool posted;         /* a receive was posted since the last preparation */
    bool try_multicast;  /* as announced: broadcasts use the non-blocking form */
    size_t awaited;      /* groups whose next broadcast this process waits for, as a member */
    bool library_yields; /* its waiting calls yield the core */
    bool library_waits;  /* its waiting calls behave as the policy asks */
    mpi_node **nodes;    /* by rank */
    size_t node_count;
    mpi_group *polled;     /* the group whose list has the posted receives of its nodes */
    MPI_Request *requests; /* of pending sends: a ring whose length is a power of two */
    kept_send *kept;       /* parallel to `requests` */
    size_t queue_length, queue_first, queue_count;
    bool reap_singly;
} mpi_factory;

struct mpi_group {
    transport_group base;
    unsigned version;      /* version of the list of nodes that `requests` matches */
    MPI_Request *requests; /* parallel to base.nodes */
    int *arrived;          /* positions of the last batch */
    MPI_Status *statuses;
    size_t batch, next;        /* its length, and the first not given out */
    MPI_Comm communicator;     /* of a multicast group: its root is rank 0 */
    uint64_t broadcasts;       /* non-blocking broadcasts started here */
    transport_buffer *awaited; /* buffer of the broadcast that this member waits for, or NULL */
    MPI_Request broadcast;     /* its request */
};

static inline mpi_factory *mpi_factory_of(transport_factory *factory)
{
    return (mpi_factory *)factory;
}

static inline mpi_node *mpi_node_of(transport_node *node)
{
    return (mpi_node *)node;
}

/* Hot. The size of a message in bytes. Read from the status if it has it, as in Open MPI:
 * MPI_Get_count would be a tenth of the cost of receiving a small message. */
static inline size_t mpi_received_bytes(const MPI_Status *status)
{
#ifdef HAVE_MPI_STATUS_UCOUNT
    return status->_ucount;
#else
    int bytes = 0;

    MPI_Get_count(status, MPI_BYTE, &bytes);
    return (size_t)bytes;
#endif
}

/* Pause after an empty poll; `polls` counts from 0. A library that yields has done so in the poll
 * itself: a second yield would give the other processes another full time slice. */
static inline void mpi_pause(const mpi_factory *factory, uint64_t polls)
{
    if (factory->base.wait != TRANSPORT_WAIT_YIELD || !factory->library_yields)
        transport_pause(factory->base.wait, polls);
}

/* send.c. mpi_failed logs the failed operation on a node and returns CB_ERROR_TRANSPORT; the
 * factory is NULL while it is opened or closed. mpi_finish waits for a request by polling; `code`
 * is the result of the call that started it; not hot. */
cb_status mpi_failed(mpi_factory *factory, int code, const char *attempt, int rank);
cb_status mpi_finish(mpi_factory *factory, int code, MPI_Request *request, const char *attempt);

/* mpi_reap completes pending sends as far as possible. mpi_keep adds one, with its buffer and the
 * group of a broadcast, or NULL. mpi_finish_broadcasts waits for the broadcasts of a group.
 * mpi_learn_complete finds out at open how to recognise a complete send without a call. */
cb_status mpi_learn_complete(mpi_factory *factory);
cb_status mpi_reap(mpi_factory *factory);
cb_status mpi_keep(mpi_factory *factory, MPI_Request request, transport_buffer *buffer,
                   const mpi_group *group);
cb_status mpi_finish_broadcasts(mpi_factory *factory, const mpi_group *group);
cb_status mpi_send(transport_node *node, transport_buffer *buffer);
cb_status mpi_send_to_each(transport_group *group, transport_buffer *buffer);
cb_status mpi_flush(transport_factory *factory);

/* receive.c: from one node. mpi_post starts a receive for its next message, mpi_hand_over gives a
 * completed one to the user, mpi_forget_failed drops a failed one. mpi_choose_extra_receives
 * decides how many receives stay posted, mpi_choose_receive how a receive waits. */
cb_status mpi_receive(transport_node *node, transport_buffer **out);
cb_status mpi_try_receive(transport_node *node, transport_buffer **out);
cb_status mpi_post(mpi_node *node);
transport_buffer *mpi_hand_over(mpi_node *node);
void mpi_note_arrival(mpi_node *node, const MPI_Status *status);
void mpi_forget_failed(mpi_node *node);
void mpi_cancel_posted(mpi_node *node);
void mpi_choose_extra_receives(mpi_factory *factory);
void mpi_choose_receive(mpi_factory *factory);

/* group.c: from any node of a group, and the groups themselves. mpi_withdraw_requests removes the
 * posted receives from the polled group's list. */
cb_status mpi_group_receive(transport_group *group, transport_buffer **out, transport_node **from);
cb_status mpi_group_try_receive(transport_group *group, transport_buffer **out,
                                transport_node **from);
void mpi_withdraw_requests(mpi_factory *factory);
cb_status mpi_group_create(transport_factory *factory, transport_node *const *nodes, size_t count,
                           transport_node *root, bool multicast, transport_group **out);
void mpi_group_destroy(transport_group *group);

/* multicast.c: to the nodes of a group, by MPI's broadcast or by a loop. mpi_free_communicator is
 * collective and leaves no broadcast pending. */
cb_status mpi_group_send(transport_group *group, transport_buffer *buffer);
cb_status mpi_group_receive_root(transport_group *group, transport_buffer **out);
cb_status mpi_group_try_receive_root(transport_group *group, transport_buffer **out);
cb_status mpi_make_communicator(mpi_group *group);
void mpi_free_communicator(mpi_group *group);

#endif
