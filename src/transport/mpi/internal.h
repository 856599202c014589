/* Inside the technology mpi: what its files share. */
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
    REAP_INTERVAL = 16,        /* sends under way are tested each time so many more are queued, */
    REAP_TOGETHER = 8,         /* so many by one call, and ... */
    REAP_SINGLY_BYTES = 1024,  /* ... one by one messages beyond this size */
    BEHIND_MAXIMUM = 64,       /* receives of a node that are posted behind its first */
    BEHIND_BYTES = 128 * 1024, /* and no more than cover so much for all nodes, to stay in cache */
    BEHIND_LEAST_BYTES = 128   /* none for messages up to there */
};

typedef struct mpi_group mpi_group;

typedef struct {
    MPI_Request request;
    transport_buffer *buffer;
} posted_receive;

typedef struct {
    transport_node base;
    /* Of the receive that is posted, or has arrived and was not given out. */
    transport_buffer *posted;
    MPI_Request *request; /* where its requests are kept: in the polled group's list, or `own` */
    MPI_Request own;
    bool arrived;
    size_t arrived_bytes;
    size_t behind_first, behind_count;
    posted_receive behind[BEHIND_MAXIMUM]; /* a ring: receives for the messages after that one */
} mpi_node;

/* What belongs to a send under way. The buffer is released when this one is complete and all before
 * it. */
typedef struct {
    transport_buffer *buffer; /* NULL: another entry behind this one has it */
    const mpi_group *group;   /* whose broadcast it is; NULL: it is a message to one node */
} kept_send;

typedef struct {
    transport_factory base;
    transport_pool pool;
    MPI_Comm communicator;
    MPI_Request complete; /* what a send that needs no completion gives; see mpi_learn_complete */
    size_t message_bytes;
    size_t multicast_bytes; /* and of every multicast */
    size_t unanswered;
    size_t behind;       /* receives to keep posted behind the first of each node */
    bool posted;         /* a receive was posted since the last preparation */
    bool try_multicast;  /* as announced: broadcasts take the form that does not wait */
    size_t awaited;      /* groups whose broadcast is under way here as in a member */
    bool library_yields; /* in its own waiting, */
    bool library_waits;  /* which is what was asked for */
    mpi_node **nodes;    /* by rank */
    size_t node_count;
    mpi_group *polled;     /* the group whose list holds the posted receives of its nodes */
    MPI_Request *requests; /* of the sends under way: a ring, whose length is a power of two */
    kept_send *kept;       /* beside it */
    size_t queue_length, queue_first, queue_count;
    bool reap_singly;
} mpi_factory;

struct mpi_group {
    transport_group base;
    unsigned version;      /* of the list of nodes that `requests` follows */
    MPI_Request *requests; /* beside base.nodes */
    int *arrived;          /* positions of the last batch */
    MPI_Status *statuses;
    size_t batch, next;        /* its length, and the first that was not given out */
    MPI_Comm communicator;     /* of a multicast group: its root is rank 0 */
    uint64_t broadcasts;       /* started here in the form that does not wait */
    transport_buffer *awaited; /* of the one under way here as in a member, or NULL */
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

/* Hot. The size of a message of bytes. Where the status keeps it, as Open MPI's does, MPI_Get_count
 * would be a tenth of all that a receive of a small message costs. */
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

/* The pause after an empty poll, `polls` counted from 0. A library that yields has done so in the
 * poll itself, and twice would be once too often: the others get a whole turn each time. */
static inline void mpi_pause(const mpi_factory *factory, uint64_t polls)
{
    if (factory->base.wait != TRANSPORT_WAIT_YIELD || !factory->library_yields)
        transport_pause(factory->base.wait, polls);
}

/* send.c. mpi_failed logs that MPI could not do what was attempted with a node, and gives
 * CB_ERROR_TRANSPORT; mpi_finish waits for a request by polling, where `code` is what starting it
 * gave: not hot. */
cb_status mpi_failed(int code, const char *attempt, int rank);
cb_status mpi_finish(const mpi_factory *factory, int code, MPI_Request *request,
                     const char *attempt);

/* mpi_reap completes what it can of the sends under way; mpi_keep adds one, with its buffer
 * and the group whose broadcast it is, or NULL, and mpi_finish_broadcasts waits for those of a
 * group; mpi_learn_complete finds out, when the technology is opened, how a complete send can be
 * told without a call. */
cb_status mpi_learn_complete(mpi_factory *factory);
cb_status mpi_reap(mpi_factory *factory);
cb_status mpi_keep(mpi_factory *factory, MPI_Request request, transport_buffer *buffer,
                   const mpi_group *group);
cb_status mpi_finish_broadcasts(mpi_factory *factory, const mpi_group *group);
cb_status mpi_send(transport_node *node, transport_buffer *buffer);
cb_status mpi_send_to_each(transport_group *group, transport_buffer *buffer);
cb_status mpi_flush(transport_factory *factory);

/* receive.c: from one node. mpi_post starts a receive for its next message, mpi_hand_over gives an
 * arrived one to the user, mpi_forget_failed drops one that has failed; mpi_settle_behind decides
 * how many receives are kept posted, and mpi_choose_receive how a receive waits. */
cb_status mpi_receive(transport_node *node, transport_buffer **out);
cb_status mpi_try_receive(transport_node *node, transport_buffer **out);
cb_status mpi_post(mpi_node *node);
transport_buffer *mpi_hand_over(mpi_node *node);
void mpi_note_arrival(mpi_node *node, const MPI_Status *status);
void mpi_forget_failed(mpi_node *node);
void mpi_cancel_posted(mpi_node *node);
void mpi_settle_behind(mpi_factory *factory);
void mpi_choose_receive(mpi_factory *factory);

/* group.c: from any node of a group, and groups themselves. mpi_withdraw_requests takes the posted
 * receives out of the polled group's list. */
cb_status mpi_group_receive(transport_group *group, transport_buffer **out, transport_node **from);
cb_status mpi_group_try_receive(transport_group *group, transport_buffer **out,
                                transport_node **from);
void mpi_withdraw_requests(mpi_factory *factory);
cb_status mpi_group_create(transport_factory *factory, transport_node *const *nodes, size_t count,
                           transport_node *root, bool multicast, transport_group **out);
void mpi_group_destroy(transport_group *group);

/* multicast.c: to the nodes of a group, by MPI's own broadcast or by a loop. mpi_free_communicator
 * is collective, and leaves no broadcast under way. */
cb_status mpi_group_send(transport_group *group, transport_buffer *buffer);
cb_status mpi_group_receive_root(transport_group *group, transport_buffer **out);
cb_status mpi_group_try_receive_root(transport_group *group, transport_buffer **out);
cb_status mpi_make_communicator(mpi_group *group);
void mpi_free_communicator(mpi_group *group);

#endif
