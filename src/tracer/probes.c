/* Calls that look for a message, and those that receive one that was found. To look for a message
 * is to wait for it, and no computing. */
#include "tracer/tracer.h"

int MPI_Probe(int peer, int tag, MPI_Comm communicator, MPI_Status *status)
{
    bool on = tracer_begin();
    int result = PMPI_Probe(peer, tag, communicator, status);

    if (tracer_resume(on))
        tracer_end();
    return result;
}

int MPI_Iprobe(int peer, int tag, MPI_Comm communicator, int *flag, MPI_Status *status)
{
    bool on = tracer_begin();
    int result = PMPI_Iprobe(peer, tag, communicator, flag, status);

    if (tracer_resume(on))
        tracer_end();
    return result;
}

/* The call that receives it does not say on which communicator. */
static void remember(MPI_Message message, MPI_Comm communicator)
{
    tracer_request found = {.handle = (uintptr_t)message, .receive = true, .peer = -1};

    if (message == MPI_MESSAGE_NO_PROC)
        return;
    found.ranks = tracer_ranks_hold(tracer_ranks_of(communicator));
    if (found.ranks != NULL && tracer_requests_add(&tracer.probed, &found) != CB_OK)
        tracer.on = false;
}

int MPI_Mprobe(int peer, int tag, MPI_Comm communicator, MPI_Message *message, MPI_Status *status)
{
    bool on = tracer_begin();
    int result = PMPI_Mprobe(peer, tag, communicator, message, status);

    if (tracer_resume(on)) {
        remember(*message, communicator);
        tracer_end();
    }
    return result;
}

int MPI_Improbe(int peer, int tag, MPI_Comm communicator, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    bool on = tracer_begin();
    int result = PMPI_Improbe(peer, tag, communicator, flag, message, status);

    if (tracer_resume(on)) {
        if (*flag)
            remember(*message, communicator);
        tracer_end();
    }
    return result;
}

/* A message has one handle as long as it is not received. NULL: of nobody, or over an
 * intercommunicator. Released by the caller. */
static tracer_ranks *recall(MPI_Message message)
{
    tracer_request found;

    return tracer_requests_take(&tracer.probed, (uintptr_t)message, UINT64_MAX, &found)
               ? found.ranks
               : NULL;
}

/* The handle may belong to another message as soon as MPI has received this one. */
static bool begin_receive(MPI_Message message, tracer_ranks **ranks)
{
    bool on = tracer_begin();

    *ranks = NULL;
    if (tracer_resume(on)) {
        *ranks = recall(message);
        tracer_pause();
    }
    return on;
}

int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    tracer_ranks *ranks;
    bool on = begin_receive(*message, &ranks);
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Mrecv(data, count, type, message, seen);

    if (tracer_resume(on)) {
        if (ranks != NULL)
            tracer_note_receive(ranks, seen);
        tracer_ranks_release(ranks);
        tracer_end();
    }
    return result;
}

int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    tracer_ranks *ranks;
    bool on = begin_receive(*message, &ranks);
    int result = PMPI_Imrecv(data, count, type, message, request);

    if (tracer_resume(on)) {
        tracer_start_receive(ranks, *request);
        tracer_ranks_release(ranks);
        tracer_end();
    }
    return result;
}
