/* What became of the messages of a measurement over an unreliable technology: counts for the row,
 * and how much of the payload was delivered. Over a reliable one nothing is counted or agreed. */
#include "engine/datagrams.h"

static bool counts_datagrams(const engine_session *session)
{
    return (transport_capabilities(session->technology) &
            (TRANSPORT_DELIVERS | TRANSPORT_RELIABLE)) == TRANSPORT_DELIVERS;
}

/* Since the counts were last told, summed over the team. */
cb_status datagrams_sum(engine_session *session, control_team *team, report_datagrams *out)
{
    const transport_datagrams *now = &session->technology->datagrams, *told = &session->told;
    uint64_t counts[] = {now->sent - told->sent,           now->received - told->received,
                         now->unsent - told->unsent,       now->lost - told->lost,
                         now->late - told->late,           now->doubled - told->doubled,
                         now->reordered - told->reordered, now->overrun - told->overrun,
                         now->foreign - told->foreign};

    *out = (report_datagrams){.done = false};
    if (!counts_datagrams(session))
        return CB_OK;
    session->told = *now;
    CB_TRY(control_sum(team, counts, sizeof(counts) / sizeof(counts[0])));
    *out = (report_datagrams){.sent = counts[0],
                              .received = counts[1],
                              .unsent = counts[2],
                              .lost = counts[3],
                              .late = counts[4],
                              .doubled = counts[5],
                              .reordered = counts[6],
                              .overrun = counts[7],
                              .foreign = counts[8],
                              .done = true};
    return CB_OK;
}

/* Steps go on without the packets that are lost, which are no payload. */
cb_status datagrams_lost_share(const measurement_setting *setting, const bench_rank *me,
                               double *share)
{
    uint64_t counts[] = {me->received.packets, me->received.lost};

    if (!counts_datagrams(setting->session))
        return CB_OK;
    CB_TRY(control_sum(setting->team, counts, 2));
    if (counts[0] + counts[1] > 0)
        *share = (double)counts[1] / (double)(counts[0] + counts[1]);
    return CB_OK;
}
