/* A rank's part in a measurement: its role, its peers and its buffers. */
#ifndef ENGINE_RANK_H
#define ENGINE_RANK_H

#include "engine/traffic.h"
#include "engine/method.h"
#include "engine/options.h"
#include "engine/wait.h"
#include "stats/stats.h"

/* What a rank's part is made from. */
typedef struct {
    const benchmark *definition;
    const bench_options *options;
    const bench_measurement *measurement;
    const int *ranks; /* the participants; have to outlive the part */
    size_t participants;
    size_t cache_bytes; /* size that rotating buffers have to exceed */
    uint64_t packets;   /* most that a rank sends to another, for --fragments; 0: not known */
} rank_setting;

/* That of a measurement; `packets` is not known. */
rank_setting rank_setting_of(const measurement_setting *setting);

/* Create a rank's part over a factory; *actions are those of its role. CB_ERROR_MEMORY or the
 * technology's error, logged. rank_destroy also calls tear_down and accepts NULL. */
cb_status rank_create(const rank_setting *setting, transport_factory *factory, bench_rank **out,
                      const bench_actions **actions);
void rank_destroy(const benchmark *definition, bench_rank *me);

/* Release the packet that the hot paths keep between two steps. A pass that does not use it has to
 * call this before: it is a received one, and a technology may have no other room for the next. */
void rank_release_packet(bench_rank *me);

/* Pass me->preparation to the factory, which allocates all buffers again. No message may be in
 * flight. rank_create calls it; call it again after changes to the preparation or to the content of
 * buffers. */
cb_status rank_prepare(bench_rank *me);

/* Call the benchmark's set_up and tear_down, which usually make and destroy groups. rank_destroy
 * tears down too. */
cb_status rank_set_up(const benchmark *definition, bench_rank *me);
void rank_tear_down(const benchmark *definition, bench_rank *me);

/* Set the number of packets to a peer that may be unacknowledged. Same value in all participants,
 * at a time when none is unacknowledged. */
void rank_set_window(bench_rank *me, unsigned window);

/* Reset counters and sums at the start of a pass. */
void rank_reset(bench_rank *me, const bench_traffic *traffic);

/* Compare the sum of all data read in the pass with the expected one. CB_ERROR_DATA, logged, if
 * they differ. */
cb_status rank_check_sum(bench_rank *me);

/* Number of buffers to allocate in advance if `wanted` may be in use at a time. For large buffers
 * it is smaller, but at least two. */
size_t rank_buffers_beforehand(size_t size_bytes, size_t wanted);

/* One timed block: begin, steps, finish. */

/* Hot. *elapsed_ns is the time of the block by this rank's clock. Returns the status of the
 * benchmark's actions. */
cb_status block_run(bench_rank *me, const bench_actions *actions, uint64_t steps,
                    double *elapsed_ns);

/* Hot. As block_run, but reads the clock after each step and records the time of each step in ns.
 * Such a block can be longer than a launcher waits between SIGTERM and SIGKILL, so it looks for a
 * signal after each step. */
cb_status block_run_stepwise(bench_rank *me, const bench_actions *actions, uint64_t steps,
                             stats_histogram *histogram, const wait_watch *watch);

#endif
