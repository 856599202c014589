/* Static groups for multicasts, created and destroyed by root and members together. To create one,
 * each step waits for the one before:
 *
 *   root                             member
 *   id -> row, announced + 1 -> row  waits for the announcement
 *   waits for all members            makes its segment, joined + 1 -> row
 *   connects, connected + 1 -> row   waits for that
 *
 * To destroy it, members report that they have left, and the root serves the others until all have.
 * A process writes the rows in a peer's segment and reads those in its own (layout.h). The
 * announcements between two processes have one order, since creating a group is collective. */
#include "transport/sci/internal.h"

#include "base/clock.h"
#include "base/log.h"

/* Ids are in the upper half, which no other segment uses, and differ between the existing groups of
 * all roots and factories. */
enum { GROUP_BITS = 13, FACTORY_BITS = 3, MOST_ROOTS = 1 << 15, MOST_PIECE_BYTES = 32768 };

static uint32_t group_id(const sci_factory *factory, uint32_t count)
{
    return UINT32_C(1) << 31 | (uint32_t)factory->base.rank << (GROUP_BITS + FACTORY_BITS) |
           (factory->ordinal & ((1u << FACTORY_BITS) - 1)) << GROUP_BITS |
           (count & ((1u << GROUP_BITS) - 1));
}

bool sci_has_multicast(const sci_factory *factory)
{
    return factory->base.rank < MOST_ROOTS &&
           sci_local_can_join(&factory->devices[0], group_id(factory, 0));
}

static cb_status write_word(sci_node *node, volatile uint32_t *word, uint32_t value)
{
    uint32_t tries = 0;
    cb_status status;

    do {
        __atomic_store_n(word, value, __ATOMIC_RELEASE);
        status = sci_sequence_check(&node->receiving.sequence);
    } while (sci_sequence_tries_again(&node->receiving.sequence, &status, tries++));
    sci_bell_ring(&node->rope);
    return sci_note_lost(node, status);
}

static cb_status await_word(sci_factory *factory, const uint32_t *word, uint32_t value)
{
    for (uint64_t polls = 0; __atomic_load_n(word, __ATOMIC_ACQUIRE) != value; polls++) {
        if (sci_has_queued(factory))
            CB_TRY(sci_flush_queues(factory));
        CB_TRY(sci_pause(factory, polls));
    }
    return CB_OK;
}

static size_t segment_bytes(const sci_group *group)
{
    return SCI_MULTICAST_PLACES * (SCI_LINE_BYTES + (size_t)group->piece_bytes);
}

/* From the root's settings, which all processes have; in whole lines. */
static uint32_t piece_bytes(const sci_group *group)
{
    const sci_factory *factory = sci_factory_of(group->base.factory);
    const int root = group->base.root != NULL ? group->base.root->rank : factory->base.rank;
    const uint64_t bytes = sci_settings_of(factory->settings, (size_t)root)->recv_buffer_size;

    return (uint32_t)(bytes < MOST_PIECE_BYTES ? bytes & ~(uint64_t)(SCI_LINE_BYTES - 1)
                                               : MOST_PIECE_BYTES);
}

static void set_id(sci_group *group, uint32_t id)
{
    const uint32_t count = id & ((1u << GROUP_BITS) - 1);

    group->slot = count % SCI_LIVING_GROUPS;
    group->generation = count / SCI_LIVING_GROUPS;
}

/* The root */

static bool has_left(const sci_group *group, transport_node *member)
{
    const sci_row *row = sci_node_of(member)->groups.here;

    return sci_has_left(__atomic_load_n(&row->consumed[group->slot], __ATOMIC_ACQUIRE),
                        group->generation);
}

static bool slot_is_free(const sci_factory *factory, uint32_t slot)
{
    for (const sci_group *group = factory->groups; group != NULL; group = group->next)
        if (group->slot == slot)
            return false;
    return true;
}

static cb_status choose_id(sci_factory *factory, sci_group *group, uint32_t *id)
{
    for (int tries = 0; tries < SCI_LIVING_GROUPS; tries++) {
        *id = group_id(factory, ++factory->groups_made);
        set_id(group, *id);
        if (slot_is_free(factory, group->slot))
            return CB_OK;
    }
    cb_error("cannot make a multicast group over sci: this process already sends to %d groups; "
             "destroy one, or use --multicast loop",
             SCI_LIVING_GROUPS);
    return CB_ERROR_TRANSPORT;
}

static cb_status announce(sci_node *member, uint32_t id)
{
    CB_TRY(write_word(member, &member->groups.there->group_id, id));
    return write_word(member, &member->groups.there->announced, ++member->groups.announced);
}

static cb_status connect_members(sci_group *group, uint32_t id)
{
    sci_factory *factory = sci_factory_of(group->base.factory);

    CB_TRY(sci_remote_connect_group(&group->remote, &factory->devices[0], id));
    CB_TRY(sci_remote_map(&group->remote));
    return sci_sequence_open(&group->sequence, &group->remote);
}

static cb_status report_group_with_itself(const transport_node *node)
{
    cb_error(
        "cannot make a multicast group with rank %d: it is the root, which has no connection to "
        "itself; omit it",
        node->rank);
    return CB_ERROR_USAGE;
}

static cb_status gather_members(sci_group *group)
{
    sci_factory *factory = sci_factory_of(group->base.factory);
    const transport_group *base = &group->base;
    uint32_t id;

    for (size_t i = 0; i < base->count; i++)
        if (!sci_node_of(base->nodes[i])->connected)
            return report_group_with_itself(base->nodes[i]);
    CB_TRY(choose_id(factory, group, &id));
    for (size_t i = 0; i < base->count; i++)
        CB_TRY(announce(sci_node_of(base->nodes[i]), id));
    for (size_t i = 0; i < base->count; i++) {
        sci_groups_with *with = &sci_node_of(base->nodes[i])->groups;

        CB_TRY(await_word(factory, &with->here->joined, with->announced));
    }
    CB_TRY(connect_members(group, id));
    for (size_t i = 0; i < base->count; i++) {
        sci_node *member = sci_node_of(base->nodes[i]);

        CB_TRY(write_word(member, &member->groups.there->connected, member->groups.announced));
    }
    group->next = factory->groups;
    factory->groups = group;
    return CB_OK;
}

static void take_off_list(sci_factory *factory, const sci_group *group)
{
    sci_group **link = &factory->groups;

    while (*link != NULL && *link != group)
        link = &(*link)->next;
    if (*link != NULL)
        *link = group->next;
}

/* Members that have not left may still wait for queued messages. */
static void serve_until_all_have_left(sci_group *group)
{
    sci_factory *factory = sci_factory_of(group->base.factory);
    cb_status status = group->lost;
    uint64_t polls = 0;

    for (size_t i = 0; i < group->base.count; i++)
        while (status == CB_OK && !has_left(group, group->base.nodes[i])) {
            status = sci_flush_queues(factory);
            if (status == CB_OK)
                status = sci_pause(factory, polls++);
        }
}

static void dismiss_members(sci_group *group)
{
    sci_factory *factory = sci_factory_of(group->base.factory);

    if (group->sequence.handle != NULL)
        serve_until_all_have_left(group);
    while (group->queue.first != NULL)
        sci_give_back(factory, transport_queue_take(&group->queue));
    take_off_list(factory, group);
    sci_sequence_close(&group->sequence);
    sci_remote_disconnect(&group->remote);
}

/* A member */

static cb_status join(sci_group *group)
{
    sci_factory *factory = sci_factory_of(group->base.factory);
    sci_node *root = sci_node_of(group->base.root);
    const uint32_t turn = ++root->groups.joined;
    uint32_t id;

    CB_TRY(await_word(factory, &root->groups.here->announced, turn));
    id = __atomic_load_n(&root->groups.here->group_id, __ATOMIC_RELAXED);
    set_id(group, id);
    CB_TRY(sci_local_join(&group->segment, &factory->devices[0], id, segment_bytes(group)));
    CB_TRY(sci_local_map(&group->segment));
    CB_TRY(sci_local_offer(&group->segment));
    CB_TRY(write_word(root, &root->groups.there->joined, turn));
    return await_word(factory, &root->groups.here->connected, turn);
}

/* The root destroys its group later, and until then may wait for messages queued here. */
static void remove_segment(sci_group *group)
{
    const uint64_t pause_ns = 50000;
    sci_factory *factory = sci_factory_of(group->base.factory);
    cb_status status = CB_OK;

    for (uint64_t polls = 0; status == CB_OK && !sci_local_try_destroy(&group->segment); polls++) {
        status = sci_flush_queues(factory);
        if (status == CB_OK)
            status = sci_pause(factory, polls);
        cb_sleep_ns(pause_ns);
    }
    sci_local_destroy(&group->segment);
}

static void leave(sci_group *group)
{
    sci_factory *factory = sci_factory_of(group->base.factory);

    if (sci_local_is_available(&group->segment))
        (void)sci_report_consumed(group, true);
    sci_give_back(factory, group->assembled);
    remove_segment(group);
}

/* Both */

cb_status sci_multicast_begin(sci_group *group)
{
    group->piece_bytes = piece_bytes(group);
    return group->base.root != NULL ? join(group) : gather_members(group);
}

void sci_multicast_end(sci_group *group)
{
    if (group->base.root != NULL)
        leave(group);
    else
        dismiss_members(group);
}
