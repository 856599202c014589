/* Factories of the technology sci: the message passing layer over SCI of Bogaerts' note, using only
 * remote memory. Each process has one segment that the others write to: headers with
 * acknowledgements, lines with notifications, buffers with data. docs/reference/sci.md has the
 * protocol. */
#include "config.h"

#include "transport/sci/internal.h"

#include <stdlib.h>

#include "base/memory.h"

/* Without settings, use those of a job with messages of moderate size. */
static cb_status take_settings(sci_factory *factory, const transport_bootstrap *bootstrap)
{
    const cb_job job = {
        .ranks = (size_t)bootstrap->size, .largest_bytes = 64 * 1024, .held_buffers = 2};

    factory->settings = bootstrap->settings;
    if (factory->settings != NULL)
        return CB_OK;
    factory->settings = &factory->derived;
    return cb_settings_derive(&sci_parameters, &job, NULL, &factory->derived);
}

/* The watch of a process without a connection is never due. */
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

/* Disconnect from all processes, then wait until they have disconnected from this one. */
static void destroy(transport_factory *base)
{
    sci_factory *factory = sci_factory_of(base);

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
    transport_lock_close(&factory->lock);
    cb_settings_free(&factory->derived);
    free(factory->devices);
    free(factory->addresses);
    free(factory->watches);
    free(factory->nodes);
    free(factory);
}

/* Whether any process allocates its send buffers on request. */
static bool any_uses_heap(const cb_settings *settings)
{
    for (size_t rank = 0; rank < settings->node_count; rank++)
        if (!sci_settings_of(settings, rank)->use_send_pool)
            return true;
    return false;
}

static cb_status set_up(transport_factory *base, const transport_bootstrap *bootstrap)
{
    sci_factory *factory = sci_factory_of(base);

    transport_lock_open(&factory->lock, bootstrap->many_senders);
    CB_TRY(take_settings(factory, bootstrap));
    CB_TRY(allocate(factory));
    CB_TRY(sci_bootstrap(factory, bootstrap));
    base->piece_bytes = sci_layout_least_piece(factory->settings);
    base->content_unknown = any_uses_heap(factory->settings);
    CB_TRY(sci_buffers_open(factory));
    return bootstrap->connect_all ? sci_connect_all(factory) : CB_OK;
}

cb_status sci_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    return transport_factory_make(bootstrap, sizeof(sci_factory), "the technology sci", set_up,
                                  destroy, out);
}

cb_status sci_close(transport_factory *base)
{
    cb_status flushed = sci_flush(base);

    destroy(base);
    return flushed;
}

/* A driver removes what a process leaves; nothing does so for files of /dev/shm. */
void sci_abandon(void)
{
#ifndef HAVE_SISCI_DOLPHIN
    sisci_shm_abandon();
#endif
}

/* The configured pool, enlarged if the run needs it. Configured buffers are larger than messages,
 * whose content depends on where they end. */
static transport_preparation configured_pool(const sci_factory *factory)
{
    const sci_settings *sci = sci_settings_of(factory->settings, (size_t)factory->base.rank);
    transport_preparation pool = factory->preparation;

    if (factory->settings->configured && pool.buffers < sci->send_buffer_no)
        pool.buffers = (size_t)sci->send_buffer_no;
    pool.content_bytes = pool.message_bytes;
    if (factory->settings->configured && pool.message_bytes < sci->send_buffer_size)
        pool.message_bytes = (size_t)sci->send_buffer_size;
    return pool;
}

cb_status sci_prepare(transport_factory *base, const transport_preparation *preparation)
{
    sci_factory *factory = sci_factory_of(base);
    transport_preparation pool;

    CB_TRY(sci_flush(base));
    factory->preparation = *preparation;
    if (factory->heap)
        return CB_OK;
    pool = configured_pool(factory);
    return transport_pool_prepare(&factory->pool, base, &pool);
}
