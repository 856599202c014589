/* Calls that complete requests. A trace's `w` waits for everything that a rank has started. So it
 * is recorded where a call leaves no request pending; otherwise the completed receives become
 * blocking ones at that place, and the next `w` waits for the sends. */
#include "tracer/tracer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FEW = sizeof(((tracer_kept *)NULL)->few) / sizeof(MPI_Request) };

void tracer_forget(tracer_kept *kept)
{
    if (kept->requests != kept->few)
        free(kept->requests);
    if (kept->statuses != kept->few_statuses)
        free(kept->statuses);
}

bool tracer_begin_with(tracer_kept *kept, int count, const MPI_Request *requests)
{
    const size_t room = count > 0 ? (size_t)count : 0;

    kept->requests = kept->few;
    kept->statuses = kept->few_statuses;
    if (!tracer.on)
        return false;
    if (room > FEW) {
        kept->requests = cb_allocate(room, sizeof(*kept->requests), "requests under way");
        kept->statuses = cb_allocate(room, sizeof(*kept->statuses), "statuses of requests");
    }
    if (kept->requests == NULL || kept->statuses == NULL) {
        tracer.on = false;
    } else if (room > 0) {
        memcpy(kept->requests, requests, room * sizeof(*requests));
    }
    if (tracer_begin())
        return true;
    tracer_forget(kept);
    return false;
}

/* A completed request and the index of its status. */
typedef struct {
    tracer_request request;
    int status;
} completed;

static int by_start(const void *left, const void *right)
{
    const completed *one = left, *other = right;

    return (one->request.number > other->request.number) -
           (one->request.number < other->request.number);
}

/* Remove those of `count` requests that the tracer knows, in the order of their starts: messages of
 * a pair keep their order, and all ranks have collectives in the same order. */
static int take_all(int count, const MPI_Request *requests, const int *indices, completed *out)
{
    int found = 0;

    for (int i = 0; i < count; i++) {
        uintptr_t handle = (uintptr_t)requests[indices != NULL ? indices[i] : i];

        out[found].status = i;
        found += tracer_requests_take(&tracer.requests, handle, tracer_requests_before(),
                                      &out[found].request);
    }
    if (found > 1)
        qsort(out, (size_t)found, sizeof(*out), by_start);
    return found;
}

/* The receive of a request, with what was received. */
static tracer_record received(const tracer_request *request, const MPI_Status *status)
{
    tracer_record record = {.kind = TRACER_NOTHING, .time_us = -1};
    int cancelled = 0;
    MPI_Count bytes = 0;

    PMPI_Test_cancelled(status, &cancelled);
    if (cancelled)
        return record;
    record.peer = tracer_known_rank(request->ranks, status->MPI_SOURCE);
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    record.bytes = bytes > 0 ? (uint64_t)bytes : 0;
    record.kind = record.peer < 0 ? TRACER_NOTHING : TRACER_START_RECEIVE;
    return record;
}

/* `none_left`: the call leaves no request pending and a `w` follows, so the receive stays where it
 * was started. Otherwise move it here. While recording is off, it stays, too. */
static void settle_receive(const tracer_request *request, const MPI_Status *status, bool none_left)
{
    tracer_record record = received(request, status);

    none_left = none_left || tracer.paused;
    if (!none_left && record.kind != TRACER_NOTHING) {
        record.kind = TRACER_RECEIVE;
        tracer_add(&record);
    } else if (none_left && request->place != UINT64_MAX &&
               tracer_records_set(&tracer.records, request->place, &record) != CB_OK) {
        tracer.on = false;
    }
    tracer_ranks_release(request->ranks);
}

static void add_wait(double took_us)
{
    if (tracer.paused)
        tracer.owes_wait = true;
    else if (tracer.requests.count == 0)
        tracer_add(&(tracer_record){.kind = TRACER_WAIT, .time_us = took_us});
}

/* Of `count` requests as they were before the call, those with an index in `indices` (all if NULL)
 * are complete, with these statuses. */
static void settle_requests(int count, const MPI_Request *requests, const int *indices,
                            const MPI_Status *statuses, completed *all)
{
    const double took_us = tracer_waited_us();
    const int found = take_all(count, requests, indices, all);
    const bool none_left = tracer.requests.count == 0;
    bool sends = false;

    for (int i = 0; i < found; i++)
        if (all[i].request.collective != NULL)
            tracer_started_settle(all[i].request.collective, none_left || tracer.paused);
        else if (all[i].request.receive)
            settle_receive(&all[i].request, &statuses[all[i].status], none_left);
    if (found > 0)
        add_wait(took_us);
    for (int i = 0; i < found; i++)
        if (all[i].request.collective != NULL)
            sends = tracer_started_finish(all[i].request.collective) || sends;
    if (sends)
        add_wait(-1);
}

/* After a call: `count` requests are complete, or none, which is a poll that found
 * nothing. */
static void end_with(tracer_kept *kept, int count, const int *indices, const MPI_Status *statuses)
{
    completed few[FEW], *all = few;

    if (count > FEW)
        all = cb_allocate((size_t)count, sizeof(*all), "requests that are complete");
    if (all == NULL)
        tracer.on = false;
    else if (count > 0)
        settle_requests(count, kept->requests, indices, statuses, all);
    if (all != few)
        free(all);
    tracer_forget(kept);
    if (count > 0)
        tracer_end();
    else
        tracer_end_polling(false);
}

/* The calls */

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    tracer_kept kept;
    bool on = tracer_begin_with(&kept, 1, request);
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? kept.statuses : status;
    int result = REAL(Wait)(request, seen);

    if (tracer_resume(on))
        end_with(&kept, 1, NULL, seen);
    return result;
}
EXPORT(Wait)

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    tracer_kept kept;
    bool on = tracer_begin_with(&kept, 1, request);
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? kept.statuses : status;
    int result = REAL(Test)(request, flag, seen);

    if (tracer_resume(on))
        end_with(&kept, *flag ? 1 : 0, NULL, seen);
    return result;
}
EXPORT(Test)

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    tracer_kept kept;
    bool on = tracer_begin_with(&kept, count, requests);
    MPI_Status *seen = on && statuses == MPI_STATUSES_IGNORE ? kept.statuses : statuses;
    int result = REAL(Waitall)(count, requests, seen);

    if (tracer_resume(on))
        end_with(&kept, count, NULL, seen);
    return result;
}
EXPORT(Waitall)

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    tracer_kept kept;
    bool on = tracer_begin_with(&kept, count, requests);
    MPI_Status *seen = on && statuses == MPI_STATUSES_IGNORE ? kept.statuses : statuses;
    int result = REAL(Testall)(count, requests, flag, seen);

    if (tracer_resume(on))
        end_with(&kept, *flag ? count : 0, NULL, seen);
    return result;
}
EXPORT(Testall)

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    tracer_kept kept;
    bool on = tracer_begin_with(&kept, count, requests);
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = REAL(Waitany)(count, requests, index, seen);

    if (tracer_resume(on))
        end_with(&kept, *index != MPI_UNDEFINED ? 1 : 0, index, seen);
    return result;
}
EXPORT(Waitany)

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    tracer_kept kept;
    bool on = tracer_begin_with(&kept, count, requests);
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = REAL(Testany)(count, requests, index, flag, seen);

    if (tracer_resume(on))
        end_with(&kept, *flag && *index != MPI_UNDEFINED ? 1 : 0, index, seen);
    return result;
}
EXPORT(Testany)

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    tracer_kept kept;
    bool on = tracer_begin_with(&kept, count, requests);
    MPI_Status *seen = on && statuses == MPI_STATUSES_IGNORE ? kept.statuses : statuses;
    int result = REAL(Waitsome)(count, requests, done, indices, seen);

    if (tracer_resume(on))
        end_with(&kept, *done != MPI_UNDEFINED ? *done : 0, indices, seen);
    return result;
}
EXPORT(Waitsome)

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    tracer_kept kept;
    bool on = tracer_begin_with(&kept, count, requests);
    MPI_Status *seen = on && statuses == MPI_STATUSES_IGNORE ? kept.statuses : statuses;
    int result = REAL(Testsome)(count, requests, done, indices, seen);

    if (tracer_resume(on))
        end_with(&kept, *done != MPI_UNDEFINED ? *done : 0, indices, seen);
    return result;
}
EXPORT(Testsome)
