/* Orders to a running testbed: what each changes, and the answers to invalid ones. */
#include "tools/testbed/testbed.h"

#include <string.h>

#include "tests/common/unit.h"

enum { PORTS = 3 };

static switch_port ports[PORTS];
static network_switch hub = {.settings = {.ports = PORTS}, .ports = ports};
static char answer[ORDERS_BYTES];

static const char *told(const char *order)
{
    orders_obey(&hub, order, answer);
    return answer;
}

START_TEST(a_host_can_be_disconnected_and_reconnected)
{
    ck_assert_str_eq(told("cut host02"), "ok");
    ck_assert(!ports[0].faults.cut && ports[1].faults.cut && !ports[2].faults.cut);
    ck_assert_str_eq(told("join host02"), "ok");
    ck_assert(!ports[1].faults.cut);
}
END_TEST

START_TEST(a_loss_rate_applies_to_one_host_or_all)
{
    ck_assert_str_eq(told("loss all 1%"), "ok");
    ck_assert_str_eq(told("loss host03 50"), "ok");
    ck_assert_double_eq(ports[0].faults.loss, 0.01);
    ck_assert_double_eq(ports[2].faults.loss, 0.5);
}
END_TEST

START_TEST(each_order_changes_one_field_only)
{
    ck_assert_str_eq(told("duplicate host01 10%"), "ok");
    ck_assert_str_eq(told("reorder host01 20%"), "ok");
    ck_assert_str_eq(told("jitter host01 30us"), "ok");
    ck_assert_double_eq(ports[0].faults.duplicate, 0.1);
    ck_assert_double_eq(ports[0].faults.reorder, 0.2);
    ck_assert_uint_eq(ports[0].faults.jitter_ns, 30000);
    ck_assert_double_eq(ports[0].faults.loss, 0);
}
END_TEST

START_TEST(the_rate_of_a_cable_is_set_in_one_direction_or_both)
{
    ck_assert_str_eq(told("rate host03 2mbit"), "ok");
    ck_assert_double_eq(ports[2].faults.out_bits_per_s, 2e6);
    ck_assert_double_eq(ports[2].faults.in_bits_per_s, 2e6);
    ck_assert_str_eq(told("rate-in host03 5mbit"), "ok");
    ck_assert_double_eq(ports[2].faults.out_bits_per_s, 2e6);
    ck_assert_double_eq(ports[2].faults.in_bits_per_s, 5e6);
    ck_assert_str_eq(told("rate-out host03 0"), "ok");
    ck_assert_double_eq(ports[2].faults.out_bits_per_s, 0);
}
END_TEST

START_TEST(a_flapping_cable_is_down_for_a_part_of_each_period)
{
    ck_assert_str_eq(told("flap host02 5s 1s"), "ok");
    ck_assert_uint_eq(ports[1].faults.flap_period_ns, 5000000000);
    ck_assert_uint_eq(ports[1].faults.flap_down_ns, 1000000000);
    ck_assert_str_eq(told("join host02"), "ok");
    ck_assert_uint_eq(ports[1].faults.flap_period_ns, 0);
}
END_TEST

START_TEST(an_invalid_order_is_refused_with_the_valid_form)
{
    static const struct {
        const char *order, *words;
    } wrong[] = {
        {"", "use one of"},
        {"burn host01", "cut HOST"},
        {"cut", "use one of"},
        {"cut host01 5", "use one of"},
        {"loss host01", "use one of"},
        {"loss all 1% 2%", "use one of"},
        {"rate host01", "use one of"},
        {"rate host01 fast", "rate 'fast'"},
        {"flap host01 5s", "use one of"},
        {"flap host01 1s 5s", "longer than its period"},
        {"flap host01 1s 1s 1s", "use one of"},
        {"cut host04", "no host 'host04'"},
        {"cut host1", "no host"},
        {"loss all 101%", "loss '101%'"},
        {"loss all x", "loss 'x'"},
        {"jitter all 5Hz", "jitter '5Hz'"},
    };
    const switch_port untouched[PORTS] = {0};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert_msg(strstr(told(wrong[i].order), wrong[i].words) != NULL, "'%s': %s",
                      wrong[i].order, answer);
    ck_assert_mem_eq(ports, untouched, sizeof(ports));
}
END_TEST

UNIT_MAIN("orders", a_host_can_be_disconnected_and_reconnected,
          a_loss_rate_applies_to_one_host_or_all, each_order_changes_one_field_only,
          the_rate_of_a_cable_is_set_in_one_direction_or_both,
          a_flapping_cable_is_down_for_a_part_of_each_period,
          an_invalid_order_is_refused_with_the_valid_form)
