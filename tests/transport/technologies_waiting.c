/* A list of technologies for the conformance test: `waiting`, which is mpi with a send that returns
 * only when its target has called a function of the technology, as over remote memory whose owner
 * has to help; and `declared`, which is the same and says so. Only what the test of waiting sends
 * calls answers a sender. */
#include <sched.h>

#include "transport/mpi/internal.h"

extern const transport_technology transport_mpi;

enum { ASK_TAG = 11, ANSWER_TAG = 12 };

static transport_technology waiting, declared;

static void answer_those_who_ask(const mpi_factory *factory)
{
    int there = 1;

    while (there) {
        MPI_Status status;

        MPI_Iprobe(MPI_ANY_SOURCE, ASK_TAG, factory->communicator, &there, &status);
        if (!there)
            return;
        MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, ASK_TAG, factory->communicator, &status);
        MPI_Send(NULL, 0, MPI_BYTE, status.MPI_SOURCE, ANSWER_TAG, factory->communicator);
    }
}

static cb_status waiting_send(transport_node *node, transport_buffer *buffer)
{
    const mpi_factory *factory = mpi_factory_of(node->factory);
    const int target = node->rank;
    int answered = 0;

    CB_TRY(transport_mpi.send(node, buffer));
    MPI_Send(NULL, 0, MPI_BYTE, target, ASK_TAG, factory->communicator);
    while (!answered) {
        answer_those_who_ask(factory);
        MPI_Iprobe(target, ANSWER_TAG, factory->communicator, &answered, MPI_STATUS_IGNORE);
        sched_yield();
    }
    MPI_Recv(NULL, 0, MPI_BYTE, target, ANSWER_TAG, factory->communicator, MPI_STATUS_IGNORE);
    return CB_OK;
}

static cb_status waiting_try_receive(transport_node *node, transport_buffer **out)
{
    answer_those_who_ask(mpi_factory_of(node->factory));
    return transport_mpi.try_receive(node, out);
}

static cb_status waiting_receive(transport_node *node, transport_buffer **out)
{
    cb_status status;

    while ((status = waiting_try_receive(node, out)) == CB_EMPTY)
        sched_yield();
    return status;
}

/* mpi replaces its waiting receive as needed; this one never waits in the library. */
static cb_status waiting_set_wait(transport_factory *factory, transport_wait wait,
                                  transport_wait *effective)
{
    CB_TRY(transport_mpi.set_wait(factory, wait, effective));
    factory->ops.receive = waiting_receive;
    *effective = TRANSPORT_WAIT_YIELD;
    return CB_OK;
}

static cb_status waiting_prepare(transport_factory *factory,
                                 const transport_preparation *preparation)
{
    CB_TRY(transport_mpi.prepare(factory, preparation));
    factory->ops.receive = waiting_receive;
    return CB_OK;
}

/* The operations of mpi are known at link time only, so these tables are completed when the
 * program starts. */
__attribute__((constructor)) static void make_technologies(void)
{
    waiting = transport_mpi;
    waiting.name = "waiting";
    waiting.send = waiting_send;
    waiting.receive = waiting_receive;
    waiting.try_receive = waiting_try_receive;
    waiting.set_wait = waiting_set_wait;
    waiting.prepare = waiting_prepare;
    declared = waiting;
    declared.name = "declared";
    declared.capabilities |= TRANSPORT_SEND_WAITS;
}

const transport_technology *const transport_technologies[] = {&waiting, &declared, NULL};
