/* The table of meters. */
#include "engine/meters.h"

#include <math.h>
#include <stddef.h>

#include "base/clock.h"

/* What the sum of the ranks' totals is divided by. */
typedef enum {
    METERS_PER_TIME, /* the mean time of their sections */
    METERS_PER_STEP  /* the steps in their sections; the total in us */
} meter_divisor;

typedef struct {
    report_column column;
    meter_divisor divisor;
    uint64_t (*sample)(void); /* of this process; its increase counts */
} meter;

/* At most METERS_MAXIMUM entries; the last has no sample function. */
static const meter table[] = {{REPORT_CPU_CORES, METERS_PER_TIME, cb_process_cpu_ns},
                              {REPORT_CPU_US_PER_STEP, METERS_PER_STEP, cb_process_cpu_ns},
                              {.sample = NULL}};

void meters_reset(meters *own)
{
    *own = (meters){.total = {0}};
}

/* The clock is read last at the start and first at the end: meters are not part of the time. */
void meters_begin(meters *own)
{
    for (size_t i = 0; table[i].sample != NULL; i++)
        own->begun[i] = table[i].sample();
    own->begun_ns = cb_now_ns();
}

void meters_end(meters *own)
{
    own->elapsed_ns += cb_now_ns() - own->begun_ns;
    for (size_t i = 0; table[i].sample != NULL; i++)
        own->total[i] += table[i].sample() - own->begun[i];
}

void meters_count(meters *own, uint64_t steps)
{
    own->steps += steps;
}

/* Time and steps of the sections: of a rank on average, and the most of any rank. */
typedef struct {
    double mean_ns, steps;
} meter_base;

static void fill(const meter *one, uint64_t sum, const meter_base *base, report_row *row)
{
    const double value =
        (double)sum / (one->divisor == METERS_PER_TIME ? base->mean_ns : 1e3 * base->steps);

    if (isfinite(value))
        report_set_number(row, one->column, value);
}

cb_status meters_report(meters *own, control_team *team, report_row *row)
{
    uint64_t sums[METERS_MAXIMUM + 1] = {0};
    double steps = (double)own->steps;
    meter_base base;
    size_t count = 0;

    for (; table[count].sample != NULL; count++)
        sums[count] = own->total[count];
    sums[count] = own->elapsed_ns;
    meters_reset(own);
    CB_TRY(control_sum(team, sums, count + 1));
    CB_TRY(control_maximum(team, &steps, 1));
    base = (meter_base){(double)sums[count] / (double)control_team_size(team), steps};
    for (size_t i = 0; row != NULL && i < count; i++)
        fill(&table[i], sums[i], &base, row);
    return CB_OK;
}
