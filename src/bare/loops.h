/* Plain MPI between two ranks: the loops that the transport and the engine are compared with.
 *
 * They work in the memory of a technology's pool, since where data lies changes the times, and read
 * received data as the benchmarks do. Errors of MPI end the job, as in a plain program. */
#ifndef BARE_LOOPS_H
#define BARE_LOOPS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "transport/transport.h"

enum { BARE_TAG = 1, BARE_SOURCE = 0 };

typedef struct {
    MPI_Comm communicator;
    int self, other;
    int size_bytes;
    size_t window, half; /* even, and half of it */
    bool touch;          /* read received data */
    void **places;       /* a packet for each place in the window: the pool's memory */
    void *hot;           /* the first of them, which the pool hands out first */
    MPI_Request *requests;
    uint64_t sum, packets; /* of all received data */
} bare_pair;

typedef struct {
    int self; /* 0 or 1 */
    size_t size_bytes;
    size_t window; /* even, at least 2 */
    bool touch;
} bare_setting;

/* A number of steps, a multiple of the window, on one side. */
typedef void (*bare_block)(bare_pair *pair, uint64_t steps);

/* Open this rank's part of a pair that uses the buffers of `factory`, which has to be prepared.
 * bare_close accepts a pair that could not be opened. */
cb_status bare_open(bare_pair *pair, const bare_setting *setting, transport_factory *factory);

/* Connect an open pair of the job's ranks `ranks`, source and destination. Collective over both, as
 * is closing a connected pair. */
void bare_connect(bare_pair *pair, const int ranks[2]);
void bare_close(bare_pair *pair);

/* CB_ERROR_DATA, logged, if the sum of the received data is wrong: a loop did not do its work. */
cb_status bare_check_sum(const bare_pair *pair);

/* Ping-pong with MPI_Send and MPI_Recv. */
void bare_ping(bare_pair *pair, uint64_t steps);
void bare_pong(bare_pair *pair, uint64_t steps);

/* Streams: one acknowledgement for every half window, for which the source waits when a window is
 * unacknowledged. A window of sends is under way, all from one buffer, and a window of receives is
 * posted. */
void bare_stream_source(bare_pair *pair, uint64_t steps);
void bare_stream_destination(bare_pair *pair, uint64_t steps);

/* The parts that other loops are made of. Hot. */
void *bare_place(const bare_pair *pair, size_t packet);
void bare_send(const bare_pair *pair, const void *data, int bytes);
void bare_receive(bare_pair *pair, void *data, int bytes);
void bare_read(bare_pair *pair, const void *data);
void bare_start_send(bare_pair *pair, uint64_t packet, const void *data);
void bare_post_receive(bare_pair *pair, uint64_t packet);
void bare_complete(bare_pair *pair, uint64_t first, size_t count);
void bare_await_acknowledgement_of(bare_pair *pair, uint64_t packet);
void bare_await_last_acknowledgements(bare_pair *pair);

#endif
