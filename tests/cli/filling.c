/* Counts for a program that is a test how often buffers are filled or allocated with a fill: within
 * the blocks of steps, which are timed, and before them. The linker leads the calls here (--wrap).
 * A pool that grows, because another process holds the receiver's core, fills each new buffer once:
 * that is not counted.
 * At its end each rank writes a line "fills RANK BEFORE WITHIN" to the file fills.RANK. */
#include <stdbool.h>
#include <stdio.h>

#include "base/memory.h"
#include "control/control.h"
#include "engine/pass.h"
#include "engine/rank.h"

static struct {
    bool within; /* written by the measuring thread, outside of its threads' lives */
    unsigned long before, inside;
} fills;

static _Thread_local bool grows;

static void count(void)
{
    if (grows)
        return;
    __atomic_fetch_add(fills.within ? &fills.inside : &fills.before, 1, __ATOMIC_RELAXED);
}

cb_status __real_block_run(bench_rank *me, const bench_actions *actions, uint64_t steps,
                           double *elapsed_ns);
cb_status __wrap_block_run(bench_rank *me, const bench_actions *actions, uint64_t steps,
                           double *elapsed_ns);

cb_status __wrap_block_run(bench_rank *me, const bench_actions *actions, uint64_t steps,
                           double *elapsed_ns)
{
    cb_status status;

    fills.within = true;
    status = __real_block_run(me, actions, steps, elapsed_ns);
    fills.within = false;
    return status;
}

cb_status __real_block_run_stepwise(bench_rank *me, const bench_actions *actions, uint64_t steps,
                                    stats_histogram *histogram, const wait_watch *watch);
cb_status __wrap_block_run_stepwise(bench_rank *me, const bench_actions *actions, uint64_t steps,
                                    stats_histogram *histogram, const wait_watch *watch);

cb_status __wrap_block_run_stepwise(bench_rank *me, const bench_actions *actions, uint64_t steps,
                                    stats_histogram *histogram, const wait_watch *watch)
{
    cb_status status;

    fills.within = true;
    status = __real_block_run_stepwise(me, actions, steps, histogram, watch);
    fills.within = false;
    return status;
}

void __real_traffic_fill(void *data, size_t size_bytes);
void __wrap_traffic_fill(void *data, size_t size_bytes);

void __wrap_traffic_fill(void *data, size_t size_bytes)
{
    count();
    __real_traffic_fill(data, size_bytes);
}

void *__real_cb_allocate_aligned(size_t alignment, size_t bytes, const char *purpose);
void *__wrap_cb_allocate_aligned(size_t alignment, size_t bytes, const char *purpose);

void *__wrap_cb_allocate_aligned(size_t alignment, size_t bytes, const char *purpose)
{
    count();
    return __real_cb_allocate_aligned(alignment, bytes, purpose);
}

cb_status __real_transport_pool_grow(transport_pool *pool);
cb_status __wrap_transport_pool_grow(transport_pool *pool);

cb_status __wrap_transport_pool_grow(transport_pool *pool)
{
    cb_status status;

    grows = fills.within;
    status = __real_transport_pool_grow(pool);
    grows = false;
    return status;
}

__attribute__((destructor)) static void write_counts(void)
{
    char path[32];
    FILE *file;

    snprintf(path, sizeof(path), "fills.%d", control_launch_rank());
    file = fopen(path, "w");
    if (file == NULL)
        return;
    fprintf(file, "fills %d %lu %lu\n", control_launch_rank(), fills.before, fills.inside);
    fclose(file);
}
