/* What the technology counted, and how much of what was sent was lost. */
#include "engine/counters.h"

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
