/* An MPI program to be traced, for calls that need care: `special modes` has all kinds of sends,
 * `special barriers` 10 barriers of all ranks and 10 of halves, `special polling` a loop of polls,
 * `special windows` one rank that is late at a fence, `special spawn` messages with a rank that is
 * started later, `special paused` calls while recording is off, `special ends HOW` a rank that ends
 * without MPI_Finalize, `special hidden` functions of MPI that are found by dlsym, `special
 * nothing` no communication. */
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAG = 7, POLLS = 5000, REPEATED = 10, LATE_MS = 200 };

static int rank, size;

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "special: rank %d: %s does not hold\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* 100 bytes by each blocking kind, 200 by each started one, 300 by a persistent one. */
static void modes(void)
{
    static char attached[8192];
    char data[300] = {0}, got[300];
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request requests[9];
    int bytes;
    void *buffer;

    MPI_Buffer_attach(attached, sizeof(attached));
    for (int i = 0; i < 3; i++)
        MPI_Irecv(got, 100, MPI_CHAR, from, TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Ssend(data, 100, MPI_CHAR, to, TAG, MPI_COMM_WORLD);
    MPI_Bsend(data, 100, MPI_CHAR, to, TAG, MPI_COMM_WORLD);
    MPI_Rsend(data, 100, MPI_CHAR, to, TAG, MPI_COMM_WORLD);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_Irecv(got, 200, MPI_CHAR, from, TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Issend(data, 200, MPI_CHAR, to, TAG, MPI_COMM_WORLD, &requests[3]);
    MPI_Ibsend(data, 200, MPI_CHAR, to, TAG, MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(data, 200, MPI_CHAR, to, TAG, MPI_COMM_WORLD, &requests[5]);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    MPI_Ssend_init(data, 300, MPI_CHAR, to, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Bsend_init(data, 300, MPI_CHAR, to, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(got, 300, MPI_CHAR, from, TAG, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(got, 300, MPI_CHAR, from, TAG, MPI_COMM_WORLD, &requests[3]);
    MPI_Startall(2, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Buffer_detach((void *)&buffer, &bytes);
}

static void barriers(void)
{
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i < REPEATED; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < REPEATED; i++)
        MPI_Barrier(half);
    MPI_Comm_free(&half);
}

/* A little work of its own between two polls. */
static void keep_books(void)
{
    volatile double value = 1;

    for (int i = 0; i < 500; i++)
        value = value * 1.0000001 + 1e-9;
}

/* Rank 0 polls for nothing, then lets rank 1 send, and polls for it; it prints how long that took.
 */
static void polling(void)
{
    char data[64] = {0};
    double begun_s = MPI_Wtime();
    MPI_Request request;
    int flag = 0;

    if (rank == 0) {
        MPI_Irecv(data, 64, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &request);
        for (int i = 0; i < POLLS; i++) {
            keep_books();
            if (i % 2 == 0)
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            else
                MPI_Iprobe(1, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            expect(!flag, "nothing to be found");
        }
        MPI_Send(data, 1, MPI_CHAR, 1, TAG, MPI_COMM_WORLD);
        while (!flag) {
            keep_books();
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        }
        printf("%.0f\n", (MPI_Wtime() - begun_s) * 1e6);
    } else if (rank == 1) {
        MPI_Recv(data, 1, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, 64, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
    }
}

/* The last rank is late: the others wait in the fence. */
static void windows(void)
{
    struct timespec left = {.tv_nsec = LATE_MS * 1000000L};
    MPI_Win window;
    int *own;

    MPI_Win_allocate(sizeof(*own), sizeof(*own), MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&own,
                     &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    while (rank == size - 1 && nanosleep(&left, &left) != 0)
        continue;
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* The started rank has no tracer: it gets a message, and takes part in a broadcast. */
static void spawn(char *program)
{
    char first[] = "spawn", *words[] = {first, NULL};
    MPI_Comm parent, between, all;
    MPI_Request request;
    int value = 5, place;

    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                       MPI_ERRCODES_IGNORE);
    else
        between = parent;
    MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &all);
    MPI_Comm_rank(all, &place);
    MPI_Bcast(&value, 1, MPI_INT, 0, all);
    if (place == 0) {
        MPI_Recv(&value, 1, MPI_INT, 1, TAG, all, MPI_STATUS_IGNORE);
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, all, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (place == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, TAG, all);
        MPI_Send(&value, 1, MPI_INT, 0, TAG, all);
    }
    MPI_Comm_disconnect(&between);
}

/* A message of 10 bytes is under way while recording stops; those of 20 bytes are not recorded. */
static void paused(void)
{
    char data[30] = {0}, got[30];
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request requests[2];

    MPI_Pcontrol(1);
    MPI_Irecv(got, 10, MPI_CHAR, from, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, 10, MPI_CHAR, to, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Pcontrol(0);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(got, 20, MPI_CHAR, from, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(data, 20, MPI_CHAR, to, TAG, MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv(data, 30, MPI_CHAR, to, TAG, got, 30, MPI_CHAR, from, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Pcontrol(0);
    MPI_Bcast(data, 30, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* Rank 1 ends, after it has received a message. The others wait for it. */
static void end(const char *how)
{
    char data[40] = {0};

    if (rank == 0)
        MPI_Send(data, 40, MPI_CHAR, 1, TAG, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(data, 40, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1 && strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 1 && strcmp(how, "exit") == 0)
        exit(4);
    if (rank == 1 && strcmp(how, "terminated") == 0)
        raise(SIGTERM);
    if (rank == 1 && strcmp(how, "fault") == 0)
        raise(SIGSEGV);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* MPI_Wtime has no wrapper: its address is in the MPI library. */
static int hidden(int argc, char **argv)
{
    double (*clock)(void) = MPI_Wtime;
    int (*init)(int *, char ***) = NULL;
    int (*finalize)(void) = NULL;
    void *address, *library;
    Dl_info found;

    memcpy(&address, &clock, sizeof(address));
    if (dladdr(address, &found) == 0)
        return 1;
    library = dlopen(found.dli_fname, RTLD_NOW);
    if (library == NULL)
        return 1;
    *(void **)&init = dlsym(library, "MPI_Init");
    *(void **)&finalize = dlsym(library, "MPI_Finalize");
    if (init == NULL || finalize == NULL)
        return 1;
    init(&argc, &argv);
    finalize();
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "hidden") == 0)
        return hidden(argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(what, "modes") == 0)
        modes();
    else if (strcmp(what, "barriers") == 0)
        barriers();
    else if (strcmp(what, "polling") == 0)
        polling();
    else if (strcmp(what, "windows") == 0)
        windows();
    else if (strcmp(what, "spawn") == 0)
        spawn(argv[0]);
    else if (strcmp(what, "paused") == 0)
        paused();
    else if (strcmp(what, "ends") == 0 && argc > 2)
        end(argv[2]);
    else
        expect(strcmp(what, "nothing") == 0, "a known name of what to do");
    MPI_Finalize();
    return 0;
}
