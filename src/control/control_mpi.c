/* The control plane over MPI. Every collective operation is non-blocking and tested between sleeps.
 *
 * Clock comparison: rank 0 does the round trips of one rank after the other, and then broadcasts
 * that the comparison is complete or has been abandoned. The other ranks test for that broadcast
 * also while they wait for their turn or for an answer, so that no rank waits for one that has
 * failed. */
#include "control/operations.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

enum { TEAM_TAG = 1, NOTE_TAG = 2 };

typedef struct {
    control_team base;
    const struct mpi_plane *plane;
    MPI_Comm communicator;
    MPI_Request maximum; /* of control_maximum_begin */
} mpi_team;

typedef struct mpi_plane {
    control base;
    mpi_team everyone;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    bool tools; /* the tools interface (MPI_T) is open */
    int thread_level;
    unsigned comparisons;    /* number of clock comparisons so far; the same in all ranks */
    struct mpi_plane *whole; /* of which this is a part, or this one */
    /* Of the whole: a collective call has failed in this rank. Others may wait in it without end,
     * so that no later one can work. */
    bool collective_failed;
} mpi_plane;

static const control_operations operations; /* below */

static mpi_plane *plane_of(control *plane)
{
    return (mpi_plane *)plane;
}

static mpi_team *team_of(control_team *team)
{
    return (mpi_team *)team;
}

/* Log the operation that failed; returns CB_ERROR_CONTROL. */
static cb_status mpi_failed(int code, const char *attempt)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;

    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        length = 0;
    cb_error("the control plane cannot %s: %.*s; see the messages of the MPI library and of mpirun",
             attempt, length, text);
    return CB_ERROR_CONTROL;
}

/* The same for a collective call, which may have failed in this rank only. */
static cb_status collective_call_failed(const mpi_plane *plane, int code, const char *attempt)
{
    plane->whole->collective_failed = true;
    cb_log_silence(false);
    return mpi_failed(code, attempt);
}

static cb_status check_usable(const control_team *team)
{
    return ((const mpi_team *)team)->plane->whole->collective_failed ? CB_ERROR_CONTROL : CB_OK;
}

/* Wait for a collective call by testing; `code` is the result of the call that started it. Yields
 * first, since most answers come soon; then sleeps for 10 us, growing to 5 ms. A signal ends a
 * sleep. */
static cb_status finish_request(const mpi_plane *plane, int code, MPI_Request *request,
                                const char *attempt)
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
        control_look(&plane->base);
    }
    return code == MPI_SUCCESS ? CB_OK : collective_call_failed(plane, code, attempt);
}

/* The value of the first of these environment variables that is a number; -1 if none is. */
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

cb_status control_check_launcher(const control *plane)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS",
                                        "SLURM_NTASKS", NULL};
    const int started = first_number(names);

    if (control_size(plane) > 1 || started < 2)
        return CB_OK;
    cb_log_silence(control_launch_rank() != 0);
    cb_error("the environment names %d ranks, but each is alone to its MPI library, %.60s: start "
             "them with mpirun of that library, or with an srun that knows it (srun --mpi=list; "
             "for Open MPI srun --mpi=pmix)",
             started, control_library(plane));
    return CB_ERROR_USAGE;
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

static void describe_team(mpi_team *team, const mpi_plane *plane, MPI_Comm communicator)
{
    int index, size;

    MPI_Comm_rank(communicator, &index);
    MPI_Comm_size(communicator, &size);
    *team = (mpi_team){.base = {&operations, (size_t)size, (size_t)index},
                       .plane = plane,
                       .communicator = communicator};
}

cb_status control_open(bool threads, control **out)
{
    mpi_plane *plane;
    int level = threads ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE;
    int given, tools, length;
    int code = MPI_Init_thread(NULL, NULL, level, &given);

    if (code != MPI_SUCCESS) {
        cb_log_silence(false);
        return mpi_failed(code, "start MPI");
    }
    plane = cb_allocate(1, sizeof(*plane), "the control plane");
    if (plane == NULL)
        return CB_ERROR_MEMORY;
    plane->whole = plane;
    plane->thread_level = given;
    /* The tools interface stays open all the time: MPICH cannot open it a second time. In Open MPI
     * its level becomes that of MPI_Query_thread. */
    plane->tools = MPI_T_init_thread(level, &tools) == MPI_SUCCESS;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    plane->base = (control){.operations = &operations, .everyone = &plane->everyone.base};
    describe_team(&plane->everyone, plane, MPI_COMM_WORLD);
    MPI_Get_library_version(plane->library, &length);
    plane->library[strcspn(plane->library, ",\n")] = '\0';
    *out = &plane->base;
    return CB_OK;
}

static void close_plane(control *base)
{
    if (plane_of(base)->tools)
        MPI_T_finalize();
    free(base);
    MPI_Finalize();
}

_Noreturn void control_abort(int exit_status)
{
    int started = 0;

    cb_streams_drain();
    if (MPI_Initialized(&started) == MPI_SUCCESS && started)
        MPI_Abort(MPI_COMM_WORLD, exit_status);
    _exit(exit_status);
}

static const char *library(const control *plane)
{
    return ((const mpi_plane *)plane)->library;
}

/* Whether a control variable affects how messages are sent. */
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

/* Put the name of a value in place of its number, where the library has names for a choice; truth
 * values stay numbers. */
static void name_value(MPI_T_enum enumeration, char *text, size_t bytes)
{
    char name[256] = "", *end;
    int count = 0, name_length = sizeof(name);
    const long number = strtol(text, &end, 10);

    if (enumeration == MPI_T_ENUM_NULL || *end != '\0' ||
        MPI_T_enum_get_info(enumeration, &count, name, &name_length) != MPI_SUCCESS ||
        strstr(name, "bool") != NULL)
        return;
    for (int i = 0; i < count; i++) {
        int value = 0;

        name_length = sizeof(name);
        if (MPI_T_enum_get_item(enumeration, i, &value, name, &name_length) == MPI_SUCCESS &&
            value == number && name[0] != '\0') {
            snprintf(text, bytes, "%.200s", name);
            return;
        }
    }
}

static void settings(const control *base,
                     void (*visit)(const char *name, const char *value, void *context),
                     void *context)
{
    const mpi_plane *plane = (const mpi_plane *)base;
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
        MPI_T_enum enumeration = MPI_T_ENUM_NULL;

        if (MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &enumeration, NULL,
                                &description_length, &binding, &scope) == MPI_SUCCESS &&
            shapes_messages(name) && variable_text(i, type, value, sizeof(value))) {
            name_value(enumeration, value, sizeof(value));
            visit(name, value, context);
        }
    }
}

static cb_status team_create(control *base, const int *ranks, size_t count, control_team **out)
{
    const mpi_plane *plane = plane_of(base);
    mpi_team *team = cb_allocate(1, sizeof(*team), "a team");
    MPI_Comm communicator;
    MPI_Group all, members;
    int code;

    if (team == NULL)
        return CB_ERROR_MEMORY;
    if (plane->whole->collective_failed) {
        free(team);
        return CB_ERROR_CONTROL;
    }
    code = MPI_Comm_group(plane->everyone.communicator, &all);
    if (code == MPI_SUCCESS) {
        code = MPI_Group_incl(all, (int)count, ranks, &members);
        MPI_Group_free(&all);
    }
    if (code == MPI_SUCCESS) {
        code =
            MPI_Comm_create_group(plane->everyone.communicator, members, TEAM_TAG, &communicator);
        MPI_Group_free(&members);
    }
    if (code != MPI_SUCCESS) {
        free(team);
        return collective_call_failed(plane, code, "make a team of ranks");
    }
    MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
    describe_team(team, plane, communicator);
    *out = &team->base;
    return CB_OK;
}

static void team_free(control_team *team)
{
    MPI_Comm_free(&team_of(team)->communicator);
    free(team);
}

static cb_status part_create(control *plane, const int *ranks, size_t count, control **out)
{
    mpi_plane *part = cb_allocate(1, sizeof(*part), "a part of the control plane");
    control_team *team = NULL;
    cb_status status;

    if (part == NULL)
        return CB_ERROR_MEMORY;
    if ((status = control_team_create(plane, ranks, count, &team)) != CB_OK) {
        free(part);
        return status;
    }
    *part = *plane_of(plane);
    part->everyone = *team_of(team);
    part->everyone.plane = part;
    part->base.everyone = &part->everyone.base;
    part->comparisons = 0;
    free(team);
    *out = &part->base;
    return CB_OK;
}

static void part_free(control *part)
{
    MPI_Comm_free(&plane_of(part)->everyone.communicator);
    free(part);
}

static cb_status tell(control *plane, int rank, const void *note, size_t bytes)
{
    int code = MPI_Send(note, (int)bytes, MPI_BYTE, rank, NOTE_TAG,
                        plane_of(plane)->everyone.communicator);

    return code == MPI_SUCCESS ? CB_OK : mpi_failed(code, "send a note");
}

static cb_status hear(control *plane, void *note, size_t bytes)
{
    const MPI_Comm all = plane_of(plane)->everyone.communicator;
    MPI_Status from;
    int arrived = 0;
    int code = MPI_Iprobe(MPI_ANY_SOURCE, NOTE_TAG, all, &arrived, &from);

    if (code == MPI_SUCCESS && arrived)
        code =
            MPI_Recv(note, (int)bytes, MPI_BYTE, from.MPI_SOURCE, NOTE_TAG, all, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return mpi_failed(code, "receive a note");
    return arrived ? CB_OK : CB_EMPTY;
}

static cb_status await(control *plane, void *note, size_t bytes)
{
    const uint64_t first_ns = 10000, last_ns = 1000000;
    uint64_t sleep_ns = first_ns;
    cb_status status;

    while ((status = hear(plane, note, bytes)) == CB_EMPTY) {
        cb_sleep_ns(sleep_ns);
        sleep_ns = sleep_ns < last_ns / 2 ? 2 * sleep_ns : last_ns;
        control_look(plane);
    }
    return status;
}

/* In pieces, since MPI counts by int. */
static cb_status broadcast(const mpi_team *team, unsigned char *data, size_t bytes)
{
    const size_t most = 64 << 20;

    for (size_t at = 0; at < bytes; at += most) {
        const int piece = (int)(bytes - at < most ? bytes - at : most);
        MPI_Request request;
        int code = MPI_Ibcast(data + at, piece, MPI_BYTE, 0, team->communicator, &request);

        CB_TRY(finish_request(team->plane, code, &request, "tell all ranks"));
    }
    return CB_OK;
}

static cb_status meet(control_team *base, control_meeting what, const void *mine, size_t bytes,
                      void *all)
{
    const mpi_team *team = team_of(base);
    const MPI_Comm members = team->communicator;
    const int count = (int)bytes, numbers = (int)(bytes / sizeof(uint64_t));
    const char *attempt = NULL;
    MPI_Request request;
    int code = MPI_SUCCESS;

    CB_TRY(check_usable(base));
    switch (what) {
    case CONTROL_BROADCAST:
        return broadcast(team, all, bytes);
    case CONTROL_BARRIER:
        attempt = "gather all ranks at a barrier";
        code = MPI_Ibarrier(members, &request);
        break;
    case CONTROL_GATHER:
        attempt = "gather from all ranks";
        code = MPI_Igather(mine, count, MPI_BYTE, all, count, MPI_BYTE, 0, members, &request);
        break;
    case CONTROL_EXCHANGE:
        attempt = "exchange among all ranks";
        code = MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, members, &request);
        break;
    case CONTROL_SUM:
        attempt = "sum over all ranks";
        code = MPI_Ireduce(base->index == 0 ? MPI_IN_PLACE : mine, base->index == 0 ? all : NULL,
                           numbers, MPI_UINT64_T, MPI_SUM, 0, members, &request);
        break;
    case CONTROL_MAXIMUM:
        attempt = "find the maximum over all ranks";
        code = MPI_Iallreduce(MPI_IN_PLACE, all, numbers, MPI_DOUBLE, MPI_MAX, members, &request);
        break;
    }
    return finish_request(team->plane, code, &request, attempt);
}

static cb_status maximum_begin(control_team *base, double *values, size_t count)
{
    mpi_team *team = team_of(base);
    int code;

    CB_TRY(check_usable(base));
    code = MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_DOUBLE, MPI_MAX, team->communicator,
                          &team->maximum);
    return code == MPI_SUCCESS
               ? CB_OK
               : collective_call_failed(team->plane, code, "find the maximum over all ranks");
}

static cb_status maximum_advance(control_team *base)
{
    mpi_team *team = team_of(base);
    int done;
    int code = MPI_Test(&team->maximum, &done, MPI_STATUS_IGNORE);

    return code == MPI_SUCCESS
               ? CB_OK
               : collective_call_failed(team->plane, code, "find the maximum over all ranks");
}

static cb_status maximum_end(control_team *base)
{
    mpi_team *team = team_of(base);

    return finish_request(team->plane, MPI_SUCCESS, &team->maximum,
                          "find the maximum over all ranks");
}

enum { ROUND_TRIPS = 40, FIRST_TAG = 100, TAGS = 10000 };

/* Rank 0's timeout for the next message of a rank that has its turn. All ranks have passed the
 * barrier, so a timeout means that the rank or the network is broken. */
static const uint64_t timeout_ns = 10000000000;

/* The requests: a message, and the broadcast of the end, or MPI_REQUEST_NULL. */
enum { MESSAGE, END, WAITED_FOR };

typedef struct {
    const mpi_plane *plane;
    MPI_Request requests[WAITED_FOR];
    int tag; /* unique to this comparison, so that messages left by a failed one do not match */
    int end; /* the broadcast value: 0 when all ranks have finished, 1 when abandoned */
} conversation;

/* A broadcast of success may overtake the last answer, which will still arrive. */
static bool wait_is_over(const conversation *with, int heard)
{
    return heard == MESSAGE || with->end != 0;
}

/* Ways of waiting. They return MPI's code; *heard is MESSAGE, or another value if rank 0 has
 * abandoned the comparison or the timeout has expired. */
typedef int (*waiting)(conversation *with, int *heard, MPI_Status *status);

/* Wait in the library, which adds the least delay to a round trip. */
static int wait_awake(conversation *with, int *heard, MPI_Status *status)
{
    int code;

    do
        code = MPI_Waitany(WAITED_FOR, with->requests, heard, status);
    while (code == MPI_SUCCESS && !wait_is_over(with, *heard));
    return code;
}

/* Poll without a pause at first, since an answer may arrive soon; then yield, then sleep. */
static int poll_until(conversation *with, uint64_t deadline_ns, int *heard, MPI_Status *status)
{
    enum { SPINS = 64, YIELDS = 1000, SLEEP_NS = 10000, DOUBLINGS = 9 };

    for (unsigned polls = 0;; polls++) {
        int done = 0;
        int code = MPI_Testany(WAITED_FOR, with->requests, heard, &done, status);

        if (code != MPI_SUCCESS || (done && wait_is_over(with, *heard)))
            return code;
        *heard = MPI_UNDEFINED;
        if (polls < SPINS)
            continue;
        control_look(&with->plane->base);
        if (cb_now_ns() > deadline_ns)
            return MPI_SUCCESS;
        if (polls < YIELDS)
            sched_yield();
        else
            cb_sleep_ns((uint64_t)SLEEP_NS
                        << (polls - YIELDS < DOUBLINGS ? polls - YIELDS : DOUBLINGS));
    }
}

static int wait_asleep(conversation *with, int *heard, MPI_Status *status)
{
    return poll_until(with, UINT64_MAX, heard, status);
}

static int wait_with_timeout(conversation *with, int *heard, MPI_Status *status)
{
    return poll_until(with, cb_now_ns() + timeout_ns, heard, status);
}

/* Receive one message of at most `room` bytes from `rank`, and its size. CB_EMPTY if the wait ended
 * without one. */
static cb_status receive_from(conversation *with, int rank, waiting wait, void *data, int room,
                              int *bytes)
{
    MPI_Request *message = &with->requests[MESSAGE];
    MPI_Status status;
    int heard = MPI_UNDEFINED;
    int code = MPI_Irecv(data, room, MPI_BYTE, rank, with->tag, with->plane->everyone.communicator,
                         message);

    if (code != MPI_SUCCESS) {
        *message = MPI_REQUEST_NULL;
        return mpi_failed(code, "compare clocks");
    }
    code = wait(with, &heard, &status);
    if (code == MPI_SUCCESS && heard == MESSAGE)
        code = MPI_Get_count(&status, MPI_BYTE, bytes);
    else if (*message != MPI_REQUEST_NULL) { /* not ended by MPI with an error */
        MPI_Cancel(message);
        MPI_Wait(message, MPI_STATUS_IGNORE);
    }
    if (code != MPI_SUCCESS)
        return mpi_failed(code, "compare clocks");
    return heard == MESSAGE ? CB_OK : CB_EMPTY;
}

static cb_status send_to(const conversation *with, int rank, const void *data, int bytes)
{
    int code = MPI_Send(data, bytes, MPI_BYTE, rank, with->tag, with->plane->everyone.communicator);

    return code == MPI_SUCCESS ? CB_OK : mpi_failed(code, "compare clocks");
}

/* Rank 0's part. A message of one byte means that the rank has given up. */
static cb_status answer_round_trips(conversation *with, int rank)
{
    CB_TRY(send_to(with, rank, NULL, 0));
    for (int i = 0; i < ROUND_TRIPS; i++) {
        uint64_t now_ns;
        char failure;
        int bytes = 0;
        cb_status status =
            receive_from(with, rank, wait_with_timeout, &failure, sizeof(failure), &bytes);

        now_ns = cb_now_ns();
        if (status == CB_EMPTY)
            cb_error("cannot compare clocks with rank %d: it has not answered for %.0f s; see "
                     "whether its host is alive and its network works",
                     rank, (double)timeout_ns / 1e9);
        if (status != CB_OK || bytes > 0)
            return CB_ERROR_CONTROL;
        CB_TRY(send_to(with, rank, &now_ns, sizeof(now_ns)));
    }
    return CB_OK;
}

static cb_status receive_from_rank_0(conversation *with, waiting wait, void *data, int room)
{
    int bytes = 0;
    cb_status status = receive_from(with, 0, wait, data, room, &bytes);

    return status == CB_OK && bytes == room ? CB_OK : CB_ERROR_CONTROL;
}

static cb_status make_round_trips(conversation *with, control_round_trip *trips)
{
    CB_TRY(receive_from_rank_0(with, wait_asleep, NULL, 0));
    for (int i = 0; i < ROUND_TRIPS; i++) {
        trips[i].sent_ns = cb_now_ns();
        CB_TRY(send_to(with, 0, NULL, 0));
        CB_TRY(receive_from_rank_0(with, wait_awake, &trips[i].reference_ns,
                                   sizeof(trips[i].reference_ns)));
        trips[i].received_ns = cb_now_ns();
    }
    return CB_OK;
}

static cb_status take_turn(conversation *with, control_clock *clock)
{
    control_round_trip trips[ROUND_TRIPS];
    MPI_Request *end = &with->requests[END];
    int code = MPI_Ibcast(&with->end, 1, MPI_INT, 0, with->plane->everyone.communicator, end);
    cb_status status;

    if (code != MPI_SUCCESS)
        return collective_call_failed(with->plane, code, "compare clocks");
    status = make_round_trips(with, trips);
    if (status != CB_OK && *end != MPI_REQUEST_NULL)
        (void)send_to(with, 0, "", 1);
    CB_TRY(finish_request(with->plane, MPI_SUCCESS, end, "end the comparison of clocks"));
    if (status == CB_OK)
        *clock = control_clock_refresh(clock, control_clock_estimate(trips, ROUND_TRIPS));
    return status;
}

/* One rank at a time exchanges messages while the others sleep, so that exchanges do not disturb
 * each other. */
static cb_status synchronise(control *base, control_clock *clock)
{
    mpi_plane *plane = plane_of(base);
    const mpi_team *everyone = &plane->everyone;
    control_team *all = base->everyone;
    conversation with = {.plane = plane,
                         .requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL},
                         .tag = FIRST_TAG + (int)(plane->comparisons++ % TAGS)};
    cb_status status;
    int code;

    CB_TRY(control_barrier(all));
    if (all->index > 0) {
        status = take_turn(&with, clock);
    } else {
        *clock = (control_clock){.at_ns = cb_now_ns()};
        status = CB_OK;
        for (int rank = 1; rank < (int)all->size && status == CB_OK; rank++)
            status = answer_round_trips(&with, rank);
        with.end = status != CB_OK;
        code = MPI_Ibcast(&with.end, 1, MPI_INT, 0, everyone->communicator, &with.requests[END]);
        if (finish_request(plane, code, &with.requests[END], "end the comparison of clocks") !=
            CB_OK)
            status = CB_ERROR_CONTROL;
    }
    return control_agree(all, status);
}

static const control_operations operations = {
    .close = close_plane,
    .library = library,
    .settings = settings,
    .team_create = team_create,
    .team_free = team_free,
    .part_create = part_create,
    .part_free = part_free,
    .tell = tell,
    .hear = hear,
    .await = await,
    .meet = meet,
    .maximum_begin = maximum_begin,
    .maximum_advance = maximum_advance,
    .maximum_end = maximum_end,
    .synchronise = synchronise,
};
