/* Calibrated work: a chain of multiplications and shifts that neither a compiler nor a processor
 * can shorten or overlap, and the measurement of what a unit of it costs. */
#include "host/work.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/order.h"

enum { UNIT_ROUNDS = 128, BLOCKS = 101, BLOCK_UNITS = 256 };

static const uint64_t initial_state = 0x243f6a8885a308d3u; /* the first digits of pi */
static const uint64_t odd_factor = 0x9e3779b97f4a7c15u;    /* of the golden ratio */

/* One round can be undone, so that no two states ever become one and every round shows in the
 * result. The empty instruction forbids the compiler to see through several rounds at once, or to
 * take two calls for one. */
static inline uint64_t one_round(uint64_t state)
{
    state = (state ^ state >> 32) * odd_factor;
    __asm__ volatile("" : "+r"(state));
    return state;
}

uint64_t host_work_on(uint64_t state, uint64_t units)
{
    for (uint64_t unit = 0; unit < units; unit++)
        for (unsigned round = 0; round < UNIT_ROUNDS; round++)
            state = one_round(state);
    return state;
}

uint64_t host_work(uint64_t units)
{
    return host_work_on(initial_state, units);
}

static void time_blocks(double *units_ns, size_t count)
{
    uint64_t before_ns = cb_now_ns();

    for (size_t i = 0; i < count; i++) {
        uint64_t now_ns;

        (void)host_work(BLOCK_UNITS);
        now_ns = cb_now_ns();
        units_ns[i] = (double)(now_ns - before_ns) / BLOCK_UNITS;
        before_ns = now_ns;
    }
}

/* The first pass brings the core up to its speed and is not counted. */
cb_status host_work_calibrate(host_work_rate *out)
{
    double units_ns[BLOCKS];

    time_blocks(units_ns, BLOCKS);
    time_blocks(units_ns, BLOCKS);
    qsort(units_ns, BLOCKS, sizeof(units_ns[0]), cb_ascending_reals);
    *out = (host_work_rate){
        .unit_ns = units_ns[BLOCKS / 2], .least_ns = units_ns[0], .most_ns = units_ns[BLOCKS - 1]};
    if (out->unit_ns <= 0) {
        cb_error("cannot calibrate the work of an algorithm: no time passed on the clock while "
                 "%d units were done; check the clock source of this host",
                 BLOCK_UNITS);
        return CB_ERROR_SYSTEM;
    }
    out->spread_pct = 100 * (units_ns[3 * BLOCKS / 4] - units_ns[BLOCKS / 4]) / out->unit_ns;
    return CB_OK;
}

cb_status host_work_refine(host_work_rate *rate)
{
    host_work_rate now;

    CB_TRY(host_work_calibrate(&now));
    if (now.unit_ns < rate->unit_ns)
        *rate = now;
    return CB_OK;
}

uint64_t host_work_units(const host_work_rate *rate, double us)
{
    return us > 0 ? (uint64_t)(us * 1e3 / rate->unit_ns + 0.5) : 0;
}
