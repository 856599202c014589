/* Opening and closing the endpoint, addresses, and registered memory. */
#include "transport/ofi/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_cm.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

/* Receives of words: a sender has at most two grants on the way, and some rounds of the closing. */
enum { WORDS_EACH = 4, WORDS_MOST = 512, ENDPOINT_NAME_BYTES = 256 };

/* What a process tells the others of itself; the endpoint's name follows. */
typedef struct {
    uint64_t slots; /* of rank 0, as the provider addresses them */
    uint64_t key;
    uint64_t name_bytes;
    unsigned char name[ENDPOINT_NAME_BYTES];
} ofi_address;

static const char *provider_of(const ofi_factory *factory)
{
    return factory->info->fabric_attr->prov_name;
}

/* Report a step of opening that failed; result is 0 or a negative code of libfabric. */
static cb_status check_step(const ofi_factory *factory, const char *step, ssize_t result)
{
    if (result == 0)
        return CB_OK;
    cb_error("cannot %s of libfabric's provider %s, domain %s: %s; choose another by --parameter "
             "provider=NAME,domain=NAME, or see its manual page fi_provider(7)",
             step, provider_of(factory), factory->info->domain_attr->name,
             fi_strerror((int)-result));
    return CB_ERROR_TRANSPORT;
}

#define CLOSE(object)                                                                              \
    do {                                                                                           \
        if ((object) != NULL)                                                                      \
            (void)fi_close(&(object)->fid);                                                        \
    } while (0)

/* Registered memory */

static void report_registration(const ofi_factory *factory, size_t bytes, int result)
{
    char limit[TRANSPORT_LIMIT_BYTES];

    cb_error("libfabric's provider %s cannot register %zu bytes of memory: %s; the limit of locked "
             "memory is %s (ulimit -l): raise it, or lower --parameter outstanding=N or "
             "buffer_size=N",
             provider_of(factory), bytes, fi_strerror(-result), transport_locked_limit(limit));
}

static cb_status register_memory(ofi_factory *factory, void *memory, size_t bytes, uint64_t access,
                                 struct fid_mr **out)
{
    struct fid_mr *registration = NULL;
    int result = fi_mr_reg(factory->domain, memory, bytes, access, 0, ++factory->next_key, 0,
                           &registration, NULL);

    if (result == 0 && (factory->info->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
        result = fi_mr_bind(registration, &factory->endpoint->fid, 0);
        if (result == 0)
            result = fi_mr_enable(registration);
    }
    if (result != 0) {
        report_registration(factory, bytes, result);
        CLOSE(registration);
        return CB_ERROR_MEMORY;
    }
    *out = registration;
    return CB_OK;
}

static uint64_t local_access(const ofi_factory *factory)
{
    return FI_SEND | FI_RECV | (factory->base.writes ? FI_WRITE : 0);
}

cb_status ofi_remember(remote_factory *base, void *memory, size_t bytes, void **handle)
{
    ofi_factory *factory = ofi_factory_of(base);
    struct fid_mr *registration = NULL;

    if (factory->registers)
        CB_TRY(register_memory(factory, memory, bytes, local_access(factory), &registration));
    *handle = registration;
    return CB_OK;
}

void ofi_forget(remote_factory *base, void *handle)
{
    struct fid_mr *registration = handle;

    (void)base;
    CLOSE(registration);
}

/* The slots: written by others, or receive buffers of this process. */
static cb_status register_slots(ofi_factory *factory)
{
    remote_factory *base = &factory->base;

    if (!base->writes && !factory->registers)
        return CB_OK;
    return register_memory(factory, base->memory, base->memory_bytes,
                           local_access(factory) | (base->writes ? FI_REMOTE_WRITE : 0),
                           &factory->slots_registered);
}

/* Operations */

static void add_operation(ofi_factory *factory, ofi_operation_kind kind, unsigned char *memory,
                          ofi_operation **list)
{
    ofi_operation *operation = &factory->operations[factory->operation_count++];

    *operation = (ofi_operation){.kind = kind, .rank = -1, .memory = memory, .next = *list};
    *list = operation;
}

/* At most half of the queue: messages need the rest. */
static size_t count_words(const ofi_factory *factory, bool beside_messages)
{
    const size_t wanted = (size_t)factory->base.base.size * WORDS_EACH;
    const size_t most = beside_messages ? factory->receives_most / 2 : factory->receives_most;
    const size_t words = wanted < WORDS_MOST ? wanted : WORDS_MOST;

    return words < most ? words : most;
}

/* As many receives as there are slots, if their queue has the room; the others wait. */
static cb_status make_operations(ofi_factory *factory)
{
    remote_factory *base = &factory->base;
    const size_t sends = factory->info->tx_attr->size;
    const size_t receives = base->writes ? 0 : base->memory_bytes / base->slot_bytes;
    const size_t words = count_words(factory, receives > 0);
    const size_t before = offsetof(remote_prefix, header);
    const size_t bytes = (sends + receives + words) * sizeof(*factory->operations);

    factory->operations =
        cb_allocate_aligned(CB_CACHE_LINE, bytes, "the operations of the technology ofi");
    if (factory->operations == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < sends; i++)
        add_operation(factory, OFI_SEND, NULL, &factory->idle_sends);
    for (size_t i = receives; i-- > 0;)
        add_operation(factory, OFI_RECEIVE, base->memory + i * base->slot_bytes + before,
                      &factory->unposted);
    for (size_t i = 0; i < words; i++)
        add_operation(factory, OFI_RECEIVE_WORD, NULL, &factory->unposted);
    if (!factory->registers)
        return CB_OK;
    return register_memory(factory, factory->operations, bytes, FI_SEND | FI_RECV,
                           &factory->operations_registered);
}

/* Opening */

static cb_status open_completions(ofi_factory *factory)
{
    const remote_factory *base = &factory->base;
    struct fi_cq_attr attributes = {.size = factory->info->tx_attr->size +
                                            factory->info->rx_attr->size +
                                            base->memory_bytes / base->slot_bytes,
                                    .format = FI_CQ_FORMAT_DATA,
                                    .wait_obj = FI_WAIT_FD};
    int result = fi_cq_open(factory->domain, &attributes, &factory->completions, NULL);

    if (result == 0)
        result = fi_control(&factory->completions->fid, FI_GETWAIT, &factory->wait_fd);
    if (result == 0)
        return CB_OK;
    CLOSE(factory->completions);
    factory->completions = NULL;
    factory->wait_fd = -1;
    attributes.wait_obj = FI_WAIT_NONE;
    return check_step(factory, "open a completion queue",
                      fi_cq_open(factory->domain, &attributes, &factory->completions, NULL));
}

/* The provider shm names its file in /dev/shm by the process id, which is not unique among
 * containers that share it; the key of the job is. */
static cb_status name_file(ofi_factory *factory)
{
    char file[64];

    if (strcmp(provider_of(factory), "shm") != 0)
        return CB_OK;
    snprintf(factory->files, sizeof(factory->files), "combench-ofi.%08x.", factory->base.key);
    if (!ofi_leftovers_add(factory->files, factory->base.base.size)) {
        cb_error("cannot open more factories of the technology ofi over shm; close others first");
        factory->files[0] = '\0';
        return CB_ERROR_USAGE;
    }
    snprintf(file, sizeof(file), "%s%d", factory->files, factory->base.base.rank);
    return check_step(factory, "name the endpoint",
                      fi_setname(&factory->endpoint->fid, file, strlen(file) + 1));
}

static cb_status open_endpoint(ofi_factory *factory)
{
    struct fi_info *info = factory->info;
    struct fi_av_attr addresses = {.type = info->domain_attr->av_type,
                                   .count = (size_t)factory->base.base.size};

    CB_TRY(check_step(factory, "open the fabric",
                      fi_fabric(info->fabric_attr, &factory->fabric, NULL)));
    CB_TRY(check_step(factory, "open the domain",
                      fi_domain(factory->fabric, info, &factory->domain, NULL)));
    CB_TRY(check_step(factory, "open an address vector",
                      fi_av_open(factory->domain, &addresses, &factory->addresses, NULL)));
    CB_TRY(open_completions(factory));
    CB_TRY(check_step(factory, "open an endpoint",
                      fi_endpoint(factory->domain, info, &factory->endpoint, NULL)));
    CB_TRY(check_step(factory, "bind the addresses",
                      fi_ep_bind(factory->endpoint, &factory->addresses->fid, 0)));
    CB_TRY(check_step(
        factory, "bind the completion queue",
        fi_ep_bind(factory->endpoint, &factory->completions->fid, FI_TRANSMIT | FI_RECV)));
    CB_TRY(name_file(factory));
    CB_TRY(check_step(factory, "enable the endpoint", fi_enable(factory->endpoint)));
    ofi_leftovers_made();
    return CB_OK;
}

static cb_status make_address(ofi_factory *factory, void **address, size_t *address_bytes)
{
    const remote_factory *base = &factory->base;
    ofi_address *mine = cb_allocate(1, sizeof(*mine), "the address of this rank");
    const bool virtual = (factory->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
    size_t name_bytes = sizeof(mine->name);

    if (mine == NULL)
        return CB_ERROR_MEMORY;
    *address = mine;
    *address_bytes = sizeof(*mine);
    mine->slots = virtual ? (uintptr_t)base->memory : 0;
    mine->key = base->writes ? fi_mr_key(factory->slots_registered) : 0;
    CB_TRY(check_step(factory, "read the address",
                      fi_getname(&factory->endpoint->fid, mine->name, &name_bytes)));
    mine->name_bytes = name_bytes;
    return CB_OK;
}

cb_status ofi_open(remote_factory *base, const transport_bootstrap *bootstrap, void **address,
                   size_t *address_bytes)
{
    ofi_factory *factory = ofi_factory_of(base);
    const struct fi_info *info;

    factory->wait_fd = -1;
    factory->settings = base->settings;
    base->writes = factory->settings->method == OFI_METHOD_WRITE;
    CB_TRY(ofi_choose(factory, bootstrap));
    factory->peers = cb_allocate((size_t)base->base.size, sizeof(*factory->peers), "the peers");
    if (factory->peers == NULL)
        return CB_ERROR_MEMORY;
    info = factory->info;
    factory->registers = (info->domain_attr->mr_mode & FI_MR_LOCAL) != 0;
    factory->receives_most = info->rx_attr->size;
    factory->inject_most = info->tx_attr->inject_size;
    if (factory->settings->inject_size < factory->inject_most)
        factory->inject_most = (size_t)factory->settings->inject_size;
    base->piece_limit = info->ep_attr->max_msg_size - sizeof(remote_header);
    snprintf(base->base.network, sizeof(base->base.network), "%s, %s", provider_of(factory),
             info->domain_attr->name);
    CB_TRY(open_endpoint(factory));
    base->base.lacking |= factory->wait_fd < 0 ? TRANSPORT_BLOCKING_WAIT : 0;
    CB_TRY(register_slots(factory));
    CB_TRY(make_operations(factory));
    CB_TRY(ofi_post_receives(factory));
    return make_address(factory, address, address_bytes);
}

cb_status ofi_connect(remote_factory *base, int rank, const void *address, size_t bytes)
{
    ofi_factory *factory = ofi_factory_of(base);
    ofi_peer *peer = &factory->peers[rank];
    const ofi_address *theirs = address;

    if (bytes != sizeof(*theirs) ||
        fi_av_insert(factory->addresses, theirs->name, 1, &peer->address, 0, NULL) != 1) {
        cb_error("libfabric's provider %s refuses the address of rank %d; choose another by "
                 "--parameter provider=NAME",
                 provider_of(factory), rank);
        return CB_ERROR_TRANSPORT;
    }
    peer->slots =
        theirs->slots + (uint64_t)remote_slot_index(base, base->base.rank, 0) * base->slot_bytes;
    peer->key = theirs->key;
    return CB_OK;
}

/* Closing */

/* The last words go out while completions are read; a peer that is lost never takes its own. */
static void await_words(ofi_factory *factory)
{
    const uint64_t timeout_ns = UINT64_C(1000000000), began_ns = cb_now_ns();

    while (factory->words_in_flight > 0 && cb_now_ns() - began_ns < timeout_ns)
        if (ofi_poll(&factory->base, -1) != CB_OK)
            return;
}

/* Closing the endpoint has removed the file of this rank; a rank that was killed has left its own.
 */
static void close_files(const ofi_factory *factory)
{
    const remote_factory *base = &factory->base;

    if (factory->files[0] == '\0')
        return;
    for (int rank = 0; rank < base->base.size; rank++)
        if (base->nodes[rank].lost != CB_OK)
            ofi_leftovers_of(factory->files, rank);
    ofi_leftovers_drop(factory->files);
}

void ofi_close(remote_factory *base)
{
    ofi_factory *factory = ofi_factory_of(base);

    if (factory->endpoint != NULL)
        await_words(factory);
    CLOSE(factory->endpoint);
    close_files(factory);
    CLOSE(factory->slots_registered);
    CLOSE(factory->operations_registered);
    CLOSE(factory->completions);
    CLOSE(factory->addresses);
    CLOSE(factory->domain);
    CLOSE(factory->fabric);
    fi_freeinfo(factory->info);
    free(factory->operations);
    free(factory->peers);
}
