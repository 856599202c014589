#include "tests/transport/remote/loop.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "transport/remote/parameters.h"

const char *const loop_way_names[LOOP_WAYS] = {
    [LOOP_MESSAGE] = "message", [LOOP_BACKED] = "backed",   [LOOP_APART] = "apart",
    [LOOP_FETCHED] = "fetched", [LOOP_WRITTEN] = "written",
};

typedef struct packet packet;

typedef enum { ANNOUNCED, PAYLOAD, WRITTEN, WORD } packet_kind;

struct packet {
    packet *next;
    packet_kind kind;
    int source;
    unsigned polls; /* until it arrives */
    remote_header header;
    remote_slot *slot; /* of a message that is being fetched */
    remote_word word;
    uint32_t value;
    unsigned char payload[];
};

typedef struct {
    remote_factory base;
    const loop_plan *plan;
    cb_random random;
    packet *arriving; /* guarded by `wire` */
    packet *fetched;
    transport_buffer *sending; /* linked by next; not complete yet */
    size_t polls, words, foreign, to_dead;
    size_t lingering;
    int broken; /* rank, if not 0 */
    bool refuses, cut, inside, memory_full;
} loop_factory_data;

static pthread_mutex_t wire = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_ranks;
static loop_factory_data *factories[LOOP_RANKS_MOST];
static const loop_plan *plan_now;
static unsigned char *shared; /* for the exchanges of an opening */
static size_t shared_bytes;

static loop_factory_data *data_of(remote_factory *factory)
{
    return (loop_factory_data *)factory;
}

static bool chance(loop_factory_data *mine, unsigned percent)
{
    return cb_random_below(&mine->random, 100) < percent;
}

/* The wire */

static packet *new_packet(loop_factory_data *mine, packet_kind kind, const remote_header *header,
                          const void *payload, size_t bytes)
{
    packet *made = cb_allocate(1, sizeof(*made) + bytes, "a packet");

    ck_assert_ptr_nonnull(made);
    made->kind = kind;
    made->source = mine->base.base.rank;
    if (header != NULL)
        made->header = *header;
    if (bytes > 0)
        memcpy(made->payload, payload, bytes);
    if (chance(mine, mine->plan->delayed))
        made->polls = (unsigned)cb_random_below(&mine->random, 30);
    return made;
}

static void put_on_wire(loop_factory_data *mine, int rank, packet *sent)
{
    if (mine->cut) {
        free(sent);
        return;
    }
    pthread_mutex_lock(&wire);
    if (factories[rank] != NULL) {
        packet **link = &factories[rank]->arriving;

        while (*link != NULL)
            link = &(*link)->next;
        *link = sent;
        sent = NULL;
    }
    pthread_mutex_unlock(&wire);
    free(sent);
}

static packet *take_from_wire(loop_factory_data *mine)
{
    packet **link, *found;

    pthread_mutex_lock(&wire);
    link = &mine->arriving;
    while (*link != NULL && (*link)->polls > 0) {
        (*link)->polls--;
        link = &(*link)->next;
    }
    found = *link;
    if (found != NULL)
        *link = found->next;
    pthread_mutex_unlock(&wire);
    return found;
}

/* A message of another job, one of no rank, or one whose number was not granted. */
static void add_foreign(loop_factory_data *mine, int rank, const remote_header *header)
{
    remote_header wrong = *header;
    packet *sent;

    if (!chance(mine, mine->plan->foreign) || mine->plan->way == LOOP_WRITTEN)
        return;
    switch (cb_random_below(&mine->random, 4)) {
    case 0:
        wrong.key++;
        break;
    case 1:
        wrong.source = (uint16_t)(mine->base.base.size + 3);
        break;
    case 2:
        wrong.number += UINT32_C(1) << 30;
        break;
    default:
        wrong.number -= UINT32_C(1) << 30;
    }
    sent = new_packet(mine, PAYLOAD, &wrong, "", 0);
    pthread_mutex_lock(&wire);
    factories[rank]->foreign++;
    pthread_mutex_unlock(&wire);
    put_on_wire(mine, rank, sent);
}

/* The driver */

static cb_status loop_open(remote_factory *factory, const transport_bootstrap *bootstrap,
                           void **address, size_t *address_bytes)
{
    loop_factory_data *mine = data_of(factory);

    (void)bootstrap;
    mine->plan = plan_now;
    mine->random = cb_random_seed(plan_now->seed * 100 + (uint64_t)factory->base.rank);
    factory->writes = plan_now->way == LOOP_WRITTEN;
    factory->header_apart = plan_now->way == LOOP_APART;
    factory->piece_limit = plan_now->piece_limit;
    factories[factory->base.rank] = mine;
    *address_bytes = (size_t)factory->base.rank; /* they may differ */
    *address = cb_allocate(1, *address_bytes + 1, "an address");
    memset(*address, factory->base.rank, *address_bytes);
    return CB_OK;
}

void loop_end_process(remote_node *node)
{
    const pid_t child = fork();

    if (child == 0)
        pause();
    ck_assert_int_gt(child, 0);
    close(node->presence);
    node->presence = (int)syscall(SYS_pidfd_open, child, 0);
    ck_assert_int_ge(node->presence, 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static cb_status loop_connect(remote_factory *factory, int rank, const void *address, size_t bytes)
{
    if (plan_now->dead > 0 && rank == plan_now->dead) {
        loop_end_process(&factory->nodes[rank]);
        if (plan_now->elsewhere) {
            close(factory->nodes[rank].presence);
            factory->nodes[rank].presence = -1;
        }
    }
    ck_assert_uint_eq(bytes, (size_t)rank);
    for (size_t i = 0; i < bytes; i++)
        ck_assert_int_eq(((const unsigned char *)address)[i], rank);
    return CB_OK;
}

static void free_packets(packet *first)
{
    while (first != NULL) {
        packet *next = first->next;

        free(first);
        first = next;
    }
}

static void loop_close(remote_factory *factory)
{
    loop_factory_data *mine = data_of(factory);

    pthread_mutex_lock(&wire);
    factories[factory->base.rank] = NULL;
    free_packets(mine->arriving);
    pthread_mutex_unlock(&wire);
    free_packets(mine->fetched);
}

/* The header's place is before the payload, in the pool and in slots. */
static void write_to_slot(const loop_factory_data *mine, int rank, const remote_header *header,
                          transport_buffer *buffer)
{
    remote_factory *there = &factories[rank]->base;
    const size_t index = remote_slot_index(there, mine->base.base.rank, header->number);
    remote_prefix *prefix = remote_prefix_of(&mine->base, buffer);

    prefix->header = *header;
    memcpy(there->memory + index * there->slot_bytes + REMOTE_PREFIX_BYTES - sizeof(*header),
           &prefix->header, sizeof(*header) + buffer->size);
}

static void enter(loop_factory_data *mine)
{
    ck_assert_msg(!mine->inside, "the driver was called by one of its own reports");
    mine->inside = true;
}

static cb_status loop_transmit(remote_factory *factory, int rank, const remote_header *header,
                               transport_buffer *buffer)
{
    loop_factory_data *mine = data_of(factory);
    const bool written = mine->plan->way == LOOP_WRITTEN;

    if (mine->refuses || chance(mine, mine->plan->refused))
        return CB_EMPTY;
    enter(mine);
    ck_assert_ptr_eq(buffer->owner, &factory->base);
    add_foreign(mine, rank, header);
    memset(remote_prefix_of(factory, buffer)->own, 0x77, 32);
    mine->lingering = 3;
    if (written && !mine->cut)
        write_to_slot(mine, rank, header, buffer);
    put_on_wire(mine, rank,
                new_packet(mine,
                           written                           ? WRITTEN
                           : mine->plan->way == LOOP_FETCHED ? ANNOUNCED
                                                             : PAYLOAD,
                           header, buffer->data, written ? 0 : buffer->size));
    if (chance(mine, mine->plan->delayed)) {
        buffer->next = mine->sending;
        mine->sending = buffer;
    } else {
        remote_sent(factory, buffer);
    }
    mine->inside = false;
    return CB_OK;
}

static cb_status loop_tell(remote_factory *factory, int rank, remote_word word, uint32_t value)
{
    loop_factory_data *mine = data_of(factory);
    packet *told;

    if (mine->plan->dead > 0 && factory->base.rank == mine->plan->dead)
        return remote_lose(factory, rank, "reach", "this rank is dead");
    if (mine->broken > 0 && rank == mine->broken)
        return remote_lose(factory, rank, "send to", "its words fail");
    if (mine->plan->dead > 0 && rank == mine->plan->dead && mine->plan->elsewhere)
        return mine->to_dead++ == 0
                   ? CB_OK
                   : remote_lose(factory, rank, "send to", "the connection is broken");
    if (chance(mine, mine->plan->refused) || (mine->plan->dead > 0 && rank == mine->plan->dead))
        return CB_EMPTY;
    enter(mine);
    told = new_packet(mine, WORD, NULL, NULL, 0);
    told->word = word;
    told->value = value;
    mine->words++;
    put_on_wire(mine, rank, told);
    mine->inside = false;
    return CB_OK;
}

/* The memory of a library is not that of the slot. */
static void deliver_payload(remote_factory *factory, remote_slot *slot, const packet *from)
{
    const size_t bytes = from->header.bytes;
    const loop_way way = data_of(factory)->plan->way;

    if (way == LOOP_BACKED || way == LOOP_APART) {
        slot->backing = cb_allocate(1, bytes + 1, "memory of the library");
        slot->base.data = slot->backing;
    }
    memcpy(slot->base.data, from->payload, bytes);
    remote_arrived(factory, slot);
}

static void deliver(loop_factory_data *mine, packet *from)
{
    remote_factory *factory = &mine->base;

    if (from->kind == WORD) {
        remote_told(factory, from->source, from->word, from->value);
    } else if (from->kind == WRITTEN) {
        remote_written(factory, from->source, from->header.number & 0xffff);
    } else {
        from->slot = remote_expect(factory, &from->header);
        if (from->slot != NULL && from->kind == ANNOUNCED) {
            from->next = mine->fetched;
            mine->fetched = from;
            return;
        }
        if (from->slot != NULL)
            deliver_payload(factory, from->slot, from);
    }
    free(from);
}

static void fetch_some(loop_factory_data *mine)
{
    for (packet **link = &mine->fetched; *link != NULL;) {
        packet *from = *link;

        if (chance(mine, mine->plan->delayed)) {
            link = &from->next;
            continue;
        }
        *link = from->next;
        deliver_payload(&mine->base, from->slot, from);
        free(from);
    }
}

static void complete_some(loop_factory_data *mine)
{
    for (transport_buffer **link = &mine->sending; *link != NULL;) {
        transport_buffer *buffer = *link;

        if (chance(mine, mine->plan->delayed)) {
            link = &buffer->next;
            continue;
        }
        *link = buffer->next;
        remote_sent(&mine->base, buffer);
    }
}

static cb_status loop_poll(remote_factory *factory, int from)
{
    loop_factory_data *mine = data_of(factory);
    packet *found;

    (void)from;
    enter(mine);
    mine->polls++;
    fetch_some(mine);
    complete_some(mine);
    while ((found = take_from_wire(mine)) != NULL)
        deliver(mine, found);
    mine->inside = false;
    return CB_OK;
}

/* What was sent stays in this process for some polls. */
static cb_status loop_flush(remote_factory *factory)
{
    loop_factory_data *mine = data_of(factory);

    if (mine->lingering == 0)
        return CB_OK;
    mine->lingering--;
    return CB_EMPTY;
}

/* A message that is used after its release is not what was sent. */
static void loop_release(remote_factory *factory, remote_slot *slot)
{
    const loop_way way = data_of(factory)->plan->way;

    memset(slot->base.data, 0xdb, slot->base.size);
    if (way == LOOP_BACKED || way == LOOP_APART)
        free(slot->backing);
    slot->backing = NULL;
}

static cb_status loop_remember(remote_factory *factory, void *memory, size_t bytes, void **handle)
{
    if (data_of(factory)->memory_full)
        return CB_ERROR_MEMORY;
    *handle = cb_allocate(1, sizeof(size_t), "a registration");
    memcpy(*handle, &bytes, sizeof(bytes));
    ck_assert_uint_eq((uintptr_t)memory % CB_CACHE_LINE, 0);
    return CB_OK;
}

static void loop_forget(remote_factory *factory, void *handle)
{
    (void)factory;
    free(handle);
}

static const remote_driver loop_driver = {
    .name = "loop",
    .open = loop_open,
    .connect = loop_connect,
    .close = loop_close,
    .send = loop_transmit,
    .tell = loop_tell,
    .poll = loop_poll,
    .flush = loop_flush,
    .release = loop_release,
    .remember = loop_remember,
    .forget = loop_forget,
};

/* The technology */

static const cb_parameter rows[] = {REMOTE_PARAMETER_ROWS};

static void derive(const cb_job *job, void *values)
{
    remote_derive(job, values);
}

static const cb_parameter_set parameters = {
    .context = "LOOP",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .bytes = sizeof(remote_settings),
    .derive = derive,
};

static cb_status technology_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    return remote_open(bootstrap, &loop_driver, &parameters, sizeof(loop_factory_data), out);
}

static const transport_technology loop_technology = {
    .name = "loop",
    .summary = "threads",
    .capabilities =
        TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_CONCURRENT_SEND | TRANSPORT_DELIVERS,
    .parameters = &parameters,
    .counters = &remote_counters,
    .open = technology_open,
    .close = remote_close,
    .prepare = remote_prepare,
    .flush = remote_flush,
    .node_create = remote_node_create,
    .node_destroy = remote_node_destroy,
    .buffer_create = remote_buffer_create,
    .buffer_release = remote_buffer_release,
    .send = remote_send,
    .receive = remote_receive,
    .try_receive = remote_try_receive,
    .group_receive = remote_group_receive,
    .group_try_receive = remote_group_try_receive,
};

/* Ranks */

void loop_meet(void)
{
    pthread_barrier_wait(&all_ranks);
}

static cb_status exchange(void *context, const void *mine, size_t bytes, void *all)
{
    const loop_end *end = context;

    loop_meet();
    if (end->rank == 0) {
        shared_bytes = bytes;
        shared = realloc(shared, bytes * (size_t)end->plan->ranks);
    }
    loop_meet();
    ck_assert_uint_eq(bytes, shared_bytes);
    memcpy(shared + (size_t)end->rank * bytes, mine, bytes);
    loop_meet();
    memcpy(all, shared, bytes * (size_t)end->plan->ranks);
    return CB_OK;
}

static void set_first_number(loop_end *end)
{
    remote_factory *factory = remote_factory_of(end->factory);

    for (int rank = 0; rank < end->plan->ranks; rank++) {
        remote_node *node = &factory->nodes[rank];

        node->next = node->tail = node->number = end->plan->first;
        node->room = node->granted = end->plan->first + factory->outstanding;
    }
}

static void open_end(loop_end *end)
{
    const loop_plan *plan = end->plan;
    remote_settings values[LOOP_RANKS_MOST];
    cb_node_settings nodes[LOOP_RANKS_MOST] = {{0}};
    cb_settings settings = {.parameters = &parameters,
                            .values = values,
                            .nodes = nodes,
                            .node_count = (size_t)plan->ranks};
    transport_bootstrap bootstrap = {.rank = end->rank,
                                     .size = plan->ranks,
                                     .many_senders = plan->many_senders,
                                     .settings = &settings,
                                     .context = end,
                                     .exchange = exchange};
    transport_preparation preparation = {.message_bytes = plan->message_bytes, .buffers = 4};
    transport_wait ignored;

    for (int rank = 0; rank < plan->ranks; rank++)
        values[rank] = (remote_settings){plan->outstanding, plan->buffer_size};
    if (plan->dead > 0) {
        ck_assert_int_eq(transport_open(&loop_technology, &bootstrap, &end->factory),
                         CB_ERROR_TRANSPORT);
        return;
    }
    LOOP_OK(transport_open(&loop_technology, &bootstrap, &end->factory));
    set_first_number(end);
    LOOP_OK(transport_set_wait(end->factory, TRANSPORT_WAIT_YIELD, &ignored));
    LOOP_OK(transport_prepare(end->factory, &preparation));
    for (int rank = 0; rank < plan->ranks; rank++)
        if (rank != end->rank)
            LOOP_OK(transport_node_create(end->factory, rank, &end->nodes[rank]));
}

typedef struct {
    loop_end end;
    void (*body)(loop_end *end);
} loop_thread;

static void *live(void *context)
{
    loop_thread *me = context;

    open_end(&me->end);
    if (me->end.plan->dead > 0)
        return NULL;
    loop_meet();
    me->body(&me->end);
    me->end.closed = transport_close(me->end.factory);
    return NULL;
}

void loop_run(const loop_plan *plan, void (*body)(loop_end *end))
{
    loop_thread threads[LOOP_RANKS_MOST];
    pthread_t ids[LOOP_RANKS_MOST];

    plan_now = plan;
    ck_assert_int_le(plan->ranks, LOOP_RANKS_MOST);
    ck_assert_int_eq(pthread_barrier_init(&all_ranks, NULL, (unsigned)plan->ranks), 0);
    for (int rank = 0; rank < plan->ranks; rank++) {
        threads[rank] = (loop_thread){.end = {.rank = rank, .plan = plan}, .body = body};
        ck_assert_int_eq(pthread_create(&ids[rank], NULL, live, &threads[rank]), 0);
    }
    for (int rank = 0; rank < plan->ranks; rank++)
        ck_assert_int_eq(pthread_join(ids[rank], NULL), 0);
    pthread_barrier_destroy(&all_ranks);
    free(shared);
    shared = NULL;
}

remote_factory *loop_factory(loop_end *end)
{
    return remote_factory_of(end->factory);
}

size_t loop_polls(const loop_end *end)
{
    return data_of(remote_factory_of(end->factory))->polls;
}

size_t loop_words(const loop_end *end)
{
    return data_of(remote_factory_of(end->factory))->words;
}

size_t loop_foreign(const loop_end *end)
{
    size_t count;

    pthread_mutex_lock(&wire);
    count = data_of(remote_factory_of(end->factory))->foreign;
    pthread_mutex_unlock(&wire);
    return count;
}

void loop_refuse(loop_end *end, bool all)
{
    data_of(remote_factory_of(end->factory))->refuses = all;
}

void loop_cut(loop_end *end)
{
    data_of(remote_factory_of(end->factory))->cut = true;
}

void loop_break(loop_end *end, int rank)
{
    data_of(remote_factory_of(end->factory))->broken = rank;
}

void loop_fill_memory(loop_end *end)
{
    data_of(remote_factory_of(end->factory))->memory_full = true;
}

size_t loop_lingering(const loop_end *end)
{
    return data_of(remote_factory_of(end->factory))->lingering;
}

/* Messages */

static unsigned char byte_of(int source, uint64_t number, size_t at)
{
    return (unsigned char)(cb_mix64(number * 31 + (uint64_t)(unsigned)source + at / 64) >> at % 8);
}

transport_buffer *loop_message(loop_end *end, uint64_t number, size_t bytes)
{
    transport_buffer *buffer = transport_buffer_create(end->factory, bytes);

    if (buffer == NULL || buffer->size != bytes)
        ck_abort_msg("no buffer of %zu bytes", bytes);
    for (size_t at = 0; at < bytes; at++)
        ((unsigned char *)buffer->data)[at] = byte_of(end->rank, number, at);
    return buffer;
}

void loop_send(loop_end *end, int rank, uint64_t number, size_t bytes)
{
    LOOP_OK(transport_send(end->nodes[rank], loop_message(end, number, bytes)));
}

void loop_check(const transport_buffer *buffer, int source, uint64_t number, size_t bytes)
{
    if (buffer->size != bytes)
        ck_abort_msg("message %llu of rank %d has %zu bytes, and not %zu",
                     (unsigned long long)number, source, buffer->size, bytes);
    for (size_t at = 0; at < bytes; at++)
        if (((const unsigned char *)buffer->data)[at] != byte_of(source, number, at))
            ck_abort_msg("message %llu of rank %d (%zu bytes) is wrong at byte %zu",
                         (unsigned long long)number, source, bytes, at);
}

void loop_receive(loop_end *end, int rank, uint64_t number, size_t bytes)
{
    transport_buffer *buffer = NULL;

    LOOP_OK(transport_receive(end->nodes[rank], &buffer));
    loop_check(buffer, rank, number, bytes);
    transport_buffer_release(buffer);
}
