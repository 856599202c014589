/* The load is the last measurement that the aggressor's options ask for: the largest. */
#include "congest/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "engine/method.h"

/* Repeat the last error, which may be suppressed, with the option that it is about. */
static cb_status of_option(const engine_session *session, const char *option, cb_status status)
{
    char text[CB_LAST_ERROR_BYTES];

    snprintf(text, sizeof(text), "%s", cb_last_error());
    cb_log_silence(control_rank(session->plane) != 0);
    if (cb_is_error(status))
        cb_error("%s: %s", option, text);
    return status;
}

static cb_status parse_command(const engine_session *session, const char *option, const char *text,
                               bool quiet, congest_command *out)
{
    if (text == NULL) {
        cb_error("%s is missing; give a benchmark and its options, as %s 'oneway --sizes 64'",
                 option, option);
        return CB_ERROR_USAGE;
    }
    cb_log_silence(true);
    return of_option(session, option,
                     congest_command_parse(session->job->program, text, quiet, out));
}

static cb_status check_rate(const engine_session *session, congest_run *run)
{
    const congest_options *options = congest_options_of(session);
    const congest_command *command = &run->aggressor;
    const measurement_method *method = plan_method(&command->definition, &command->options);
    const char *name = command->definition.name;

    if (options->arrivals != NULL && options->rate_hz <= 0) {
        cb_error(
            "--aggressor-arrivals has no effect without --aggressor-rate; leave it out, or add "
            "the other");
        return CB_ERROR_USAGE;
    }
    if (command->kind == CONGEST_SENDS && method != NULL && method->measure != NULL &&
        method->load == NULL) {
        cb_error("--aggressor: %s with --rate cannot be an aggressor; use --aggressor-rate", name);
        return CB_ERROR_USAGE;
    }
    if (options->rate_hz > 0 && command->kind != CONGEST_SENDS) {
        cb_error("--aggressor-rate has no effect on an aggressor that sends nothing; leave it out");
        return CB_ERROR_USAGE;
    }
    if (options->rate_hz > 0 && method != NULL && method->load != NULL) {
        cb_error("--aggressor-rate: %s has events at a rate itself; give --rate and --arrivals in "
                 "--aggressor",
                 name);
        return CB_ERROR_USAGE;
    }
    CB_TRY(rate_arrivals_parse(options->arrivals, &run->arrivals));
    return options->rate_hz > 0 ? rate_arrivals_check_rate(&run->arrivals, options->rate_hz)
                                : CB_OK;
}

static cb_status check_ranks(const engine_session *session, congest_run *run)
{
    const congest_options *options = congest_options_of(session);
    const cb_list *counts = &options->aggressor_ranks;

    run->victim_count =
        options->victim_ranks > 0 ? (size_t)options->victim_ranks : (session->job->ranks + 1) / 2;
    if (run->victim_count >= session->job->ranks) {
        cb_error("%zu victims leave no aggressor in a job of %zu ranks; start more ranks, or lower "
                 "--victim-ranks",
                 run->victim_count, session->job->ranks);
        return CB_ERROR_USAGE;
    }
    for (size_t i = 0; i < counts->count; i++)
        if (counts->values[i] > session->job->ranks - run->victim_count) {
            cb_error(
                "--aggressor-ranks %llu: %zu victims leave %zu of %zu ranks; start more ranks, or "
                "lower one of the two",
                (unsigned long long)counts->values[i], run->victim_count,
                session->job->ranks - run->victim_count, session->job->ranks);
            return CB_ERROR_USAGE;
        }
    return CB_OK;
}

cb_status congest_plan_parse(const engine_session *session, congest_run *run)
{
    const congest_options *options = congest_options_of(session);

    CB_TRY(parse_command(session, "--victim", options->victim, false, &run->victim));
    CB_TRY(parse_command(session, "--aggressor", options->aggressor, true, &run->aggressor));
    CB_TRY(check_rate(session, run));
    return check_ranks(session, run);
}

static cb_status plan_command(const engine_session *session, const char *option,
                              const congest_command *command, size_t ranks, bench_plan *out)
{
    char what[CB_LAST_ERROR_BYTES];

    snprintf(what, sizeof(what), "%s on %zu ranks", option, ranks);
    cb_log_silence(true);
    return of_option(session, what, plan_make(&command->definition, &command->options, ranks, out));
}

static size_t largest_of(const congest_command *command, const bench_plan *plan)
{
    return method_message_bytes(plan_method(&command->definition, &command->options),
                                plan->largest_bytes);
}

static cb_status plan_aggressors(const engine_session *session, congest_run *run)
{
    const cb_list *counts = &congest_options_of(session)->aggressor_ranks;

    run->aggressor_plan_count = counts->count > 0 ? counts->count : 1;
    run->aggressor_plans =
        cb_allocate(run->aggressor_plan_count, sizeof(bench_plan), "the plans of aggressors");
    if (run->aggressor_plans == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; run->aggressor.kind == CONGEST_SENDS && i < run->aggressor_plan_count; i++)
        CB_TRY(plan_command(session, "--aggressor", &run->aggressor,
                            counts->count > 0 ? (size_t)counts->values[i]
                                              : session->job->ranks - run->victim_count,
                            &run->aggressor_plans[i]));
    return CB_OK;
}

cb_status congest_plan_make(const engine_session *session, congest_run *run, bench_plan *out)
{
    const cb_list *counts = &congest_options_of(session)->aggressor_ranks;
    size_t count;

    CB_TRY(plan_command(session, "--victim", &run->victim, run->victim_count, &run->victim_plan));
    CB_TRY(plan_aggressors(session, run));
    count = run->victim_plan.count * run->aggressor_plan_count;
    run->pairs = cb_allocate(count, sizeof(*run->pairs), "the plan");
    out->measurements = cb_allocate(count, sizeof(*out->measurements), "the plan");
    if (run->pairs == NULL || out->measurements == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(congest_team_allocate(session->job->ranks, &run->victims));
    CB_TRY(congest_team_allocate(session->job->ranks, &run->aggressors));
    run->planned = out->measurements;
    out->largest_bytes = largest_of(&run->victim, &run->victim_plan);
    for (size_t i = 0; i < run->aggressor_plan_count; i++) {
        const bench_plan *plan = &run->aggressor_plans[i];
        const size_t bytes = largest_of(&run->aggressor, plan);

        if (bytes > out->largest_bytes)
            out->largest_bytes = bytes;
        for (size_t k = 0; k < run->victim_plan.count; k++) {
            const bench_measurement *victim = &run->victim_plan.measurements[k];

            run->pairs[out->count] = (congest_pair){
                .victim = victim,
                .aggressor_count = counts->count > 0 ? (size_t)counts->values[i]
                                                     : session->job->ranks - run->victim_count,
                .aggressor = plan->count > 0 ? &plan->measurements[plan->count - 1] : NULL};
            out->measurements[out->count++] =
                (bench_measurement){.mode = &session->job->definition->modes[0],
                                    .count = session->job->ranks,
                                    .size_bytes = victim->size_bytes,
                                    .algorithm_us = victim->algorithm_us};
        }
    }
    return CB_OK;
}
