/* A list of technologies for programs that are tests: beside mpi and null, `faulty`, which is mpi
 * with a defect, `unicast`, which is mpi without a multicast of its own, and `sci`, which is mpi
 * under a name that has a Context: it demands settings as the engine promises them. `metered` is
 * mpi with a parameter, `weight`, and a counter of what it has sent, by weight.
 *
 * CB_FAULT_BUFFER    the number, from 1, of the one buffer that rank CB_FAULT_RANK cannot create
 * over mpi
 *
 * CB_FAULT           a defect by its name, see defects.h; no fault without it
 * CB_FAULT_RANK      of the rank whose packets are hit
 * CB_FAULT_VERIFIED  the number, from 0, of the one packet that is hit in the verification pass;
 *                    swap hits the first packet that does not go where the one before went
 * CB_FAULT_EVERY     how many packets outside of that pass there are to one that is hit; 0: none is
 *
 * Of several defects and ranks, separated by commas, the first verification pass has the first
 * ones, the next pass the next ones.
 *
 * The packets of the verification pass are those that carry their source and number in clear, as
 * bench/checker.h says. Empty messages, which are acknowledgements, are left alone. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tests/cli/defects.h"
#include "transport/common/technology.h"
#include "transport/sci/parameters.h"

static transport_technology plain, faulty, unicast, configured, metered;

typedef struct {
    uint64_t weight;
} metered_settings;

static const cb_parameter metered_rows[] = {{.name = "weight",
                                             .scopes = CB_SCOPE_TOP | CB_SCOPE_NODE | CB_SCOPE_JOB,
                                             .offset = offsetof(metered_settings, weight),
                                             .default_value = 1,
                                             .minimum = 1,
                                             .maximum = 1000}};

static const cb_parameter_set metered_parameters = {
    .context = "METERED", .rows = metered_rows, .count = 1, .bytes = sizeof(metered_settings)};

static const cb_counter metered_counter = {
    .key = "weighed", .unit = "weights", .meaning = "sent", .heading = "metered"};

static const cb_counter_set metered_counters = {
    .group = "meter", .rows = &metered_counter, .count = 1};

static metered_settings meter;
static uint64_t metered_count;

/* The name is known to configuration files, but this program does not have it. */
static const transport_technology absent = {.name = "tcp"};

static struct {
    defect apply[DEFECT_WORDS];
    bool swaps[DEFECT_WORDS];
    size_t count;
    uint64_t rank[DEFECT_WORDS];
    uint64_t verified, every;
    size_t pass;   /* of several faults: number of verification passes before */
    bool verifies; /* this rank has sent packets in one */
    bool drops;    /* one of the faults is drop, at whatever rank */
    uint64_t plain_sent, stamped_sent;
    int previous; /* destination of the stamped packet before, or -1 */
} fault;

/* The words of a packet outside of the verification pass are mixed bits, which are no such number.
 */
static bool is_stamped(const transport_buffer *buffer)
{
    uint64_t header[2];

    memcpy(header, buffer->data, sizeof(header));
    return (uint32_t)header[0] == (uint32_t)buffer->owner->rank && header[1] <= UINT32_MAX;
}

/* Two nodes get packets in turn, so the next packet goes to another one. */
static bool begins_swap(int destination)
{
    int previous = fault.previous;

    fault.previous = destination;
    if (fault.stamped_sent > 0 || previous < 0 || previous == destination)
        return false;
    fault.stamped_sent++;
    return true;
}

static bool is_hit(defect_way to, const transport_buffer *buffer)
{
    const bool stamped = buffer->size >= 2 * sizeof(uint64_t) && is_stamped(buffer);

    fault.verifies |= stamped;
    if (fault.apply[fault.pass] == NULL || buffer->size < 2 * sizeof(uint64_t) ||
        (uint64_t)buffer->owner->rank != fault.rank[fault.pass])
        return false;
    if (stamped && fault.swaps[fault.pass])
        return to.node != NULL && begins_swap(to.node->rank);
    if (stamped)
        return fault.stamped_sent++ == fault.verified;
    return fault.every > 0 && ++fault.plain_sent % fault.every == 0;
}

static cb_status send_or_hit(defect_way to, transport_buffer *buffer)
{
    return is_hit(to, buffer) ? fault.apply[fault.pass](to, buffer) : defect_send(to, buffer);
}

/* A pass ends. */
static cb_status faulty_flush(transport_factory *factory)
{
    if (fault.count > 1 && fault.verifies && fault.pass < DEFECT_WORDS - 1) {
        fault.pass++;
        fault.stamped_sent = 0;
        fault.previous = -1;
    }
    fault.verifies = false;
    return transport_mpi.flush(factory);
}

static cb_status faulty_send(transport_node *node, transport_buffer *buffer)
{
    return send_or_hit((defect_way){.node = node}, buffer);
}

/* A loop of sends, each with its own copy, so that each can be hit; a multicast is hit for all
 * receivers at once. */
static cb_status faulty_group_send(transport_group *group, transport_buffer *buffer)
{
    if (group->multicast)
        return send_or_hit((defect_way){.group = group}, buffer);
    for (size_t i = 0; i < group->count; i++) {
        transport_buffer *copy = transport_buffer_create(group->factory, buffer->size);

        if (copy == NULL)
            return CB_ERROR_MEMORY;
        memcpy(copy->data, buffer->data, buffer->size);
        CB_TRY(faulty_send(group->nodes[i], copy));
    }
    transport_buffer_release(buffer);
    return CB_OK;
}

static void choose_fault(void)
{
    const char *names[DEFECT_WORDS], *ranks[DEFECT_WORDS];

    fault.count = defect_words("CB_FAULT", "", names);
    defect_words("CB_FAULT_RANK", "0", ranks);
    for (size_t i = 0; i < DEFECT_WORDS; i++) {
        fault.apply[i] = i < fault.count || fault.count == 1 ? defect_named(names[i]) : NULL;
        fault.swaps[i] = strcmp(names[i], "swap") == 0;
        fault.drops |= strcmp(names[i], "drop") == 0;
        fault.rank[i] = strtoull(ranks[i], NULL, 10);
    }
    fault.previous = -1;
    fault.verified = defect_number("CB_FAULT_VERIFIED", UINT64_MAX);
    fault.every = defect_number("CB_FAULT_EVERY", 0);
}

/* Where a message is dropped, the pass that misses it need not wait as long as for a late one: the
 * linker leads the engine here (--wrap). */
uint64_t __real_verification_timeout_ns(uint64_t silence_ns, size_t size_bytes, uint64_t messages,
                                        double measured_ns);
uint64_t __wrap_verification_timeout_ns(uint64_t silence_ns, size_t size_bytes, uint64_t messages,
                                        double measured_ns);

uint64_t __wrap_verification_timeout_ns(uint64_t silence_ns, size_t size_bytes, uint64_t messages,
                                        double measured_ns)
{
    const uint64_t dropped_ns = 2000000000;

    return __real_verification_timeout_ns(fault.drops ? dropped_ns : silence_ns, size_bytes,
                                          messages, measured_ns);
}

/* The pool is taken from the factory, so that its buffers go through these slots. */
static struct {
    uint64_t failing, created;
    transport_pool *pool;
} short_of;

static cb_status short_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    CB_TRY(transport_mpi.open(bootstrap, out));
    if ((uint64_t)bootstrap->rank != fault.rank[0])
        return CB_OK;
    short_of.pool = (*out)->pool;
    (*out)->pool = NULL;
    return CB_OK;
}

static transport_buffer *short_create(transport_factory *factory, size_t size)
{
    transport_buffer *buffer = NULL;

    if (factory->pool != NULL)
        return transport_mpi.buffer_create(factory, size);
    if (++short_of.created == short_of.failing)
        cb_error("no memory for buffer %llu", (unsigned long long)short_of.created);
    else
        buffer = transport_pool_take(short_of.pool);
    if (buffer != NULL) {
        buffer->size = size;
        factory->held++;
    }
    return buffer;
}

static void short_release(transport_buffer *buffer)
{
    buffer->owner->held--;
    transport_pool_give(short_of.pool, buffer);
}

static cb_status metered_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    transport_take_values(bootstrap, &metered_parameters, &meter);
    CB_TRY(transport_mpi.open(bootstrap, out));
    (*out)->counters = &metered_count;
    return CB_OK;
}

static cb_status metered_send(transport_node *node, transport_buffer *buffer)
{
    metered_count += meter.weight;
    return transport_mpi.send(node, buffer);
}

static cb_status open_with_settings(const transport_bootstrap *bootstrap, transport_factory **out)
{
    const cb_settings *settings = bootstrap->settings;

    if (settings == NULL || settings->node_count != (size_t)bootstrap->size ||
        settings->parameters != &sci_parameters ||
        sci_settings_of(settings, (size_t)bootstrap->rank)->recv_seg_size == 0) {
        cb_error("rank %d opens a technology without the settings of all ranks", bootstrap->rank);
        return CB_ERROR_TRANSPORT;
    }
    return transport_mpi.open(bootstrap, out);
}

static cb_status no_card(char *text, size_t bytes)
{
    (void)text;
    (void)bytes;
    cb_error("this host has no card; insert one");
    return CB_ERROR_UNSUPPORTED;
}

/* The operations of mpi are known at link time only, so these tables are completed when the
 * program starts. */
__attribute__((constructor)) static void make_technologies(void)
{
    faulty = unicast = configured = metered = transport_mpi;
    plain = transport_mpi;
    short_of.failing = defect_number("CB_FAULT_BUFFER", 0);
    if (short_of.failing > 0) {
        plain.open = short_open;
        plain.buffer_create = short_create;
        plain.buffer_release = short_release;
    }
    metered.name = "metered";
    metered.parameters = &metered_parameters;
    metered.counters = &metered_counters;
    metered.open = metered_open;
    metered.send = metered_send;
    faulty.name = "faulty";
    faulty.send = faulty_send;
    faulty.flush = faulty_flush;
    faulty.group_send = faulty_group_send;
    unicast.name = "unicast";
    unicast.probe = no_card;
    unicast.capabilities &= ~(unsigned)TRANSPORT_MULTICAST;
    configured.name = "sci";
    configured.open = open_with_settings;
    configured.parameters = &sci_parameters;
    configured.is_default_of_files = true;
    choose_fault();
}

const transport_technology *const transport_technologies[] = {
    &plain, &transport_null, &faulty, &unicast, &configured, &metered, &absent, NULL,
};
