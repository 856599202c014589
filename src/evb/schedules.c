/* Who sends when. Schedules with phases receive from a known rank in each; the others receive what
 * comes, and are limited by acknowledgements or requests. */
#include "evb/schedules.h"

#include "base/clock.h"
#include "evb/unit.h"

/* A builder begins a turn while this number of turns, with the new one, is under construction. */
enum { TURNS_OPEN = 2 };

/* Schedules with phases */

/* All ranks meet: in round r each hears from the rank 2^r before it (dissemination barrier). */
static cb_status meet_all(bench_rank *me)
{
    const size_t ranks = me->place.participants;

    for (size_t distance = 1; distance < ranks; distance *= 2) {
        /* Peers start with the next rank. */
        CB_TRY(evb_send_control(me, distance - 1));
        CB_TRY(evb_receive_control(me, ranks - distance - 1));
    }
    return CB_OK;
}

/* Grant a readout its message in a phase, if there is such a phase. */
static cb_status grant_readout(bench_rank *me, const evb_unit *unit, size_t phase)
{
    return unit->builds && phase < unit->units
               ? evb_send_control(
                     me, evb_readout(me, (unit->index + unit->units - phase) % unit->units))
               : CB_OK;
}

/* In phase k the rank of unit i sends to builder i + k and hears from readout i - k.
 *
 * Phases of shift: the builder grants its turn to the readout, and acknowledges the message. Two
 * readouts that send to one builder, or two messages of one readout, would share a link; the later
 * ones would be delayed by as much again as they are late, and in a few phases all would wait. The
 * next readout is granted as soon as a message has come, also if the own one is still on its way.
 */
static cb_status run_phases(bench_rank *me, evb_unit *unit)
{
    const bool granted = unit->schedule.order == EVB_SHIFT;
    size_t phase = 0;

    if (unit->folded) {
        CB_TRY(evb_send(me, unit->index));
        phase++;
    }
    if (granted)
        CB_TRY(grant_readout(me, unit, phase));
    for (; phase < unit->units; phase++) {
        const size_t builder = (unit->index + phase) % unit->units;
        const size_t readout = (unit->index + unit->units - phase) % unit->units;

        if (unit->reads_out && granted)
            CB_TRY(evb_receive_control(me, evb_builder(me, builder)));
        if (unit->reads_out)
            CB_TRY(evb_send(me, builder));
        if (unit->builds)
            CB_TRY(evb_receive(me, readout));
        if (!granted) {
            CB_TRY(meet_all(me));
            continue;
        }
        if (unit->builds) {
            CB_TRY(evb_send_control(me, evb_readout(me, readout)));
            CB_TRY(grant_readout(me, unit, phase + 1));
        }
        if (unit->reads_out)
            CB_TRY(evb_receive_control(me, evb_builder(me, builder)));
    }
    return CB_OK;
}

/* Schedules without phases */

/* Messages to all builders, starting with builder 0 or with the unit's own. */
static cb_status send_in_order(bench_rank *me, evb_unit *unit)
{
    const size_t first = unit->schedule.order == EVB_OFFSET ? unit->index : 0;

    for (size_t i = 0; i < unit->units; i++) {
        const size_t builder = (first + i) % unit->units;
        const bool own = unit->folded && builder == unit->index;

        while (unit->acknowledges && !own && unit->unacknowledged >= unit->ahead)
            CB_TRY(evb_receive_any(me));
        CB_TRY(evb_send(me, builder));
        unit->unacknowledged += unit->acknowledges && !own;
    }
    return CB_OK;
}

/* Number of messages that come to a builder in a turn. */
static size_t messages_in(const evb_unit *unit)
{
    return unit->units - (unit->folded ? 1 : 0);
}

/* Ask the next readouts for fragments, starting in each turn with the one after the own. */
static cb_status send_requests(bench_rank *me, evb_unit *unit)
{
    const size_t each = messages_in(unit);

    while (unit->outstanding < unit->schedule.credits && unit->requested < unit->opened * each) {
        const size_t place = (size_t)(unit->requested % each);

        unit->requested++;
        unit->outstanding++;
        CB_TRY(evb_send_control(
            me, evb_readout(me, (unit->index + place + (unit->folded ? 1 : 0)) % unit->units)));
    }
    return CB_OK;
}

/* Receive until at most `open` turns are incomplete. */
static cb_status build_turns(bench_rank *me, evb_unit *unit, uint64_t open)
{
    for (;;) {
        if (unit->schedule.order == EVB_CREDITS)
            CB_TRY(send_requests(me, unit));
        if (unit->oldest + open >= unit->opened)
            return CB_OK;
        CB_TRY(evb_receive_any(me));
    }
}

/* Answer the requests of all turns that have begun. */
static cb_status serve_requests(bench_rank *me, evb_unit *unit)
{
    while (unit->served < unit->opened * messages_in(unit))
        CB_TRY(evb_receive_any(me));
    return CB_OK;
}

static bool has_phases(const evb_unit *unit)
{
    return unit->schedule.order == EVB_SHIFT || unit->schedule.order == EVB_BARRIER;
}

cb_status evb_run_turn(bench_rank *me)
{
    evb_unit *unit = evb_of(me);
    const bool asked = unit->schedule.order == EVB_CREDITS;

    if (unit->latency != NULL && unit->builds) {
        evb_turn *turn = &unit->turns[unit->opened & unit->mask];

        if (unit->opened >= unit->oldest && turn->since_ns == 0)
            turn->since_ns = cb_now_ns();
    }
    unit->opened++;
    if (has_phases(unit))
        return run_phases(me, unit);
    if (unit->reads_out && !asked)
        CB_TRY(send_in_order(me, unit));
    if (unit->folded && asked)
        CB_TRY(evb_send(me, unit->index));
    if (unit->builds)
        return build_turns(me, unit, TURNS_OPEN - 1);
    return asked ? serve_requests(me, unit) : CB_OK;
}

cb_status evb_complete_turns(bench_rank *me)
{
    evb_unit *unit = evb_of(me);

    if (has_phases(unit))
        return CB_OK;
    if (unit->builds)
        CB_TRY(build_turns(me, unit, 0));
    if (!unit->reads_out)
        return CB_OK;
    if (unit->schedule.order == EVB_CREDITS)
        return serve_requests(me, unit);
    while (unit->unacknowledged > 0)
        CB_TRY(evb_receive_any(me));
    return CB_OK;
}
