/* The calls that complete requests. A trace's `w` waits for all that a rank has started. So it
 * stands where a call leaves nothing under way; where something is left, the receives that are
 * complete become blocking ones at that place, and the sends are awaited by the next `w`. */
#include "tracer/tracer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool tracer_reserve(int count)
{
    size_t room = count > 0 ? (size_t)count : 1;

    if (room <= tracer.room)
        return true;
    free(tracer.statuses);
    free(tracer.before);
    tracer.statuses = cb_allocate(room, sizeof(*tracer.statuses), "statuses of requests");
    tracer.before = cb_allocate(room, sizeof(*tracer.before), "requests under way");
    tracer.room = room;
    if (tracer.statuses != NULL && tracer.before != NULL)
        return true;
    tracer.room = 0;
    tracer.on = false;
    return false;
}

/* The receive that a request was, with what came. */
static tracer_record received(const tracer_request *request, const MPI_Status *status)
{
    tracer_record record = {.kind = TRACER_NOTHING, .time_us = -1};
    MPI_Count bytes = 0;
    int world;

    if (status->MPI_SOURCE < 0 || status->MPI_SOURCE >= request->ranks->size)
        return record; /* from nobody: MPI_PROC_NULL, or cancelled */
    world = request->ranks->world[status->MPI_SOURCE];
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    record.peer = world;
    record.bytes = bytes > 0 ? (uint64_t)bytes : 0;
    record.kind = world == tracer.rank ? TRACER_NOTHING : TRACER_START_RECEIVE;
    return record;
}

/* At its place while it is possible that the call leaves nothing under way; see below. */
static void settle(const tracer_request *request, const MPI_Status *status)
{
    tracer_record record = received(request, status);

    if (request->place != UINT64_MAX &&
        tracer_records_set(&tracer.records, request->place, &record) != CB_OK)
        tracer.on = false;
    tracer_ranks_release(request->ranks);
}

/* The receive was not among the last under way: it moves from its place to here. */
static void settle_here(const tracer_request *request, const MPI_Status *status)
{
    tracer_record record = received(request, status);

    if (record.kind != TRACER_NOTHING) {
        record.kind = TRACER_RECEIVE;
        tracer_note(&record);
    }
    tracer_ranks_release(request->ranks);
}

void tracer_end_completion(int count, const MPI_Request *before, const int *indices,
                           const MPI_Status *statuses)
{
    double took_us = tracer_elapsed_us();
    tracer_request *complete =
        cb_allocate(count > 0 ? (size_t)count : 1, sizeof(*complete), "requests that are complete");
    int *which =
        cb_allocate(count > 0 ? (size_t)count : 1, sizeof(*which), "requests that are complete");
    int found = 0;

    for (int i = 0; complete != NULL && which != NULL && i < count; i++) {
        uintptr_t handle = (uintptr_t)before[indices != NULL ? indices[i] : i];

        which[found] = i;
        found += tracer_requests_take(&tracer.requests, handle, &complete[found]);
    }
    for (int i = 0; i < found; i++)
        if (complete[i].receive)
            (tracer.requests.count == 0 ? settle : settle_here)(&complete[i], &statuses[which[i]]);
    if (found > 0 && tracer.requests.count == 0)
        tracer_note(&(tracer_record){.kind = TRACER_WAIT, .time_us = took_us});
    tracer.on = tracer.on && complete != NULL && which != NULL;
    free(complete);
    free(which);
    tracer_end();
}

/* The calls themselves */

/* Keep the requests, which MPI changes; false: nothing is to be recorded. */
static bool begin_with(int count, const MPI_Request *requests)
{
    if (!tracer_begin() || !tracer_reserve(count))
        return false;
    if (count > 0)
        memcpy(tracer.before, requests, (size_t)count * sizeof(*requests));
    return true;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    bool on = begin_with(1, request);
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Wait(request, seen);

    if (on)
        tracer_end_completion(1, tracer.before, NULL, seen);
    return result;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    bool on = begin_with(1, request);
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Test(request, flag, seen);

    if (on && *flag)
        tracer_end_completion(1, tracer.before, NULL, seen);
    else if (on)
        tracer_end();
    return result;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    bool on = begin_with(count, requests);
    MPI_Status *seen = on && statuses == MPI_STATUSES_IGNORE ? tracer.statuses : statuses;
    int result = PMPI_Waitall(count, requests, seen);

    if (on)
        tracer_end_completion(count, tracer.before, NULL, seen);
    return result;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    bool on = begin_with(count, requests);
    MPI_Status *seen = on && statuses == MPI_STATUSES_IGNORE ? tracer.statuses : statuses;
    int result = PMPI_Testall(count, requests, flag, seen);

    if (on && *flag)
        tracer_end_completion(count, tracer.before, NULL, seen);
    else if (on)
        tracer_end();
    return result;
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    bool on = begin_with(count, requests);
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Waitany(count, requests, index, seen);

    if (on && *index != MPI_UNDEFINED)
        tracer_end_completion(1, tracer.before, index, seen);
    else if (on)
        tracer_end();
    return result;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    bool on = begin_with(count, requests);
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Testany(count, requests, index, flag, seen);

    if (on && *flag && *index != MPI_UNDEFINED)
        tracer_end_completion(1, tracer.before, index, seen);
    else if (on)
        tracer_end();
    return result;
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    bool on = begin_with(count, requests);
    MPI_Status *seen = on && statuses == MPI_STATUSES_IGNORE ? tracer.statuses : statuses;
    int result = PMPI_Waitsome(count, requests, done, indices, seen);

    if (on && *done != MPI_UNDEFINED)
        tracer_end_completion(*done, tracer.before, indices, seen);
    else if (on)
        tracer_end();
    return result;
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    bool on = begin_with(count, requests);
    MPI_Status *seen = on && statuses == MPI_STATUSES_IGNORE ? tracer.statuses : statuses;
    int result = PMPI_Testsome(count, requests, done, indices, seen);

    if (on && *done != MPI_UNDEFINED && *done > 0)
        tracer_end_completion(*done, tracer.before, indices, seen);
    else if (on)
        tracer_end();
    return result;
}

/* A send that nobody waits for any more still travels. */
int MPI_Request_free(MPI_Request *request)
{
    bool on = begin_with(1, request);
    int result = PMPI_Request_free(request);
    tracer_request freed;

    if (on && tracer_requests_take(&tracer.requests, (uintptr_t)tracer.before[0], &freed) &&
        freed.receive) {
        tracer_count_unrecorded("MPI_Request_free of a receive");
        tracer_ranks_release(freed.ranks);
    }
    if (on)
        tracer_end();
    return result;
}
