/* Comparison of clocks over MPI. Rank 0 gives each rank its turn of round trips, and at the end it
 * broadcasts that the comparison is over, or was given up. Each other rank tests for that broadcast
 * also while it waits for its turn or for an answer, so that no rank waits for one that has failed.
 */
#include "control/control_mpi.h"

#include <sched.h>

#include "base/clock.h"
#include "base/log.h"
#include "control/clock.h"

enum { ROUND_TRIPS = 40, FIRST_TAG = 100, TAGS = 10000 };

/* Rank 0's timeout for the next message of a rank that has its turn. All ranks have passed the
 * barrier, so a timeout means that the rank or the network is broken. */
static const uint64_t timeout_ns = 10000000000;

/* The requests: a message, and the broadcast of the end, or MPI_REQUEST_NULL. */
enum { MESSAGE, END, WAITED_FOR };

typedef struct {
    const control *plane;
    MPI_Request requests[WAITED_FOR];
    int tag; /* of this comparison only: messages that a failed one has left match no other */
    int end; /* the broadcast value: 0 when all have had their turn, 1 when it was given up */
} conversation;

/* A broadcast of success may overtake the last answer, which still comes. */
static bool wait_is_over(const conversation *with, int heard)
{
    return heard == MESSAGE || with->end != 0;
}

/* Ways of waiting. They return MPI's code; *heard is MESSAGE, or something else where rank 0 has
 * given up or the time is over. */
typedef int (*waiting)(conversation *with, int *heard, MPI_Status *status);

/* In the library, whose pauses are the shortest part of a round trip. */
static int wait_awake(conversation *with, int *heard, MPI_Status *status)
{
    int code;

    do
        code = MPI_Waitany(WAITED_FOR, with->requests, heard, status);
    while (code == MPI_SUCCESS && !wait_is_over(with, *heard));
    return code;
}

/* Poll without a pause at first, since an answer may come soon; then yield, then sleep. */
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

/* Receive one message of `rank`, of at most `room` bytes, and its size. CB_EMPTY where the wait has
 * ended without one. */
static cb_status receive_from(conversation *with, int rank, waiting wait, void *data, int room,
                              int *bytes)
{
    MPI_Request *message = &with->requests[MESSAGE];
    MPI_Status status;
    int heard = MPI_UNDEFINED;
    int code = MPI_Irecv(data, room, MPI_BYTE, rank, with->tag, MPI_COMM_WORLD, message);

    if (code != MPI_SUCCESS) {
        *message = MPI_REQUEST_NULL;
        return control_failed(code, "compare clocks");
    }
    code = wait(with, &heard, &status);
    if (code == MPI_SUCCESS && heard == MESSAGE)
        code = MPI_Get_count(&status, MPI_BYTE, bytes);
    else if (*message != MPI_REQUEST_NULL) { /* not ended by MPI with an error */
        MPI_Cancel(message);
        MPI_Wait(message, MPI_STATUS_IGNORE);
    }
    if (code != MPI_SUCCESS)
        return control_failed(code, "compare clocks");
    return heard == MESSAGE ? CB_OK : CB_EMPTY;
}

static cb_status send_to(const conversation *with, int rank, const void *data, int bytes)
{
    int code = MPI_Send(data, bytes, MPI_BYTE, rank, with->tag, MPI_COMM_WORLD);

    return code == MPI_SUCCESS ? CB_OK : control_failed(code, "compare clocks");
}

/* Rank 0: a message of one byte means that the rank gives up. */
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

static cb_status answer_all(conversation *with, int size)
{
    cb_status status = CB_OK;
    MPI_Request end;
    int code;

    for (int rank = 1; rank < size && status == CB_OK; rank++)
        status = answer_round_trips(with, rank);
    with->end = status != CB_OK;
    code = MPI_Ibcast(&with->end, 1, MPI_INT, 0, MPI_COMM_WORLD, &end);
    if (control_finish(with->plane, code, &end, "end the comparison of clocks") != CB_OK)
        status = CB_ERROR_CONTROL;
    return status;
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
    int code = MPI_Ibcast(&with->end, 1, MPI_INT, 0, MPI_COMM_WORLD, end);
    cb_status status;

    if (code != MPI_SUCCESS)
        return control_failed(code, "compare clocks");
    status = make_round_trips(with, trips);
    if (status != CB_OK && *end != MPI_REQUEST_NULL)
        (void)send_to(with, 0, "", 1);
    CB_TRY(control_finish(with->plane, MPI_SUCCESS, end, "end the comparison of clocks"));
    if (status == CB_OK)
        *clock = control_clock_refresh(clock, control_clock_estimate(trips, ROUND_TRIPS));
    return status;
}

/* The ranks take turns while the rest sleep, so that no exchange disturbs another. */
cb_status control_synchronise(control *plane, control_clock *clock)
{
    control_team *all = control_everyone(plane);
    conversation with = {.plane = plane,
                         .requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL},
                         .tag = FIRST_TAG + (int)(plane->comparisons++ % TAGS)};
    cb_status status;

    CB_TRY(control_barrier(all));
    if (all->index > 0) {
        status = take_turn(&with, clock);
    } else {
        *clock = (control_clock){.at_ns = cb_now_ns()};
        status = answer_all(&with, all->size);
    }
    return control_agree(all, status);
}
