/* Meters, counters, and what becomes of an outcome. */
#include "engine/outcome.h"

#include <stddef.h>
#include <stdlib.h>

/* How the totals of the ranks become one. */
typedef enum { METERS_SUM, METERS_MOST } meter_combination;

typedef struct {
    report_column column;
    meter_combination combination;
    uint64_t (*sample)(void); /* of this process so far; what it grows by counts */
} meter;

/* At most METERS_MAXIMUM, ended by one without a sample. */
static const meter table[] = {{.sample = NULL}};

void meters_reset(meters *own)
{
    *own = (meters){.total = {0}};
}

void meters_begin(meters *own)
{
    for (size_t i = 0; table[i].sample != NULL; i++)
        own->begun[i] = table[i].sample();
}

void meters_end(meters *own)
{
    for (size_t i = 0; table[i].sample != NULL; i++)
        own->total[i] += table[i].sample() - own->begun[i];
}

cb_status meters_report(meters *own, control_team *team, report_row *row)
{
    uint64_t sums[METERS_MAXIMUM] = {0};
    double most[METERS_MAXIMUM] = {0};
    size_t count = 0;

    for (; table[count].sample != NULL; count++) {
        sums[count] = own->total[count];
        most[count] = (double)own->total[count];
    }
    meters_reset(own);
    if (count == 0)
        return CB_OK;
    CB_TRY(control_sum(team, sums, count));
    CB_TRY(control_maximum(team, most, count));
    for (size_t i = 0; row != NULL && i < count; i++)
        report_set_number(row, table[i].column,
                          table[i].combination == METERS_SUM ? (double)sums[i] : most[i]);
    return CB_OK;
}

cb_status counters_sum(engine_session *session, control_team *team, cb_counts *out)
{
    const cb_counter_set *set = session->technology->ops.counters;

    *out = (cb_counts){.set = set};
    if (set == NULL)
        return CB_OK;
    for (size_t i = 0; i < set->count; i++) {
        out->values[i] = session->technology->counters[i] - session->counted[i];
        session->counted[i] = session->technology->counters[i];
    }
    return control_sum(team, out->values, set->count);
}

/* Steps go on without the packets that are lost, which are no payload. */
cb_status counters_lost_share(const measurement_setting *setting, const bench_rank *me,
                              double *share)
{
    const unsigned capabilities = transport_capabilities(setting->session->technology);
    uint64_t counts[] = {me->received.packets, me->received.lost};

    if ((capabilities & (TRANSPORT_DELIVERS | TRANSPORT_RELIABLE)) != TRANSPORT_DELIVERS)
        return CB_OK;
    CB_TRY(control_sum(setting->team, counts, 2));
    if (counts[0] + counts[1] > 0)
        *share = (double)counts[1] / (double)(counts[0] + counts[1]);
    return CB_OK;
}

void measurement_outcome_free(measurement_outcome *outcome)
{
    free(outcome->blocks_ns);
    free(outcome->histogram);
    free(outcome->shares);
    *outcome = (measurement_outcome){0};
}
