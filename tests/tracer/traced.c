/* An MPI program to be traced: `traced wavefront` sweeps a wave over a grid of ranks, from one
 * corner to the other and back; `traced calls` makes every call that the tracer records, and checks
 * what arrives; `traced unrecorded` makes some that it does not; `traced many N` sends N messages.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 3, WIDTH = 2, ROW_BYTES = 800, COLUMN_BYTES = 1600, TAG = 7, MOST = 64 };

static int rank, size;

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "traced: rank %d: %s does not hold\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Some work that no compiler leaves out. */
static void compute(void)
{
    volatile double value = 1;

    for (int i = 0; i < 20000; i++)
        value = value * 1.0000001 + 1e-9;
}

/* The rank that lies `across` and `down` from this one; MPI_PROC_NULL outside of the grid. */
static int neighbour(int across, int down)
{
    int column = rank % WIDTH + across, row = rank / WIDTH + down;

    return column < 0 || column >= WIDTH || row < 0 || row >= size / WIDTH ? MPI_PROC_NULL
                                                                           : row * WIDTH + column;
}

static void sweep(int direction, char *row, char *column)
{
    MPI_Recv(column, COLUMN_BYTES, MPI_CHAR, neighbour(-direction, 0), TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Recv(row, ROW_BYTES, MPI_CHAR, neighbour(0, -direction), TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    compute();
    MPI_Send(column, COLUMN_BYTES, MPI_CHAR, neighbour(direction, 0), TAG, MPI_COMM_WORLD);
    MPI_Send(row, ROW_BYTES, MPI_CHAR, neighbour(0, direction), TAG, MPI_COMM_WORLD);
}

static void wavefront(void)
{
    char row[ROW_BYTES] = {0}, column[COLUMN_BYTES] = {0};

    for (int i = 0; i < SWEEPS; i++) {
        sweep(1, row, column);
        sweep(-1, row, column);
    }
}

/* Rank 0 hears of all others, in whatever order they come; each has a size of its own. */
static void send_to_first(void)
{
    char data[MOST] = {0};
    MPI_Status status;
    int bytes;

    if (rank != 0)
        MPI_Send(data, 10 + rank, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Probe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(data, MOST, MPI_CHAR, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &bytes);
        expect(bytes == 10 + status.MPI_SOURCE, "the size of a message from any");
    }
}

/* Around the ring in all forms of waiting. */
static void exchange_in_ring(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int sent[4] = {rank, rank, rank, rank}, got[4] = {-1, -1, -1, -1}, index, done, flag = 0;
    int indices[2];
    MPI_Request requests[4];

    MPI_Irecv(&got[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&sent[0], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    for (int i = 0; i < 2; i++) {
        MPI_Irecv(&got[2 * i], 2, MPI_INT, MPI_ANY_SOURCE, 2 + i, MPI_COMM_WORLD, &requests[i]);
        MPI_Issend(&sent[2 * i], 2, MPI_INT, right, 2 + i, MPI_COMM_WORLD, &requests[2 + i]);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    MPI_Waitany(2, &requests[2], &index, MPI_STATUS_IGNORE);
    MPI_Waitsome(2, &requests[2], &done, indices, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; i++)
        expect(got[i] == left, "what came around the ring");

    MPI_Sendrecv(&sent[0], 3, MPI_INT, right, TAG, &got[0], 3, MPI_INT, left, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&sent[0], 1, MPI_INT, left, TAG, right, TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    expect(got[2] == left && sent[0] == right, "an exchange");
}

static void call_collectives(MPI_Comm communicator)
{
    double sent[MOST] = {0}, got[MOST];
    int counts[MOST], displacements[MOST], total = 0, own, ranks;

    MPI_Comm_rank(communicator, &own);
    MPI_Comm_size(communicator, &ranks);
    for (int i = 0; i < ranks; i++) {
        counts[i] = i + 1;
        displacements[i] = total;
        total += counts[i];
    }
    MPI_Barrier(communicator);
    MPI_Bcast(sent, 5, MPI_DOUBLE, ranks - 1, communicator);
    MPI_Reduce(sent, got, 6, MPI_DOUBLE, MPI_SUM, ranks / 2, communicator);
    MPI_Allreduce(sent, got, 7, MPI_DOUBLE, MPI_SUM, communicator);
    MPI_Gather(sent, 2, MPI_DOUBLE, got, 2, MPI_DOUBLE, 0, communicator);
    MPI_Gatherv(sent, counts[own], MPI_DOUBLE, got, counts, displacements, MPI_DOUBLE, ranks - 1,
                communicator);
    MPI_Scatter(sent, 2, MPI_DOUBLE, got, 2, MPI_DOUBLE, 0, communicator);
    MPI_Scatterv(sent, counts, displacements, MPI_DOUBLE, got, counts[own], MPI_DOUBLE, 0,
                 communicator);
    MPI_Allgather(sent, 3, MPI_DOUBLE, got, 3, MPI_DOUBLE, communicator);
    MPI_Allgatherv(sent, counts[own], MPI_DOUBLE, got, counts, displacements, MPI_DOUBLE,
                   communicator);
    MPI_Alltoall(sent, 2, MPI_DOUBLE, got, 2, MPI_DOUBLE, communicator);
    MPI_Reduce_scatter_block(sent, got, 1, MPI_DOUBLE, MPI_SUM, communicator);
    MPI_Reduce_scatter(sent, got, counts, MPI_DOUBLE, MPI_SUM, communicator);
    MPI_Scan(sent, got, 4, MPI_DOUBLE, MPI_SUM, communicator);
    MPI_Exscan(sent, got, 4, MPI_DOUBLE, MPI_SUM, communicator);
    for (int i = 0; i < ranks; i++) { /* of its own size to each, and from each */
        counts[i] = own + i + 1;
        displacements[i] = i * (MOST / 8);
    }
    MPI_Alltoallv(sent, counts, displacements, MPI_DOUBLE, got, counts, displacements, MPI_DOUBLE,
                  communicator);
}

static void calls(void)
{
    MPI_Comm half, backwards;

    send_to_first();
    exchange_in_ring();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    call_collectives(MPI_COMM_WORLD);
    call_collectives(half);
    call_collectives(backwards);
    MPI_Comm_free(&half);
    MPI_Comm_free(&backwards);
    MPI_Barrier(MPI_COMM_SELF);
}

static void unrecorded(void)
{
    MPI_Request requests[2];
    int value = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[1]);
}

static void many(int messages)
{
    char data = 0;

    for (int i = 0; i < messages; i++)
        if (rank == 0)
            MPI_Send(&data, 1, MPI_CHAR, 1, TAG, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(&data, 1, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(what, "wavefront") == 0)
        wavefront();
    else if (strcmp(what, "calls") == 0)
        calls();
    else if (strcmp(what, "unrecorded") == 0)
        unrecorded();
    else if (strcmp(what, "many") == 0 && argc > 2)
        many(atoi(argv[2]));
    else
        expect(0, "a known name of what to do");
    MPI_Finalize();
    return 0;
}
