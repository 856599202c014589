/* Usable cores, text of bindings, and binding, on machines described to hwloc and on this one. */
#include "tests/common/unit.h"

#include <sched.h>
#include <string.h>

#include "base/log.h"
#include "host/internal.h"

static const char two_sockets[] = "Package:2 Core:4 PU:2";

static host *open_synthetic(const char *description, const char *usable)
{
    host *machine = NULL;

    ck_assert_int_eq(host_open_synthetic(description, usable, &machine), CB_OK);
    return machine;
}

static void assert_binding(const char *description, const char *usable, const char *expected)
{
    host *machine = open_synthetic(description, usable);
    char text[64];

    host_binding(machine, text, sizeof(text));
    ck_assert_str_eq(text, expected);
    host_close(machine);
}

START_TEST(binding_lists_ranges_of_cores_over_sockets)
{
    assert_binding(two_sockets, "0-3,8-9", "0-1,4");
}
END_TEST

START_TEST(binding_to_one_core_is_its_number)
{
    assert_binding(two_sockets, "14-15", "7");
}
END_TEST

START_TEST(one_hardware_thread_of_a_core_names_the_core)
{
    assert_binding(two_sockets, "5", "2");
}
END_TEST

START_TEST(a_process_allowed_on_all_cores_is_unbound)
{
    assert_binding(two_sockets, NULL, "unbound");
}
END_TEST

START_TEST(a_process_allowed_on_half_of_every_core_is_bound)
{
    assert_binding(two_sockets, "0,2,4,6,8,10,12,14", "0-7");
}
END_TEST

START_TEST(cores_have_logical_numbers)
{
    assert_binding("Package:2 Core:2 PU:1(indexes=0,2,1,3)", "1", "2");
}
END_TEST

START_TEST(a_binding_too_long_for_the_text_ends_in_dots)
{
    host *machine = open_synthetic("Core:32 PU:1", "0,2,4,6,8,10,12,14,16,18,20");
    char text[13];

    host_binding(machine, text, sizeof(text));
    ck_assert_str_eq(text, "0,2,4,6,...");
    host_close(machine);
}
END_TEST

START_TEST(usable_cores_count_a_core_once)
{
    host *machine = open_synthetic(two_sockets, "0-2,8");

    ck_assert_uint_eq(host_usable_cores(machine), 3);
    host_close(machine);
}
END_TEST

START_TEST(without_cores_in_the_topology_processing_units_are_counted)
{
    host *machine = open_synthetic("Package:1 PU:6", NULL);

    ck_assert_uint_eq(host_usable_cores(machine), 6);
    host_close(machine);
}
END_TEST

static void assert_first_unit(const char *usable, unsigned core, int expected)
{
    host *machine = open_synthetic(two_sockets, usable);

    ck_assert_int_eq(host_first_unit(machine, core), expected);
    host_close(machine);
}

START_TEST(binding_indexes_the_usable_cores)
{
    assert_first_unit("2-3,12-13", 1, 12);
}
END_TEST

START_TEST(binding_skips_unusable_processing_units)
{
    assert_first_unit("3,12-13", 0, 3);
}
END_TEST

START_TEST(binding_beyond_the_usable_cores_is_refused)
{
    host *machine = open_synthetic(two_sockets, "2-3,12-13");

    cb_log_silence(1);
    ck_assert_int_eq(host_bind_core(machine, 2), CB_ERROR_USAGE);
    host_close(machine);
}
END_TEST

START_TEST(an_unknown_description_is_a_usage_error_without_a_machine)
{
    host *machine;

    cb_log_silence(1);
    ck_assert_int_eq(host_open_synthetic("Socket of wood", NULL, &machine), CB_ERROR_USAGE);
    ck_assert_ptr_null(machine);
}
END_TEST

START_TEST(a_list_of_units_that_does_not_parse_is_a_usage_error)
{
    host *machine;

    cb_log_silence(1);
    ck_assert_int_eq(host_open_synthetic(two_sockets, "first", &machine), CB_ERROR_USAGE);
    ck_assert_ptr_null(machine);
}
END_TEST

static host *open_this_host(void)
{
    host *machine = NULL;

    ck_assert_int_eq(host_open(&machine), CB_OK);
    return machine;
}

static cpu_set_t affinity(void)
{
    cpu_set_t mask;

    ck_assert_int_eq(sched_getaffinity(0, sizeof(mask), &mask), 0);
    return mask;
}

/* Set the affinity as taskset does before it starts a program. */
static void limit_to_last_unit(void)
{
    cpu_set_t mask = affinity();
    int last = CPU_SETSIZE - 1;

    while (!CPU_ISSET(last, &mask))
        last--;
    CPU_ZERO(&mask);
    CPU_SET(last, &mask);
    ck_assert_int_eq(sched_setaffinity(0, sizeof(mask), &mask), 0);
}

START_TEST(closing_no_machine_leaves_an_open_one_usable)
{
    host *machine = open_this_host();
    unsigned cores = host_usable_cores(machine);

    host_close(NULL);
    ck_assert_uint_gt(cores, 0);
    ck_assert_uint_eq(host_usable_cores(machine), cores);
    host_close(machine);
}
END_TEST

START_TEST(a_process_with_an_inherited_mask_has_one_usable_core)
{
    host *machine;

    limit_to_last_unit();
    machine = open_this_host();
    ck_assert_uint_eq(host_usable_cores(machine), 1);
    host_close(machine);
}
END_TEST

START_TEST(binding_stays_within_the_inherited_mask)
{
    host *machine;
    cpu_set_t before, after;

    limit_to_last_unit();
    before = affinity();
    machine = open_this_host();
    ck_assert_int_eq(host_bind_core(machine, 0), CB_OK);
    after = affinity();
    ck_assert(CPU_EQUAL(&before, &after));
    host_close(machine);
}
END_TEST

START_TEST(binding_to_a_core_leaves_one_processing_unit)
{
    host *machine = open_this_host();
    cpu_set_t mask;

    ck_assert_int_eq(host_bind_core(machine, 0), CB_OK);
    mask = affinity();
    ck_assert_int_eq(CPU_COUNT(&mask), 1);
    host_close(machine);
}
END_TEST

START_TEST(usable_cores_are_unchanged_by_binding)
{
    host *machine = open_this_host();
    unsigned before = host_usable_cores(machine);

    ck_assert_int_eq(host_bind_core(machine, before - 1), CB_OK);
    ck_assert_uint_eq(host_usable_cores(machine), before);
    host_close(machine);
}
END_TEST

START_TEST(opening_leaves_the_affinity_mask_as_it_was)
{
    cpu_set_t before = affinity(), after;
    host *machine = open_this_host();

    after = affinity();
    ck_assert(CPU_EQUAL(&before, &after));
    host_close(machine);
}
END_TEST

UNIT_MAIN("topology", binding_lists_ranges_of_cores_over_sockets, binding_to_one_core_is_its_number,
          one_hardware_thread_of_a_core_names_the_core, a_process_allowed_on_all_cores_is_unbound,
          a_process_allowed_on_half_of_every_core_is_bound, cores_have_logical_numbers,
          a_binding_too_long_for_the_text_ends_in_dots, usable_cores_count_a_core_once,
          without_cores_in_the_topology_processing_units_are_counted,
          binding_indexes_the_usable_cores, binding_skips_unusable_processing_units,
          binding_beyond_the_usable_cores_is_refused,
          an_unknown_description_is_a_usage_error_without_a_machine,
          a_list_of_units_that_does_not_parse_is_a_usage_error,
          closing_no_machine_leaves_an_open_one_usable,
          a_process_with_an_inherited_mask_has_one_usable_core,
          binding_stays_within_the_inherited_mask, binding_to_a_core_leaves_one_processing_unit,
          usable_cores_are_unchanged_by_binding, opening_leaves_the_affinity_mask_as_it_was)
