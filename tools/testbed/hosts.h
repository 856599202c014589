/* Hosts: each a network namespace and a host name of its own, with one interface, eth0, whose other
 * end is a file of this process. A host is entered through files in the testbed's folder. */
#ifndef TOOLS_TESTBED_HOSTS_H
#define TOOLS_TESTBED_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* The folder of the testbed that a process is in: in memory, and seen in no other testbed. */
#define HOSTS_FOLDER "/dev/shm/testbed"
#define HOSTS_NETWORK "10.77.0.0/16"

/* The name under which this program runs a command on a host, for MPI libraries: agent HOST WORD...
 */
#define HOSTS_AGENT "agent"

enum { HOSTS_MAXIMUM = 1000, HOST_NAME_BYTES = 16, HOST_ADDRESS_BYTES = 16 };

/* "host07", and its address: 10.77.0.7. Hosts are numbered from 0, names and addresses from 1. */
void host_name(unsigned number, char name[HOST_NAME_BYTES]);
void host_address(unsigned number, char address[HOST_ADDRESS_BYTES]);

/* The number of a name; false where it is none of `count` hosts. */
bool host_number(const char *name, unsigned count, unsigned *number);

/* In the testbed's first process: what `count` hosts share, with `slots` ranks on each: files,
 * names, and the environment by which MPI libraries find the hosts. `program` is the path of this
 * program. CB_ERROR_SYSTEM, logged. */
cb_status hosts_surround(unsigned count, uint64_t slots, const char *program);

/* Make `count` hosts, and in cards[i] the end of host i's cable that is not in the host: a file
 * that does not block, of frames with Ethernet's head. The caller stays where it was. What is made
 * ends with the processes of the mount namespace. CB_ERROR_SYSTEM, logged. */
cb_status hosts_create(unsigned count, unsigned mtu, int *cards);

/* Move this process into a host. CB_ERROR_SYSTEM or, where there is no such host, CB_ERROR_USAGE,
 * logged. */
cb_status host_enter(const char *name);

#endif
