/* Facts recorded about a host, read from a made-up /etc, /proc and /sys in a temporary folder. */
#include "tests/common/unit.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host/internal.h"

typedef struct {
    char root[64];
    host *machine;
    host_environment found;
} fixture;

static fixture set_up(const char *topology)
{
    fixture test = {.root = "/tmp/combench-environment-XXXXXX"};

    ck_assert_ptr_nonnull(mkdtemp(test.root));
    ck_assert_int_eq(host_open_synthetic(topology, NULL, &test.machine), CB_OK);
    return test;
}

static int remove_entry(const char *path, const struct stat *state, int kind, struct FTW *place)
{
    (void)state;
    (void)kind;
    (void)place;
    return remove(path);
}

static void tear_down(fixture *test)
{
    host_close(test->machine);
    ck_assert_int_eq(nftw(test->root, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void make_path(const fixture *test, const char *path, char *full_path)
{
    snprintf(full_path, PATH_MAX, "%s/%s", test->root, path);
    for (char *slash = full_path + strlen(test->root) + 1; (slash = strchr(slash, '/')) != NULL;
         *slash++ = '/') {
        *slash = '\0';
        mkdir(full_path, 0700);
    }
}

static void put_bytes(const fixture *test, const char *path, const char *bytes, size_t count)
{
    char full_path[PATH_MAX];
    FILE *file;

    make_path(test, path, full_path);
    file = fopen(full_path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    ck_assert_int_eq(fclose(file), 0);
}

static void put(const fixture *test, const char *path, const char *text)
{
    put_bytes(test, path, text, strlen(text));
}

static const host_environment *capture(fixture *test)
{
    memset(&test->found, 0xa5, sizeof(test->found));
    host_capture_below(test->machine, test->root, &test->found);
    return &test->found;
}

/* NULL if the fact was omitted. */
static const char *tuning(const host_environment *found, const char *key)
{
    for (size_t i = 0; i < found->tuning_count; i++)
        if (strcmp(found->tuning[i].key, key) == 0)
            return found->tuning[i].value;
    return NULL;
}

static void assert_tuning(const char *path, const char *text, const char *key, const char *expected)
{
    fixture test = set_up("Core:1 PU:1");

    put(&test, path, text);
    ck_assert_pstr_eq(tuning(capture(&test), key), expected);
    tear_down(&test);
}

static void assert_os(const char *path, const char *text, const char *expected)
{
    fixture test = set_up("Core:1 PU:1");

    put(&test, path, text);
    ck_assert_str_eq(capture(&test)->os, expected);
    tear_down(&test);
}

static void assert_memory(const char *text, uint64_t expected_MB)
{
    fixture test = set_up("Core:1 PU:1");

    put(&test, "proc/meminfo", text);
    ck_assert_uint_eq(capture(&test)->memory_MB, expected_MB);
    tear_down(&test);
}

static void assert_cpu(const char *text, const char *expected)
{
    fixture test = set_up("Core:1 PU:1");

    put(&test, "proc/cpuinfo", text);
    ck_assert_str_eq(capture(&test)->cpu, expected);
    tear_down(&test);
}

START_TEST(an_empty_root_omits_all_facts_from_files)
{
    fixture test = set_up("Core:1 PU:1");
    const host_environment *found = capture(&test);

    ck_assert_str_eq(found->os, "");
    ck_assert_str_eq(found->cpu, "");
    ck_assert_str_eq(found->governor, "");
    ck_assert_uint_eq(found->memory_MB, 0);
    ck_assert_uint_eq(found->tuning_count, 0);
    tear_down(&test);
}
END_TEST

START_TEST(every_byte_of_the_record_is_initialised)
{
    fixture test = set_up("Core:1 PU:1");
    host_environment first = *capture(&test);

    memset(&test.found, 0x5a, sizeof(test.found));
    host_capture_below(test.machine, test.root, &test.found);
    ck_assert_mem_eq(&first, &test.found, sizeof(first));
    tear_down(&test);
}
END_TEST

START_TEST(name_and_kernel_are_those_of_uname)
{
    fixture test = set_up("Core:1 PU:1");
    const host_environment *found = capture(&test);
    struct utsname system;
    char kernel[sizeof(system)];

    ck_assert_int_eq(uname(&system), 0);
    snprintf(kernel, sizeof(kernel), "%s %s %s", system.sysname, system.release, system.machine);
    ck_assert_str_eq(found->name, system.nodename);
    ck_assert_str_eq(found->kernel, kernel);
    tear_down(&test);
}
END_TEST

START_TEST(the_boot_id_is_recorded)
{
    fixture test = set_up("Core:1 PU:1");
    char id[HOST_TEXT] = "x";

    host_kernel_id_below(test.root, id);
    ck_assert_str_eq(id, "");
    put(&test, "proc/sys/kernel/random/boot_id", "0b5c-11\n");
    host_kernel_id_below(test.root, id);
    ck_assert_str_eq(id, "0b5c-11");
    tear_down(&test);
}
END_TEST

START_TEST(the_os_is_the_pretty_name_without_quotes)
{
    assert_os("etc/os-release", "NAME=\"Some\"\nPRETTY_NAME=\"Some Linux 12 (wood)\"\nID=some\n",
              "Some Linux 12 (wood)");
}
END_TEST

START_TEST(the_os_is_found_in_the_fallback_file)
{
    assert_os("usr/lib/os-release", "PRETTY_NAME='Other Linux'\n", "Other Linux");
}
END_TEST

START_TEST(without_a_pretty_name_the_os_is_the_name)
{
    assert_os("etc/os-release", "ID=some\nNAME=Some", "Some");
}
END_TEST

START_TEST(escapes_in_the_name_of_the_os_are_resolved)
{
    assert_os("etc/os-release", "PRETTY_NAME=\"The \\\"Big\\\" One\"\n", "The \"Big\" One");
}
END_TEST

START_TEST(an_unclosed_quote_ends_with_the_line)
{
    assert_os("etc/os-release", "PRETTY_NAME=\"Open\\\nID=some\n", "Open\\");
}
END_TEST

START_TEST(non_ascii_bytes_are_replaced)
{
    assert_os("etc/os-release", "PRETTY_NAME=\"Linux \xc3\xbc\"\n", "Linux ??");
}
END_TEST

START_TEST(the_processor_comes_from_cpuinfo_where_hwloc_knows_none)
{
    assert_cpu("processor\t: 0\nmodel\t\t: 2\nmodel name\t: Fast  Chip @ 3 GHz\n",
               "Fast Chip @ 3 GHz");
}
END_TEST

START_TEST(the_processor_is_found_under_other_architectures_names)
{
    assert_cpu("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n", "POWER9, altivec supported");
}
END_TEST

START_TEST(memory_is_in_megabytes)
{
    assert_memory("MemTotal:       24684092 kB\nMemFree: 1 kB\n", 25276);
}
END_TEST

START_TEST(an_implausible_memory_size_is_omitted)
{
    assert_memory("MemTotal: 18446744073709551615 kB\n", 0);
    assert_memory("MemTotal: 99999999999999999999999 kB\n", 0);
}
END_TEST

START_TEST(a_memory_size_that_is_no_number_is_omitted)
{
    assert_memory("MemTotal: plenty\n", 0);
}
END_TEST

static void put_governor(const fixture *test, unsigned cpu, const char *governor)
{
    char path[96];

    snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu);
    put(test, path, governor);
}

START_TEST(one_governor_of_all_cores_is_named_once)
{
    fixture test = set_up("Core:2 PU:1");

    put_governor(&test, 0, "performance\n");
    put_governor(&test, 1, "performance\n");
    ck_assert_str_eq(capture(&test)->governor, "performance");
    tear_down(&test);
}
END_TEST

START_TEST(governors_that_differ_are_named_in_the_order_of_the_cores)
{
    fixture test = set_up("Core:2 PU:1");

    put_governor(&test, 10, "ondemand\n");
    put_governor(&test, 2, "powersave\n");
    put_governor(&test, 1, "performance\n");
    put_governor(&test, 0, "powersave\n");
    ck_assert_str_eq(capture(&test)->governor, "powersave,performance,ondemand");
    tear_down(&test);
}
END_TEST

START_TEST(cores_without_a_governor_are_ignored)
{
    fixture test = set_up("Core:2 PU:1");

    put(&test, "sys/devices/system/cpu/cpu0/online", "1\n");
    put(&test, "sys/devices/system/cpu/cpufreq/boost", "1\n");
    put_governor(&test, 1, "schedutil\n");
    ck_assert_str_eq(capture(&test)->governor, "schedutil");
    tear_down(&test);
}
END_TEST

START_TEST(too_many_governors_do_not_overflow)
{
    fixture test = set_up("Core:2 PU:1");
    char name[80];

    for (unsigned cpu = 0; cpu < 20; cpu++) {
        snprintf(name, sizeof(name), "governor-%u-with-a-name-longer-than-any-in-the-kernel", cpu);
        put_governor(&test, cpu, name);
    }
    ck_assert_uint_lt(strlen(capture(&test)->governor), HOST_TEXT);
    tear_down(&test);
}
END_TEST

START_TEST(a_kernel_setting_is_the_text_of_its_file)
{
    assert_tuning("proc/sys/net/core/rmem_max", "212992\n", "net.core.rmem_max", "212992");
}
END_TEST

START_TEST(numbers_of_a_kernel_setting_are_separated_by_blanks)
{
    assert_tuning("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n", "net.ipv4.tcp_rmem",
                  "4096 131072 6291456");
}
END_TEST

START_TEST(the_bracketed_choice_of_a_setting_is_extracted)
{
    assert_tuning("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n",
                  "transparent_hugepage", "madvise");
}
END_TEST

START_TEST(a_setting_without_brackets_is_kept)
{
    assert_tuning("sys/kernel/mm/transparent_hugepage/enabled", "] never [\n",
                  "transparent_hugepage", "] never [");
}
END_TEST

START_TEST(an_empty_kernel_setting_is_omitted)
{
    assert_tuning("sys/devices/system/cpu/isolated", "\n", "cpu.isolated", NULL);
}
END_TEST

START_TEST(a_kernel_setting_that_is_a_folder_is_omitted)
{
    assert_tuning("proc/sys/vm/swappiness/file", "60\n", "vm.swappiness", NULL);
}
END_TEST

START_TEST(a_kernel_setting_of_binary_data_is_omitted)
{
    fixture test = set_up("Core:1 PU:1");

    put_bytes(&test, "proc/sys/vm/swappiness", "6\0\001\xff\x7f\033[2J", 9);
    ck_assert_ptr_null(tuning(capture(&test), "vm.swappiness"));
    tear_down(&test);
}
END_TEST

START_TEST(a_pipe_in_place_of_a_file_does_not_block)
{
    fixture test = set_up("Core:1 PU:1");
    char path[PATH_MAX];

    make_path(&test, "proc/sys/vm/swappiness", path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_ptr_null(tuning(capture(&test), "vm.swappiness"));
    tear_down(&test);
}
END_TEST

START_TEST(an_overlong_value_is_cut_and_ends_in_dots)
{
    fixture test = set_up("Core:1 PU:1");
    char text[6000];
    const char *value;

    memset(text, 'x', sizeof(text));
    put_bytes(&test, "proc/sys/net/ipv4/tcp_congestion_control", text, sizeof(text));
    value = tuning(capture(&test), "net.ipv4.tcp_congestion_control");
    ck_assert_pstr_ne(value, NULL);
    ck_assert_uint_eq(strlen(value), HOST_TEXT - 1);
    ck_assert_str_eq(value + HOST_TEXT - 5, "x...");
    tear_down(&test);
}
END_TEST

START_TEST(a_value_that_just_fits_is_not_cut)
{
    fixture test = set_up("Core:1 PU:1");
    char text[HOST_TEXT + 1];

    memset(text, 'x', HOST_TEXT - 1);
    memcpy(text + HOST_TEXT - 1, "\n", 2);
    put(&test, "proc/sys/net/ipv4/tcp_congestion_control", text);
    text[HOST_TEXT - 1] = '\0';
    ck_assert_pstr_eq(tuning(capture(&test), "net.ipv4.tcp_congestion_control"), text);
    tear_down(&test);
}
END_TEST

START_TEST(the_kernel_command_line_keeps_performance_options)
{
    assert_tuning("proc/cmdline",
                  "BOOT_IMAGE=/boot/vmlinuz root=UUID=1-2 ro quiet isolcpus=2-3 console=ttyS0 "
                  "mitigations=off rootwait=1 -- quiet --for-init\n",
                  "kernel.command_line", "isolcpus=2-3 mitigations=off rootwait=1");
}
END_TEST

START_TEST(a_kernel_command_line_with_boot_options_only_is_omitted)
{
    assert_tuning("proc/cmdline", "BOOT_IMAGE=/boot/vmlinuz ro quiet\n", "kernel.command_line",
                  NULL);
}
END_TEST

START_TEST(an_overlong_kernel_command_line_is_cut_between_words)
{
    fixture test = set_up("Core:1 PU:1");
    char text[2048] = "";
    const char *value;

    for (int i = 0; i < 100; i++)
        strcat(text, "isolcpus=2-31 ");
    put(&test, "proc/cmdline", text);
    value = tuning(capture(&test), "kernel.command_line");
    ck_assert_pstr_ne(value, NULL);
    ck_assert_str_eq(value + strlen(value) - strlen("isolcpus=2-31 ..."), "isolcpus=2-31 ...");
    tear_down(&test);
}
END_TEST

START_TEST(core_counts_are_those_of_the_whole_machine)
{
    fixture test = set_up("Package:2 [NUMANode] Core:4 PU:2");
    const host_environment *found = capture(&test);

    ck_assert_uint_eq(found->cores, 8);
    ck_assert_uint_eq(found->hardware_threads, 16);
    ck_assert_uint_eq(found->numa_nodes, 2);
    tear_down(&test);
}
END_TEST

START_TEST(a_cache_size_is_that_of_one_cache)
{
    fixture test =
        set_up("L3Cache:2(size=33554432) L2Cache:4(size=1048576) L1dCache:1(size=49152) PU:1");
    const host_environment *found = capture(&test);

    ck_assert_uint_eq(found->l1d_bytes, 49152);
    ck_assert_uint_eq(found->l2_bytes, 1048576);
    ck_assert_uint_eq(found->l3_bytes, 33554432);
    tear_down(&test);
}
END_TEST

START_TEST(a_machine_without_caches_reports_none)
{
    fixture test = set_up("Core:2 PU:1");

    ck_assert_uint_eq(capture(&test)->l3_bytes, 0);
    tear_down(&test);
}
END_TEST

START_TEST(the_recorded_topology_recreates_the_machine)
{
    fixture test = set_up("Package:2 Core:4 PU:2");
    host_environment again;
    host *copy;

    ck_assert_int_eq(host_open_synthetic(capture(&test)->topology, NULL, &copy), CB_OK);
    host_capture(copy, &again);
    ck_assert_uint_eq(again.cores, 8);
    ck_assert_uint_eq(again.hardware_threads, 16);
    host_close(copy);
    tear_down(&test);
}
END_TEST

/* Processing units numbered alternately from both ends, which hwloc can only describe by listing
 * them. */
static fixture set_up_long_description(void)
{
    char description[1024];
    size_t length = (size_t)snprintf(description, sizeof(description), "Core:48 PU:2(indexes=0,95");

    for (int i = 1; i < 48; i++)
        length += (size_t)snprintf(description + length, sizeof(description) - length, ",%d,%d", i,
                                   95 - i);
    snprintf(description + length, sizeof(description) - length, ")");
    return set_up(description);
}

START_TEST(an_overlong_topology_is_recorded_without_sizes)
{
    fixture test = set_up_long_description();

    ck_assert_str_eq(capture(&test)->topology, "[NUMANode] Core:48 PU:2");
    tear_down(&test);
}
END_TEST

START_TEST(an_asymmetric_machine_is_summarised)
{
    fixture test = set_up("Package:2 Core:2 PU:2");
    hwloc_bitmap_t kept = hwloc_bitmap_alloc();

    hwloc_bitmap_set_range(kept, 1, 7); /* remove one unit of the first core */
    ck_assert_int_eq(hwloc_topology_restrict(test.machine->topology, kept, 0), 0);
    hwloc_bitmap_free(kept);
    ck_assert_str_eq(capture(&test)->topology,
                     "2 packages, 1 NUMA nodes, 4 cores, 7 hardware threads");
    tear_down(&test);
}
END_TEST

START_TEST(this_host_has_a_kernel_cores_and_a_topology)
{
    host *machine;
    host_environment found;

    ck_assert_int_eq(host_open(&machine), CB_OK);
    host_capture(machine, &found);
    ck_assert_str_ne(found.kernel, "");
    ck_assert_str_ne(found.topology, "");
    ck_assert_uint_gt(found.cores, 0);
    host_close(machine);
}
END_TEST

UNIT_MAIN("environment", the_boot_id_is_recorded, an_empty_root_omits_all_facts_from_files,
          every_byte_of_the_record_is_initialised, name_and_kernel_are_those_of_uname,
          the_os_is_the_pretty_name_without_quotes, the_os_is_found_in_the_fallback_file,
          without_a_pretty_name_the_os_is_the_name, escapes_in_the_name_of_the_os_are_resolved,
          an_unclosed_quote_ends_with_the_line, non_ascii_bytes_are_replaced,
          the_processor_comes_from_cpuinfo_where_hwloc_knows_none,
          the_processor_is_found_under_other_architectures_names, memory_is_in_megabytes,
          an_implausible_memory_size_is_omitted, a_memory_size_that_is_no_number_is_omitted,
          one_governor_of_all_cores_is_named_once,
          governors_that_differ_are_named_in_the_order_of_the_cores,
          cores_without_a_governor_are_ignored, too_many_governors_do_not_overflow,
          a_kernel_setting_is_the_text_of_its_file,
          numbers_of_a_kernel_setting_are_separated_by_blanks,
          the_bracketed_choice_of_a_setting_is_extracted, a_setting_without_brackets_is_kept,
          an_empty_kernel_setting_is_omitted, a_kernel_setting_that_is_a_folder_is_omitted,
          a_kernel_setting_of_binary_data_is_omitted, a_pipe_in_place_of_a_file_does_not_block,
          an_overlong_value_is_cut_and_ends_in_dots, a_value_that_just_fits_is_not_cut,
          the_kernel_command_line_keeps_performance_options,
          a_kernel_command_line_with_boot_options_only_is_omitted,
          an_overlong_kernel_command_line_is_cut_between_words,
          core_counts_are_those_of_the_whole_machine, a_cache_size_is_that_of_one_cache,
          a_machine_without_caches_reports_none, the_recorded_topology_recreates_the_machine,
          an_overlong_topology_is_recorded_without_sizes, an_asymmetric_machine_is_summarised,
          this_host_has_a_kernel_cores_and_a_topology)
