/* The technology ofi against libfabric used by hand: half round trips between the same two
 * processes, block by block in turn. By hand, one receive is posted and one message sent at a time
 * (fi_tsend, fi_trecv), or one write with completion data goes into memory of the other
 * (fi_writedata); all data are referred to on both sides, by one sum. */
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tests/perf/contest.h"
#include "tests/transport/socket/ends.h"

enum { TURNS = 21, ROUNDS = 400, LARGEST = 65536, NAME_BYTES = 256, TAG = 1, KEY = 1 };

typedef struct {
    const char *provider, *method, *parameters;
    double target;
} contest;

static const contest contests[] = {
    {"shm", "message", "provider=shm,method=message", 1.10},
    {"shm", "write", "provider=shm,method=write", 1.15},
    {"tcp;ofi_rxm", "message", "provider=tcp;ofi_rxm,method=message", 1.10},
    {"tcp;ofi_rxm", "write", "provider=tcp;ofi_rxm,method=write", 1.15},
};

static const contest *current;

/* By hand */

typedef struct {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *addresses;
    struct fid_cq *completions;
    struct fid_ep *endpoint;
    struct fid_mr *registration;
    fi_addr_t peer;
    uint64_t remote, key;   /* of the other's memory */
    size_t sends, receives; /* not completed; completed */
} bare_fabric;

typedef struct {
    ends_end *end;
    bool writes;
    size_t bytes;
    uint64_t sum;
    bare_fabric by_hand;
    _Alignas(4096) unsigned char data[LARGEST], arrived[LARGEST];
} contender;

static struct fi_info *query(const contender *c)
{
    struct fi_info *hints = fi_allocinfo(), *info = NULL;

    ENDS_REQUIRE(hints != NULL);
    hints->caps = FI_TAGGED | (c->writes ? FI_RMA : 0);
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->fabric_attr->prov_name = strdup(current->provider);
    ENDS_REQUIRE(fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &info) == 0);
    fi_freeinfo(hints);
    return info;
}

/* Both ends tell each other the name of their endpoint, and where to write. */
static void meet(contender *c)
{
    bare_fabric *by = &c->by_hand;
    struct {
        unsigned char name[NAME_BYTES];
        uint64_t address, key;
    } mine, theirs;
    size_t bytes = sizeof(mine.name);

    memset(&mine, 0, sizeof(mine));
    ENDS_REQUIRE(fi_getname(&by->endpoint->fid, mine.name, &bytes) == 0);
    if ((by->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0)
        mine.address = (uintptr_t)c->arrived;
    mine.key = by->registration != NULL ? fi_mr_key(by->registration) : 0;
    ENDS_REQUIRE(write(c->end->line, &mine, sizeof(mine)) == sizeof(mine));
    ENDS_REQUIRE(read(c->end->line, &theirs, sizeof(theirs)) == sizeof(theirs));
    ENDS_REQUIRE(fi_av_insert(by->addresses, theirs.name, 1, &by->peer, 0, NULL) == 1);
    by->remote = theirs.address;
    by->key = theirs.key;
}

static void bare_open(contender *c)
{
    bare_fabric *by = &c->by_hand;
    struct fi_av_attr addresses = {.count = 2};
    struct fi_cq_attr completions = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_NONE};

    by->info = query(c);
    addresses.type = by->info->domain_attr->av_type;
    ENDS_REQUIRE(fi_fabric(by->info->fabric_attr, &by->fabric, NULL) == 0);
    ENDS_REQUIRE(fi_domain(by->fabric, by->info, &by->domain, NULL) == 0);
    ENDS_REQUIRE(fi_av_open(by->domain, &addresses, &by->addresses, NULL) == 0);
    ENDS_REQUIRE(fi_cq_open(by->domain, &completions, &by->completions, NULL) == 0);
    ENDS_REQUIRE(fi_endpoint(by->domain, by->info, &by->endpoint, NULL) == 0);
    ENDS_REQUIRE(fi_ep_bind(by->endpoint, &by->addresses->fid, 0) == 0);
    ENDS_REQUIRE(fi_ep_bind(by->endpoint, &by->completions->fid, FI_TRANSMIT | FI_RECV) == 0);
    ENDS_REQUIRE(fi_enable(by->endpoint) == 0);
    if (c->writes)
        ENDS_REQUIRE(fi_mr_reg(by->domain, c->arrived, sizeof(c->arrived), FI_REMOTE_WRITE, 0, KEY,
                               0, &by->registration, NULL) == 0);
    meet(c);
}

static void bare_close(contender *c)
{
    bare_fabric *by = &c->by_hand;

    fi_close(&by->endpoint->fid);
    if (by->registration != NULL)
        fi_close(&by->registration->fid);
    fi_close(&by->completions->fid);
    fi_close(&by->addresses->fid);
    fi_close(&by->domain->fid);
    fi_close(&by->fabric->fid);
    fi_freeinfo(by->info);
}

static void bare_poll(bare_fabric *by)
{
    struct fi_cq_data_entry entry;
    ssize_t count = fi_cq_read(by->completions, &entry, 1);

    ENDS_REQUIRE(count == 1 || count == -FI_EAGAIN);
    if (count != 1)
        return;
    if ((entry.flags & (FI_RECV | FI_REMOTE_WRITE)) != 0)
        by->receives++;
    else
        by->sends--;
}

static void bare_post(contender *c)
{
    bare_fabric *by = &c->by_hand;

    if (!c->writes)
        ENDS_REQUIRE(
            fi_trecv(by->endpoint, c->arrived, LARGEST, NULL, FI_ADDR_UNSPEC, TAG, 0, NULL) == 0);
}

static void bare_send(contender *c)
{
    bare_fabric *by = &c->by_hand;
    ssize_t result;

    do {
        result = c->writes ? fi_writedata(by->endpoint, c->data, c->bytes, NULL, 1, by->peer,
                                          by->remote, by->key, NULL)
                           : fi_tsend(by->endpoint, c->data, c->bytes, NULL, by->peer, TAG, NULL);
        if (result == -FI_EAGAIN)
            bare_poll(by);
    } while (result == -FI_EAGAIN);
    ENDS_REQUIRE(result == 0);
    by->sends++;
}

/* The next receive is posted before the answer to this one is sent. */
static void bare_receive(contender *c)
{
    bare_fabric *by = &c->by_hand;

    while (by->receives == 0 || by->sends > 0)
        bare_poll(by);
    by->receives--;
    c->sum += contest_sum(c->arrived, c->bytes);
    bare_post(c);
}

/* Over ofi */

static void ofi_send_one(contender *c)
{
    transport_buffer *buffer = transport_buffer_create(c->end->factory, c->bytes);

    ENDS_REQUIRE(buffer != NULL);
    ENDS_REQUIRE(transport_send(c->end->node, buffer) == CB_OK);
}

static void ofi_receive_one(contender *c)
{
    transport_buffer *buffer = NULL;

    ENDS_REQUIRE(transport_receive(c->end->node, &buffer) == CB_OK);
    c->sum += contest_sum(buffer->data, buffer->size);
    transport_buffer_release(buffer);
}

/* Patterns */

typedef struct {
    void (*send)(contender *c);
    void (*receive)(contender *c);
} way;

static const way bare = {bare_send, bare_receive}, ofi = {ofi_send_one, ofi_receive_one};

static double bounce(const way *by, contender *c)
{
    const uint64_t began_ns = cb_now_ns();

    for (int i = 0; i < ROUNDS; i++) {
        if (c->end->rank == 0)
            by->send(c);
        by->receive(c);
        if (c->end->rank == 1)
            by->send(c);
    }
    return (double)(cb_now_ns() - began_ns) / (2.0 * ROUNDS);
}

/* The send of the last answer is completed while the other side goes on. */
static double bare_bounce(contender *c)
{
    double half_ns = bounce(&bare, c);

    while (c->by_hand.sends > 0)
        bare_poll(&c->by_hand);
    return half_ns;
}

/* A large message needs its sender until it has arrived: a short one tells that the last answer
 * has. */
static double ofi_bounce(contender *c)
{
    const double half_ns = bounce(&ofi, c);
    const size_t bytes = c->bytes;

    c->bytes = 8;
    if (c->end->rank == 0)
        ofi_send_one(c);
    else
        ofi_receive_one(c);
    c->bytes = bytes;
    return half_ns;
}

static void compete(contender *c, size_t bytes)
{
    double by_hand_ns[TURNS], over_ofi_ns[TURNS], ratio[TURNS];

    c->bytes = bytes;
    (void)bare_bounce(c);
    (void)ofi_bounce(c);
    for (int turn = 0; turn < TURNS; turn++) {
        by_hand_ns[turn] = bare_bounce(c);
        over_ofi_ns[turn] = ofi_bounce(c);
        ratio[turn] = over_ofi_ns[turn] / by_hand_ns[turn];
    }
    if (c->end->rank != 0)
        return;
    (void)contest_median(ratio, TURNS);
    printf("%-11s %-7s %6zu %10.0f %10.0f  %6.3f [%.3f, %.3f]\n", current->provider,
           current->method, bytes, contest_median(by_hand_ns, TURNS),
           contest_median(over_ofi_ns, TURNS), ratio[TURNS / 2], ratio[TURNS / 4],
           ratio[3 * TURNS / 4]);
    printf("target: ofi %s over bare libfabric, %s, half round trip of %zu bytes: %.3f at most "
           "%.2f\n",
           current->method, current->provider, bytes, ratio[TURNS / 2], current->target);
}

static void compete_in_all(ends_end *end)
{
    static const size_t sizes[] = {65536, 1024, 64, 8};
    contender *c = aligned_alloc(4096, sizeof(*c));

    ENDS_REQUIRE(c != NULL);
    memset(c, 0, sizeof(*c));
    contest_bind(end->rank);
    c->end = end;
    c->writes = strcmp(current->method, "write") == 0;
    c->bytes = LARGEST;
    bare_open(c);
    bare_post(c);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        compete(c, sizes[i]);
    fflush(stdout);
    ends_tell(end);
    ends_hear(end);
    bare_close(c);
    free(c);
}

int main(void)
{
    int outcomes[2], failed = 0;

    printf("%-11s %-7s %6s %10s %10s  %6s\n%-11s %-7s %6s %10s %10s  %6s\n", "", "", "size", "bare",
           "ofi", "ratio", "provider", "method", "bytes", "ns", "ns", "[quartiles]");
    for (size_t i = 0; i < sizeof(contests) / sizeof(contests[0]); i++) {
        const ends_plan plan = {.technology = "ofi",
                                .parameters = contests[i].parameters,
                                .message_bytes = LARGEST,
                                .wait = TRANSPORT_WAIT_SPIN,
                                .bodies = {compete_in_all, compete_in_all}};

        current = &contests[i];
        ends_run(&plan, outcomes);
        failed += outcomes[0] != 0 || outcomes[1] != 0;
    }
    return failed > 0;
}
