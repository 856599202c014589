/* The network on which the messages of a trace travel while it is recorded: an evaluation of the
 * communication model whose workload are the ranks themselves. It decides which of the messages from
 * several senders a rank receives first. */
#ifndef EMIT_NETWORK_H
#define EMIT_NETWORK_H

#include "emit/recorder.h"
#include "emit/scheduler.h"
#include "engine/options.h"

typedef struct emit_network emit_network;

/* Open the network of --trace-network, --trace-calibration and --trace-share for this number of
 * ranks; by default a switch whose links carry 1000 MB/s. CB_ERROR_USAGE, logged. Close with
 * emit_network_close. */
cb_status emit_network_open(const bench_options *options, size_t ranks, emit_network **out);
void emit_network_close(emit_network *network);

/* Run all ranks to their ends. The error of a rank or, logged, of the evaluation. */
cb_status emit_network_run(emit_network *network, emit_scheduler *scheduler,
                           emit_recorder *recorder);

#endif
