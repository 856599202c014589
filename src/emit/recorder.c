/* Messages are the sender's buffers, handed over in the mailbox of the receiver. A receive that
 * finds nothing there lets the other ranks go on. A send is recorded as a started one, since it
 * does not wait. */
#include "emit/recorder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/common/group.h"

/* A mailbox: what has come to a rank and was not received yet. There is a queue for each sender;
 * those with messages are in a doubly linked list and take turns, so that a receive from several is
 * fair. */

typedef struct channel {
    int from;
    transport_buffer *first, *last;
    struct channel *before, *after;
} channel;

/* Empty with its size alone. */
typedef struct {
    size_t size;          /* senders, numbered from 0 */
    channel **channels;   /* of each sender, made by its first message */
    channel *next, *last; /* whose turn it is, of those with messages */
} mailbox;

static void mailbox_join_turns(mailbox *box, channel *joining)
{
    joining->before = box->last;
    joining->after = NULL;
    if (box->last == NULL)
        box->next = joining;
    else
        box->last->after = joining;
    box->last = joining;
}

static channel *mailbox_channel(mailbox *box, int sender)
{
    channel **place;

    if (box->channels == NULL)
        box->channels = cb_allocate(box->size, sizeof(*box->channels), "queues");
    if (box->channels == NULL)
        return NULL;
    place = &box->channels[sender];
    if (*place == NULL) {
        *place = cb_allocate(1, sizeof(**place), "a queue");
        if (*place != NULL)
            (*place)->from = sender;
    }
    return *place;
}

/* Put a message after the others of its sender. After CB_ERROR_MEMORY, logged, the message is still
 * the caller's. */
static cb_status mailbox_put(mailbox *box, int sender, transport_buffer *message)
{
    channel *into = mailbox_channel(box, sender);

    if (into == NULL)
        return CB_ERROR_MEMORY;
    message->next = NULL;
    if (into->first == NULL) {
        into->first = message;
        mailbox_join_turns(box, into);
    } else {
        into->last->next = message;
    }
    into->last = message;
    return CB_OK;
}

/* Take the first message of a queue, whose next turn comes after those of all others. */
static transport_buffer *take_first(mailbox *box, channel *from)
{
    transport_buffer *taken = from->first;

    from->first = taken->next;
    *(from->before == NULL ? &box->next : &from->before->after) = from->after;
    *(from->after == NULL ? &box->last : &from->after->before) = from->before;
    if (from->first != NULL)
        mailbox_join_turns(box, from);
    return taken;
}

/* Take the next message of a sender; NULL where none has come. */
static transport_buffer *mailbox_take(mailbox *box, int sender)
{
    channel *from = box->channels != NULL ? box->channels[sender] : NULL;

    return from != NULL && from->first != NULL ? take_first(box, from) : NULL;
}

/* The same of any sender for which `members` is not NULL: of those, the one whose turn it is. */
static transport_buffer *mailbox_take_any(mailbox *box, transport_node *const *members, int *sender)
{
    channel *from = box->next;

    while (from != NULL && members[from->from] == NULL)
        from = from->after;
    if (from == NULL)
        return NULL;
    *sender = from->from;
    return take_first(box, from);
}

static void mailbox_clear(mailbox *box)
{
    while (box->next != NULL)
        free(take_first(box, box->next));
    for (size_t sender = 0; box->channels != NULL && sender < box->size; sender++)
        free(box->channels[sender]);
    free(box->channels);
}

/* Records */

typedef enum { SENDS, RECEIVES, RECEIVES_OF_GROUP, MULTICASTS, COMPUTES } record_kind;

typedef struct {
    record_kind kind;
    uint32_t peer; /* a rank, or of a multicast its list */
    uint64_t bytes;
    double time_us;
} record;

typedef struct {
    transport_factory base;
    emit_recorder *recorder;
    mailbox box;
    record *records;
    size_t count, room;
    bool depends_on_sender;
} recorder_factory;

typedef struct {
    transport_group base;
    transport_node **member; /* of each rank: its node, where it is in the group */
    uint32_t list;           /* of the recorder, where the group has a multicast */
} recorder_group;

struct emit_recorder {
    transport_factory **factories;
    size_t ranks;
    emit_scheduler *scheduler;
    char **lists; /* of multicasts, as a trace has them: 1,2,5 */
    size_t list_count, list_room;
};

static recorder_factory *factory_of(transport_factory *factory)
{
    return (recorder_factory *)factory;
}

static cb_status keep_record(recorder_factory *factory, record made)
{
    if (factory->count == factory->room) {
        size_t room = factory->room > 0 ? 2 * factory->room : 64;
        record *moved = realloc(factory->records, room * sizeof(*moved));

        if (moved == NULL) {
            cb_error("cannot keep %zu records of a rank: out of memory; trace fewer steps", room);
            return CB_ERROR_MEMORY;
        }
        factory->records = moved;
        factory->room = room;
    }
    factory->records[factory->count++] = made;
    return CB_OK;
}

/* Buffers */

static transport_buffer *create_buffer(transport_factory *owner, size_t size)
{
    transport_buffer *made = cb_allocate(1, sizeof(*made) + size, "a message");

    if (made == NULL)
        return NULL;
    *made = (transport_buffer){.data = made + 1, .size = size, .capacity = size, .owner = owner};
    owner->held++;
    return made;
}

static void release_buffer(transport_buffer *buffer)
{
    buffer->owner->held--;
    free(buffer);
}

/* Messages */

static cb_status deliver(const transport_factory *from, int rank, transport_buffer *buffer)
{
    recorder_factory *to = factory_of(factory_of(buffer->owner)->recorder->factories[rank]);

    buffer->owner->held--;
    buffer->owner = &to->base;
    return mailbox_put(&to->box, from->rank, buffer);
}

static cb_status deliver_copy(transport_factory *from, int rank, const transport_buffer *buffer)
{
    transport_buffer *copy = create_buffer(from, buffer->size);

    if (copy == NULL)
        return CB_ERROR_MEMORY;
    if (buffer->size > 0)
        memcpy(copy->data, buffer->data, buffer->size);
    return deliver(from, rank, copy);
}

static cb_status send_buffer(transport_node *node, transport_buffer *buffer)
{
    record sent = {SENDS, (uint32_t)node->rank, buffer->size, 0};

    CB_TRY(deliver(node->factory, node->rank, buffer));
    return keep_record(factory_of(node->factory), sent);
}

/* Wait for a message, and record what came. */
static cb_status await(transport_factory *base, int rank, transport_node *const *members,
                       transport_buffer **out, int *sender)
{
    const record_kind kind = members != NULL ? RECEIVES_OF_GROUP : RECEIVES;
    recorder_factory *factory = factory_of(base);

    *sender = rank;
    while ((*out = members != NULL ? mailbox_take_any(&factory->box, members, sender)
                                   : mailbox_take(&factory->box, rank)) == NULL)
        emit_scheduler_pause(factory->recorder->scheduler);
    emit_scheduler_progress(factory->recorder->scheduler);
    base->held++;
    return keep_record(factory, (record){kind, (uint32_t)*sender, (*out)->size, 0});
}

static cb_status receive(transport_node *node, transport_buffer **out)
{
    int sender;

    return await(node->factory, node->rank, NULL, out, &sender);
}

static cb_status receive_of_group(transport_group *base, transport_buffer **out,
                                  transport_node **from)
{
    const recorder_group *group = (const recorder_group *)base;
    int sender;

    CB_TRY(await(base->factory, 0, group->member, out, &sender));
    *from = group->member[sender];
    return CB_OK;
}

static cb_status receive_of_root(transport_group *group, transport_buffer **out)
{
    int sender;

    return await(group->factory, group->root->rank, NULL, out, &sender);
}

static cb_status send_to_group(transport_group *base, transport_buffer *buffer)
{
    recorder_factory *factory = factory_of(base->factory);
    cb_status status = CB_OK;

    if (base->multicast)
        status = keep_record(
            factory, (record){MULTICASTS, ((const recorder_group *)base)->list, buffer->size, 0});
    for (size_t i = 0; i < base->count && status == CB_OK; i++) {
        int rank = base->nodes[i]->rank;

        status = deliver_copy(base->factory, rank, buffer);
        if (!base->multicast && status == CB_OK)
            status = keep_record(factory, (record){SENDS, (uint32_t)rank, buffer->size, 0});
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

static cb_status write_list(emit_recorder *recorder, const transport_group *group, uint32_t *out)
{
    const size_t each = 12;
    char *text = cb_allocate(group->count + 1, each, "a list of receivers");
    size_t used = 0;

    if (text == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < group->count; i++)
        used +=
            (size_t)snprintf(text + used, each, "%s%d", i > 0 ? "," : "", group->nodes[i]->rank);
    if (recorder->list_count == recorder->list_room) {
        size_t room = recorder->list_room > 0 ? 2 * recorder->list_room : 16;
        char **moved = realloc(recorder->lists, room * sizeof(*moved));

        if (moved == NULL) {
            free(text);
            cb_error("cannot keep %zu lists of receivers: out of memory; trace fewer ranks", room);
            return CB_ERROR_MEMORY;
        }
        recorder->lists = moved;
        recorder->list_room = room;
    }
    *out = (uint32_t)recorder->list_count;
    recorder->lists[recorder->list_count++] = text;
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
        status = write_list(factory_of(factory)->recorder, &group->base, &group->list);
    if (status != CB_OK) {
        destroy_group(&group->base);
        return status;
    }
    *out = &group->base;
    return CB_OK;
}

/* Opening and closing */

static cb_status open_factory(const transport_bootstrap *bootstrap, transport_factory **out)
{
    recorder_factory *factory = cb_allocate(1, sizeof(*factory), "a rank of the recorder");

    if (factory == NULL)
        return CB_ERROR_MEMORY;
    factory->recorder = bootstrap->context;
    factory->box.size = (size_t)bootstrap->size;
    *out = &factory->base;
    return CB_OK;
}

/* After the last step acknowledgements may be left that no rank receives. */
static cb_status close_factory(transport_factory *base)
{
    recorder_factory *factory = factory_of(base);

    mailbox_clear(&factory->box);
    free(factory->records);
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
    .summary = "all ranks in one process, to record what they send",
    .capabilities =
        TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_MULTICAST | TRANSPORT_DELIVERS,
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

void emit_recorder_close(emit_recorder *recorder)
{
    if (recorder == NULL)
        return;
    for (size_t rank = 0; rank < recorder->ranks; rank++)
        (void)transport_close(recorder->factories[rank]);
    for (size_t list = 0; list < recorder->list_count; list++)
        free(recorder->lists[list]);
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
    return keep_record(factory_of(recorder->factories[rank]), (record){COMPUTES, 0, 0, time_us});
}

void emit_recorder_depends_on_sender(emit_recorder *recorder, size_t rank)
{
    factory_of(recorder->factories[rank])->depends_on_sender = true;
}

/* Writing */

/* Whether every message of this rank may as well be taken from any: a receive that names its sender
 * must not lose its message to one that does not, and sizes have to match. */
static bool takes_from_any(const recorder_factory *factory)
{
    uint64_t bytes = UINT64_MAX;

    if (factory->depends_on_sender)
        return false;
    for (size_t i = 0; i < factory->count; i++) {
        const record *made = &factory->records[i];

        if (made->kind == RECEIVES ||
            (made->kind == RECEIVES_OF_GROUP && bytes != UINT64_MAX && made->bytes != bytes))
            return false;
        if (made->kind == RECEIVES_OF_GROUP)
            bytes = made->bytes;
    }
    return true;
}

static void write_record(const emit_recorder *recorder, const record *made, bool any, FILE *stream)
{
    switch (made->kind) {
    case COMPUTES:
        fprintf(stream, "c %g\n", made->time_us);
        break;
    case MULTICASTS:
        fprintf(stream, "m %s %" PRIu64 "\n", recorder->lists[made->peer], made->bytes);
        break;
    case SENDS:
        fprintf(stream, "is %" PRIu32 " %" PRIu64 "\n", made->peer, made->bytes);
        break;
    case RECEIVES:
    case RECEIVES_OF_GROUP:
        if (any)
            fprintf(stream, "r any %" PRIu64 "\n", made->bytes);
        else
            fprintf(stream, "r %" PRIu32 " %" PRIu64 "\n", made->peer, made->bytes);
    }
}

void emit_recorder_write(const emit_recorder *recorder, FILE *stream)
{
    for (size_t rank = 0; rank < recorder->ranks; rank++) {
        const recorder_factory *factory = factory_of(recorder->factories[rank]);
        bool any = takes_from_any(factory);

        if (factory->count == 0)
            continue;
        fprintf(stream, "%zu:\n", rank);
        for (size_t i = 0; i < factory->count; i++)
            write_record(recorder, &factory->records[i], any, stream);
        fprintf(stream, "w\n");
    }
}
