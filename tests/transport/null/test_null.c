/* The null technology: messages are available at once, and unreleased buffers are reported. */
#include "transport/transport.h"

#include "base/log.h"
#include "tests/common/unit.h"

static const transport_bootstrap alone = {.rank = 0, .size = 4};

static transport_factory *open_prepared(size_t bytes)
{
    transport_factory *factory = NULL;

    ck_assert_int_eq(transport_open(transport_find("null"), &alone, &factory), CB_OK);
    ck_assert_int_eq(
        transport_prepare(factory, &(transport_preparation){.message_bytes = bytes, .buffers = 2}),
        CB_OK);
    return factory;
}

static transport_node *node_of(transport_factory *factory, int rank)
{
    transport_node *node = NULL;

    ck_assert_int_eq(transport_node_create(factory, rank, &node), CB_OK);
    return node;
}

START_TEST(a_receive_returns_a_buffer_of_the_announced_size)
{
    static const size_t sizes[] = {0, 1, 64, 1000};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        transport_factory *factory = open_prepared(sizes[i]);
        transport_node *node = node_of(factory, 1);
        transport_buffer *buffer = NULL;

        ck_assert_int_eq(transport_receive(node, &buffer), CB_OK);
        ck_assert_uint_eq(buffer->size, sizes[i]);
        transport_buffer_release(buffer);
        ck_assert_int_eq(transport_try_receive(node, &buffer), CB_OK);
        ck_assert_uint_eq(buffer->size, sizes[i]);
        transport_buffer_release(buffer);
        transport_node_destroy(node);
        ck_assert_int_eq(transport_close(factory), CB_OK);
    }
}
END_TEST

START_TEST(a_send_takes_ownership_of_the_buffer)
{
    transport_factory *factory = open_prepared(64);
    transport_node *node = node_of(factory, 1);
    transport_group *group = NULL;

    ck_assert_int_eq(transport_group_create(factory, &node, 1, NULL, true, &group), CB_OK);
    ck_assert_int_eq(transport_send(node, transport_buffer_create(factory, 64)), CB_OK);
    ck_assert_int_eq(transport_group_send(group, transport_buffer_create(factory, 64)), CB_OK);
    ck_assert_uint_eq(factory->held, 0);
    transport_group_destroy(group);
    transport_node_destroy(node);
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

START_TEST(a_group_receive_serves_nodes_in_turn)
{
    transport_factory *factory = open_prepared(64);
    transport_node *nodes[3] = {node_of(factory, 1), node_of(factory, 2), node_of(factory, 3)};
    transport_group *group = NULL;

    ck_assert_int_eq(transport_group_create(factory, nodes, 3, NULL, false, &group), CB_OK);
    for (int i = 0; i < 9; i++) {
        transport_buffer *buffer = NULL;
        transport_node *from = NULL;

        ck_assert_int_eq(transport_group_receive(group, &buffer, &from), CB_OK);
        ck_assert_int_eq(from->rank, 1 + i % 3);
        transport_buffer_release(buffer);
    }
    transport_group_destroy(group);
    for (int i = 0; i < 3; i++)
        transport_node_destroy(nodes[i]);
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

/* As at a destination of a loop of sends, which has only its root. */
START_TEST(a_group_with_a_root_and_no_nodes_receives)
{
    transport_factory *factory = open_prepared(64);
    transport_node *root = node_of(factory, 1);
    transport_group *group = NULL;
    transport_buffer *buffer = NULL;

    ck_assert_int_eq(transport_group_create(factory, NULL, 0, root, false, &group), CB_OK);
    ck_assert_int_eq(transport_group_receive_root(group, &buffer), CB_OK);
    transport_buffer_release(buffer);
    ck_assert_int_eq(transport_group_try_receive_root(group, &buffer), CB_OK);
    transport_buffer_release(buffer);
    transport_group_destroy(group);
    transport_node_destroy(root);
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

START_TEST(every_wait_policy_is_accepted)
{
    transport_factory *factory = open_prepared(64);

    for (transport_wait wait = TRANSPORT_WAIT_SPIN; wait <= TRANSPORT_WAIT_BLOCK; wait++) {
        transport_wait effective = (transport_wait)-1;

        ck_assert_int_eq(transport_set_wait(factory, wait, &effective), CB_OK);
        ck_assert_int_eq(effective, wait);
    }
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

START_TEST(an_unreleased_buffer_is_reported_at_close)
{
    transport_factory *factory = open_prepared(64);

    ck_assert_ptr_nonnull(transport_buffer_create(factory, 64));
    cb_log_silence(1);
    ck_assert_int_eq(transport_close(factory), CB_ERROR_TRANSPORT);
}
END_TEST

START_TEST(null_declares_that_it_does_not_deliver)
{
    ck_assert_uint_eq(transport_find("null")->capabilities & TRANSPORT_DELIVERS, 0);
}
END_TEST

START_TEST(nodes_and_buffers_of_another_factory_are_refused)
{
    transport_factory *factory = open_prepared(64), *other = open_prepared(64);
    transport_node *node = node_of(factory, 1), *foreign = node_of(other, 1);
    transport_group *group = NULL, *none = NULL;

    ck_assert_int_eq(transport_group_create(factory, &node, 1, NULL, false, &group), CB_OK);
    cb_log_silence(1);
    ck_assert_int_eq(transport_group_create(factory, &foreign, 1, NULL, true, &none),
                     CB_ERROR_USAGE);
    ck_assert_int_eq(transport_group_create(factory, &node, 1, foreign, true, &none),
                     CB_ERROR_USAGE);
    ck_assert_int_eq(transport_group_add(group, foreign), CB_ERROR_USAGE);
    ck_assert_int_eq(transport_send(node, transport_buffer_create(other, 64)), CB_ERROR_USAGE);
    ck_assert_int_eq(transport_send(foreign, transport_buffer_create(factory, 64)), CB_ERROR_USAGE);
    ck_assert_int_eq(transport_group_send(group, transport_buffer_create(other, 64)),
                     CB_ERROR_USAGE);
    ck_assert_ptr_null(none);
    transport_group_destroy(group);
    transport_node_destroy(node);
    transport_node_destroy(foreign);
    ck_assert_int_eq(transport_close(factory), CB_OK);
    ck_assert_int_eq(transport_close(other), CB_OK);
}
END_TEST

UNIT_MAIN("null", a_receive_returns_a_buffer_of_the_announced_size,
          a_send_takes_ownership_of_the_buffer, a_group_receive_serves_nodes_in_turn,
          a_group_with_a_root_and_no_nodes_receives, every_wait_policy_is_accepted,
          an_unreleased_buffer_is_reported_at_close, null_declares_that_it_does_not_deliver,
          nodes_and_buffers_of_another_factory_are_refused)
