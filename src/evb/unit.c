/* Messages of a unit, and the account of the turns under construction. */
#include "evb/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/fragments.h"
#include "engine/rank.h"
#include "engine/verification.h"

/* A builder acknowledges messages of this number of turns from the oldest incomplete one on. */
enum { BUILDER_TURNS = 2 };

static size_t peer_of(const bench_rank *me, size_t participant)
{
    const size_t ranks = me->place.participants;

    return (participant + ranks - me->place.self - 1) % ranks;
}

size_t evb_readout(const bench_rank *me, size_t unit)
{
    return peer_of(me, unit);
}

size_t evb_builder(const bench_rank *me, size_t unit)
{
    return peer_of(me, evb_of(me)->folded ? unit : evb_of(me)->units + unit);
}

cb_status evb_set_up(bench_rank *me)
{
    const evb_options *own = me->own_options;
    const bool reliable = (transport_capabilities(me->factory) & TRANSPORT_RELIABLE) != 0;
    const size_t barrier_messages = 64;
    uint64_t turns = 1;
    evb_unit *unit = cb_allocate(1, sizeof(*unit), "a unit");

    if (unit == NULL)
        return CB_ERROR_MEMORY;
    me->part = unit;
    CB_TRY(evb_schedule_parse(own->schedule, &unit->schedule));
    unit->folded = own->folding == NULL || strcmp(own->folding, evb_foldings[0]) == 0;
    unit->units = unit->folded ? me->place.participants : me->place.participants / 2;
    unit->index = me->place.self % unit->units;
    unit->reads_out = me->place.self < unit->units;
    unit->builds = unit->folded || !unit->reads_out;
    unit->ahead = own->ahead > 0 ? (size_t)own->ahead : 1;
    unit->pack = own->pack > 0 ? (size_t)own->pack : 1;
    unit->control_bytes = me->size_bytes > 0 ? 0 : EVB_CONTROL_BYTES;
    /* Where acknowledgements may be lost they must not come between fragments: a unit that is one
     * rank is then ahead of its own builder by a turn at most. */
    unit->acknowledges = unit->schedule.order <= EVB_OFFSET && (reliable || !unit->folded);
    while (turns < BUILDER_TURNS + unit->ahead + 1)
        turns *= 2;
    unit->mask = turns - 1;
    unit->turns = cb_allocate(turns, sizeof(*unit->turns), "events under construction");
    unit->peers = cb_allocate(me->peer_count, sizeof(*unit->peers), "the peers of a unit");
    if (unit->turns == NULL || unit->peers == NULL)
        return CB_ERROR_MEMORY;
    for (uint64_t turn = 0; turn < turns; turn++)
        unit->turns[turn].missing = (uint32_t)unit->units;
    /* Message k of a source to a builder is its message number k * units + builder. */
    me->ring.stride = unit->units;
    me->ring.lane = unit->index;
    for (size_t builder = 0; unit->reads_out && builder < unit->units; builder++)
        if (!unit->folded || builder != unit->index)
            me->peers[evb_builder(me, builder)].lane = builder;
    me->preparation.unanswered = 2 * (BUILDER_TURNS + unit->ahead + unit->schedule.credits);
    if (unit->schedule.order == EVB_BARRIER)
        me->preparation.unanswered += barrier_messages;
    return rank_prepare(me);
}

void evb_tear_down(bench_rank *me)
{
    evb_unit *unit = evb_of(me);

    if (unit == NULL)
        return;
    free(unit->turns);
    free(unit->peers);
    free(unit);
    me->part = NULL;
}

/* Control messages */

cb_status evb_send_control(bench_rank *me, size_t peer)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, evb_of(me)->control_bytes);

    return buffer != NULL ? transport_send(me->peers[peer].node, buffer) : CB_ERROR_MEMORY;
}

/* The account of a builder */

/* The events of a turn by their due times: each builder has `pack` successive ones. */
static void conclude_due_events(evb_unit *unit, bool lost)
{
    evb_due *due = unit->due;

    for (size_t event = 0; event < unit->units * unit->pack; event++) {
        const uint64_t due_ns = rate_schedule_next(&due->schedule);

        if (!lost && event / unit->pack == unit->index)
            stats_histogram_record(unit->latency,
                                   unit->last_ns > due_ns ? unit->last_ns - due_ns : 0);
    }
    due->turns++;
    if (due->turns == 1)
        due->first_ns = unit->last_ns;
    if (due->turns == due->middle)
        due->pending_middle = (double)rate_schedule_due(&due->schedule, unit->last_ns);
}

static void conclude_turn(evb_unit *unit, evb_turn *turn)
{
    evb_account *account = &unit->account;

    account->issued += unit->pack;
    if (__builtin_expect(turn->given_up > 0, 0)) {
        account->lost += unit->pack;
        account->incomplete += turn->given_up < unit->units ? unit->pack : 0;
    } else {
        account->complete += unit->pack;
    }
    if (unit->latency != NULL) {
        unit->last_ns = cb_now_ns();
        if (unit->due != NULL)
            conclude_due_events(unit, turn->given_up > 0);
        else
            for (size_t event = 0; event < unit->pack && turn->given_up == 0; event++)
                stats_histogram_record(unit->latency, unit->last_ns - turn->since_ns);
    }
    *turn = (evb_turn){.missing = (uint32_t)unit->units};
}

/* Acknowledge messages that came too early. */
static cb_status release_held(bench_rank *me, evb_unit *unit)
{
    for (size_t i = 0; i < me->peer_count; i++) {
        evb_peer *peer = &unit->peers[i];

        for (; peer->held > 0 && peer->turn - peer->held < unit->oldest + BUILDER_TURNS;
             peer->held--)
            CB_TRY(evb_send_control(me, i));
    }
    return CB_OK;
}

static __attribute__((cold)) cb_status report_overrun(const bench_rank *me, uint64_t turn)
{
    cb_error("rank %d received a fragment of turn %llu while turn %llu is incomplete: the "
             "technology lost or mixed up messages; run again with --verify",
             me->place.ranks[me->place.self], (unsigned long long)turn,
             (unsigned long long)evb_of(me)->oldest);
    return CB_ERROR_DATA;
}

/* Hot. Count a message of a turn; `arrived` or given up. */
static cb_status count_message(bench_rank *me, evb_unit *unit, uint64_t number, bool arrived)
{
    evb_turn *turn = &unit->turns[number & unit->mask];

    if (__builtin_expect(number - unit->oldest > unit->mask, 0))
        return report_overrun(me, number);
    if (__builtin_expect(unit->latency != NULL, 0) && turn->since_ns == 0)
        turn->since_ns = cb_now_ns();
    turn->missing--;
    turn->given_up += !arrived;
    if (turn->missing > 0 || number != unit->oldest)
        return CB_OK;
    for (; turn->missing == 0; turn = &unit->turns[unit->oldest & unit->mask]) {
        conclude_turn(unit, turn);
        unit->oldest++;
    }
    return unit->acknowledges ? release_held(me, unit) : CB_OK;
}

/* Hot. A message with fragments has come from a peer, or was given up. */
static cb_status accept_fragments(bench_rank *me, size_t from, bool arrived)
{
    evb_unit *unit = evb_of(me);
    evb_peer *peer = &unit->peers[from];
    const uint64_t number = peer->turn++;

    me->peers[from].taken++;
    if (!arrived) {
        me->received.lost++;
    } else if (unit->share_turns > 0 && !unit->share_complete) {
        peer->share++;
        unit->share_complete = peer->share == unit->share_turns;
    }
    if (unit->schedule.order == EVB_CREDITS)
        unit->outstanding--;
    if (unit->acknowledges) {
        if (number >= unit->oldest + BUILDER_TURNS)
            peer->held++;
        else
            CB_TRY(evb_send_control(me, from));
    }
    return count_message(me, unit, number, arrived);
}

/* Messages */

/* The number of a peer's unit. */
static uint32_t unit_of(const bench_rank *me, size_t peer)
{
    return (uint32_t)((me->place.self + 1 + peer) % me->place.participants % evb_of(me)->units);
}

/* Read the next message of a peer's readout. */
static cb_status take_fragments(bench_rank *me, size_t peer, transport_buffer *buffer)
{
    const evb_unit *unit = evb_of(me);
    const uint64_t begin_ns = timeline_begin(unit->timeline);

    CB_TRY(bench_accept(me, peer, buffer));
    timeline_note(unit->timeline, begin_ns, TIMELINE_TAKES,
                  evb_event(unit, unit->peers[peer].turn, unit->index), 0, unit_of(me, peer));
    return accept_fragments(me, peer, true);
}

/* The fragments of the rank's own readout. */
static cb_status read_own(bench_rank *me)
{
    evb_unit *unit = evb_of(me);
    bench_ring *ring = &me->ring;
    const size_t size_bytes = ring->sizes != NULL
                                  ? fragments_at(ring, ring->sizes, ring->own++, ring->lane)
                                  : me->size_bytes;
    transport_buffer *buffer = transport_buffer_create(me->factory, size_bytes);

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    if (me->traffic == &verification_traffic)
        verification_check_own(me, buffer, unit->opened - 1);
    else
        CB_TRY(me->traffic->accept(me, NULL, buffer)); /* from no peer */
    me->received.own++;
    return count_message(me, unit, unit->opened - 1, true);
}

/* The next message with fragments to a peer. Verification counts messages itself. */
static cb_status send_fragments(bench_rank *me, size_t peer)
{
    evb_unit *unit = evb_of(me);
    bench_ring *ring = &me->ring;
    const uint64_t turn = unit->peers[peer].sent++;
    uint64_t begin_ns;

    if (ring->sizes != NULL && me->traffic != &verification_traffic)
        ring->at = (me->peers[peer].sent++ * ring->stride + me->peers[peer].lane) % ring->period;
    if (__builtin_expect(unit->timeline == NULL, 1))
        return bench_send(me, peer);
    begin_ns = cb_now_ns();
    CB_TRY(bench_send(me, peer));
    timeline_note(unit->timeline, begin_ns, TIMELINE_SENDS,
                  evb_event(unit, turn, unit_of(me, peer)), unit->folded ? 0 : 1,
                  unit_of(me, peer));
    return CB_OK;
}

cb_status evb_send(bench_rank *me, size_t builder)
{
    evb_unit *unit = evb_of(me);

    if (unit->folded && builder == unit->index)
        return read_own(me);
    return send_fragments(me, evb_builder(me, builder));
}

/* The relevant peer of which the fewest messages were taken. All send equally many, so the missing
 * one is of this peer. */
static size_t slowest_peer(const bench_rank *me)
{
    const evb_unit *unit = evb_of(me);
    size_t slowest = SIZE_MAX;

    for (size_t other = 0; other < unit->units; other++) {
        size_t peer = unit->builds ? evb_readout(me, other) : evb_builder(me, other);

        if (unit->folded && other == unit->index)
            continue;
        if (slowest == SIZE_MAX || unit->peers[peer].taken < unit->peers[slowest].taken)
            slowest = peer;
    }
    return slowest;
}

static cb_status receive_from(bench_rank *me, size_t peer, transport_buffer **out)
{
    cb_status status = me->traffic == &verification_traffic
                           ? verification_receive(me, &me->peers[peer], out)
                           : transport_receive(me->peers[peer].node, out);

    evb_of(me)->peers[peer].taken++;
    return status;
}

static cb_status receive_next(bench_rank *me, size_t *peer, transport_buffer **out)
{
    transport_node *node;
    cb_status status = me->traffic == &verification_traffic
                           ? verification_receive_any(me, out, &node)
                           : transport_group_receive(me->group, out, &node);

    if (__builtin_expect(status == CB_LOST, 0)) {
        *peer = node != NULL ? node->label : slowest_peer(me);
        if (node == NULL)
            transport_give_up(me->peers[*peer].node);
    } else if (status == CB_OK) {
        *peer = node->label;
    } else {
        return status;
    }
    evb_of(me)->peers[*peer].taken++;
    return status;
}

cb_status evb_receive(bench_rank *me, size_t readout)
{
    const size_t peer = evb_readout(me, readout);
    transport_buffer *buffer;
    cb_status status = receive_from(me, peer, &buffer);

    if (status != CB_OK && status != CB_LOST)
        return status;
    return status == CB_OK ? take_fragments(me, peer, buffer) : accept_fragments(me, peer, false);
}

cb_status evb_receive_control(bench_rank *me, size_t peer)
{
    transport_buffer *buffer;
    cb_status status = receive_from(me, peer, &buffer);

    if (status == CB_OK)
        transport_buffer_release(buffer);
    me->received.unacknowledged += status == CB_LOST;
    return status == CB_LOST ? CB_OK : status;
}

/* A request, or an acknowledgement. */
static cb_status accept_control(bench_rank *me, size_t peer)
{
    evb_unit *unit = evb_of(me);

    if (unit->schedule.order != EVB_CREDITS) {
        unit->unacknowledged--;
        return CB_OK;
    }
    unit->served++;
    return send_fragments(me, peer);
}

/* Only sources get control messages, only builders get fragments, and a unit of one rank can tell
 * them apart by their size. Where messages may be lost it gets no control messages here. */
cb_status evb_receive_any(bench_rank *me)
{
    const evb_unit *unit = evb_of(me);
    transport_buffer *buffer;
    bool is_control = !unit->builds;
    size_t peer;
    cb_status status = receive_next(me, &peer, &buffer);

    if (status == CB_LOST) {
        me->received.unacknowledged += is_control;
        return is_control ? accept_control(me, peer) : accept_fragments(me, peer, false);
    }
    CB_TRY(status);
    if (unit->folded)
        is_control = buffer->size == unit->control_bytes;
    if (is_control) {
        transport_buffer_release(buffer);
        return accept_control(me, peer);
    }
    return take_fragments(me, peer, buffer);
}
