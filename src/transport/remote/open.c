/* Opening: the ranks exchange what they are and the addresses of their drivers, connect, and tell
 * each other a word, so that connections exist before the first message. */
#include "transport/remote/internal.h"
#include "transport/remote/parameters.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

static const uint64_t meeting_ns = UINT64_C(60000000000);

/* What the ranks exchange. Each exchange carries the outcome so far, so that all ranks fail alike.
 */

typedef struct {
    remote_identity identity;
    uint32_t key, outstanding, slot_bytes;
    cb_status status;
} introduction;

typedef struct {
    size_t bytes;
    cb_status status;
} announcement;

cb_status remote_agree(const transport_bootstrap *bootstrap, cb_status status)
{
    cb_status *all =
        cb_allocate((size_t)bootstrap->size, sizeof(*all), "the outcomes of all ranks");
    cb_status worst;

    if (all == NULL)
        return CB_ERROR_MEMORY;
    worst = bootstrap->exchange(bootstrap->context, &status, sizeof(status), all);
    for (int rank = 0; worst == CB_OK && rank < bootstrap->size; rank++)
        worst = all[rank];
    free(all);
    return worst;
}

static cb_status check_equal(const remote_factory *factory, const introduction *theirs, int rank)
{
    if (theirs->outstanding == factory->outstanding && theirs->slot_bytes == factory->slot_bytes)
        return CB_OK;
    cb_error("cannot open %s: rank %d has outstanding %u and buffer_size %u, this rank %u and %u; "
             "give all the same",
             factory->driver->name, rank, theirs->outstanding,
             theirs->slot_bytes - REMOTE_PREFIX_BYTES, factory->outstanding,
             factory->slot_bytes - REMOTE_PREFIX_BYTES);
    return CB_ERROR_USAGE;
}

static cb_status draw_key(uint32_t *key)
{
    if (getrandom(key, sizeof(*key), 0) == (ssize_t)sizeof(*key))
        return CB_OK;
    cb_error("cannot draw a key for the job: %m; see random(7)");
    return CB_ERROR_SYSTEM;
}

static cb_status exchange_introductions(remote_factory *factory,
                                        const transport_bootstrap *bootstrap, cb_status status)
{
    introduction mine = {.outstanding = factory->outstanding, .slot_bytes = factory->slot_bytes};
    introduction *all =
        cb_allocate((size_t)bootstrap->size, sizeof(*all), "the introductions of all ranks");

    if (all == NULL)
        return CB_ERROR_MEMORY;
    remote_introduce(&mine.identity);
    mine.status = status == CB_OK ? draw_key(&mine.key) : status;
    CB_TRY_TO(done, status = bootstrap->exchange(bootstrap->context, &mine, sizeof(mine), all));
    for (int rank = 0; rank < bootstrap->size; rank++)
        CB_TRY_TO(done, status = all[rank].status);
    for (int rank = 0; rank < bootstrap->size; rank++)
        CB_TRY_TO(done, status = check_equal(factory, &all[rank], rank));
    factory->key = all[0].key;
    for (int rank = 0; rank < bootstrap->size; rank++)
        if (rank != bootstrap->rank)
            remote_watch(&factory->nodes[rank], &mine.identity, &all[rank].identity);
done:
    free(all);
    return status;
}

/* All ranks get the announcements of all, and the same outcome. */
static cb_status announce(const transport_bootstrap *bootstrap, announcement mine,
                          announcement *all)
{
    CB_TRY(bootstrap->exchange(bootstrap->context, &mine, sizeof(mine), all));
    for (int rank = 0; rank < bootstrap->size; rank++)
        CB_TRY(all[rank].status);
    return CB_OK;
}

/* Carry the addresses of the drivers, of different lengths, and connect. */
static cb_status exchange_addresses(remote_factory *factory, const transport_bootstrap *bootstrap,
                                    const void *address, announcement mine)
{
    const size_t size = (size_t)bootstrap->size;
    announcement *all = cb_allocate(size, sizeof(*all), "the addresses of all ranks");
    unsigned char *padded = NULL, *addresses = NULL;
    size_t most = 1;
    cb_status status;

    if (all == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY_TO(done, status = announce(bootstrap, mine, all));
    for (size_t rank = 0; rank < size; rank++)
        most = all[rank].bytes > most ? all[rank].bytes : most;
    padded = cb_allocate(1, most, "the address of this rank");
    addresses = cb_allocate(size, most, "the addresses of all ranks");
    mine.status = padded != NULL && addresses != NULL ? CB_OK : CB_ERROR_MEMORY;
    CB_TRY_TO(done, status = announce(bootstrap, mine, all));
    if (mine.bytes > 0)
        memcpy(padded, address, mine.bytes);
    CB_TRY_TO(done, status = bootstrap->exchange(bootstrap->context, padded, most, addresses));
    for (int rank = 0; rank < bootstrap->size; rank++)
        if (rank != bootstrap->rank)
            CB_TRY_TO(done, status = factory->driver->connect(
                                factory, rank, addresses + (size_t)rank * most, all[rank].bytes));
done:
    free(addresses);
    free(padded);
    free(all);
    return status;
}

static cb_status connect_all(remote_factory *factory, const transport_bootstrap *bootstrap)
{
    void *address = NULL;
    announcement mine = {.bytes = 0};
    cb_status status;

    mine.status = factory->driver->open(factory, bootstrap, &address, &mine.bytes);
    status = factory->alone ? mine.status : exchange_addresses(factory, bootstrap, address, mine);
    free(address);
    return status;
}

/* Meeting */

static cb_status report_unmet(remote_factory *factory, int rank)
{
    cb_error("cannot open %s: rank %d has not answered for %d s over %s; %s, or choose another "
             "--technology",
             factory->driver->name, rank, (int)(meeting_ns / UINT64_C(1000000000)),
             factory->base.network[0] != '\0' ? factory->base.network : "this network",
             remote_remedy(&factory->nodes[rank]));
    return CB_ERROR_TRANSPORT;
}

/* Poll while the ranks meet; an error if one of them is lost, or for too long nothing comes from
 * `rank`. */
static cb_status wait_for(remote_factory *factory, int rank, uint64_t deadline_ns)
{
    cb_status status = remote_progress(factory, -1);

    if (status == CB_OK)
        status = remote_find_nothing(factory);
    if (status != CB_EMPTY)
        return status;
    if (factory->any_lost)
        return CB_ERROR_TRANSPORT;
    if (cb_now_ns() > deadline_ns)
        return report_unmet(factory, rank);
    sched_yield();
    return CB_OK;
}

static cb_status greet(remote_factory *factory, int rank, uint64_t deadline_ns)
{
    cb_status status;

    while ((status = factory->driver->tell(factory, rank, REMOTE_GRANT,
                                           factory->nodes[rank].granted)) == CB_EMPTY)
        CB_TRY(wait_for(factory, rank, deadline_ns));
    return status;
}

static bool is_idle(remote_factory *factory)
{
    return factory->driver->idle == NULL || factory->driver->idle(factory);
}

/* A rank that has met all may wait for them outside of its library: what it told has to have left
 * before. All that fail do so by their deadline, without the help of the others. */
static cb_status meet_all(remote_factory *factory)
{
    const uint64_t deadline_ns = cb_now_ns() + meeting_ns;

    factory->meeting = true;
    for (int rank = 0; rank < factory->base.size; rank++)
        if (rank != factory->base.rank)
            CB_TRY(greet(factory, rank, deadline_ns));
    for (int rank = 0; rank < factory->base.size; rank++)
        while (rank != factory->base.rank && !factory->nodes[rank].met)
            CB_TRY(wait_for(factory, rank, deadline_ns));
    while (!is_idle(factory))
        CB_TRY(wait_for(factory, factory->base.rank, deadline_ns));
    factory->meeting = false;
    return CB_OK;
}

/* Opening */

static uint32_t whole_lines(uint64_t bytes)
{
    return (uint32_t)((bytes + CB_CACHE_LINE - 1) / CB_CACHE_LINE * CB_CACHE_LINE);
}

/* Values that are 0 are those of a job with messages of moderate size. */
static void size_slots(remote_factory *factory)
{
    const cb_job job = {.ranks = (size_t)factory->base.size, .largest_bytes = 64 * 1024};
    const remote_settings *given = factory->settings;
    remote_settings derived;

    remote_derive(&job, &derived);
    factory->outstanding =
        (uint32_t)(given->outstanding > 0 ? given->outstanding : derived.outstanding);
    factory->slot_bytes =
        REMOTE_PREFIX_BYTES +
        whole_lines(given->buffer_size > 0 ? given->buffer_size : derived.buffer_size);
}

/* The memory of a driver replaces that of the slots. */
static void lay_out_slots(remote_factory *factory)
{
    const size_t count = (size_t)factory->base.size * factory->outstanding;

    for (size_t i = 0; i < count; i++) {
        remote_slot *slot = &factory->slots[i];

        slot->memory = factory->memory + i * factory->slot_bytes;
        slot->base.data = slot->memory + REMOTE_PREFIX_BYTES;
        slot->base.capacity = factory->slot_bytes - REMOTE_PREFIX_BYTES;
        slot->base.owner = &factory->base;
        slot->source = (uint16_t)(i / factory->outstanding);
    }
}

static cb_status allocate(remote_factory *factory)
{
    const size_t ranks = (size_t)factory->base.size, count = ranks * factory->outstanding;

    factory->slots_bytes = count * sizeof(*factory->slots);
    factory->memory_bytes = count * factory->slot_bytes;
    factory->nodes = cb_allocate(ranks, sizeof(*factory->nodes), "the nodes");
    for (size_t rank = 0; factory->nodes != NULL && rank < ranks; rank++)
        factory->nodes[rank].presence = -1;
    factory->slots =
        cb_allocate_aligned(CB_CACHE_LINE, factory->slots_bytes, "the slots of messages");
    factory->allocated =
        cb_allocate_aligned(4096, factory->memory_bytes, "the memory of the slots");
    if (factory->nodes == NULL || factory->slots == NULL || factory->allocated == NULL)
        return CB_ERROR_MEMORY;
    factory->memory = factory->allocated;
    lay_out_slots(factory);
    for (size_t rank = 0; rank < ranks; rank++) {
        remote_node *node = &factory->nodes[rank];

        node->base.rank = (int)rank;
        node->base.factory = &factory->base;
        node->slots = factory->slots + rank * factory->outstanding;
        node->granted = node->room = factory->outstanding;
        node->queue.queued = &factory->queued;
    }
    return CB_OK;
}

static cb_status remember(void *context, void *memory, size_t bytes, void **handle)
{
    remote_factory *factory = context;

    return factory->driver->remember(factory, memory, bytes, handle);
}

static void forget(void *context, void *handle)
{
    remote_factory *factory = context;

    factory->driver->forget(factory, handle);
}

static void prepare_pools(remote_factory *factory)
{
    transport_pool *const pools[] = {&factory->pool, &factory->pieces};

    factory->memory_user =
        (transport_memory_user){.context = factory, .remember = remember, .forget = forget};
    for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
        pools[i]->owner = &factory->base;
        pools[i]->prefix_bytes = REMOTE_PREFIX_BYTES;
        pools[i]->user = factory->driver->remember != NULL ? &factory->memory_user : NULL;
    }
}

static void note_limits(remote_factory *factory)
{
    const size_t slot = factory->slot_bytes - REMOTE_PREFIX_BYTES, limit = factory->piece_limit;

    if (factory->memory != factory->allocated) {
        free(factory->allocated);
        factory->allocated = NULL;
        lay_out_slots(factory);
    }
    factory->base.piece_bytes = limit > 0 && limit < slot ? limit : slot;
}

/* While a library connects it has no room: that is not of the measurement. */
static void forget_attempts(remote_factory *factory)
{
    factory->counts[REMOTE_RETRIES] = 0;
}

static cb_status open_all(remote_factory *factory, const transport_bootstrap *bootstrap)
{
    cb_status status = allocate(factory);

    CB_TRY(exchange_introductions(factory, bootstrap, status));
    status = connect_all(factory, bootstrap);
    if (!factory->alone)
        status = remote_agree(bootstrap, status);
    CB_TRY(status);
    note_limits(factory);
    CB_TRY(remote_agree(bootstrap, meet_all(factory)));
    forget_attempts(factory);
    return CB_OK;
}

static cb_status check_ranks(const remote_factory *factory)
{
    if (factory->base.size <= REMOTE_RANKS_MOST)
        return CB_OK;
    cb_error("cannot open %s for %d ranks: the most is %d; start fewer", factory->driver->name,
             factory->base.size, (int)REMOTE_RANKS_MOST);
    return CB_ERROR_UNSUPPORTED;
}

cb_status remote_open(const transport_bootstrap *bootstrap, const remote_driver *driver,
                      const cb_parameter_set *parameters, size_t bytes, transport_factory **out)
{
    remote_factory *factory = cb_allocate_aligned(CB_CACHE_LINE, bytes, driver->name);
    void *settings = cb_allocate(1, parameters->bytes, "the parameters");
    cb_status status;

    if (factory == NULL || settings == NULL) {
        free(factory);
        free(settings);
        return CB_ERROR_MEMORY;
    }
    transport_take_values(bootstrap, parameters, settings);
    factory->base.rank = bootstrap->rank;
    factory->base.size = bootstrap->size;
    factory->base.settings = bootstrap->settings;
    factory->base.counters = factory->counts;
    factory->driver = driver;
    factory->settings = settings;
    transport_lock_open(&factory->lock, bootstrap->many_senders);
    size_slots(factory);
    prepare_pools(factory);
    status = check_ranks(factory);
    if (status == CB_OK)
        status = open_all(factory, bootstrap);
    /* All ranks agree on other errors, and free together what they have made together. */
    factory->alone |= status == CB_ERROR_CONTROL;
    if (status != CB_OK)
        remote_destroy(factory);
    else
        *out = &factory->base;
    return status;
}

/* Nodes exist from open to close, so that queued messages outlive their use. */
cb_status remote_node_create(transport_factory *base, int rank, transport_node **out)
{
    remote_factory *factory = remote_factory_of(base);

    CB_TRY(transport_check_rank(base, rank,
                                rank >= 0 && rank < base->size && factory->nodes[rank].in_use));
    factory->nodes[rank].in_use = true;
    factory->nodes[rank].base = (transport_node){.ops = &base->ops, .factory = base, .rank = rank};
    *out = &factory->nodes[rank].base;
    return CB_OK;
}

void remote_node_destroy(transport_node *node)
{
    remote_node_of(node)->in_use = false;
}

/* Preparing */

/* The message and each rest of it are numbers of 32 bits. */
static const size_t most_bytes = (size_t)1 << 31;

static cb_status check_no_message_arrives(remote_factory *factory)
{
    for (int rank = 0; rank < factory->base.size; rank++)
        if (factory->nodes[rank].assembled != NULL) {
            cb_error("cannot announce messages over %s while one of rank %d is arriving: receive "
                     "it before; this is a defect of the program",
                     factory->driver->name, rank);
            return CB_ERROR_TRANSPORT;
        }
    return CB_OK;
}

/* As many pieces as may be on their way, so that none has to be allocated in timed code; of large
 * ones fewer. */
static size_t pieces_beforehand(const remote_factory *factory)
{
    const size_t limit_bytes = 16u << 20;
    const size_t wanted = factory->outstanding * (size_t)(factory->base.size - 1);
    const size_t fitting = limit_bytes / factory->base.piece_bytes;

    return wanted < fitting ? wanted : fitting;
}

cb_status remote_prepare(transport_factory *base, const transport_preparation *preparation)
{
    remote_factory *factory = remote_factory_of(base);
    const transport_preparation pieces = {.message_bytes = base->piece_bytes,
                                          .buffers = pieces_beforehand(factory)};

    if (preparation->message_bytes >= most_bytes) {
        cb_error("cannot send messages of %zu bytes over %s: the largest is %zu; lower --sizes",
                 preparation->message_bytes, factory->driver->name, most_bytes - 1);
        return CB_ERROR_UNSUPPORTED;
    }
    CB_TRY(remote_flush(base));
    CB_TRY(check_no_message_arrives(factory));
    transport_pool_clear(&factory->pieces);
    CB_TRY(transport_pool_prepare(&factory->pool, base, preparation));
    return preparation->message_bytes > base->piece_bytes
               ? transport_pool_prepare(&factory->pieces, base, &pieces)
               : CB_OK;
}
