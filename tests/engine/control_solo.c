/* The control plane of a single process without MPI, for tests of the code above it. */
#include "control/control.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct control_team {
    int unused;
};

struct control {
    control_team everyone;
};

int control_launch_rank(void)
{
    return 0;
}

cb_status control_check_launcher(const control *plane)
{
    (void)plane;
    return CB_OK;
}

int control_launch_local_size(void)
{
    return 1;
}

bool control_launched(void)
{
    return false;
}

void control_request_yield(bool yield)
{
    (void)yield;
}

cb_status control_open(bool threads, control **out)
{
    (void)threads;
    *out = cb_allocate(1, sizeof(**out), "the control plane");
    return *out != NULL ? CB_OK : CB_ERROR_MEMORY;
}

void control_close(control *plane)
{
    free(plane);
}

int control_rank(const control *plane)
{
    (void)plane;
    return 0;
}

int control_size(const control *plane)
{
    (void)plane;
    return 1;
}

control_team *control_everyone(control *plane)
{
    return &plane->everyone;
}

/* There are no other ranks to wait for. */
void control_look_while_waiting(control *plane, void (*look)(void *context), void *context)
{
    (void)plane;
    (void)look;
    (void)context;
}

_Noreturn void control_abort(int exit_status)
{
    exit(exit_status);
}

const char *control_library(const control *plane)
{
    (void)plane;
    return "none";
}

void control_settings(const control *plane,
                      void (*visit)(const char *name, const char *value, void *context),
                      void *context)
{
    (void)plane;
    (void)visit;
    (void)context;
}

cb_status control_team_create(control *plane, const int *ranks, size_t count, control_team **out)
{
    (void)plane;
    (void)ranks;
    (void)count;
    *out = cb_allocate(1, sizeof(**out), "a team");
    return *out != NULL ? CB_OK : CB_ERROR_MEMORY;
}

void control_team_free(control_team *team)
{
    free(team);
}

size_t control_team_size(const control_team *team)
{
    (void)team;
    return 1;
}

size_t control_team_index(const control_team *team)
{
    (void)team;
    return 0;
}

cb_status control_barrier(control_team *team)
{
    (void)team;
    return CB_OK;
}

cb_status control_broadcast(control_team *team, void *data, size_t bytes)
{
    (void)team;
    (void)data;
    (void)bytes;
    return CB_OK;
}

cb_status control_gather(control_team *team, const void *mine, size_t bytes, void *all)
{
    (void)team;
    memcpy(all, mine, bytes);
    return CB_OK;
}

cb_status control_exchange(control_team *team, const void *mine, size_t bytes, void *all)
{
    return control_gather(team, mine, bytes, all);
}

cb_status control_sum(control_team *team, uint64_t *values, size_t count)
{
    (void)team;
    (void)values;
    (void)count;
    return CB_OK;
}

cb_status control_maximum(control_team *team, double *values, size_t count)
{
    (void)team;
    (void)values;
    (void)count;
    return CB_OK;
}

cb_status control_agree(control_team *team, cb_status mine)
{
    (void)team;
    return mine;
}

cb_status control_synchronise(control *plane, control_clock *clock)
{
    (void)plane;
    *clock = (control_clock){0};
    return CB_OK;
}
