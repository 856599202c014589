/* Reordering of numbered datagrams: each is delivered once and in order, for any order of
 * arrival. */
#include "transport/udp/order.h"

#include "base/random.h"
#include "tests/common/unit.h"

/* Items are pointers to these. */
static char things[1 << 17];

static udp_order order_from(uint32_t number)
{
    udp_order order = {0};

    udp_order_begin(&order, number);
    return order;
}

static void ck_put(udp_order *order, uint32_t number, udp_arrival expected)
{
    ck_assert_int_eq(udp_order_put(order, number, &things[number % sizeof(things)]), expected);
}

static void ck_take(udp_order *order, uint32_t number)
{
    ck_assert_ptr_eq(udp_order_take(order), &things[number % sizeof(things)]);
}

START_TEST(datagrams_in_order_are_delivered_in_order)
{
    udp_order order = order_from(0);

    for (uint32_t number = 0; number < 1000; number++) {
        ck_assert_ptr_null(udp_order_take(&order));
        ck_put(&order, number, UDP_KEPT);
        ck_take(&order, number);
    }
    udp_order_free(&order);
}
END_TEST

START_TEST(overtaken_datagrams_are_delivered_in_order)
{
    udp_order order = order_from(5);

    ck_put(&order, 6, UDP_KEPT);
    ck_assert_ptr_null(udp_order_take(&order));
    ck_assert_uint_eq(udp_order_waiting(&order), 1);
    ck_put(&order, 5, UDP_OVERTAKEN);
    ck_take(&order, 5);
    ck_take(&order, 6);
    udp_order_free(&order);
}
END_TEST

START_TEST(repeated_datagrams_are_duplicates_before_and_after_delivery)
{
    udp_order order = order_from(0);

    ck_put(&order, 0, UDP_KEPT);
    ck_put(&order, 0, UDP_SEEN);
    ck_take(&order, 0);
    ck_put(&order, 0, UDP_SEEN);
    ck_put(&order, UINT32_MAX, UDP_SEEN);
    udp_order_free(&order);
}
END_TEST

START_TEST(a_datagram_that_arrives_after_it_was_skipped_is_late)
{
    udp_order order = order_from(0);

    udp_order_skip(&order);
    ck_put(&order, 1, UDP_KEPT);
    ck_put(&order, 0, UDP_SKIPPED);
    ck_take(&order, 1);
    ck_put(&order, 0, UDP_SKIPPED);
    ck_put(&order, 1, UDP_SEEN);
    udp_order_free(&order);
}
END_TEST

START_TEST(sequence_numbers_wrap_around)
{
    udp_order order = order_from(UINT32_MAX - 1);

    ck_put(&order, 1, UDP_KEPT);
    ck_put(&order, UINT32_MAX, UDP_OVERTAKEN);
    ck_put(&order, UINT32_MAX - 1, UDP_OVERTAKEN);
    ck_put(&order, 0, UDP_OVERTAKEN);
    for (uint32_t number = UINT32_MAX - 1; number != 2; number++)
        ck_take(&order, number);
    udp_order_free(&order);
}
END_TEST

START_TEST(a_datagram_too_far_ahead_is_dropped)
{
    udp_order order = order_from(0);

    ck_put(&order, UDP_ORDER_MOST, UDP_NO_ROOM);
    ck_put(&order, UDP_ORDER_MOST - 1, UDP_KEPT);
    ck_put(&order, 0, UDP_OVERTAKEN);
    ck_take(&order, 0);
    ck_assert_ptr_eq(udp_order_take_any(&order), &things[UDP_ORDER_MOST - 1]);
    udp_order_free(&order);
}
END_TEST

/* Datagrams of a stream, each lost, duplicated or delayed at random, compared with a simple
 * model. */
START_TEST(each_datagram_is_delivered_once_and_in_order_under_any_faults)
{
    enum { NUMBERS = 20000, AHEAD = 200 };
    static bool given[NUMBERS], skipped[NUMBERS];
    cb_random random = cb_random_seed(11);
    udp_order order = order_from(0);
    uint32_t next = 0;

    for (uint32_t step = 0; step < 4 * NUMBERS; step++) {
        uint32_t number = next + (uint32_t)cb_random_below(&random, AHEAD) - AHEAD / 4;
        char *item;

        if (number < NUMBERS) {
            udp_arrival arrival = udp_order_put(&order, number, &things[number]);

            ck_assert_msg(arrival != UDP_SKIPPED || (number < next && skipped[number]),
                          "step %d: number %d counts as skipped", (int)step, (int)number);
            ck_assert_msg(number >= next || skipped[number] || arrival == UDP_SEEN,
                          "step %d: number %d came again and is not seen", (int)step, (int)number);
            ck_assert_int_ne(arrival, UDP_NO_ROOM);
        }
        item = udp_order_take(&order);
        if (item != NULL) {
            ck_assert_ptr_eq(item, &things[next]);
            ck_assert_msg(!given[next], "step %d: number %d is given twice", (int)step, (int)next);
            given[next++] = true;
        } else if (next < NUMBERS && cb_random_below(&random, 4) == 0) {
            udp_order_skip(&order);
            skipped[next++] = true;
        }
    }
    ck_assert_uint_gt(next, NUMBERS / 4);
    while (udp_order_take_any(&order) != NULL)
        continue;
    ck_assert_uint_eq(udp_order_waiting(&order), 0);
    udp_order_free(&order);
}
END_TEST

UNIT_MAIN("udp_order", datagrams_in_order_are_delivered_in_order,
          overtaken_datagrams_are_delivered_in_order,
          repeated_datagrams_are_duplicates_before_and_after_delivery,
          a_datagram_that_arrives_after_it_was_skipped_is_late, sequence_numbers_wrap_around,
          a_datagram_too_far_ahead_is_dropped,
          each_datagram_is_delivered_once_and_in_order_under_any_faults)
