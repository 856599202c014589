/* A cluster on one machine: hosts made of namespaces, joined by a switch in this program, and a
 * command that runs among them. Everything is made in namespaces of the testbed and ends with its
 * first process, however that ends: nothing has to be cleaned up, and nothing else is touched. */
#ifndef TOOLS_TESTBED_TESTBED_H
#define TOOLS_TESTBED_TESTBED_H

#include <stdint.h>

#include "base/status.h"

typedef struct {
    uint64_t hosts, slots, mtu, queue_bytes, seed;
    double rate_bps, delay_s, jitter_s;
    double loss_pct, duplicate_pct, reorder_pct;
    const char *statistics; /* a file, or NULL */
    const char *tell;       /* an order, or NULL */
} testbed_settings;

/* Run a command (ended by NULL) in a testbed of its own, to its end. *exit_status is that
 * of the command, 128 and the signal's number where one ended it, or, where it did not start, that
 * of the error, which is logged and returned. */
cb_status testbed_run(const testbed_settings *settings, char *const *command, int *exit_status);

#endif
