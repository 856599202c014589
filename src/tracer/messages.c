/* Messages between two ranks, blocking and started. A receive has the rank and the size of the
 * message that came, so that the trace has no choice left that the program's run had. */
#include "tracer/tracer.h"

/* The rank in MPI_COMM_WORLD; -1 where the message goes nowhere that a trace knows. */
static int world_rank(int peer, MPI_Comm communicator)
{
    const tracer_ranks *ranks = peer == MPI_PROC_NULL ? NULL : tracer_ranks_of(communicator);
    int world = ranks != NULL ? ranks->world[peer] : -1;

    return world == tracer.rank ? -1 : world;
}

void tracer_end_message(tracer_kind kind, int peer, MPI_Comm communicator, uint64_t bytes)
{
    double took_us = tracer_elapsed_us();
    int world = world_rank(peer, communicator);

    if (world >= 0)
        tracer_note(&(tracer_record){kind, world, bytes, took_us, NULL});
    tracer_end();
}

static uint64_t bytes_received(const MPI_Status *status)
{
    MPI_Count bytes = 0;

    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

void tracer_end_receive(MPI_Comm communicator, const MPI_Status *status)
{
    tracer_end_message(TRACER_RECEIVE, status->MPI_SOURCE, communicator, bytes_received(status));
}

/* The place of a receive is kept; what is in it is known when it is complete. */
static void start_receive(int peer, MPI_Comm communicator, MPI_Request request)
{
    tracer_ranks *ranks = peer == MPI_PROC_NULL ? NULL : tracer_ranks_of(communicator);
    tracer_request started = {.handle = (uintptr_t)request, .receive = true, .ranks = ranks};

    if (ranks == NULL)
        return;
    started.place = tracer_note(&(tracer_record){.kind = TRACER_NOTHING});
    ranks->holders++;
    if (tracer_requests_add(&tracer.requests, &started) != CB_OK)
        tracer.on = false;
}

static void start_send(int peer, MPI_Comm communicator, uint64_t bytes, MPI_Request request)
{
    tracer_request started = {.handle = (uintptr_t)request, .peer = world_rank(peer, communicator)};
    tracer_record record = {TRACER_START_SEND, started.peer, bytes, tracer_elapsed_us(), NULL};

    if (started.peer < 0)
        return;
    started.place = tracer_note(&record);
    if (tracer_requests_add(&tracer.requests, &started) != CB_OK)
        tracer.on = false;
}

void tracer_end_start(bool receive, int peer, MPI_Comm communicator, uint64_t bytes,
                      MPI_Request request)
{
    if (receive)
        start_receive(peer, communicator, request);
    else
        start_send(peer, communicator, bytes, request);
    tracer_end();
}

/* The calls themselves. All that send have the same arguments. */

#define BLOCKING_SEND(name)                                                                        \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int peer, int tag,              \
                   MPI_Comm communicator)                                                          \
    {                                                                                              \
        bool on = tracer_begin();                                                                  \
        int result = PMPI_##name(data, count, type, peer, tag, communicator);                      \
                                                                                                   \
        if (on)                                                                                    \
            tracer_end_message(TRACER_SEND, peer, communicator, tracer_bytes_of(count, type));     \
        return result;                                                                             \
    }

BLOCKING_SEND(Send)
BLOCKING_SEND(Ssend)
BLOCKING_SEND(Rsend)
BLOCKING_SEND(Bsend)

#define STARTED_SEND(name)                                                                         \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int peer, int tag,              \
                   MPI_Comm communicator, MPI_Request *request)                                    \
    {                                                                                              \
        bool on = tracer_begin();                                                                  \
        int result = PMPI_##name(data, count, type, peer, tag, communicator, request);             \
                                                                                                   \
        if (on)                                                                                    \
            tracer_end_start(false, peer, communicator, tracer_bytes_of(count, type), *request);   \
        return result;                                                                             \
    }

STARTED_SEND(Isend)
STARTED_SEND(Issend)
STARTED_SEND(Irsend)
STARTED_SEND(Ibsend)

int MPI_Recv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator,
             MPI_Status *status)
{
    bool on = tracer_begin();
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Recv(data, count, type, peer, tag, communicator, seen);

    if (on)
        tracer_end_receive(communicator, seen);
    return result;
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator,
              MPI_Request *request)
{
    bool on = tracer_begin();
    int result = PMPI_Irecv(data, count, type, peer, tag, communicator, request);

    if (on)
        tracer_end_start(true, peer, communicator, 0, *request);
    return result;
}

/* Both at a time: the send is started, so that a ring of ranks does not wait for itself. */
static void end_exchange(int to, uint64_t bytes, MPI_Comm communicator, const MPI_Status *status)
{
    int world = world_rank(to, communicator);

    if (world >= 0)
        tracer_note(&(tracer_record){TRACER_START_SEND, world, bytes, -1, NULL});
    tracer_end_receive(communicator, status);
}

int MPI_Sendrecv(const void *sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                 void *received, int count, MPI_Datatype type, int from, int tag,
                 MPI_Comm communicator, MPI_Status *status)
{
    bool on = tracer_begin();
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received, count, type,
                               from, tag, communicator, seen);

    if (on)
        end_exchange(to, tracer_bytes_of(sent_count, sent_type), communicator, seen);
    return result;
}

int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int sent_tag, int from,
                         int tag, MPI_Comm communicator, MPI_Status *status)
{
    bool on = tracer_begin();
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result =
        PMPI_Sendrecv_replace(data, count, type, to, sent_tag, from, tag, communicator, seen);

    if (on)
        end_exchange(to, tracer_bytes_of(count, type), communicator, seen);
    return result;
}

/* To look for a message is to wait for it, and no computing. */

int MPI_Probe(int peer, int tag, MPI_Comm communicator, MPI_Status *status)
{
    bool on = tracer_begin();
    int result = PMPI_Probe(peer, tag, communicator, status);

    if (on)
        tracer_end();
    return result;
}

int MPI_Iprobe(int peer, int tag, MPI_Comm communicator, int *flag, MPI_Status *status)
{
    bool on = tracer_begin();
    int result = PMPI_Iprobe(peer, tag, communicator, flag, status);

    if (on)
        tracer_end();
    return result;
}
