/* The control plane over MPI. Every collective operation is non-blocking and tested between sleeps.
 */
#include "control/control_mpi.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/streams.h"

enum { TEAM_TAG = 1 };

cb_status control_failed(int code, const char *attempt)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;

    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        length = 0;
    cb_error("the control plane cannot %s: %.*s; see the messages of the MPI library and of mpirun",
             attempt, length, text);
    return CB_ERROR_CONTROL;
}

/* Yields come first, since most answers come soon; then sleeps that grow from 10 us to 5 ms. A
 * signal ends a sleep. */
cb_status control_finish(const control *plane, int code, MPI_Request *request, const char *attempt)
{
    enum { YIELDS = 50, FIRST_NS = 10000, LAST_NS = 5000000 };
    uint64_t sleep_ns = FIRST_NS;
    unsigned polls = 0;
    int done = 0;

    while (code == MPI_SUCCESS &&
           (code = MPI_Test(request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done) {
        if (polls++ < YIELDS) {
            sched_yield();
            continue;
        }
        cb_sleep_ns(sleep_ns);
        sleep_ns = sleep_ns < LAST_NS / 2 ? 2 * sleep_ns : LAST_NS;
        if (plane->look != NULL)
            plane->look(plane->look_context);
    }
    return code == MPI_SUCCESS ? CB_OK : control_failed(code, attempt);
}

/* The first of these variables of the environment that is a number; -1: none is. */
static int first_number(const char *const *names)
{
    for (; *names != NULL; names++) {
        const char *text = getenv(*names);
        char *end;
        long number;

        if (text == NULL)
            continue;
        number = strtol(text, &end, 10);
        if (end != text && number >= 0 && number <= INT_MAX)
            return (int)number;
    }
    return -1;
}

static const char *const names_of_rank[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                            "SLURM_PROCID", NULL};

bool control_launched(void)
{
    return first_number(names_of_rank) >= 0;
}

int control_launch_rank(void)
{
    const int number = first_number(names_of_rank);

    return number >= 0 ? number : 0;
}

int control_launch_local_size(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_NTASKS_PER_NODE", NULL};
    const int number = first_number(names);

    return number >= 0 ? number : 0;
}

void control_request_yield(bool yield)
{
    setenv("OMPI_MCA_mpi_yield_when_idle", yield ? "1" : "0", 1);
}

cb_status control_open(bool threads, control **out)
{
    control *plane = cb_allocate(1, sizeof(*plane), "the control plane");
    int level = threads ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE;
    int tools, length, code;

    if (plane == NULL)
        return CB_ERROR_MEMORY;
    code = MPI_Init_thread(NULL, NULL, level, &plane->thread_level);
    if (code != MPI_SUCCESS) {
        free(plane);
        return control_failed(code, "start MPI");
    }
    /* The tools interface stays open all the time: MPICH cannot open it a second time. In Open MPI
     * its level becomes that of MPI_Query_thread. */
    plane->tools = MPI_T_init_thread(level, &tools) == MPI_SUCCESS;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    plane->everyone.plane = plane;
    plane->everyone.communicator = MPI_COMM_WORLD;
    MPI_Comm_rank(MPI_COMM_WORLD, &plane->everyone.index);
    MPI_Comm_size(MPI_COMM_WORLD, &plane->everyone.size);
    MPI_Get_library_version(plane->library, &length);
    plane->library[strcspn(plane->library, ",\n")] = '\0';
    *out = plane;
    return CB_OK;
}

void control_close(control *plane)
{
    if (plane == NULL)
        return;
    if (plane->tools)
        MPI_T_finalize();
    free(plane);
    MPI_Finalize();
}

int control_rank(const control *plane)
{
    return plane->everyone.index;
}

int control_size(const control *plane)
{
    return plane->everyone.size;
}

control_team *control_everyone(control *plane)
{
    return &plane->everyone;
}

void control_look_while_waiting(control *plane, void (*look)(void *context), void *context)
{
    plane->look = look;
    plane->look_context = context;
}

/* MPICH's launcher ends as soon as it learns of the abort, and output of this rank that it has not
 * read by then is lost. The wait for a launcher that gets no core ends after two seconds. */
_Noreturn void control_abort(control *plane, int exit_status)
{
    const uint64_t patience_ns = 2000000000;

    (void)plane;
    (void)cb_streams_await_reader(STDOUT_FILENO, patience_ns);
    (void)cb_streams_await_reader(STDERR_FILENO, patience_ns);
    MPI_Abort(MPI_COMM_WORLD, exit_status);
    abort();
}

const char *control_library(const control *plane)
{
    return plane->library;
}

/* The control variables that decide how a message travels. */
static bool shapes_messages(const char *name)
{
    static const char *const names[] = {
        "pml",
        "btl",
        "mtl",
        "osc",
        "mpi_yield_when_idle",
        "mpi_leave_pinned",
        "btl_vader_eager_limit",
        "btl_vader_single_copy_mechanism",
        "btl_tcp_eager_limit",
        "btl_tcp_if_include",
        "MPIR_CVAR_CH4_NETMOD",
        "MPIR_CVAR_CH4_SHM",
        "MPIR_CVAR_ASYNC_PROGRESS",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Text of a control variable of an integer or character type; false for others. */
static bool variable_text(int index, MPI_Datatype type, char *text, size_t bytes)
{
    union {
        int number;
        unsigned unsigned_number;
        unsigned long unsigned_long;
        unsigned long long unsigned_long_long;
        char characters[4096];
    } value;
    MPI_T_cvar_handle handle;
    int count;
    bool read = false;

    if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return false;
    memset(&value, 0, sizeof(value));
    if (count <= (int)sizeof(value) / 8 || type == MPI_CHAR)
        read = count < (int)sizeof(value) && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    if (!read)
        return false;
    if (type == MPI_CHAR)
        snprintf(text, bytes, "%.200s", value.characters);
    else if (type == MPI_INT)
        snprintf(text, bytes, "%d", value.number);
    else if (type == MPI_UNSIGNED)
        snprintf(text, bytes, "%u", value.unsigned_number);
    else if (type == MPI_UNSIGNED_LONG)
        snprintf(text, bytes, "%lu", value.unsigned_long);
    else if (type == MPI_UNSIGNED_LONG_LONG)
        snprintf(text, bytes, "%llu", value.unsigned_long_long);
    else
        return false;
    return text[0] != '\0';
}

void control_settings(const control *plane,
                      void (*visit)(const char *name, const char *value, void *context),
                      void *context)
{
    static const struct {
        int level;
        const char *name;
    } levels[] = {{MPI_THREAD_SINGLE, "single"},
                  {MPI_THREAD_FUNNELED, "funneled"},
                  {MPI_THREAD_SERIALIZED, "serialized"}};
    const char *level = "multiple";
    int variables = 0;

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (levels[i].level == plane->thread_level)
            level = levels[i].name;
    visit("thread_level", level, context);
    if (!plane->tools || MPI_T_cvar_get_num(&variables) != MPI_SUCCESS)
        return;
    for (int i = 0; i < variables; i++) {
        char name[256] = "", value[256];
        int name_length = sizeof(name), description_length = 0, verbosity, binding, scope;
        MPI_Datatype type;
        MPI_T_enum enumeration;

        if (MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &enumeration, NULL,
                                &description_length, &binding, &scope) == MPI_SUCCESS &&
            shapes_messages(name) && variable_text(i, type, value, sizeof(value)))
            visit(name, value, context);
    }
}

cb_status control_team_create(control *plane, const int *ranks, size_t count, control_team **out)
{
    control_team *team = cb_allocate(1, sizeof(*team), "a team");
    MPI_Group all, members;
    int code;

    if (team == NULL)
        return CB_ERROR_MEMORY;
    team->plane = plane;
    code = MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (code == MPI_SUCCESS) {
        code = MPI_Group_incl(all, (int)count, ranks, &members);
        MPI_Group_free(&all);
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_create_group(MPI_COMM_WORLD, members, TEAM_TAG, &team->communicator);
        MPI_Group_free(&members);
    }
    if (code != MPI_SUCCESS) {
        free(team);
        return control_failed(code, "make a team of ranks");
    }
    MPI_Comm_set_errhandler(team->communicator, MPI_ERRORS_RETURN);
    MPI_Comm_rank(team->communicator, &team->index);
    MPI_Comm_size(team->communicator, &team->size);
    *out = team;
    return CB_OK;
}

void control_team_free(control_team *team)
{
    if (team == NULL)
        return;
    MPI_Comm_free(&team->communicator);
    free(team);
}

size_t control_team_size(const control_team *team)
{
    return (size_t)team->size;
}

size_t control_team_index(const control_team *team)
{
    return (size_t)team->index;
}

cb_status control_barrier(control_team *team)
{
    MPI_Request request;

    return control_finish(team->plane, MPI_Ibarrier(team->communicator, &request), &request,
                          "gather all ranks at a barrier");
}

cb_status control_broadcast(control_team *team, void *data, size_t bytes)
{
    MPI_Request request;

    return control_finish(team->plane,
                          MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, team->communicator, &request),
                          &request, "tell all ranks");
}

cb_status control_gather(control_team *team, const void *mine, size_t bytes, void *all)
{
    MPI_Request request;

    return control_finish(team->plane,
                          MPI_Igather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0,
                                      team->communicator, &request),
                          &request, "gather from all ranks");
}

cb_status control_exchange(control_team *team, const void *mine, size_t bytes, void *all)
{
    MPI_Request request;

    return control_finish(team->plane,
                          MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                                         team->communicator, &request),
                          &request, "exchange among all ranks");
}

cb_status control_sum(control_team *team, uint64_t *values, size_t count)
{
    MPI_Request request;
    const void *mine = team->index == 0 ? MPI_IN_PLACE : values;
    void *sum = team->index == 0 ? values : NULL;

    return control_finish(
        team->plane,
        MPI_Ireduce(mine, sum, (int)count, MPI_UINT64_T, MPI_SUM, 0, team->communicator, &request),
        &request, "sum over all ranks");
}

cb_status control_maximum(control_team *team, double *values, size_t count)
{
    MPI_Request request;

    return control_finish(team->plane,
                          MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_DOUBLE, MPI_MAX,
                                         team->communicator, &request),
                          &request, "find the maximum over all ranks");
}

cb_status control_agree(control_team *team, cb_status mine)
{
    double worst = (double)mine;

    CB_TRY(control_maximum(team, &worst, 1));
    return (cb_status)worst;
}
