/* An MPI program to be traced: `traced wavefront` sweeps a wave over a grid of ranks, from one
 * corner to the other and back; `traced calls` makes every call that waits and that the tracer
 * records, and checks what arrives; `traced started` makes those that do not wait; `traced threads`
 * has two threads in MPI at a time; `traced unrecorded` makes some calls that are not recorded;
 * `traced many N` sends N messages; `traced tags` takes messages in another order than they are
 * sent; `traced sleeping` sleeps between two calls. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SWEEPS = 3,
    WIDTH = 2,
    ROW_BYTES = 800,
    COLUMN_BYTES = 1600,
    TAG = 7,
    MOST = 64,
    REPEATED = 5,
    ROUNDS = 20,
    SLEEP_MS = 200
};

static int rank, size;

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "traced: rank %d: %s does not hold\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Computation that no compiler removes. */
static void compute(void)
{
    volatile double value = 1;

    for (int i = 0; i < 20000; i++)
        value = value * 1.0000001 + 1e-9;
}

/* The rank `across` and `down` from this one; MPI_PROC_NULL outside of the grid. */
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

/* Rank 0 receives from all others in any order; each message has a different size. */
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

/* Around the ring with every form of waiting. */
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
    for (int i = 0; i < ranks; i++) { /* a different size to each rank, and from each */
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

/* Around the ring with persistent requests, started singly and several at a time; some messages
 * have no receiver. */
static void repeat_in_ring(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, sent[3] = {0}, got[2];
    MPI_Request requests[4];

    MPI_Recv_init(&got[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(&sent[0], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Ssend_init(&sent[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[3]);
    for (int i = 0; i < REPEATED; i++) {
        sent[0] = sent[1] = rank + i;
        got[0] = got[1] = -1;
        MPI_Startall(4, requests);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        expect(got[0] == left + i && got[1] == left + i, "what came around the ring again");
    }
    MPI_Start(&requests[2]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
    MPI_Rsend_init(&sent[2], 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
}

/* Rank 0 probes for a message of each other rank, blocking and not, and then receives it. */
static void receive_what_was_found(void)
{
    char data[MOST] = {0};
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    int found = 0;

    if (rank != 0) {
        MPI_Send(data, 20 + rank, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
        MPI_Send(data, 40 + rank, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
    }
    for (int other = 1; rank == 0 && other < size; other++) {
        MPI_Mprobe(other, TAG, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(data, MOST, MPI_CHAR, &message, MPI_STATUS_IGNORE);
        for (found = 0; !found;)
            MPI_Improbe(other, TAG, MPI_COMM_WORLD, &found, &message, &status);
        MPI_Imrecv(data, MOST, MPI_CHAR, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Each is completed by another call, so that all forms of completion are used with collectives. */
static void finish(MPI_Request *request)
{
    static int turn;
    int index, flag = 0, done;

    switch (turn++ % 4) {
    case 0:
        MPI_Wait(request, MPI_STATUS_IGNORE);
        break;
    case 1:
        while (!flag)
            MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Waitsome(1, request, &done, &index, MPI_STATUSES_IGNORE);
    }
}

static void start_collectives(MPI_Comm communicator)
{
    double sent[MOST] = {0}, got[MOST];
    int counts[MOST], displacements[MOST], total = 0, own, ranks;
    MPI_Request request;

    MPI_Comm_rank(communicator, &own);
    MPI_Comm_size(communicator, &ranks);
    for (int i = 0; i < ranks; i++) {
        counts[i] = i + 1;
        displacements[i] = total;
        total += counts[i];
    }
    MPI_Ibarrier(communicator, &request);
    finish(&request);
    MPI_Ibcast(sent, 5, MPI_DOUBLE, ranks - 1, communicator, &request);
    finish(&request);
    MPI_Ireduce(sent, got, 6, MPI_DOUBLE, MPI_SUM, ranks / 2, communicator, &request);
    finish(&request);
    MPI_Iallreduce(sent, got, 7, MPI_DOUBLE, MPI_SUM, communicator, &request);
    finish(&request);
    MPI_Igather(sent, 2, MPI_DOUBLE, got, 2, MPI_DOUBLE, 0, communicator, &request);
    finish(&request);
    MPI_Igatherv(sent, counts[own], MPI_DOUBLE, got, counts, displacements, MPI_DOUBLE, ranks - 1,
                 communicator, &request);
    finish(&request);
    MPI_Iscatter(sent, 2, MPI_DOUBLE, got, 2, MPI_DOUBLE, 0, communicator, &request);
    finish(&request);
    MPI_Iscatterv(sent, counts, displacements, MPI_DOUBLE, got, counts[own], MPI_DOUBLE, 0,
                  communicator, &request);
    finish(&request);
    MPI_Iallgather(sent, 3, MPI_DOUBLE, got, 3, MPI_DOUBLE, communicator, &request);
    finish(&request);
    MPI_Iallgatherv(sent, counts[own], MPI_DOUBLE, got, counts, displacements, MPI_DOUBLE,
                    communicator, &request);
    finish(&request);
    MPI_Ialltoall(sent, 2, MPI_DOUBLE, got, 2, MPI_DOUBLE, communicator, &request);
    finish(&request);
    MPI_Ireduce_scatter_block(sent, got, 1, MPI_DOUBLE, MPI_SUM, communicator, &request);
    finish(&request);
    MPI_Ireduce_scatter(sent, got, counts, MPI_DOUBLE, MPI_SUM, communicator, &request);
    finish(&request);
    MPI_Iscan(sent, got, 4, MPI_DOUBLE, MPI_SUM, communicator, &request);
    finish(&request);
    MPI_Iexscan(sent, got, 4, MPI_DOUBLE, MPI_SUM, communicator, &request);
    finish(&request);
}

/* Different sizes from each rank to each. */
static void start_exchanges(MPI_Comm communicator)
{
    double sent[MOST] = {0}, got[MOST];
    int counts[MOST], displacements[MOST], bytes[MOST], own, ranks;
    MPI_Datatype types[MOST];
    MPI_Request request;

    MPI_Comm_rank(communicator, &own);
    MPI_Comm_size(communicator, &ranks);
    for (int i = 0; i < ranks; i++) {
        counts[i] = own + i + 1;
        displacements[i] = i * (MOST / 8);
        bytes[i] = displacements[i] * (int)sizeof(double);
        types[i] = MPI_DOUBLE;
    }
    MPI_Ialltoallv(sent, counts, displacements, MPI_DOUBLE, got, counts, displacements, MPI_DOUBLE,
                   communicator, &request);
    finish(&request);
    MPI_Ialltoallw(sent, counts, bytes, types, got, counts, bytes, types, communicator, &request);
    finish(&request);
}

/* Collectives, messages and computation overlap, as in real programs: the collectives last, and
 * complete out of order in the array. All have different sizes. */
static void overlap(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    double sum[2] = {0}, value[3] = {rank, rank, rank}, word = rank == 0 ? 11 : 0, got[3];
    MPI_Request requests[2], exchange[2];

    MPI_Ibcast(&word, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Iallreduce(value, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(got, 3, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, &exchange[0]);
    MPI_Isend(value, 3, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &exchange[1]);
    compute();
    MPI_Waitall(2, exchange, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect(got[2] == left && word == 11 && sum[1] == size * (size - 1) / 2.0,
           "what came side by side");
}

static void started(void)
{
    MPI_Comm half, backwards;

    repeat_in_ring();
    receive_what_was_found();
    overlap();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    for (int i = 0; i < 3; i++) {
        MPI_Comm communicators[] = {MPI_COMM_WORLD, half, backwards};

        start_collectives(communicators[i]);
        start_exchanges(communicators[i]);
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&backwards);
}

static pthread_barrier_t round_begin;

/* Each of two threads passes its own messages around the ring. They begin each round together, so
 * that both are in calls at a time, also on a busy machine. */
static void *pass_around(void *tag)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, own = *(const int *)tag, got;

    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request request;

        pthread_barrier_wait(&round_begin);
        MPI_Isend(&own, 1, MPI_INT, right, own, MPI_COMM_WORLD, &request);
        MPI_Recv(&got, 1, MPI_INT, left, own, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(got == own, "what came to a thread");
    }
    return NULL;
}

static void threads(void)
{
    int tags[2] = {1, 2};
    pthread_t other;

    pthread_barrier_init(&round_begin, NULL, 2);
    expect(pthread_create(&other, NULL, pass_around, &tags[1]) == 0, "a second thread");
    pass_around(&tags[0]);
    pthread_join(other, NULL);
    pthread_barrier_destroy(&round_begin);
}

static void unrecorded(void)
{
    int value[2] = {rank, rank}, got[2], periodic = 1;
    MPI_Request request;
    MPI_Comm ring;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Neighbor_allgather(value, 1, MPI_INT, got, 1, MPI_INT, ring);
    MPI_Ineighbor_alltoall(value, 1, MPI_INT, got, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
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

/* Started in advance, and taken together. */
static void take_both(int left, int right)
{
    char given[32] = {0}, got[32];
    MPI_Request requests[4];

    MPI_Irecv(got, 8, MPI_CHAR, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(got + 8, 16, MPI_CHAR, left, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(given, 16, MPI_CHAR, right, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(given, 8, MPI_CHAR, right, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* Started before messages that must be received before this one is sent. */
static void take_late(int left, int right)
{
    char given[100] = {0}, got[100];
    MPI_Request request;

    MPI_Irecv(got, 100, MPI_CHAR, left, 3, MPI_COMM_WORLD, &request);
    call_collectives(MPI_COMM_WORLD);
    MPI_Sendrecv(given, 1, MPI_CHAR, left, 4, got, 1, MPI_CHAR, right, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Send(given, 100, MPI_CHAR, right, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The library keeps the message that comes first. */
static void take_second(int left, int right)
{
    char given[48] = {0}, got[48];
    MPI_Request requests[2];

    MPI_Isend(given, 24, MPI_CHAR, right, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(given, 48, MPI_CHAR, right, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv(got, 48, MPI_CHAR, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(got, 24, MPI_CHAR, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void tags(void)
{
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;

    take_both(left, right);
    take_late(left, right);
    take_second(left, right);
}

/* Between two calls that are recorded: tracer.sh knows how long. */
static void sleeping(void)
{
    struct timespec left = {.tv_nsec = SLEEP_MS * 1000000L};

    MPI_Barrier(MPI_COMM_WORLD);
    while (nanosleep(&left, &left) != 0)
        continue;
    call_collectives(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int level = MPI_THREAD_MULTIPLE;

    if (strcmp(what, "threads") == 0)
        MPI_Init_thread(&argc, &argv, level, &level);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(what, "wavefront") == 0)
        wavefront();
    else if (strcmp(what, "calls") == 0)
        calls();
    else if (strcmp(what, "started") == 0)
        started();
    else if (strcmp(what, "threads") == 0 && level < MPI_THREAD_MULTIPLE)
        puts("this MPI library has one thread in a call at a time");
    else if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "unrecorded") == 0)
        unrecorded();
    else if (strcmp(what, "many") == 0 && argc > 2)
        many(atoi(argv[2]));
    else if (strcmp(what, "tags") == 0)
        tags();
    else if (strcmp(what, "sleeping") == 0)
        sleeping();
    else
        expect(0, "a known name of what to do");
    MPI_Finalize();
    return 0;
}
