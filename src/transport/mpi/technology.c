/* The technology mpi: point-to-point messages on its own communicator.
 * Foreign headers of this folder: mpi.h
 *
 * A send is an MPI_Isend; one that is not complete on return waits in a queue and is tested by
 * later calls. A receive from one node is an MPI_Recv into a buffer of the pool, so that a
 * ping-pong does the same as a bare MPI program. Receives from a group, and non-blocking ones, are
 * posted in advance, one per node, and completed by MPI_Testsome: a batch of completed receives is
 * given out before any node is polled again, which makes receiving fair. If several messages may
 * arrive from a node before it is answered, as many receives are posted.
 *
 * Open MPI can yield the core while it waits (mpi_yield_when_idle, fixed at MPI_Init). If the
 * library's waiting does not match the policy, a loop over the non-blocking form waits instead. */
#include "transport/mpi/internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

static cb_status mpi_node_create(transport_factory *base, int rank, transport_node **out)
{
    mpi_factory *factory = mpi_factory_of(base);
    mpi_node *node;

    CB_TRY(transport_check_rank(base, rank,
                                rank >= 0 && rank < base->size && factory->nodes[rank] != NULL));
    node = cb_allocate(1, sizeof(*node), "a node");
    if (node == NULL)
        return CB_ERROR_MEMORY;
    *node = (mpi_node){.base = {.ops = &base->ops, .factory = base, .rank = rank},
                       .own = MPI_REQUEST_NULL};
    node->request = &node->own;
    factory->nodes[rank] = node;
    factory->node_count++;
    mpi_choose_extra_receives(factory);
    *out = &node->base;
    return CB_OK;
}

static void mpi_node_destroy(transport_node *base)
{
    mpi_factory *factory = mpi_factory_of(base->factory);

    mpi_cancel_posted(mpi_node_of(base));
    factory->nodes[base->rank] = NULL;
    factory->node_count--;
    mpi_choose_extra_receives(factory);
    free(base);
}

/* Whether the library yields the core while it waits: Open MPI's control variable, false if there
 * is none. */
static bool read_library_yields(void)
{
    union {
        int number;
        bool flag;
        unsigned char bytes[64];
    } value = {.bytes = {0}};
    MPI_T_cvar_handle handle;
    bool yields = false;
    int provided, index, count;

    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return false;
    if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        if (MPI_T_cvar_read(handle, &value) == MPI_SUCCESS)
            yields = value.bytes[0] != 0;
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
    return yields;
}

static cb_status mpi_set_wait(transport_factory *base, transport_wait wait,
                              transport_wait *effective)
{
    mpi_factory *factory = mpi_factory_of(base);

    if (wait == TRANSPORT_WAIT_SPIN && factory->library_yields)
        wait = TRANSPORT_WAIT_YIELD;
    factory->library_waits =
        wait == TRANSPORT_WAIT_SPIN || (wait == TRANSPORT_WAIT_YIELD && factory->library_yields);
    base->wait = wait;
    mpi_choose_receive(factory);
    *effective = wait;
    return CB_OK;
}

static cb_status mpi_prepare(transport_factory *base, const transport_preparation *preparation)
{
    mpi_factory *factory = mpi_factory_of(base);

    if (preparation->message_bytes > INT_MAX) {
        cb_error("cannot send messages of %zu bytes over mpi: the largest is %d; lower --sizes",
                 preparation->message_bytes, INT_MAX);
        return CB_ERROR_UNSUPPORTED;
    }
    if (factory->awaited > 0) {
        cb_error(
            "cannot announce messages over mpi while the multicasts of %zu groups are awaited: "
            "receive them or destroy the groups first",
            factory->awaited);
        return CB_ERROR_TRANSPORT;
    }
    CB_TRY(mpi_flush(base));
    for (int rank = 0; rank < base->size; rank++)
        if (factory->nodes[rank] != NULL)
            mpi_cancel_posted(factory->nodes[rank]);
    mpi_withdraw_requests(factory);
    factory->posted = false;
    factory->message_bytes = preparation->message_bytes;
    factory->multicast_bytes = preparation->multicast_bytes > 0 ? preparation->multicast_bytes
                                                                : preparation->message_bytes;
    factory->unanswered = preparation->unanswered;
    factory->reap_singly = preparation->message_bytes > REAP_SINGLY_BYTES;
    factory->try_multicast = preparation->try_multicast;
    mpi_choose_extra_receives(factory);
    return transport_pool_prepare(&factory->pool, base, preparation);
}

static cb_status mpi_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    mpi_factory *factory = cb_allocate(1, sizeof(*factory), "the technology mpi");
    int code;

    if (factory == NULL)
        return CB_ERROR_MEMORY;
    factory->nodes = cb_allocate((size_t)bootstrap->size, sizeof(*factory->nodes), "the nodes");
    if (factory->nodes == NULL) {
        free(factory);
        return CB_ERROR_MEMORY;
    }
    code = MPI_Comm_dup(MPI_COMM_WORLD, &factory->communicator);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(factory->communicator, MPI_ERRORS_RETURN);
    if (code != MPI_SUCCESS) {
        free(factory->nodes);
        free(factory);
        return mpi_failed(NULL, code, "make a communicator for", bootstrap->rank);
    }
    factory->library_yields = read_library_yields();
    factory->base.polls_yield = factory->library_yields;
    factory->base.wait = TRANSPORT_WAIT_SPIN;
    factory->library_waits = true;
    factory->base.rank = bootstrap->rank;
    factory->base.pool = &factory->pool;
    *out = &factory->base;
    return mpi_learn_complete(factory);
}

static cb_status mpi_close(transport_factory *base)
{
    mpi_factory *factory = mpi_factory_of(base);
    cb_status flushed = mpi_flush(base);
    int code = MPI_Comm_free(&factory->communicator);

    transport_pool_clear(&factory->pool);
    free(factory->requests);
    free(factory->kept);
    free(factory->nodes);
    free(factory);
    return code == MPI_SUCCESS ? flushed : mpi_failed(NULL, code, "free the communicator of", -1);
}

/* The library's name and version, of a text that may have several lines. */
static cb_status mpi_probe(char *text, size_t bytes)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    for (char *at = library; *at != '\0'; at++)
        *at = *at == '\t' ? ' ' : *at;
    snprintf(text, bytes, "%s", library);
    return CB_OK;
}

const transport_technology transport_mpi = {
    .name = "mpi",
    .summary = "MPI point-to-point",
    .capabilities = TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_MULTICAST |
                    TRANSPORT_MULTICAST_RELAYED | TRANSPORT_DELIVERS,
    .probe = mpi_probe,
    .open = mpi_open,
    .close = mpi_close,
    .prepare = mpi_prepare,
    .set_wait = mpi_set_wait,
    .flush = mpi_flush,
    .node_create = mpi_node_create,
    .node_destroy = mpi_node_destroy,
    .group_create = mpi_group_create,
    .group_destroy = mpi_group_destroy,
    .send = mpi_send,
    .receive = mpi_receive,
    .try_receive = mpi_try_receive,
    .group_send = mpi_group_send,
    .group_receive = mpi_group_receive,
    .group_try_receive = mpi_group_try_receive,
    .group_receive_root = mpi_group_receive_root,
    .group_try_receive_root = mpi_group_try_receive_root,
};
