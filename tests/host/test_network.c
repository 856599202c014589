/* Counters of a host and its preflight, from a made-up /proc and /sys in a temporary folder. */
#include "tests/common/unit.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/counters.h"
#include "host/internal.h"
#include "host/preflight.h"

static char root[64];

static void make_root(void)
{
    snprintf(root, sizeof(root), "/tmp/combench-network-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static int remove_entry(const char *path, const struct stat *state, int kind, struct FTW *place)
{
    (void)state;
    (void)kind;
    (void)place;
    return remove(path);
}

static void remove_root(void)
{
    ck_assert_int_eq(nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void put(const char *path, const char *text)
{
    char full_path[PATH_MAX];
    FILE *file;

    snprintf(full_path, sizeof(full_path), "%s/%s", root, path);
    for (char *slash = full_path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL;
         *slash++ = '/') {
        *slash = '\0';
        mkdir(full_path, 0700);
    }
    file = fopen(full_path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* Counters */

static uint64_t value_of(const uint64_t *values, const char *key)
{
    for (size_t i = 0; i < HOST_COUNTERS; i++)
        if (strcmp(host_counter_set.rows[i].key, key) == 0)
            return values[i];
    ck_abort_msg("no counter '%s'", key);
}

static const char snmp[] = "Ip: Forwarding DefaultTTL\nIp: 1 64\n"
                           "Tcp: RtoAlgorithm MaxConn RetransSegs InErrs\nTcp: 1 -1 %d 2\n"
                           "Udp: InDatagrams InErrors RcvbufErrors SndbufErrors\nUdp: 9 5 4 0\n";
static const char interfaces[] =
    "Inter-|   Receive                            |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop\n"
    "    lo:     100       5    9    9    9     0          0         0      1   1  9 9 9 0 9 0\n"
    "  eth0:1000 50 1 %d 3 0 0 0 2000 60 4 5 6 0 7 0\n"
    "  eth1: 1000 50 0 1 0 0 0 0 2000 60 0 0 0 0 0 0\n";

static void put_counters(int retransmitted, int dropped)
{
    char text[1024];

    snprintf(text, sizeof(text), snmp, retransmitted);
    put("proc/net/snmp", text);
    put("proc/net/netstat", "TcpExt: SyncookiesSent TCPTimeouts TCPFastRetrans\nTcpExt: 0 7 8\n"
                            "IpExt: InNoRoutes InCEPkts\nIpExt: 0 11\n");
    snprintf(text, sizeof(text), interfaces, dropped);
    put("proc/net/dev", text);
}

START_TEST(counters_come_from_their_groups_interfaces_and_ports)
{
    host_counts found;

    make_root();
    put_counters(41, 2);
    put("sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", "12\n");
    put("sys/class/infiniband/mlx5_1/ports/1/counters/symbol_error", "30\n");
    host_count_below(root, &found);
    ck_assert_uint_eq(value_of(found.values, "retransmitted"), 41);
    ck_assert_uint_eq(value_of(found.values, "tcp_errors"), 2);
    ck_assert_uint_eq(value_of(found.values, "udp_errors"), 5);
    ck_assert_uint_eq(value_of(found.values, "timeouts"), 7);
    ck_assert_uint_eq(value_of(found.values, "ecn_marks"), 11);
    ck_assert_uint_eq(value_of(found.values, "receive_errors"), 1);
    ck_assert_uint_eq(value_of(found.values, "receive_dropped"), 3);
    ck_assert_uint_eq(value_of(found.values, "receive_overruns"), 3);
    ck_assert_uint_eq(value_of(found.values, "send_errors"), 4);
    ck_assert_uint_eq(value_of(found.values, "send_dropped"), 5);
    ck_assert_uint_eq(value_of(found.values, "send_overruns"), 6);
    ck_assert_uint_eq(value_of(found.values, "carrier_losses"), 7);
    ck_assert_uint_eq(value_of(found.values, "port_symbol_errors"), 42);
    remove_root();
}
END_TEST

START_TEST(what_a_host_does_not_have_is_absent)
{
    host_counts found;

    make_root();
    put_counters(0, 0);
    host_count_below(root, &found);
    ck_assert_uint_eq(value_of(found.values, "retransmitted"), 0);
    ck_assert_uint_eq(value_of(found.values, "out_of_order"), CB_COUNTER_ABSENT);
    ck_assert_uint_eq(value_of(found.values, "port_symbol_errors"), CB_COUNTER_ABSENT);
    remove_root();
    make_root();
    host_count_below(root, &found);
    for (size_t i = 0; i < HOST_COUNTERS; i++)
        ck_assert_uint_eq(found.values[i], CB_COUNTER_ABSENT);
    remove_root();
}
END_TEST

START_TEST(increases_name_the_interface_with_most_faults)
{
    host_counts before, after;
    uint64_t increases[HOST_COUNTERS];
    char interface[HOST_INTERFACE_BYTES];

    make_root();
    put_counters(41, 2);
    host_count_below(root, &before);
    host_increases(&before, &before, increases, interface);
    ck_assert_str_eq(interface, "");
    ck_assert_uint_eq(value_of(increases, "receive_dropped"), 0);
    put_counters(43, 9);
    host_count_below(root, &after);
    host_increases(&before, &after, increases, interface);
    ck_assert_str_eq(interface, "eth0");
    ck_assert_uint_eq(value_of(increases, "retransmitted"), 2);
    ck_assert_uint_eq(value_of(increases, "receive_dropped"), 7);
    host_increases(&after, &before, increases, interface);
    ck_assert_str_eq(interface, "");
    ck_assert_uint_eq(value_of(increases, "retransmitted"), CB_COUNTER_ABSENT);
    remove_root();
}
END_TEST

/* Preflight */

static host_preflight check(const char *topology, const char *usable, const host_preflight_of *of)
{
    host_preflight found;
    host *machine;

    ck_assert_int_eq(host_open_synthetic(topology, usable, &machine), CB_OK);
    host_check_below(machine, root, of, &found);
    host_close(machine);
    return found;
}

static void ck_assert_bad(const host_preflight *found, host_check which, const char *text)
{
    ck_assert_msg(found->verdicts[which] == HOST_BAD, "the check '%s' is %s",
                  host_check_names[which], host_verdict_names[found->verdicts[which]]);
    ck_assert_msg(strstr(found->found[which], text) != NULL, "'%s' lacks '%s'", found->found[which],
                  text);
}

static void put_link(const char *name, const char *speed_Mbps, const char *mtu, const char *node)
{
    const struct {
        const char *file, *text;
    } files[] = {{"speed", speed_Mbps}, {"mtu", mtu},     {"operstate", "up\n"},
                 {"duplex", "full\n"},  {"ifindex", "2"}, {"device/numa_node", node}};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "sys/class/net/%s/%s", name, files[i].file);
        put(path, files[i].text);
    }
}

static const char two_nodes[] = "NUMANode:2 Core:2 PU:2";

START_TEST(a_host_without_facts_has_unknown_checks)
{
    host_preflight found;

    make_root();
    found = check("Core:2 PU:1", NULL, &(host_preflight_of){.interface = "", .ranks_here = 2});
    ck_assert_int_eq(found.verdicts[HOST_CHECK_GOVERNOR], HOST_UNKNOWN);
    ck_assert_int_eq(found.verdicts[HOST_CHECK_QUOTA], HOST_UNKNOWN);
    ck_assert_int_eq(found.verdicts[HOST_CHECK_THREADS], HOST_GOOD);
    for (host_check i = HOST_CHECK_SPEED; i < HOST_CHECKS; i++)
        ck_assert_int_eq(found.verdicts[i], HOST_UNKNOWN);
    remove_root();
}
END_TEST

START_TEST(governor_quota_and_threads_are_found)
{
    host_preflight found;

    make_root();
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    put("proc/self/cgroup", "0::/jobs/job7\n");
    put("sys/fs/cgroup/jobs/cpu.max", "50000 100000\n");
    put("sys/fs/cgroup/jobs/job7/cpu.max", "max 100000\n");
    found = check("Core:2 PU:2", NULL, &(host_preflight_of){.interface = "", .ranks_here = 3});
    ck_assert_bad(&found, HOST_CHECK_GOVERNOR, "powersave");
    ck_assert_bad(&found, HOST_CHECK_QUOTA, "0.5 cores of 2");
    ck_assert_bad(&found, HOST_CHECK_THREADS, "3 ranks share 2 cores of 4 hardware threads");
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    put("sys/fs/cgroup/jobs/cpu.max", "200000 100000\n");
    found = check("Core:2 PU:2", NULL, &(host_preflight_of){.interface = "", .ranks_here = 2});
    ck_assert_int_eq(found.verdicts[HOST_CHECK_GOVERNOR], HOST_GOOD);
    ck_assert_int_eq(found.verdicts[HOST_CHECK_QUOTA], HOST_GOOD);
    ck_assert_int_eq(found.verdicts[HOST_CHECK_THREADS], HOST_GOOD);
    remove_root();
}
END_TEST

START_TEST(a_quota_of_version_1_is_found)
{
    host_preflight found;

    make_root();
    put("proc/self/cgroup", "5:memory:/\n4:cpu,cpuacct:/job\n");
    put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "25000\n");
    put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    found = check("Core:2 PU:1", NULL, &(host_preflight_of){.interface = "", .ranks_here = 2});
    ck_assert_bad(&found, HOST_CHECK_QUOTA, "0.25 cores of 2");
    remove_root();
}
END_TEST

START_TEST(a_quota_of_version_1_beside_version_2_is_found)
{
    static const char *const groups[] = {"4:cpu,cpuacct:/job\n0::/\n",
                                         "0::/\n4:cpuacct,cpu:/job\n"};
    static const char *const folders[] = {"sys/fs/cgroup/cpu", "sys/fs/cgroup/cpuacct,cpu"};

    for (size_t i = 0; i < 2; i++) {
        host_preflight found;
        char path[128];

        make_root();
        put("proc/self/cgroup", groups[i]);
        snprintf(path, sizeof(path), "%s/job/cpu.cfs_quota_us", folders[i]);
        put(path, "50000\n");
        snprintf(path, sizeof(path), "%s/job/cpu.cfs_period_us", folders[i]);
        put(path, "100000\n");
        found = check("Core:2 PU:1", NULL, &(host_preflight_of){.interface = "", .ranks_here = 2});
        ck_assert_bad(&found, HOST_CHECK_QUOTA, "0.5 cores of 2");
        remove_root();
    }
}
END_TEST

START_TEST(the_smaller_quota_of_both_versions_counts)
{
    host_preflight found;

    make_root();
    put("proc/self/cgroup", "4:cpuset:/other\n3:cpu:/job\n0::/user\n");
    put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "150000\n");
    put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    put("sys/fs/cgroup/unified/user/cpu.max", "25000 100000\n");
    found = check("Core:2 PU:1", NULL, &(host_preflight_of){.interface = "", .ranks_here = 2});
    ck_assert_bad(&found, HOST_CHECK_QUOTA, "0.25 cores of 2");
    put("proc/self/cgroup", "4:cpuset:/other\n");
    found = check("Core:2 PU:1", NULL, &(host_preflight_of){.interface = "", .ranks_here = 2});
    ck_assert_int_eq(found.verdicts[HOST_CHECK_QUOTA], HOST_UNKNOWN);
    remove_root();
}
END_TEST

START_TEST(the_interface_in_use_is_compared_with_the_host)
{
    const host_preflight_of slow = {.interface = "eth0", .ranks_here = 1};
    const host_preflight_of fast = {.interface = "eth1", .ranks_here = 1};
    host_preflight found;

    make_root();
    put_link("eth0", "1000\n", "1500\n", "-1\n");
    put_link("eth1", "25000\n", "1500\n", "1\n");
    found = check(two_nodes, "0-7", &slow);
    ck_assert_uint_eq(found.link_count, 2);
    ck_assert(found.links[0].in_use && !found.links[1].in_use);
    ck_assert_bad(&found, HOST_CHECK_SPEED, "eth0 has 1000 Mbit/s, and eth1 of this host 25000");
    ck_assert_int_eq(found.verdicts[HOST_CHECK_MTU], HOST_GOOD);
    ck_assert_int_eq(found.verdicts[HOST_CHECK_DUPLEX], HOST_GOOD);
    ck_assert_int_eq(found.verdicts[HOST_CHECK_LOCALITY], HOST_UNKNOWN);
    put("sys/class/net/eth1/duplex", "half\n");
    found = check(two_nodes, "0-7", &fast);
    ck_assert_int_eq(found.verdicts[HOST_CHECK_SPEED], HOST_GOOD);
    ck_assert_bad(&found, HOST_CHECK_MTU, "eth1 has packets of 1500 bytes at 25000 Mbit/s");
    ck_assert_bad(&found, HOST_CHECK_DUPLEX, "eth1 is half duplex");
    ck_assert_bad(&found, HOST_CHECK_LOCALITY, "NUMA node 1");
    remove_root();
}
END_TEST

UNIT_MAIN("network", counters_come_from_their_groups_interfaces_and_ports,
          what_a_host_does_not_have_is_absent, increases_name_the_interface_with_most_faults,
          a_host_without_facts_has_unknown_checks, governor_quota_and_threads_are_found,
          a_quota_of_version_1_is_found, a_quota_of_version_1_beside_version_2_is_found,
          the_smaller_quota_of_both_versions_counts, the_interface_in_use_is_compared_with_the_host)
