/* Opening and closing UCX: context, worker, memory of the slots, and the end of all. */
#include "config.h"

#include "transport/ucx/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

/* What closing waits for the library to send. */
static const uint64_t leaving_ns = UINT64_C(3000000000);

/* The address of a process: this, the address of its worker, and with method put the key of its
 * slots. */
typedef struct {
    uint64_t slots;
    uint32_t worker_bytes, key_bytes;
} address_start;

static cb_status report(const char *attempt, ucs_status_t cause, const char *remedy)
{
    char variables[TRANSPORT_VARIABLES_BYTES];

    cb_error("cannot %s for the technology ucx: %s%s; %s", attempt, ucs_status_string(cause),
             transport_variables("UCX_", variables), remedy);
    return CB_ERROR_TRANSPORT;
}

/* Opening */

/* The queue in shared memory that all processes of a host write to has room for a few messages of
 * each, so that a busy one does not keep the others out. UCX's own size, 64, is enough for few. */
static ucs_status_t configure_queues(int ranks, ucp_config_t *config)
{
    const unsigned each = 8, usual = 64, most = 4096;
    unsigned size = usual;
    char text[16];

    while (size < most && size < each * (unsigned)ranks)
        size *= 2;
    if (size == usual || getenv("UCX_MM_FIFO_SIZE") != NULL)
        return UCS_OK;
    snprintf(text, sizeof(text), "%u", size);
    return ucp_config_modify(config, "MM_FIFO_SIZE", text);
}

/* What is not given is as in the environment, or as the library chooses. The library's own messages
 * are off unless the user asks for them, since all errors are returned and reported here. */
static ucs_status_t configure(const ucx_settings *settings, int ranks, ucp_config_t *config)
{
    const char *transports = cb_parameter_text(settings->transports);
    const char *devices = cb_parameter_text(settings->devices);
    ucs_status_t status = UCS_OK;

    if (getenv("UCX_LOG_LEVEL") == NULL)
        status = ucp_config_modify(config, "LOG_LEVEL", "fatal");
    if (status == UCS_OK && transports[0] != '\0')
        status = ucp_config_modify(config, "TLS", transports);
    if (status == UCS_OK && devices[0] != '\0')
        status = ucp_config_modify(config, "NET_DEVICES", devices);
    return status == UCS_OK ? configure_queues(ranks, config) : status;
}

static cb_status open_context(ucx_factory *factory)
{
    const ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_REQUEST_SIZE |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_NAME,
        .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP |
                    (factory->remote.writes ? (uint64_t)UCP_FEATURE_RMA : 0),
        .request_size = sizeof(ucx_request),
        .estimated_num_eps = (size_t)factory->remote.base.size,
        .name = "combench"};
    ucp_config_t *config;
    ucs_status_t status = ucp_config_read(NULL, NULL, &config);

    if (status != UCS_OK)
        return report("read the configuration of UCX", status, "check the variables UCX_*");
    status = configure(ucx_settings_of(factory), factory->remote.base.size, config);
    if (status == UCS_OK)
        status = ucp_init(&params, config, &factory->context);
    ucp_config_release(config);
    return status == UCS_OK
               ? CB_OK
               : report("start UCX", status, "check the variables UCX_*, see ucx_info");
}

/* What a worker takes in shared memory with UCX's usual queues, roughly. */
static const size_t shared_worker_bytes = 8 << 20;

static cb_status open_worker(ucx_factory *factory)
{
    const ucp_worker_params_t params = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_AM_ALIGNMENT,
        .thread_mode =
            factory->remote.lock.used ? UCS_THREAD_MODE_SERIALIZED : UCS_THREAD_MODE_SINGLE,
        .am_alignment = CB_CACHE_LINE};
    ucs_status_t status = ucp_worker_create(factory->context, &params, &factory->worker);
    char shortage[TRANSPORT_SHORTAGE_BYTES];

    if (status == UCS_OK)
        status = ucx_set_handlers(factory);
    if (status != UCS_OK)
        return report("make a worker", status,
                      transport_shm_is_short(
                          shared_worker_bytes * remote_ranks_here(&factory->remote), shortage)
                          ? shortage
                          : "raise the limit of open files (ulimit -n)");
    if (ucp_worker_get_efd(factory->worker, &factory->events) != UCS_OK)
        factory->remote.base.lacking |= TRANSPORT_BLOCKING_WAIT;
    return CB_OK;
}

/* Memory of the library, which other processes of the host can write to without its help. All of
 * its pages are there before anything is measured. */
static cb_status open_memory(ucx_factory *factory)
{
    const ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                                                       UCP_MEM_MAP_PARAM_FIELD_FLAGS,
                                         .length = factory->remote.memory_bytes,
                                         .flags = UCP_MEM_MAP_ALLOCATE};
    ucp_mem_attr_t attributes = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    ucs_status_t status = ucp_mem_map(factory->context, &params, &factory->memory);

    if (status == UCS_OK)
        status = ucp_mem_query(factory->memory, &attributes);
    if (status != UCS_OK) {
        char limit[TRANSPORT_LIMIT_BYTES], shortage[TRANSPORT_SHORTAGE_BYTES];
        const size_t needed = factory->remote.memory_bytes * remote_ranks_here(&factory->remote);

        if (transport_shm_is_short(needed, shortage))
            (void)report("register memory", status, shortage);
        else
            cb_error(
                "UCX cannot register %zu bytes of memory: %s; the limit of locked memory is %s "
                "(ulimit -l): raise it, or lower --parameter outstanding=N or buffer_size=N",
                factory->remote.memory_bytes, ucs_status_string(status),
                transport_locked_limit(limit));
        return CB_ERROR_MEMORY;
    }
    factory->remote.memory = attributes.address;
    memset(factory->remote.memory, 0, factory->remote.memory_bytes);
    return CB_OK;
}

static void *pack(const address_start *start, const void *worker, const void *key, size_t *bytes)
{
    unsigned char *packed;

    *bytes = sizeof(*start) + start->worker_bytes + start->key_bytes;
    packed = cb_allocate(1, *bytes, "an address of the technology ucx");
    if (packed == NULL)
        return NULL;
    memcpy(packed, start, sizeof(*start));
    memcpy(packed + sizeof(*start), worker, start->worker_bytes);
    if (start->key_bytes > 0)
        memcpy(packed + sizeof(*start) + start->worker_bytes, key, start->key_bytes);
    return packed;
}

static cb_status make_address(const ucx_factory *factory, void **address, size_t *address_bytes)
{
    ucp_address_t *worker = NULL;
    void *key = NULL;
    size_t worker_bytes = 0, key_bytes = 0;
    address_start start;
    ucs_status_t status = ucp_worker_get_address(factory->worker, &worker, &worker_bytes);

    if (status == UCS_OK && factory->memory != NULL)
        status = ucp_rkey_pack(factory->context, factory->memory, &key, &key_bytes);
    start = (address_start){.slots = (uint64_t)(uintptr_t)factory->remote.memory,
                            .worker_bytes = (uint32_t)worker_bytes,
                            .key_bytes = (uint32_t)key_bytes};
    if (status == UCS_OK)
        *address = pack(&start, worker, key, address_bytes);
    if (key != NULL)
        ucp_rkey_buffer_release(key);
    if (worker != NULL)
        ucp_worker_release_address(factory->worker, worker);
    if (status != UCS_OK)
        return report("make an address", status, "see ucx_info -d");
    return *address != NULL ? CB_OK : CB_ERROR_MEMORY;
}

static cb_status open_peers(ucx_factory *factory)
{
    const int size = factory->remote.base.size;

    factory->peers = cb_allocate((size_t)size, sizeof(*factory->peers), "the peers");
    if (factory->peers == NULL)
        return CB_ERROR_MEMORY;
    for (int rank = 0; rank < size; rank++) {
        factory->peers[rank].factory = factory;
        factory->peers[rank].rank = rank;
    }
    return CB_OK;
}

cb_status ucx_open(remote_factory *base, const transport_bootstrap *bootstrap, void **address,
                   size_t *address_bytes)
{
    ucx_factory *factory = ucx_factory_of(base);

    (void)bootstrap;
    base->writes = ucx_settings_of(factory)->method == UCX_PUT;
    base->header_apart = !base->writes;
    CB_TRY(open_peers(factory));
    CB_TRY(ucx_check_resources(ucx_settings_of(factory)));
    CB_TRY(open_context(factory));
    CB_TRY(open_worker(factory));
    if (base->writes)
        CB_TRY(open_memory(factory));
    return make_address(factory, address, address_bytes);
}

/* Connecting */

/* The endpoint has failed. A process that has announced its closing may end. */
static void endpoint_failed(void *context, ucp_ep_h endpoint, ucs_status_t cause)
{
    ucx_peer *peer = context;
    remote_node *node = &peer->factory->remote.nodes[peer->rank];

    (void)endpoint;
    if (peer->factory->destroying)
        return;
    if (node->closed > 0)
        remote_ended(&peer->factory->remote, peer->rank);
    else
        (void)ucx_lose(peer, "reach", cause);
}

/* Error handling of peers would leave the transports of shared memory unused. Without it, too, the
 * library reports broken connections; ends of processes on this host are found by remote/. */
static ucs_status_t connect_endpoint(ucx_factory *factory, ucx_peer *peer, const void *worker)
{
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                    .address = worker,
                                    .err_mode = UCP_ERR_HANDLING_MODE_NONE,
                                    .err_handler = {.cb = endpoint_failed, .arg = peer}};

    return ucp_ep_create(factory->worker, &params, &peer->endpoint);
}

cb_status ucx_connect(remote_factory *base, int rank, const void *address, size_t bytes)
{
    ucx_factory *factory = ucx_factory_of(base);
    ucx_peer *peer = &factory->peers[rank];
    const unsigned char *worker = (const unsigned char *)address + sizeof(address_start);
    address_start start;
    ucs_status_t status;

    (void)bytes;
    memcpy(&start, address, sizeof(start));
    peer->slots =
        start.slots + remote_slot_index(base, base->base.rank, 0) * (uint64_t)base->slot_bytes;
    status = connect_endpoint(factory, peer, worker);
    if (status == UCS_OK && start.key_bytes > 0)
        status = ucp_ep_rkey_unpack(peer->endpoint, worker + start.worker_bytes, &peer->key);
    if (status != UCS_OK) {
        char variables[TRANSPORT_VARIABLES_BYTES];

        cb_error("cannot connect to rank %d over ucx: %s%s; %s", rank, ucs_status_string(status),
                 transport_variables("UCX_", variables),
                 base->nodes[rank].apart
                     ? remote_remedy(&base->nodes[rank])
                     : "choose other transports or devices, which reach its host");
        return CB_ERROR_TRANSPORT;
    }
    ucx_inspect(peer);
    return CB_OK;
}

/* Closing */

static void await(ucx_factory *factory, void *request, uint64_t deadline_ns)
{
    if (!UCS_PTR_IS_PTR(request))
        return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS && cb_now_ns() < deadline_ns)
        ucp_worker_progress(factory->worker);
    ucp_request_free(request);
}

/* Words that were told leave before the worker is destroyed. Not if a rank is lost: its operations
 * may never end. */
static void close_endpoints(ucx_factory *factory)
{
    const ucp_request_param_t flushing = {.op_attr_mask = 0};
    const uint64_t deadline_ns = cb_now_ns() + leaving_ns;

    for (int rank = 0; rank < factory->remote.base.size; rank++) {
        ucx_peer *peer = &factory->peers[rank];

        if (peer->key != NULL)
            ucp_rkey_destroy(peer->key);
        if (peer->endpoint != NULL && !factory->remote.any_lost)
            await(factory, ucp_ep_close_nbx(peer->endpoint, &flushing), deadline_ns);
    }
}

/* The user may still hold messages, and some may have been left unread. */
static void release_all(ucx_factory *factory)
{
    remote_factory *remote = &factory->remote;

    for (size_t i = 0; remote->slots != NULL && i < remote->slots_bytes / sizeof(*remote->slots);
         i++)
        if (remote->slots[i].backing != NULL)
            ucx_release(remote, &remote->slots[i]);
}

void ucx_close(remote_factory *base)
{
    ucx_factory *factory = ucx_factory_of(base);

    factory->destroying = true;
    if (factory->worker != NULL) {
        release_all(factory);
        if (factory->flushing != NULL)
            ucp_request_free(factory->flushing);
        close_endpoints(factory);
        ucp_worker_destroy(factory->worker);
    }
    if (factory->memory != NULL)
        (void)ucp_mem_unmap(factory->context, factory->memory);
    if (factory->context != NULL)
        ucp_cleanup(factory->context);
    free(factory->peers);
}
