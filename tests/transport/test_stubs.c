/* A technology with empty slots: every operation returns "unsupported" without a crash, and
 * buffers passed to one are released. */
#include "transport/transport.h"

#include "base/log.h"
#include "base/memory.h"
#include "tests/common/unit.h"

static cb_status bare_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    (void)bootstrap;
    *out = cb_allocate(1, sizeof(**out), "a technology with nothing");
    return *out != NULL ? CB_OK : CB_ERROR_MEMORY;
}

static cb_status bare_close(transport_factory *factory)
{
    free(factory);
    return CB_OK;
}

static cb_status bare_prepare(transport_factory *factory, const transport_preparation *preparation)
{
    (void)factory;
    (void)preparation;
    return CB_OK;
}

static transport_buffer *one_create(transport_factory *factory, size_t size)
{
    transport_buffer *buffer = cb_allocate(1, sizeof(*buffer), "a buffer");

    *buffer = (transport_buffer){.size = size, .owner = factory};
    factory->held++;
    return buffer;
}

static void one_release(transport_buffer *buffer)
{
    buffer->owner->held--;
    free(buffer);
}

static cb_status failing_close(transport_factory *factory)
{
    free(factory);
    return CB_ERROR_SYSTEM;
}

static const transport_technology bare = {
    .name = "bare", .open = bare_open, .close = bare_close, .prepare = bare_prepare};

/* Multicast is declared, but its operations are missing. */
static cb_status lacking_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    CB_TRY(bare_open(bootstrap, out));
    (*out)->lacking = TRANSPORT_MULTICAST;
    return CB_OK;
}

static const transport_technology lacking = {.name = "lacking",
                                             .capabilities =
                                                 TRANSPORT_ORDERED | TRANSPORT_MULTICAST,
                                             .open = lacking_open,
                                             .close = bare_close,
                                             .prepare = bare_prepare};

static const transport_technology with_buffers = {.name = "with_buffers",
                                                  .open = bare_open,
                                                  .close = bare_close,
                                                  .prepare = bare_prepare,
                                                  .buffer_create = one_create,
                                                  .buffer_release = one_release};

static const transport_bootstrap alone = {.rank = 0, .size = 1};

static transport_factory *open_silently(const transport_technology *technology)
{
    transport_factory *factory = NULL;

    cb_log_silence(1);
    ck_assert_int_eq(transport_open(technology, &alone, &factory), CB_OK);
    return factory;
}

START_TEST(existing_operations_are_called)
{
    transport_factory *factory = open_silently(&bare);

    ck_assert_int_eq(transport_prepare(factory, &(transport_preparation){.message_bytes = 1}),
                     CB_OK);
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

START_TEST(capabilities_without_an_operation_are_not_declared)
{
    transport_factory *factory = open_silently(&lacking);

    ck_assert_uint_eq(transport_capabilities(factory), TRANSPORT_ORDERED);
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

START_TEST(flushing_without_sends_returns_at_once)
{
    transport_factory *factory = open_silently(&bare);

    ck_assert_int_eq(transport_flush(factory), CB_OK);
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

START_TEST(creating_objects_through_empty_slots_is_unsupported)
{
    transport_factory *factory = open_silently(&bare);
    transport_wait effective;
    transport_node *node;
    transport_group *group;

    ck_assert_int_eq(transport_set_wait(factory, TRANSPORT_WAIT_SPIN, &effective),
                     CB_ERROR_UNSUPPORTED);
    ck_assert_int_eq(transport_node_create(factory, 0, &node), CB_ERROR_UNSUPPORTED);
    ck_assert_int_eq(transport_group_create(factory, NULL, 0, NULL, false, &group),
                     CB_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(transport_buffer_create(factory, 0));
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

START_TEST(receiving_through_empty_slots_is_unsupported)
{
    transport_factory *factory = open_silently(&bare);
    transport_node node = {.ops = &factory->ops, .factory = factory};
    transport_group group = {.ops = &factory->ops, .factory = factory};
    transport_buffer *buffer;
    transport_node *from;

    ck_assert_int_eq(transport_receive(&node, &buffer), CB_ERROR_UNSUPPORTED);
    ck_assert_int_eq(transport_try_receive(&node, &buffer), CB_ERROR_UNSUPPORTED);
    ck_assert_int_eq(transport_group_receive(&group, &buffer, &from), CB_ERROR_UNSUPPORTED);
    ck_assert_int_eq(transport_group_try_receive(&group, &buffer, &from), CB_ERROR_UNSUPPORTED);
    ck_assert_int_eq(transport_group_receive_root(&group, &buffer), CB_ERROR_UNSUPPORTED);
    ck_assert_int_eq(transport_group_try_receive_root(&group, &buffer), CB_ERROR_UNSUPPORTED);
    transport_node_destroy(&node);
    transport_group_destroy(&group);
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

START_TEST(a_send_through_an_empty_slot_releases_the_buffer)
{
    transport_factory *factory = open_silently(&with_buffers);
    transport_node node = {.ops = &factory->ops, .factory = factory};
    transport_group group = {.ops = &factory->ops, .factory = factory};

    ck_assert_int_eq(transport_send(&node, transport_buffer_create(factory, 8)),
                     CB_ERROR_UNSUPPORTED);
    ck_assert_uint_eq(factory->held, 0);
    ck_assert_int_eq(transport_group_send(&group, transport_buffer_create(factory, 8)),
                     CB_ERROR_UNSUPPORTED);
    ck_assert_uint_eq(factory->held, 0);
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

START_TEST(the_table_of_the_technology_is_not_changed)
{
    transport_factory *factory = open_silently(&bare);

    ck_assert(bare.send == NULL);
    ck_assert(factory->ops.send != NULL);
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

START_TEST(a_failing_close_is_reported)
{
    transport_technology failing = bare;

    failing.close = failing_close;
    ck_assert_int_eq(transport_close(open_silently(&failing)), CB_ERROR_SYSTEM);
}
END_TEST

START_TEST(destroying_null_objects_does_nothing)
{
    transport_node_destroy(NULL);
    transport_group_destroy(NULL);
    ck_assert_int_eq(transport_close(NULL), CB_OK);
}
END_TEST

START_TEST(technologies_are_found_by_name)
{
    ck_assert_ptr_null(transport_find("carrier pigeon"));
    for (const transport_technology *const *entry = transport_technologies; *entry != NULL; entry++)
        ck_assert_ptr_eq(transport_find((*entry)->name),
                         transport_is_built_in(*entry) ? *entry : NULL);
}
END_TEST

UNIT_MAIN("stubs", existing_operations_are_called,
          capabilities_without_an_operation_are_not_declared,
          flushing_without_sends_returns_at_once,
          creating_objects_through_empty_slots_is_unsupported,
          receiving_through_empty_slots_is_unsupported,
          a_send_through_an_empty_slot_releases_the_buffer,
          the_table_of_the_technology_is_not_changed, a_failing_close_is_reported,
          destroying_null_objects_does_nothing, technologies_are_found_by_name)
