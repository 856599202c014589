/* The loop over null, and the touching of a packet. */
#include "engine/harness.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/block.h"
#include "engine/benchmark.h"
#include "stats/stats.h"

enum { HARNESS_BLOCKS = 11, HARNESS_BLOCK_NS = 500000 };

/* The number of steps of a block is doubled from one: a step can be longer than a block. */
static cb_status median_step(bench_rank *me, const bench_actions *actions, double block_ns,
                             double *step_ns)
{
    double blocks_ns[HARNESS_BLOCKS], elapsed_ns = 0;
    uint64_t steps;

    for (steps = 1; steps < (1ull << 40); steps *= 2) {
        CB_TRY(block_run(me, actions, steps, &elapsed_ns));
        if (elapsed_ns >= block_ns)
            break;
    }
    for (size_t i = 0; i < HARNESS_BLOCKS; i++)
        CB_TRY(block_run(me, actions, steps, &blocks_ns[i]));
    *step_ns = stats_summarize(blocks_ns, HARNESS_BLOCKS).median / (double)steps;
    return CB_OK;
}

cb_status harness_step_ns(const rank_setting *setting, transport_factory *null,
                          const bench_traffic *traffic, double budget_ns, double *step_ns)
{
    double block_ns = fmin(budget_ns / (HARNESS_BLOCKS + 2), HARNESS_BLOCK_NS);
    const bench_actions *actions;
    bench_rank *me;
    cb_status status;

    CB_TRY(rank_create(setting, null, &me, &actions));
    rank_reset(me, traffic);
    status = rank_set_up(setting->definition, me);
    if (status == CB_OK)
        status = median_step(me, actions, block_ns, step_ns);
    rank_destroy(setting->definition, me);
    return status;
}

double harness_touch_ns(size_t size_bytes)
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
            sink = sink + traffic_touch(data, size_bytes);
        repeats_ns[repeat] = (double)(cb_now_ns() - start_ns) / (double)touches;
    }
    free(data);
    return stats_summarize(repeats_ns, REPEATS).median;
}
