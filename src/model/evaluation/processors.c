#include "model/evaluation/processors.h"

/* The time since the processor's clock went on `activity`; the clock is put forward. */
static ccmod_status account(ccmod_engine *engine, uint32_t number, ccmod_activity activity,
                            double until_us)
{
    engine_processor *processor = &engine->processors[number];

    if (!(until_us > processor->clock_us))
        return CCMOD_OK;
    if (audience_wants(&engine->traffic.audience, CCMOD_SIGNAL_UPPR_PROC)) {
        ccmod_signal signal = {
            .of.interval = {.processor = number,
                            .activity = activity,
                            .since_us = processor->clock_us,
                            .line = processor->line,
                            .measured_us = engine->measured != NULL
                                               ? engine->measured[number].measured_us
                                               : -1}};

        CCMOD_TRY(ccmod_signal_send(&engine->traffic.audience, CCMOD_SIGNAL_UPPR_PROC, until_us,
                                    &signal));
    }
    processor->spent_us[activity] += until_us - processor->clock_us;
    processor->clock_us = until_us;
    return CCMOD_OK;
}

/* Waiting until the message started, and `activity` from then on. Hot: without a branch, since
 * no one can foresee which half of a message came first. */
static ccmod_status account_message(ccmod_engine *engine, uint32_t number, ccmod_activity activity,
                                    double start_us)
{
    engine_processor *processor = &engine->processors[number];
    double now_us = engine->traffic.now_us, clock_us = processor->clock_us;
    double moved_us = start_us > clock_us ? start_us : clock_us;

    if (audience_wants(&engine->traffic.audience, CCMOD_SIGNAL_UPPR_PROC)) {
        CCMOD_TRY(account(engine, number, CCMOD_WAITING, start_us));
        return account(engine, number, activity, now_us);
    }
    processor->spent_us[CCMOD_WAITING] += moved_us - clock_us;
    processor->spent_us[activity] += now_us - moved_us;
    processor->clock_us = now_us;
    return CCMOD_OK;
}

ccmod_status ccmod_processor_finish(ccmod_engine *engine, uint32_t number, bool blocked,
                                    ccmod_activity activity, double start_us)
{
    engine_processor *processor = &engine->processors[number];

    if (blocked) {
        CCMOD_TRY(account_message(engine, number, activity, start_us));
        return traffic_append(&engine->traffic, &engine->ready, number);
    }
    processor->outstanding--;
    if (processor->state != PROCESSOR_IN_WAIT || processor->outstanding > 0)
        return CCMOD_OK;
    CCMOD_TRY(account(engine, number, CCMOD_WAITING, engine->traffic.now_us));
    return traffic_append(&engine->traffic, &engine->ready, number);
}

ccmod_status ccmod_processor_resume(ccmod_engine *engine, uint32_t number)
{
    CCMOD_TRY(account(engine, number, (ccmod_activity)engine->processors[number].activity,
                      engine->traffic.now_us));
    return traffic_append(&engine->traffic, &engine->ready, number);
}

ccmod_status ccmod_processors_leave_barrier(ccmod_engine *engine)
{
    engine->in_barrier = 0;
    for (uint32_t number = 0; number < engine->processor_count; number++) {
        CCMOD_TRY(account(engine, number, CCMOD_WAITING, engine->traffic.now_us));
        CCMOD_TRY(traffic_append(&engine->traffic, &engine->ready, number));
    }
    return CCMOD_OK;
}
