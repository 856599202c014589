/* What the hosts of a testbed share, and what is not visible outside: a folder in memory, the list
 * of processes, the names of the hosts; and the settings by which MPI libraries run over them. */
#include "tools/testbed/testbed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "tools/testbed/hosts.h"

#define HOST_LIST HOSTS_FOLDER "/hostfile"
#define HYDRA_LIST HOSTS_FOLDER "/hydra-hosts"
#define NAME_LIST HOSTS_FOLDER "/names"
#define AGENT_PATH HOSTS_FOLDER "/" TESTBED_AGENT
#define OWN_PATH HOSTS_FOLDER "/testbed"

static cb_status system_failed(const char *what)
{
    cb_error("cannot prepare the testbed: %s: %s; it needs root with all rights to mount", what,
             strerror(errno));
    return CB_ERROR_SYSTEM;
}

typedef void (*host_line)(FILE *file, unsigned host, uint64_t slots);

static void open_mpi_line(FILE *file, unsigned host, uint64_t slots)
{
    char name[HOST_NAME_BYTES];

    host_name(host, name);
    fprintf(file, "%s slots=%" PRIu64 "\n", name, slots);
}

static void hydra_line(FILE *file, unsigned host, uint64_t slots)
{
    char name[HOST_NAME_BYTES];

    host_name(host, name);
    fprintf(file, "%s:%" PRIu64 "\n", name, slots);
}

static void name_line(FILE *file, unsigned host, uint64_t slots)
{
    char name[HOST_NAME_BYTES], address[HOST_ADDRESS_BYTES];

    (void)slots;
    host_name(host, name);
    host_address(host, address);
    fprintf(file, "%s %s\n", address, name);
}

static cb_status write_list(const char *path, const char *head, host_line line,
                            const testbed_settings *settings)
{
    FILE *file = fopen(path, "we");
    int failed;

    if (file == NULL)
        return system_failed(path);
    fputs(head, file);
    for (unsigned host = 0; host < settings->hosts; host++)
        line(file, host, settings->slots);
    failed = ferror(file);
    failed |= fclose(file);
    return failed != 0 ? system_failed(path) : CB_OK;
}

/* Open MPI (OMPI_MCA_...) and MPICH (HYDRA_..., UCX_...) start and reach the hosts by these, unless
 * the user has set others. UCX ignores the names of hosts, and would use shared memory. All hosts
 * share the machine's cores: no rank is bound, and a rank that waits yields. mpirun notices that a
 * host is cut off after 2 min of silence (oob_tcp_keepalive_...), instead of 8; a shorter time
 * would end a job whose testbed was stopped for a while. */
static const struct {
    const char *name, *value;
} environment[] = {
    {"CB_TESTBED", OWN_PATH},
    {"OMPI_MCA_plm_rsh_agent", AGENT_PATH},
    {"OMPI_MCA_orte_default_hostfile", HOST_LIST},
    {"OMPI_MCA_orte_tmpdir_base", HOSTS_FOLDER},
    {"OMPI_MCA_oob_tcp_if_include", HOSTS_NETWORK},
    {"OMPI_MCA_oob_tcp_keepalive_time", "60"},
    {"OMPI_MCA_oob_tcp_keepalive_intvl", "5"},
    {"OMPI_MCA_oob_tcp_keepalive_probes", "12"},
    {"OMPI_MCA_btl_tcp_if_include", HOSTS_NETWORK},
    {"OMPI_MCA_pml", "ob1"},
    {"OMPI_MCA_btl", "tcp,self"},
    {"OMPI_MCA_mpi_yield_when_idle", "1"},
    {"OMPI_MCA_hwloc_base_binding_policy", "none"},
    {"HYDRA_LAUNCHER", "rsh"},
    {"HYDRA_LAUNCHER_EXEC", AGENT_PATH},
    {"HYDRA_HOST_FILE", HYDRA_LIST},
    {"HYDRA_IFACE", "eth0"},
    {"UCX_TLS", "tcp,self"},
    {"UCX_NET_DEVICES", "eth0"},
};

cb_status testbed_surround(const testbed_settings *settings, const char *program)
{
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return system_failed("keep mounts to itself");
    if (mount("testbed", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") != 0)
        return system_failed("mount a /dev/shm of its own");
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        return system_failed("mount a /proc of its own");
    if (mkdir(HOSTS_FOLDER, 0755) != 0)
        return system_failed("make " HOSTS_FOLDER);
    CB_TRY(write_list(HOST_LIST, "", open_mpi_line, settings));
    CB_TRY(write_list(HYDRA_LIST, "", hydra_line, settings));
    CB_TRY(write_list(NAME_LIST, "127.0.0.1 localhost\n", name_line, settings));
    if (mount(NAME_LIST, "/etc/hosts", NULL, MS_BIND, NULL) != 0)
        return system_failed("replace /etc/hosts within the testbed");
    if (symlink(program, AGENT_PATH) != 0 || symlink(program, OWN_PATH) != 0)
        return system_failed("name itself in " HOSTS_FOLDER);
    for (size_t i = 0; i < sizeof(environment) / sizeof(environment[0]); i++)
        if (setenv(environment[i].name, environment[i].value, 0) != 0)
            return system_failed("set the environment of the command");
    return CB_OK;
}
