/* Persistent requests: created once, and started any number of times. Each start is a send or a
 * receive of its own in the trace. */
#include "tracer/tracer.h"

static void remember(const tracer_request *made)
{
    if (tracer_requests_add(&tracer.persistent, made) != CB_OK)
        tracer.on = false;
}

#define MADE_SEND(name)                                                                            \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int peer, int tag,              \
                   MPI_Comm communicator, MPI_Request *request)                                    \
    {                                                                                              \
        bool on = tracer_begin();                                                                  \
        int result = PMPI_##name(data, count, type, peer, tag, communicator, request);             \
                                                                                                   \
        if (tracer_resume(on)) {                                                                   \
            remember(&(tracer_request){.handle = (uintptr_t)*request,                              \
                                       .peer = tracer_world_rank(peer, communicator),              \
                                       .bytes = tracer_bytes_of(count, type)});                    \
            tracer_end();                                                                          \
        }                                                                                          \
        return result;                                                                             \
    }

MADE_SEND(Send_init)
MADE_SEND(Ssend_init)
MADE_SEND(Rsend_init)
MADE_SEND(Bsend_init)

int MPI_Recv_init(void *data, int count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm communicator, MPI_Request *request)
{
    bool on = tracer_begin();
    int result = PMPI_Recv_init(data, count, type, peer, tag, communicator, request);

    if (tracer_resume(on)) {
        tracer_request made = {.handle = (uintptr_t)*request, .receive = true, .peer = -1};

        if (peer != MPI_PROC_NULL)
            made.ranks = tracer_ranks_hold(tracer_ranks_of(communicator));
        remember(&made);
        tracer_end();
    }
    return result;
}

/* MPI may give a request another handle when it starts it, where the library is not done with what
 * it did before. */
static void add_start(MPI_Request before, MPI_Request now)
{
    tracer_request made;

    if (!tracer_requests_take(&tracer.persistent, (uintptr_t)before, UINT64_MAX, &made)) {
        tracer_count_unrecorded("MPI_Start of what is no persistent send or receive");
        return;
    }
    made.handle = (uintptr_t)now;
    remember(&made);
    if (made.receive)
        tracer_start_receive(made.ranks, now);
    else
        tracer_start_send(made.peer, made.bytes, now);
}

int MPI_Start(MPI_Request *request)
{
    MPI_Request before = *request;
    bool on = tracer_begin();
    int result = PMPI_Start(request);

    if (tracer_resume(on)) {
        add_start(before, *request);
        tracer_end();
    }
    return result;
}

int MPI_Startall(int count, MPI_Request requests[])
{
    tracer_kept kept;
    bool on = tracer_begin_with(&kept, count, requests);
    int result = PMPI_Startall(count, requests);

    if (tracer_resume(on)) {
        for (int i = 0; i < count; i++)
            add_start(kept.requests[i], requests[i]);
        tracer_forget(&kept);
        tracer_end();
    }
    return result;
}

/* The request is forgotten before the call, since its handle may be another request's afterwards. A
 * send that is not awaited any more still travels. */
int MPI_Request_free(MPI_Request *request)
{
    const uintptr_t handle = (uintptr_t)*request;
    bool on = tracer_begin();
    int result;

    if (tracer_resume(on)) {
        tracer_request freed;

        if (tracer_requests_take(&tracer.persistent, handle, UINT64_MAX, &freed))
            tracer_ranks_release(freed.ranks);
        if (tracer_requests_take(&tracer.requests, handle, UINT64_MAX, &freed) && freed.receive) {
            tracer_count_unrecorded("MPI_Request_free of a receive");
            tracer_ranks_release(freed.ranks);
        }
        tracer_pause();
    }
    result = PMPI_Request_free(request);
    if (tracer_resume(on))
        tracer_end();
    return result;
}
