/* TICK1 and TICK2 before a run, and Parkbench's parameters after a curve. */
#include "parkbench/method.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/session.h"
#include "stats/fit.h"

/* 1 % of a block of 1 ms: the largest error that reading the clock may add. */
static const uint64_t longest_tick_ns = 10000;

static const uint64_t tick2_interval_ns = 100000000;

/* Own options. */
typedef struct {
    uint64_t breakpoint_bytes; /* 0: none */
} parkbench_options;

const cb_option parkbench_own_options[PARKBENCH_OWN_OPTIONS] = {
    {.name = "breakpoint",
     .type = CB_OPTION_SIZE,
     .offset = offsetof(parkbench_options, breakpoint_bytes),
     .argument = "BYTES",
     .minimum = 1,
     .maximum = 1 << 30,
     .key = "breakpoint_bytes",
     .help = "Fit shorter messages apart from this size on, as 8KiB",
     .more = "Give the size at which the library changes its protocol. Without this option one "
             "linear fit covers all sizes."},
};

/* Results of TICK1 and TICK2, each of the worst clock. */
typedef struct {
    double tick1_ns, tick2_error_pct, tick2_bound_pct;
} parkbench_ticks;

/* What each rank reports about its clock. Plain data. */
typedef struct {
    char host[HOST_TEXT];
    cb_tick1 tick1;
    cb_tick2 tick2;
} clock_trial;

/* TICK2 is measured only if TICK1 passes. */
static bool passes_tick1(const cb_tick1 *found)
{
    return !found->goes_back && found->tick_ns > 0 && found->tick_ns <= longest_tick_ns;
}

static void try_clock(const host *machine, clock_trial *mine)
{
    host_environment environment;

    host_capture(machine, &environment);
    memcpy(mine->host, environment.name, sizeof(mine->host));
    mine->tick1 = cb_measure_tick1(cb_clock_measured());
    if (passes_tick1(&mine->tick1))
        mine->tick2 =
            cb_measure_tick2(cb_clock_measured(), cb_clock_wall(), tick2_interval_ns, cb_sleep_ns);
}

/* The first rank whose clock fails decides, with the same result in all ranks; rank 0 logs it. */
static cb_status check_trials(const clock_trial *trials, size_t ranks)
{
    for (size_t rank = 0; rank < ranks; rank++) {
        const clock_trial *trial = &trials[rank];
        char what[64];

        if (passes_tick1(&trial->tick1) && cb_tick2_is_true(&trial->tick2))
            continue;
        if (passes_tick1(&trial->tick1)) {
            cb_error("TICK2 failed: in an interval of %g ms CLOCK_MONOTONIC of rank %zu on "
                     "%s differs by %.3g %% from the time of day (uncertainty %.2g %%), more"
                     " than the %g %% allowed; look for a service that sets the time of day,"
                     " choose another clock source on that host, or leave the host out",
                     (double)tick2_interval_ns / 1e6, rank, trial->host, trial->tick2.error_pct,
                     trial->tick2.bound_pct, CB_TICK2_LIMIT_PCT);
            return CB_ERROR_USAGE;
        }
        if (trial->tick1.goes_back)
            snprintf(what, sizeof(what), "goes back");
        else if (trial->tick1.tick_ns == 0)
            snprintf(what, sizeof(what), "stands still");
        else
            snprintf(what, sizeof(what), "moves in steps of %g us",
                     (double)trial->tick1.tick_ns / 1e3);
        cb_error("TICK1 failed: CLOCK_MONOTONIC of rank %zu on %s %s, but blocks of 1 ms"
                 " need steps of at most %g us; choose another clock source on that host"
                 " (current_clocksource in "
                 "/sys/devices/system/clocksource/clocksource0), or leave the host out",
                 rank, trial->host, what, (double)longest_tick_ns / 1e3);
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

static parkbench_ticks worst_of(const clock_trial *trials, size_t ranks)
{
    parkbench_ticks worst = {0};

    for (size_t rank = 0; rank < ranks; rank++) {
        const clock_trial *trial = &trials[rank];

        worst.tick1_ns = fmax(worst.tick1_ns, (double)trial->tick1.tick_ns);
        if (rank == 0 || fabs(trial->tick2.error_pct) > fabs(worst.tick2_error_pct)) {
            worst.tick2_error_pct = trial->tick2.error_pct;
            worst.tick2_bound_pct = trial->tick2.bound_pct;
        }
    }
    return worst;
}

static cb_status check_clock(engine_session *session, void **state)
{
    control_team *everyone = control_everyone(session->plane);
    clock_trial mine = {0};
    clock_trial *trials = cb_allocate(session->job->ranks, sizeof(*trials), "the trials of clocks");
    parkbench_ticks *worst = cb_allocate(1, sizeof(*worst), "the worst clock");
    cb_status status = trials != NULL && worst != NULL ? CB_OK : CB_ERROR_MEMORY;

    *state = worst;
    CB_TRY_TO(done, status = control_agree(everyone, status));
    if (cb_virtual != NULL)
        goto done;
    try_clock(session->host, &mine);
    CB_TRY_TO(done, status = control_exchange(everyone, &mine, sizeof(mine), trials));
    cb_log_silence(control_rank(session->plane) != 0);
    status = check_trials(trials, session->job->ranks);
    cb_log_silence(false);
    *worst = worst_of(trials, session->job->ranks);
done:
    free(trials);
    return status;
}

/* The coarsest clock and the least accurate one. */
static cb_status put_ticks(void *state, engine_session *session, engine_job *job)
{
    const parkbench_ticks *worst = state;
    report_document *document = session->document;

    (void)job;
    if (document == NULL || cb_virtual != NULL)
        return CB_OK;
    report_put_number(document, worst->tick1_ns, "environment.clock.tick1_ns");
    report_put_number(document, worst->tick2_error_pct, "environment.clock.tick2_error_pct");
    report_put_number(document, worst->tick2_bound_pct, "environment.clock.tick2_bound_pct");
    return CB_OK;
}

/* A figure may be the time of many messages; Parkbench's parameters are for one message. */
static cb_status add_parameters(const engine_session *session, const bench_measurement *measurement,
                                size_t participants, const bench_curve *points)
{
    const parkbench_options *own = (const void *)session->job->options->own;
    const bench_mode *mode = measurement->mode;
    bool saturates = mode->figure == BENCH_ROUND;
    double messages = (double)bench_packets_of(mode->packets, measurement->count);
    double *times_us = cb_allocate(points->count, sizeof(*times_us), "the times of messages");
    stats_parkbench parts[STATS_PARKBENCH_PARTS];
    cb_status status = CB_OK;
    size_t written;

    if (times_us == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < points->count; i++)
        times_us[i] = points->figures_us[i] / messages;
    written = stats_parkbench_fit(points->bytes, times_us, points->count,
                                  (double)own->breakpoint_bytes, parts);
    for (size_t i = 0; i < written && status == CB_OK; i++)
        status =
            report_add_parkbench(session->document, mode->name, (double)participants,
                                 saturates ? "message_us" : "latency_us", saturates, &parts[i]);
    free(times_us);
    return status;
}

const bench_fit parkbench_fit = {.name = "parkbench", .always = true, .add = add_parameters};

const measurement_method parkbench_method = {
    .plain_traffic = true,
    .check_job = check_clock,
    .start = put_ticks,
    .close = free,
};
