/* Rows from begin to end. */
#include "engine/rows.h"

#include "engine/algorithm.h"
#include "engine/figures.h"
#include "engine/verification.h"

void row_begin(row_base *own, engine_session *session)
{
    meters_reset(&own->timed);
    own->arrived = (fragments_arrived){0};
    own->delivery = (delivery_counts){0};
    own->skew_ns = 0;
    own->algorithm_runs = own->algorithm_ns = 0;
    counting_begin(&session->counting, session->technology);
}

void row_end(engine_session *session)
{
    counting_end(&session->counting, session->technology);
}

cb_status row_gather(row_base *own, const measurement_setting *setting, report_row *row)
{
    engine_session *session = setting->session;

    CB_TRY(algorithm_mean_us(setting->team, own->algorithm_ns, own->algorithm_runs,
                             &own->algorithm_true_us));
    CB_TRY(counting_gather(&session->counting, session->technology, setting->team, &own->counters));
    if (setting->planned->varied)
        CB_TRY(fragments_summarize(setting->team, own->arrived, &own->fragment_mean_bytes,
                                   &own->fragment_largest_bytes));
    return meters_report(&own->timed, setting->team, row);
}

cb_status row_write(const row_base *own, const measurement_setting *setting, const char *counted,
                    row_fill *fill, void *context, report_row *row)
{
    cb_status status;

    verification_note(setting->session, &own->verification);
    if (figures_nothing_arrived(&own->delivery)) {
        status = figures_refuse(setting, counted, own->delivery.lost);
    } else {
        status = fill(context, setting, row);
        if (status == CB_OK)
            status = report_add(setting->session->document, row);
    }
    report_row_clear(row);
    return status;
}
