/* The technology `model`: a send gives the message to the evaluation, which brings it to the
 * receiver's mailbox when it arrives. No content is copied: the receiver gets the sender's memory.
 */
#include "world/technology.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "transport/common/group.h"
#include "world/mailbox.h"
#include "world/plane.h"

/* A multicast by a tree of sends: its root, then the receivers. */
typedef struct {
    size_t users; /* messages that have it */
    size_t count;
    struct {
        uint32_t rank;
        uint32_t number; /* of the message that it gets */
    } members[];
} send_tree;

/* A message under way, received, or without use. Its content follows. */
typedef struct {
    transport_buffer base;
    mailbox_item item;
    send_tree *tree; /* until its receiver takes it; NULL: it is for this receiver only */
    size_t place;    /* of the receiver, in the tree */
    uint32_t from;   /* sender, which in a tree forwards it */
} message;

typedef struct {
    transport_factory base;
    world_rank *me;
    mailbox box;
    size_t message_bytes; /* announced */
    uint32_t *sent;       /* to each rank, since the first group with a tree; NULL: there is none */
} world_factory;

/* Its nodes in the order of ranks. */
typedef struct {
    transport_group base;
    transport_node **sorted;
    unsigned version; /* of base, plus 1 */
    uint32_t *ranks;  /* of the nodes, of a multicast's root; else NULL */
} world_group;

/* A message to several receivers. Each gets a copy, the last one the message. */
typedef struct {
    size_t left;
    message *content;
} multicast;

/* A cargo is the address of a message or, plus this, of a multicast. */
enum { MULTICAST = 1 };

static world_factory *factory_of(transport_factory *factory)
{
    return (world_factory *)factory;
}

static message *message_of(mailbox_item *item)
{
    return item != NULL ? (message *)(void *)((char *)item - offsetof(message, item)) : NULL;
}

/* Buffers */

static void leave_tree(message *sent)
{
    if (sent->tree != NULL && --sent->tree->users == 0)
        free(sent->tree);
    sent->tree = NULL;
}

/* Buffers of the size that was announced last rest; others are freed. */
static void rest(world *in, transport_buffer *buffer)
{
    leave_tree((message *)buffer);
    if (buffer->capacity != in->resting_bytes) {
        free(buffer);
        return;
    }
    buffer->next = in->resting;
    in->resting = buffer;
}

void world_free_messages(world *all)
{
    while (all->resting != NULL) {
        transport_buffer *first = all->resting;

        all->resting = first->next;
        free(first);
    }
}

static transport_buffer *create_buffer(transport_factory *owner, size_t size)
{
    world_factory *factory = factory_of(owner);
    world *in = factory->me->in;
    size_t capacity = size > factory->message_bytes ? size : factory->message_bytes;
    transport_buffer *buffer = in->resting;

    if (buffer != NULL && capacity == in->resting_bytes)
        in->resting = buffer->next;
    else
        buffer = cb_allocate(1, sizeof(message) + capacity, "a message");
    if (buffer == NULL)
        return NULL;
    *buffer = (transport_buffer){
        .data = (message *)buffer + 1, .size = size, .capacity = capacity, .owner = owner};
    owner->held++;
    return buffer;
}

static void release_buffer(transport_buffer *buffer)
{
    buffer->owner->held--;
    rest(factory_of(buffer->owner)->me->in, buffer);
}

static cb_status prepare(transport_factory *base, const transport_preparation *preparation)
{
    world_factory *factory = factory_of(base);
    world *in = factory->me->in;

    factory->message_bytes = preparation->message_bytes;
    if (preparation->multicast_bytes > factory->message_bytes)
        factory->message_bytes = preparation->multicast_bytes;
    if (factory->message_bytes == in->resting_bytes)
        return CB_OK;
    world_free_messages(in);
    in->resting_bytes = factory->message_bytes;
    return CB_OK;
}

/* Messages */

/* NULL if out of memory. */
static message *take_share(world_rank *me, multicast *sent)
{
    message *share = sent->content;

    if (--sent->left == 0) {
        free(sent);
        return share;
    }
    share = cb_allocate(1, sizeof(*share) + sent->content->base.capacity, "a message");
    if (share == NULL)
        return NULL;
    share->base = sent->content->base;
    share->base.data = share + 1;
    if (me->listener != NULL)
        memcpy(share->base.data, sent->content->base.data, share->base.size);
    return share;
}

cb_status world_deliver(world_rank *me, uint32_t from, uint64_t cargo)
{
    const bool shared = (cargo & MULTICAST) != 0;
    message *arrived = (message *)(uintptr_t)cargo;

    if (shared)
        arrived = take_share(me, (multicast *)(uintptr_t)(cargo - MULTICAST));
    if (arrived == NULL)
        return CB_ERROR_MEMORY;
    if (me->listener == NULL) {
        rest(me->in, &arrived->base);
        return CB_OK;
    }
    arrived->base.owner = me->listener;
    arrived->from = from;
    if (arrived->tree != NULL)
        from = arrived->tree->members[0].rank;
    return mailbox_put(&factory_of(me->listener)->box, from, &arrived->item);
}

static void send_message(world_rank *me, uint32_t rank, uint32_t number, transport_buffer *buffer)
{
    ((message *)buffer)->item.number = number;
    buffer->owner->held--;
    me->pending++;
    me->in->messages++;
    world_call(me, &(ccmod_record){.kind = CCMOD_START_SEND,
                                   .peer = rank,
                                   .size_bytes = buffer->size,
                                   .cargo = (uintptr_t)buffer});
}

static cb_status send_buffer(transport_node *node, transport_buffer *buffer)
{
    const world_factory *factory = factory_of(node->factory);
    const uint32_t rank = (uint32_t)node->rank;

    send_message(factory->me, rank, factory->sent != NULL ? ++factory->sent[rank] : 0, buffer);
    return CB_OK;
}

/* The sends of a member of a binomial tree: place n receives from the place that is n without its
 * highest bit, and sends to the existing places that are n with one more, higher bit. */
static cb_status send_on(transport_factory *base, const transport_buffer *content, send_tree *tree,
                         size_t place)
{
    for (size_t bit = 1; bit < tree->count; bit *= 2) {
        message *copy;

        if (bit <= place || place + bit >= tree->count)
            continue;
        copy = (message *)create_buffer(base, content->size);
        if (copy == NULL)
            return CB_ERROR_MEMORY;
        memcpy(copy->base.data, content->data, content->size);
        copy->tree = tree;
        copy->place = place + bit;
        tree->users++;
        send_message(factory_of(base)->me, tree->members[copy->place].rank,
                     tree->members[copy->place].number, &copy->base);
    }
    return CB_OK;
}

/* Who takes a message of a tree sends it on. */
static cb_status give(transport_factory *base, message *taken, transport_buffer **out)
{
    world_rank *me = factory_of(base)->me;
    cb_status status = CB_OK;

    if (taken == NULL)
        return CB_EMPTY;
    base->held++;
    /* A multicast and a message of the same sender may arrive in either order. */
    world_note(me, &(ccmod_record){.kind = CCMOD_RECEIVE,
                                   .peer = taken->from,
                                   .size_bytes = me->in->multicasts_sent ? CCMOD_ANY_SIZE
                                                                         : taken->base.size});
    if (taken->tree != NULL)
        status = send_on(base, &taken->base, taken->tree, taken->place);
    leave_tree(taken);
    if (status == CB_OK)
        *out = &taken->base;
    else
        release_buffer(&taken->base);
    return status;
}

static cb_status try_receive(transport_node *node, transport_buffer **out)
{
    mailbox *box = &factory_of(node->factory)->box;

    return give(node->factory, message_of(mailbox_take(box, (uint32_t)node->rank)), out);
}

static cb_status receive(transport_node *node, transport_buffer **out)
{
    while (try_receive(node, out) == CB_EMPTY)
        world_wait(factory_of(node->factory)->me);
    return CB_OK;
}

static cb_status flush(transport_factory *base)
{
    const world_rank *me = factory_of(base)->me;

    while (me->pending > 0)
        world_wait(factory_of(base)->me);
    return CB_OK;
}

/* Groups */

static int by_rank(const void *left, const void *right)
{
    const transport_node *one = *(transport_node *const *)left;
    const transport_node *other = *(transport_node *const *)right;

    return (one->rank > other->rank) - (one->rank < other->rank);
}

static cb_status sort_members(world_group *group)
{
    const size_t count = group->base.count;

    if (group->version == group->base.version + 1)
        return CB_OK;
    free(group->sorted);
    group->sorted = cb_allocate(count, sizeof(transport_node *), "a group");
    if (group->sorted == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        group->sorted[i] = group->base.nodes[i];
    qsort(group->sorted, count, sizeof(transport_node *), by_rank);
    group->version = group->base.version + 1;
    return CB_OK;
}

static transport_node *find_member(const world_group *group, uint32_t rank)
{
    const transport_node key = {.rank = (int)rank}, *wanted = &key;
    transport_node **found =
        bsearch(&wanted, group->sorted, group->base.count, sizeof(transport_node *), by_rank);

    return found != NULL ? *found : NULL;
}

/* The message that arrived first. */
static cb_status group_try_receive(transport_group *base, transport_buffer **out,
                                   transport_node **from)
{
    world_group *group = (world_group *)base;
    mailbox *box = &factory_of(base->factory)->box;

    CB_TRY(sort_members(group));
    for (const mailbox_item *item = box->oldest; item != NULL; item = item->after) {
        *from = find_member(group, item->sender);
        if (*from != NULL)
            return try_receive(*from, out);
    }
    return CB_EMPTY;
}

static cb_status group_receive(transport_group *base, transport_buffer **out, transport_node **from)
{
    cb_status status;

    while ((status = group_try_receive(base, out, from)) == CB_EMPTY)
        world_wait(factory_of(base->factory)->me);
    return status;
}

static cb_status group_receive_root(transport_group *base, transport_buffer **out)
{
    return receive(base->root, out);
}

static cb_status group_try_receive_root(transport_group *base, transport_buffer **out)
{
    return try_receive(base->root, out);
}

static cb_status send_by_tree(world_group *group, transport_buffer *buffer)
{
    const size_t count = group->base.count;
    world_factory *factory = factory_of(group->base.factory);
    message *content = (message *)buffer;
    send_tree *tree =
        cb_allocate(1, sizeof(*tree) + (count + 1) * sizeof(tree->members[0]), "a multicast");
    cb_status status = CB_ERROR_MEMORY;

    if (tree != NULL) {
        content->tree = tree;
        tree->users = 1;
        tree->count = count + 1;
        tree->members[0].rank = factory->me->number;
        for (size_t i = 0; i < count; i++) {
            tree->members[i + 1].rank = group->ranks[i];
            tree->members[i + 1].number = ++factory->sent[group->ranks[i]];
        }
        status = send_on(&factory->base, buffer, tree, 0);
    }
    release_buffer(buffer);
    return status;
}

static cb_status group_send(transport_group *base, transport_buffer *buffer)
{
    world_group *group = (world_group *)base;
    world_rank *me = factory_of(base->factory)->me;
    multicast *sent;

    if (group->ranks == NULL || base->count == 0)
        return transport_plain_send(base, buffer);
    me->in->multicasts_sent = true;
    if (me->in->multicasts_by_tree)
        return send_by_tree(group, buffer);
    sent = cb_allocate(1, sizeof(*sent), "a multicast");
    if (sent == NULL) {
        release_buffer(buffer);
        return CB_ERROR_MEMORY;
    }
    *sent = (multicast){base->count, (message *)buffer};
    buffer->owner->held--;
    me->pending++;
    me->in->messages += base->count;
    world_call(me, &(ccmod_record){.kind = CCMOD_MULTICAST,
                                   .list = group->ranks,
                                   .list_count = base->count,
                                   .size_bytes = buffer->size,
                                   .cargo = (uintptr_t)sent + MULTICAST});
    return CB_OK;
}

static void group_destroy(transport_group *base)
{
    free(((world_group *)base)->sorted);
    free(((world_group *)base)->ranks);
    free(base->nodes);
    free(base);
}

static cb_status group_create(transport_factory *factory, transport_node *const *nodes,
                              size_t count, transport_node *root, bool by_network,
                              transport_group **out)
{
    world_factory *mine = factory_of(factory);
    world_group *group = cb_allocate(1, sizeof(*group), "a group");

    if (group == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_group_initialise(&group->base, factory, nodes, count, root, by_network));
    if (by_network && root == NULL) {
        group->ranks = cb_allocate(count, sizeof(*group->ranks), "a group");
        if (mine->me->in->multicasts_by_tree && mine->sent == NULL)
            mine->sent = cb_allocate((size_t)factory->size, sizeof(*mine->sent), "a group");
        if (group->ranks == NULL || (mine->me->in->multicasts_by_tree && mine->sent == NULL)) {
            group_destroy(&group->base);
            return CB_ERROR_MEMORY;
        }
        for (size_t i = 0; i < count; i++)
            group->ranks[i] = (uint32_t)nodes[i]->rank;
    }
    *out = &group->base;
    return CB_OK;
}

/* Opening and closing */

static cb_status open_factory(const transport_bootstrap *bootstrap, transport_factory **out)
{
    world_factory *factory = cb_allocate(1, sizeof(*factory), "a rank of the model");

    if (factory == NULL)
        return CB_ERROR_MEMORY;
    factory->me = world_rank_of(bootstrap->context);
    factory->base.content_unknown = true;
    if (!factory->me->in->has_multicasts)
        factory->base.lacking = TRANSPORT_MULTICAST;
    factory->me->listener = &factory->base;
    *out = &factory->base;
    return CB_OK;
}

static cb_status close_factory(transport_factory *base)
{
    world_factory *factory = factory_of(base);
    message *left;

    factory->me->listener = NULL;
    while ((left = message_of(mailbox_take_oldest(&factory->box))) != NULL)
        rest(factory->me->in, &left->base);
    mailbox_close(&factory->box);
    free(factory->sent);
    free(factory);
    return CB_OK;
}

/* A rank that waits takes no time of any core. */
static cb_status set_wait(transport_factory *factory, transport_wait wait,
                          transport_wait *effective)
{
    (void)wait;
    *effective = factory->wait = TRANSPORT_WAIT_SPIN;
    return CB_OK;
}

static cb_status create_node(transport_factory *factory, int rank, transport_node **out)
{
    transport_node *node = cb_allocate(1, sizeof(*node), "a node");

    if (node == NULL)
        return CB_ERROR_MEMORY;
    *node = (transport_node){.ops = &factory->ops, .factory = factory, .rank = rank};
    *out = node;
    return CB_OK;
}

static void destroy_node(transport_node *node)
{
    free(node);
}

const transport_technology world_technology = {
    .name = "model",
    .summary = "a model of a network",
    .capabilities =
        TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_DELIVERS | TRANSPORT_MULTICAST,
    .open = open_factory,
    .close = close_factory,
    .abandon = world_recorder_abandon,
    .prepare = prepare,
    .set_wait = set_wait,
    .flush = flush,
    .node_create = create_node,
    .node_destroy = destroy_node,
    .group_create = group_create,
    .group_destroy = group_destroy,
    .buffer_create = create_buffer,
    .buffer_release = release_buffer,
    .send = send_buffer,
    .receive = receive,
    .try_receive = try_receive,
    .group_send = group_send,
    .group_receive = group_receive,
    .group_try_receive = group_try_receive,
    .group_receive_root = group_receive_root,
    .group_try_receive_root = group_try_receive_root,
};
