/* Nodes: the connection to another process. It is made with the first node for a rank and lives as
 * long as the factory, so that queued messages outlive the node. */
#include "transport/sci/internal.h"

#include <stdlib.h>

#include "base/memory.h"

static cb_status device_for(sci_factory *factory, int rank, const sci_device **out)
{
    sci_device *device = &factory->devices[rank / SCI_PEERS_PER_DEVICE];

    *out = device;
    return sci_device_open(device);
}

static cb_status connect_to(sci_factory *factory, sci_node *node)
{
    const sci_address *address = &factory->addresses[node->base.rank];
    const sci_device *device;

    CB_TRY(device_for(factory, node->base.rank, &device));
    CB_TRY(sci_remote_connect(&node->remote, device, address->node_id, address->segment_id));
    CB_TRY(sci_remote_map(&node->remote));
    CB_TRY(sci_sequence_open(&node->sending.sequence, &node->remote));
    CB_TRY(sci_sequence_open(&node->receiving.sequence, &node->remote));
    return sci_bell_connect(&node->rope, device, address->node_id, address->bell);
}

/* The addresses of both sides, in local and remote memory. */
static void lay_out(sci_factory *factory, sci_node *node)
{
    const size_t here = (size_t)factory->base.rank, there = (size_t)node->base.rank;
    const sci_settings *sci = sci_settings_of(factory->settings, here);
    const sci_layout from = sci_layout_of(factory->settings, here, there);
    const sci_layout to = sci_layout_of(factory->settings, there, here);
    unsigned char *mine = factory->segment.address;
    volatile unsigned char *theirs = node->remote.address;

    node->receiving.lines = (const uint64_t *)(const void *)(mine + from.lines);
    node->receiving.line = from.has_lines ? node->receiving.lines : NULL;
    node->receiving.notices = (const uint32_t *)(const void *)(mine + from.notices);
    node->receiving.turns = from.outstanding;
    node->receiving.debt_limit = sci->acknowledge_each != 0 ? 1 : from.outstanding;
    node->receiving.watch = &factory->watches[there];
    sci_watch_first(&node->receiving);
    node->receiving.credits = (volatile uint32_t *)(volatile void *)(theirs + to.credits);
    node->sending.credits = (const uint32_t *)(const void *)(mine + from.credits);
    node->sending.lines = theirs + to.lines;
    node->sending.notices = (volatile uint32_t *)(volatile void *)(theirs + to.notices);
    node->sending.turns = to.outstanding;
    node->sending.layout = to;
    node->sending.excess_mask = (size_t)sci->transfer_multiple - 1;
    node->groups.here = (const sci_row *)(const void *)(mine + from.row);
    node->groups.there = (volatile sci_row *)(volatile void *)(theirs + to.row);
}

void sci_node_close(sci_node *node)
{
    sci_bell_disconnect(&node->rope);
    sci_sequence_close(&node->sending.sequence);
    sci_sequence_close(&node->receiving.sequence);
    sci_remote_disconnect(&node->remote);
    sci_give_back(sci_factory_of(node->base.factory), node->receiving.assembled);
    free(node);
}

static cb_status make_node(sci_factory *factory, int rank)
{
    sci_node *node = cb_allocate(1, sizeof(*node), "a node");
    cb_status status = CB_OK;

    if (node == NULL)
        return CB_ERROR_MEMORY;
    node->base =
        (transport_node){.ops = &factory->base.ops, .factory = &factory->base, .rank = rank};
    node->sending.queue.queued = &factory->queued;
    if (rank != factory->base.rank) {
        status = connect_to(factory, node);
        if (status == CB_OK) {
            lay_out(factory, node);
            status = sci_acknowledge(node);
        }
        node->connected = status == CB_OK;
    }
    if (status != CB_OK) {
        sci_node_close(node);
        return status;
    }
    factory->nodes[rank] = node;
    return CB_OK;
}

cb_status sci_connect_all(sci_factory *factory)
{
    for (int rank = 0; rank < factory->base.size; rank++)
        if (rank != factory->base.rank)
            CB_TRY(make_node(factory, rank));
    return CB_OK;
}

cb_status sci_node_create(transport_factory *base, int rank, transport_node **out)
{
    sci_factory *factory = sci_factory_of(base);
    const bool exists = rank >= 0 && rank < base->size;

    CB_TRY(transport_check_rank(
        base, rank, exists && factory->nodes[rank] != NULL && factory->nodes[rank]->in_use));
    if (factory->nodes[rank] == NULL)
        CB_TRY(make_node(factory, rank));
    factory->nodes[rank]->in_use = true;
    *out = &factory->nodes[rank]->base;
    return CB_OK;
}

void sci_node_destroy(transport_node *node)
{
    sci_node_of(node)->in_use = false;
}
