/* The buffer pool shared by technologies: alignment of payloads, and which buffer is next. */
#include "transport/transport.h"

#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "tests/common/unit.h"

static size_t initialised, initialised_bytes;

static void count(void *data, size_t bytes)
{
    memset(data, 1, bytes);
    initialised++;
    initialised_bytes += bytes;
}

static transport_factory owner;

static transport_pool prepared(transport_preparation preparation)
{
    transport_pool pool = {0};

    initialised = initialised_bytes = 0;
    preparation.initialise = count;
    ck_assert_int_eq(transport_pool_prepare(&pool, &owner, &preparation), CB_OK);
    return pool;
}

static transport_buffer *take(transport_pool *pool)
{
    transport_buffer *buffer = transport_pool_take(pool);

    if (buffer == NULL)
        ck_abort_msg("the pool gives no buffer");
    return buffer;
}

static size_t resting(const transport_pool *pool)
{
    size_t found = 0;

    for (const transport_buffer *buffer = pool->first; buffer != NULL; buffer = buffer->next)
        found++;
    return found;
}

START_TEST(the_announced_number_of_buffers_is_allocated)
{
    transport_pool pool = prepared((transport_preparation){.message_bytes = 100, .buffers = 7});

    ck_assert_uint_eq(resting(&pool), 7);
    ck_assert_uint_eq(initialised, 7);
    ck_assert_uint_eq(initialised_bytes, 700);
    transport_pool_clear(&pool);
}
END_TEST

START_TEST(buffers_larger_than_messages_are_filled_for_the_messages)
{
    transport_pool pool =
        prepared((transport_preparation){.message_bytes = 64, .content_bytes = 24, .buffers = 1});
    transport_buffer *first = take(&pool), *second = take(&pool);

    ck_assert_uint_eq(initialised_bytes, 24 * initialised);
    transport_pool_restore(&pool, first, 8);
    ck_assert_uint_eq(initialised_bytes, 24 * initialised);
    ck_assert_uint_eq(first->capacity, 64);
    transport_pool_give(&pool, second);
    transport_pool_give(&pool, first);
    transport_pool_clear(&pool);
}
END_TEST

START_TEST(at_least_one_buffer_is_allocated)
{
    transport_pool pool = prepared((transport_preparation){.message_bytes = 0});

    take(&pool);
    transport_pool_clear(&pool);
}
END_TEST

/* 100 bytes take two cache lines: 8 MiB are covered by 65536 buffers. */
START_TEST(the_footprint_is_covered)
{
    transport_pool pool = prepared(
        (transport_preparation){.message_bytes = 100, .buffers = 1, .footprint_bytes = 8 << 20});

    ck_assert_uint_eq(resting(&pool), 65536);
    transport_pool_clear(&pool);
}
END_TEST

START_TEST(payloads_share_no_cache_lines)
{
    static const size_t sizes[] = {0, 1, 64, 65, 1000};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        transport_pool pool =
            prepared((transport_preparation){.message_bytes = sizes[i], .buffers = 3});
        size_t lines =
            sizes[i] <= CB_CACHE_LINE ? 1 : (sizes[i] + CB_CACHE_LINE - 1) / CB_CACHE_LINE;
        char *previous = NULL;

        for (int k = 0; k < 3; k++) {
            char *data = take(&pool)->data;

            ck_assert_uint_eq((uintptr_t)data % CB_CACHE_LINE, 0);
            if (previous != NULL)
                ck_assert_int_eq(data - previous, (ptrdiff_t)(lines * CB_CACHE_LINE));
            previous = data;
        }
        transport_pool_clear(&pool);
    }
}
END_TEST

START_TEST(a_buffer_knows_its_owner_and_its_capacity)
{
    transport_pool pool = prepared((transport_preparation){.message_bytes = 100, .buffers = 1});
    transport_buffer *buffer = take(&pool);

    ck_assert_ptr_eq(buffer->owner, &owner);
    ck_assert_uint_eq(buffer->capacity, 100);
    transport_pool_clear(&pool);
}
END_TEST

START_TEST(a_hot_pool_gives_the_last_released_first)
{
    transport_pool pool = prepared((transport_preparation){.message_bytes = 64, .buffers = 4});
    transport_buffer *a = take(&pool), *b = take(&pool);

    transport_pool_give(&pool, a);
    transport_pool_give(&pool, b);
    ck_assert_ptr_eq(take(&pool), b);
    ck_assert_ptr_eq(take(&pool), a);
    transport_pool_clear(&pool);
}
END_TEST

START_TEST(a_rotating_pool_gives_the_least_recently_used_first)
{
    transport_pool pool =
        prepared((transport_preparation){.message_bytes = 64, .buffers = 3, .rotate = true});
    transport_buffer *all[3];

    for (int i = 0; i < 3; i++)
        all[i] = take(&pool);
    transport_pool_give(&pool, all[1]);
    transport_pool_give(&pool, all[2]);
    transport_pool_give(&pool, all[0]);
    ck_assert_ptr_eq(take(&pool), all[1]);
    transport_pool_give(&pool, all[1]);
    ck_assert_ptr_eq(take(&pool), all[2]);
    ck_assert_ptr_eq(take(&pool), all[0]);
    ck_assert_ptr_eq(take(&pool), all[1]);
    transport_pool_clear(&pool);
}
END_TEST

START_TEST(a_rotating_pool_gives_each_buffer_once_per_cycle)
{
    transport_pool pool =
        prepared((transport_preparation){.message_bytes = 64, .buffers = 5, .rotate = true});
    const transport_buffer *turn[5];

    for (int i = 0; i < 20; i++) {
        transport_buffer *buffer = take(&pool);

        if (i < 5)
            turn[i] = buffer;
        for (int k = 0; i < 5 && k < i; k++)
            ck_assert_ptr_ne(turn[k], buffer);
        ck_assert_ptr_eq(buffer, turn[i % 5]);
        transport_pool_give(&pool, buffer);
    }
    transport_pool_clear(&pool);
}
END_TEST

START_TEST(an_empty_pool_grows_and_initialises_new_buffers)
{
    transport_pool pool =
        prepared((transport_preparation){.message_bytes = 64, .buffers = 1, .rotate = true});
    transport_buffer *first = take(&pool), *second = take(&pool);

    ck_assert_ptr_ne(first, second);
    ck_assert_uint_eq(*(unsigned char *)second->data, 1);
    transport_pool_give(&pool, first);
    transport_pool_give(&pool, second);
    ck_assert_uint_eq(resting(&pool), initialised);
    transport_pool_clear(&pool);
}
END_TEST

/* One missing buffer does not justify another 16 of a megabyte each. */
START_TEST(a_pool_of_large_buffers_grows_one_by_one)
{
    transport_pool pool = prepared((transport_preparation){.message_bytes = 1 << 20, .buffers = 1});

    take(&pool);
    take(&pool);
    ck_assert_uint_eq(initialised, 2);
    transport_pool_clear(&pool);
}
END_TEST

START_TEST(preparing_again_allocates_the_pool_again)
{
    transport_pool pool = prepared((transport_preparation){.message_bytes = 64, .buffers = 9});
    const transport_preparation larger = {.message_bytes = 5000, .buffers = 2};

    ck_assert_int_eq(transport_pool_prepare(&pool, &owner, &larger), CB_OK);
    ck_assert_uint_eq(resting(&pool), 2);
    ck_assert_uint_eq(take(&pool)->capacity, 5000);
    transport_pool_clear(&pool);
}
END_TEST

START_TEST(an_impossible_number_of_buffers_is_refused)
{
    transport_pool pool = {0};
    const transport_preparation absurd = {.message_bytes = 1 << 20, .buffers = SIZE_MAX / 1000};

    cb_log_silence(1);
    ck_assert_int_eq(transport_pool_prepare(&pool, &owner, &absurd), CB_ERROR_MEMORY);
    transport_pool_clear(&pool);
}
END_TEST

UNIT_MAIN("pool", the_announced_number_of_buffers_is_allocated,
          buffers_larger_than_messages_are_filled_for_the_messages,
          at_least_one_buffer_is_allocated, the_footprint_is_covered, payloads_share_no_cache_lines,
          a_buffer_knows_its_owner_and_its_capacity, a_hot_pool_gives_the_last_released_first,
          a_rotating_pool_gives_the_least_recently_used_first,
          a_rotating_pool_gives_each_buffer_once_per_cycle,
          an_empty_pool_grows_and_initialises_new_buffers, a_pool_of_large_buffers_grows_one_by_one,
          preparing_again_allocates_the_pool_again, an_impossible_number_of_buffers_is_refused)
