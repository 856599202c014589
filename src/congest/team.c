/* Ranks, and the session that measures with them. */
#include "congest/team.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/plan_run.h"
#include "engine/traffic.h"

cb_status congest_team_allocate(size_t ranks, congest_team *team)
{
    team->members = cb_allocate(ranks, sizeof(int), "the ranks of a team");
    team->ranks = cb_allocate(ranks, sizeof(int), "the ranks of a team");
    return team->members != NULL && team->ranks != NULL ? CB_OK : CB_ERROR_MEMORY;
}

void congest_team_free(congest_team *team)
{
    free(team->members);
    free(team->ranks);
}

/* Hosts of the members, numbered from 0 in their order. */
static void number_hosts(const congest_team *team, const int *hosts, int *numbers)
{
    int next = 0;

    for (size_t i = 0; i < team->member_count; i++) {
        numbers[i] = next;
        for (size_t k = 0; k < i; k++)
            if (hosts[team->members[k]] == hosts[team->members[i]])
                numbers[i] = numbers[k];
        next += numbers[i] == next;
    }
}

/* Choose the ranks of a team that take part: all of one that only computes. */
cb_status congest_team_choose(const engine_session *session, const congest_command *command,
                              const bench_measurement *planned, congest_team *team)
{
    int *hosts;
    cb_status status;

    team->count = team->member_count;
    memcpy(team->ranks, team->members, team->member_count * sizeof(int));
    if (planned == NULL)
        return CB_OK;
    hosts = cb_allocate(team->member_count, sizeof(*hosts), "the hosts of a team");
    if (hosts == NULL)
        return CB_ERROR_MEMORY;
    number_hosts(team, session->job->machines.hosts, hosts);
    status = plan_place(&command->definition, &command->options, planned, hosts, team->member_count,
                        team->ranks, &team->count);
    for (size_t i = 0; status == CB_OK && i < team->count; i++)
        team->ranks[i] = team->members[team->ranks[i]];
    free(hosts);
    return status;
}

bool congest_team_has(const congest_team *team, int rank)
{
    for (size_t i = 0; i < team->count; i++)
        if (team->ranks[i] == rank)
            return true;
    return false;
}

/* Job and session of a team are those of all ranks, but with its ranks, its benchmark and its
 * options. */
cb_status congest_team_join(const measurement_setting *job, const congest_command *command,
                            const bench_measurement *planned, bool crowded, congest_team *team)
{
    static const role_hosts no_roles[BENCH_ROLES];
    bench_measurement copy;

    CB_TRY(control_part_create(job->session->plane, team->ranks, team->count, &team->plane));
    team->job = *job->session->job;
    team->job.definition = &command->definition;
    team->job.options = &command->options;
    team->job.ranks = team->count;
    team->session = *job->session;
    team->session.job = &team->job;
    team->session.method = plan_method(&command->definition, &command->options);
    team->session.method_state = NULL;
    team->session.plane = team->plane;
    counting_choose(&team->session.counting, team->job.machines.hosts, team->ranks, team->count,
                    control_rank(job->session->plane));
    team->session.verdict = (session_verdict){0};
    team->setting = (measurement_setting){.session = &team->session,
                                          .planned = planned,
                                          .ranks = team->ranks,
                                          .participants = team->count,
                                          .team = control_everyone(team->plane),
                                          .oversubscribed = crowded,
                                          .roles = no_roles};
    if (planned == NULL)
        return CB_OK;
    copy = *planned;
    return plan_calibrate_work(&team->session, &(bench_plan){.measurements = &copy, .count = 1});
}

void congest_team_leave(congest_team *team)
{
    counting_free(&team->session.counting);
    control_part_free(team->plane);
    team->plane = NULL;
}
