/* Victims or aggressors: some ranks of the job, with a session of their own. */
#ifndef CONGEST_TEAM_H
#define CONGEST_TEAM_H

#include "congest/command.h"
#include "engine/outcome.h"
#include "engine/session.h"

typedef struct {
    int *members; /* that it may use: room for all ranks of the job */
    size_t member_count;
    int *ranks; /* that take part */
    size_t count;
    /* Of its ranks only */
    control *plane;
    engine_job job;
    engine_session session;
    measurement_setting setting;
} congest_team;

/* Make room for all ranks of the job. CB_ERROR_MEMORY, logged. Free with congest_team_free. */
cb_status congest_team_allocate(size_t ranks, congest_team *team);
void congest_team_free(congest_team *team);

/* Choose the ranks that take part from the members, as --placement says; `planned` NULL: all.
 * CB_ERROR_MEMORY, logged. */
cb_status congest_team_choose(const engine_session *session, const congest_command *command,
                              const bench_measurement *planned, congest_team *team);

/* Whether a rank of the job takes part. */
bool congest_team_has(const congest_team *team, int rank);

/* Make the part of the control plane, and the session: that of the job, but with these ranks, and
 * with the benchmark and the options of the command. `crowded`: there are more busy ranks than
 * cores. Collective over the ranks that take part. Leave in any case. */
cb_status congest_team_join(const measurement_setting *job, const congest_command *command,
                            const bench_measurement *planned, bool crowded, congest_team *team);
void congest_team_leave(congest_team *team);

#endif
