/* Orders to a testbed that runs: a line of words over a socket in its folder, and an answer. */
#ifndef TOOLS_TESTBED_CONTROL_H
#define TOOLS_TESTBED_CONTROL_H

#include "base/status.h"
#include "tools/testbed/switch.h"

enum { CONTROL_BYTES = 256 };

/* Carry out an order: "cut host03", "loss all 1%", "jitter host01 20us"; see the table in
 * control.c. Other hosts and faults stay. `answer` is "ok", or what is wrong with the order. */
void control_obey(network_switch *hub, const char *order, char answer[CONTROL_BYTES]);

/* The words of the orders, for --help. */
extern const char control_orders[];

/* The testbed's end: a socket that does not block; CB_ERROR_SYSTEM, logged. */
cb_status control_open(int *out);

/* Obey an order that has come, if any, and answer. */
void control_serve(int control, network_switch *hub);

/* In a process of the testbed: send an order, and await the answer. CB_ERROR_USAGE, logged, where
 * it is not "ok"; CB_ERROR_SYSTEM, where none comes. */
cb_status control_tell(const char *order);

#endif
