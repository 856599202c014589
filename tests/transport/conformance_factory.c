/* Factories: wait policies, nodes that are created and destroyed, two factories at a time. */
#include "tests/transport/conformance.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

extern const transport_technology transport_null; /* not in all lists of technologies */

/* Wait policies */

static void set_wait(transport_wait wait, transport_wait *effective)
{
    *effective = (transport_wait)-1;
    REQUIRE_OK(transport_set_wait(here.factory, wait, effective));
    ck_assert(*effective == TRANSPORT_WAIT_SPIN || *effective == TRANSPORT_WAIT_YIELD ||
              *effective == TRANSPORT_WAIT_BLOCK);
    job_barrier();
}

static void ping_pong(uint64_t round)
{
    if (job.rank == 0) {
        conformance_send(1, round, 64);
        conformance_receive(1, round, 64);
    } else if (job.rank == 1) {
        conformance_receive(0, round, 64);
        conformance_send(0, round, 64);
    }
}

/* Two nodes at a time: more would only take cores from those that spin. */
static void receive_from_a_group_of_one(uint64_t number)
{
    transport_group *group;
    transport_buffer *buffer = NULL;
    transport_node *from = NULL;

    if (job.rank == 1)
        conformance_send(0, number, 64);
    if (job.rank != 0)
        return;
    group = conformance_group((int[]){1}, 1);
    REQUIRE_OK(transport_group_receive(group, &buffer, &from));
    conformance_check(buffer, 1, number, 64);
    transport_buffer_release(buffer);
    transport_group_destroy(group);
}

JOB_TEST(messages_arrive_under_every_wait_policy)
{
    transport_wait effective;

    if (!conformance_declares(TRANSPORT_RELIABLE))
        return;
    conformance_prepare(64);
    for (transport_wait wait = TRANSPORT_WAIT_SPIN; wait <= TRANSPORT_WAIT_BLOCK; wait++) {
        set_wait(wait, &effective);
        for (uint64_t round = 0; round < 100; round++)
            ping_pong(round);
        receive_from_a_group_of_one(7);
        job_barrier();
    }
    set_wait(here.wait, &effective);
}

static uint64_t processor_time_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A rank that polls uses a full core; one that sleeps needs some milliseconds. */
JOB_TEST(a_blocking_wait_leaves_the_core_to_others)
{
    const uint64_t pause_ns = 300000000;
    transport_wait effective;

    if (!conformance_declares(TRANSPORT_RELIABLE))
        return;
    conformance_prepare(64);
    set_wait(TRANSPORT_WAIT_BLOCK, &effective);
    if (conformance_declares(TRANSPORT_BLOCKING_WAIT))
        ck_assert_int_eq(effective, TRANSPORT_WAIT_BLOCK);
    if (job.rank == 1) {
        cb_sleep_ns(pause_ns);
        conformance_send(0, 1, 64);
    } else if (job.rank == 0) {
        uint64_t began_ns = processor_time_ns();

        conformance_receive(1, 1, 64);
        if (effective == TRANSPORT_WAIT_BLOCK)
            ck_assert_uint_lt(processor_time_ns() - began_ns, pause_ns / 5);
    }
    set_wait(here.wait, &effective);
}

/* Nodes and factories */

JOB_TEST(a_node_can_be_created_once_for_an_existing_rank)
{
    const int wrong[] = {-1, job.size, conformance_next(job.size)};

    cb_log_silence(true);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        transport_node *node = NULL;

        ck_assert_int_ne(transport_node_create(here.factory, wrong[i], &node), CB_OK);
    }
    cb_log_silence(false);
}

JOB_TEST(a_recreated_node_receives_new_messages)
{
    int previous = conformance_previous(job.size);

    if (!conformance_declares(TRANSPORT_RELIABLE))
        return;
    conformance_prepare(64);
    conformance_expect_silence(here.nodes[previous]);
    transport_node_destroy(here.nodes[previous]);
    here.nodes[previous] = NULL;
    REQUIRE_OK(transport_node_create(here.factory, previous, &here.nodes[previous]));
    job_barrier();
    conformance_send(conformance_next(job.size), 4, 64);
    conformance_receive(previous, 4, 64);
}

/* A second factory beside that of all tests; rank 0 sends over both, rank 1 receives in the
 * other order. */
JOB_TEST(two_factories_of_a_technology_are_independent)
{
    transport_technology technology = *transport_find(here.factory->ops.name);
    transport_bootstrap bootstrap = conformance_bootstrap();
    transport_factory *both[2] = {here.factory, NULL};
    transport_node *nodes[2] = {NULL, NULL};
    const int order[2] = {job.rank, !job.rank};

    if (!conformance_declares(TRANSPORT_RELIABLE))
        return;
    conformance_prepare(64);
    REQUIRE_OK(transport_open(&technology, &bootstrap, &both[1]));
    REQUIRE_OK(
        transport_prepare(both[1], &(transport_preparation){.message_bytes = 64, .buffers = 4}));
    job_barrier();
    for (int i = 0; job.rank < 2 && i < 2; i++) {
        int which = order[i];
        transport_buffer *buffer = NULL;

        nodes[0] = here.nodes[!job.rank];
        if (which == 1)
            REQUIRE_OK(transport_node_create(both[1], !job.rank, &nodes[1]));
        if (job.rank == 0) {
            buffer = transport_buffer_create(both[which], 64);
            ck_assert_ptr_nonnull(buffer);
            memset(buffer->data, which, 64);
            REQUIRE_OK(transport_send(nodes[which], buffer));
        } else {
            REQUIRE_OK(transport_receive(nodes[which], &buffer));
            ck_assert_int_eq(*(unsigned char *)buffer->data, which);
            transport_buffer_release(buffer);
        }
    }
    transport_node_destroy(nodes[1]);
    REQUIRE_OK(transport_close(both[1]));
}

/* Membership: a second factory, whose nodes and buffers look like those of the first. */

typedef struct {
    transport_factory *factory;
    transport_node *node;
} second_factory;

static second_factory second_open(const transport_technology *technology)
{
    transport_bootstrap bootstrap = conformance_bootstrap();
    second_factory other = {0};

    REQUIRE_OK(transport_open(technology, &bootstrap, &other.factory));
    REQUIRE_OK(transport_prepare(other.factory,
                                 &(transport_preparation){.message_bytes = 64, .buffers = 4}));
    REQUIRE_OK(transport_node_create(other.factory, conformance_next(job.size), &other.node));
    return other;
}

static void second_close(second_factory other)
{
    transport_node_destroy(other.node);
    job_barrier();
    REQUIRE_OK(transport_close(other.factory));
}

/* The call was wrong use, and both factories have all their buffers; the text of the error can be
 * read from the factory that refused. */
static void expect_refused(const transport_factory *by, const second_factory *other,
                           cb_status status)
{
    char text[CB_LAST_ERROR_BYTES];

    ck_assert_int_eq(status, CB_ERROR_USAGE);
    ck_assert_uint_eq(here.factory->held, 0);
    ck_assert_uint_eq(other->factory->held, 0);
    ck_assert(transport_last_error(by, text, sizeof(text)));
    ck_assert_msg(strstr(text, "of another factory") != NULL, "the last error is '%s'", text);
}

static void expect_refused_by_groups(const second_factory *other)
{
    transport_node *own = here.nodes[conformance_next(job.size)], *mixed[] = {own, other->node};
    transport_group *group = NULL, *none = NULL;

    expect_refused(here.factory, other,
                   transport_group_create(here.factory, mixed, 2, NULL, false, &none));
    expect_refused(here.factory, other,
                   transport_group_create(here.factory, &own, 1, other->node, false, &none));
    ck_assert_ptr_null(none);
    REQUIRE_OK(transport_group_create(here.factory, &own, 1, NULL, false, &group));
    expect_refused(here.factory, other, transport_group_add(group, other->node));
    ck_assert_uint_eq(group->count, 1);
    expect_refused(here.factory, other,
                   transport_group_send(group, transport_buffer_create(other->factory, 64)));
    transport_group_destroy(group);
}

static void expect_foreign_refused(const transport_technology *technology)
{
    const second_factory other = second_open(technology);

    cb_log_silence(true);
    expect_refused_by_groups(&other);
    expect_refused(here.factory, &other,
                   transport_send(here.nodes[conformance_next(job.size)],
                                  transport_buffer_create(other.factory, 64)));
    expect_refused(other.factory, &other,
                   transport_send(other.node, transport_buffer_create(here.factory, 64)));
    cb_log_silence(false);
    second_close(other);
}

JOB_TEST(nodes_and_buffers_of_another_factory_are_refused)
{
    conformance_prepare(64);
    expect_foreign_refused(&transport_null);
}

JOB_TEST(nodes_and_buffers_of_another_factory_of_the_same_technology_are_refused)
{
    const transport_technology technology = *transport_find(here.factory->ops.name);

    conformance_prepare(64);
    expect_foreign_refused(&technology);
}

/* Errors */

JOB_TEST(the_cause_of_an_error_can_be_read_from_the_factory)
{
    transport_group *group = conformance_group(NULL, 0);
    transport_node *node = NULL;
    char text[CB_LAST_ERROR_BYTES], beginning[8];

    cb_log_silence(true);
    ck_assert_int_ne(transport_node_create(here.factory, job.size, &node), CB_OK);
    ck_assert(transport_last_error(here.factory, text, sizeof(text)));
    ck_assert_msg(strstr(text, "there is no such rank") != NULL, "the last error is '%s'", text);
    ck_assert_int_eq(transport_group_remove(group, here.nodes[conformance_next(job.size)]),
                     CB_ERROR_USAGE);
    ck_assert(transport_last_error(here.factory, text, sizeof(text)));
    ck_assert_msg(strstr(text, "it is not a member") != NULL, "the last error is '%s'", text);
    cb_error("an error of somebody else");
    ck_assert(transport_last_error(here.factory, beginning, sizeof(beginning)));
    ck_assert_str_eq(beginning, "cannot ");
    cb_log_silence(false);
    transport_group_destroy(group);
}

JOB_TEST(a_factory_without_an_error_has_no_last_error)
{
    const second_factory other = second_open(&transport_null);
    char text[CB_LAST_ERROR_BYTES] = "unchanged";

    ck_assert(!transport_last_error(other.factory, text, sizeof(text)));
    ck_assert_str_eq(text, "");
    second_close(other);
}

/* The sender is closing while its last message still waits for the receiver. */
JOB_TEST(a_message_sent_before_the_factory_is_closed_arrives)
{
    enum { BYTES = 1000000 };
    transport_technology technology = *transport_find(here.factory->ops.name);
    transport_bootstrap bootstrap = conformance_bootstrap();
    transport_factory *factory = NULL, *shared = here.factory;
    transport_node *node = NULL;

    if (!conformance_declares(TRANSPORT_RELIABLE) || !conformance_can_prepare(BYTES))
        return;
    REQUIRE_OK(transport_open(&technology, &bootstrap, &factory));
    REQUIRE_OK(transport_prepare(factory, &(transport_preparation){.message_bytes = BYTES}));
    here.factory = factory;
    if (job.rank < 2)
        REQUIRE_OK(transport_node_create(factory, !job.rank, &node));
    if (job.rank == 0) {
        REQUIRE_OK(transport_send(node, conformance_message(0, 9, BYTES)));
    } else if (job.rank == 1) {
        transport_buffer *buffer = NULL;

        cb_sleep_ns(20000000);
        REQUIRE_OK(transport_receive(node, &buffer));
        conformance_check(buffer, 0, 9, BYTES);
        transport_buffer_release(buffer);
    }
    transport_node_destroy(node);
    here.factory = shared;
    REQUIRE_OK(transport_close(factory));
}

TCase *conformance_factory(void)
{
    TCase *theme = tcase_create("factory");

    tcase_add_test(theme, messages_arrive_under_every_wait_policy);
    tcase_add_test(theme, a_blocking_wait_leaves_the_core_to_others);
    tcase_add_test(theme, a_node_can_be_created_once_for_an_existing_rank);
    tcase_add_test(theme, a_recreated_node_receives_new_messages);
    tcase_add_test(theme, two_factories_of_a_technology_are_independent);
    tcase_add_test(theme, nodes_and_buffers_of_another_factory_are_refused);
    tcase_add_test(theme, nodes_and_buffers_of_another_factory_of_the_same_technology_are_refused);
    tcase_add_test(theme, the_cause_of_an_error_can_be_read_from_the_factory);
    tcase_add_test(theme, a_factory_without_an_error_has_no_last_error);
    tcase_add_test(theme, a_message_sent_before_the_factory_is_closed_arrives);
    return theme;
}
