/* The control plane, whatever it is made of. */
#include "control/operations.h"

int control_rank(const control *plane)
{
    return (int)plane->everyone->index;
}

int control_size(const control *plane)
{
    return (int)plane->everyone->size;
}

control_team *control_everyone(control *plane)
{
    return plane->everyone;
}

size_t control_team_size(const control_team *team)
{
    return team->size;
}

size_t control_team_index(const control_team *team)
{
    return team->index;
}

void control_look_while_waiting(control *plane, void (*look)(void *context), void *context)
{
    plane->look = look;
    plane->look_context = context;
}

void control_close(control *plane)
{
    if (plane != NULL)
        plane->operations->close(plane);
}

const char *control_library(const control *plane)
{
    return plane->operations->library(plane);
}

void control_settings(const control *plane,
                      void (*visit)(const char *name, const char *value, void *context),
                      void *context)
{
    plane->operations->settings(plane, visit, context);
}

cb_status control_team_create(control *plane, const int *ranks, size_t count, control_team **out)
{
    return plane->operations->team_create(plane, ranks, count, out);
}

void control_team_free(control_team *team)
{
    if (team != NULL)
        team->operations->team_free(team);
}

cb_status control_part_create(control *plane, const int *ranks, size_t count, control **out)
{
    return plane->operations->part_create(plane, ranks, count, out);
}

void control_part_free(control *part)
{
    if (part != NULL)
        part->operations->part_free(part);
}

cb_status control_tell(control *plane, int rank, const void *note, size_t bytes)
{
    return plane->operations->tell(plane, rank, note, bytes);
}

cb_status control_hear(control *plane, void *note, size_t bytes)
{
    return plane->operations->hear(plane, note, bytes);
}

cb_status control_await(control *plane, void *note, size_t bytes)
{
    return plane->operations->await(plane, note, bytes);
}

cb_status control_barrier(control_team *team)
{
    return team->operations->meet(team, CONTROL_BARRIER, NULL, 0, NULL);
}

cb_status control_broadcast(control_team *team, void *data, size_t bytes)
{
    return team->operations->meet(team, CONTROL_BROADCAST, data, bytes, data);
}

cb_status control_gather(control_team *team, const void *mine, size_t bytes, void *all)
{
    return team->operations->meet(team, CONTROL_GATHER, mine, bytes, all);
}

cb_status control_exchange(control_team *team, const void *mine, size_t bytes, void *all)
{
    return team->operations->meet(team, CONTROL_EXCHANGE, mine, bytes, all);
}

cb_status control_sum(control_team *team, uint64_t *values, size_t count)
{
    return team->operations->meet(team, CONTROL_SUM, values, count * sizeof(*values), values);
}

cb_status control_maximum(control_team *team, double *values, size_t count)
{
    return team->operations->meet(team, CONTROL_MAXIMUM, values, count * sizeof(*values), values);
}

cb_status control_maximum_begin(control_team *team, double *values, size_t count)
{
    return team->operations->maximum_begin(team, values, count);
}

cb_status control_maximum_advance(control_team *team)
{
    return team->operations->maximum_advance(team);
}

cb_status control_maximum_end(control_team *team)
{
    return team->operations->maximum_end(team);
}

cb_status control_agree(control_team *team, cb_status mine)
{
    double worst = (double)mine;

    CB_TRY(control_maximum(team, &worst, 1));
    return (cb_status)worst;
}

cb_status control_synchronise(control *plane, control_clock *clock)
{
    return plane->operations->synchronise(plane, clock);
}
