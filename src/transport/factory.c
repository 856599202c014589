/* Open and close a technology; default functions for slots that it leaves empty. */
#include "transport/transport.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "transport/common/group.h"
#include "transport/common/technology.h"

static cb_status report_missing_slot(transport_factory *factory, const char *operation)
{
    cb_error("the technology %s has no %s; choose another by --technology", factory->ops.name,
             operation);
    return transport_noted(factory, CB_ERROR_UNSUPPORTED);
}

static cb_status refuse_set_wait(transport_factory *factory, transport_wait wait,
                                 transport_wait *effective)
{
    (void)wait;
    (void)effective;
    return report_missing_slot(factory, "choice of wait policy");
}

static cb_status note_wait(transport_factory *factory, transport_wait wait,
                           transport_wait *effective)
{
    factory->wait = wait;
    *effective = wait;
    return CB_OK;
}

static cb_status nothing_to_flush(transport_factory *factory)
{
    (void)factory;
    return CB_OK;
}

static cb_status refuse_node_create(transport_factory *factory, int rank, transport_node **out)
{
    (void)rank;
    (void)out;
    return report_missing_slot(factory, "nodes");
}

static void nothing_to_destroy_node(transport_node *node)
{
    (void)node;
}

static cb_status refuse_group_create(transport_factory *factory, transport_node *const *nodes,
                                     size_t count, transport_node *root, bool multicast,
                                     transport_group **out)
{
    (void)nodes;
    (void)count;
    (void)root;
    (void)multicast;
    (void)out;
    return report_missing_slot(factory, "groups");
}

static void nothing_to_destroy_group(transport_group *group)
{
    (void)group;
}

/* For technologies that can only poll. */
static cb_status poll_until_received(transport_node *node, transport_buffer **out)
{
    cb_status status;

    for (uint64_t polls = 0; (status = node->ops->try_receive(node, out)) == CB_EMPTY; polls++)
        transport_pause(node->factory->wait, polls);
    return status;
}

/* From a pool that has no free buffer. */
static transport_buffer *create_from_pool(transport_factory *factory, size_t size)
{
    if (factory->pool == NULL) {
        (void)report_missing_slot(factory, "buffers");
        return NULL;
    }
    if (transport_noted(factory, transport_pool_grow(factory->pool)) != CB_OK)
        return NULL;
    return transport_buffer_create(factory, size);
}

static void nothing_to_release(transport_buffer *buffer)
{
    (void)buffer;
}

static cb_status refuse_send(transport_node *node, transport_buffer *buffer)
{
    transport_buffer_release(buffer);
    return report_missing_slot(node->factory, "send");
}

static cb_status refuse_receive(transport_node *node, transport_buffer **out)
{
    (void)out;
    return report_missing_slot(node->factory, "receive");
}

static void nothing_to_give_up(transport_node *node)
{
    (void)node;
}

static cb_status refuse_group_send(transport_group *group, transport_buffer *buffer)
{
    transport_buffer_release(buffer);
    return report_missing_slot(group->factory, "group send");
}

static cb_status refuse_group_receive(transport_group *group, transport_buffer **out,
                                      transport_node **from)
{
    (void)out;
    (void)from;
    return report_missing_slot(group->factory, "group receive");
}

static cb_status refuse_group_receive_root(transport_group *group, transport_buffer **out)
{
    (void)out;
    return report_missing_slot(group->factory, "multicast receive");
}

#define FILL(slot, function)                                                                       \
    do {                                                                                           \
        if (ops->slot == NULL)                                                                     \
            ops->slot = (function);                                                                \
    } while (0)

static void fill_empty_slots(transport_technology *ops)
{
    if (ops->node_create != NULL && ops->group_create == NULL) {
        ops->group_create = transport_plain_create;
        FILL(group_destroy, transport_plain_destroy);
    }
    if (ops->send != NULL)
        FILL(group_send, transport_plain_send);
    if (ops->try_receive != NULL) {
        FILL(set_wait, note_wait);
        FILL(receive, poll_until_received);
        FILL(group_receive, transport_plain_receive);
        FILL(group_try_receive, transport_plain_try_receive);
        FILL(group_receive_root, transport_plain_receive_root);
        FILL(group_try_receive_root, transport_plain_try_receive_root);
    }
    FILL(set_wait, refuse_set_wait);
    FILL(flush, nothing_to_flush);
    FILL(node_create, refuse_node_create);
    FILL(node_destroy, nothing_to_destroy_node);
    FILL(group_create, refuse_group_create);
    FILL(group_destroy, nothing_to_destroy_group);
    FILL(buffer_create, create_from_pool);
    FILL(buffer_release, nothing_to_release);
    FILL(send, refuse_send);
    FILL(receive, refuse_receive);
    FILL(try_receive, refuse_receive);
    FILL(give_up, nothing_to_give_up);
    FILL(group_send, refuse_group_send);
    FILL(group_receive, refuse_group_receive);
    FILL(group_try_receive, refuse_group_receive);
    FILL(group_receive_root, refuse_group_receive_root);
    FILL(group_try_receive_root, refuse_group_receive_root);
}

const char *transport_wait_name(transport_wait wait)
{
    static const char *const names[] = {
        [TRANSPORT_WAIT_SPIN] = "spin",
        [TRANSPORT_WAIT_YIELD] = "yield",
        [TRANSPORT_WAIT_BLOCK] = "block",
    };

    return names[wait];
}

const transport_technology *transport_find_known(const char *name)
{
    for (const transport_technology *const *entry = transport_technologies; *entry != NULL; entry++)
        if (strcmp((*entry)->name, name) == 0)
            return *entry;
    return NULL;
}

const transport_technology *transport_find(const char *name)
{
    const transport_technology *known = transport_find_known(name);

    return known != NULL && transport_is_built_in(known) ? known : NULL;
}

void transport_list(unsigned capabilities, char *text, size_t bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (const transport_technology *const *entry = transport_technologies;
         *entry != NULL && used < bytes; entry++)
        if (transport_is_built_in(*entry) &&
            ((*entry)->capabilities & capabilities) == capabilities)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", used > 0 ? ", " : "",
                                     (*entry)->name);
}

size_t transport_counter_sets(const cb_counter_set **sets, size_t room)
{
    size_t count = 0;

    for (size_t i = 0; transport_technologies[i] != NULL && count < room; i++) {
        const cb_counter_set *set = transport_technologies[i]->counters;
        size_t known = 0;

        while (known < count && sets[known] != set)
            known++;
        if (set != NULL && known == count)
            sets[count++] = set;
    }
    return count;
}

cb_status transport_open(const transport_technology *technology,
                         const transport_bootstrap *bootstrap, transport_factory **out)
{
    transport_factory *factory = NULL;

    CB_TRY(technology->open(bootstrap, &factory));
    factory->ops = *technology;
    factory->ops.capabilities &= ~factory->lacking;
    fill_empty_slots(&factory->ops);
    factory->rank = bootstrap->rank;
    factory->size = bootstrap->size;
    factory->settings = bootstrap->settings;
    *out = factory;
    return CB_OK;
}

cb_status transport_close(transport_factory *factory)
{
    size_t held;
    cb_status closed;

    if (factory == NULL)
        return CB_OK;
    held = factory->held;
    if (held > 0)
        cb_error(
            "%zu buffers of the technology %s were never released or sent; this is a defect of "
            "the program that uses them",
            held, factory->ops.name);
    closed = factory->ops.close(factory);
    return held > 0 && closed == CB_OK ? CB_ERROR_TRANSPORT : closed;
}
