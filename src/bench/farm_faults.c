/* What a farm does about messages that come twice, too late, or to where they do not belong. Where
 * messages may be lost, and in the verifying pass, they are counted and passed over; elsewhere the
 * technology has broken its promise, and waiting for what should have come would have no end. */
#include "bench/farm_rank.h"

#include "base/log.h"

cb_status bench_farm_refuse(bench_rank *me, const char *what, uint64_t event)
{
    if (me->farm->patient) {
        me->farm->faults.foreign++;
        return CB_OK;
    }
    cb_error("rank %d was sent %s about event %llu, which it does not wait for, or not any more: "
             "the technology corrupted, doubled or mixed up messages; run again with --verify",
             me->ranks[me->self], what, (unsigned long long)event);
    return CB_ERROR_DATA;
}

/* Hot. */
static bool first_note(const bench_farm *farm, uint64_t number)
{
    uint64_t *word = &farm->noted[number / 64];
    uint64_t bit = UINT64_C(1) << number % 64;
    bool first = (*word & bit) == 0;

    *word |= bit;
    return first;
}

cb_status bench_farm_admit(bench_rank *me, uint64_t event, size_t destination, bool *admitted)
{
    bench_farm *farm = me->farm;
    uint64_t number = event - farm->first_event;

    *admitted = false;
    if (number >= farm->run_events || event % farm->destinations != destination)
        return bench_farm_refuse(me, "a note", event);
    if (!first_note(farm, number)) {
        farm->faults.doubled += farm->patient;
        return farm->patient ? CB_OK : bench_farm_refuse(me, "a note", event);
    }
    farm->faults.late += farm->over;
    *admitted = !farm->over;
    return CB_OK;
}

/* The supervisor takes decisions; the others' step takes a message, and sends none when the run is
 * over. */
static cb_status take_what_came(bench_rank *me, const bench_actions *actions)
{
    bench_decision decision;
    uint64_t since_ns;
    transport_buffer *buffer;
    bench_peer *from;

    if (me->farm->role != BENCH_SUPERVISOR)
        return actions->step(me);
    CB_TRY(bench_take_message(me, &buffer, &from));
    return bench_farm_take_decision(me, buffer, from, &since_ns, &decision);
}

cb_status bench_farm_drain(bench_rank *me, const bench_actions *actions)
{
    enum { LOOKS_AT_NOTHING = 32 };

    me->farm->over = true;
    me->patience_ns = 0;
    for (unsigned looks = 0; looks < LOOKS_AT_NOTHING;) {
        cb_status status = take_what_came(me, actions);

        if (status != CB_OK && status != CB_EMPTY)
            return status;
        looks = status == CB_EMPTY ? looks + 1 : 0;
    }
    return CB_OK;
}

uint64_t bench_farm_fault_count(const bench_farm *farm)
{
    const bench_builder_counts *built = &farm->builder.counts;

    return farm->faults.doubled + farm->faults.foreign + farm->faults.late + built->doubled +
           built->foreign;
}
