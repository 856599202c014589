/* 1.5 outfarming: one source, different data to each destination of a list. In each round the
 * packets of all destinations are in memory at the same time, each with content of its own.
 *
 *   stream    a step is one packet to each destination, limited by the window; the source's block
 * is timed from its first send to the last acknowledgement round     each destination acknowledges
 * each round; the time of a round ends with the receipt of the last acknowledgement */
#include <string.h>

#include "base/random.h"
#include "engine/traffic.h"
#include "occupation/method.h"

/* Fill a buffer with content that differs from place to place in memory, from 16 bytes on. Bits
 * that are exchanged between two words change neither their sum nor the lowest bit of a byte, which
 * is always set. */
static void fill_by_place(void *data, size_t size_bytes)
{
    unsigned char *bytes = data;

    traffic_fill(data, size_bytes);
    for (size_t at = 0; at + 16 <= size_bytes; at += 16) {
        uint64_t words[2], exchanged;

        memcpy(words, bytes + at, sizeof(words));
        exchanged = (words[0] ^ words[1]) & cb_mix64((uintptr_t)(bytes + at));
        words[0] ^= exchanged;
        words[1] ^= exchanged;
        memcpy(bytes + at, words, sizeof(words));
    }
}

static cb_status send_to_each(bench_rank *me)
{
    CB_TRY(bench_take_packets(me));
    for (size_t peer = 0; peer < me->peer_count; peer++) {
        CB_TRY(bench_reserve(me, &me->peers[peer]));
        CB_TRY(bench_send_taken(me, peer));
    }
    return CB_OK;
}

static cb_status take(bench_rank *me)
{
    return bench_stream_receive(me, 0);
}

static cb_status send_and_await_each(bench_rank *me)
{
    CB_TRY(bench_take_packets(me));
    for (size_t peer = 0; peer < me->peer_count; peer++)
        CB_TRY(bench_send_taken(me, peer));
    for (size_t peer = 0; peer < me->peer_count; peer++)
        CB_TRY(bench_await_signal(me, &me->peers[peer]));
    return CB_OK;
}

static cb_status take_and_answer(bench_rank *me)
{
    CB_TRY(bench_receive(me, 0));
    return bench_signal(me, &me->peers[0]);
}

const benchmark cb_outfarm = {
    .name = "outfarm",
    .id = "1.5",
    .label = "1.5 outfarming",
    .title = "one source, different data to each destination",
    .description = "Measures the distribution of data (ATLAS DAQ note 48, benchmark 1.5): "
                   "one source sends a packet to each destination of a list in turn, each "
                   "from its own memory and with its own content. Mode "
                   "stream gives the highest rate of rounds, mode round the time until all"
                   " destinations have acknowledged a round.",
    .group = "basic",
    .pattern = "one-to-many",
    .counted = &counted_destinations,
    .overlap = &occupation_method,
    .usual = {{4}, {8}, {16}},
    .fill = fill_by_place,
    .roles = {{"source", BENCH_ONE, BENCH_ALL, BENCH_SECOND, BENCH_HEARS_ALL},
              {"destination", BENCH_COUNT, BENCH_ALL, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "stream",
               .summary = "a packet to each destination, limited by the window",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "count",
               .roles = {{.step = send_to_each, .finish = bench_drain, .timed = true},
                         {.step = take, .finish = bench_settle}}},
              {.name = "round",
               .summary = "a packet to each destination, acknowledged before the next round",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "count",
               .roles = {{.step = send_and_await_each, .timed = true}, {.step = take_and_answer}}}},
    .figures = {{"round_us", "time of a packet to each destination; in mode round up to the last "
                             "acknowledgement"},
                {"frequency_Hz", "1 / time of a round"},
                {"throughput_MBps", "R x size / time of a round"},
                {"per_node_MBps", "throughput / R"}},
    .table = {"frequency_Hz", "throughput_MBps"},
    .plots = {{"frequency_Hz", "destinations"}},
};
