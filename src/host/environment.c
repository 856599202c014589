/* The description of the host in a result: system, processor, topology, memory, the settings that
 * affect communication figures, and how much core time others take. Unknown values are omitted;
 * they are not an error. Texts of the operating system are fitted into fixed fields: one line of
 * ASCII, ending in "..." if cut. */
#include "host/internal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const char dots[] = "...";

bool host_read_text(const char *root, const char *path, char *text, size_t bytes)
{
    char full_path[PATH_MAX];
    int file, path_length;
    size_t length = 0;
    ssize_t piece;

    text[0] = '\0';
    path_length = snprintf(full_path, sizeof(full_path), "%s/%s", root, path);
    if (path_length < 0 || (size_t)path_length >= sizeof(full_path))
        return false;
    file = open(full_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    if (file < 0)
        return false;
    /* Files in /proc may be read in several pieces. */
    while (length < bytes - 1 && (piece = read(file, text + length, bytes - 1 - length)) > 0)
        length += (size_t)piece;
    close(file);
    text[length] = '\0';
    for (size_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)text[i]) && !isspace((unsigned char)text[i]))
            text[0] = '\0';
    return text[0] != '\0';
}

bool host_find_value(const char *text, const char *key, char separator, char *value, size_t bytes)
{
    const size_t key_length = strlen(key);

    value[0] = '\0';
    for (const char *line = text; *line != '\0'; line += strspn(line, "\n")) {
        const char *end = line + strcspn(line, "\n");

        if (strncmp(line, key, key_length) == 0) {
            const char *at = line + key_length + strspn(line + key_length, " \t");

            if (*at == separator) {
                snprintf(value, bytes, "%.*s", (int)(end - at - 1), at + 1);
                return true;
            }
        }
        line = end;
    }
    return false;
}

void host_end_in_dots(char *text, size_t bytes, char separator)
{
    char *end;

    if (bytes < sizeof(dots))
        return;
    end = text + bytes - sizeof(dots);
    *end = '\0';
    if (strrchr(text, separator) != NULL)
        end = strrchr(text, separator) + 1;
    memcpy(end, dots, sizeof(dots));
}

static bool is_blank(char byte)
{
    return isspace((unsigned char)byte) != 0;
}

void host_fit_text(const char *text, char *fitted, size_t bytes)
{
    const char *end = text + strlen(text);
    size_t length = 0;

    while (end > text && is_blank(end[-1]))
        end--;
    for (; text < end && length + 1 < bytes; text++) {
        if (is_blank(*text)) {
            if (length > 0 && fitted[length - 1] != ' ')
                fitted[length++] = ' ';
        } else
            fitted[length++] =
                isascii((unsigned char)*text) && isgraph((unsigned char)*text) ? *text : '?';
    }
    fitted[length] = '\0';
    if (text < end)
        host_end_in_dots(fitted, bytes, ' ');
}

/* "always [madvise] never" becomes "madvise": the kernel puts the current setting in brackets. */
static void keep_bracketed(char *text)
{
    char *begin = strchr(text, '[');
    char *end = begin == NULL ? NULL : strchr(begin, ']');

    if (end == NULL)
        return;
    *end = '\0';
    memmove(text, begin + 1, (size_t)(end - begin));
}

/* Words of the kernel's command line about disk and console, which do not affect speed. Without
 * them, the words that do (isolcpus, nohz_full, mitigations, idle) fit the field. */
static bool is_about_booting(const char *word)
{
    static const char *const beginnings[] = {
        "BOOT_IMAGE=", "root=", "initrd=",      "rootfstype=",  "rootflags=", "console=",
        "resume=",     "rd.",   "crashkernel=", "net.ifnames=", "cloud-init"};
    static const char *const words[] = {"ro", "rw", "quiet", "splash", "rhgb"};

    for (size_t i = 0; i < ROWS(beginnings); i++)
        if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    for (size_t i = 0; i < ROWS(words); i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* In place, since the result is not longer. Words after "--" are for the first process, not the
 * kernel. */
static void keep_kernel_words(char *text)
{
    char *kept = text, *rest = NULL;

    for (char *word = strtok_r(text, " \t\n", &rest); word != NULL && strcmp(word, "--") != 0;
         word = strtok_r(NULL, " \t\n", &rest)) {
        size_t length = strlen(word);

        if (is_about_booting(word))
            continue;
        if (kept > text)
            *kept++ = ' ';
        memmove(kept, word, length);
        kept += length;
    }
    *kept = '\0';
}

typedef struct {
    const char *key;
    const char *path;
    void (*tidy)(char *text); /* NULL: the file's text unchanged */
} tuning_source;

static const tuning_source tuning_sources[] = {
    {"net.core.rmem_max", "proc/sys/net/core/rmem_max", NULL},
    {"net.core.wmem_max", "proc/sys/net/core/wmem_max", NULL},
    {"net.core.netdev_max_backlog", "proc/sys/net/core/netdev_max_backlog", NULL},
    {"net.core.busy_poll", "proc/sys/net/core/busy_poll", NULL},
    {"net.ipv4.tcp_congestion_control", "proc/sys/net/ipv4/tcp_congestion_control", NULL},
    {"net.ipv4.tcp_rmem", "proc/sys/net/ipv4/tcp_rmem", NULL},
    {"net.ipv4.tcp_wmem", "proc/sys/net/ipv4/tcp_wmem", NULL},
    {"kernel.version", "proc/sys/kernel/version", NULL},
    {"kernel.sched_autogroup_enabled", "proc/sys/kernel/sched_autogroup_enabled", NULL},
    {"kernel.numa_balancing", "proc/sys/kernel/numa_balancing", NULL},
    {"kernel.yama.ptrace_scope", "proc/sys/kernel/yama/ptrace_scope", NULL},
    {"kernel.randomize_va_space", "proc/sys/kernel/randomize_va_space", NULL},
    {"vm.swappiness", "proc/sys/vm/swappiness", NULL},
    {"vm.nr_hugepages", "proc/sys/vm/nr_hugepages", NULL},
    {"transparent_hugepage", "sys/kernel/mm/transparent_hugepage/enabled", keep_bracketed},
    {"clocksource", "sys/devices/system/clocksource/clocksource0/current_clocksource", NULL},
    {"cpu.smt", "sys/devices/system/cpu/smt/control", NULL},
    {"cpu.isolated", "sys/devices/system/cpu/isolated", NULL},
    {"cpufreq.driver", "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", NULL},
    {"cpufreq.boost", "sys/devices/system/cpu/cpufreq/boost", NULL},
    {"intel_pstate.no_turbo", "sys/devices/system/cpu/intel_pstate/no_turbo", NULL},
    {"cpuidle.governor", "sys/devices/system/cpu/cpuidle/current_governor", NULL},
    {"cgroup.cpu.max", "sys/fs/cgroup/cpu.max", NULL},
    {"kernel.command_line", "proc/cmdline", keep_kernel_words},
};
_Static_assert(ROWS(tuning_sources) <= HOST_TUNINGS, "host_environment has too few tunings");

static void capture_tunings(const char *root, host_environment *out)
{
    char text[HOST_FILE_BYTES];

    for (size_t i = 0; i < ROWS(tuning_sources); i++) {
        const tuning_source *source = &tuning_sources[i];
        size_t next = out->tuning_count;

        if (!host_read_text(root, source->path, text, sizeof(text)))
            continue;
        if (source->tidy != NULL)
            source->tidy(text);
        host_fit_text(text, out->tuning[next].value, sizeof(out->tuning[next].value));
        if (out->tuning[next].value[0] == '\0')
            continue;
        host_fit_text(source->key, out->tuning[next].key, sizeof(out->tuning[next].key));
        out->tuning_count++;
    }
}

/* os-release has shell syntax: a value may be quoted, with backslashes before some bytes. */
static void unquote(char *text)
{
    char quote = text[0] == '"' || text[0] == '\'' ? text[0] : '\0';
    char *to = text;

    for (const char *from = quote == '\0' ? text : text + 1; *from != '\0' && *from != quote;
         from++) {
        if (*from == '\\' && quote != '\'' && from[1] != '\0')
            from++;
        *to++ = *from;
    }
    *to = '\0';
}

static void capture_os(const char *root, char *os)
{
    static const char *const paths[] = {"etc/os-release", "usr/lib/os-release"};
    static const char *const keys[] = {"PRETTY_NAME", "NAME"};
    char text[HOST_FILE_BYTES], value[HOST_FILE_BYTES];

    for (size_t i = 0; i < ROWS(paths) && os[0] == '\0'; i++) {
        if (!host_read_text(root, paths[i], text, sizeof(text)))
            continue;
        for (size_t k = 0; k < ROWS(keys) && os[0] == '\0'; k++)
            if (host_find_value(text, keys[k], '=', value, sizeof(value))) {
                unquote(value);
                host_fit_text(value, os, HOST_TEXT);
            }
    }
}

static void capture_kernel(host_environment *out)
{
    struct utsname system;
    char text[sizeof(system)];

    if (uname(&system) != 0)
        return;
    host_fit_text(system.nodename, out->name, sizeof(out->name));
    snprintf(text, sizeof(text), "%s %s %s", system.sysname, system.release, system.machine);
    host_fit_text(text, out->kernel, sizeof(out->kernel));
}

/* From /proc/cpuinfo if hwloc knows no model: architectures name the line differently. */
static void capture_cpu(hwloc_topology_t topology, const char *root, char *cpu)
{
    static const char *const keys[] = {"model name", "cpu model", "cpu", "Processor", "Hardware"};
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    hwloc_obj_t holder = package == NULL ? hwloc_get_root_obj(topology) : package;
    const char *model = hwloc_obj_get_info_by_name(holder, "CPUModel");
    char text[HOST_FILE_BYTES], value[HOST_FILE_BYTES];

    if (model != NULL)
        host_fit_text(model, cpu, HOST_TEXT);
    if (cpu[0] != '\0' || !host_read_text(root, "proc/cpuinfo", text, sizeof(text)))
        return;
    for (size_t k = 0; k < ROWS(keys) && cpu[0] == '\0'; k++)
        if (host_find_value(text, keys[k], ':', value, sizeof(value)))
            host_fit_text(value, cpu, HOST_TEXT);
}

static uint64_t count_objects(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int count = hwloc_get_nbobjs_by_type(topology, type);

    return count > 0 ? (uint64_t)count : 0;
}

static uint64_t cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t level)
{
    hwloc_obj_t cache = hwloc_get_obj_by_type(topology, level, 0);

    return cache == NULL ? 0 : cache->attr->cache.size;
}

/* hwloc describes symmetric machines only, and the description may be longer than the field. */
static bool export_description(hwloc_topology_t topology, unsigned long flags, char *text,
                               size_t bytes)
{
    int length = hwloc_topology_export_synthetic(topology, text, bytes, flags);

    return length > 0 && (size_t)length < bytes;
}

static void capture_topology(const host *machine, host_environment *out)
{
    hwloc_topology_t topology = machine->topology;

    out->cores = count_objects(topology, machine->core);
    out->hardware_threads = count_objects(topology, HWLOC_OBJ_PU);
    out->numa_nodes = count_objects(topology, HWLOC_OBJ_NUMANODE);
    out->l1d_bytes = cache_bytes(topology, HWLOC_OBJ_L1CACHE);
    out->l2_bytes = cache_bytes(topology, HWLOC_OBJ_L2CACHE);
    out->l3_bytes = cache_bytes(topology, HWLOC_OBJ_L3CACHE);
    if (!export_description(topology, 0, out->topology, sizeof(out->topology)) &&
        !export_description(topology, HWLOC_TOPOLOGY_EXPORT_SYNTHETIC_FLAG_NO_ATTRS, out->topology,
                            sizeof(out->topology)))
        snprintf(out->topology, sizeof(out->topology),
                 "%llu packages, %llu NUMA nodes, %llu cores, %llu hardware threads",
                 (unsigned long long)count_objects(topology, HWLOC_OBJ_PACKAGE),
                 (unsigned long long)out->numa_nodes, (unsigned long long)out->cores,
                 (unsigned long long)out->hardware_threads);
}

static uint64_t memory_MB(const char *root)
{
    char text[HOST_FILE_BYTES], value[HOST_FILE_BYTES];
    unsigned long long kibibytes;

    if (!host_read_text(root, "proc/meminfo", text, sizeof(text)) ||
        !host_find_value(text, "MemTotal", ':', value, sizeof(value)))
        return 0;
    errno = 0;
    kibibytes = strtoull(value, NULL, 10);
    if (errno != 0 || kibibytes > UINT64_MAX / 1024)
        return 0;
    return kibibytes * 1024 / 1000000;
}

static int is_cpu_folder(const struct dirent *entry)
{
    return strncmp(entry->d_name, "cpu", 3) == 0 && isdigit((unsigned char)entry->d_name[3]);
}

/* The governors of all cores, each once. The kernel has six; a name that does not fit is left out.
 */
static void capture_governor(const char *root, char *governor)
{
    char path[HOST_FILE_BYTES], text[HOST_FILE_BYTES], names[8][32], list[sizeof(names)] = "";
    size_t known = 0, length = 0;
    struct dirent **cpus;
    int count;

    snprintf(path, sizeof(path), "%s/sys/devices/system/cpu", root);
    count = scandir(path, &cpus, is_cpu_folder, versionsort);
    for (int i = 0; i < count; i++) {
        char name[sizeof(names[0])] = "";
        size_t k = 0;

        snprintf(path, sizeof(path), "sys/devices/system/cpu/%s/cpufreq/scaling_governor",
                 cpus[i]->d_name);
        if (host_read_text(root, path, text, sizeof(text)))
            host_fit_text(text, name, sizeof(name));
        while (k < known && strcmp(names[k], name) != 0)
            k++;
        if (name[0] != '\0' && k == known && known < ROWS(names)) {
            memcpy(names[known++], name, sizeof(name));
            length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s",
                                       known == 1 ? "" : ",", name);
        }
        free(cpus[i]);
    }
    if (count >= 0)
        free(cpus);
    host_fit_text(list, governor, HOST_TEXT);
}

void host_capture_below(const host *machine, const char *root, host_environment *out)
{
    memset(out, 0, sizeof(*out));
    capture_kernel(out);
    capture_os(root, out->os);
    capture_cpu(machine->topology, root, out->cpu);
    capture_topology(machine, out);
    capture_governor(root, out->governor);
    out->memory_MB = memory_MB(root);
    capture_tunings(root, out);
}

void host_capture(const host *machine, host_environment *out)
{
    host_capture_below(machine, "", out);
}

void host_kernel_id_below(const char *root, char text[HOST_TEXT])
{
    char found[HOST_FILE_BYTES];

    (void)host_read_text(root, "/proc/sys/kernel/random/boot_id", found, sizeof(found));
    host_fit_text(found, text, HOST_TEXT);
}

void host_kernel_id(char text[HOST_TEXT])
{
    host_kernel_id_below("", text);
}

static const double ns_per_us = 1e3;
static const double ns_per_ms = 1e6;

host_noise host_gaps_result(const host_gaps *gaps)
{
    double duration_ns = (double)(gaps->last_ns - gaps->first_ns);

    return (host_noise){
        .quantum_us = HOST_NOISE_QUANTUM_NS / ns_per_us,
        .stolen_pct = duration_ns > 0 ? 100 * (double)gaps->stolen_ns / duration_ns : 0,
        .longest_us = (double)gaps->longest_ns / ns_per_us,
        .duration_ms = duration_ns / ns_per_ms,
    };
}

/* A gap between two readings above the quantum means that the core was taken from this thread: by
 * an interrupt, the kernel, the hypervisor, or another process. */
host_noise host_probe_noise(unsigned duration_ms)
{
    uint64_t duration_ns = (uint64_t)duration_ms * 1000000u;
    host_gaps gaps;

    (void)cb_now_ns(); /* the first reading may cause a page fault, which is not noise */
    gaps = host_gaps_begin(cb_now_ns());
    do {
        host_gaps_add(&gaps, cb_now_ns());
    } while (gaps.last_ns - gaps.first_ns < duration_ns);
    return host_gaps_result(&gaps);
}
