/* The technology mpi: receiving from a group. A receive is posted for each node, and MPI_Testsome
 * completes those that have arrived. They form a batch, which is given out before any node is
 * polled again. */
#include "transport/mpi/internal.h"

#include <stdlib.h>

#include "base/memory.h"

/* Move the requests from the polled group's list back to the nodes. */
void mpi_withdraw_requests(mpi_factory *factory)
{
    for (int rank = 0; rank < factory->base.size; rank++) {
        mpi_node *node = factory->nodes[rank];

        if (node != NULL && node->request != &node->own) {
            node->own = *node->request;
            node->request = &node->own;
        }
    }
    factory->polled = NULL;
}

/* Keep the requests of the group's nodes, including later ones, in the group's list: a receive
 * posted for a single node in between is then visible to the group. */
static void adopt_requests(mpi_group *group)
{
    mpi_factory *factory = mpi_factory_of(group->base.factory);

    mpi_withdraw_requests(factory);
    for (size_t i = 0; i < group->base.count; i++) {
        mpi_node *node = mpi_node_of(group->base.nodes[i]);

        group->requests[i] = node->own;
        node->request = &group->requests[i];
    }
    group->batch = group->next = 0;
    group->version = group->base.version;
    factory->polled = group;
}

/* If one receive of a batch fails, the others have arrived and are given out by the next calls. */
static cb_status report_failed_receive(mpi_group *group, int code)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(code, &class);
    for (size_t k = 0; k < group->batch && class == MPI_ERR_IN_STATUS; k++)
        if (group->statuses[k].MPI_ERROR == MPI_SUCCESS)
            mpi_note_arrival(mpi_node_of(group->base.nodes[group->arrived[k]]),
                             &group->statuses[k]);
        else
            code = group->statuses[k].MPI_ERROR;
    for (size_t i = 0; i < group->base.count; i++)
        mpi_forget_failed(mpi_node_of(group->base.nodes[i]));
    return mpi_failed(mpi_factory_of(group->base.factory), code, "receive from a group with",
                      group->base.nodes[0]->rank);
}

/* Poll all nodes once; the messages that have arrived become the batch. */
static cb_status poll_nodes(mpi_group *group)
{
    int count = 0, code;

    for (size_t i = 0; i < group->base.count; i++) {
        mpi_node *node = mpi_node_of(group->base.nodes[i]);

        if (node->posted == NULL)
            CB_TRY(mpi_post(node));
    }
    code = MPI_Testsome((int)group->base.count, group->requests, &count, group->arrived,
                        group->statuses);
    group->next = 0;
    group->batch = count == MPI_UNDEFINED ? 0 : (size_t)count;
    if (__builtin_expect(code != MPI_SUCCESS, 0))
        return report_failed_receive(group, code);
    for (size_t k = 0; k < group->batch; k++)
        mpi_note_arrival(mpi_node_of(group->base.nodes[group->arrived[k]]), &group->statuses[k]);
    return CB_OK;
}

/* The next node of the batch whose message was not taken by a receive from that node; NULL at the
 * end. */
static mpi_node *next_arrived(mpi_group *group)
{
    while (group->next < group->batch) {
        mpi_node *node = mpi_node_of(group->base.nodes[group->arrived[group->next++]]);

        if (node->arrived)
            return node;
    }
    return NULL;
}

/* A node whose message arrived in a batch of another group, or before the list of nodes changed. */
static mpi_node *stray_arrival(mpi_group *group)
{
    for (size_t i = 0; i < group->base.count; i++)
        if (mpi_node_of(group->base.nodes[i])->arrived)
            return mpi_node_of(group->base.nodes[i]);
    return NULL;
}

/* Hot. */
cb_status mpi_group_try_receive(transport_group *base, transport_buffer **out,
                                transport_node **from)
{
    mpi_factory *factory = mpi_factory_of(base->factory);
    mpi_group *group = (mpi_group *)base;
    mpi_node *node;

    if (__builtin_expect(factory->polled != group || group->version != base->version, 0)) {
        adopt_requests(group);
        node = stray_arrival(group);
        group->version -= node != NULL; /* repeat until none is left */
    } else {
        node = next_arrived(group);
    }
    if (node == NULL) {
        if (factory->queue_count > 0)
            CB_TRY(mpi_reap(factory));
        CB_TRY(poll_nodes(group));
        node = next_arrived(group);
        if (node == NULL)
            return CB_EMPTY;
    }
    *from = &node->base;
    *out = mpi_hand_over(node);
    return CB_OK;
}

/* Hot. */
cb_status mpi_group_receive(transport_group *group, transport_buffer **out, transport_node **from)
{
    uint64_t polls = 0;
    cb_status status;

    while ((status = mpi_group_try_receive(group, out, from)) == CB_EMPTY)
        mpi_pause(mpi_factory_of(group->factory), polls++);
    return status;
}

static void free_group(mpi_group *group)
{
    free(group->requests);
    free(group->arrived);
    free(group->statuses);
    free(group->base.nodes);
    free(group);
}

cb_status mpi_group_create(transport_factory *base, transport_node *const *nodes, size_t count,
                           transport_node *root, bool multicast, transport_group **out)
{
    size_t room = (size_t)base->size;
    mpi_group *group = cb_allocate(1, sizeof(*group), "a group");
    cb_status status = CB_ERROR_MEMORY;

    if (group == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_group_initialise(&group->base, base, nodes, count, root, multicast));
    group->communicator = MPI_COMM_NULL;
    group->requests = cb_allocate(room, sizeof(*group->requests), "the receives of a group");
    group->arrived = cb_allocate(room, sizeof(*group->arrived), "the receives of a group");
    group->statuses = cb_allocate(room, sizeof(*group->statuses), "the receives of a group");
    if (group->requests != NULL && group->arrived != NULL && group->statuses != NULL)
        status = multicast ? mpi_make_communicator(group) : CB_OK;
    if (status != CB_OK) {
        free_group(group);
        return status;
    }
    *out = &group->base;
    return CB_OK;
}

void mpi_group_destroy(transport_group *base)
{
    mpi_group *group = (mpi_group *)base;
    mpi_factory *factory = mpi_factory_of(base->factory);

    if (factory->polled == group)
        mpi_withdraw_requests(factory);
    if (group->communicator != MPI_COMM_NULL)
        mpi_free_communicator(group);
    free_group(group);
}
