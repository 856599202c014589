/* The technology ofi: which path carries messages, what is refused, what happens when a queue is
 * full, when a peer is killed, and when a process without the key of the job sends. */
#include "tests/transport/socket/ends.h"

#include <dlfcn.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "tests/common/unit.h"
#include "transport/ofi/internal.h"

enum { SIZE = 64, MESSAGES = 200 };

static void ck_assert_both(const char *parameters, size_t message_bytes,
                           void (*first)(ends_end *end), void (*second)(ends_end *end),
                           int first_outcome, int second_outcome)
{
    const ends_plan plan = {.technology = "ofi",
                            .parameters = parameters,
                            .message_bytes = message_bytes,
                            .wait = TRANSPORT_WAIT_YIELD,
                            .bodies = {first, second}};
    int outcomes[2];

    ends_run(&plan, outcomes);
    ck_assert_msg(outcomes[0] == first_outcome && outcomes[1] == second_outcome,
                  "%s: outcomes %d and %d, expected %d and %d", parameters, outcomes[0],
                  outcomes[1], first_outcome, second_outcome);
}

static uint64_t counter_of(const ends_end *end, size_t counter)
{
    return end->factory->counters[counter];
}

/* Paths */

static void exchange_some(ends_end *end, size_t bytes)
{
    for (uint64_t i = 0; i < MESSAGES; i++) {
        ends_send(end, i, bytes);
        ends_receive(end, i, bytes);
    }
}

static void expect_path(const ends_end *end, size_t path, uint64_t messages)
{
    for (size_t other = REMOTE_PATH_MESSAGE; other <= REMOTE_PATH_RENDEZVOUS; other++)
        ENDS_REQUIRE(counter_of(end, other) == (other == path ? messages : 0));
    ENDS_REQUIRE(counter_of(end, REMOTE_DROPPED) == 0);
}

static void count_messages(ends_end *end)
{
    exchange_some(end, SIZE);
    expect_path(end, REMOTE_PATH_MESSAGE, MESSAGES);
}

static void count_writes(ends_end *end)
{
    exchange_some(end, SIZE);
    expect_path(end, REMOTE_PATH_WRITE, MESSAGES);
}

static const char *const messages_over[] = {"method=message,provider=shm",
                                            "method=message,provider=tcp;ofi_rxm",
                                            "method=message,provider=net"},
                         *const writes_over[] = {"method=write,provider=shm",
                                                 "method=write,provider=tcp;ofi_rxm",
                                                 "method=write,provider=net"};

enum { PROVIDERS = sizeof(messages_over) / sizeof(messages_over[0]) };

START_TEST(the_method_carries_all_messages)
{
    for (size_t i = 0; i < PROVIDERS; i++) {
        ck_assert_both(messages_over[i], SIZE, count_messages, count_messages, 0, 0);
        ck_assert_both(writes_over[i], SIZE, count_writes, count_writes, 0, 0);
    }
}
END_TEST

/* 1000 bytes of 64 each, without the last. */
static void count_pieces(ends_end *end)
{
    enum { BYTES = 1000, PIECES = 16 };

    exchange_some(end, BYTES);
    ENDS_REQUIRE(end->factory->piece_bytes == SIZE);
    ENDS_REQUIRE(counter_of(end, REMOTE_PATH_MESSAGE) + counter_of(end, REMOTE_PATH_WRITE) ==
                 PIECES * MESSAGES);
}

START_TEST(long_messages_go_in_pieces)
{
    ck_assert_both("method=message,provider=shm,buffer_size=64", 1000, count_pieces, count_pieces,
                   0, 0);
    ck_assert_both("method=write,provider=shm,buffer_size=64", 1000, count_pieces, count_pieces, 0,
                   0);
}
END_TEST

/* Full queues */

static void send_many(ends_end *end)
{
    for (uint64_t i = 0; i < 10 * MESSAGES; i++)
        ends_send(end, i, SIZE);
    ENDS_REQUIRE(transport_flush(end->factory) == CB_OK);
    ENDS_REQUIRE(counter_of(end, REMOTE_QUEUE_FULL) > 0);
    ends_hear(end);
}

static void receive_many(ends_end *end)
{
    for (uint64_t i = 0; i < 10 * MESSAGES; i++)
        ends_receive(end, i, SIZE);
    ends_tell(end);
}

START_TEST(a_full_queue_delays_and_loses_nothing)
{
    ck_assert_both("method=message,provider=shm,tx_depth=2,inject_size=0,outstanding=128", SIZE,
                   send_many, receive_many, 0, 0);
    ck_assert_both("method=write,provider=shm,tx_depth=2,inject_size=0,outstanding=128", SIZE,
                   send_many, receive_many, 0, 0);
}
END_TEST

/* The provider's own queue at the receiver, which polls only when the sender has seen it full. */

enum { UNREAD = 100 };

static void send_to_one_that_waits(ends_end *end)
{
    for (uint64_t i = 0; i < UNREAD; i++)
        ends_send(end, i, SIZE);
    ENDS_REQUIRE(counter_of(end, REMOTE_QUEUE_FULL) > 0);
    ENDS_REQUIRE(counter_of(end, REMOTE_RETRIES) > 0);
    ends_tell(end);
    ENDS_REQUIRE(transport_flush(end->factory) == CB_OK);
    ends_hear(end);
}

static void wait_before_receiving(ends_end *end)
{
    ends_hear(end);
    for (uint64_t i = 0; i < UNREAD; i++)
        ends_receive(end, i, SIZE);
    ends_tell(end);
}

START_TEST(attempts_that_the_provider_refuses_are_counted)
{
    ck_assert_both("method=message,provider=shm,rx_depth=8,outstanding=128", SIZE,
                   send_to_one_that_waits, wait_before_receiving, 0, 0);
    ck_assert_both("method=write,provider=shm,rx_depth=8,outstanding=128", SIZE,
                   send_to_one_that_waits, wait_before_receiving, 0, 0);
}
END_TEST

static void receive_all(ends_end *end)
{
    for (uint64_t i = 0; i < 2 * MESSAGES; i++)
        ends_receive(end, i, SIZE);
    ends_tell(end);
}

static void send_and_hear(ends_end *end)
{
    for (uint64_t i = 0; i < 2 * MESSAGES; i++)
        ends_send(end, i, SIZE);
    ENDS_REQUIRE(transport_flush(end->factory) == CB_OK);
    ends_hear(end);
}

static const char *const shallow_over[] = {
    "method=message,provider=shm,rx_depth=2", "method=message,provider=tcp;ofi_rxm,rx_depth=2",
    "method=message,provider=net,rx_depth=2", "method=write,provider=shm,rx_depth=2"};

/* Receives of words leave room for those of messages. */
START_TEST(a_receive_queue_of_two_is_enough)
{
    for (size_t i = 0; i < sizeof(shallow_over) / sizeof(shallow_over[0]); i++)
        ck_assert_both(shallow_over[i], SIZE, send_and_hear, receive_all, 0, 0);
}
END_TEST

/* Flushing */

/* A word follows injected messages, and the flush ends when it has left. */
static void flush_injected(ends_end *end)
{
    const ofi_factory *factory = ofi_factory_of(remote_factory_of(end->factory));
    const ofi_peer *peer = &factory->peers[end->node->rank];

    for (uint64_t i = 0; i < MESSAGES; i++)
        ends_send(end, i, SIZE);
    ENDS_REQUIRE(peer->flushed == 0);
    ENDS_REQUIRE(transport_flush(end->factory) == CB_OK);
    ENDS_REQUIRE(peer->flushed == MESSAGES && factory->words_in_flight == 0);
    ends_hear(end);
}

static void receive_injected(ends_end *end)
{
    for (uint64_t i = 0; i < MESSAGES; i++)
        ends_receive(end, i, SIZE);
    ends_tell(end);
}

START_TEST(a_flush_sees_that_injected_messages_leave)
{
    ck_assert_both("method=message,provider=tcp;ofi_rxm,outstanding=128", SIZE, flush_injected,
                   receive_injected, 0, 0);
    ck_assert_both("method=write,provider=tcp;ofi_rxm,outstanding=128", SIZE, flush_injected,
                   receive_injected, 0, 0);
}
END_TEST

/* What is refused */

static void never(ends_end *end)
{
    (void)end;
    ENDS_REQUIRE(false);
}

START_TEST(unknown_providers_and_domains_are_refused)
{
    ck_assert_both("provider=unknown", SIZE, never, never, ENDS_REFUSED, ENDS_REFUSED);
    ck_assert_both("provider=tcp;ofi_rxm,domain=unknown", SIZE, never, never, ENDS_REFUSED,
                   ENDS_REFUSED);
    ck_assert_both("provider=shm,tx_depth=1000000", SIZE, never, never, ENDS_REFUSED, ENDS_REFUSED);
}
END_TEST

START_TEST(providers_without_writes_or_data_are_named)
{
    struct fi_domain_attr domain = {.cq_data_size = 8};
    struct fi_info info = {.caps = FI_MSG | FI_TAGGED, .domain_attr = &domain};
    char why[CB_WHY_BYTES];

    ck_assert(ofi_serves(&info, false, why));
    ck_assert(!ofi_serves(&info, true, why));
    ck_assert_ptr_nonnull(strstr(why, "FI_RMA"));
    info.caps |= FI_RMA;
    ck_assert(ofi_serves(&info, true, why));
    domain.cq_data_size = 3;
    ck_assert(!ofi_serves(&info, true, why));
    ck_assert_ptr_nonnull(strstr(why, "cq_data_size"));
}
END_TEST

/* Registered memory: the domain of a fabric that is opened here refuses it. */

static bool refuses_memory;
static struct fi_ops_fabric fabric_calls;
static int (*open_domain)(struct fid_fabric *fabric, struct fi_info *info,
                          struct fid_domain **domain, void *context);

static int refuse_memory(struct fid *domain, const void *memory, size_t bytes, uint64_t access,
                         uint64_t offset, uint64_t key, uint64_t flags, struct fid_mr **out,
                         void *context)
{
    (void)domain, (void)memory, (void)bytes, (void)access, (void)offset, (void)key, (void)flags;
    (void)out, (void)context;
    return -FI_ENOMEM;
}

static int open_domain_without_memory(struct fid_fabric *fabric, struct fi_info *info,
                                      struct fid_domain **domain, void *context)
{
    static struct fi_ops_mr calls;
    const int result = open_domain(fabric, info, domain, context);

    if (result == 0) {
        calls = *(*domain)->mr;
        calls.reg = refuse_memory;
        (*domain)->mr = &calls;
    }
    return result;
}

int fi_fabric(struct fi_fabric_attr *attributes, struct fid_fabric **fabric, void *context)
{
    void *const symbol = dlsym(RTLD_NEXT, "fi_fabric");
    int (*library)(struct fi_fabric_attr *, struct fid_fabric **, void *), result;

    memcpy(&library, &symbol, sizeof(library));
    result = library(attributes, fabric, context);
    if (result == 0 && refuses_memory) {
        fabric_calls = *(*fabric)->ops;
        open_domain = fabric_calls.domain;
        fabric_calls.domain = open_domain_without_memory;
        (*fabric)->ops = &fabric_calls;
    }
    return result;
}

/* The error of both ends, which are refused, has these words. */
static void ck_assert_refused(const char *parameters, const char *first, const char *second)
{
    const ends_plan plan = {.technology = "ofi",
                            .parameters = parameters,
                            .message_bytes = SIZE,
                            .wait = TRANSPORT_WAIT_YIELD,
                            .bodies = {never, never}};
    char log[ENDS_LOG_BYTES];
    int outcomes[2];

    ends_run_logged(&plan, outcomes, log);
    ck_assert_int_eq(outcomes[0], ENDS_REFUSED);
    ck_assert_int_eq(outcomes[1], ENDS_REFUSED);
    ck_assert_msg(strstr(log, first) != NULL && strstr(log, second) != NULL, "the log is: %s", log);
}

START_TEST(memory_that_cannot_be_registered_is_reported_with_the_limit)
{
    refuses_memory = true;
    ck_assert_refused("method=write,provider=shm", "cannot register", "(ulimit -l)");
}
END_TEST

/* A library whose providers cannot write to remote memory */

static bool has_no_writes;

int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
               const struct fi_info *hints, struct fi_info **found)
{
    void *const symbol = dlsym(RTLD_NEXT, "fi_getinfo");
    int (*library)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *,
                   struct fi_info **);

    memcpy(&library, &symbol, sizeof(library));
    if (has_no_writes && (hints->caps & FI_RMA) != 0)
        return -FI_ENODATA;
    return library(version, node, service, flags, hints, found);
}

START_TEST(a_provider_without_writes_is_refused_by_name)
{
    has_no_writes = true;
    ck_assert_refused("method=write,provider=shm", "provider shm cannot serve method=write",
                      "FI_RMA");
    ck_assert_both("method=message,provider=shm", SIZE, count_messages, count_messages, 0, 0);
}
END_TEST

/* Peers */

static void be_killed(ends_end *end)
{
    ends_send(end, 0, SIZE);
    ends_hear(end);
    raise(SIGKILL);
}

static void name_of_file(const ends_end *end, int rank, char path[64])
{
    snprintf(path, 64, "/dev/shm/combench-ofi.%08x.%d", remote_factory_of(end->factory)->key, rank);
}

static void see_the_peer_killed(ends_end *end)
{
    transport_buffer *buffer = NULL;

    ends_receive(end, 0, SIZE);
    ends_tell(end);
    ENDS_REQUIRE(transport_receive(end->node, &buffer) == CB_ERROR_TRANSPORT);
    ENDS_REQUIRE(strstr(cb_last_error(), "rank 1") != NULL);
}

/* Nothing is left in /dev/shm, neither of this end nor of the one that was killed. */

static void leave_by_closing(ends_end *end)
{
    char mine[64], theirs[64];

    see_the_peer_killed(end);
    name_of_file(end, 0, mine);
    name_of_file(end, 1, theirs);
    (void)transport_close(end->factory);
    ENDS_REQUIRE(access(mine, F_OK) != 0 && access(theirs, F_OK) != 0);
    _exit(0);
}

/* As by a signal. */
static void leave_by_abandoning(ends_end *end)
{
    char mine[64], theirs[64];

    see_the_peer_killed(end);
    name_of_file(end, 0, mine);
    name_of_file(end, 1, theirs);
    ofi_abandon();
    ENDS_REQUIRE(access(mine, F_OK) != 0 && access(theirs, F_OK) != 0);
    _exit(0);
}

START_TEST(a_killed_peer_is_an_error_and_leaves_no_file)
{
    for (size_t i = 0; i < PROVIDERS; i++) {
        ck_assert_both(messages_over[i], SIZE, leave_by_closing, be_killed, 0, ENDS_KILLED);
        ck_assert_both(writes_over[i], SIZE, leave_by_abandoning, be_killed, 0, ENDS_KILLED);
    }
}
END_TEST

/* A sender without the key of the job: another endpoint in the process of end 1. */

enum { UNKNOWN = 3, UNKNOWN_BYTES = 40, NAME_BYTES = 128 };

static const ofi_factory *factory_of(const ends_end *end)
{
    return ofi_factory_of(remote_factory_of(end->factory));
}

static void await_unknown(ends_end *end)
{
    char name[NAME_BYTES] = "";
    size_t bytes = sizeof(name);
    transport_buffer *buffer = NULL;

    ENDS_REQUIRE(fi_getname(&factory_of(end)->endpoint->fid, name, &bytes) == 0);
    ENDS_REQUIRE(write(end->line, name, sizeof(name)) == sizeof(name));
    while (counter_of(end, REMOTE_DROPPED) < UNKNOWN)
        ENDS_REQUIRE(transport_try_receive(end->node, &buffer) == CB_EMPTY);
    ends_tell(end);
    ends_receive(end, 0, SIZE);
}

static void send_without_key(struct fid_ep *endpoint, struct fid_cq *completions, fi_addr_t to,
                             bool word)
{
    static unsigned char data[UNKNOWN_BYTES];
    struct fi_cq_data_entry entry;
    ssize_t result;

    memset(data, 'x', sizeof(data));
    do {
        result = word ? fi_tinject(endpoint, data, sizeof(ofi_word), to, OFI_WORD_TAG)
                      : fi_inject(endpoint, data, sizeof(data), to);
        ENDS_REQUIRE(fi_cq_read(completions, &entry, 1) == -FI_EAGAIN);
    } while (result == -FI_EAGAIN);
    ENDS_REQUIRE(result == 0);
}

static void be_unknown(ends_end *end)
{
    const ofi_factory *factory = factory_of(end);
    struct fi_av_attr addresses = {.type = factory->info->domain_attr->av_type, .count = 1};
    struct fi_cq_attr attributes = {.format = FI_CQ_FORMAT_DATA};
    struct fid_domain *domain;
    struct fid_av *known;
    struct fid_cq *completions;
    struct fid_ep *endpoint;
    char name[NAME_BYTES], ignored;
    fi_addr_t to;

    ENDS_REQUIRE(read(end->line, name, sizeof(name)) == sizeof(name));
    ENDS_REQUIRE(fi_domain(factory->fabric, factory->info, &domain, NULL) == 0);
    ENDS_REQUIRE(fi_av_open(domain, &addresses, &known, NULL) == 0);
    ENDS_REQUIRE(fi_cq_open(domain, &attributes, &completions, NULL) == 0);
    ENDS_REQUIRE(fi_endpoint(domain, factory->info, &endpoint, NULL) == 0);
    ENDS_REQUIRE(fi_ep_bind(endpoint, &known->fid, 0) == 0);
    ENDS_REQUIRE(fi_ep_bind(endpoint, &completions->fid, FI_TRANSMIT | FI_RECV) == 0);
    ENDS_REQUIRE(fi_enable(endpoint) == 0);
    ENDS_REQUIRE(fi_av_insert(known, name, 1, &to, 0, NULL) == 1);
    for (int i = 0; i < UNKNOWN; i++)
        send_without_key(endpoint, completions, to, i == 0);
    ENDS_REQUIRE(read(end->line, &ignored, 1) == 1);
    ends_send(end, 0, SIZE);
    ENDS_REQUIRE(transport_flush(end->factory) == CB_OK);
    fi_close(&endpoint->fid);
    fi_close(&completions->fid);
    fi_close(&known->fid);
    fi_close(&domain->fid);
}

START_TEST(messages_without_the_key_are_dropped_and_counted)
{
    ck_assert_both("method=message,provider=shm", SIZE, await_unknown, be_unknown, 0, 0);
    ck_assert_both("method=message,provider=tcp;ofi_rxm", SIZE, await_unknown, be_unknown, 0, 0);
}
END_TEST

UNIT_MAIN("ofi", the_method_carries_all_messages, long_messages_go_in_pieces,
          a_full_queue_delays_and_loses_nothing, attempts_that_the_provider_refuses_are_counted,
          a_receive_queue_of_two_is_enough, a_flush_sees_that_injected_messages_leave,
          unknown_providers_and_domains_are_refused, providers_without_writes_or_data_are_named,
          memory_that_cannot_be_registered_is_reported_with_the_limit,
          a_provider_without_writes_is_refused_by_name,
          a_killed_peer_is_an_error_and_leaves_no_file,
          messages_without_the_key_are_dropped_and_counted)
