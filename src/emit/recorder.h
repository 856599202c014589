/* A technology within one process, over which all ranks of a measurement run at once, as members of
 * a crew: what one sends the other receives, and everything is recorded as a trace .cct will have
 * it. The benchmarks' own loops thereby say which messages there are.
 *
 * It is no technology that a user can name: bench_recorder_open makes all of its factories. */
#ifndef BENCH_RECORDER_H
#define BENCH_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "emit/crew.h"
#include "transport/transport.h"

typedef struct bench_recorder bench_recorder;

/* A network of `ranks`, with a factory for each. The crew whose members are the ranks is told
 * before anything is received. CB_ERROR_MEMORY, logged. */
cb_status bench_recorder_open(size_t ranks, bench_recorder **out);
void bench_recorder_set_crew(bench_recorder *recorder, bench_crew *crew);

/* The factory of a rank; its nodes and groups are destroyed before the recorder is closed. */
transport_factory *bench_recorder_factory(bench_recorder *recorder, size_t rank);

/* Rank `rank` computes for so long. */
cb_status bench_recorder_compute(bench_recorder *recorder, size_t rank, double time_us);

/* What a rank does next depends on whose message came: its receives name their senders. Others that
 * only ever receive from a group, and one size, take theirs from any. */
void bench_recorder_depends_on_sender(bench_recorder *recorder, size_t rank);

/* Sections and records of all ranks. */
void bench_recorder_write(const bench_recorder *recorder, FILE *stream);

void bench_recorder_close(bench_recorder *recorder);

#endif
