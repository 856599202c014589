/* What the harness itself costs: the loop of a benchmark over the technology null, and the touching
 * of a packet. Both run in one process, with no partner. */
#include "engine/session.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/block.h"
#include "engine/traffic.h"

enum { HARNESS_BLOCKS = 11, HARNESS_BLOCK_NS = 500000 };

/* Steps for a block of the wanted length, by doubling from one: a step can be longer than a block.
 */
static cb_status steps_for_block(bench_rank *me, const bench_actions *actions, double block_ns,
                                 uint64_t *steps)
{
    double elapsed_ns = 0;

    for (*steps = 1; *steps < (1ull << 40); *steps *= 2) {
        CB_TRY(bench_run_block(me, actions, *steps, &elapsed_ns));
        if (elapsed_ns >= block_ns)
            break;
    }
    return CB_OK;
}

static cb_status median_step(bench_rank *me, const bench_actions *actions, double block_ns,
                             double *step_ns)
{
    double blocks_ns[HARNESS_BLOCKS];
    uint64_t steps;

    CB_TRY(steps_for_block(me, actions, block_ns, &steps));
    for (size_t i = 0; i < HARNESS_BLOCKS; i++)
        CB_TRY(bench_run_block(me, actions, steps, &blocks_ns[i]));
    *step_ns = stats_summarize(blocks_ns, HARNESS_BLOCKS).median / (double)steps;
    return CB_OK;
}

cb_status bench_measure_harness(const bench_session *session, const bench_measurement *measurement,
                                const int *ranks, size_t participants, double budget_ns,
                                double *step_ns)
{
    const bench_actions *actions;
    double block_ns = budget_ns / (HARNESS_BLOCKS + 2);
    bench_rank *me;
    cb_status status;

    CB_TRY(
        bench_rank_create(session, measurement, session->null, ranks, participants, &me, &actions));
    bench_rank_reset(me, bench_plain_traffic(session->options), 0);
    status = bench_rank_set_up(session->definition, me);
    if (status == CB_OK)
        status = median_step(me, actions, fmin(block_ns, HARNESS_BLOCK_NS), step_ns);
    bench_rank_destroy(session->definition, me);
    return status;
}

/* The data stays in cache, as it does after a hot receive. */
double bench_measure_touch(size_t size_bytes)
{
    enum { REPEATS = 9, BYTES_EACH = 1 << 20 };
    size_t touches = size_bytes > 0 ? BYTES_EACH / size_bytes + 1 : 1024;
    void *data = cb_allocate_aligned(CB_CACHE_LINE, size_bytes, "a packet to touch");
    volatile uint64_t sink = 0;
    double repeats_ns[REPEATS];

    if (data == NULL)
        return -1;
    for (size_t repeat = 0; repeat < REPEATS; repeat++) {
        uint64_t start_ns = cb_now_ns();

        for (size_t i = 0; i < touches; i++)
            sink = sink + bench_touch(data, size_bytes);
        repeats_ns[repeat] = (double)(cb_now_ns() - start_ns) / (double)touches;
    }
    free(data);
    return stats_summarize(repeats_ns, REPEATS).median;
}
