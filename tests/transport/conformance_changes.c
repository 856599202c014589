/* Groups that change and overlap, and receives from them mixed with receives from nodes: no
 * message is lost, and none overtakes another of its source. */
#include "tests/transport/conformance.h"

#include <sched.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/random.h"

JOB_TEST(a_node_is_added_once_and_removed_once)
{
    transport_group *group = conformance_group(NULL, 0);
    transport_node *node = here.nodes[conformance_next(job.size)];

    cb_log_silence(true);
    ck_assert_int_eq(transport_group_remove(group, node), CB_ERROR_USAGE);
    REQUIRE_OK(transport_group_add(group, node));
    ck_assert_int_eq(transport_group_add(group, node), CB_ERROR_USAGE);
    REQUIRE_OK(transport_group_remove(group, node));
    ck_assert_int_eq(transport_group_remove(group, node), CB_ERROR_USAGE);
    cb_log_silence(false);
    ck_assert_uint_eq(group->count, 0);
    transport_group_destroy(group);
}

/* Expect this as the only message, from this group. */
static void expect_from_group(transport_group *group, int source, uint64_t number)
{
    transport_buffer *buffer = NULL;
    transport_node *from = NULL;

    REQUIRE_OK(transport_group_receive(group, &buffer, &from));
    ck_assert_int_eq(from->rank, source);
    conformance_check(buffer, source, number, 64);
    transport_buffer_release(buffer);
}

/* Send one message to rank 0: not before all ranks are here, and it has arrived when this
 * returns. */
static void send_one(int source, uint64_t number)
{
    job_barrier();
    if (job.rank == source)
        conformance_send(0, number, 64);
    conformance_let_come();
}

JOB_TEST(a_group_receives_from_its_current_nodes_only)
{
    transport_group *group = NULL;

    if (!conformance_can_gather(3))
        return;
    conformance_prepare(64);
    if (job.rank == 0) {
        group = conformance_group((int[]){1}, 1);
        conformance_expect_silent_group(group);
    }
    send_one(2, 0);
    if (job.rank == 0) {
        conformance_expect_silent_group(group);
        REQUIRE_OK(transport_group_add(group, here.nodes[2]));
        expect_from_group(group, 2, 0);
        conformance_expect_silent_group(group);
        REQUIRE_OK(transport_group_remove(group, here.nodes[1]));
        conformance_expect_silent_group(group);
    }
    send_one(1, 0);
    send_one(2, 1);
    if (job.rank == 0) {
        expect_from_group(group, 2, 1);
        conformance_expect_silent_group(group);
        conformance_receive(1, 0, 64);
        transport_group_destroy(group);
    }
}

/* The group has already requested the node's next message. */
JOB_TEST(a_node_keeps_its_messages_when_it_leaves_or_outlives_its_group)
{
    transport_group *group = NULL;

    if (!conformance_can_gather(2))
        return;
    conformance_prepare(64);
    for (uint64_t i = 0; i < 4; i += 2) {
        if (job.rank == 0) {
            group = conformance_group_of_others();
            conformance_expect_silent_group(group);
            if (i > 0)
                REQUIRE_OK(transport_group_remove(group, here.nodes[1]));
            transport_group_destroy(group);
        }
        send_one(1, i);
        send_one(1, i + 1);
        if (job.rank == 0) {
            conformance_receive(1, i, 64);
            conformance_receive(1, i + 1, 64);
        }
    }
}

/* The technology may keep the request of a receive that found nothing: the group must get its
 * message. */
JOB_TEST(a_group_receives_from_a_node_that_was_polled_before)
{
    transport_group *group = NULL;

    if (!conformance_can_gather(2))
        return;
    conformance_prepare(64);
    if (job.rank == 0)
        group = conformance_group_of_others();
    send_one(1, 0);
    if (job.rank == 0) {
        expect_from_group(group, 1, 0);
        conformance_expect_silence(here.nodes[1]);
        conformance_expect_silent_group(group);
    }
    send_one(1, 1);
    if (job.rank == 0) {
        conformance_receive(1, 1, 64);
        conformance_expect_silence(here.nodes[1]);
    }
    send_one(1, 2);
    if (job.rank == 0)
        expect_from_group(group, 1, 2);
    transport_group_destroy(group);
}

/* Any receive returns the next message of some source, in its order. */

enum { GROUPS = 3, MIXED = 200 };

typedef struct {
    cb_random random;
    transport_group *groups[GROUPS];
    uint64_t *counts; /* number received from each source */
} receiver;

static bool has_more(const receiver *me, const transport_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (me->counts[group->nodes[i]->rank] < MIXED)
            return true;
    return false;
}

static void receive_from_group(receiver *me, transport_group *group)
{
    transport_buffer *buffer = NULL;
    transport_node *from = NULL;
    cb_status status;

    if (cb_random_below(&me->random, 2) == 0 && has_more(me, group))
        status = transport_group_receive(group, &buffer, &from);
    else
        status = transport_group_try_receive(group, &buffer, &from);
    if (status == CB_EMPTY)
        return;
    REQUIRE_OK(status);
    conformance_accept(buffer, from, 64, me->counts);
}

static void receive_from_node(receiver *me, transport_node *node)
{
    transport_buffer *buffer = NULL;
    cb_status status;

    if (cb_random_below(&me->random, 2) == 0 && me->counts[node->rank] < MIXED)
        status = transport_receive(node, &buffer);
    else
        status = transport_try_receive(node, &buffer);
    if (status == CB_EMPTY)
        return;
    REQUIRE_OK(status);
    conformance_accept(buffer, node, 64, me->counts);
}

static void change_group(transport_group *group, transport_node *node)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->nodes[i] == node) {
            REQUIRE_OK(transport_group_remove(group, node));
            return;
        }
    REQUIRE_OK(transport_group_add(group, node));
}

/* The first group has all nodes; the others change and start to overlap. */
static void take_a_step(receiver *me)
{
    transport_node *node = here.nodes[1 + cb_random_below(&me->random, (uint64_t)job.size - 1)];
    size_t which = cb_random_below(&me->random, GROUPS);

    switch (cb_random_below(&me->random, 8)) {
    case 0:
        receive_from_node(me, node);
        break;
    case 1:
        if (which > 0)
            change_group(me->groups[which], node);
        break;
    case 2:
        if (which > 0) {
            transport_group_destroy(me->groups[which]);
            me->groups[which] = conformance_group(&node->rank, 1);
        }
        break;
    default:
        receive_from_group(me, me->groups[which]);
    }
}

static void receive_mixed(void)
{
    receiver me = {.random = cb_random_seed(5), .counts = conformance_counts()};

    me.groups[0] = conformance_group_of_others();
    for (size_t i = 1; i < GROUPS; i++)
        me.groups[i] = conformance_group((int[]){1}, 1);
    while (has_more(&me, me.groups[0]))
        take_a_step(&me);
    for (size_t i = 0; i < GROUPS; i++)
        transport_group_destroy(me.groups[i]);
    for (int source = 1; source < job.size; source++)
        conformance_expect_silence(here.nodes[source]);
    free(me.counts);
}

/* The sources pause sometimes, so that receives find nothing. */
JOB_TEST(receives_from_nodes_and_overlapping_groups_can_be_mixed)
{
    cb_random random = cb_random_seed((uint64_t)job.rank);

    if (!conformance_can_gather(2))
        return;
    conformance_prepare(64);
    if (job.rank == 0) {
        receive_mixed();
        return;
    }
    for (uint64_t i = 0; i < MIXED; i++) {
        conformance_send(0, i, 64);
        if (cb_random_below(&random, 4) == 0)
            sched_yield();
    }
}

TCase *conformance_changes(void)
{
    TCase *theme = tcase_create("changes");

    tcase_add_test(theme, a_node_is_added_once_and_removed_once);
    tcase_add_test(theme, a_group_receives_from_its_current_nodes_only);
    tcase_add_test(theme, a_node_keeps_its_messages_when_it_leaves_or_outlives_its_group);
    tcase_add_test(theme, a_group_receives_from_a_node_that_was_polled_before);
    tcase_add_test(theme, receives_from_nodes_and_overlapping_groups_can_be_mixed);
    return theme;
}
