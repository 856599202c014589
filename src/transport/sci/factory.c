/* The technology sci: the message passing layer over SCI of Bogaerts' note, over remote memory
 * alone. Each process has one segment that the others write into: headers with acknowledgements,
 * lines with notifications, buffers with data. docs/sci.md has the protocol. */
#include "transport/sci/internal.h"

#include <stdlib.h>

#include "base/derive.h"
#include "base/memory.h"
#include "transport/technologies.h"

/* Without settings those of a job that talks in messages of moderate size. */
static cb_status settle(sci_factory *factory, const transport_bootstrap *bootstrap)
{
    const cb_job job = {
        .ranks = (size_t)bootstrap->size, .largest_bytes = 64 * 1024, .held_buffers = 2};

    factory->settings = bootstrap->settings;
    if (factory->settings != NULL)
        return CB_OK;
    factory->settings = &factory->derived;
    return cb_derive_settings(&job, &factory->derived);
}

/* Nothing is ever due from those without a connection. */
static sci_watch *watches_of(size_t ranks)
{
    static const uint32_t nothing = 0;
    sci_watch *watches = cb_allocate(ranks, sizeof(*watches), "what polls look at");

    for (size_t rank = 0; watches != NULL && rank < ranks; rank++)
        watches[rank] = (sci_watch){.word = &nothing};
    return watches;
}

static cb_status allocate(sci_factory *factory)
{
    const size_t ranks = (size_t)factory->base.size;

    factory->device_count = (ranks + SCI_PEERS_PER_DEVICE - 1) / SCI_PEERS_PER_DEVICE;
    factory->nodes = cb_allocate(ranks, sizeof(sci_node *), "the nodes");
    factory->addresses = cb_allocate(ranks, sizeof(*factory->addresses), "the addresses");
    factory->devices = cb_allocate(factory->device_count, sizeof(*factory->devices), "devices");
    factory->watches = watches_of(ranks);
    return factory->nodes != NULL && factory->watches != NULL && factory->addresses != NULL &&
                   factory->devices != NULL
               ? CB_OK
               : CB_ERROR_MEMORY;
}

/* A process leaves those that it writes to, then waits until the others have left it. */
static void destroy(sci_factory *factory)
{
    for (int rank = 0; factory->nodes != NULL && rank < factory->base.size; rank++)
        if (factory->nodes[rank] != NULL)
            sci_node_close(factory->nodes[rank]);
    sci_bell_destroy(&factory->bell);
    sci_local_destroy(&factory->segment);
    for (size_t i = 0; factory->devices != NULL && i < factory->device_count; i++)
        sci_device_close(&factory->devices[i]);
    if (factory->library_started)
        sci_library_stop();
    sci_buffers_close(factory);
    pthread_mutex_destroy(&factory->lock);
    cb_settings_free(&factory->derived);
    free(factory->devices);
    free(factory->addresses);
    free(factory->watches);
    free(factory->nodes);
    free(factory);
}

static cb_status set_up(sci_factory *factory, const transport_bootstrap *bootstrap)
{
    CB_TRY(settle(factory, bootstrap));
    CB_TRY(allocate(factory));
    CB_TRY(sci_bootstrap(factory, bootstrap));
    factory->base.piece_bytes = sci_layout_least_piece(factory->settings);
    CB_TRY(sci_buffers_open(factory));
    return bootstrap->connect_all ? sci_connect_all(factory) : CB_OK;
}

static cb_status sci_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    sci_factory *factory = cb_allocate(1, sizeof(*factory), "the technology sci");
    cb_status status;

    if (factory == NULL)
        return CB_ERROR_MEMORY;
    factory->base.rank = bootstrap->rank;
    factory->base.size = bootstrap->size;
    factory->many_senders = bootstrap->many_senders;
    pthread_mutex_init(&factory->lock, NULL);
    status = set_up(factory, bootstrap);
    if (status != CB_OK)
        destroy(factory);
    else
        *out = &factory->base;
    return status;
}

static cb_status sci_close(transport_factory *base)
{
    cb_status flushed = sci_flush(base);

    destroy(sci_factory_of(base));
    return flushed;
}

const transport_technology transport_sci = {
    .name = "sci",
    .summary = "SCI shared memory: remote writes by the SISCI API",
    .capabilities = TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_CONCURRENT_SEND |
                    TRANSPORT_BLOCKING_WAIT | TRANSPORT_REMOTE_WRITE | TRANSPORT_DELIVERS |
                    TRANSPORT_MULTICAST,
    .open = sci_open,
    .close = sci_close,
    .prepare = sci_prepare,
    .set_wait = sci_set_wait,
    .flush = sci_flush,
    .node_create = sci_node_create,
    .node_destroy = sci_node_destroy,
    .group_create = sci_group_create,
    .group_destroy = sci_group_destroy,
    .buffer_create = sci_buffer_create,
    .buffer_release = sci_buffer_release,
    .send = sci_send,
    .receive = sci_receive,
    .try_receive = sci_try_receive,
    .group_send = sci_group_send,
    .group_receive = sci_group_receive,
    .group_try_receive = sci_group_try_receive,
    .group_receive_root = sci_group_receive_root,
    .group_try_receive_root = sci_group_try_receive_root,
};
