/* A rank's part in a measurement: its role, its peers, its buffers. */
#ifndef ENGINE_RANK_H
#define ENGINE_RANK_H

#include "engine/benchmark.h"
#include "engine/options.h"
#include "engine/method.h"

/* What a rank's part follows from. */
typedef struct {
    const benchmark *definition;
    const bench_options *options;
    const bench_measurement *measurement;
    const int *ranks; /* the participants; they must live as long as the part */
    size_t participants;
    size_t cache_bytes; /* that rotating buffers shall exceed */
} rank_setting;

/* Make a rank's part over a factory, and unmake it. *actions are those of its role. */
cb_status rank_create(const rank_setting *setting, transport_factory *factory, bench_rank **out,
                      const bench_actions **actions);
void rank_destroy(const benchmark *definition, bench_rank *me);

/* Announce me->preparation to the factory; all its buffers are as new. Nothing may be under way.
 * Done by rank_create, and again where the preparation changes or buffers hold other content. */
cb_status rank_prepare(bench_rank *me);

/* What the benchmark makes for itself, groups above all; unmade again by rank_destroy. */
cb_status rank_set_up(const benchmark *definition, bench_rank *me);
void rank_tear_down(const benchmark *definition, bench_rank *me);

/* How many packets to a peer may be unacknowledged; alike in all participants, and when none is. */
void rank_set_window(bench_rank *me, unsigned window);

/* Empty counters and sums at the beginning of a pass. */
void rank_reset(bench_rank *me, const bench_traffic *traffic);

/* The sum of all that was touched in the pass is what it must be, else CB_ERROR_DATA, logged. */
cb_status rank_check_sum(const bench_rank *me);

/* How many buffers are made beforehand where `wanted` may be in use at a time: of large ones few,
 * of which two always. */
size_t rank_buffers_beforehand(size_t size_bytes, size_t wanted);

#endif
