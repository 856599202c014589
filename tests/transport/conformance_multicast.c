/* Multicast by the technology, where it declares one: static groups, created by root and
 * members. */
#include "tests/transport/conformance.h"

#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

/* A list of members with its root; every rank knows it, and those in it create the group. */
typedef struct {
    int root;
    int *members;
    size_t count;
    transport_group *group; /* NULL if this process is neither root nor member */
    transport_node *own;    /* index of this process if it is a member */
} mailing_list;

static bool is_member(const mailing_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->members[i] == job.rank)
            return true;
    return false;
}

static cb_status join(mailing_list *list)
{
    transport_node **nodes = cb_allocate(list->count, sizeof(*nodes), "the members");
    cb_status status;

    ck_assert_ptr_nonnull(nodes);
    for (size_t i = 0; i < list->count; i++)
        nodes[i] = here.nodes[list->members[i]];
    status = transport_group_create(here.factory, nodes, list->count,
                                    job.rank == list->root ? NULL : here.nodes[list->root], true,
                                    &list->group);
    free(nodes);
    return status;
}

/* A node for this process during the multicast tests: members pass their own. */
static void make_own_node(void)
{
    REQUIRE_OK(transport_node_create(here.factory, job.rank, &here.nodes[job.rank]));
}

static void destroy_own_node(void)
{
    transport_node_destroy(here.nodes[job.rank]);
    here.nodes[job.rank] = NULL;
}

/* `count` ranks from `first` on, by `stride`, without the root. */
static mailing_list list_of(int root, int first, int stride)
{
    mailing_list list = {.root = root};

    list.members = cb_allocate((size_t)job.size, sizeof(*list.members), "the members");
    ck_assert_ptr_nonnull(list.members);
    for (int rank = first; rank < job.size; rank += stride)
        if (rank != root)
            list.members[list.count++] = rank;
    if (job.rank == root || is_member(&list))
        REQUIRE_OK(join(&list));
    return list;
}

static void drop(mailing_list *list)
{
    transport_group_destroy(list->group);
    free(list->members);
}

static void cast(const mailing_list *list, uint64_t number, size_t bytes)
{
    transport_buffer *buffer = NULL;

    if (list->group == NULL)
        return;
    if (job.rank == list->root) {
        REQUIRE_OK(transport_group_send(list->group, conformance_message(job.rank, number, bytes)));
        return;
    }
    REQUIRE_OK(transport_group_receive_root(list->group, &buffer));
    conformance_check(buffer, list->root, number, bytes);
    transport_buffer_release(buffer);
}

JOB_TEST(a_multicast_of_each_size_reaches_all_members)
{
    static const size_t sizes[] = {0, 1, 63, 64, 1024, 4095, 4096, 4097, 32768, 65537, 300000};
    enum { ROUNDS = 10 };
    mailing_list all;

    if (!conformance_declares(TRANSPORT_MULTICAST))
        return;
    make_own_node();
    all = list_of(0, 0, 1);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (!conformance_can_prepare(sizes[i]))
            continue;
        for (uint64_t round = 0; round < ROUNDS; round++)
            cast(&all, round, sizes[i]);
    }
    drop(&all);
    destroy_own_node();
}

/* Lists with different members and roots are used alternately: each message reaches its own
 * list. */
/* All ranks are on one host and share its clock: the root sends late, with the time of sending. */
static void expect_no_receive_before_the_send(const mailing_list *all, size_t bytes)
{
    uint64_t sent_ns = 0, received_ns;

    if (job.rank == all->root) {
        cb_sleep_ns(2000000);
        sent_ns = cb_now_ns();
    }
    cast(all, 1, bytes);
    received_ns = cb_now_ns();
    REQUIRE_OK(control_broadcast(job.everyone, &sent_ns, sizeof(sent_ns)));
    ck_assert_uint_ge(received_ns, sent_ns);
}

JOB_TEST(an_empty_multicast_is_received)
{
    static const size_t sizes[] = {0, 64};
    mailing_list all;

    if (!conformance_declares(TRANSPORT_MULTICAST | TRANSPORT_RELIABLE))
        return;
    make_own_node();
    all = list_of(0, 0, 1);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        conformance_prepare(sizes[i]);
        expect_no_receive_before_the_send(&all, sizes[i]);
    }
    drop(&all);
    destroy_own_node();
}

JOB_TEST(multicasts_to_several_lists_do_not_mix)
{
    enum { LISTS = 4, ROUNDS = 40, BYTES = 256 };
    mailing_list lists[LISTS];

    if (!conformance_declares(TRANSPORT_MULTICAST))
        return;
    make_own_node();
    conformance_prepare(BYTES);
    lists[0] = list_of(0, 1, 1);
    lists[1] = list_of(0, 1, 2);
    lists[2] = list_of(job.size - 1, 0, 1);
    lists[3] = list_of(1, 0, 2);
    for (uint64_t i = 0; i < ROUNDS; i++)
        cast(&lists[i % LISTS], i, BYTES);
    for (size_t i = 0; i < LISTS; i++)
        drop(&lists[i]);
    destroy_own_node();
}

/* A message of the root's node is not received as a multicast, nor the other way round. */
JOB_TEST(multicasts_and_messages_to_single_nodes_do_not_mix)
{
    enum { ROUNDS = 20, BYTES = 64 };
    mailing_list all;

    if (!conformance_declares(TRANSPORT_MULTICAST | TRANSPORT_RELIABLE))
        return;
    make_own_node();
    conformance_prepare(BYTES);
    all = list_of(0, 0, 1);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        for (int rank = 1; job.rank == 0 && rank < job.size; rank++)
            conformance_send(rank, 1000 + i, BYTES);
        cast(&all, i, BYTES);
        if (job.rank > 0)
            conformance_receive(0, 1000 + i, BYTES);
    }
    drop(&all);
    destroy_own_node();
}

JOB_TEST(a_received_multicast_can_be_forwarded)
{
    enum { BYTES = 5000 };
    transport_buffer *buffer = NULL;
    mailing_list all;

    if (!conformance_declares(TRANSPORT_MULTICAST | TRANSPORT_RELIABLE))
        return;
    make_own_node();
    conformance_prepare(BYTES);
    all = list_of(0, 0, 1);
    if (job.rank == 0) {
        cast(&all, 3, BYTES);
        for (int rank = 1; rank < job.size; rank++) {
            REQUIRE_OK(transport_receive(here.nodes[rank], &buffer));
            conformance_check(buffer, 0, 3, BYTES);
            transport_buffer_release(buffer);
        }
    } else {
        REQUIRE_OK(transport_group_receive_root(all.group, &buffer));
        REQUIRE_OK(transport_send(here.nodes[0], buffer));
    }
    drop(&all);
    destroy_own_node();
}

JOB_TEST(a_static_group_does_not_change)
{
    mailing_list all;

    if (!conformance_declares(TRANSPORT_MULTICAST))
        return;
    make_own_node();
    conformance_prepare(64);
    all = list_of(0, 0, 1);
    cb_log_silence(true);
    ck_assert_int_eq(transport_group_add(all.group, here.nodes[0]), CB_ERROR_USAGE);
    ck_assert_int_eq(transport_group_remove(all.group, here.nodes[1]), CB_ERROR_USAGE);
    cb_log_silence(false);
    drop(&all);
    destroy_own_node();
}

/* Receiving without waiting */

static const size_t tried_sizes[] = {0, 64, 4096, 300000};

enum { TRIED_SIZES = sizeof(tried_sizes) / sizeof(tried_sizes[0]) };

static bool is_receiver(const mailing_list *list)
{
    return list->group != NULL && job.rank != list->root;
}

static void expect_no_multicast(const mailing_list *list)
{
    transport_buffer *buffer;

    if (is_receiver(list))
        ck_assert_int_eq(transport_group_try_receive_root(list->group, &buffer), CB_EMPTY);
}

static void send_to(const mailing_list *list, uint64_t number, size_t bytes)
{
    if (job.rank == list->root)
        REQUIRE_OK(transport_group_send(list->group, conformance_message(job.rank, number, bytes)));
}

static void try_until_received(const mailing_list *list, uint64_t number, size_t bytes)
{
    transport_buffer *buffer = NULL;
    cb_status status;

    if (!is_receiver(list))
        return;
    while ((status = transport_group_try_receive_root(list->group, &buffer)) == CB_EMPTY)
        sched_yield();
    REQUIRE_OK(status);
    conformance_check(buffer, list->root, number, bytes);
    transport_buffer_release(buffer);
}

JOB_TEST(polling_for_a_multicast_does_not_wait)
{
    mailing_list all;

    if (!conformance_declares(TRANSPORT_MULTICAST | TRANSPORT_RELIABLE))
        return;
    make_own_node();
    all = list_of(0, 0, 1);
    for (size_t i = 0; i < TRIED_SIZES; i++) {
        conformance_prepare_to_try(tried_sizes[i]);
        expect_no_multicast(&all);
        expect_no_multicast(&all);
        job_barrier();
        send_to(&all, i, tried_sizes[i]);
        try_until_received(&all, i, tried_sizes[i]);
    }
    drop(&all);
    destroy_own_node();
}

/* Every second rank waits where the others poll, and each alternates from message to message. */
JOB_TEST(members_may_poll_or_wait_for_the_same_multicast)
{
    enum { ROUNDS = 40, BYTES = 256 };
    mailing_list all;

    if (!conformance_declares(TRANSPORT_MULTICAST | TRANSPORT_RELIABLE))
        return;
    make_own_node();
    conformance_prepare_to_try(BYTES);
    all = list_of(0, 0, 1);
    for (uint64_t i = 0; i < ROUNDS; i++)
        if ((i + (uint64_t)job.rank) % 2 == 0)
            cast(&all, i, BYTES);
        else if (job.rank == all.root)
            send_to(&all, i, BYTES);
        else
            try_until_received(&all, i, BYTES);
    drop(&all);
    destroy_own_node();
}

/* The root sends more messages than a library buffers for its members. */
JOB_TEST(the_root_does_not_wait_for_polling_members)
{
    enum { AHEAD = 20, BYTES = 300000 };
    mailing_list all;

    if (!conformance_declares(TRANSPORT_MULTICAST | TRANSPORT_RELIABLE))
        return;
    make_own_node();
    conformance_prepare_to_try(BYTES);
    all = list_of(0, 0, 1);
    for (uint64_t i = 0; i < AHEAD; i++)
        send_to(&all, i, BYTES);
    job_barrier();
    for (uint64_t i = 0; i < AHEAD; i++)
        try_until_received(&all, i, BYTES);
    drop(&all);
    destroy_own_node();
}

/* A new group, and the nodes, work independently of the old group. */
static void expect_a_fresh_start(size_t bytes)
{
    mailing_list all;

    conformance_prepare_to_try(bytes);
    all = list_of(0, 0, 1);
    job_barrier();
    expect_no_multicast(&all);
    job_barrier();
    send_to(&all, 77, bytes);
    try_until_received(&all, 77, bytes);
    drop(&all);
    conformance_prepare(bytes);
    conformance_send(conformance_next(job.size), 78, bytes);
    conformance_receive(conformance_previous(job.size), 78, bytes);
}

JOB_TEST(a_group_can_be_destroyed_while_members_wait)
{
    if (!conformance_declares(TRANSPORT_MULTICAST | TRANSPORT_RELIABLE))
        return;
    make_own_node();
    for (size_t i = 0; i < TRIED_SIZES; i++) {
        mailing_list all;

        conformance_prepare_to_try(tried_sizes[i]);
        all = list_of(0, 0, 1);
        if (job.rank % 2 == 1)
            expect_no_multicast(&all);
        drop(&all);
        expect_a_fresh_start(tried_sizes[i]);
    }
    destroy_own_node();
}

/* All members receive the same number: a member that does not may still be receiving another
 * message. */
JOB_TEST(a_group_can_be_destroyed_with_unreceived_multicasts)
{
    enum { SENT = 5, RECEIVED = 2 };

    if (!conformance_declares(TRANSPORT_MULTICAST | TRANSPORT_RELIABLE))
        return;
    make_own_node();
    for (size_t i = 0; i < TRIED_SIZES; i++) {
        mailing_list all;

        conformance_prepare_to_try(tried_sizes[i]);
        all = list_of(0, 0, 1);
        for (uint64_t k = 0; k < SENT; k++)
            send_to(&all, k, tried_sizes[i]);
        for (uint64_t k = 0; k < RECEIVED; k++)
            try_until_received(&all, k, tried_sizes[i]);
        drop(&all);
        expect_a_fresh_start(tried_sizes[i]);
    }
    destroy_own_node();
}

/* The receive is refused, or works as if the message had been announced, but never returns a
 * message that was not sent. */
JOB_TEST(unannounced_polling_returns_no_message)
{
    enum { BYTES = 64 };
    transport_buffer *buffer;
    mailing_list all;

    if (!conformance_declares(TRANSPORT_MULTICAST))
        return;
    make_own_node();
    conformance_prepare(BYTES);
    all = list_of(0, 0, 1);
    cb_log_silence(true);
    if (is_receiver(&all)) {
        cb_status status = transport_group_try_receive_root(all.group, &buffer);

        ck_assert(status == CB_EMPTY || status == CB_ERROR_TRANSPORT);
    }
    cb_log_silence(false);
    drop(&all);
    destroy_own_node();
}

JOB_TEST(an_undeclared_multicast_is_refused)
{
    transport_group *group = NULL;

    if (conformance_declares(TRANSPORT_MULTICAST))
        return;
    cb_log_silence(true);
    ck_assert_int_eq(transport_group_create(here.factory, here.nodes, 0,
                                            job.rank == 0 ? NULL : here.nodes[0], true, &group),
                     CB_ERROR_UNSUPPORTED);
    cb_log_silence(false);
}

TCase *conformance_multicast(void)
{
    TCase *theme = tcase_create("multicast");

    tcase_add_test(theme, a_multicast_of_each_size_reaches_all_members);
    tcase_add_test(theme, an_empty_multicast_is_received);
    tcase_add_test(theme, multicasts_to_several_lists_do_not_mix);
    tcase_add_test(theme, multicasts_and_messages_to_single_nodes_do_not_mix);
    tcase_add_test(theme, a_received_multicast_can_be_forwarded);
    tcase_add_test(theme, a_static_group_does_not_change);
    tcase_add_test(theme, polling_for_a_multicast_does_not_wait);
    tcase_add_test(theme, members_may_poll_or_wait_for_the_same_multicast);
    tcase_add_test(theme, the_root_does_not_wait_for_polling_members);
    tcase_add_test(theme, a_group_can_be_destroyed_while_members_wait);
    tcase_add_test(theme, a_group_can_be_destroyed_with_unreceived_multicasts);
    tcase_add_test(theme, unannounced_polling_returns_no_message);
    tcase_add_test(theme, an_undeclared_multicast_is_refused);
    return theme;
}
