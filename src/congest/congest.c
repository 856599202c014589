/* The phases of a measurement, and its row.
 *
 *   victims      alone, beside, alone, beside, ... alone: each phase is a whole measurement
 *   aggressors   sleep, load, sleep, load, ... sleep
 *
 * Rank 0 starts and stops the load by notes between two phases. Both teams have a session of their
 * own: that of the job, but with their part of the control plane, their benchmark and its options.
 */
#include "congest/congest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "congest/load.h"
#include "congest/team.h"
#include "engine/fragments.h"
#include "engine/measurement.h"
#include "engine/plan_run.h"

enum { MEAN, P50, P99, P99_9, FIGURES };

static const char *const figure_names[FIGURES] = {"mean", "p50", "p99", "p99_9"};

/* A measurement of the plan: one of the victim beside a number of aggressors. */
typedef struct {
    const bench_measurement *victim;
    size_t aggressor_count;
    const bench_measurement *aggressor; /* NULL: it sends nothing */
} congest_pair;

/* The figures of a phase. */
typedef struct {
    double figures_us[FIGURES]; /* NaN: not measured */
    double throughput_MBps;
} congest_phase;

typedef struct {
    congest_command victim, aggressor;
    bench_plan victim_plan;
    bench_plan *aggressor_plans; /* by number of aggressors */
    size_t aggressor_plan_count;
    congest_pair *pairs; /* by measurement of the plan */
    const bench_measurement *planned;
    size_t victim_count;
    farm_arrivals arrivals;
    /* Of the current measurement */
    const congest_pair *pair;
    control *job; /* the plane of all ranks */
    congest_team victims, aggressors;
    report_row row; /* of the last phase; rank 0 only, like all below */
    congest_phase alone[CONGEST_ROUNDS_MOST + 1], beside[CONGEST_ROUNDS_MOST];
    size_t rounds;      /* completed */
    congest_note tally; /* summed over the rounds */
    bool failed;        /* an aggressor could not go on */
} congest_run;

static const congest_options *options_of(const engine_session *session)
{
    return (const congest_options *)session->options->own;
}

/* The plan */

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
    return of_option(session, option, congest_command_parse(session->program, text, quiet, out));
}

static cb_status check_rate(const engine_session *session, congest_run *run)
{
    const congest_options *options = options_of(session);
    const congest_command *command = &run->aggressor;
    const measurement_method *method = session_method(&command->definition, &command->options);
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
    CB_TRY(farm_arrivals_parse(options->arrivals, &run->arrivals));
    return options->rate_hz > 0 ? farm_arrivals_check_rate(&run->arrivals, options->rate_hz)
                                : CB_OK;
}

static cb_status check_ranks(const engine_session *session, congest_run *run)
{
    const congest_options *options = options_of(session);
    const cb_list *counts = &options->aggressor_ranks;

    run->victim_count =
        options->victim_ranks > 0 ? (size_t)options->victim_ranks : (session->ranks + 1) / 2;
    if (run->victim_count >= session->ranks) {
        cb_error("%zu victims leave no aggressor in a job of %zu ranks; start more ranks, or lower "
                 "--victim-ranks",
                 run->victim_count, session->ranks);
        return CB_ERROR_USAGE;
    }
    for (size_t i = 0; i < counts->count; i++)
        if (counts->values[i] > session->ranks - run->victim_count) {
            cb_error(
                "--aggressor-ranks %llu: %zu victims leave %zu of %zu ranks; start more ranks, or "
                "lower one of the two",
                (unsigned long long)counts->values[i], run->victim_count,
                session->ranks - run->victim_count, session->ranks);
            return CB_ERROR_USAGE;
        }
    return CB_OK;
}

static cb_status parse_all(const engine_session *session, congest_run *run)
{
    const congest_options *options = options_of(session);

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
    return method_message_bytes(command->definition.method, plan->largest_bytes);
}

static cb_status plan_aggressors(const engine_session *session, congest_run *run)
{
    const cb_list *counts = &options_of(session)->aggressor_ranks;

    run->aggressor_plan_count = counts->count > 0 ? counts->count : 1;
    run->aggressor_plans =
        cb_allocate(run->aggressor_plan_count, sizeof(bench_plan), "the plans of aggressors");
    if (run->aggressor_plans == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; run->aggressor.kind == CONGEST_SENDS && i < run->aggressor_plan_count; i++)
        CB_TRY(plan_command(session, "--aggressor", &run->aggressor,
                            counts->count > 0 ? (size_t)counts->values[i]
                                              : session->ranks - run->victim_count,
                            &run->aggressor_plans[i]));
    return CB_OK;
}

/* The load is the last measurement that the aggressor's options ask for: the largest. */
static cb_status make_plan(const engine_session *session, congest_run *run, bench_plan *out)
{
    const cb_list *counts = &options_of(session)->aggressor_ranks;
    size_t count;

    CB_TRY(plan_command(session, "--victim", &run->victim, run->victim_count, &run->victim_plan));
    CB_TRY(plan_aggressors(session, run));
    count = run->victim_plan.count * run->aggressor_plan_count;
    run->pairs = cb_allocate(count, sizeof(*run->pairs), "the plan");
    out->measurements = cb_allocate(count, sizeof(*out->measurements), "the plan");
    if (run->pairs == NULL || out->measurements == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(congest_team_allocate(session->ranks, &run->victims));
    CB_TRY(congest_team_allocate(session->ranks, &run->aggressors));
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
                                                     : session->ranks - run->victim_count,
                .aggressor = plan->count > 0 ? &plan->measurements[plan->count - 1] : NULL};
            out->measurements[out->count++] =
                (bench_measurement){.mode = &session->definition->modes[0],
                                    .count = session->ranks,
                                    .size_bytes = victim->size_bytes,
                                    .algorithm_us = victim->algorithm_us};
        }
    }
    return CB_OK;
}

static const measurement_method congest_method;

cb_status congest_plan(engine_session *session, bench_plan *out)
{
    congest_run *run = cb_allocate(1, sizeof(*run), "the measurement");

    session->method = &congest_method;
    session->method_state = run;
    CB_TRY(control_agree(control_everyone(session->plane), run != NULL ? CB_OK : CB_ERROR_MEMORY));
    CB_TRY(session_agree_on_plan(session, parse_all(session, run)));
    CB_TRY(fragments_share(session->plane, &run->victim.options));
    CB_TRY(fragments_share(session->plane, &run->aggressor.options));
    return session_agree_on_plan(session, make_plan(session, run, out));
}

static void close_state(void *state)
{
    congest_run *run = state;

    if (run == NULL)
        return;
    for (size_t i = 0; run->aggressor_plans != NULL && i < run->aggressor_plan_count; i++)
        plan_free(&run->aggressor_plans[i]);
    free(run->aggressor_plans);
    plan_free(&run->victim_plan);
    farm_arrivals_free(&run->arrivals);
    congest_command_free(&run->victim);
    congest_command_free(&run->aggressor);
    free(run->pairs);
    congest_team_free(&run->victims);
    congest_team_free(&run->aggressors);
    free(run);
}

/* The two teams */

/* Whether both teams at once are more busy ranks than cores. */
static cb_status is_crowded(const engine_session *session, const congest_run *run, bool *out)
{
    const size_t aggressors = run->aggressor.kind == CONGEST_SLEEPS ? 0 : run->aggressors.count;
    int *busy = cb_allocate(run->victims.count + aggressors, sizeof(*busy), "the busy ranks");

    if (busy == NULL)
        return CB_ERROR_MEMORY;
    memcpy(busy, run->victims.ranks, run->victims.count * sizeof(*busy));
    memcpy(busy + run->victims.count, run->aggressors.ranks, aggressors * sizeof(*busy));
    *out = machines_oversubscribed(&session->machines, busy, run->victims.count + aggressors);
    free(busy);
    return CB_OK;
}

/* All ranks of the job compute the same. */
static cb_status choose_teams(congest_run *run, const measurement_setting *job, bool *crowded)
{
    const engine_session *session = job->session;
    const bool interleaved = strcmp(options_of(session)->placement, congest_placements[0]) == 0;

    run->pair = &run->pairs[job->planned - run->planned];
    run->victims.member_count = run->victim_count;
    run->aggressors.member_count = run->pair->aggressor_count;
    CB_TRY(congest_place(interleaved, session->machines.hosts, session->ranks, run->victim_count,
                         run->pair->aggressor_count, run->victims.members,
                         run->aggressors.members));
    CB_TRY(congest_team_choose(session, &run->victim, run->pair->victim, &run->victims));
    CB_TRY(congest_team_choose(session, &run->aggressor, run->pair->aggressor, &run->aggressors));
    return is_crowded(session, run, crowded);
}

/* Phases */

static void keep_row(void *context, report_row *row)
{
    congest_run *run = context;

    report_row_clear(&run->row);
    run->row = *row;
    *row = (report_row){.broken = false};
}

static double mean_of_blocks(const report_row *row)
{
    const size_t count = (size_t)fmax(0, report_row_number(row, REPORT_BLOCKS, ""));
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        char place[24];

        snprintf(place, sizeof(place), "%zu", i);
        sum += report_row_number(row, REPORT_BLOCKS_US, place);
    }
    return count > 0 ? sum / (double)count : REPORT_ABSENT;
}

/* The time of an event where the benchmark has events, else of a step. */
static congest_phase figures_of(const report_row *row)
{
    const report_column times =
        report_row_has(row, REPORT_EVENT_LATENCY_US) ? REPORT_EVENT_LATENCY_US : REPORT_STEP_US;
    congest_phase phase = {.throughput_MBps = report_row_number(row, REPORT_THROUGHPUT_MBPS, "")};

    phase.figures_us[MEAN] = mean_of_blocks(row);
    for (size_t figure = P50; figure < FIGURES; figure++)
        phase.figures_us[figure] = report_row_number(row, times, figure_names[figure]);
    return phase;
}

/* Measure the victim once. The row is kept at rank 0. */
static cb_status run_phase(congest_run *run, congest_phase *phase)
{
    congest_team *team = &run->victims;
    report_document *document = team->session.document;
    measurement_outcome outcome;
    measurement_result ignored;
    cb_status status;

    if (document != NULL)
        report_divert(document, keep_row, run);
    status = measurement_run(&team->setting, &outcome);
    status = measurement_report(&team->setting, &outcome, status, &ignored);
    measurement_outcome_free(&outcome);
    if (document == NULL)
        return status;
    report_divert(document, NULL, NULL);
    *phase = figures_of(&run->row);
    return status;
}

/* Notes of rank 0 and the first aggressor */

static cb_status tell_aggressors(const congest_run *run, congest_event event)
{
    const congest_note note = {.event = event};

    return control_tell(run->job, run->aggressors.ranks[0], &note, sizeof(note));
}

/* Rank 0: tell the aggressors to start or to stop, and wait until they have. If one has failed, the
 * victims end the run as well. */
static cb_status order(congest_run *run, congest_event event, congest_note *answer)
{
    CB_TRY(tell_aggressors(run, event));
    CB_TRY(control_await(run->job, answer, sizeof(*answer)));
    if (answer->event != CONGEST_FAILED)
        return CB_OK;
    run->failed = true;
    cb_error("rank %d, an aggressor, cannot go on, as its message says; the row of the victim is "
             "marked, and the run ends",
             answer->rank);
    return CB_ERROR_TRANSPORT;
}

static cb_status order_for_all(congest_run *run, congest_event event, congest_note *answer)
{
    const bool leads = run->victims.session.document != NULL;

    return control_agree(run->victims.setting.team, leads ? order(run, event, answer) : CB_OK);
}

static void add_tally(congest_note *sum, const congest_note *tally)
{
    sum->turns += tally->turns;
    sum->packets += tally->packets;
    sum->busy_ns += tally->busy_ns;
    sum->elapsed_ns += tally->elapsed_ns;
}

static cb_status run_rounds(congest_run *run, size_t rounds)
{
    congest_note answer = {.event = CONGEST_DONE};
    report_row beside = {.broken = false};
    cb_status status = run_phase(run, &run->alone[0]);

    for (size_t round = 0; round < rounds && status == CB_OK; round++) {
        status = order_for_all(run, CONGEST_BEGIN, &answer);
        if (status == CB_OK)
            status = run_phase(run, &run->beside[round]);
        report_row_clear(&beside);
        beside = run->row;
        run->row = (report_row){.broken = false};
        if (status == CB_OK)
            status = order_for_all(run, CONGEST_STOP, &answer);
        add_tally(&run->tally, &answer);
        if (status == CB_OK)
            status = run_phase(run, &run->alone[round + 1]);
        run->rounds += status == CB_OK;
    }
    if (report_row_has(&beside, REPORT_MODE)) {
        report_row_clear(&run->row);
        run->row = beside;
    }
    return status;
}

/* The row */

static double typical_bytes(const bench_measurement *measurement)
{
    return measurement != NULL ? (double)plan_typical_bytes(measurement) : 0;
}

static void fill_aggressor(const congest_run *run, const engine_session *session, report_row *row)
{
    const congest_options *options = options_of(session);
    const congest_note *tally = &run->tally;
    const bool sends = run->aggressor.kind == CONGEST_SENDS;
    const size_t shared =
        congest_shared_hosts(session->machines.hosts, run->victims.ranks, run->victims.count,
                             run->aggressors.ranks, run->aggressors.count);

    report_set_text(row, REPORT_VICTIM, run->victim.text);
    report_set_text(row, REPORT_AGGRESSOR, run->aggressor.text);
    report_set_text(row, REPORT_AGGRESSOR_PLACEMENT, options->placement);
    report_set_number(row, REPORT_AGGRESSOR_RANKS, (double)run->aggressors.count);
    if (options->rate_hz > 0) {
        report_set_number(row, REPORT_AGGRESSOR_RATE_HZ, options->rate_hz);
        report_set_text(row, REPORT_AGGRESSOR_ARRIVALS, options->arrivals);
    }
    if (session->machines.host_count > 1)
        report_set_number(row, REPORT_SHARED_HOSTS, (double)shared);
    if (run->failed)
        report_set_flag(row, REPORT_AGGRESSOR_FAILED, true);
    if (!sends || tally->elapsed_ns <= 0)
        return;
    report_set_number(row, REPORT_AGGRESSOR_SIZE_BYTES, typical_bytes(run->pair->aggressor));
    report_set_number(row, REPORT_AGGRESSOR_MBPS,
                      tally->packets * typical_bytes(run->pair->aggressor) / tally->elapsed_ns *
                          1e3);
    report_set_number(row, REPORT_AGGRESSOR_TURNS, tally->turns);
    report_set_number(row, REPORT_AGGRESSOR_BUSY_PCT, 100 * tally->busy_ns / tally->elapsed_ns);
}

static void fill_hosts(const congest_run *run, const engine_session *session, report_row *row)
{
    const struct {
        const char *name;
        const congest_team *team;
    } teams[] = {{"victim", &run->victims}, {"aggressor", &run->aggressors}};

    for (size_t side = 0; session->machines.host_count > 1 && side < 2; side++)
        for (size_t at = 0; at < session->machines.host_count; at++) {
            size_t ranks = 0;

            for (size_t i = 0; i < teams[side].team->count; i++)
                ranks += session->machines.hosts[teams[side].team->ranks[i]] == (int)at;
            report_set_member(row, REPORT_PLACEMENT, (double)ranks, "[%s].%zu", teams[side].name,
                              at);
        }
}

/* The impact on one figure, and its values alone and beside: geometric means over the phases. */
static void fill_figure(const congest_run *run, size_t figure, report_row *row)
{
    static const report_column columns[FIGURES] = {REPORT_IMPACT_MEAN, REPORT_IMPACT_P50,
                                                   REPORT_IMPACT_P99, REPORT_IMPACT_P99_9};
    double alone[CONGEST_ROUNDS_MOST + 1], beside[CONGEST_ROUNDS_MOST];
    congest_impact impact;

    for (size_t i = 0; i <= run->rounds; i++)
        alone[i] = run->alone[i].figures_us[figure];
    for (size_t i = 0; i < run->rounds; i++)
        beside[i] = run->beside[i].figures_us[figure];
    impact = congest_impact_of(alone, beside, run->rounds);
    report_set_member(row, columns[figure], impact.ratio, "value");
    report_set_member(row, columns[figure], impact.low, "interval.0");
    report_set_member(row, columns[figure], impact.high, "interval.1");
    report_set_member(row, REPORT_ALONE_US, congest_mean(alone, run->rounds + 1), "%s",
                      figure_names[figure]);
    report_set_member(row, REPORT_BESIDE_US, congest_mean(beside, run->rounds), "%s",
                      figure_names[figure]);
    report_set_member(row, REPORT_DRIFT_PCT, 100 * (alone[run->rounds] / alone[0] - 1), "%s",
                      figure_names[figure]);
}

static void fill_throughput(const congest_run *run, report_row *row)
{
    double alone[CONGEST_ROUNDS_MOST + 1], beside[CONGEST_ROUNDS_MOST];

    for (size_t i = 0; i <= run->rounds; i++)
        alone[i] = run->alone[i].throughput_MBps;
    for (size_t i = 0; i < run->rounds; i++)
        beside[i] = run->beside[i].throughput_MBps;
    report_set_member(row, REPORT_VICTIM_MBPS, congest_mean(alone, run->rounds + 1), "alone");
    report_set_member(row, REPORT_VICTIM_MBPS, congest_mean(beside, run->rounds), "beside");
}

/* What the phases had in common stays; figures of one phase are not those of the measurement. */
static cb_status add_row(congest_run *run, const measurement_setting *job)
{
    const engine_session *session = job->session;

    report_row_keep_conditions(&run->row);
    fill_hosts(run, session, &run->row);
    fill_aggressor(run, session, &run->row);
    report_set_number(&run->row, REPORT_ROUNDS, (double)run->rounds);
    for (size_t figure = 0; figure < FIGURES; figure++)
        fill_figure(run, figure, &run->row);
    fill_throughput(run, &run->row);
    return report_add(session->document, &run->row);
}

static void put_roles(const congest_run *run, report_document *document)
{
    for (size_t i = 0; i < run->victims.count; i++)
        report_put_text(document, "victim", "environment.ranks.%d.role", run->victims.ranks[i]);
    for (size_t i = 0; i < run->aggressors.count; i++)
        report_put_text(document, "aggressor", "environment.ranks.%d.role",
                        run->aggressors.ranks[i]);
}

/* The measurement */

static cb_status measure_victims(congest_run *run, const measurement_setting *job)
{
    engine_session *part = &run->victims.session;
    const measurement_method *method = part->method;
    cb_status status = CB_OK;

    if (method != NULL && method->open != NULL)
        status = method->open(part, &part->method_state);
    status = control_agree(run->victims.setting.team, status);
    if (status == CB_OK)
        status = run_rounds(run, (size_t)options_of(job->session)->rounds);
    if (method != NULL && method->close != NULL)
        method->close(part->method_state);
    if (part->document == NULL)
        return status;
    job->session->verdict.verification_failed |= part->verdict.verification_failed;
    if (report_row_has(&run->row, REPORT_MODE) && (status == CB_OK || run->failed)) {
        cb_status added = add_row(run, job);

        status = status == CB_OK ? added : status;
    }
    report_row_clear(&run->row);
    return status == CB_OK ? tell_aggressors(run, CONGEST_DONE) : status;
}

/* Rank 0 hears of the failure after the phase, and ends the job. If it does not, this rank does. */
static cb_status fail(const congest_run *run, const measurement_setting *job, cb_status status)
{
    const congest_note note = {.event = CONGEST_FAILED, .rank = control_rank(run->job)};
    const uint64_t look_ns = 10000000, timeout_ns = 10000000000;
    const uint64_t limit_ns = (uint64_t)(2e9 * job->session->options->max_time_s) + timeout_ns;
    const uint64_t start_ns = cb_now_ns();

    CB_TRY(control_tell(run->job, 0, &note, sizeof(note)));
    while (cb_now_ns() - start_ns < limit_ns) {
        cb_sleep_ns(look_ns);
        session_leave_if_interrupted(job->session);
    }
    return status;
}

static cb_status measure_aggressors(congest_run *run, const measurement_setting *job)
{
    const congest_options *options = options_of(job->session);
    congest_team *team = &run->aggressors;
    congest_load load = {.job = run->job,
                         .session = team->session,
                         .setting = team->setting,
                         .command = &run->aggressor,
                         .arrivals = &run->arrivals,
                         .rate_hz = options->rate_hz};
    congest_note note = {.event = CONGEST_DONE};

    load.setting.session = &load.session;
    do {
        cb_status status;

        if (control_team_index(team->setting.team) == 0)
            CB_TRY(control_await(run->job, &note, sizeof(note)));
        CB_TRY(control_broadcast(team->setting.team, &note, sizeof(note)));
        if (note.event == CONGEST_DONE)
            return CB_OK;
        status = congest_load_run(&load);
        if (status != CB_OK)
            return fail(run, job, status);
    } while (true);
}

/* What prevents the victim or the aggressor, for all ranks alike. */
static const char *obstacle_of(const measurement_setting *job, const congest_command *command,
                               const bench_measurement *planned)
{
    engine_session session = *job->session;

    if (planned == NULL)
        return NULL;
    session.definition = &command->definition;
    session.options = &command->options;
    session.method = session_method(&command->definition, &command->options);
    session.ranks = 0;
    return plan_obstacle(&session, planned);
}

static cb_status skip(const measurement_setting *job, const char *side,
                      const congest_command *command, const char *reason)
{
    char what[CONGEST_TEXT_BYTES + 32];

    if (job->session->document == NULL)
        return CB_OK;
    snprintf(what, sizeof(what), "%s %s", side, command->text);
    cb_warning("%s over %s: %s", what, job->session->options->technology, reason);
    return report_skip(job->session->document, what, reason);
}

static cb_status measure(void *state, const measurement_setting *job)
{
    congest_run *run = state;
    engine_session *session = job->session;
    const char *reason;
    bool crowded;
    cb_status status = CB_OK;

    run->job = session->plane;
    run->rounds = 0;
    run->tally = (congest_note){.event = CONGEST_TALLY};
    CB_TRY(choose_teams(run, job, &crowded));
    reason = obstacle_of(job, &run->victim, run->pair->victim);
    if (reason != NULL)
        return skip(job, "victim", &run->victim, reason);
    reason = obstacle_of(job, &run->aggressor, run->pair->aggressor);
    if (reason != NULL)
        return skip(job, "aggressor", &run->aggressor, reason);
    if (session->document != NULL)
        put_roles(run, session->document);
    if (congest_team_has(&run->victims, control_rank(session->plane))) {
        status = congest_team_join(job, &run->victim, run->pair->victim, crowded, &run->victims);
        if (status == CB_OK)
            status = measure_victims(run, job);
        congest_team_leave(&run->victims);
    } else if (congest_team_has(&run->aggressors, control_rank(session->plane))) {
        status = congest_team_join(job, &run->aggressor, run->pair->aggressor, crowded,
                                   &run->aggressors);
        if (status == CB_OK)
            status = measure_aggressors(run, job);
        congest_team_leave(&run->aggressors);
    }
    CB_TRY(status);
    return control_barrier(job->team);
}

static const measurement_method congest_method = {
    .several_unanswered = true,
    .no_harness = true,
    .close = close_state,
    .measure = measure,
};
