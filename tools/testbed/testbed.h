/* A cluster on one machine: hosts made of namespaces, joined by a switch in this program, and a
 * command that runs among them. Everything is made in namespaces of the testbed and ends with its
 * first process, however that ends: nothing has to be cleaned up, and nothing else is touched. */
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

/* The name under which this program runs a command on a host, for MPI libraries: agent HOST WORD...
 */
#define TESTBED_AGENT "agent"

/* The resources of the loop. The files do not block; signals is a signalfd. */
typedef struct {
    network_switch *hub;
    int *cards; /* of each port */
    int control, signals;
    pid_t command;
} testbed_loop;

/* loop.c: switch frames, carry out orders and pass on signals until the command has ended, or has
 * not done so within five seconds of a signal; *exit_status as above. Then write the counters of
 * all ports to the file `statistics`, unless it is NULL. CB_ERROR_SYSTEM, logged. */
cb_status testbed_switch(const testbed_loop *loop, const char *statistics, int *exit_status);

#endif
