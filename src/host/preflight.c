/* Checks of one host. Files are read below a root folder, so that tests can make them. */
#include "host/preflight.h"

#include <dirent.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/internal.h"

_Static_assert(HOST_INTERFACE_BYTES == IF_NAMESIZE, "names of interfaces have another size");

const char *const host_verdict_names[] = {
    [HOST_UNKNOWN] = "unknown", [HOST_GOOD] = "good", [HOST_BAD] = "bad"};

const char *const host_check_names[HOST_CHECKS] = {
    [HOST_CHECK_GOVERNOR] = "governor", [HOST_CHECK_QUOTA] = "quota",
    [HOST_CHECK_THREADS] = "threads",   [HOST_CHECK_SPEED] = "speed",
    [HOST_CHECK_DUPLEX] = "duplex",     [HOST_CHECK_MTU] = "mtu",
    [HOST_CHECK_LOCALITY] = "locality",
};

const char *const host_remedies[HOST_CHECKS] = {
    [HOST_CHECK_GOVERNOR] = "set it with: cpupower frequency-set --governor performance",
    [HOST_CHECK_QUOTA] = "run outside of the control group, or raise its cpu.max (version 1: "
                         "cpu.cfs_quota_us)",
    [HOST_CHECK_THREADS] = "start fewer ranks, one for each core, and bind them: mpirun --bind-to "
                           "core",
    [HOST_CHECK_SPEED] =
        "choose another --interface, or check its cable and the port of the switch",
    [HOST_CHECK_DUPLEX] = "turn on autonegotiation at both ends of the cable",
    [HOST_CHECK_MTU] =
        "if the switches carry larger packets: ip link set dev NAME mtu 9000, on all "
        "hosts alike",
    [HOST_CHECK_LOCALITY] = "bind the ranks to cores of that node, or choose another --interface",
};

static void decide(host_preflight *out, host_check check, bool is_good)
{
    out->verdicts[check] = is_good ? HOST_GOOD : HOST_BAD;
    if (is_good)
        out->found[check][0] = '\0';
}

static void check_governor(const host_environment *environment, host_preflight *out)
{
    if (environment->governor[0] == '\0')
        return;
    snprintf(out->found[HOST_CHECK_GOVERNOR], HOST_TEXT,
             "the clock frequency has the governor %.64s", environment->governor);
    decide(out, HOST_CHECK_GOVERNOR, strcmp(environment->governor, "performance") == 0);
}

/* Cores */

static bool read_number(const char *root, const char *path, double *out)
{
    char text[64], *end;

    if (!host_read_text(root, path, text, sizeof(text)))
        return false;
    *out = strtod(text, &end);
    return end != text;
}

/* The cores that the control group in `folder` allows; 0: no limit known. "max 100000" or "25000
 * 100000" of version 2, two files of version 1. */
static double cores_allowed(const char *root, const char *folder)
{
    char file[2 * HOST_FILE_BYTES], text[64], *end;
    double quota_us, period_us;

    snprintf(file, sizeof(file), "%s/cpu.max", folder);
    if (host_read_text(root, file, text, sizeof(text))) {
        quota_us = strtod(text, &end);
        period_us = end != text ? strtod(end, NULL) : 0;
        return period_us > 0 ? quota_us / period_us : 0;
    }
    snprintf(file, sizeof(file), "%s/cpu.cfs_quota_us", folder);
    if (!read_number(root, file, &quota_us) || quota_us <= 0)
        return 0;
    snprintf(file, sizeof(file), "%s/cpu.cfs_period_us", folder);
    return read_number(root, file, &period_us) && period_us > 0 ? quota_us / period_us : 0;
}

static double smaller_limit(double one, double other)
{
    return one <= 0 || (other > 0 && other < one) ? other : one;
}

/* The smallest limit of a group and of those around it. In a container the group's own path is not
 * below its root, which then has the limit. */
static double least_around(const char *root, const char *mount, const char *group)
{
    char folder[HOST_FILE_BYTES + 64];
    const size_t top = strlen(mount);
    double least = 0;

    snprintf(folder, sizeof(folder), "%s%s", mount, strcmp(group, "/") == 0 ? "" : group);
    for (;;) {
        least = smaller_limit(least, cores_allowed(root, folder));
        if (strlen(folder) <= top)
            return least;
        *strrchr(folder, '/') = '\0';
    }
}

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);

    while (strncmp(list, word, length) != 0 || (list[length] != ',' && list[length] != '\0')) {
        list += strcspn(list, ",");
        if (*list++ == '\0')
            return false;
    }
    return true;
}

/* Lower *least to the limit of a line of /proc/self/cgroup: of version 2 "0::/path", of version 1
 * "4:cpu,cpuacct:/path". False: the line is about something else. */
static bool heed_line(const char *root, char *line, double *least)
{
    char *controllers = strchr(line, ':'), *group;
    char mounts[2][HOST_TEXT] = {"sys/fs/cgroup", "sys/fs/cgroup/unified"};

    if (controllers == NULL || (group = strchr(controllers + 1, ':')) == NULL || group[1] != '/')
        return false;
    *group++ = '\0';
    if (*++controllers != '\0') {
        if (!has_word(controllers, "cpu"))
            return false;
        snprintf(mounts[0], sizeof(mounts[0]), "sys/fs/cgroup/cpu");
        snprintf(mounts[1], sizeof(mounts[1]), "sys/fs/cgroup/%s", controllers);
    }
    for (size_t i = 0; i < 2; i++)
        *least = smaller_limit(*least, least_around(root, mounts[i], group));
    return true;
}

/* A process has a group of version 2 and one of version 1 for each controller. */
static void check_quota(const char *root, unsigned usable_cores, host_preflight *out)
{
    char text[HOST_FILE_BYTES], *rest = NULL;
    double least = 0;
    bool is_known = false;

    (void)host_read_text(root, "proc/self/cgroup", text, sizeof(text));
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        is_known = heed_line(root, line, &least) || is_known;
    if (!is_known)
        return;
    snprintf(out->found[HOST_CHECK_QUOTA], HOST_TEXT,
             "the control group allows %.3g cores of %u, and stops all its threads when they are "
             "used up",
             least, usable_cores);
    decide(out, HOST_CHECK_QUOTA, least <= 0 || least >= usable_cores);
}

static void check_threads(const host_environment *environment, size_t ranks, host_preflight *out)
{
    const unsigned long long threads = environment->hardware_threads, cores = environment->cores;

    if (threads == 0 || cores == 0)
        return;
    snprintf(out->found[HOST_CHECK_THREADS], HOST_TEXT,
             "%zu ranks share %llu cores of %llu hardware threads", ranks, cores, threads);
    decide(out, HOST_CHECK_THREADS, threads == cores || ranks <= cores);
}

/* Interfaces */

static void read_link(const char *root, const char *name, host_link *out)
{
    char path[512], text[64];
    double number;

    *out = (host_link){.numa_node = -1};
    snprintf(out->name, sizeof(out->name), "%.*s", HOST_INTERFACE_BYTES - 1, name);
    snprintf(path, sizeof(path), "sys/class/net/%.64s/speed", name);
    if (read_number(root, path, &number) && number > 0)
        out->speed_Mbps = (uint64_t)number;
    snprintf(path, sizeof(path), "sys/class/net/%.64s/mtu", name);
    if (read_number(root, path, &number) && number > 0)
        out->mtu_bytes = (uint64_t)number;
    snprintf(path, sizeof(path), "sys/class/net/%.64s/duplex", name);
    if (host_read_text(root, path, text, sizeof(text)))
        host_fit_text(text, out->duplex, sizeof(out->duplex));
    snprintf(path, sizeof(path), "sys/class/net/%.64s/device/numa_node", name);
    if (read_number(root, path, &number))
        out->numa_node = (int)number;
}

static int is_interface(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "lo") != 0 &&
           strlen(entry->d_name) < HOST_INTERFACE_BYTES;
}

/* In a container /sys may show the interfaces of another network namespace. */
static bool is_of_this_namespace(const char *root, const char *name)
{
    char path[512];
    double index;

    if (root[0] != '\0')
        return true;
    snprintf(path, sizeof(path), "sys/class/net/%.64s/ifindex", name);
    return read_number(root, path, &index) && (unsigned)index == if_nametoindex(name);
}

/* The interface in use is always among them. */
static void read_links(const char *root, const char *in_use, host_preflight *out)
{
    char path[512], text[64];
    struct dirent **found;
    int count;

    snprintf(path, sizeof(path), "%.400s/sys/class/net", root);
    count = scandir(path, &found, is_interface, versionsort);
    for (int i = 0; i < count; i++) {
        const bool is_used = strcmp(found[i]->d_name, in_use) == 0;
        const size_t last = HOST_LINKS - 1;

        if (!is_of_this_namespace(root, found[i]->d_name)) {
            free(found[i]);
            continue;
        }
        snprintf(path, sizeof(path), "sys/class/net/%.64s/operstate", found[i]->d_name);
        if (is_used ||
            (out->link_count < HOST_LINKS && host_read_text(root, path, text, sizeof(text)) &&
             strncmp(text, "up", 2) == 0)) {
            host_link *link = &out->links[out->link_count < HOST_LINKS ? out->link_count++ : last];

            read_link(root, found[i]->d_name, link);
            link->in_use = is_used;
        }
        free(found[i]);
    }
    if (count >= 0)
        free(found);
}

/* Where /sys does not show the interface in use: what the kernel tells about it on request. */
static void ask_for_link(const char *name, host_preflight *out)
{
    struct ifreq request = {0};
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
    if (fd >= 0 && ioctl(fd, SIOCGIFMTU, &request) == 0) {
        host_link *link = &out->links[out->link_count++];

        *link =
            (host_link){.numa_node = -1, .in_use = true, .mtu_bytes = (uint64_t)request.ifr_mtu};
        memcpy(link->name, request.ifr_name, sizeof(link->name));
    }
    if (fd >= 0)
        close(fd);
}

static bool is_link_in_use_known(const host_preflight *found)
{
    for (size_t i = 0; i < found->link_count; i++)
        if (found->links[i].in_use)
            return true;
    return false;
}

static void check_speed(const host_link *link, host_preflight *out)
{
    const host_link *fastest = link;

    if (link->speed_Mbps == 0)
        return;
    for (size_t i = 0; i < out->link_count; i++)
        if (out->links[i].speed_Mbps > fastest->speed_Mbps)
            fastest = &out->links[i];
    snprintf(out->found[HOST_CHECK_SPEED], HOST_TEXT,
             "%s has %llu Mbit/s, and %s of this host %llu", link->name,
             (unsigned long long)link->speed_Mbps, fastest->name,
             (unsigned long long)fastest->speed_Mbps);
    decide(out, HOST_CHECK_SPEED, fastest == link);
}

static void check_duplex(const host_link *link, host_preflight *out)
{
    if (link->duplex[0] == '\0' || strcmp(link->duplex, "unknown") == 0)
        return;
    snprintf(out->found[HOST_CHECK_DUPLEX], HOST_TEXT, "%s is %s duplex", link->name, link->duplex);
    decide(out, HOST_CHECK_DUPLEX, strcmp(link->duplex, "full") == 0);
}

/* From 10 Gbit/s on a host has trouble to send packets of 1500 bytes as fast as the cable. */
static void check_mtu(const host_link *link, host_preflight *out)
{
    const uint64_t fast_Mbps = 10000, usual_bytes = 1500;

    if (link->mtu_bytes == 0 || link->speed_Mbps == 0)
        return;
    snprintf(out->found[HOST_CHECK_MTU], HOST_TEXT, "%s has packets of %llu bytes at %llu Mbit/s",
             link->name, (unsigned long long)link->mtu_bytes, (unsigned long long)link->speed_Mbps);
    decide(out, HOST_CHECK_MTU, link->mtu_bytes > usual_bytes || link->speed_Mbps < fast_Mbps);
}

/* Whether all cores that this process may use belong to the interface's NUMA node. */
static void check_locality(const host *machine, const host_link *link, host_preflight *out)
{
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    hwloc_obj_t node = NULL;

    while (link->numa_node >= 0 &&
           (node = hwloc_get_next_obj_by_type(machine->topology, HWLOC_OBJ_NUMANODE, node)) !=
               NULL &&
           node->os_index != (unsigned)link->numa_node)
        continue;
    if (bound == NULL || node == NULL ||
        hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_NUMANODE) < 2 ||
        (hwloc_get_cpubind(machine->topology, bound, HWLOC_CPUBIND_THREAD) != 0 &&
         hwloc_bitmap_copy(bound, machine->usable) != 0)) {
        hwloc_bitmap_free(bound);
        return;
    }
    snprintf(out->found[HOST_CHECK_LOCALITY], HOST_TEXT,
             "%s is at NUMA node %d, and ranks may run on cores of other nodes", link->name,
             link->numa_node);
    decide(out, HOST_CHECK_LOCALITY, hwloc_bitmap_isincluded(bound, node->cpuset) != 0);
    hwloc_bitmap_free(bound);
}

void host_check_below(const host *machine, const char *root, const host_preflight_of *of,
                      host_preflight *out)
{
    host_environment environment;

    memset(out, 0, sizeof(*out));
    host_capture_below(machine, root, &environment);
    check_governor(&environment, out);
    check_quota(root, host_usable_cores(machine), out);
    check_threads(&environment, of->ranks_here, out);
    read_links(root, of->interface, out);
    if (root[0] == '\0' && of->interface[0] != '\0' && strcmp(of->interface, "lo") != 0 &&
        !is_link_in_use_known(out) && out->link_count < HOST_LINKS)
        ask_for_link(of->interface, out);
    for (size_t i = 0; i < out->link_count; i++)
        if (out->links[i].in_use) {
            check_speed(&out->links[i], out);
            check_duplex(&out->links[i], out);
            check_mtu(&out->links[i], out);
            check_locality(machine, &out->links[i], out);
        }
}

void host_check_all(const host *machine, const host_preflight_of *of, host_preflight *out)
{
    host_check_below(machine, "", of, out);
}
