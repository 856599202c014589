/* combench-testbed: options and command. Under the name `agent` it is the program with which MPI
 * libraries start commands on a host, in place of rsh. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "tools/testbed/testbed.h"

enum { SHELL_BYTES = 1 << 17 };

#define FIELD(name) offsetof(testbed_settings, name)

static const char *const exit_statuses[] = {
    "0",   "The command's own status; 128 plus the signal number if a signal ended it.",
    "1",   "A system call failed.",
    "2",   "An option or an order is wrong.",
    "77",  "A testbed is not possible here: it needs root, namespaces and TUN in the kernel.",
    "127", "The command cannot be started.",
    NULL,
};

/* clang-format off */
static const cb_option rows[] = {
    {.name = "hosts",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(hosts),
     .argument = "N",
     .default_text = "4",
     .minimum = 1,
     .maximum = HOSTS_MAXIMUM,
     .help = "Number of hosts",
     .more = "They are host01, host02 and so on, with addresses from 10.77.0.1."},
    {.name = "slots",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(slots),
     .argument = "N",
     .default_text = "1",
     .minimum = 1,
     .maximum = 1024,
     .help = "Ranks that an MPI launcher puts on each host"},
    {.name = "rate",
     .type = CB_OPTION_REAL,
     .offset = FIELD(rate_bps),
     .argument = "RATE",
     .minimum = 1000,
     .maximum = 1e12,
     .unit = "bit/s",
     .help = "Rate of each host's cable, each way; default no limit"},
    {.name = "delay",
     .type = CB_OPTION_REAL,
     .offset = FIELD(delay_s),
     .argument = "TIME",
     .default_text = "0",
     .maximum = 10,
     .unit = "s",
     .help = "Delay of a frame from host to host"},
    {.name = "leaf",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(leaf_hosts),
     .argument = "N",
     .minimum = 1,
     .maximum = HOSTS_MAXIMUM,
     .help = "Hosts of each leaf of a network of two levels; default one switch",
     .more = "host01 to hostN are on the first leaf. Each leaf has one link to the others, of the rate --uplink, "
             "with a queue without limit in each direction."},
    {.name = "uplink",
     .type = CB_OPTION_REAL,
     .offset = FIELD(uplink_bps),
     .argument = "RATE",
     .minimum = 1000,
     .maximum = 1e12,
     .unit = "bit/s",
     .help = "With --leaf: rate of the link of each leaf, each way"},
    {.name = "queue",
     .type = CB_OPTION_SIZE,
     .offset = FIELD(queue_bytes),
     .argument = "BYTES",
     .default_text = "1MiB",
     .maximum = 0x1p40,
     .help = "Bytes that may wait for a host's cable; 0 for no limit",
     .more = "A frame counts with all its bytes, its Ethernet header included, until its transmission has ended; one "
             "for which there is no room is dropped. With --buffer the default is no limit."},
    {.name = "buffer",
     .type = CB_OPTION_SIZE,
     .offset = FIELD(buffer_bytes),
     .argument = "BYTES",
     .minimum = 1,
     .maximum = 0x1p40,
     .help = "Bytes of a buffer that the queues of all hosts share; default none",
     .more = "A queue may grow to --alpha times the bytes of the buffer that are free (dynamic threshold of "
             "Choudhury and Hahne), and to --queue if that is given: N queues that are full hold alpha / (1 + N alpha) "
             "of the buffer each."},
    {.name = "alpha",
     .type = CB_OPTION_REAL,
     .offset = FIELD(alpha),
     .argument = "X",
     .default_text = "1",
     .minimum = 0.001,
     .maximum = 1000,
     .help = "Greatest queue in a shared buffer, over its free bytes"},
    {.name = "mark",
     .type = CB_OPTION_SIZE,
     .offset = FIELD(mark_bytes),
     .argument = "BYTES",
     .minimum = 1,
     .maximum = 0x1p40,
     .help = "Mark frames that find more bytes in their queue (ECN); default never",
     .more = "Packets of IPv4 and IPv6 whose sender is capable of ECN get \"congestion experienced\"; others pass. The "
             "hosts' TCP is then capable of ECN (net.ipv4.tcp_ecn = 1)."},
    {.name = "mtu",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(mtu),
     .argument = "BYTES",
     .default_text = "1500",
     .minimum = 576,
     .maximum = 9000,
     .help = "Largest packet of the network"},
    {.name = "congestion-control",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(congestion_control),
     .argument = "NAME",
     .default_text = "reno",
     .help = "Congestion control of the hosts' TCP",
     .more = "Reno reacts to losses and marks only; others estimate the path, and some pace by their estimate. "
             "/proc/sys/net/ipv4/tcp_allowed_congestion_control lists those that hosts may use."},
    {.name = "rto-min",
     .type = CB_OPTION_REAL,
     .offset = FIELD(rto_min_s),
     .argument = "TIME",
     .minimum = 0.001,
     .maximum = 60,
     .unit = "s",
     .help = "Least retransmission timeout of the hosts' TCP; default the kernel's",
     .more = "200 ms as a rule. Linux 6.11 or newer."},
    {.name = "jitter",
     .type = CB_OPTION_REAL,
     .offset = FIELD(jitter_s),
     .argument = "TIME",
     .default_text = "0",
     .maximum = 10,
     .unit = "s",
     .help = "Largest random addition to a frame's delay",
     .more = "Frames of a host stay in order."},
    {.name = "loss",
     .type = CB_OPTION_REAL,
     .offset = FIELD(loss_pct),
     .argument = "PCT",
     .default_text = "0",
     .maximum = 100,
     .unit = "%",
     .help = "Share of the frames that are lost"},
    {.name = "duplicate",
     .type = CB_OPTION_REAL,
     .offset = FIELD(duplicate_pct),
     .argument = "PCT",
     .default_text = "0",
     .maximum = 100,
     .unit = "%",
     .help = "Share of the frames that arrive twice"},
    {.name = "reorder",
     .type = CB_OPTION_REAL,
     .offset = FIELD(reorder_pct),
     .argument = "PCT",
     .default_text = "0",
     .maximum = 100,
     .unit = "%",
     .help = "Share of the frames that are delayed by 1 ms and overtaken"},
    {.name = "seed",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(seed),
     .argument = "N",
     .default_text = "1",
     .maximum = 0x1p53,
     .help = "Seed of losses, duplicates, reordering and jitter"},
    {.name = "statistics",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(statistics),
     .file = CB_FILE_WRITTEN,
     .argument = "FILE",
     .help = "At the end, write the counters of each host to FILE",
     .more = "What it sent, received and lost, the drops and marks at its port, and its greatest queue; the line \"all\" "
             "has their sums, and the greatest size of the whole buffer."},
    {.name = "tell",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(tell),
     .argument = "ORDER",
     .help = "Change the network; for processes within a testbed",
     .more = "Orders: cut HOST, join HOST, loss HOST PCT, duplicate HOST PCT, reorder HOST PCT, jitter HOST TIME, "
             "rate HOST RATE (also rate-out, rate-in), flap HOST PERIOD DOWN; HOST may be all. A flapping cable is down for "
             "DOWN in every PERIOD; join ends it."},
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Print this text"},
    {.name = "manual", .type = CB_OPTION_ACTION, .help = "Print the source of the manual page"},
    {.name = "version", .type = CB_OPTION_ACTION, .help = "Print the version"},
};
/* clang-format on */

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const cb_option_table options = {
    .program = "combench-testbed",
    .summary = "a cluster of virtual hosts on one machine",
    .description =
        "Runs COMMAND in a cluster that is made for it: hosts with a name, a network and an "
        "address each, joined by a switch with the given rate, delay and queue. An mpirun in it "
        "spreads its ranks over the hosts, with Open MPI and with MPICH, since it finds in its "
        "environment all that it needs; what is already set there stays. The hosts share the "
        "machine's cores, files and users; /dev/shm and the list of processes are the testbed's "
        "own.\n\n"
        "The testbed ends with COMMAND, and nothing stays: processes that are left are ended, also "
        "when the testbed itself is killed. Several at a time do not see each other. A signal is "
        "passed on, and COMMAND has five seconds to end.\n\n"
        "In the testbed $CB_TESTBED is this program: \"$CB_TESTBED\" --tell 'cut host03' takes a "
        "host off the network, and ${CB_TESTBED%/*}/agent HOST WORD... runs a command on a host.",
    .synopsis = "combench-testbed [OPTION]... -- COMMAND [WORD]...",
    .exit_statuses = exit_statuses,
    .options = rows,
    .option_count = ROWS,
};

/* Options that depend on each other. */
static cb_status complete_settings(testbed_settings *settings, const bool given[ROWS])
{
    bool queue = false, alpha = false;

    for (size_t i = 0; i < ROWS; i++) {
        queue |= given[i] && rows[i].offset == FIELD(queue_bytes);
        alpha |= given[i] && rows[i].offset == FIELD(alpha);
    }
    if (settings->buffer_bytes > 0 && !queue)
        settings->queue_bytes = 0;
    if ((settings->leaf_hosts > 0) != (settings->uplink_bps > 0)) {
        cb_error(
            "--leaf and --uplink describe a network of two levels together; give both, or none");
        return CB_ERROR_USAGE;
    }
    if (!alpha || settings->buffer_bytes > 0)
        return CB_OK;
    cb_error("--alpha is of a shared buffer, and there is none; give its size with --buffer");
    return CB_ERROR_USAGE;
}

/* Join the words of a command for a shell, as rsh does. */
static cb_status join_words(char *const *words, char *line, size_t room)
{
    size_t used = 0;

    line[0] = '\0';
    for (; *words != NULL; words++) {
        size_t length = strlen(*words);

        if (used + length + 2 > room) {
            cb_error("a command of more than %zu bytes cannot be run on a host; shorten it", room);
            return CB_ERROR_USAGE;
        }
        memcpy(line + used, *words, length);
        used += length;
        line[used++] = ' ';
        line[used] = '\0';
    }
    return CB_OK;
}

/* agent [-OPTION]... HOST WORD...: the arguments of rsh. */
static cb_status enter_and_run(char **argv)
{
    static char line[SHELL_BYTES];

    do
        argv++;
    while (*argv != NULL && **argv == '-');
    if (*argv == NULL || argv[1] == NULL) {
        cb_error("the host or the command is missing; use: agent HOST WORD...");
        return CB_ERROR_USAGE;
    }
    CB_TRY(join_words(argv + 1, line, sizeof(line)));
    CB_TRY(host_enter(*argv));
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    cb_error("cannot start /bin/sh on %s: %s", *argv, strerror(errno));
    return CB_ERROR_SYSTEM;
}

static cb_status run(int argc, char **argv, int *exit_status)
{
    testbed_settings settings;
    const cb_option *action = NULL;
    bool given[ROWS];
    char *const *command;
    int own = argc > 0; /* words before --, which ends the options */

    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    command = argv + own + (own < argc);
    if (own < argc)
        argv[own] = NULL;
    CB_TRY(cb_options_defaults(&options, &settings));
    CB_TRY(cb_options_parse(&options, own, argv, &settings, given, &action));
    if (action != NULL) {
        if (strcmp(action->name, "help") == 0)
            cb_options_help(&options, stdout);
        else if (strcmp(action->name, "manual") == 0)
            cb_options_manual(&options, CB_VERSION, CB_DATE, stdout);
        else
            printf("combench-testbed (combench) %s\n", CB_VERSION);
        return cb_streams_flush(stdout, "the output", "");
    }
    if (settings.tell != NULL)
        return orders_tell(settings.tell);
    CB_TRY(complete_settings(&settings, given));
    if (command[0] == NULL) {
        cb_error("the command to run in the testbed is missing; write it after --, as in "
                 "combench-testbed --hosts 4 -- mpirun -np 4 PROGRAM");
        return CB_ERROR_USAGE;
    }
    if (geteuid() != 0) {
        cb_error("cannot make a testbed as a user: network namespaces are for root; use sudo");
        return CB_ERROR_UNSUPPORTED;
    }
    return testbed_run(&settings, command, exit_status);
}

int main(int argc, char **argv)
{
    const char *path = argc > 0 ? argv[0] : "", *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    int exit_status = 0;
    cb_status status;

    cb_log_identify("combench-testbed", -1);
    status = strcmp(name, TESTBED_AGENT) == 0 ? enter_and_run(argv) : run(argc, argv, &exit_status);
    return status == CB_OK ? exit_status : cb_status_exit(status);
}
