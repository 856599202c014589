/* A cluster on one machine: hosts made of namespaces, connected by a switch in this program, and a
 * command that runs on them. Everything is in namespaces of the testbed and ends with its first
 * process, however that ends: there is nothing to clean up. */
#ifndef TOOLS_TESTBED_TESTBED_H
#define TOOLS_TESTBED_TESTBED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "tools/testbed/switch.h"

typedef struct {
    uint64_t hosts, slots, mtu, queue_bytes, buffer_bytes, mark_bytes, seed;
    uint64_t leaf_hosts; /* 0: one switch */
    double uplink_bps;
    double rate_bps, delay_s, jitter_s, alpha;
    double rto_min_s;               /* 0: as the kernel has it */
    const char *congestion_control; /* of TCP */
    double loss_pct, duplicate_pct, reorder_pct;
    const char *statistics; /* a file, or NULL */
    const char *tell;       /* an order, or NULL */
} testbed_settings;

/* space.c: run a command (terminated by NULL) in its own testbed until it ends. *exit_status is
 * that of the command; 128 plus the signal number if a signal ended it; or, if it did not start,
 * that of the error, which is logged and returned. */
cb_status testbed_run(const testbed_settings *settings, char *const *command, int *exit_status);

/* The name under which this program runs a command on a host, for MPI libraries: agent HOST WORD...
 */
#define TESTBED_AGENT "agent"

/* The resources of the loop. Descriptors are non-blocking; signals is a signalfd. */
typedef struct {
    network_switch *hub;
    int *cards; /* for each port */
    int control, signals;
    pid_t command;
} testbed_loop;

/* loop.c: switch frames, execute orders and forward signals until the command has ended, or has not
 * ended within five seconds of a signal; *exit_status as above. Then write the counters of all
 * ports to the file `statistics`, unless NULL. CB_ERROR_SYSTEM, logged. */
cb_status testbed_switch(const testbed_loop *loop, const char *statistics, int *exit_status);

/* hosts.c: hosts, each a network namespace with its own host name and one interface, eth0, whose
 * other end is a descriptor of this process. A host is entered through files in the testbed's
 * folder. */

/* The folder of the testbed of a process: in memory, invisible to other testbeds. */
#define HOSTS_FOLDER "/dev/shm/testbed"
#define HOSTS_NETWORK "10.77.0.0/16"

enum { HOSTS_MAXIMUM = 1000, HOST_NAME_BYTES = 16, HOST_ADDRESS_BYTES = 16 };

/* "host07", and its address: 10.77.0.7. Hosts are numbered from 0, names and addresses from 1. */
void host_name(unsigned number, char name[HOST_NAME_BYTES]);
void host_address(unsigned number, char address[HOST_ADDRESS_BYTES]);

/* The number of a host's name; false if it is not one of `count` hosts. */
bool host_number(const char *name, unsigned count, unsigned *number);

/* Create the hosts; cards[i] is the outer end of host i's cable, a non-blocking descriptor of
 * Ethernet frames. Their TCP is capable of ECN if the switch marks. The caller stays in its
 * namespace. The hosts end with the processes of the mount namespace. CB_ERROR_SYSTEM,
 * CB_ERROR_USAGE if the kernel does not accept the congestion control, or CB_ERROR_UNSUPPORTED,
 * logged. */
cb_status hosts_create(const testbed_settings *settings, int *cards);

/* Move this process to a host. CB_ERROR_SYSTEM or, if there is no such host, CB_ERROR_USAGE,
 * logged. */
cb_status host_enter(const char *name);

/* orders.c: orders to a running testbed: a line of words over a socket in its folder, and an
 * answer. */

enum { ORDERS_BYTES = 256 };

/* Execute an order: "cut host03", "loss all 1%", "jitter host01 20us"; see the table in orders.c.
 * Other hosts and faults are unchanged. `answer` is "ok" or the error. */
void orders_obey(network_switch *hub, const char *order, char answer[ORDERS_BYTES]);

/* The testbed's end: a non-blocking socket; CB_ERROR_SYSTEM, logged. */
cb_status orders_open(int *out);

/* Execute a pending order, if any, and answer. */
void orders_serve(int control, network_switch *hub);

/* In a process of the testbed: send an order and wait for the answer. CB_ERROR_USAGE, logged, if it
 * is not "ok"; CB_ERROR_SYSTEM if none arrives. */
cb_status orders_tell(const char *order);

#endif
