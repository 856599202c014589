/* Groups: one send to many nodes, and fair receives from many. */
#include "tests/transport/conformance.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"

static void send_to_first(uint64_t messages, size_t bytes)
{
    for (uint64_t i = 0; job.rank > 0 && i < messages; i++)
        conformance_send(0, i, bytes);
}

/* Sending */

static void send_to_all_from(int root)
{
    static const size_t sizes[] = {0, 1, 64, 1500, 5000, 70000};
    enum { ROUNDS = 5 };
    transport_group *group = job.rank == root ? conformance_group_of_others() : NULL;

    for (uint64_t i = 0; i < ROUNDS * sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t bytes = sizes[i / ROUNDS];

        if (group != NULL)
            REQUIRE_OK(transport_group_send(group, conformance_message(root, i, bytes)));
        else
            conformance_receive(root, i, bytes);
    }
    transport_group_destroy(group);
}

JOB_TEST(a_group_send_reaches_every_node)
{
    if (!conformance_can_gather(2))
        return;
    conformance_prepare(70000);
    send_to_all_from(0);
    send_to_all_from(job.size - 1);
}

/* Each process excludes itself, and creates the nodes that it does not have. */
JOB_TEST(a_configured_group_keeps_the_order_of_its_members)
{
    transport_node *last = here.nodes[job.size - 1];
    transport_group *group = NULL;

    transport_node_destroy(last);
    here.nodes[job.size - 1] = NULL;
    REQUIRE_OK(
        transport_group_create_named(here.factory, "everyone", here.nodes, NULL, false, &group));
    ck_assert_uint_eq(group->count, (size_t)job.size - 1);
    for (int i = 0, rank = job.size - 1; rank >= 0; rank--)
        if (rank != job.rank) {
            ck_assert_int_eq(group->nodes[i]->rank, rank);
            ck_assert_ptr_eq(group->nodes[i++], here.nodes[rank]);
        }
    transport_group_destroy(group);
}

JOB_TEST(an_unknown_configured_group_is_refused)
{
    transport_group *group = NULL;
    cb_status status;

    cb_log_silence(true);
    status = transport_group_create_named(here.factory, "unknown", here.nodes, NULL, false, &group);
    cb_log_silence(false);
    ck_assert_int_eq(status, CB_ERROR_USAGE);
    ck_assert_ptr_null(group);
}

JOB_TEST(a_send_to_an_empty_group_releases_the_buffer)
{
    transport_group *group = conformance_group(NULL, 0);

    conformance_prepare(64);
    REQUIRE_OK(transport_group_send(group, conformance_message(job.rank, 1, 64)));
    transport_group_destroy(group);
}

/* A member without a multicast by the technology needs only the root's node. */
JOB_TEST(a_member_receives_sends_of_a_loop_through_its_group)
{
    transport_group *group = NULL;
    transport_buffer *buffer = NULL;

    if (!conformance_can_gather(2))
        return;
    conformance_prepare(64);
    if (job.rank == 0) {
        group = conformance_group_of_others();
        REQUIRE_OK(transport_group_send(group, conformance_message(0, 5, 64)));
    } else {
        REQUIRE_OK(transport_group_create(here.factory, NULL, 0, here.nodes[0], false, &group));
        REQUIRE_OK(transport_group_receive_root(group, &buffer));
        conformance_check(buffer, 0, 5, 64);
        transport_buffer_release(buffer);
    }
    transport_group_destroy(group);
}

/* Receiving */

static void gather(size_t bytes)
{
    enum { MESSAGES = 20 };
    transport_group *group;
    uint64_t *counts;

    conformance_prepare(bytes);
    send_to_first(MESSAGES, bytes);
    if (job.rank > 0)
        return;
    group = conformance_group_of_others();
    counts = conformance_counts();
    for (int i = 0; i < MESSAGES * (job.size - 1); i++) {
        transport_buffer *buffer = NULL;
        transport_node *from = NULL;

        REQUIRE_OK(transport_group_receive(group, &buffer, &from));
        conformance_accept(buffer, from, bytes, counts);
    }
    for (int rank = 1; rank < job.size; rank++)
        ck_assert_uint_eq(counts[rank], MESSAGES);
    transport_group_destroy(group);
    free(counts);
}

JOB_TEST(a_group_receive_returns_messages_of_all_nodes_with_their_source)
{
    static const size_t sizes[] = {0, 64, 5000, 70000};

    if (!conformance_can_gather(2))
        return;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        gather(sizes[i]);
}

JOB_TEST(polling_a_group_finds_nothing_before_a_send)
{
    transport_group *group;

    conformance_prepare(64);
    group = conformance_group_of_others();
    conformance_expect_silent_group(group);
    conformance_expect_silent_group(group);
    transport_group_destroy(group);
}

/* Fairness is owed to sources that have something waiting. So few messages that a technology with a
 * bounded number of them on their way takes all of them before the receiver looks, once it has told
 * its sources in empty polls what room there is. A batch of one message from each source that has
 * one satisfies the contract, and the next batch may be in another order: between two messages of a
 * source that has more waiting, any other source is given two at most. So each of n sources is
 * among any 2n - 1 messages. */
JOB_TEST(a_busy_source_does_not_starve_others)
{
    enum { MESSAGES = 4 };
    int sources = job.size - 1, *last;
    transport_group *group;

    if (!conformance_can_gather(3))
        return;
    conformance_prepare(64);
    group = conformance_group_of_others();
    conformance_expect_silent_group(group);
    job_barrier();
    send_to_first(MESSAGES, 64);
    conformance_let_come();
    if (job.rank > 0) {
        transport_group_destroy(group);
        return;
    }
    last = cb_allocate((size_t)job.size, sizeof(*last), "the last turns");
    ck_assert_ptr_nonnull(last);
    for (int turn = 1; turn <= MESSAGES * sources; turn++) {
        transport_buffer *buffer = NULL;
        transport_node *from = NULL;

        REQUIRE_OK(transport_group_receive(group, &buffer, &from));
        if (turn - last[from->rank] > 2 * sources - 1)
            ck_abort_msg("rank %d, of %d sources, had turn %d and then turn %d", from->rank,
                         sources, last[from->rank], turn);
        last[from->rank] = turn;
        transport_buffer_release(buffer);
    }
    free(last);
    transport_group_destroy(group);
}

TCase *conformance_groups(void)
{
    TCase *theme = tcase_create("groups");

    tcase_add_test(theme, a_group_send_reaches_every_node);
    tcase_add_test(theme, a_configured_group_keeps_the_order_of_its_members);
    tcase_add_test(theme, an_unknown_configured_group_is_refused);
    tcase_add_test(theme, a_send_to_an_empty_group_releases_the_buffer);
    tcase_add_test(theme, a_member_receives_sends_of_a_loop_through_its_group);
    tcase_add_test(theme, a_group_receive_returns_messages_of_all_nodes_with_their_source);
    tcase_add_test(theme, polling_a_group_finds_nothing_before_a_send);
    tcase_add_test(theme, a_busy_source_does_not_starve_others);
    return theme;
}
