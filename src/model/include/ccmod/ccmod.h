/* CCMOD, a model of communication on packet switching networks. Given what every processor of a
 * machine does (a workload), how the network is wired (a network) and the time of a message on the
 * quiet network (a calibration), it predicts when every processor ends and which link limits it.
 * The model is that of S. Papaefstathiou, "Predicting Communications Bottlenecks" (2001);
 * docs/reference/model.md has the method, the trace format and a worked example.
 *
 * The library has no global state: any number of evaluations may run in one process, also at the
 * same time in different threads as long as no two share a workload or an observer. Networks,
 * traces and calibrations are only read and may be shared. It never exits and prints nothing; a
 * function that fails returns a status and fills the caller's ccmod_error.
 *
 * All interfaces use microseconds, bytes, and MB/s (10^6 bytes).
 *
 * Programs include this header; the headers below can also be included by themselves. */
#ifndef CCMOD_CCMOD_H
#define CCMOD_CCMOD_H

#include <ccmod/calibration.h>
#include <ccmod/base.h>
#include <ccmod/evaluation.h>
#include <ccmod/network.h>
#include <ccmod/observers.h>
#include <ccmod/signals.h>
#include <ccmod/workload.h>

#endif
