/* A send puts the message into the receiver's mailbox. A receive that finds no message lets other
 * ranks run. Sends are recorded as non-blocking, since they do not wait. */
#include "emit/recorder.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "emit/fold.h"
#include "emit/links.h"
#include "world/mailbox.h"
#include "emit/sections.h"
#include "transport/common/group.h"

/* The members of a group, for a tree of sends and for the list of a multicast. */
typedef struct {
    uint32_t *ranks; /* the root, then the members */
    size_t count;
    char *text; /* of the members, such as 1-4,7 */
} member_list;

typedef struct message {
    transport_buffer base;
    mailbox_item item;
    struct message *next;    /* in the list of free ones */
    const member_list *tree; /* tree by which it came, or NULL */
    size_t place;            /* of the receiver, in the tree */
    unsigned char content[EMIT_CONTENT_BYTES];
} message;

static message *message_of(mailbox_item *item)
{
    return item != NULL ? (message *)(void *)((char *)item - offsetof(message, item)) : NULL;
}

/* The recorder */

typedef struct {
    transport_factory base;
    emit_recorder *recorder;
    mailbox box;
    fold_state records;
    bool names_senders;
    bool receives_of_one, receives_of_group; /* so far */
    uint64_t group_bytes;                    /* of messages received from a group */
    size_t heard_first;
    size_t any_size_first, any_size_count; /* senders whose messages are received with any size */
    bool waits;
    uint32_t awaited; /* sender that it waits for, or ANYBODY */
    /* If the recorder keeps time: of the rank; and at which it is resumed, while it waits */
    double now, due;
} recorder_factory;

enum { ANYBODY = UINT32_MAX };

typedef struct {
    transport_group base;
    transport_node **member; /* by rank: its node, if it is in the group */
    uint32_t list;           /* index in the recorder, if the group has a multicast */
} recorder_group;

struct emit_recorder {
    transport_factory **factories;
    size_t ranks;
    emit_scheduler *scheduler;
    bool by_tree;
    emit_links *links; /* if it keeps time */
    bool must_name;    /* rank `mixed` has to name senders */
    size_t mixed;
    message *resting;
    member_list **lists;
    size_t list_count, list_room;
};

static recorder_factory *factory_of(transport_factory *factory)
{
    return (recorder_factory *)factory;
}

static cb_status keep_record(recorder_factory *factory, fold_kind kind, uint32_t peer,
                             uint64_t bytes, double time_us)
{
    return fold_add(&factory->records, &(fold_record){kind, peer, bytes, time_us});
}

/* Buffers */

static transport_buffer *create_buffer(transport_factory *owner, size_t size)
{
    emit_recorder *recorder = factory_of(owner)->recorder;
    message *made = recorder->resting;

    if (made != NULL)
        recorder->resting = made->next;
    else
        made = cb_allocate(1, sizeof(*made), "a message");
    if (made == NULL)
        return NULL;
    made->base =
        (transport_buffer){.data = made->content, .size = size, .capacity = size, .owner = owner};
    made->tree = NULL;
    owner->held++;
    return &made->base;
}

static void release_buffer(transport_buffer *buffer)
{
    emit_recorder *recorder = factory_of(buffer->owner)->recorder;
    message *released = (message *)buffer;

    buffer->owner->held--;
    released->next = recorder->resting;
    recorder->resting = released;
}

/* Messages */

/* Resume a waiting rank at this time, or earlier if it is due earlier. */
static cb_status meet_at(recorder_factory *factory, double time)
{
    if (time >= factory->due)
        return CB_OK;
    factory->due = time;
    return emit_scheduler_resume_at(factory->recorder->scheduler, (size_t)factory->base.rank, time);
}

static double later(double one, double other)
{
    return one > other ? one : other;
}

static cb_status deliver(transport_factory *from, int rank, transport_buffer *buffer)
{
    emit_recorder *recorder = factory_of(buffer->owner)->recorder;
    recorder_factory *to = factory_of(recorder->factories[rank]);
    message *sent = (message *)buffer;

    buffer->owner->held--;
    buffer->owner = &to->base;
    if (recorder->links != NULL)
        return emit_links_send(recorder->links, (size_t)from->rank, (size_t)rank, buffer->size,
                               factory_of(from)->now, sent);
    if (to->waits && (to->awaited == ANYBODY || to->awaited == (uint32_t)from->rank)) {
        to->waits = false;
        emit_scheduler_wake(recorder->scheduler, (size_t)rank);
    }
    return mailbox_put(&to->box, (uint32_t)from->rank, &sent->item);
}

static cb_status send_buffer(transport_node *node, transport_buffer *buffer)
{
    size_t bytes = buffer->size;

    CB_TRY(deliver(node->factory, node->rank, buffer));
    return keep_record(factory_of(node->factory), FOLD_SEND, (uint32_t)node->rank, bytes, 0);
}

/* Binomial tree: place n (not the root) receives from the place that is n without its highest bit.
 * Every place sends to the existing places that have one more, higher bit. */

static cb_status record_tree_sends(recorder_factory *factory, const member_list *tree, size_t place,
                                   uint64_t bytes)
{
    for (size_t bit = 1; bit < tree->count; bit *= 2)
        if (bit > place && place + bit < tree->count)
            CB_TRY(keep_record(factory, FOLD_SEND, tree->ranks[place + bit], bytes, 0));
    return CB_OK;
}

static cb_status record_tree_receive(recorder_factory *factory, const message *received)
{
    const member_list *tree = received->tree;
    size_t highest = 1;

    while (2 * highest <= received->place)
        highest *= 2;
    CB_TRY(keep_record(factory, FOLD_RECEIVE, tree->ranks[received->place - highest],
                       received->base.size, 0));
    return record_tree_sends(factory, tree, received->place, received->base.size);
}

static cb_status record_receive(recorder_factory *factory, const message *received, bool of_group,
                                uint32_t sender)
{
    emit_recorder *recorder = factory->recorder;
    uint64_t bytes = sender - factory->any_size_first < factory->any_size_count
                         ? FOLD_ANY_SIZE
                         : received->base.size;

    of_group = of_group && received->tree == NULL;
    if (!factory->names_senders) {
        if ((of_group && factory->receives_of_one) || (!of_group && factory->receives_of_group) ||
            (of_group && factory->receives_of_group && factory->group_bytes != bytes)) {
            recorder->must_name = true;
            recorder->mixed = (size_t)factory->base.rank;
            return CB_ERROR_TRANSPORT;
        }
        factory->receives_of_one |= !of_group;
        factory->receives_of_group |= of_group;
        factory->group_bytes = bytes;
        if (of_group)
            return keep_record(factory, FOLD_RECEIVE_ANY, 0, bytes, 0);
    }
    return received->tree != NULL ? record_tree_receive(factory, received)
                                  : keep_record(factory, FOLD_RECEIVE, sender, bytes, 0);
}

/* Wait until a message of *sender or of members has arrived. */
static void await_arrival(recorder_factory *factory, transport_node *const *members,
                          uint32_t *sender)
{
    const mailbox *box = &factory->box;
    const mailbox_item *next;

    while ((next = members != NULL ? mailbox_oldest(box, members) : mailbox_next(box, *sender)) ==
           NULL) {
        factory->awaited = members != NULL ? ANYBODY : *sender;
        factory->waits = true;
        factory->due = (double)INFINITY;
        emit_scheduler_pause(factory->recorder->scheduler);
        factory->waits = false;
        factory->now = later(factory->now, factory->due);
    }
    *sender = next->sender;
}

static message *take(recorder_factory *factory, transport_node *const *members, uint32_t *sender)
{
    const emit_recorder *recorder = factory->recorder;
    const mailbox_order order = {.members = members,
                                 .ranks = recorder->ranks,
                                 .heard_first = factory->heard_first,
                                 .turn = emit_scheduler_turn(recorder->scheduler),
                                 .stuck = emit_scheduler_is_stuck(recorder->scheduler)};

    return message_of(members != NULL ? mailbox_take_any(&factory->box, &order, sender)
                                      : mailbox_take(&factory->box, *sender));
}

/* Wait for a message of *sender or of members, and record its receipt. */
static cb_status await(transport_factory *base, transport_node *const *members,
                       transport_buffer **out, uint32_t *sender)
{
    recorder_factory *factory = factory_of(base);
    emit_scheduler *scheduler = factory->recorder->scheduler;
    transport_node *const *members_left = members;
    message *received;
    cb_status status;

    if (factory->recorder->links != NULL) {
        await_arrival(factory, members, sender);
        members_left = NULL;
    }
    while ((received = take(factory, members_left, sender)) == NULL) {
        if (members != NULL && factory->box.due_count == 0 && factory->box.ready_count > 0) {
            emit_scheduler_pause(scheduler); /* a new round may start in the next turn */
            continue;
        }
        factory->awaited = members != NULL ? ANYBODY : *sender;
        factory->waits = true;
        emit_scheduler_wait(scheduler);
    }
    emit_scheduler_progress(scheduler);
    base->held++;
    status = record_receive(factory, received, members != NULL, *sender);
    *out = &received->base;
    if (status != CB_OK)
        release_buffer(*out);
    return status;
}

static cb_status receive(transport_node *node, transport_buffer **out)
{
    uint32_t sender = (uint32_t)node->rank;

    return await(node->factory, NULL, out, &sender);
}

static cb_status receive_of_group(transport_group *base, transport_buffer **out,
                                  transport_node **from)
{
    const recorder_group *group = (const recorder_group *)base;
    uint32_t sender;

    CB_TRY(await(base->factory, group->member, out, &sender));
    *from = group->member[sender];
    return CB_OK;
}

static cb_status receive_of_root(transport_group *group, transport_buffer **out)
{
    uint32_t sender = (uint32_t)group->root->rank;

    return await(group->factory, NULL, out, &sender);
}

static cb_status send_to_group(transport_group *base, transport_buffer *buffer)
{
    recorder_factory *factory = factory_of(base->factory);
    const emit_recorder *recorder = factory->recorder;
    const uint32_t number = ((const recorder_group *)base)->list;
    const member_list *tree = base->multicast && recorder->by_tree ? recorder->lists[number] : NULL;
    const uint64_t bytes = buffer->size;
    cb_status status = CB_OK;

    if (tree != NULL)
        status = record_tree_sends(factory, tree, 0, bytes);
    else if (base->multicast)
        status = keep_record(factory, FOLD_MULTICAST, number, bytes, 0);
    for (size_t i = 0; i < base->count && status == CB_OK; i++) {
        transport_buffer *copy = create_buffer(base->factory, bytes);

        if (copy == NULL) {
            status = CB_ERROR_MEMORY;
            break;
        }
        memcpy(copy->data, buffer->data, EMIT_CONTENT_BYTES);
        ((message *)copy)->tree = tree;
        ((message *)copy)->place = i + 1;
        status = deliver(base->factory, base->nodes[i]->rank, copy);
        if (status == CB_OK && !base->multicast)
            status = keep_record(factory, FOLD_SEND, (uint32_t)base->nodes[i]->rank, bytes, 0);
    }
    release_buffer(buffer);
    return status;
}

/* Nodes and groups */

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

/* "1-4,7" */
static char *write_list(const uint32_t *ranks, size_t count)
{
    const size_t each = 2 * sizeof("4294967295-");
    char *text = cb_allocate(count + 1, each, "a list of receivers");
    size_t used = 0;

    for (size_t i = 0, last; text != NULL && i < count; i = last + 1) {
        for (last = i; last + 1 < count && ranks[last + 1] == ranks[last] + 1;)
            last++;
        used += (size_t)snprintf(text + used, each, "%s%" PRIu32, i > 0 ? "," : "", ranks[i]);
        if (last > i)
            used += (size_t)snprintf(text + used, each, "-%" PRIu32, ranks[last]);
    }
    return text;
}

static void free_list(member_list *list)
{
    if (list == NULL)
        return;
    free(list->ranks);
    free(list->text);
    free(list);
}

/* The index of the list of a group's members; a new list if no group has had the same members. */
static cb_status find_list(emit_recorder *recorder, const transport_group *group, uint32_t *out)
{
    member_list *list = cb_allocate(1, sizeof(*list), "a list of receivers");
    member_list **lists;

    if (list == NULL)
        return CB_ERROR_MEMORY;
    list->count = group->count + 1;
    list->ranks = cb_allocate(list->count, sizeof(*list->ranks), "a list of receivers");
    if (list->ranks != NULL) {
        list->ranks[0] = (uint32_t)group->factory->rank;
        for (size_t i = 0; i < group->count; i++)
            list->ranks[i + 1] = (uint32_t)group->nodes[i]->rank;
        list->text = write_list(list->ranks + 1, group->count);
    }
    for (*out = 0; list->text != NULL && *out < recorder->list_count; ++*out)
        if (recorder->lists[*out]->ranks[0] == list->ranks[0] &&
            strcmp(recorder->lists[*out]->text, list->text) == 0) {
            free_list(list);
            return CB_OK;
        }
    lists = list->text != NULL ? cb_grow(recorder->lists, recorder->list_count,
                                         &recorder->list_room, sizeof(*lists))
                               : NULL;
    if (lists == NULL) {
        free_list(list);
        cb_error("cannot store the lists of receivers: out of memory; trace fewer ranks");
        return CB_ERROR_MEMORY;
    }
    recorder->lists = lists;
    lists[recorder->list_count++] = list;
    return CB_OK;
}

static void destroy_group(transport_group *base)
{
    free(((recorder_group *)base)->member);
    free(base->nodes);
    free(base);
}

static cb_status create_group(transport_factory *factory, transport_node *const *nodes,
                              size_t count, transport_node *root, bool multicast,
                              transport_group **out)
{
    recorder_group *group = cb_allocate(1, sizeof(*group), "a group");
    cb_status status = CB_OK;

    if (group == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_group_initialise(&group->base, factory, nodes, count, root, multicast));
    group->member = cb_allocate((size_t)factory->size, sizeof(*group->member), "a group");
    if (group->member == NULL)
        status = CB_ERROR_MEMORY;
    for (size_t i = 0; i < count && status == CB_OK; i++)
        group->member[nodes[i]->rank] = nodes[i];
    if (status == CB_OK && multicast && root == NULL)
        status = find_list(factory_of(factory)->recorder, &group->base, &group->list);
    if (status != CB_OK) {
        destroy_group(&group->base);
        return status;
    }
    *out = &group->base;
    return CB_OK;
}

/* Opening and closing */

/* After the last step there may be acknowledgements that no rank receives. */
static void close_mailbox(recorder_factory *factory)
{
    message *left;

    while ((left = message_of(mailbox_take_oldest(&factory->box))) != NULL)
        free(left);
    mailbox_close(&factory->box);
}

static cb_status open_factory(const transport_bootstrap *bootstrap, transport_factory **out)
{
    recorder_factory *factory = cb_allocate(1, sizeof(*factory), "a rank of the recorder");

    if (factory == NULL)
        return CB_ERROR_MEMORY;
    factory->recorder = bootstrap->context;
    factory->records.ranks = (uint32_t)bootstrap->size;
    if (mailbox_keep_rounds(&factory->box, (size_t)bootstrap->size) != CB_OK) {
        close_mailbox(factory);
        free(factory);
        return CB_ERROR_MEMORY;
    }
    *out = &factory->base;
    return CB_OK;
}

static cb_status close_factory(transport_factory *base)
{
    recorder_factory *factory = factory_of(base);

    close_mailbox(factory);
    fold_free(&factory->records);
    free(factory);
    return CB_OK;
}

static cb_status prepare(transport_factory *factory, const transport_preparation *preparation)
{
    (void)factory;
    (void)preparation;
    return CB_OK;
}

static const transport_technology technology = {
    .name = "recorder",
    .summary = "all ranks in one process; records messages",
    .capabilities = TRANSPORT_STREAM | TRANSPORT_MULTICAST | TRANSPORT_DELIVERS,
    .open = open_factory,
    .close = close_factory,
    .prepare = prepare,
    .node_create = create_node,
    .node_destroy = destroy_node,
    .group_create = create_group,
    .group_destroy = destroy_group,
    .buffer_create = create_buffer,
    .buffer_release = release_buffer,
    .send = send_buffer,
    .receive = receive,
    .group_send = send_to_group,
    .group_receive = receive_of_group,
    .group_receive_root = receive_of_root,
};

cb_status emit_recorder_open(size_t ranks, emit_recorder **out)
{
    emit_recorder *recorder = cb_allocate(1, sizeof(*recorder), "the recorder");
    cb_status status = CB_OK;

    if (recorder == NULL)
        return CB_ERROR_MEMORY;
    recorder->factories = cb_allocate(ranks, sizeof(*recorder->factories), "the recorder's ranks");
    if (recorder->factories == NULL)
        status = CB_ERROR_MEMORY;
    for (; recorder->ranks < ranks && status == CB_OK; recorder->ranks++) {
        const transport_bootstrap bootstrap = {
            .rank = (int)recorder->ranks, .size = (int)ranks, .context = recorder};

        status = transport_open(&technology, &bootstrap, &recorder->factories[recorder->ranks]);
        if (status != CB_OK)
            break;
    }
    if (status != CB_OK) {
        emit_recorder_close(recorder);
        return status;
    }
    *out = recorder;
    return CB_OK;
}

/* After an error there are messages on their way. */
static void close_links(emit_recorder *recorder)
{
    while (recorder->links != NULL && emit_links_next(recorder->links) < (double)INFINITY) {
        emit_arrival came;

        if (emit_links_pass(recorder->links, &came) != CB_OK)
            break;
        free(came.what);
    }
    emit_links_close(recorder->links);
}

void emit_recorder_close(emit_recorder *recorder)
{
    if (recorder == NULL)
        return;
    close_links(recorder);
    for (size_t rank = 0; rank < recorder->ranks; rank++)
        (void)transport_close(recorder->factories[rank]);
    for (size_t list = 0; list < recorder->list_count; list++)
        free_list(recorder->lists[list]);
    while (recorder->resting != NULL) {
        message *first = recorder->resting;

        recorder->resting = first->next;
        free(first);
    }
    free(recorder->lists);
    free(recorder->factories);
    free(recorder);
}

void emit_recorder_set_scheduler(emit_recorder *recorder, emit_scheduler *scheduler)
{
    recorder->scheduler = scheduler;
}

transport_factory *emit_recorder_factory(emit_recorder *recorder, size_t rank)
{
    return recorder->factories[rank];
}

cb_status emit_recorder_compute(emit_recorder *recorder, size_t rank, double time_us)
{
    return keep_record(factory_of(recorder->factories[rank]), FOLD_COMPUTE, 0, 0, time_us);
}

/* Ranks start within the time of a packet, drawn from the seed: if those that do the same started
 * together, they would stay in step, as on a real network they do not. */
cb_status emit_recorder_keep_time(emit_recorder *recorder, uint64_t seed)
{
    cb_random random = cb_random_seed(seed);

    CB_TRY(emit_links_open(recorder->ranks, &recorder->links));
    for (size_t rank = 0; rank < recorder->ranks; rank++)
        factory_of(recorder->factories[rank])->now = emit_links_packet() * cb_random_unit(&random);
    return CB_OK;
}

static double next_event(void *context)
{
    const emit_recorder *recorder = context;

    return emit_links_next(recorder->links);
}

/* A message that arrives comes to the mailbox, and its receiver may wait for it. */
static cb_status pass_event(void *context)
{
    emit_recorder *recorder = context;
    emit_arrival came;
    recorder_factory *to;

    CB_TRY(emit_links_pass(recorder->links, &came));
    if (came.what == NULL)
        return CB_OK;
    to = factory_of(recorder->factories[came.to]);
    CB_TRY(mailbox_put(&to->box, (uint32_t)came.from, &((message *)came.what)->item));
    return to->waits && (to->awaited == ANYBODY || to->awaited == (uint32_t)came.from)
               ? meet_at(to, came.time)
               : CB_OK;
}

emit_events emit_recorder_events(emit_recorder *recorder)
{
    return (emit_events){next_event, pass_event, recorder};
}

void emit_recorder_send_by_tree(emit_recorder *recorder)
{
    recorder->by_tree = true;
}

void emit_recorder_name_senders(emit_recorder *recorder, size_t rank)
{
    factory_of(recorder->factories[rank])->names_senders = true;
}

bool emit_recorder_must_name(const emit_recorder *recorder, size_t *rank)
{
    *rank = recorder->mixed;
    return recorder->must_name;
}

void emit_recorder_hear_first(emit_recorder *recorder, size_t rank, size_t first)
{
    factory_of(recorder->factories[rank])->heard_first = first;
}

void emit_recorder_take_any_size(emit_recorder *recorder, size_t rank, size_t first, size_t count)
{
    recorder_factory *factory = factory_of(recorder->factories[rank]);

    factory->any_size_first = first;
    factory->any_size_count = count;
}

cb_status emit_recorder_finish(emit_recorder *recorder)
{
    for (size_t rank = 0; rank < recorder->ranks; rank++)
        CB_TRY(fold_finish(&factory_of(recorder->factories[rank])->records));
    return CB_OK;
}

cb_status emit_recorder_write(const emit_recorder *recorder, FILE *stream)
{
    fold_state *records = cb_allocate(recorder->ranks, sizeof(*records), "the text of a trace");
    char **lists = cb_allocate(recorder->list_count, sizeof(*lists), "the text of a trace");
    cb_status status = CB_ERROR_MEMORY;

    if (records != NULL && lists != NULL) {
        for (size_t rank = 0; rank < recorder->ranks; rank++)
            records[rank] = factory_of(recorder->factories[rank])->records;
        for (size_t list = 0; list < recorder->list_count; list++)
            lists[list] = recorder->lists[list]->text;
        status = sections_write(records, recorder->ranks, lists, stream);
    }
    free(records);
    free(lists);
    return status;
}
