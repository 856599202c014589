/* Messages between two ranks: blocking, started, probed, and by persistent requests. A receive is
 * recorded with the rank and size of the received message, so that the trace leaves no choice. Each
 * start of a persistent request is a send or receive in the trace. */
#include "tracer/tracer.h"

/* A send. Its record is added when the call begins, so that what another thread receives in reply
 * comes later. */
typedef struct {
    tracer_record record;
    uint64_t place;
} sending;

static bool begin_send(tracer_kind kind, int peer, MPI_Comm communicator, uint64_t bytes,
                       sending *out)
{
    bool on = tracer_begin();

    out->place = UINT64_MAX;
    if (!tracer_resume(on))
        return false;
    out->record = (tracer_record){kind, tracer_world_rank(peer, communicator), bytes, -1, NULL};
    if (out->record.peer >= 0)
        out->place = tracer_add(&out->record);
    tracer_pause();
    return true;
}

/* Set the time, which is known after the call. */
static void time_send(sending *sent)
{
    sent->record.time_us = tracer_elapsed_us();
    if (sent->place != UINT64_MAX &&
        tracer_records_set(&tracer.records, sent->place, &sent->record) != CB_OK)
        tracer.on = false;
}

static void add_under_way(int world, uint64_t place, MPI_Request request)
{
    tracer_request started = {.handle = (uintptr_t)request, .peer = world, .place = place};

    if (!tracer.paused && tracer_requests_add(&tracer.requests, &started) != CB_OK)
        tracer.on = false;
}

static void add_receive(const tracer_ranks *ranks, const MPI_Status *status)
{
    const double took_us = tracer_waited_us();
    const int world = tracer_known_rank(ranks, status->MPI_SOURCE);
    MPI_Count bytes = 0;

    if (world < 0)
        return;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    tracer_add(
        &(tracer_record){TRACER_RECEIVE, world, bytes > 0 ? (uint64_t)bytes : 0, took_us, NULL});
}

static void end_receive(MPI_Comm communicator, const MPI_Status *status)
{
    const tracer_ranks *ranks =
        status->MPI_SOURCE == MPI_PROC_NULL ? NULL : tracer_ranks_of(communicator);

    if (ranks != NULL)
        add_receive(ranks, status);
    tracer_end();
}

/* Reserve the place of a receive; its content is known on completion. */
void tracer_start_receive(tracer_ranks *ranks, MPI_Request request)
{
    tracer_request started = {.handle = (uintptr_t)request, .receive = true, .peer = -1};

    if (ranks == NULL || tracer.paused)
        return;
    started.ranks = tracer_ranks_hold(ranks);
    started.place = tracer_add(&(tracer_record){.kind = TRACER_NOTHING});
    if (tracer_requests_add(&tracer.requests, &started) != CB_OK)
        tracer.on = false;
}

void tracer_start_send(tracer_kind kind, int world, uint64_t bytes, MPI_Request request)
{
    tracer_record record = {kind, world, bytes, tracer_elapsed_us(), NULL};

    uint64_t place;

    if (world < 0)
        return;
    place = tracer_add(&record);
    if (kind != TRACER_BUFFERED_SEND)
        add_under_way(world, place, request);
}

/* The calls. All sends have the same parameters. A send by the library's buffer is complete when
 * its call returns, so the request of a started one is not recorded. */

#define BLOCKING_SEND(name, kind)                                                                  \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int peer, int tag,              \
                   MPI_Comm communicator)                                                          \
    {                                                                                              \
        sending sent;                                                                              \
        bool on = begin_send(kind, peer, communicator, tracer_bytes_of(count, type), &sent);       \
        int result = REAL(name)(data, count, type, peer, tag, communicator);                       \
                                                                                                   \
        if (tracer_resume(on)) {                                                                   \
            time_send(&sent);                                                                      \
            tracer_end();                                                                          \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    EXPORT(name)

BLOCKING_SEND(Send, TRACER_SEND)
BLOCKING_SEND(Ssend, TRACER_SYNCHRONOUS_SEND)
BLOCKING_SEND(Rsend, TRACER_SEND)
BLOCKING_SEND(Bsend, TRACER_BUFFERED_SEND)

#define STARTED_SEND(name, kind)                                                                   \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int peer, int tag,              \
                   MPI_Comm communicator, MPI_Request *request)                                    \
    {                                                                                              \
        sending sent;                                                                              \
        bool on = begin_send(kind, peer, communicator, tracer_bytes_of(count, type), &sent);       \
        int result = REAL(name)(data, count, type, peer, tag, communicator, request);              \
                                                                                                   \
        if (tracer_resume(on)) {                                                                   \
            time_send(&sent);                                                                      \
            if (sent.record.peer >= 0 && kind != TRACER_BUFFERED_SEND)                             \
                add_under_way(sent.record.peer, sent.place, *request);                             \
            tracer_end();                                                                          \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    EXPORT(name)

STARTED_SEND(Isend, TRACER_START_SEND)
STARTED_SEND(Issend, TRACER_START_SYNCHRONOUS_SEND)
STARTED_SEND(Irsend, TRACER_START_SEND)
STARTED_SEND(Ibsend, TRACER_BUFFERED_SEND)

int MPI_Recv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator,
             MPI_Status *status)
{
    bool on = tracer_begin();
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = REAL(Recv)(data, count, type, peer, tag, communicator, seen);

    if (tracer_resume(on))
        end_receive(communicator, seen);
    return result;
}
EXPORT(Recv)

int MPI_Irecv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator,
              MPI_Request *request)
{
    bool on = tracer_begin();
    int result = REAL(Irecv)(data, count, type, peer, tag, communicator, request);

    if (tracer_resume(on)) {
        tracer_start_receive(peer == MPI_PROC_NULL ? NULL : tracer_ranks_of(communicator),
                             *request);
        tracer_end();
    }
    return result;
}
EXPORT(Irecv)

/* Simultaneous send and receive: the send is started, so that a ring of ranks does not deadlock. */
static void end_exchange(int to, uint64_t bytes, MPI_Comm communicator, const MPI_Status *status)
{
    int world = tracer_world_rank(to, communicator);

    if (world >= 0)
        tracer_add(&(tracer_record){TRACER_START_SEND, world, bytes, -1, NULL});
    end_receive(communicator, status);
}

int MPI_Sendrecv(const void *sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                 void *received, int count, MPI_Datatype type, int from, int tag,
                 MPI_Comm communicator, MPI_Status *status)
{
    bool on = tracer_begin();
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = REAL(Sendrecv)(sent, sent_count, sent_type, to, sent_tag, received, count, type,
                                from, tag, communicator, seen);

    if (tracer_resume(on))
        end_exchange(to, tracer_bytes_of(sent_count, sent_type), communicator, seen);
    return result;
}
EXPORT(Sendrecv)

int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int sent_tag, int from,
                         int tag, MPI_Comm communicator, MPI_Status *status)
{
    bool on = tracer_begin();
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result =
        REAL(Sendrecv_replace)(data, count, type, to, sent_tag, from, tag, communicator, seen);

    if (tracer_resume(on))
        end_exchange(to, tracer_bytes_of(count, type), communicator, seen);
    return result;
}
EXPORT(Sendrecv_replace)

/* Probes, whose time counts as waiting, not as computing, and receives of probed messages. */

int MPI_Probe(int peer, int tag, MPI_Comm communicator, MPI_Status *status)
{
    bool on = tracer_begin();
    int result = REAL(Probe)(peer, tag, communicator, status);

    if (tracer_resume(on))
        tracer_end_polling(true);
    return result;
}
EXPORT(Probe)

/* The receive of the message has no communicator argument. */
static void remember_probed(MPI_Message message, MPI_Comm communicator)
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
    int result = REAL(Mprobe)(peer, tag, communicator, message, status);

    if (tracer_resume(on)) {
        remember_probed(*message, communicator);
        tracer_end_polling(true);
    }
    return result;
}
EXPORT(Mprobe)

int MPI_Improbe(int peer, int tag, MPI_Comm communicator, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    bool on = tracer_begin();
    int result = REAL(Improbe)(peer, tag, communicator, flag, message, status);

    if (tracer_resume(on)) {
        if (*flag)
            remember_probed(*message, communicator);
        tracer_end_polling(*flag != 0);
    }
    return result;
}
EXPORT(Improbe)

/* The ranks of a probed message, which the caller releases; NULL if a trace does not know its
 * communicator. Looked up before the call, since the handle may belong to another message as soon
 * as MPI has received this one. */
static bool begin_receive(MPI_Message message, tracer_ranks **ranks)
{
    bool on = tracer_begin();
    tracer_request found;

    *ranks = NULL;
    if (tracer_resume(on)) {
        if (tracer_requests_take(&tracer.probed, (uintptr_t)message, UINT64_MAX, &found))
            *ranks = found.ranks;
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
    int result = REAL(Mrecv)(data, count, type, message, seen);

    if (tracer_resume(on)) {
        if (ranks != NULL)
            add_receive(ranks, seen);
        tracer_ranks_release(ranks);
        tracer_end();
    }
    return result;
}
EXPORT(Mrecv)

int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    tracer_ranks *ranks;
    bool on = begin_receive(*message, &ranks);
    int result = REAL(Imrecv)(data, count, type, message, request);

    if (tracer_resume(on)) {
        tracer_start_receive(ranks, *request);
        tracer_ranks_release(ranks);
        tracer_end();
    }
    return result;
}
EXPORT(Imrecv)

/* Persistent requests */

static void remember_persistent(const tracer_request *made)
{
    if (tracer_requests_add(&tracer.persistent, made) != CB_OK)
        tracer.on = false;
}

#define MADE_SEND(name, started)                                                                   \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int peer, int tag,              \
                   MPI_Comm communicator, MPI_Request *request)                                    \
    {                                                                                              \
        bool on = tracer_begin();                                                                  \
        int result = REAL(name)(data, count, type, peer, tag, communicator, request);              \
                                                                                                   \
        if (tracer_resume(on)) {                                                                   \
            remember_persistent(&(tracer_request){.handle = (uintptr_t)*request,                   \
                                                  .peer = tracer_world_rank(peer, communicator),   \
                                                  .kind = started,                                 \
                                                  .bytes = tracer_bytes_of(count, type)});         \
            tracer_end();                                                                          \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    EXPORT(name)

MADE_SEND(Send_init, TRACER_START_SEND)
MADE_SEND(Ssend_init, TRACER_START_SYNCHRONOUS_SEND)
MADE_SEND(Rsend_init, TRACER_START_SEND)
MADE_SEND(Bsend_init, TRACER_BUFFERED_SEND)

int MPI_Recv_init(void *data, int count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm communicator, MPI_Request *request)
{
    bool on = tracer_begin();
    int result = REAL(Recv_init)(data, count, type, peer, tag, communicator, request);

    if (tracer_resume(on)) {
        tracer_request made = {.handle = (uintptr_t)*request, .receive = true, .peer = -1};

        if (peer != MPI_PROC_NULL)
            made.ranks = tracer_ranks_hold(tracer_ranks_of(communicator));
        remember_persistent(&made);
        tracer_end();
    }
    return result;
}
EXPORT(Recv_init)

/* MPI may change the handle of a request when it starts it, if the library is not done with the
 * previous use. */
static void add_start(MPI_Request before, MPI_Request now)
{
    tracer_request made;

    if (!tracer_requests_take(&tracer.persistent, (uintptr_t)before, UINT64_MAX, &made)) {
        tracer_count_unrecorded("MPI_Start of what is no persistent send or receive");
        return;
    }
    made.handle = (uintptr_t)now;
    remember_persistent(&made);
    if (made.receive)
        tracer_start_receive(made.ranks, now);
    else
        tracer_start_send(made.kind, made.peer, made.bytes, now);
}

int MPI_Start(MPI_Request *request)
{
    MPI_Request before = *request;
    bool on = tracer_begin();
    int result = REAL(Start)(request);

    if (tracer_resume(on)) {
        add_start(before, *request);
        tracer_end();
    }
    return result;
}
EXPORT(Start)

int MPI_Startall(int count, MPI_Request requests[])
{
    tracer_kept kept;
    bool on = tracer_begin_with(&kept, count, requests);
    int result = REAL(Startall)(count, requests);

    if (tracer_resume(on)) {
        for (int i = 0; i < count; i++)
            add_start(kept.requests[i], requests[i]);
        tracer_forget(&kept);
        tracer_end();
    }
    return result;
}
EXPORT(Startall)

/* Remove the request before the call, since its handle may be reused afterwards. A freed send is
 * still delivered. */
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
    result = REAL(Request_free)(request);
    if (tracer_resume(on))
        tracer_end();
    return result;
}
EXPORT(Request_free)
