/* Counters of this host's protocols and interfaces. All programs of the host share them. */
#ifndef HOST_COUNTERS_H
#define HOST_COUNTERS_H

#include "base/parameters.h"
#include "host/host.h"

enum { HOST_COUNTERS = 27, HOST_INTERFACES = 64 };

/* The counters of a host, all increases. The group is the key of their column. */
extern const cb_counter_set host_counter_set;

/* One reading. Plain data; CB_COUNTER_ABSENT: this host does not have the counter. */
typedef struct {
    uint64_t values[HOST_COUNTERS];
    size_t interfaces; /* the first HOST_INTERFACES, without loopback */
    char names[HOST_INTERFACES][HOST_INTERFACE_BYTES];
    uint64_t faults[HOST_INTERFACES]; /* dropped, faulty and overrun packets of an interface */
} host_counts;

/* Read all counters. The first time that a file cannot be read, the reason is logged. */
void host_count(host_counts *out);

/* The increases between two readings. `interface` is set to the name of the interface with the most
 * new faults; "": none has any. */
void host_increases(const host_counts *before, const host_counts *after,
                    uint64_t increases[HOST_COUNTERS], char interface[HOST_INTERFACE_BYTES]);

/* For tests: all counters absent, counters from texts of /proc/net (others keep their value), and
 * all files read below the folder `root`. */
void host_counts_clear(host_counts *out);
void host_take_groups(bool is_netstat, const char *text, host_counts *out);
void host_take_interfaces(const char *text, host_counts *out);
void host_count_below(const char *root, host_counts *out);

#endif
