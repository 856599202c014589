/* Packets of varying size (--fragments): who sends which sizes, and the account of what arrives.
 *
 * Each sender has the sizes of its packets in a ring that is filled before the first pass, so that
 * a timed step reads a number. Receivers take sizes from the buffers that arrive; only the checks
 * after a pass and the verification pass compute which sizes were due. */
#ifndef ENGINE_FRAGMENTS_H
#define ENGINE_FRAGMENTS_H

#include "control/control.h"
#include "engine/options.h"
#include "engine/definition.h"
#include "engine/traffic.h"

/* Check and parse the options; a single fixed size becomes that of --sizes. CB_ERROR_USAGE, logged.
 */
cb_status fragments_parse(bench_options *options, bool sizes_given, bool correlation_given);

/* Read the file of sizes at rank 0 and broadcast it. No effect without a file. Collective. */
cb_status fragments_share(control *plane, bench_options *options);

static inline bool fragments_vary(const bench_options *options)
{
    return options->sizes_of_fragments.law_count > 0;
}

/* The traffic of timed passes for --touch and --fragments. */
const bench_traffic *fragments_traffic(const bench_options *options);

/* Number of sources of fragments in a shape. */
size_t fragments_sources(const benchmark *definition, const bench_options *options,
                         const bench_shape *shape);

/* The participants that send fragments to a stage. */
bench_span fragments_senders(const benchmark *definition, const bench_shape *shape, size_t stage);

/* Create and destroy a rank's part; no effect if sizes do not vary. `packets`: the most that a rank
 * sends; 0: not known. CB_ERROR_MEMORY, logged. */
cb_status fragments_join(bench_rank *me, const benchmark *definition, const bench_options *options,
                         const bench_shape *shape, uint64_t packets);
void fragments_leave(bench_rank *me);

/* Hot. The size of packet `number` of a lane (bench_ring) in the ring of its sender. */
static inline uint32_t fragments_at(const bench_ring *ring, const uint32_t *sizes, uint64_t number,
                                    uint64_t lane)
{
    return sizes[(number * ring->stride + lane) % ring->period];
}

/* Sizes of the packets that a peer sends, a ring of me->ring.period; NULL if it sends none, or
 * memory is exhausted (logged). They are computed when they are first needed. The peer number
 * me->peer_count is this rank itself. */
const uint32_t *fragments_of_peer(bench_rank *me, size_t peer);

/* The sum that traffic_touch returns for the packets first, first + step, ... of a peer's ring.
 * *bytes: their size. False if it is not known. */
bool fragments_sum(bench_rank *me, size_t peer, uint64_t first, uint64_t step, uint64_t count,
                   uint64_t *sum, uint64_t *bytes);

/* Packets that arrived in timed passes: all, and the largest. */
typedef struct {
    uint64_t packets, bytes, largest;
} fragments_arrived;

/* Mean and largest size over the team; 0 if nothing arrived. Collective. */
cb_status fragments_summarize(control_team *team, fragments_arrived own, double *mean_bytes,
                              double *largest_bytes);

#endif
