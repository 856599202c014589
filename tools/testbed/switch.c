/* The switch as a function of time. A frame has two events: its arrival at the port where it
 * leaves, and the end of its transmission there. The first decides its place in the queue, so that
 * frames are served in order of arrival, not of sending. Events are in a binary heap by time and
 * order of insertion; free frames are in a pool, so that the steady state needs no allocation. */
#include "tools/testbed/switch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tools/testbed/ecn.h"

enum { GROUP_BIT = 1, LEAST_DATA_BYTES = 60, WIRE_EXTRA_BYTES = 24 };

/* How far a host may be ahead of its cable: much more than the switch is ever late. */
static const uint64_t card_backlog_ns = 1000000;

/* The delay of a frame that is reordered. */
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

static void frames_release(switch_frames *all, frame *used)
{
    used->next = all->pool;
    all->pool = used;
}

/* At the same instant a frame leaves a queue before another one enters it. */
static bool is_earlier(const frame *one, const frame *other)
{
    if (one->due_ns != other->due_ns)
        return one->due_ns < other->due_ns;
    return one->queued != other->queued ? one->queued : one->order < other->order;
}

/* Insert a frame with its due_ns set; if out of memory returns false, logged, and releases the
 * frame. */
static bool frames_put(switch_frames *all, frame *entering)
{
    size_t place;

    if (all->count == all->room) {
        size_t room = all->room == 0 ? 1024 : 2 * all->room;
        frame **heap = cb_allocate(room, sizeof(*heap), "the calendar of the switch");

        if (heap == NULL) {
            frames_release(all, entering);
            return false;
        }
        if (all->count > 0)
            memcpy(heap, all->heap, all->count * sizeof(frame *));
        free(all->heap);
        all->heap = heap;
        all->room = room;
    }
    entering->order = all->entered++;
    for (place = all->count++; place > 0; place = (place - 1) / 2) {
        frame *above = all->heap[(place - 1) / 2];

        if (!is_earlier(entering, above))
            break;
        all->heap[place] = above;
    }
    all->heap[place] = entering;
    return true;
}

/* Remove the earliest frame; there must be one. */
static frame *frames_take(switch_frames *all)
{
    frame *first = all->heap[0];
    frame *last = all->heap[--all->count];
    size_t place = 0;

    for (size_t below; (below = 2 * place + 1) < all->count; place = below) {
        if (below + 1 < all->count && is_earlier(all->heap[below + 1], all->heap[below]))
            below++;
        if (!is_earlier(all->heap[below], last))
            break;
        all->heap[place] = all->heap[below];
    }
    all->heap[place] = last;
    return first;
}

cb_status switch_open(network_switch *hub, const switch_settings *settings)
{
    *hub = (network_switch){.settings = *settings, .random = cb_random_seed(settings->seed)};
    hub->ports = cb_allocate(settings->ports, sizeof(*hub->ports), "the ports of the switch");
    hub->uplink_until_ns =
        cb_allocate(settings->ports, sizeof(*hub->uplink_until_ns), "the leaves of the switch");
    hub->downlink_until_ns =
        cb_allocate(settings->ports, sizeof(*hub->downlink_until_ns), "the leaves of the switch");
    if (hub->ports == NULL || hub->uplink_until_ns == NULL || hub->downlink_until_ns == NULL)
        return CB_ERROR_MEMORY;
    for (unsigned port = 0; port < settings->ports; port++)
        hub->ports[port].faults = settings->faults;
    return CB_OK;
}

void switch_close(network_switch *hub)
{
    switch_frames *all = &hub->frames;

    while (all->count > 0)
        frames_release(all, all->heap[--all->count]);
    while (all->pool != NULL) {
        frame *next = all->pool->next;

        free(all->pool);
        all->pool = next;
    }
    free(all->heap);
    free(hub->uplink_until_ns);
    free(hub->downlink_until_ns);
    free(hub->ports);
}

uint64_t switch_ready_ns(const network_switch *hub, unsigned port)
{
    uint64_t until_ns = hub->ports[port].sending_until_ns;

    return until_ns > card_backlog_ns ? until_ns - card_backlog_ns : 0;
}

frame *switch_frame(network_switch *hub)
{
    frame *found = hub->frames.pool;

    if (found == NULL)
        return cb_allocate(1, sizeof(*found), "a frame of the switch");
    hub->frames.pool = found->next;
    return found;
}

void switch_release(network_switch *hub, frame *taken)
{
    frames_release(&hub->frames, taken);
}

/* Time of a frame on a cable; own_bits_per_s 0: the cable has the rate of the switch. */
static uint64_t cable_ns(const network_switch *hub, double own_bits_per_s, size_t data_bytes)
{
    double bits = 8.0 * (double)switch_wire_bytes(data_bytes);
    double bits_per_s = own_bits_per_s > 0 ? own_bits_per_s : hub->settings.bits_per_s;

    return bits_per_s > 0 ? (uint64_t)(bits * 1e9 / bits_per_s) : 0;
}

static unsigned leaf_of(const network_switch *hub, unsigned port)
{
    return hub->settings.leaf_ports > 0 ? port / hub->settings.leaf_ports : 0;
}

/* Time of a frame on the next link or cable that it enters. */
static uint64_t entering_ns(const network_switch *hub, const frame *passing)
{
    double bits_per_s = passing->links > 0 ? hub->settings.uplink_bits_per_s
                                           : hub->ports[passing->port].faults.in_bits_per_s;

    return cable_ns(hub, bits_per_s, passing->bytes);
}

static bool is_cut(const switch_faults *faults, uint64_t now_ns)
{
    return faults->cut ||
           (faults->flap_period_ns > 0 && now_ns % faults->flap_period_ns < faults->flap_down_ns);
}

static bool strikes(network_switch *hub, double probability)
{
    return probability > 0 && cb_random_unit(&hub->random) < probability;
}

/* When a frame sent at that time arrives at the port where it leaves. A reordered frame is late and
 * does not delay later ones. */
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

/* Send copies to one port by its address, or to all but the sender's if it is a group address. */
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
    for (unsigned port = first; port < end; port++) {
        frame *copy;

        if (port == from)
            continue;
        copy = switch_frame(hub);
        if (copy == NULL)
            return CB_ERROR_MEMORY;
        memcpy(copy->data, sent->data, sent->bytes);
        copy->bytes = sent->bytes;
        copy->due_ns = sent->due_ns;
        copy->queued = false;
        copy->port = port;
        copy->leaf = leaf_of(hub, from);
        copy->links = copy->leaf == leaf_of(hub, port) ? 0 : 2;
        copy->passed_ns =
            sent->due_ns + cable_ns(hub, hub->ports[from].faults.out_bits_per_s, sent->bytes);
        if (!frames_put(&hub->frames, copy))
            return CB_ERROR_MEMORY;
    }
    return CB_OK;
}

cb_status switch_accept(network_switch *hub, unsigned port, frame *sent, uint64_t now_ns)
{
    switch_port *from = &hub->ports[port];
    uint64_t start_ns = from->sending_until_ns > now_ns ? from->sending_until_ns : now_ns;
    bool lost = is_cut(&from->faults, now_ns) || strikes(hub, from->faults.loss);
    cb_status status = CB_OK;

    from->sending_until_ns = start_ns + cable_ns(hub, from->faults.out_bits_per_s, sent->bytes);
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
    return hub->frames.count > 0 ? hub->frames.heap[0]->due_ns : UINT64_MAX;
}

/* Whether a port's queue may grow to that size, with the shared buffer at the other. */
static bool has_room(const switch_settings *settings, uint64_t queue_bytes, uint64_t buffer_bytes)
{
    if (settings->queue_bytes > 0 && queue_bytes > settings->queue_bytes)
        return false;
    return settings->buffer_bytes == 0 ||
           (buffer_bytes <= settings->buffer_bytes &&
            (double)queue_bytes <=
                settings->alpha * (double)(settings->buffer_bytes - buffer_bytes));
}

static void occupy(network_switch *hub, switch_port *to, size_t bytes)
{
    to->queued_bytes += bytes;
    if (to->queued_bytes > to->counters.queue_max_bytes)
        to->counters.queue_max_bytes = to->queued_bytes;
    hub->buffered_bytes += bytes;
    if (hub->buffered_bytes > hub->buffer_max_bytes)
        hub->buffer_max_bytes = hub->buffered_bytes;
}

/* A frame has arrived at the uplink or downlink of a leaf. */
static void cross(network_switch *hub, frame *arrived)
{
    uint64_t *until_ns = arrived->links == 2 ? &hub->uplink_until_ns[arrived->leaf]
                                             : &hub->downlink_until_ns[leaf_of(hub, arrived->port)];

    if (*until_ns > arrived->due_ns)
        arrived->due_ns = *until_ns;
    *until_ns = arrived->due_ns + entering_ns(hub, arrived);
    if (*until_ns > arrived->passed_ns)
        arrived->passed_ns = *until_ns;
    arrived->links--;
    frames_put(&hub->frames, arrived); /* has room, since it was just removed */
}

/* A frame has arrived at the port where it leaves: transmit, queue or drop it. */
static void arrive(network_switch *hub, frame *arrived)
{
    const switch_settings *settings = &hub->settings;
    switch_port *to = &hub->ports[arrived->port];
    bool cut = is_cut(&to->faults, arrived->due_ns);

    if (cut || !has_room(settings, to->queued_bytes + arrived->bytes,
                         hub->buffered_bytes + arrived->bytes)) {
        *(cut ? &to->counters.lost : &to->counters.full) += 1;
        frames_release(&hub->frames, arrived);
        return;
    }
    if (settings->mark_bytes > 0 && to->queued_bytes > settings->mark_bytes &&
        ecn_mark(arrived->data, arrived->bytes))
        to->counters.marked++;
    if (to->receiving_until_ns > arrived->due_ns)
        arrived->due_ns = to->receiving_until_ns;
    arrived->due_ns += entering_ns(hub, arrived);
    to->receiving_until_ns = arrived->due_ns;
    if (arrived->passed_ns > arrived->due_ns)
        arrived->due_ns = arrived->passed_ns;
    occupy(hub, to, arrived->bytes);
    arrived->queued = true;
    frames_put(&hub->frames, arrived); /* has room, since it was just removed */
}

frame *switch_take(network_switch *hub, uint64_t now_ns)
{
    while (switch_next_ns(hub) <= now_ns) {
        frame *next = frames_take(&hub->frames);
        switch_port *to = &hub->ports[next->port];

        if (next->queued) {
            to->queued_bytes -= next->bytes;
            hub->buffered_bytes -= next->bytes;
            to->counters.frames_out++;
            to->counters.bytes_out += next->bytes;
            return next;
        }
        if (next->links > 0)
            cross(hub, next);
        else
            arrive(hub, next);
    }
    return NULL;
}
