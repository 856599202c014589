/* The phases of a measurement.
 *
 *   victims      alone, beside, alone, beside, ... alone: each phase is a whole measurement
 *   aggressors   sleep, load, sleep, load, ... sleep
 *
 * Rank 0 starts and stops the load by notes between two phases. Both teams have a session of their
 * own: that of the job, but with their part of the control plane, their benchmark and its options.
 */
#include "congest/congest.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "congest/load.h"
#include "congest/plan.h"
#include "congest/row.h"
#include "engine/fragments.h"
#include "engine/measurement.h"
#include "engine/plan_run.h"
#include "engine/wait.h"

/* The state */

static const measurement_method congest_method;

cb_status congest_plan(engine_session *session, bench_plan *out)
{
    congest_run *run = cb_allocate(1, sizeof(*run), "the measurement");

    session->method = &congest_method;
    session->method_state = run;
    CB_TRY(control_agree(control_everyone(session->plane), run != NULL ? CB_OK : CB_ERROR_MEMORY));
    CB_TRY(session_agree_on_plan(session, congest_plan_parse(session, run)));
    CB_TRY(fragments_share(session->plane, &run->victim.options));
    CB_TRY(fragments_share(session->plane, &run->aggressor.options));
    return session_agree_on_plan(session, congest_plan_make(session, run, out));
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
    rate_arrivals_free(&run->arrivals);
    counting_free(&run->counted);
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
    *out = machines_oversubscribed(&session->job->machines, busy, run->victims.count + aggressors);
    free(busy);
    return CB_OK;
}

/* All ranks of the job compute the same. */
static cb_status choose_teams(congest_run *run, const measurement_setting *job, bool *crowded)
{
    const engine_session *session = job->session;
    const bool interleaved =
        strcmp(congest_options_of(session)->placement, congest_placements[0]) == 0;

    run->pair = &run->pairs[job->planned - run->planned];
    run->victims.member_count = run->victim_count;
    run->aggressors.member_count = run->pair->aggressor_count;
    CB_TRY(congest_place(interleaved, session->job->machines.hosts, session->job->ranks,
                         run->victim_count, run->pair->aggressor_count, run->victims.members,
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
    /* Impacts need all phases. */
    if (status == CB_OK)
        status = control_agree(team->setting.team,
                               team->session.verdict.nothing_arrived ? CB_ERROR_DATA : CB_OK);
    if (document == NULL)
        return status;
    report_divert(document, NULL, NULL);
    *phase = congest_phase_of(&run->row);
    return status;
}

/* Notes of rank 0 and the first aggressor */

static cb_status tell_aggressors(const congest_run *run, congest_event event)
{
    const congest_note note = {.event = event};

    return control_tell(run->job, run->aggressors.ranks[0], &note, sizeof(note));
}

/* Rank 0 tells the aggressors to start or to stop, and waits until they have. If one has failed,
 * the victims end the run as well. */
static cb_status order_load(congest_run *run, congest_event event, congest_note *answer)
{
    cb_status status = CB_OK;

    if (run->victims.session.document != NULL) {
        status = tell_aggressors(run, event);
        if (status == CB_OK)
            status = control_await(run->job, answer, sizeof(*answer));
        if (status == CB_OK && answer->event == CONGEST_FAILED) {
            run->failed = true;
            cb_error("rank %d, an aggressor, cannot go on, as its message says; the row of the "
                     "victim is marked, and the run ends",
                     answer->rank);
            status = CB_ERROR_TRANSPORT;
        }
    }
    return control_agree(run->victims.setting.team, status);
}

static cb_status run_rounds(congest_run *run, size_t rounds)
{
    congest_note answer = {.event = CONGEST_DONE};
    report_row beside = {.broken = false};
    cb_status status = run_phase(run, &run->alone[0]);

    for (size_t round = 0; round < rounds && status == CB_OK; round++) {
        status = order_load(run, CONGEST_BEGIN, &answer);
        if (status == CB_OK)
            status = run_phase(run, &run->beside[round]);
        if (status == CB_OK && run->victims.session.document != NULL)
            status = counting_add(&run->counted, &run->victims.session.counting);
        report_row_clear(&beside);
        beside = run->row;
        run->row = (report_row){.broken = false};
        if (status == CB_OK)
            status = order_load(run, CONGEST_STOP, &answer);
        run->tally.turns += answer.turns;
        run->tally.steps += answer.steps;
        run->tally.packets += answer.packets;
        run->tally.busy_ns += answer.busy_ns;
        run->tally.elapsed_ns += answer.elapsed_ns;
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
        status = run_rounds(run, (size_t)congest_options_of(job->session)->rounds);
    if (method != NULL && method->close != NULL)
        method->close(part->method_state);
    if (part->document == NULL)
        return status;
    job->session->verdict.verification_failed |= part->verdict.verification_failed;
    if (report_row_has(&run->row, REPORT_MODE) && (status == CB_OK || run->failed)) {
        cb_status added = congest_row_add(run, job->session);

        status = status == CB_OK ? added : status;
    }
    report_row_clear(&run->row);
    return status == CB_OK ? tell_aggressors(run, CONGEST_DONE) : status;
}

/* Rank 0 hears of the failure after the phase, and ends the job. If it does not, this rank does. */
static cb_status report_failure(const congest_run *run, const measurement_setting *job,
                                cb_status status)
{
    const congest_note note = {.event = CONGEST_FAILED, .rank = control_rank(run->job)};
    const uint64_t look_ns = 10000000, timeout_ns = 10000000000;
    const uint64_t limit_ns = (uint64_t)(2e9 * job->session->job->options->max_time_s) + timeout_ns;
    const wait_terms terms = {.manner = {.longest_sleep_ns = look_ns},
                              .due_ns = cb_now_ns() + limit_ns,
                              .timeout_ns = WAIT_WITHOUT_END,
                              .watch = session_watch(job->session)};

    CB_TRY(control_tell(run->job, 0, &note, sizeof(note)));
    wait_until(&terms);
    return status;
}

static cb_status measure_aggressors(congest_run *run, const measurement_setting *job)
{
    const congest_options *options = congest_options_of(job->session);
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
            return report_failure(run, job, status);
    } while (true);
}

/* What prevents the victim or the aggressor, for all ranks alike. */
static const char *obstacle_of(const measurement_setting *job, const congest_command *command,
                               const bench_measurement *planned)
{
    engine_job part = *job->session->job;
    engine_session session = *job->session;

    if (planned == NULL)
        return NULL;
    part.definition = &command->definition;
    part.options = &command->options;
    part.ranks = 0;
    session.job = &part;
    session.method = plan_method(&command->definition, &command->options);
    return plan_obstacle(&session, planned);
}

static cb_status skip_side(const measurement_setting *job, const char *side,
                           const congest_command *command, const char *reason)
{
    char what[CONGEST_TEXT_BYTES + 32];

    if (job->session->document == NULL)
        return CB_OK;
    snprintf(what, sizeof(what), "%s %s", side, command->text);
    cb_warning("%s over %s: %s", what, job->session->job->options->technology, reason);
    return report_skip(job->session->document, what, reason);
}

static cb_status measure(void *state, const measurement_setting *job)
{
    static const char role_path[] = "environment.ranks.%d.role";
    congest_run *run = state;
    engine_session *session = job->session;
    const char *reason;
    bool crowded;
    cb_status status = CB_OK;

    run->job = session->plane;
    run->rounds = 0;
    counting_free(&run->counted);
    run->tally = (congest_note){.event = CONGEST_TALLY};
    CB_TRY(choose_teams(run, job, &crowded));
    reason = obstacle_of(job, &run->victim, run->pair->victim);
    if (reason != NULL)
        return skip_side(job, "victim", &run->victim, reason);
    reason = obstacle_of(job, &run->aggressor, run->pair->aggressor);
    if (reason != NULL)
        return skip_side(job, "aggressor", &run->aggressor, reason);
    for (size_t i = 0; session->document != NULL && i < run->victims.count; i++)
        report_put_text(session->document, "victim", role_path, run->victims.ranks[i]);
    for (size_t i = 0; session->document != NULL && i < run->aggressors.count; i++)
        report_put_text(session->document, "aggressor", role_path, run->aggressors.ranks[i]);
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
