/* Plain MPI between two ranks. */
#include "bare/loops.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "engine/traffic.h"

void *bare_place(const bare_pair *pair, size_t packet)
{
    return pair->places[packet % pair->window];
}

void bare_send(const bare_pair *pair, const void *data, int bytes)
{
    MPI_Send(data, bytes, MPI_BYTE, pair->other, BARE_TAG, pair->communicator);
}

void bare_receive(bare_pair *pair, void *data, int bytes)
{
    MPI_Recv(data, bytes, MPI_BYTE, pair->other, BARE_TAG, pair->communicator, MPI_STATUS_IGNORE);
}

void bare_read(bare_pair *pair, const void *data)
{
    if (pair->touch)
        pair->sum += traffic_touch(data, (size_t)pair->size_bytes);
    pair->packets++;
}

void bare_start_send(bare_pair *pair, uint64_t packet, const void *data)
{
    MPI_Isend(data, pair->size_bytes, MPI_BYTE, pair->other, BARE_TAG, pair->communicator,
              &pair->requests[packet % pair->window]);
}

void bare_post_receive(bare_pair *pair, uint64_t packet)
{
    MPI_Irecv(bare_place(pair, packet), pair->size_bytes, MPI_BYTE, pair->other, BARE_TAG,
              pair->communicator, &pair->requests[packet % pair->window]);
}

void bare_complete(bare_pair *pair, uint64_t first, size_t count)
{
    MPI_Waitall((int)count, &pair->requests[first % pair->window], MPI_STATUSES_IGNORE);
}

void bare_ping(bare_pair *pair, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        bare_send(pair, pair->hot, pair->size_bytes);
        bare_receive(pair, pair->hot, pair->size_bytes);
        bare_read(pair, pair->hot);
    }
}

void bare_pong(bare_pair *pair, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        bare_receive(pair, pair->hot, pair->size_bytes);
        bare_read(pair, pair->hot);
        bare_send(pair, pair->hot, pair->size_bytes);
    }
}

void bare_await_acknowledgement_of(bare_pair *pair, uint64_t packet)
{
    if (packet >= pair->window && packet % pair->half == 0)
        bare_receive(pair, NULL, 0);
}

void bare_await_last_acknowledgements(bare_pair *pair)
{
    for (size_t halves = 0; halves < pair->window; halves += pair->half)
        bare_receive(pair, NULL, 0);
}

void bare_stream_source(bare_pair *pair, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        bare_await_acknowledgement_of(pair, i);
        if (i >= pair->window && i % pair->half == 0)
            bare_complete(pair, i, pair->half);
        bare_start_send(pair, i, pair->hot);
    }
    bare_complete(pair, 0, pair->window);
    bare_await_last_acknowledgements(pair);
}

/* A half window is acknowledged when it is posted again. */
void bare_stream_destination(bare_pair *pair, uint64_t steps)
{
    for (size_t i = 0; i < pair->window; i++)
        bare_post_receive(pair, i);
    for (uint64_t first = 0; first < steps; first += pair->half) {
        bare_complete(pair, first, pair->half);
        for (uint64_t i = first; i < first + pair->half; i++)
            bare_read(pair, bare_place(pair, i));
        for (uint64_t i = first; i < first + pair->half && i + pair->window < steps; i++)
            bare_post_receive(pair, i);
        bare_send(pair, NULL, 0);
    }
}

cb_status bare_check_sum(const bare_pair *pair)
{
    uint64_t expected = pair->packets * traffic_expected_sum((size_t)pair->size_bytes);

    if (!pair->touch || pair->sum == expected)
        return CB_OK;
    cb_error("the packets of the plain MPI loop have the sum %#llx, expected %#llx: a message was "
             "corrupted or cut; check the MPI library",
             (unsigned long long)pair->sum, (unsigned long long)expected);
    return CB_ERROR_DATA;
}

/* Where the pool's buffers are, from the first that it hands out; released so that it hands them
 * out in the same order again. */
static cb_status share_memory(bare_pair *pair, transport_factory *factory)
{
    transport_buffer **buffers = cb_allocate(pair->window, sizeof(*buffers), "buffers");
    size_t taken = 0;

    if (buffers == NULL)
        return CB_ERROR_MEMORY;
    while (taken < pair->window) {
        buffers[taken] = transport_buffer_create(factory, (size_t)pair->size_bytes);
        if (buffers[taken] == NULL)
            break;
        pair->places[taken] = buffers[taken]->data;
        taken++;
    }
    for (size_t i = taken; i-- > 0;)
        transport_buffer_release(buffers[i]);
    free(buffers);
    pair->hot = pair->places[0];
    return taken == pair->window ? CB_OK : CB_ERROR_MEMORY;
}

cb_status bare_open(bare_pair *pair, const bare_setting *setting, transport_factory *factory)
{
    *pair = (bare_pair){.communicator = MPI_COMM_NULL,
                        .self = setting->self,
                        .other = 1 - setting->self,
                        .size_bytes = (int)setting->size_bytes,
                        .window = setting->window,
                        .half = setting->window / 2,
                        .touch = setting->touch};
    pair->places = cb_allocate(pair->window, sizeof(*pair->places), "places of packets");
    pair->requests = cb_allocate(pair->window, sizeof(*pair->requests), "requests");
    if (pair->places == NULL || pair->requests == NULL)
        return CB_ERROR_MEMORY;
    return share_memory(pair, factory);
}

void bare_connect(bare_pair *pair, const int ranks[2])
{
    MPI_Group world, two;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, ranks, &two);
    MPI_Comm_create_group(MPI_COMM_WORLD, two, BARE_TAG, &pair->communicator);
    MPI_Group_free(&two);
    MPI_Group_free(&world);
    MPI_Comm_set_errhandler(pair->communicator, MPI_ERRORS_ARE_FATAL);
}

void bare_close(bare_pair *pair)
{
    if (pair->communicator != MPI_COMM_NULL)
        MPI_Comm_free(&pair->communicator);
    free(pair->requests);
    free(pair->places);
}
