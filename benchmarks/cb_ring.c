/* Ring: nodes in a random order, each of which exchanges packets with its two neighbours; and the
 * exchange pattern of a small allreduce. The patterns of GPCNeT's network tests, over combench's
 * transport.
 *
 *   neighbours   a packet to each neighbour, then one from each
 *   bandwidth    eight packets to each neighbour and from each, then a barrier
 *   allreduce    in round k a packet to the node 2^k further on, and one from the node 2^k before:
 *                after ceil(log2 P) rounds each node has heard of all
 *
 * Every node times its block, and the longest counts. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "engine/traffic.h"

enum { OUTSTANDING = 8 }; /* packets to each neighbour before the barrier */

static const char *const orders[] = {"random", "natural", NULL};

/* Own options. */
typedef struct {
    const char *order;
} ring_options;

enum { ROUNDS_MOST = 64 };

/* Indices among the peers: of the neighbours, and of the nodes that are 2^k further on and before.
 */
typedef struct {
    size_t before, after;
    size_t rounds, onwards[ROUNDS_MOST], back[ROUNDS_MOST];
} ring_part;

static cb_status send_to_neighbours(bench_rank *me)
{
    const ring_part *ring = me->part;

    CB_TRY(bench_send(me, ring->after));
    return bench_send(me, ring->before);
}

static cb_status hear_neighbours(bench_rank *me)
{
    const ring_part *ring = me->part;

    CB_TRY(bench_receive(me, ring->before));
    return bench_receive(me, ring->after);
}

static cb_status exchange(bench_rank *me)
{
    CB_TRY(send_to_neighbours(me));
    return hear_neighbours(me);
}

static cb_status barrier(bench_rank *me)
{
    const ring_part *ring = me->part;

    for (size_t k = 0; k < ring->rounds; k++) {
        CB_TRY(bench_signal(me, &me->peers[ring->onwards[k]]));
        CB_TRY(bench_await_signal(me, &me->peers[ring->back[k]]));
    }
    return CB_OK;
}

static cb_status exchange_many(bench_rank *me)
{
    for (size_t i = 0; i < OUTSTANDING; i++)
        CB_TRY(send_to_neighbours(me));
    for (size_t i = 0; i < OUTSTANDING; i++)
        CB_TRY(hear_neighbours(me));
    return barrier(me);
}

static cb_status reduce(bench_rank *me)
{
    const ring_part *ring = me->part;

    for (size_t k = 0; k < ring->rounds; k++) {
        CB_TRY(bench_send(me, ring->onwards[k]));
        CB_TRY(bench_receive(me, ring->back[k]));
    }
    return CB_OK;
}

/* The neighbours of a node, as distances from it in the order of ranks. All nodes draw the same
 * order of the ring. */
static cb_status find_neighbours(const ring_options *options, uint64_t seed, size_t nodes,
                                 size_t self, size_t *after, size_t *before)
{
    size_t *order = cb_allocate(nodes, sizeof(*order), "the order of a ring");
    const bool drawn = strcmp(options->order, orders[0]) == 0;
    cb_random random = cb_random_seed(seed);
    size_t at = 0;

    if (order == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < nodes; i++)
        order[i] = i;
    for (size_t i = nodes - 1; drawn && i > 0; i--) {
        const size_t other = (size_t)cb_random_below(&random, i + 1), moved = order[i];

        order[i] = order[other];
        order[other] = moved;
    }
    while (order[at] != self)
        at++;
    *after = (order[(at + 1) % nodes] + nodes - self) % nodes;
    *before = (order[(at + nodes - 1) % nodes] + nodes - self) % nodes;
    free(order);
    return CB_OK;
}

static int compare(const void *left, const void *right)
{
    const size_t one = *(const size_t *)left, other = *(const size_t *)right;

    return (one > other) - (one < other);
}

/* The neighbours, and the nodes of all rounds of an allreduce. */
static size_t choose_peers(const void *options, uint64_t seed, size_t nodes, size_t self,
                           size_t *peers)
{
    size_t count = 2, kept = 0;

    if (find_neighbours(options, seed, nodes, self, &peers[0], &peers[1]) != CB_OK)
        return 0;
    for (size_t distance = 1; distance < nodes; distance *= 2) {
        peers[count++] = distance;
        peers[count++] = nodes - distance;
    }
    qsort(peers, count, sizeof(*peers), compare);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || peers[i] != peers[kept - 1])
            peers[kept++] = peers[i];
    for (size_t i = 0; i < kept; i++)
        peers[i] = (self + peers[i]) % nodes;
    return kept;
}

/* The index of the peer that is `distance` further on in the order of ranks. */
static cb_status find_peer(bench_rank *me, size_t distance, size_t *out)
{
    const size_t nodes = me->place.participants;
    transport_node *node;

    CB_TRY(bench_node(me, (me->place.self + distance) % nodes, &node));
    *out = node->label;
    return CB_OK;
}

static cb_status join_ring(bench_rank *me)
{
    const size_t nodes = me->place.participants;
    ring_part *ring = cb_allocate(1, sizeof(*ring), "the neighbours of a node");
    size_t after, before;

    me->part = ring;
    if (ring == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(
        find_neighbours(me->own_options, me->lists.seed, nodes, me->place.self, &after, &before));
    CB_TRY(find_peer(me, after, &ring->after));
    CB_TRY(find_peer(me, before, &ring->before));
    for (size_t distance = 1; distance < nodes; distance *= 2) {
        CB_TRY(find_peer(me, distance, &ring->onwards[ring->rounds]));
        CB_TRY(find_peer(me, nodes - distance, &ring->back[ring->rounds++]));
    }
    return CB_OK;
}

static void leave_ring(bench_rank *me)
{
    free(me->part);
    me->part = NULL;
}

static const cb_option own_options[] = {
    {.name = "order",
     .type = CB_OPTION_CHOICE,
     .offset = offsetof(ring_options, order),
     .argument = "HOW",
     .default_text = "random",
     .choices = orders,
     .key = "order",
     .help = "Order of the nodes in the ring: drawn from --seed, or that of the ranks"},
};

const benchmark cb_ring = {
    .name = "ring",
    .id = "ring",
    .label = "ring",
    .title = "nodes in a random ring, and a small allreduce",
    .description =
        "Measures the patterns by which GPCNeT tests a network: latency between neighbours in a "
        "random ring, bandwidth between them with a barrier after eight packets each way, "
        "and the messages of an allreduce of one packet. They are usual victims of other traffic.",
    .group = "basic",
    .pattern = "ring",
    .counted = &counted_processors,
    .usual = {{4}, {8}, {16}},
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "neighbours",
               .summary =
                   "a packet to each neighbour, and one from each; the latency is half of it",
               .figure = BENCH_LATENCY,
               .divisor = 2,
               .packets = "count",
               .roles = {{.step = exchange, .timed = true}}},
              {.name = "bandwidth",
               .summary = "eight packets to each neighbour and from each, then a barrier",
               .figure = BENCH_ROUND,
               .divisor = 2 * OUTSTANDING,
               .packets = "count",
               .roles = {{.step = exchange_many, .timed = true}}},
              {.name = "allreduce",
               .summary = "ceil(log2 P) rounds, each a packet to a node and one from another",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "count * bits(count - 1)",
               .roles = {{.step = reduce, .timed = true}}}},
    .figures = {{"latency_us",
                 "neighbours: time of an exchange / 2 packets sent, at the slowest node"},
                {"round_us", "bandwidth: time of a step / 16 packets sent; allreduce: time of all "
                             "rounds; at the slowest node"},
                {"frequency_Hz", "1 / latency_us or round_us"},
                {"throughput_MBps", "packets of all nodes x size / time"},
                {"per_node_MBps", "throughput / P"}},
    .table = {"latency_us", "round_us", "frequency_Hz", "per_node_MBps"},
    .plots = {{"latency_us", "processors"}, {"round_us", "processors"}},
    .choose_peers = choose_peers,
    .set_up = join_ring,
    .tear_down = leave_ring,
    .options = own_options,
    .option_count = sizeof(own_options) / sizeof(own_options[0]),
};
