/* The technology ucx against UCX used by hand: half round trips between the same two processes,
 * block by block in turn. By hand a message is a bare active message, as ucx_perftest's ucp_am_lat
 * sends it, or is put into the memory of the other, which is then flushed and told by an active
 * message. All data are referred to on both sides, by one sum.
 *
 * mpirun -np 2 --bind-to core perf_ucx [TRANSPORTS]
 *
 * By hand what is put or fetched goes to one place, or round a ring of places, as ucx needs it for
 * messages that are sent before the last one is released: which caches have the data makes a
 * difference for long ones. One place is the reference. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "stats/stats.h"
#include "transport/transport.h"

enum { TURNS = 41, ROUNDS = 200, LARGEST = 65536, RING = 16, ADDRESS_BYTES = 8192 };

/* Active messages by their id. */
enum { MESSAGE, NOTE };

typedef struct {
    int rank, other;
    size_t bytes;
    uint64_t sum;
    /* By hand */
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_ep_h endpoint;
    ucp_mem_h memory;
    ucp_rkey_h key;
    unsigned char *here, *data; /* the places; what is sent */
    uint64_t there, places, sent, received;
    bool came;
    /* Over ucx */
    cb_settings settings;
    transport_factory *factory;
    transport_node *node;
} contender;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "perf_ucx: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* By hand, data may begin anywhere. */
static void refer_to(contender *c, const void *data)
{
    for (size_t i = 0; i < c->bytes; i += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, (const unsigned char *)data + i, sizeof(word));
        c->sum += word;
    }
}

/* By hand */

static const ucp_request_param_t plain = {.op_attr_mask = UCP_OP_ATTR_FIELD_MEMORY_TYPE,
                                          .memory_type = UCS_MEMORY_TYPE_HOST};

static void await(contender *c, void *request)
{
    if (request == NULL)
        return;
    require(!UCS_PTR_IS_ERR(request), "an operation by hand failed");
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
        ucp_worker_progress(c->worker);
    ucp_request_free(request);
}

static size_t place(const contender *c, uint64_t number)
{
    return (size_t)(number % c->places) * LARGEST;
}

static void am_send(contender *c)
{
    await(c, ucp_am_send_nbx(c->endpoint, MESSAGE, NULL, 0, c->data, c->bytes, &plain));
}

static void put_send(contender *c)
{
    const uint64_t there = c->there + place(c, c->sent++);

    await(c, ucp_put_nbx(c->endpoint, c->data, c->bytes, there, c->key, &plain));
    await(c, ucp_ep_flush_nbx(c->endpoint, &plain));
    await(c, ucp_am_send_nbx(c->endpoint, NOTE, &c->sent, sizeof(c->sent), NULL, 0, &plain));
}

static void bare_receive(contender *c)
{
    while (!c->came)
        ucp_worker_progress(c->worker);
    c->came = false;
}

static void note_arrival(contender *c, const void *data)
{
    refer_to(c, data);
    c->received++;
    c->came = true;
}

static void fetched(void *request, ucs_status_t status, size_t bytes, void *context)
{
    contender *c = context;

    require(status == UCS_OK && bytes == c->bytes, "a rendezvous by hand failed");
    ucp_request_free(request);
    note_arrival(c, c->here + place(c, c->received));
}

static ucs_status_t message_came(void *context, const void *header, size_t header_bytes, void *data,
                                 size_t bytes, const ucp_am_recv_param_t *how)
{
    contender *c = context;
    ucp_request_param_t fetching = plain;
    unsigned char *to = c->here + place(c, c->received);
    void *request;

    (void)header;
    (void)header_bytes;
    if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
        note_arrival(c, data);
        return UCS_OK;
    }
    fetching.op_attr_mask |= UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    fetching.cb.recv_am = fetched;
    fetching.user_data = c;
    request = ucp_am_recv_data_nbx(c->worker, data, to, bytes, &fetching);
    require(!UCS_PTR_IS_ERR(request), "a rendezvous by hand failed");
    if (request == NULL)
        note_arrival(c, to);
    return UCS_INPROGRESS;
}

static ucs_status_t note_came(void *context, const void *header, size_t header_bytes, void *data,
                              size_t bytes, const ucp_am_recv_param_t *how)
{
    contender *c = context;

    (void)header;
    (void)header_bytes;
    (void)data;
    (void)bytes;
    (void)how;
    note_arrival(c, c->here + place(c, c->received));
    return UCS_OK;
}

static void bare_handle(contender *c, unsigned id, ucp_am_recv_callback_t came)
{
    const ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                          UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                          UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                            .id = id,
                                            .cb = came,
                                            .arg = c};

    require(ucp_worker_set_am_recv_handler(c->worker, &handler) == UCS_OK, "no handler");
}

static void bare_start(contender *c, const char *transports)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM | UCP_FEATURE_RMA};
    const ucp_worker_params_t single = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SINGLE};
    const ucp_mem_map_params_t memory = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                                                       UCP_MEM_MAP_PARAM_FIELD_FLAGS,
                                         .length = (size_t)RING * LARGEST,
                                         .flags = UCP_MEM_MAP_ALLOCATE};
    ucp_mem_attr_t found = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    ucp_config_t *config;

    require(ucp_config_read(NULL, NULL, &config) == UCS_OK &&
                ucp_config_modify(config, "LOG_LEVEL", "fatal") == UCS_OK &&
                ucp_config_modify(config, "TLS", transports) == UCS_OK &&
                ucp_init(&params, config, &c->context) == UCS_OK,
            "cannot start UCX with these transports");
    ucp_config_release(config);
    require(ucp_worker_create(c->context, &single, &c->worker) == UCS_OK, "no worker");
    require(ucp_mem_map(c->context, &memory, &c->memory) == UCS_OK &&
                ucp_mem_query(c->memory, &found) == UCS_OK,
            "no memory");
    c->here = found.address;
    memset(c->here, 0, (size_t)RING * LARGEST);
    bare_handle(c, MESSAGE, message_came);
    bare_handle(c, NOTE, note_came);
}

typedef struct {
    uint64_t places;
    size_t key_bytes;
    unsigned char bytes[ADDRESS_BYTES]; /* the key, and the address of the worker */
} bare_address;

static void bare_connect(contender *c)
{
    static bare_address mine, both[2];
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS};
    ucp_address_t *worker;
    size_t worker_bytes;
    void *key;

    require(ucp_rkey_pack(c->context, c->memory, &key, &mine.key_bytes) == UCS_OK &&
                ucp_worker_get_address(c->worker, &worker, &worker_bytes) == UCS_OK &&
                mine.key_bytes + worker_bytes <= ADDRESS_BYTES,
            "no address");
    mine.places = (uint64_t)(uintptr_t)c->here;
    memcpy(mine.bytes, key, mine.key_bytes);
    memcpy(mine.bytes + mine.key_bytes, worker, worker_bytes);
    ucp_rkey_buffer_release(key);
    ucp_worker_release_address(c->worker, worker);
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, both, sizeof(mine), MPI_BYTE, MPI_COMM_WORLD);
    c->there = both[c->other].places;
    params.address = (const ucp_address_t *)(both[c->other].bytes + both[c->other].key_bytes);
    require(ucp_ep_create(c->worker, &params, &c->endpoint) == UCS_OK &&
                ucp_ep_rkey_unpack(c->endpoint, both[c->other].bytes, &c->key) == UCS_OK,
            "cannot connect");
}

static void bare_close(contender *c)
{
    ucp_rkey_destroy(c->key);
    await(c, ucp_ep_close_nbx(c->endpoint, &(ucp_request_param_t){.op_attr_mask = 0}));
    MPI_Barrier(MPI_COMM_WORLD);
    ucp_worker_destroy(c->worker);
    ucp_mem_unmap(c->context, c->memory);
    ucp_cleanup(c->context);
}

/* Over ucx */

static void ucx_send(contender *c)
{
    transport_buffer *buffer = transport_buffer_create(c->factory, c->bytes);

    require(buffer != NULL && transport_send(c->node, buffer) == CB_OK, "cannot send over ucx");
}

static void ucx_receive(contender *c)
{
    transport_buffer *buffer = NULL;

    require(transport_receive(c->node, &buffer) == CB_OK, "cannot receive over ucx");
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

static cb_status ucx_open(contender *c, const char *method, const char *transports)
{
    const transport_technology *ucx = transport_find("ucx");
    const cb_job job = {.ranks = 2, .largest_bytes = LARGEST, .held_buffers = 2};
    const transport_preparation preparation = {
        .message_bytes = LARGEST, .unanswered = 1, .buffers = 4};
    transport_bootstrap bootstrap = {
        .rank = c->rank, .size = 2, .settings = &c->settings, .exchange = exchange};
    cb_override *given = NULL;
    transport_wait ignored;
    char text[256];

    snprintf(text, sizeof(text), "method=%s,transports='%s'", method, transports);
    CB_TRY(cb_overrides_parse("ucx", ucx->parameters, text, &given));
    CB_TRY(cb_settings_derive(ucx->parameters, &job, given, &c->settings));
    free(given);
    CB_TRY(transport_open(ucx, &bootstrap, &c->factory));
    CB_TRY(transport_node_create(c->factory, c->other, &c->node));
    CB_TRY(transport_set_wait(c->factory, TRANSPORT_WAIT_SPIN, &ignored));
    return transport_prepare(c->factory, &preparation);
}

static cb_status ucx_close(contender *c)
{
    cb_status status;

    transport_node_destroy(c->node);
    status = transport_close(c->factory);
    cb_settings_free(&c->settings);
    return status;
}

/* The comparison */

typedef struct {
    const char *name;
    void (*send)(contender *c);
    void (*receive)(contender *c);
    uint64_t places; /* by hand */
} way;

enum { WAYS = 4 };

typedef struct {
    const char *method, *by_hand;
    double bound;
    way ways[WAYS];
} contest;

static const contest contests[] = {
    {"am",
     "ucp_am_send_nbx",
     1.10,
     {{"by hand", am_send, bare_receive, 1},
      {"by hand again", am_send, bare_receive, 1},
      {"by hand, ring of 16", am_send, bare_receive, RING},
      {"ucx", ucx_send, ucx_receive, 1}}},
    {"put",
     "put, flush and note",
     1.15,
     {{"by hand", put_send, bare_receive, 1},
      {"by hand again", put_send, bare_receive, 1},
      {"by hand, ring of 16", put_send, bare_receive, RING},
      {"ucx", ucx_send, ucx_receive, 1}}},
};

/* The time of a half round trip. The last message may still be on its way, and does not move while
 * its sender waits in a barrier: it is flushed after the time was taken. */
static double bounce(const way *by, contender *c)
{
    uint64_t began_ns;
    double time_ns;

    c->places = by->places;
    MPI_Barrier(MPI_COMM_WORLD);
    began_ns = cb_now_ns();
    for (int i = 0; i < ROUNDS; i++) {
        if (c->rank == 0)
            by->send(c);
        by->receive(c);
        if (c->rank == 1)
            by->send(c);
    }
    time_ns = (double)(cb_now_ns() - began_ns);
    if (by->send == ucx_send)
        require(transport_flush(c->factory) == CB_OK, "cannot flush ucx");
    return time_ns / (2.0 * ROUNDS);
}

static void print_way(const contender *c, const contest *of, const way *by, double *times_ns,
                      double *ratios)
{
    const double time_ns = stats_summarize(times_ns, TURNS).median;
    const double ratio = stats_summarize(ratios, TURNS).median;

    printf("%-4s %6zu  %-19s %9.3f  %6.3f [%.3f, %.3f]\n", of->method, c->bytes, by->name,
           time_ns / 1e3, ratio, stats_quantile(ratios, TURNS, 0.25),
           stats_quantile(ratios, TURNS, 0.75));
    if (by->send == ucx_send)
        printf("target: ucx %s over %s by hand, %s, half round trip of %zu bytes: %.3f at most "
               "%.2f\n",
               of->method, of->by_hand, c->factory->network, c->bytes, ratio, of->bound);
}

static void compete(contender *c, const contest *of, size_t bytes)
{
    static double times_ns[WAYS][TURNS], ratios[WAYS][TURNS];

    c->bytes = bytes;
    for (size_t i = 0; i < WAYS; i++)
        (void)bounce(&of->ways[i], c);
    for (int turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < WAYS; i++) {
            times_ns[i][turn] = bounce(&of->ways[i], c);
            ratios[i][turn] = times_ns[i][turn] / times_ns[0][turn];
        }
    for (size_t i = 0; c->rank == 0 && i < WAYS; i++)
        print_way(c, of, &of->ways[i], times_ns[i], ratios[i]);
    fflush(stdout);
}

static void hold(contender *c, const contest *of, const char *transports)
{
    static const size_t sizes[] = {8, 64, 1024, 65536};

    require(ucx_open(c, of->method, transports) == CB_OK, "cannot open ucx");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        compete(c, of, sizes[i]);
    require(ucx_close(c) == CB_OK, "cannot close ucx");
}

int main(int argc, char **argv)
{
    const char *transports = argc > 1 ? argv[1] : "posix,cma";
    contender c = {.rank = 0, .places = 1};
    int ranks = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    c.other = !c.rank;
    cb_log_identify("perf_ucx", c.rank);
    require(ranks == 2, "needs 2 ranks");
    c.data = cb_allocate_aligned(CB_CACHE_LINE, LARGEST, "the data");
    require(c.data != NULL, "no memory");
    bare_start(&c, transports);
    bare_connect(&c);
    if (c.rank == 0)
        printf("%-4s %6s  %-19s %9s  %6s [quartiles]\n", "", "bytes", "", "us", "ratio");
    for (size_t i = 0; i < sizeof(contests) / sizeof(contests[0]); i++)
        hold(&c, &contests[i], transports);
    bare_close(&c);
    free(c.data);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
