/* Factories of the technology sci in few processes: what the programs share that measure what idle
 * peers cost. A process may have many, each a rank; those that a process hosts are opened by
 * threads of which one runs at a time, since opening is collective. */
#ifndef TESTS_PERF_CROWD_H
#define TESTS_PERF_CROWD_H

#include "base/settings.h"
#include "transport/transport.h"

enum { CROWD_MOST = 258 };

typedef struct crowd crowd;

/* Before the processes are forked, with memory that all share. NULL without memory. */
crowd *crowd_make(int ranks);
void crowd_free(crowd *all);

/* Open the ranks first, first + 1, ... in this process; factories[i] is that of rank first + i. */
cb_status crowd_open(crowd *all, const cb_settings *settings, bool connect_all, int first,
                     int count, transport_factory **factories);

/* Close factories of this process that are connected to each other: each waits for the others. */
cb_status crowd_close(int count, transport_factory **factories);

/* Wait for this many processes, each of which has called this as often. */
void crowd_meet(crowd *all, int processes);

#endif
