/* Buffers, their pool, and its preparation. */
#include "tests/transport/conformance.h"

#include <string.h>

enum { MOST_BUFFERS = 256 };

static size_t initialised;

static void count_and_mark(void *data, size_t bytes)
{
    memset(data, 0x5a, bytes);
    initialised++;
}

static void prepare_pool(size_t buffers, bool rotate)
{
    transport_preparation preparation = {
        .message_bytes = 64, .buffers = buffers, .rotate = rotate, .initialise = count_and_mark};

    job_barrier();
    initialised = 0;
    REQUIRE_OK(transport_prepare(here.factory, &preparation));
    ck_assert_uint_ge(initialised, buffers);
    ck_assert_uint_le(initialised, MOST_BUFFERS);
    job_barrier();
}

static transport_buffer *create(void)
{
    transport_buffer *buffer = transport_buffer_create(here.factory, 64);

    ck_assert_ptr_nonnull(buffer);
    return buffer;
}

static void create_all(transport_buffer **buffers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buffers[i] = create();
}

static void release_all(transport_buffer **buffers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        transport_buffer_release(buffers[i]);
}

JOB_TEST(every_new_buffer_is_distinct_and_initialised_once)
{
    transport_buffer *buffers[MOST_BUFFERS];
    size_t count;

    prepare_pool(10, false);
    count = initialised;
    create_all(buffers, count);
    ck_assert_uint_eq(initialised, count);
    for (size_t i = 0; i < count; i++) {
        unsigned char *data = buffers[i]->data;

        ck_assert_uint_ge(buffers[i]->capacity, 64);
        for (size_t k = 0; k < 64; k++)
            if (data[k] != 0x5a)
                ck_abort_msg("byte %zu of buffer %zu was not initialised, or is not its own", k, i);
        memset(data, (int)i, 64);
    }
    release_all(buffers, count);
}

JOB_TEST(buffers_are_allocated_when_all_prepared_ones_are_in_use)
{
    transport_buffer *buffers[MOST_BUFFERS];
    size_t count;

    prepare_pool(3, false);
    count = initialised;
    create_all(buffers, count + 1);
    ck_assert_uint_gt(initialised, count);
    release_all(buffers, count + 1);
}

JOB_TEST(a_hot_pool_returns_the_last_released_buffer)
{
    transport_buffer *buffers[3], *again[3];

    prepare_pool(8, false);
    create_all(buffers, 3);
    release_all(buffers, 3);
    create_all(again, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert_ptr_eq(again[i]->data, buffers[2 - i]->data);
    release_all(again, 3);
}

JOB_TEST(a_rotating_pool_returns_the_least_recently_used_buffer)
{
    transport_buffer *buffers[MOST_BUFFERS], *again[MOST_BUFFERS];
    size_t count;

    prepare_pool(8, true);
    count = initialised;
    create_all(buffers, count);
    release_all(buffers, count);
    for (int round = 0; round < 2; round++) {
        create_all(again, count);
        for (size_t i = 0; i < count; i++)
            ck_assert_ptr_eq(again[i]->data, buffers[i]->data);
        release_all(again, count);
    }
}

JOB_TEST(an_exhausted_rotating_pool_still_returns_all_its_buffers)
{
    transport_buffer *buffers[MOST_BUFFERS];
    size_t count;

    prepare_pool(2, true);
    count = initialised;
    create_all(buffers, count);
    transport_buffer_release(buffers[0]);
    transport_buffer_release(buffers[1]);
    ck_assert_ptr_eq(create()->data, buffers[0]->data);
    ck_assert_ptr_eq(create()->data, buffers[1]->data);
    ck_assert_uint_eq(initialised, count);
    release_all(buffers, count);
}

JOB_TEST(preparing_again_changes_the_maximum_size_of_messages)
{
    static const size_t sizes[] = {64, 100000, 0, 1024, 5000, 64};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (!conformance_can_prepare(sizes[i]))
            continue;
        conformance_send(conformance_next(job.size), i, sizes[i]);
        conformance_receive(conformance_previous(job.size), i, sizes[i]);
    }
}

/* Receives that found nothing may have left buffers of the old size. */
JOB_TEST(preparing_again_after_polling_loses_no_message)
{
    transport_group *group;
    transport_buffer *buffer;
    transport_node *from;

    if (!conformance_declares(TRANSPORT_RELIABLE))
        return;
    conformance_prepare(64);
    group = conformance_group_of_others();
    ck_assert_int_eq(transport_group_try_receive(group, &buffer, &from), CB_EMPTY);
    conformance_prepare(5000);
    conformance_send(conformance_next(job.size), 1, 5000);
    conformance_receive(conformance_previous(job.size), 1, 5000);
    conformance_expect_silence(here.nodes[conformance_previous(job.size)]);
    conformance_prepare(100000);
    transport_group_destroy(group);
    conformance_send(conformance_next(job.size), 2, 100000);
    conformance_receive(conformance_previous(job.size), 2, 100000);
}

TCase *conformance_pool(void)
{
    TCase *theme = tcase_create("pool");

    tcase_add_test(theme, every_new_buffer_is_distinct_and_initialised_once);
    tcase_add_test(theme, buffers_are_allocated_when_all_prepared_ones_are_in_use);
    tcase_add_test(theme, a_hot_pool_returns_the_last_released_buffer);
    tcase_add_test(theme, a_rotating_pool_returns_the_least_recently_used_buffer);
    tcase_add_test(theme, an_exhausted_rotating_pool_still_returns_all_its_buffers);
    tcase_add_test(theme, preparing_again_changes_the_maximum_size_of_messages);
    tcase_add_test(theme, preparing_again_after_polling_loses_no_message);
    return theme;
}
