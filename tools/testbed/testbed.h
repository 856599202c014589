/* A cluster on one machine: hosts made of namespaces, on a switch of our own, and a command that
 * runs among them. Everything made lives in namespaces of the testbed alone and ends with its first
 * process, however that ends: there is nothing to clean up, and nothing of others within reach. */
#ifndef TOOLS_TESTBED_TESTBED_H
#define TOOLS_TESTBED_TESTBED_H

#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "tools/testbed/switch.h"

typedef struct {
    uint64_t hosts, slots, mtu, queue_bytes, seed;
    double rate_bps, delay_s, jitter_s;
    double loss_pct, duplicate_pct, reorder_pct;
    const char *statistics; /* a file, or NULL */
    const char *tell;       /* an order, or NULL */
} testbed_settings;

/* space.c: run a command (ended by NULL) in a testbed of its own, to its end. *exit_status is that
 * of the command, 128 and the signal's number where one ended it, or, where it did not start, that
 * of the error, which is logged and returned. */
cb_status testbed_run(const testbed_settings *settings, char *const *command, int *exit_status);

/* surroundings.c: in the testbed's first process, what all its hosts share: files, names, and the
 * environment by which MPI libraries find the hosts. `program` is the path of this program.
 * CB_ERROR_SYSTEM, logged. */
cb_status testbed_surround(const testbed_settings *settings, const char *program);

/* The name under which this program is an MPI library's way into a host: agent HOST WORD... */
#define TESTBED_AGENT "agent"

/* What the loop looks after. Files that do not block; signals is a signalfd. */
typedef struct {
    network_switch *hub;
    int *cards; /* of each port */
    int control, signals;
    pid_t command;
} testbed_loop;

/* How late the switch gave frames to their hosts. */
typedef struct {
    uint64_t frames, total_ns, largest_ns;
} testbed_lateness;

/* loop.c: switch frames, obey orders and pass on signals until the command has ended, or has not
 * done so within five seconds of a signal; *exit_status as above. CB_ERROR_SYSTEM, logged. */
cb_status testbed_switch(const testbed_loop *loop, testbed_lateness *late, int *exit_status);

/* statistics.c: the counters of all ports, one line a host; CB_ERROR_SYSTEM, logged. */
cb_status testbed_write_statistics(const char *path, const network_switch *hub,
                                   const testbed_lateness *late);

#endif
