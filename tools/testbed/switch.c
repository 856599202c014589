/* The switch as a function of time. A frame has two events: it arrives at the port where it leaves,
 * and it has been sent there. The first decides its place in the queue, so that frames are served
 * in order of their arrival and not of their sending. */
#include "tools/testbed/switch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { GROUP_BIT = 1, LEAST_DATA_BYTES = 60, WIRE_EXTRA_BYTES = 24 };

/* A host may be ahead of its cable by so much: far more than the switch is ever late. */
static const uint64_t card_backlog_ns = 1000000;

/* What is overtaken is held back by so much. */
static const uint64_t reorder_ns = 1000000;

void switch_address(unsigned port, unsigned char address[SWITCH_ADDRESS_BYTES])
{
    const unsigned char prefix[] = {2, 0, 0, 0};

    memcpy(address, prefix, sizeof(prefix));
    address[4] = (unsigned char)((port + 1) >> 8);
    address[5] = (unsigned char)(port + 1);
}

uint64_t switch_wire_bytes(size_t data_bytes)
{
    return WIRE_EXTRA_BYTES + (data_bytes < LEAST_DATA_BYTES ? LEAST_DATA_BYTES : data_bytes);
}

cb_status switch_open(network_switch *hub, const switch_settings *settings)
{
    *hub = (network_switch){.settings = *settings, .random = cb_random_seed(settings->seed)};
    hub->ports = cb_allocate(settings->ports, sizeof(*hub->ports), "the ports of the switch");
    if (hub->ports == NULL)
        return CB_ERROR_MEMORY;
    for (unsigned port = 0; port < settings->ports; port++)
        hub->ports[port].faults = settings->faults;
    return CB_OK;
}

void switch_close(network_switch *hub)
{
    frames_free(&hub->frames);
    free(hub->ports);
}

uint64_t switch_ready_ns(const network_switch *hub, unsigned port)
{
    uint64_t until_ns = hub->ports[port].sending_until_ns;

    return until_ns > card_backlog_ns ? until_ns - card_backlog_ns : 0;
}

frame *switch_frame(network_switch *hub)
{
    return frames_new(&hub->frames);
}

void switch_release(network_switch *hub, frame *taken)
{
    frames_release(&hub->frames, taken);
}

static uint64_t cable_ns(const network_switch *hub, size_t data_bytes)
{
    double bits = 8.0 * (double)switch_wire_bytes(data_bytes);

    return hub->settings.bits_per_s > 0 ? (uint64_t)(bits * 1e9 / hub->settings.bits_per_s) : 0;
}

static bool strikes(network_switch *hub, double probability)
{
    return probability > 0 && cb_random_unit(&hub->random) < probability;
}

/* When a frame that starts now gets to the port where it leaves. One that is reordered is late, and
 * does not hold up those behind it. */
static uint64_t arrival_ns(network_switch *hub, switch_port *from, uint64_t start_ns)
{
    uint64_t when_ns = start_ns + hub->settings.delay_ns;

    if (from->faults.jitter_ns > 0)
        when_ns += cb_random_below(&hub->random, from->faults.jitter_ns + 1);
    if (when_ns < from->last_arrival_ns)
        when_ns = from->last_arrival_ns;
    if (strikes(hub, from->faults.reorder)) {
        from->counters.reordered++;
        return when_ns + reorder_ns;
    }
    from->last_arrival_ns = when_ns;
    return when_ns;
}

static cb_status copy_to(network_switch *hub, const frame *sent, unsigned port)
{
    frame *copy = frames_new(&hub->frames);

    if (copy == NULL)
        return CB_ERROR_MEMORY;
    memcpy(copy->data, sent->data, sent->bytes);
    copy->bytes = sent->bytes;
    copy->due_ns = sent->due_ns;
    copy->queued = 0;
    copy->port = port;
    return frames_put(&hub->frames, copy) ? CB_OK : CB_ERROR_MEMORY;
}

/* One port by its address, or all but the sender's where the address is a group's. */
static cb_status forward(network_switch *hub, unsigned from, const frame *sent)
{
    unsigned first = 0, end = hub->settings.ports;

    if ((sent->data[0] & GROUP_BIT) == 0) {
        unsigned number = (unsigned)sent->data[4] << 8 | sent->data[5];

        if (number == 0 || number > hub->settings.ports)
            return CB_OK;
        first = number - 1;
        end = number;
    }
    for (unsigned port = first; port < end; port++)
        if (port != from)
            CB_TRY(copy_to(hub, sent, port));
    return CB_OK;
}

cb_status switch_accept(network_switch *hub, unsigned port, frame *sent, uint64_t now_ns)
{
    switch_port *from = &hub->ports[port];
    uint64_t start_ns = from->sending_until_ns > now_ns ? from->sending_until_ns : now_ns;
    bool lost = from->faults.cut || strikes(hub, from->faults.loss);
    cb_status status = CB_OK;

    from->sending_until_ns = start_ns + cable_ns(hub, sent->bytes);
    from->counters.frames_in++;
    from->counters.bytes_in += sent->bytes;
    if (lost) {
        from->counters.lost++;
    } else if (sent->bytes >= SWITCH_HEAD_BYTES) {
        bool twice = strikes(hub, from->faults.duplicate);

        sent->due_ns = arrival_ns(hub, from, start_ns);
        status = forward(hub, port, sent);
        if (status == CB_OK && twice) {
            from->counters.doubled++;
            status = forward(hub, port, sent);
        }
    }
    frames_release(&hub->frames, sent);
    return status;
}

uint64_t switch_next_ns(const network_switch *hub)
{
    const frame *first = frames_first(&hub->frames);

    return first != NULL ? first->due_ns : UINT64_MAX;
}

/* A frame has arrived at the port where it leaves: sent, queued, or dropped. */
static void arrive(network_switch *hub, frame *arrived)
{
    switch_port *to = &hub->ports[arrived->port];
    uint64_t limit = hub->settings.queue_bytes;

    if (to->faults.cut || (limit > 0 && to->queued_bytes + arrived->bytes > limit)) {
        *(to->faults.cut ? &to->counters.lost : &to->counters.full) += 1;
        frames_release(&hub->frames, arrived);
        return;
    }
    if (to->receiving_until_ns > arrived->due_ns)
        arrived->due_ns = to->receiving_until_ns;
    arrived->due_ns += cable_ns(hub, arrived->bytes);
    to->receiving_until_ns = arrived->due_ns;
    to->queued_bytes += arrived->bytes;
    arrived->queued = 1;
    frames_put(&hub->frames, arrived); /* there is room: it was taken out just now */
}

frame *switch_take(network_switch *hub, uint64_t now_ns)
{
    while (switch_next_ns(hub) <= now_ns) {
        frame *next = frames_take(&hub->frames);
        switch_port *to = &hub->ports[next->port];

        if (next->queued) {
            to->queued_bytes -= next->bytes;
            to->counters.frames_out++;
            to->counters.bytes_out += next->bytes;
            return next;
        }
        arrive(hub, next);
    }
    return NULL;
}
