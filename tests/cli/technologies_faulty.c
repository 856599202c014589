/* A list of technologies for programs that are tests: beside mpi and null, `faulty`, which is mpi
 * with a defect, `unicast`, which is mpi without a multicast of its own, and `sci`, which is mpi
 * under a name that has a Context: it demands settings as the engine promises them.
 *
 * CB_FAULT           drop, double, reorder, corrupt or cut; no fault without it
 * CB_FAULT_RANK      of the rank whose packets are hit
 * CB_FAULT_VERIFIED  the number, from 0, of the one packet that is hit in the verifying pass
 * CB_FAULT_EVERY     how many packets outside of that pass there are to one that is hit; 0: none is
 *
 * The packets of the verifying pass are those that carry their source and number in clear, as
 * bench/checker.h says. Empty messages, which are acknowledgements, are left alone. */
#include "transport/technologies.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* Where a packet goes: to a node, or to a group by mpi's own multicast. */
typedef struct {
    transport_node *node;
    transport_group *group; /* or NULL */
} way;

typedef cb_status (*fault)(way to, transport_buffer *buffer);

static transport_technology faulty, unicast, configured;

static struct {
    fault apply;
    uint64_t rank, verified, every;
    uint64_t plain_sent, stamped_sent;
    transport_buffer *held; /* by reorder, until the next packet is sent */
} defect;

static cb_status pass(way to, transport_buffer *buffer)
{
    return to.group != NULL ? transport_mpi.group_send(to.group, buffer)
                            : transport_mpi.send(to.node, buffer);
}

static cb_status drop(way to, transport_buffer *buffer)
{
    (void)to;
    transport_buffer_release(buffer);
    return CB_OK;
}

static cb_status send_twice(way to, transport_buffer *buffer)
{
    transport_buffer *copy = transport_buffer_create(buffer->owner, buffer->size);

    if (copy == NULL)
        return CB_ERROR_MEMORY;
    memcpy(copy->data, buffer->data, buffer->size);
    CB_TRY(pass(to, buffer));
    return pass(to, copy);
}

static cb_status hold(way to, transport_buffer *buffer)
{
    (void)to;
    defect.held = buffer;
    return CB_OK;
}

/* The byte is mended when the message is on its way: buffers are used again as they are. */
static cb_status corrupt(way to, transport_buffer *buffer)
{
    unsigned char *last = (unsigned char *)buffer->data + buffer->size - 1;
    transport_factory *factory = buffer->owner;
    cb_status status;

    *last ^= 1;
    status = pass(to, buffer);
    if (status == CB_OK)
        status = transport_mpi.flush(factory);
    *last ^= 1;
    return status;
}

static cb_status cut(way to, transport_buffer *buffer)
{
    buffer->size--;
    return pass(to, buffer);
}

/* What a plain packet begins with is no such number: its words are mixed bits. */
static bool is_stamped(const transport_buffer *buffer)
{
    uint64_t header[2];

    memcpy(header, buffer->data, sizeof(header));
    return (uint32_t)header[0] == (uint32_t)buffer->owner->rank && header[1] <= UINT32_MAX;
}

static bool is_hit(const transport_buffer *buffer)
{
    if (defect.apply == NULL || buffer->size < 2 * sizeof(uint64_t) ||
        (uint64_t)buffer->owner->rank != defect.rank)
        return false;
    if (is_stamped(buffer))
        return defect.stamped_sent++ == defect.verified;
    return defect.every > 0 && ++defect.plain_sent % defect.every == 0;
}

static cb_status send_or_hit(way to, transport_buffer *buffer)
{
    transport_buffer *held = defect.held;

    if (is_hit(buffer))
        return defect.apply(to, buffer);
    CB_TRY(pass(to, buffer));
    if (held == NULL)
        return CB_OK;
    defect.held = NULL;
    return pass(to, held);
}

static cb_status faulty_send(transport_node *node, transport_buffer *buffer)
{
    return send_or_hit((way){.node = node}, buffer);
}

/* A loop of sends, each with its own copy, so that each can be hit; or one multicast, which is hit
 * for all. */
static cb_status faulty_group_send(transport_group *group, transport_buffer *buffer)
{
    if (group->multicast)
        return send_or_hit((way){.group = group}, buffer);
    for (size_t i = 0; i < group->count; i++) {
        transport_buffer *copy = transport_buffer_create(group->factory, buffer->size);

        if (copy == NULL)
            return CB_ERROR_MEMORY;
        memcpy(copy->data, buffer->data, buffer->size);
        CB_TRY(faulty_send(group->nodes[i], copy));
    }
    transport_buffer_release(buffer);
    return CB_OK;
}

static uint64_t number_of(const char *name, uint64_t without)
{
    const char *text = getenv(name);

    return text != NULL ? strtoumax(text, NULL, 10) : without;
}

static void choose_defect(void)
{
    static const struct {
        const char *name;
        fault apply;
    } faults[] = {
        {"drop", drop},       {"double", send_twice}, {"reorder", hold},
        {"corrupt", corrupt}, {"cut", cut},
    };
    const char *wanted = getenv("CB_FAULT");

    for (size_t i = 0; wanted != NULL && i < sizeof(faults) / sizeof(faults[0]); i++)
        if (strcmp(wanted, faults[i].name) == 0)
            defect.apply = faults[i].apply;
    defect.rank = number_of("CB_FAULT_RANK", 0);
    defect.verified = number_of("CB_FAULT_VERIFIED", UINT64_MAX);
    defect.every = number_of("CB_FAULT_EVERY", 0);
}

static cb_status open_with_settings(const transport_bootstrap *bootstrap, transport_factory **out)
{
    const cb_settings *settings = bootstrap->settings;

    if (settings == NULL || settings->node_count != (size_t)bootstrap->size ||
        settings->nodes[bootstrap->rank].sci.recv_seg_size == 0) {
        cb_error("rank %d opens a technology without the settings of all ranks", bootstrap->rank);
        return CB_ERROR_TRANSPORT;
    }
    return transport_mpi.open(bootstrap, out);
}

/* The table of mpi is known only when the program is linked, so these are filled at its start. */
__attribute__((constructor)) static void make_technologies(void)
{
    faulty = unicast = configured = transport_mpi;
    faulty.name = "faulty";
    faulty.send = faulty_send;
    faulty.group_send = faulty_group_send;
    unicast.name = "unicast";
    unicast.capabilities &= ~(unsigned)TRANSPORT_MULTICAST;
    configured.name = "sci";
    configured.open = open_with_settings;
    choose_defect();
}

const transport_technology *const transport_technologies[] = {
    &transport_mpi, &transport_null, &faulty, &unicast, &configured, NULL,
};
