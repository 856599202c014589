/* The technology rma against MPI windows used by hand: half round trips between the same two
 * processes, block by block in turn. By hand a message is put into the window of the other,
 * flushed, announced by an accumulate that replaces a number, and flushed; the other polls its own
 * window. All data are referred to on both sides, by one sum.
 *
 * mpirun -np 2 --bind-to core perf_rma
 *
 * By hand all messages go to one place, which is the reference, or round a ring of places with a
 * header before the data, as messages need it that are sent before the last one is released: what
 * lies in which cache makes a difference. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "stats/stats.h"
#include "transport/transport.h"

enum {
    TURNS = 41,
    ROUNDS = 300,
    LARGEST = 65536,
    RING = 16,
    HEADER = 24, /* as that of rma */
    PREFIX = 64  /* before the data of a place: its header is at the end of it */
};

/* Memory of a window. */
typedef struct {
    _Alignas(CB_CACHE_LINE) uint32_t written;
    _Alignas(CB_CACHE_LINE) unsigned char places[RING][PREFIX + LARGEST];
} bare_side;

typedef struct {
    int rank, other;
    size_t bytes;
    uint64_t sum;
    /* By hand */
    MPI_Comm communicator;
    MPI_Win window;
    bare_side *here;
    unsigned char *data; /* what is sent */
    uint32_t written, seen, places, header;
    /* Over rma */
    transport_factory *factory;
    transport_node *node;
} contender;

static void require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "perf_rma: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static void refer_to(contender *c, const void *data)
{
    const uint64_t *words = data;

    for (size_t i = 0; i < c->bytes / sizeof(*words); i++)
        c->sum += words[i];
}

/* By hand. Errors of MPI end the job. */

static void bare_send(contender *c)
{
    MPI_Aint place = offsetof(bare_side, places[c->written % c->places]) + PREFIX - c->header;
    int bytes = (int)(c->header + c->bytes);

    MPI_Put(c->data + PREFIX - c->header, bytes, MPI_BYTE, c->other, place, bytes, MPI_BYTE,
            c->window);
    MPI_Win_flush(c->other, c->window);
    c->written++;
    MPI_Accumulate(&c->written, 1, MPI_UINT32_T, c->other, offsetof(bare_side, written), 1,
                   MPI_UINT32_T, MPI_REPLACE, c->window);
    MPI_Win_flush(c->other, c->window);
}

static void bare_receive(contender *c)
{
    int ignored;

    for (;;) {
        MPI_Win_sync(c->window);
        if (__atomic_load_n(&c->here->written, __ATOMIC_ACQUIRE) != c->seen)
            break;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->communicator, &ignored, MPI_STATUS_IGNORE);
    }
    refer_to(c, c->here->places[c->seen++ % c->places] + PREFIX);
}

static void bare_open(contender *c)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &c->communicator);
    MPI_Win_allocate(sizeof(bare_side), 1, MPI_INFO_NULL, c->communicator, (void *)&c->here,
                     &c->window);
    memset(c->here, 0, sizeof(*c->here));
    c->data = cb_allocate_aligned(CB_CACHE_LINE, PREFIX + LARGEST, "the data");
    require(c->data != NULL, "no memory");
    MPI_Win_lock_all(MPI_MODE_NOCHECK, c->window);
    MPI_Barrier(c->communicator);
}

static void bare_close(contender *c)
{
    MPI_Win_unlock_all(c->window);
    MPI_Win_free(&c->window);
    MPI_Comm_free(&c->communicator);
    free(c->data);
}

/* Over rma */

static void rma_send(contender *c)
{
    transport_buffer *buffer = transport_buffer_create(c->factory, c->bytes);

    require(buffer != NULL && transport_send(c->node, buffer) == CB_OK, "cannot send over rma");
}

static void rma_receive(contender *c)
{
    transport_buffer *buffer = NULL;

    require(transport_receive(c->node, &buffer) == CB_OK, "cannot receive over rma");
    refer_to(c, buffer->data);
    transport_buffer_release(buffer);
}

static cb_status exchange(void *context, const void *mine, size_t bytes, void *all)
{
    (void)context;
    return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD) ==
                   MPI_SUCCESS
               ? CB_OK
               : CB_ERROR_CONTROL;
}

static cb_status rma_open(contender *c)
{
    const transport_bootstrap bootstrap = {.rank = c->rank, .size = 2, .exchange = exchange};
    const transport_preparation preparation = {
        .message_bytes = LARGEST, .unanswered = 1, .buffers = 4};
    transport_wait ignored;

    CB_TRY(transport_open(transport_find("rma"), &bootstrap, &c->factory));
    CB_TRY(transport_node_create(c->factory, c->other, &c->node));
    CB_TRY(transport_set_wait(c->factory, TRANSPORT_WAIT_SPIN, &ignored));
    return transport_prepare(c->factory, &preparation);
}

/* The comparison */

typedef struct {
    const char *name;
    void (*send)(contender *c);
    void (*receive)(contender *c);
    uint32_t places, header; /* by hand */
} way;

static const way ways[] = {
    {"by hand", bare_send, bare_receive, 1, 0},
    {"by hand again", bare_send, bare_receive, 1, 0},
    {"by hand, ring", bare_send, bare_receive, RING, 0},
    {"ring and header", bare_send, bare_receive, RING, HEADER},
    {"rma", rma_send, rma_receive, 0, 0},
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

/* The time of a half round trip. */
static double bounce(const way *by, contender *c)
{
    uint64_t began_ns;

    c->places = by->places;
    c->header = by->header;
    MPI_Barrier(c->communicator);
    began_ns = cb_now_ns();
    for (int i = 0; i < ROUNDS; i++) {
        if (c->rank == 0)
            by->send(c);
        by->receive(c);
        if (c->rank == 1)
            by->send(c);
    }
    return (double)(cb_now_ns() - began_ns) / (2.0 * ROUNDS);
}

static void print_way(const contender *c, const way *by, double *times_ns, double *ratios)
{
    double time_ns = stats_summarize(times_ns, TURNS).median;
    double ratio = stats_summarize(ratios, TURNS).median;
    const double bound = 1.10;

    printf("%6zu  %-19s %9.3f  %6.3f [%.3f, %.3f]\n", c->bytes, by->name, time_ns / 1e3, ratio,
           stats_quantile(ratios, TURNS, 0.25), stats_quantile(ratios, TURNS, 0.75));
    if (by->send == rma_send)
        printf("target: rma over put, flush and notify by hand, half round trip of %zu bytes: %.3f "
               "at most %.2f\n",
               c->bytes, ratio, bound);
}

static void compete(contender *c, size_t bytes)
{
    double times_ns[WAYS][TURNS], ratios[WAYS][TURNS];

    c->bytes = bytes;
    for (size_t i = 0; i < WAYS; i++)
        (void)bounce(&ways[i], c);
    for (int turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < WAYS; i++) {
            times_ns[i][turn] = bounce(&ways[i], c);
            ratios[i][turn] = times_ns[i][turn] / times_ns[0][turn];
        }
    for (size_t i = 0; c->rank == 0 && i < WAYS; i++)
        print_way(c, &ways[i], times_ns[i], ratios[i]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {8, 64, 1024, 65536};
    contender c = {.rank = 0};
    int ranks = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    c.other = !c.rank;
    cb_log_identify("perf_rma", c.rank);
    require(ranks == 2, "needs 2 ranks");
    bare_open(&c);
    require(rma_open(&c) == CB_OK, "cannot open rma");
    if (c.rank == 0)
        printf("%6s  %-19s %9s  %6s [quartiles], %s\n", "bytes", "", "us", "ratio",
               c.factory->network);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        compete(&c, sizes[i]);
    transport_node_destroy(c.node);
    require(transport_close(c.factory) == CB_OK, "cannot close rma");
    bare_close(&c);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
