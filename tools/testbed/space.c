/* A testbed from start to end: two processes besides the command. The user starts the outer one,
 * which forwards signals and waits. The inner one is the first process of a PID namespace, so that
 * the kernel kills all others when it ends; it is killed when the outer one is. Mounts and the
 * hosts' networks exist only as long as these processes. */
#include "tools/testbed/testbed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"

#define HOST_LIST HOSTS_FOLDER "/hostfile"
#define HYDRA_LIST HOSTS_FOLDER "/hydra-hosts"
#define NAME_LIST HOSTS_FOLDER "/names"
#define AGENT_PATH HOSTS_FOLDER "/" TESTBED_AGENT
#define OWN_PATH HOSTS_FOLDER "/testbed"

enum { PATH_BYTES = 4096, CANNOT_START = 127, SIGNAL_BASE = 128 };

/* Data of the inner process. */
typedef struct {
    const testbed_settings *settings;
    char *const *command;
    const char *program;
    const sigset_t *handled, *before;
} inner_part;

static cb_status system_failed(const char *what)
{
    cb_error("%s: %s; the testbed needs root, with the right to make namespaces", what,
             strerror(errno));
    return errno == EPERM ? CB_ERROR_UNSUPPORTED : CB_ERROR_SYSTEM;
}

static cb_status preparation_failed(const char *what)
{
    cb_error("cannot prepare the testbed: %s: %s; it needs root with all rights to mount", what,
             strerror(errno));
    return CB_ERROR_SYSTEM;
}

/* The host list of one MPI library, or the names of all hosts; see HOST_LIST and its neighbours. */
typedef enum { LIST_OF_OPEN_MPI, LIST_OF_HYDRA, LIST_OF_NAMES } list_form;

static cb_status write_list(const char *path, list_form form, const testbed_settings *settings)
{
    FILE *file = fopen(path, "we");
    int failed;

    if (file == NULL)
        return preparation_failed(path);
    if (form == LIST_OF_NAMES)
        fputs("127.0.0.1 localhost\n", file);
    for (unsigned host = 0; host < settings->hosts; host++) {
        char name[HOST_NAME_BYTES], address[HOST_ADDRESS_BYTES];

        host_name(host, name);
        host_address(host, address);
        switch (form) {
        case LIST_OF_OPEN_MPI:
            fprintf(file, "%s slots=%" PRIu64 "\n", name, settings->slots);
            break;
        case LIST_OF_HYDRA:
            fprintf(file, "%s:%" PRIu64 "\n", name, settings->slots);
            break;
        case LIST_OF_NAMES:
            fprintf(file, "%s %s\n", address, name);
            break;
        }
    }
    failed = ferror(file);
    failed |= fclose(file);
    return failed != 0 ? preparation_failed(path) : CB_OK;
}

/* Environment by which Open MPI (OMPI_MCA_...) and MPICH (HYDRA_..., UCX_...) start and reach the
 * hosts, unless the user has set other values. UCX ignores host names and would use shared memory.
 * All hosts share the machine's cores, so ranks are not bound and yield while waiting. mpirun
 * detects an unreachable host after 2 min of silence (oob_tcp_keepalive_...) instead of 8; a
 * shorter time would end a job whose testbed was stopped for a while. */
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

/* In the testbed's first process: set up what all its hosts share and what is invisible outside (a
 * folder in memory, the list of processes, host names) and the environment by which MPI libraries
 * find the hosts. `program` is the path of this program. CB_ERROR_SYSTEM, logged. */
static cb_status prepare_surroundings(const testbed_settings *settings, const char *program)
{
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return preparation_failed("keep mounts to itself");
    if (mount("testbed", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") != 0)
        return preparation_failed("mount a /dev/shm of its own");
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        return preparation_failed("mount a /proc of its own");
    if (mkdir(HOSTS_FOLDER, 0755) != 0)
        return preparation_failed("make " HOSTS_FOLDER);
    CB_TRY(write_list(HOST_LIST, LIST_OF_OPEN_MPI, settings));
    CB_TRY(write_list(HYDRA_LIST, LIST_OF_HYDRA, settings));
    CB_TRY(write_list(NAME_LIST, LIST_OF_NAMES, settings));
    if (mount(NAME_LIST, "/etc/hosts", NULL, MS_BIND, NULL) != 0)
        return preparation_failed("replace /etc/hosts within the testbed");
    if (symlink(program, AGENT_PATH) != 0 || symlink(program, OWN_PATH) != 0)
        return preparation_failed("name itself in " HOSTS_FOLDER);
    for (size_t i = 0; i < sizeof(environment) / sizeof(environment[0]); i++)
        if (setenv(environment[i].name, environment[i].value, 0) != 0)
            return preparation_failed("set the environment of the command");
    return CB_OK;
}

/* In the child: execute the command on the first host. */
static void become_command(const inner_part *part)
{
    char first[HOST_NAME_BYTES];

    host_name(0, first);
    sigprocmask(SIG_SETMASK, part->before, NULL);
    if (host_enter(first) != CB_OK)
        _exit(CANNOT_START);
    execvp(part->command[0], part->command);
    cb_error("cannot start '%s': %s; see its path", part->command[0], strerror(errno));
    _exit(CANNOT_START);
}

static cb_status run_among_hosts(const inner_part *part, testbed_loop *loop, int *exit_status)
{
    const struct sched_param priority = {.sched_priority = 1};

    CB_TRY(orders_open(&loop->control));
    loop->signals = signalfd(-1, part->handled, SFD_NONBLOCK | SFD_CLOEXEC);
    if (loop->signals < 0)
        return system_failed("cannot watch signals");
    loop->command = fork();
    if (loop->command == 0)
        become_command(part);
    if (loop->command < 0)
        return system_failed("cannot start a process");
    /* Run the switch before the processes that it serves, also on a machine with few cores; without
     * the right to real-time priority it runs as they do. Children do not inherit it. */
    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority);
    prctl(PR_SET_TIMERSLACK, 1UL);
    return testbed_switch(loop, part->settings->statistics, exit_status);
}

static cb_status run_inside(const inner_part *part, int *exit_status)
{
    const testbed_settings *asked = part->settings;
    const switch_settings settings = {
        .ports = (unsigned)asked->hosts,
        .bits_per_s = asked->rate_bps,
        .leaf_ports = (unsigned)asked->leaf_hosts,
        .uplink_bits_per_s = asked->uplink_bps,
        .delay_ns = (uint64_t)(asked->delay_s * 1e9),
        .queue_bytes = asked->queue_bytes,
        .buffer_bytes = asked->buffer_bytes,
        .alpha = asked->alpha,
        .mark_bytes = asked->mark_bytes,
        .seed = asked->seed,
        .faults = {.loss = asked->loss_pct / 100,
                   .duplicate = asked->duplicate_pct / 100,
                   .reorder = asked->reorder_pct / 100,
                   .jitter_ns = (uint64_t)(asked->jitter_s * 1e9)},
    };
    network_switch hub;
    testbed_loop loop = {.hub = &hub, .control = -1, .signals = -1};
    cb_status status;

    CB_TRY(prepare_surroundings(asked, part->program));
    loop.cards = cb_allocate(settings.ports, sizeof(*loop.cards), "the hosts");
    if (loop.cards == NULL)
        return CB_ERROR_MEMORY;
    status = switch_open(&hub, &settings);
    if (status == CB_OK)
        status = hosts_create(asked, loop.cards);
    if (status == CB_OK)
        status = run_among_hosts(part, &loop, exit_status);
    switch_close(&hub);
    free(loop.cards);
    return status;
}

/* It is killed with the outer process; if that has already ended, its end of the pipe is closed. */
_Noreturn static void inner_process(const inner_part *part, int lifeline)
{
    struct pollfd outer = {.fd = lifeline};
    int exit_status = 0;
    cb_status status;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (poll(&outer, 1, 0) > 0)
        _exit(SIGNAL_BASE + SIGKILL);
    status = run_inside(part, &exit_status);
    exit(status == CB_OK ? exit_status : cb_status_exit(status));
}

/* A signal of the terminal reaches the command directly, and is not forwarded. */
static int wait_and_pass_on(pid_t inner, const sigset_t *handled)
{
    int how = 0;

    for (;;) {
        siginfo_t seen;
        int number = sigwaitinfo(handled, &seen);

        if (number == SIGCHLD && waitpid(inner, &how, WNOHANG) == inner)
            return WIFSIGNALED(how) ? SIGNAL_BASE + WTERMSIG(how) : WEXITSTATUS(how);
        if (number > 0 && number != SIGCHLD && seen.si_code != SI_KERNEL)
            kill(inner, number);
    }
}

cb_status testbed_run(const testbed_settings *settings, char *const *command, int *exit_status)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
    char program[PATH_BYTES];
    ssize_t bytes = readlink("/proc/self/exe", program, sizeof(program) - 1);
    sigset_t handled, before;
    const inner_part part = {.settings = settings,
                             .command = command,
                             .program = program,
                             .handled = &handled,
                             .before = &before};
    struct rlimit files;
    int lifeline[2];
    pid_t inner;

    if (bytes < 0)
        return system_failed("cannot find this program by /proc/self/exe");
    program[bytes] = '\0';
    sigemptyset(&handled);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaddset(&handled, numbers[i]);
    sigprocmask(SIG_BLOCK, &handled, &before);
    /* Raise the limit of open files to its maximum: each host needs one, and Open MPI several per
     * rank. */
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (pipe2(lifeline, O_CLOEXEC) != 0)
        return system_failed("cannot make a pipe");
    if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC) != 0)
        return system_failed("cannot make the namespaces of a testbed");
    fflush(NULL);
    inner = fork();
    if (inner < 0)
        return system_failed("cannot start a process");
    if (inner == 0) {
        close(lifeline[1]);
        inner_process(&part, lifeline[0]);
    }
    close(lifeline[0]);
    *exit_status = wait_and_pass_on(inner, &handled);
    return CB_OK;
}
