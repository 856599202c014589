/* The plan, measurement after measurement: who takes part, what is skipped, the row, the fit. */
#include "engine/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "engine/parkbench.h"
#include "engine/placement.h"
#include "stats/fit.h"

/* The team of the measurement under way, kept for all sizes of its curve. */
typedef struct {
    const bench_measurement *chosen_for; /* NULL before the first choice */
    int *ranks;
    size_t participants;
    control_team *team; /* NULL where this rank takes no part */
} participation;

/* The points of one curve, for the fit behind it; rank 0 alone. */
typedef struct {
    double *bytes, *times_us;
    size_t count;
} curve;

static bool same_curve(const bench_measurement *one, const bench_measurement *other)
{
    return one->mode == other->mode && one->count == other->count && one->list == other->list &&
           one->own_multicast == other->own_multicast && one->algorithm_us == other->algorithm_us &&
           shape_same(&one->shape, &other->shape);
}

/* Which ranks these are, where the hosts decide; all ranks decide alike. */
static cb_status place(const bench_session *session, const bench_measurement *measurement,
                       participation *who)
{
    size_t job_ranks = (size_t)control_size(session->plane);
    bench_shape shape;

    if (session->options->placement == NULL)
        return CB_OK;
    shape = plan_layout(session->definition, session->options, measurement, job_ranks);
    return placement_make(session->options->placement, &shape, session->hosts, job_ranks,
                          who->ranks);
}

/* All ranks meet, asleep, before the participants change. */
static cb_status choose_participants(bench_session *session, const bench_measurement *measurement,
                                     participation *who)
{
    size_t job_ranks = (size_t)control_size(session->plane);
    bool takes_part = false;

    CB_TRY(control_barrier(control_everyone(session->plane)));
    control_team_free(who->team);
    who->team = NULL;
    who->chosen_for = measurement;
    who->participants = plan_participants(session->definition, session->options, measurement,
                                          job_ranks, who->ranks);
    CB_TRY(place(session, measurement, who));
    for (size_t i = 0; i < who->participants; i++)
        takes_part = takes_part || who->ranks[i] == control_rank(session->plane);
    return takes_part
               ? control_team_create(session->plane, who->ranks, who->participants, &who->team)
               : CB_OK;
}

static bool by_mode_and_too_large(const bench_session *session,
                                  const bench_measurement *measurement)
{
    return session->definition->counted == BENCH_BY_MODE &&
           measurement->count > (size_t)control_size(session->plane);
}

/* Why a measurement cannot be made, with this technology or in this job; NULL when it can. */
static const char *obstacle(const bench_session *session, const bench_measurement *measurement)
{
    const unsigned stream = TRANSPORT_ORDERED | TRANSPORT_RELIABLE;
    const size_t label_bytes = 16;
    const size_t largest = session->technology->largest_message;
    unsigned can = transport_capabilities(session->technology);
    bool in_group_2 = measurement->shape.stage_count > 0;

    if (by_mode_and_too_large(session, measurement))
        return "it takes more ranks than the job has; start it with three";
    if (largest > 0 && measurement->size_bytes > largest)
        return "the technology takes no packet so large on this network; see docs/sockets.md";
    if (measurement->own_multicast && (can & TRANSPORT_MULTICAST) == 0)
        return "the technology has no multicast of its own; use --multicast loop, or another "
               "technology";
    if (in_group_2 && (can & TRANSPORT_DELIVERS) == 0)
        return "the technology delivers nothing, and a farm goes by what it is told";
    if (session->definition->counted == BENCH_TOPOLOGY && (can & stream) != stream)
        return "the packets of a pipeline carry no label, and the technology is not ordered and "
               "reliable";
    if (in_group_2 && measurement->size_bytes < label_bytes && (can & stream) != stream)
        return "packets below 16 bytes carry no label, and the technology is not ordered and "
               "reliable";
    return NULL;
}

/* Roles stand with the ranks, as the last measurement had them, and in each row by host. */
static void note_roles(bench_session *session, const bench_measurement *measurement,
                       const participation *who)
{
    const bench_role *roles = session->definition->roles;
    bench_shape shape = plan_layout(session->definition, session->options, measurement,
                                    (size_t)control_size(session->plane));

    for (size_t role = 0; role < BENCH_ROLES; role++) {
        session->roles[role].name = NULL;
        memset(session->roles[role].ranks, 0, session->host_count * sizeof(size_t));
    }
    for (size_t i = 0; i < who->participants; i++) {
        size_t role = shape_role(session->definition, &shape, shape_stage(&shape, i));

        session->roles[role].name = roles[role].name;
        session->roles[role].ranks[session->hosts[who->ranks[i]]]++;
        report_put_text(session->document, roles[role].name, "environment.ranks.%d.role",
                        who->ranks[i]);
    }
}

void bench_note_verification(bench_session *session, const bench_verification *found)
{
    if (!found->done || found->lost + found->doubled + found->reordered + found->corrupted == 0)
        return;
    session->verification_failed = true;
    cb_error("verification failed: of %llu messages %llu lost, %llu doubled, %llu reordered, %llu "
             "corrupted; the technology or the network is at fault",
             (unsigned long long)found->messages, (unsigned long long)found->lost,
             (unsigned long long)found->doubled, (unsigned long long)found->reordered,
             (unsigned long long)found->corrupted);
}

/* Rank 0 writes the row, also of a measurement whose verification was given up. */
static cb_status write_row(bench_session *session, const bench_measurement *measurement,
                           size_t participants, const bench_outcome *outcome, curve *points)
{
    report_row row = {.broken = false};
    cb_status status = bench_figures(session, measurement, participants, outcome, &row);

    if (status != CB_OK) {
        report_row_clear(&row);
        return status;
    }
    if (points != NULL) {
        points->bytes[points->count] = (double)measurement->size_bytes;
        points->times_us[points->count++] =
            report_row_number(&row, bench_figure_column(measurement->mode), "median");
    }
    bench_note_verification(session, &outcome->verification);
    return report_add(session->document, &row);
}

static cb_status measure(bench_session *session, const bench_measurement *measurement,
                         const participation *who, curve *points)
{
    bench_outcome outcome = {0};
    bool agreed;
    cb_status status;

    if (session->definition->counted == BENCH_FARM)
        return bench_measure_farm(session, measurement, who->ranks, who->participants, who->team);
    status =
        bench_measure(session, measurement, who->ranks, who->participants, who->team, &outcome);

    if (session->document != NULL && outcome.block_count > 0 &&
        (status == CB_OK || status == CB_ERROR_DATA)) {
        cb_status written = write_row(session, measurement, who->participants, &outcome, points);

        status = status == CB_OK ? written : status;
    }
    agreed = status == CB_OK || outcome.verification.done;
    bench_outcome_free(&outcome);
    return agreed ? control_agree(who->team, status) : status;
}

/* Fits */

static bool fits_wanted(const bench_session *session)
{
    const bench_options *options = session->options;

    return options->sweep || session->definition->group == BENCH_GROUP_PARKBENCH ||
           (session->definition->fit && options->sizes.count == 0 &&
            bench_occupation_named(options->compute) == BENCH_UNOCCUPIED);
}

static cb_status fit_curve(const bench_session *session, const bench_measurement *measurement,
                           size_t participants, curve *points)
{
    const char *figure = report_columns[bench_figure_column(measurement->mode)].key;
    stats_segment segments[STATS_FIT_SEGMENTS];
    size_t points_count = points->count, count;

    points->count = 0;
    if (session->definition->group == BENCH_GROUP_PARKBENCH)
        return bench_fit_parkbench(session, measurement, participants, points->bytes,
                                   points->times_us, points_count);
    count = stats_fit(points->bytes, points->times_us, points_count, STATS_FIT_SEGMENTS, false,
                      segments);
    for (size_t i = 0; i < count; i++)
        CB_TRY(report_add_fit(session->document, measurement->mode->name, (double)participants,
                              figure, &segments[i]));
    return CB_OK;
}

static cb_status explain_missing_shares(const bench_session *session)
{
    if (session->document == NULL || !session->shares_left_out)
        return CB_OK;
    return report_skip(session->document, "shares of the sources, in rows without them",
                       "a block holds less than four windows; give a longer --max-time, or a "
                       "smaller --window");
}

static cb_status explain_missing_fit(const bench_session *session)
{
    /* A farm's event is no transfer of one size: nobody would look for a line. */
    if (session->document == NULL || fits_wanted(session) ||
        session->definition->counted == BENCH_FARM)
        return CB_OK;
    return report_skip(
        session->document, "fit",
        "overhead, r_inf and n_half are fitted to sizes that cover them; use --sweep");
}

/* What keeps a measurement from being made keeps all sizes of its curve from it. */
static bool is_of_all_sizes(const bench_session *session, const bench_measurement *measurement)
{
    return measurement->own_multicast || by_mode_and_too_large(session, measurement);
}

static cb_status skip(const bench_session *session, const bench_measurement *measurement,
                      const char *reason)
{
    char what[128];

    if (session->document == NULL)
        return CB_OK;
    if (measurement->own_multicast)
        snprintf(what, sizeof(what), "%s, list %s, by the technology's own multicast",
                 measurement->mode->name, bench_list_names[measurement->list]);
    else if (by_mode_and_too_large(session, measurement))
        snprintf(what, sizeof(what), "%s", measurement->mode->name);
    else
        snprintf(what, sizeof(what), "%s, %zu bytes", measurement->mode->name,
                 measurement->size_bytes);
    if (!by_mode_and_too_large(session, measurement))
        cb_warning("%s over %s: %s", what, session->options->technology, reason);
    return report_skip(session->document, what, reason);
}

static cb_status take_part(bench_session *session, const bench_measurement *measurement,
                           const participation *who, bench_progress *progress, curve *points)
{
    if (who->team == NULL)
        return CB_OK;
    if (session->document != NULL)
        note_roles(session, measurement, who);
    bench_progress_show(progress, session, measurement, who->participants);
    CB_TRY(measure(session, measurement, who, points));
    bench_progress_clear(progress);
    return CB_OK;
}

static cb_status run_all(bench_session *session, const bench_plan *plan, participation *who,
                         curve *points)
{
    bench_progress progress = bench_progress_start(session, plan->count);
    const bench_measurement *previous = NULL;
    bool any = false;

    for (size_t i = 0; i < plan->count; i++) {
        const bench_measurement *measurement = &plan->measurements[i];
        const char *reason;
        bool new_curve = previous == NULL || !same_curve(previous, measurement);

        if (new_curve && points != NULL && points->count > 0)
            CB_TRY(fit_curve(session, previous, who->participants, points));
        previous = measurement;
        reason = obstacle(session, measurement);
        if (reason != NULL) {
            if (new_curve || !is_of_all_sizes(session, measurement))
                CB_TRY(skip(session, measurement, reason));
            continue;
        }
        any = true;
        if (who->chosen_for == NULL || !same_curve(who->chosen_for, measurement))
            CB_TRY(choose_participants(session, measurement, who));
        CB_TRY(take_part(session, measurement, who, &progress, points));
        if (session->recording.due)
            CB_TRY(bench_write_timeline(session, measurement));
    }
    if (points != NULL && points->count > 0)
        CB_TRY(fit_curve(session, previous, who->participants, points));
    session->all_skipped = !any;
    CB_TRY(explain_missing_shares(session));
    return explain_missing_fit(session);
}

cb_status bench_run_plan(bench_session *session, const bench_plan *plan)
{
    participation who = {.ranks = cb_allocate((size_t)control_size(session->plane), sizeof(int),
                                              "the participants")};
    curve points = {.bytes = cb_allocate(plan->count, sizeof(double), "the points of a curve"),
                    .times_us = cb_allocate(plan->count, sizeof(double), "the points of a curve")};
    size_t *role_hosts = cb_allocate(BENCH_ROLES * session->host_count, sizeof(*role_hosts),
                                     "the hosts of the roles");
    bool fits = session->document != NULL && fits_wanted(session);
    cb_status status = CB_ERROR_MEMORY;

    session->references =
        cb_allocate(plan->count, sizeof(*session->references), "the reference figures");
    for (size_t role = 0; role_hosts != NULL && role < BENCH_ROLES; role++)
        session->roles[role].ranks = &role_hosts[role * session->host_count];
    if (role_hosts != NULL && who.ranks != NULL && points.bytes != NULL &&
        points.times_us != NULL && session->references != NULL)
        status = bench_calibrate_algorithm(session, plan);
    if (status == CB_OK)
        status = run_all(session, plan, &who, fits ? &points : NULL);
    if (status == CB_OK)
        status = bench_check_algorithm(session);
    control_team_free(who.team);
    free(session->references);
    session->references = NULL;
    free(role_hosts);
    free(who.ranks);
    free(points.bytes);
    free(points.times_us);
    return status;
}
