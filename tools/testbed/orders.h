/* Orders to a running testbed: a line of words over a socket in its folder, and an answer. */
#ifndef TOOLS_TESTBED_ORDERS_H
#define TOOLS_TESTBED_ORDERS_H

#include "base/status.h"
#include "tools/testbed/switch.h"

enum { ORDERS_BYTES = 256 };

/* Carry out an order: "cut host03", "loss all 1%", "jitter host01 20us"; see the table in
 * orders.c. Other hosts and faults stay. `answer` is "ok", or the error in the order. */
void orders_obey(network_switch *hub, const char *order, char answer[ORDERS_BYTES]);

/* The testbed's end: a socket that does not block; CB_ERROR_SYSTEM, logged. */
cb_status orders_open(int *out);

/* Obey an order that has come, if any, and answer. */
void orders_serve(int control, network_switch *hub);

/* In a process of the testbed: send an order, and wait for the answer. CB_ERROR_USAGE, logged,
 * where it is not "ok"; CB_ERROR_SYSTEM, where none comes. */
cb_status orders_tell(const char *order);

#endif
