/* Run the plan, measurement by measurement. */
#include "engine/plan_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/traffic.h"
#include "engine/figures.h"
#include "engine/measurement.h"
#include "engine/definition.h"

/* State between the measurements of a plan. */
typedef struct {
    engine_session *session;
    const bench_plan *plan;
    job_participants *who;
    const bench_measurement *chosen_for; /* the first of the curve; NULL before it */
    control_team *team;                  /* NULL if this rank takes no part */
    bool shows_progress;                 /* a line on a terminal that is overwritten; rank 0 */
    bool logs_progress;  /* a log line for each curve, if the run is long and prints nothing else;
                          * rank 0 */
    uint64_t started_ns; /* of the machine */
    const bench_measurement *measurement; /* under way, or NULL */
    size_t measured;                      /* so far, not counting skipped ones */
    /* At rank 0 */
    role_hosts roles[BENCH_ROLES]; /* of the current measurement */
    reference_list references;
    bool fits;            /* fit curves */
    bench_curve points;   /* of the current curve */
    bool shares_left_out; /* at least in one row */
} plan_progress;

static bool same_curve(const bench_measurement *one, const bench_measurement *other)
{
    return one->mode == other->mode && one->count == other->count && one->list == other->list &&
           one->own_multicast == other->own_multicast && one->algorithm_us == other->algorithm_us &&
           shape_same(&one->shape, &other->shape);
}

/* Choose the participants, once for all ranks of a process. */
static cb_status choose_participants(plan_progress *run, const bench_measurement *measurement)
{
    const engine_session *session = run->session;
    const engine_job *job = session->job;
    const size_t number = 1 + (size_t)(measurement - run->plan->measurements);
    job_participants *who = run->who;

    if (who->chosen_for == number)
        return CB_OK;
    if (who->ranks == NULL)
        who->ranks = cb_allocate(job->ranks, sizeof(*who->ranks), "the participants");
    if (who->ranks == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(plan_place(job->definition, job->options, measurement, job->machines.hosts, job->ranks,
                      who->ranks, &who->count));
    CB_TRY(
        session_oversubscribed(session, measurement, who->ranks, who->count, &who->oversubscribed));
    who->chosen_for = number;
    return CB_OK;
}

/* All processes choose alike from the hosts. Ranks wait asleep until all are there before the
 * participants change. */
static cb_status change_participants(plan_progress *run, const bench_measurement *measurement)
{
    engine_session *session = run->session;
    const int self = control_rank(session->plane);
    const job_participants *who = run->who;
    bool takes_part = false;

    CB_TRY(control_barrier(control_everyone(session->plane)));
    control_team_free(run->team);
    run->team = NULL;
    run->chosen_for = measurement;
    CB_TRY(choose_participants(run, measurement));
    for (size_t i = 0; i < who->count && !takes_part; i++)
        takes_part = who->ranks[i] == self;
    if (cb_virtual == NULL)
        counting_choose(&session->counting, session->job->machines.hosts, who->ranks, who->count,
                        self);
    return takes_part ? control_team_create(session->plane, who->ranks, who->count, &run->team)
                      : CB_OK;
}

/* Measurements that cannot be made */

static bool by_mode_and_too_large(const engine_session *session,
                                  const bench_measurement *measurement)
{
    return measurement->mode->processors > (size_t)control_size(session->plane);
}

/* Capabilities that the measurement needs and the technology lacks, as a reason. */
static const char *lacking(const measurement_method *method, const bench_measurement *measurement,
                           unsigned can)
{
    const bool unlabelled = measurement->varied ? measurement->least_bytes < BENCH_LABEL_BYTES
                                                : method != NULL && method->labels &&
                                                      measurement->size_bytes < BENCH_LABEL_BYTES;
    const unsigned lacks =
        ((method != NULL ? method->needs : 0) | (unlabelled ? TRANSPORT_STREAM : 0) |
         (measurement->own_multicast ? TRANSPORT_MULTICAST : 0)) &
        ~can;

    if ((lacks & TRANSPORT_DELIVERS) != 0)
        return "the technology delivers no messages, which this benchmark needs";
    if ((lacks & TRANSPORT_MULTICAST) != 0)
        return "the technology has no multicast, or not in this build; use another technology, or "
               "--multicast loop (of a farm: --supervisor loop)";
    if (lacks != 0)
        return "packets that carry no event number, as all below 16 bytes, need a reliable "
               "technology that keeps order";
    return NULL;
}

const char *plan_obstacle(const engine_session *session, const bench_measurement *measurement)
{
    const char *reason;
    const size_t largest = session->technology->largest_message;
    const size_t message_bytes =
        measurement->size_bytes * bench_packed(session->job->definition, session->job->options);
    unsigned can = transport_capabilities(session->technology);
    const measurement_method *method = session->method;

    if (by_mode_and_too_large(session, measurement))
        return "the job has too few ranks for it; start three";
    if (largest > 0 && message_bytes > largest)
        return measurement->varied
                   ? "the largest fragments are larger than the technology can send on this "
                     "network; see docs/reference/technologies.md"
                   : "the packet is larger than the technology can send on this network; see"
                     " docs/reference/technologies.md";
    reason = lacking(method, measurement, can);
    return reason == NULL && method != NULL && method->obstacle != NULL
               ? method->obstacle(session->job->options, can)
               : reason;
}

static cb_status skip(const engine_session *session, const bench_measurement *measurement,
                      const char *reason)
{
    char what[128];

    if (session->document == NULL)
        return CB_OK;
    if (measurement->own_multicast && session->job->definition->lists)
        snprintf(what, sizeof(what), "%s, list %s, by the technology's multicast",
                 measurement->mode->name, bench_list_names[measurement->list]);
    else if (by_mode_and_too_large(session, measurement))
        snprintf(what, sizeof(what), "%s", measurement->mode->name);
    else
        snprintf(what, sizeof(what), "%s, %s%zu bytes", measurement->mode->name,
                 measurement->varied ? "fragments of up to " : "", measurement->size_bytes);
    if (!by_mode_and_too_large(session, measurement))
        cb_warning("%s over %s: %s", what, session->job->options->technology, reason);
    return report_skip(session->document, what, reason);
}

/* Progress: one line on the terminal, overwritten each time */

/* Launchers pass standard error on through a pipe. A person reads it if the launcher's own standard
 * error is a terminal, which shows if it runs on this host. */
static bool launcher_has_terminal(void)
{
    char link[64], target[64];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)getppid(), STDERR_FILENO);
    length = readlink(link, target, sizeof(target) - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    return strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0;
}

/* In a model, what its clock says does not tell how long a measurement takes on this machine: the
 * share of the row under way does. */
static void show_progress(const plan_progress *run, bool new_curve)
{
    const engine_session *session = run->session;
    const bench_options *options = session->job->options;
    const bench_measurement *measurement = run->measurement;
    const size_t done = (size_t)(measurement - run->plan->measurements), total = run->plan->count;
    const double elapsed_s = (double)(cb_machine_ns() - run->started_ns) / 1e9;
    double share = 0, each_s = options->max_time_s;
    char row[48] = "", left[48] = "";

    if (cb_virtual != NULL) {
        share = fmin(budget_used_ns(options, session->row_begun) / options->max_time_s / 1e9, 1);
        snprintf(row, sizeof(row), "; %.0f %% of the row's --%s", 100 * share,
                 budget_limit(options, session->row_begun));
    }
    if ((double)run->measured + share > 0)
        each_s = elapsed_s / ((double)run->measured + share);
    if (cb_virtual == NULL || (double)run->measured + share > 0.01)
        snprintf(left, sizeof(left), "; about %.0f s left",
                 each_s * ((double)(total - done) - share));
    if (run->shows_progress)
        fprintf(stderr, "\r\033[K[%zu/%zu] cb_%s %s, %zu processors, %zu bytes%s%s", done + 1,
                total, session->job->definition->name, measurement->mode->name, run->who->count,
                measurement->size_bytes, row, left);
    else if (run->logs_progress && new_curve)
        cb_note("measurement %zu of %zu: %s, %zu processors%s", done + 1, total,
                measurement->mode->name, run->who->count, left);
}

/* Called by the model a few times per second. */
static void look(void *context)
{
    plan_progress *run = context;

    session_leave_if_interrupted(run->session);
    if (run->shows_progress && run->measurement != NULL)
        show_progress(run, false);
}

/* A text table shows progress by its rows; a document does not. */
static bool is_long_and_silent(const engine_session *session, const bench_plan *plan)
{
    const bench_options *options = session->job->options;
    const double long_s = 10;

    return (options->output != NULL ||
            (options->format != NULL && strcmp(options->format, "json") == 0)) &&
           (double)plan->count * session->job->options->max_time_s > long_s;
}

/* One measurement */

/* Write the roles of the ranks (those of the last measurement stay), and keep the hosts of each
 * role for the row. */
static void note_roles(plan_progress *run, const bench_measurement *measurement)
{
    const engine_session *session = run->session;
    const benchmark *definition = session->job->definition;
    bench_shape shape = plan_layout(definition, session->job->options, measurement,
                                    (size_t)control_size(session->plane));

    for (size_t role = 0; role < BENCH_ROLES; role++) {
        run->roles[role].name = NULL;
        memset(run->roles[role].ranks, 0, session->job->machines.host_count * sizeof(size_t));
    }
    for (size_t i = 0; i < run->who->count; i++) {
        size_t role = shape_role(definition, &shape, shape_stage(&shape, i));
        int rank = run->who->ranks[i];

        run->roles[role].name = definition->roles[role].name;
        run->roles[role].ranks[session->job->machines.hosts[rank]]++;
        report_put_text(session->document, definition->roles[role].name,
                        "environment.ranks.%d.role", rank);
    }
}

static void keep_result(plan_progress *run, const bench_measurement *measurement,
                        const measurement_result *result)
{
    bench_curve *points = &run->points;

    run->shares_left_out = run->shares_left_out || result->shares_left_out;
    if (!run->fits || result->figure_us < 0)
        return;
    points->bytes[points->count] = (double)measurement->size_bytes;
    points->figures_us[points->count++] = result->figure_us;
}

static cb_status measure(plan_progress *run, const bench_measurement *measurement, bool new_curve)
{
    engine_session *session = run->session;
    const measurement_setting setting = {.session = session,
                                         .planned = measurement,
                                         .ranks = run->who->ranks,
                                         .participants = run->who->count,
                                         .team = run->team,
                                         .oversubscribed = run->who->oversubscribed,
                                         .roles = run->roles,
                                         .references = &run->references};
    measurement_outcome outcome;
    measurement_result result;
    cb_status status;

    if (session->document != NULL)
        note_roles(run, measurement);
    session->row_begun = budget_now();
    run->measurement = measurement;
    show_progress(run, new_curve);
    status = measurement_run(&setting, &outcome);
    status = measurement_report(&setting, &outcome, status, &result);
    measurement_outcome_free(&outcome);
    run->measurement = NULL;
    run->measured++;
    CB_TRY(status);
    keep_result(run, measurement, &result);
    if (run->shows_progress)
        fprintf(stderr, "\r\033[K");
    return CB_OK;
}

/* Fits */

static bool fits_wanted(const engine_session *session)
{
    const bench_options *options = session->job->options;

    const bench_fit *fit = session->job->definition->fit;

    return options->sweep || (fit != NULL && fit->always) ||
           (fit != NULL && options->sizes.count == 0 &&
            bench_occupation_named(options->compute) == BENCH_UNOCCUPIED);
}

/* Fit the curve of a measurement that has all its points. */
static cb_status fit_curve(plan_progress *run, const bench_measurement *measurement)
{
    const bench_fit *fit = run->session->job->definition->fit;
    const bench_curve points = run->points;

    if (fit == NULL)
        fit = &figures_hockney;
    run->points.count = 0;
    return points.count > 0 ? fit->add(run->session, measurement, run->who->count, &points) : CB_OK;
}

static bool changes_only_order(const engine_session *session, const bench_measurement *measurement)
{
    return measurement->list != BENCH_FIXED &&
           plan_candidates(session->job->options, measurement,
                           (size_t)control_size(session->plane)) == measurement->count;
}

/* Once for each number of destinations. */
static cb_status explain_unchanging_members(const plan_progress *run)
{
    const bench_measurement *first = run->plan->measurements;
    const engine_session *session = run->session;
    char what[64], reason[128];

    for (size_t i = 0; i < run->plan->count; i++) {
        size_t count = first[i].count, k = 0;

        while (k < i && (first[k].count != count || !changes_only_order(session, &first[k])))
            k++;
        if (k < i || !changes_only_order(session, &first[i]))
            continue;
        snprintf(what, sizeof(what), "changing members of lists of %zu", count);
        snprintf(reason, sizeof(reason),
                 "the job has no other destinations, so only their order changes; start %zu ranks",
                 2 * count + 1);
        CB_TRY(report_skip(session->document, what, reason));
    }
    return CB_OK;
}

/* Tell the reader why shares or fits are missing. A fit is expected only if the default sizes are
 * fitted. */
static cb_status explain_what_is_missing(const plan_progress *run)
{
    const engine_session *session = run->session;

    if (session->document == NULL)
        return CB_OK;
    if (run->shares_left_out)
        CB_TRY(report_skip(session->document, "shares of the sources, in rows without them",
                           "a block holds less than four windows; use a longer --max-time, or a "
                           "smaller --window"));
    CB_TRY(explain_unchanging_members(run));
    if (session->technology != NULL && session->technology->content_unknown &&
        strcmp(session->job->options->touch, "all") == 0)
        CB_TRY(report_skip(session->document, "comparing the data of timed packets",
                           "send buffers come from the heap, and filling them would be timed; "
                           "use --verify, or use_send_pool=1"));
    if (fits_wanted(session) || session->job->definition->fit == NULL)
        return CB_OK;
    return report_skip(session->document, "fit",
                       "overhead, r_inf and n_half need sizes that cover them; use --sweep");
}

/* Calibrated work of --algorithm and --slow-us */

static const double tolerated_pct = 5; /* drift */

/* Write the fastest and the slowest rank's time per unit of work. */
static cb_status put_work_rates(const engine_session *session)
{
    double unit_ns[2] = {session->work_rate.unit_ns, -session->work_rate.unit_ns};

    CB_TRY(control_maximum(control_everyone(session->plane), unit_ns, 2));
    if (session->document == NULL)
        return CB_OK;
    report_put_number(session->document, -unit_ns[1], "environment.algorithm.least_unit_ns");
    report_put_number(session->document, unit_ns[0], "environment.algorithm.most_unit_ns");
    return CB_OK;
}

cb_status plan_calibrate_work(engine_session *session, const bench_plan *plan)
{
    bool wanted = session->job->options->slow_us > 0;

    for (size_t i = 0; i < plan->count; i++)
        wanted = wanted || plan->measurements[i].algorithm_us > 0;
    if (!wanted)
        return CB_OK;
    CB_TRY(host_work_calibrate(&session->work_rate));
    return put_work_rates(session);
}

/* Deviation of a new calibration from the one in use. A large deviation is measured again, since
 * another process may have used the core during the first attempt. */
static cb_status find_drift(const host_work_rate *rate, double *drift_pct)
{
    enum { CHECKS = 3 };
    host_work_rate now;

    CB_TRY(host_work_calibrate(&now));
    for (size_t i = 1;; i++) {
        *drift_pct = 100 * fabs(now.unit_ns / rate->unit_ns - 1);
        if (*drift_pct <= tolerated_pct || i == CHECKS)
            return CB_OK;
        CB_TRY(host_work_refine(&now));
    }
}

static cb_status check_work_rate(const engine_session *session)
{
    double drift_pct;

    if (session->work_rate.unit_ns <= 0)
        return CB_OK;
    CB_TRY(put_work_rates(session));
    CB_TRY(find_drift(&session->work_rate, &drift_pct));
    CB_TRY(control_maximum(control_everyone(session->plane), &drift_pct, 1));
    if (session->document == NULL)
        return CB_OK;
    report_put_number(session->document, drift_pct, "environment.algorithm.drift_pct");
    if (drift_pct > tolerated_pct)
        cb_warning("the algorithm's calibration drifted by %.1f %% during the run: cores "
                   "changed their clock rate or are shared with other processes; compare "
                   "algorithm_us with the measured algorithm_true_us, or fix the clock "
                   "rate",
                   drift_pct);
    return CB_OK;
}

/* The whole plan */

static cb_status prepare(plan_progress *run, size_t **ranks_on_hosts)
{
    engine_session *session = run->session;
    const size_t count = run->plan->count;
    const size_t hosts = session->document != NULL ? session->job->machines.host_count : 0;

    run->points.bytes = cb_allocate(count, sizeof(double), "the points of a curve");
    run->points.figures_us = cb_allocate(count, sizeof(double), "the points of a curve");
    run->references.figures =
        cb_allocate(count, sizeof(*run->references.figures), "the reference figures");
    *ranks_on_hosts =
        cb_allocate(BENCH_ROLES * hosts, sizeof(**ranks_on_hosts), "the hosts of the roles");
    if (run->points.bytes == NULL || run->points.figures_us == NULL ||
        run->references.figures == NULL || *ranks_on_hosts == NULL)
        return CB_ERROR_MEMORY;
    for (size_t role = 0; role < BENCH_ROLES; role++)
        run->roles[role].ranks = &(*ranks_on_hosts)[role * hosts];
    run->fits = session->document != NULL && fits_wanted(session);
    run->shows_progress =
        session->document != NULL && (isatty(STDERR_FILENO) || launcher_has_terminal());
    run->logs_progress =
        session->document != NULL && !run->shows_progress && is_long_and_silent(session, run->plan);
    CB_TRY(plan_calibrate_work(session, run->plan));
    run->started_ns = cb_machine_ns();
    if (cb_virtual != NULL && session->document != NULL)
        control_look_while_waiting(session->plane, look, run);
    return CB_OK;
}

static cb_status plan_run(engine_session *session, engine_job *job, const bench_plan *plan)
{
    const measurement_method *method = session->method;
    plan_progress run = {.session = session, .plan = plan, .who = &job->who};
    const bench_measurement *previous = NULL;
    size_t *ranks_on_hosts = NULL;
    cb_status status;

    session->verdict.all_skipped = true;
    if ((status = prepare(&run, &ranks_on_hosts)) != CB_OK)
        goto done;
    for (size_t i = 0; i < plan->count; i++) {
        const bench_measurement *measurement = &plan->measurements[i];
        bool new_curve = previous == NULL || !same_curve(previous, measurement);
        const char *reason = plan_obstacle(session, measurement);

        if (new_curve && previous != NULL && (status = fit_curve(&run, previous)) != CB_OK)
            goto done;
        previous = measurement;
        if (reason != NULL) {
            /* Some obstacles apply to all sizes of a curve; report them once. */
            bool of_all_sizes =
                measurement->own_multicast || by_mode_and_too_large(session, measurement);

            if ((new_curve || !of_all_sizes) &&
                (status = skip(session, measurement, reason)) != CB_OK)
                goto done;
            continue;
        }
        session->verdict.all_skipped = false;
        if ((run.chosen_for == NULL || !same_curve(run.chosen_for, measurement)) &&
            (status = change_participants(&run, measurement)) != CB_OK)
            goto done;
        if (run.team != NULL && (status = measure(&run, measurement, new_curve)) != CB_OK)
            goto done;
        if (method != NULL && method->conclude != NULL &&
            (status = method->conclude(session->method_state, session, measurement)) != CB_OK)
            goto done;
    }
    if ((previous == NULL || (status = fit_curve(&run, previous)) == CB_OK) &&
        (status = explain_what_is_missing(&run)) == CB_OK)
        status = check_work_rate(session);
done:
    if (cb_virtual != NULL)
        control_look_while_waiting(session->plane, NULL, NULL);
    control_team_free(run.team);
    free(run.references.figures);
    free(ranks_on_hosts);
    free(run.points.bytes);
    free(run.points.figures_us);
    return status;
}

cb_status plan_carry_out(engine_session *session, engine_job *job, cb_status status,
                         plan_maker make)
{
    bench_plan plan = {0};

    if (status == CB_OK)
        status = make(session, &plan);
    if (status == CB_OK)
        status = session_start(session, job, &plan);
    if (status == CB_OK)
        status = plan_run(session, job, &plan);
    status = session_close(session, status);
    plan_free(&plan);
    return status;
}
