/* Calibration: message times for the model (src/model), between two or three ranks.
 *
 *   pingpong  latency of the idle network
 *   stream    rate of consecutive messages. A block is a burst of steps, from the first send to the
 *             last acknowledgement; a single step is the processor time of a send
 *   exchange  both send, then both receive: how the two directions of a link share it
 *   ring      each of three sends to the next, then receives from the one before. The time above
 *             that of an exchange is due to acknowledgements that no packet on the way back carries
 *   fan-out   a packet to each of two: how two flows share the sender's link
 *   fan-in    a packet from each of two: how two flows share the receiver's link
 *   late      the receive is posted late: the source asks the destination for a packet, and
 *             receives it only after the third rank has answered another one. If the packet has
 *             arrived in the meantime, a step takes the time of packet and answer; if it waits for
 *             its receive, a step takes the time of one more packet
 *   meeting   the source asks both others for a packet, and answers the one that it asked first
 *             while the other's still comes. In a queue the first is not delayed by the second; on
 *             a link that both share, a step takes the time of one more packet */
#include "engine/traffic.h"
#include "engine/figures.h"

enum { PARTNER, THIRD };      /* peers of source and destination */
enum { SOURCE, DESTINATION }; /* peers of the third rank */

static cb_status serve_partner(bench_rank *me)
{
    return bench_serve(me, PARTNER);
}

static cb_status bounce_partner(bench_rank *me)
{
    return bench_bounce(me, PARTNER);
}

static cb_status send_one(bench_rank *me)
{
    return bench_stream_send(me, PARTNER);
}

static cb_status take_one(bench_rank *me)
{
    return bench_stream_receive(me, PARTNER);
}

static cb_status exchange_with_partner(bench_rank *me)
{
    CB_TRY(bench_send(me, PARTNER));
    return bench_receive(me, PARTNER);
}

static cb_status send_first_receive_other(bench_rank *me)
{
    CB_TRY(bench_send(me, PARTNER));
    return bench_receive(me, THIRD);
}

static cb_status send_other_receive_first(bench_rank *me)
{
    CB_TRY(bench_send(me, THIRD));
    return bench_receive(me, PARTNER);
}

static cb_status send_two(bench_rank *me)
{
    CB_TRY(bench_stream_send(me, PARTNER));
    return bench_stream_send(me, THIRD);
}

static cb_status take_two(bench_rank *me)
{
    CB_TRY(bench_stream_receive(me, PARTNER));
    return bench_stream_receive(me, THIRD);
}

static cb_status take_from_source(bench_rank *me)
{
    return bench_stream_receive(me, SOURCE);
}

static cb_status send_to_destination(bench_rank *me)
{
    return bench_stream_send(me, DESTINATION);
}

static cb_status send_when_asked(bench_rank *me)
{
    CB_TRY(bench_await_signal(me, &me->peers[PARTNER]));
    return bench_send(me, PARTNER);
}

static cb_status ask_and_look_late(bench_rank *me)
{
    CB_TRY(bench_signal(me, &me->peers[PARTNER]));
    CB_TRY(bench_send(me, THIRD));
    CB_TRY(bench_await_signal(me, &me->peers[THIRD]));
    return bench_receive(me, PARTNER);
}

static cb_status ask_both_and_answer_first(bench_rank *me)
{
    CB_TRY(bench_signal(me, &me->peers[PARTNER]));
    CB_TRY(bench_signal(me, &me->peers[THIRD]));
    CB_TRY(bench_receive(me, PARTNER));
    CB_TRY(bench_send(me, PARTNER));
    CB_TRY(bench_await_signal(me, &me->peers[PARTNER]));
    return bench_receive(me, THIRD);
}

static cb_status send_and_await_answer(bench_rank *me)
{
    CB_TRY(bench_await_signal(me, &me->peers[PARTNER]));
    CB_TRY(bench_send(me, PARTNER));
    CB_TRY(bench_receive(me, PARTNER));
    return bench_signal(me, &me->peers[PARTNER]);
}

static cb_status send_to_source_when_asked(bench_rank *me)
{
    CB_TRY(bench_await_signal(me, &me->peers[SOURCE]));
    return bench_send(me, SOURCE);
}

static cb_status answer_source(bench_rank *me)
{
    CB_TRY(bench_receive(me, SOURCE));
    return bench_signal(me, &me->peers[SOURCE]);
}

const benchmark cb_calibrate = {
    .name = "calibrate",
    .id = "calibration",
    .title = "message times for calibrating the model",
    .description = "Measures what ccmod calibrate needs: the latency of the idle network, "
                   "the rate of consecutive messages, how flows and acknowledgements share"
                   " a link, and the largest size that is sent before its receive is "
                   "posted. Two ranks measure half of it, three ranks all; place them on "
                   "different hosts to predict messages between hosts.\n\nWithout --sizes "
                   "it adds a sweep to 1 MiB and fits Hockney's line t(n) = t0 + n / r_inf"
                   " to it in segments.",
    .group = "calibration",
    .pattern = "calibration",
    .counted = &counted_job,
    .fit = &figures_hockney,
    .roles = {{"source", BENCH_ONE, BENCH_ALL, BENCH_SECOND | BENCH_THIRD, BENCH_HEARS_ALL},
              {"destination", BENCH_ONE, BENCH_ALL, BENCH_FIRST | BENCH_THIRD, BENCH_HEARS_ALL},
              {"third", BENCH_REST, BENCH_ALL, BENCH_FIRST | BENCH_SECOND, BENCH_HEARS_ALL}},
    .modes = {{.name = "pingpong",
               .summary = "a packet sent there and back; the latency is half of it",
               .processors = 2,
               .figure = BENCH_LATENCY,
               .divisor = 2,
               .packets = "1",
               .tells = "a lone message",
               .roles = {{.step = serve_partner, .timed = true}, {.step = bounce_partner}}},
              {.name = "stream",
               .summary = "packets one after another, limited by the window",
               .processors = 2,
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "1",
               .tells = "consecutive messages",
               .roles = {{.step = send_one, .finish = bench_drain, .timed = true},
                         {.step = take_one, .finish = bench_settle}}},
              {.name = "exchange",
               .summary = "both send a packet and receive one",
               .processors = 2,
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "2",
               .tells = "both directions of a link",
               .roles = {{.step = exchange_with_partner, .timed = true},
                         {.step = exchange_with_partner, .timed = true}}},
              {.name = "ring",
               .summary = "each of three sends a packet to the next and receives one",
               .processors = 3,
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "count",
               .roles = {{.step = send_first_receive_other, .timed = true},
                         {.step = send_other_receive_first, .timed = true},
                         {.step = send_first_receive_other, .timed = true}}},
              {.name = "fan-out",
               .summary = "a packet to each of two, limited by the window",
               .processors = 3,
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "2",
               .tells = "two flows from a node",
               .roles = {{.step = send_two, .finish = bench_drain, .timed = true},
                         {.step = take_one, .finish = bench_settle},
                         {.step = take_from_source, .finish = bench_settle}}},
              {.name = "fan-in",
               .summary = "a packet from each of two, limited by the window",
               .processors = 3,
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "2",
               .tells = "two flows to a node",
               .roles = {{.step = send_one, .finish = bench_drain, .timed = true},
                         {.step = take_two, .finish = bench_settle},
                         {.step = send_to_destination, .finish = bench_drain, .timed = true}}},
              {.name = "late",
               .summary = "a packet whose receive is posted late",
               .processors = 3,
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "2",
               .tells = "a late receive",
               .roles = {{.step = ask_and_look_late, .timed = true},
                         {.step = send_when_asked},
                         {.step = answer_source}}},
              {.name = "meeting",
               .summary = "a packet from each of two, asked one after the other, and an answer to "
                          "the first",
               .processors = 3,
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "count",
               .roles = {{.step = ask_both_and_answer_first, .timed = true},
                         {.step = send_and_await_answer},
                         {.step = send_to_source_when_asked}}}},
    .figures = {{"latency_us", "pingpong: time of a round trip / 2"},
                {"round_us", "other modes: time of a step"},
                {"throughput_MBps", "packets x size / time of a step"}},
    .plots = {{"latency_us", "size_bytes"}, {"round_us", "size_bytes"}},
};
