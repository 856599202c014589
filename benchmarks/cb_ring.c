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

/* Indices of the neighbours among the peers. */
typedef struct {
    size_t before, after;
} ring_part;

/* The peer that is `distance` further on in the order of ranks. */
static size_t peer_at(const bench_rank *me, size_t distance)
{
    const size_t nodes = me->place.participants;

    return (distance + nodes - 1) % nodes;
}

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
    const size_t nodes = me->place.participants;

    for (size_t distance = 1; distance < nodes; distance *= 2) {
        CB_TRY(bench_signal(me, &me->peers[peer_at(me, distance)]));
        CB_TRY(bench_await_signal(me, &me->peers[peer_at(me, nodes - distance)]));
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
    const size_t nodes = me->place.participants;

    for (size_t distance = 1; distance < nodes; distance *= 2) {
        CB_TRY(bench_send(me, peer_at(me, distance)));
        CB_TRY(bench_receive(me, peer_at(me, nodes - distance)));
    }
    return CB_OK;
}

/* All nodes draw the same order. */
static cb_status join_ring(bench_rank *me)
{
    const ring_options *options = me->own_options;
    const size_t nodes = me->place.participants, self = me->place.self;
    ring_part *ring = cb_allocate(1, sizeof(*ring), "the neighbours of a node");
    size_t *order = cb_allocate(nodes, sizeof(*order), "the order of a ring");
    const bool drawn = strcmp(options->order, orders[0]) == 0;
    cb_random random = cb_random_seed(me->lists.seed);
    size_t at = 0;

    me->part = ring;
    if (ring == NULL || order == NULL) {
        free(order);
        return CB_ERROR_MEMORY;
    }
    for (size_t i = 0; i < nodes; i++)
        order[i] = i;
    for (size_t i = nodes - 1; drawn && i > 0; i--) {
        const size_t other = (size_t)cb_random_below(&random, i + 1), moved = order[i];

        order[i] = order[other];
        order[other] = moved;
    }
    while (order[at] != self)
        at++;
    ring->after = peer_at(me, (order[(at + 1) % nodes] + nodes - self) % nodes);
    ring->before = peer_at(me, (order[(at + nodes - 1) % nodes] + nodes - self) % nodes);
    free(order);
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
    .set_up = join_ring,
    .tear_down = leave_ring,
    .options = own_options,
    .option_count = sizeof(own_options) / sizeof(own_options[0]),
};
