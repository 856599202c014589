/* The order of hosts in a map, and their distances. */
#include "linkmap/places.h"

#include "tests/common/unit.h"

START_TEST(numbers_in_names_are_compared_as_numbers)
{
    ck_assert_int_lt(places_compare_names("host2", "host10"), 0);
    ck_assert_int_gt(places_compare_names("host10", "host9"), 0);
    ck_assert_int_eq(places_compare_names("rack1-node03", "rack1-node03"), 0);
    ck_assert_int_lt(places_compare_names("rack1-node9", "rack2-node1"), 0);
    ck_assert_int_lt(places_compare_names("", "a"), 0);
    ck_assert_int_lt(places_compare_names("a", "b"), 0);
}
END_TEST

START_TEST(hosts_of_one_switch_are_nearer_than_others)
{
    const link_place one = {.host = "a", .at_switch = "s1"}, same = {.host = "a"},
                     clone = {.host = "a", .at_switch = "s1", .machine = "another"},
                     near = {.host = "b", .at_switch = "s1"},
                     far = {.host = "c", .at_switch = "s2"}, unknown = {.host = "d"},
                     unknown_too = {.host = "e"};

    ck_assert_int_eq(places_distance(&one, &same), 0);
    ck_assert_int_eq(places_distance(&one, &clone), 1);
    ck_assert_int_eq(places_distance(&one, &near), 1);
    ck_assert_int_eq(places_distance(&one, &far), 2);
    ck_assert_int_eq(places_distance(&unknown, &unknown_too), 2);
}
END_TEST

UNIT_MAIN("places", numbers_in_names_are_compared_as_numbers,
          hosts_of_one_switch_are_nearer_than_others)
