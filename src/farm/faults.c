/* What a farm does about messages that come twice, too late, or to where they do not belong. Where
 * messages may be lost, and in the verifying pass, they are counted and passed over; elsewhere the
 * technology has broken its promise, and waiting for what should have come would have no end. */
#include "farm/rank.h"

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

/* Whether this is the first note about an event of the run. Those of its destination that it passes
 * over are skipped: theirs may still come. */
static bool first_note(bench_farm *farm, uint64_t event, size_t destination)
{
    uint64_t number = event - farm->first_event;
    uint64_t *word = &farm->skipped[number / 64], bit = UINT64_C(1) << number % 64;
    bool skipped = (*word & bit) != 0;

    if (event < farm->due[destination]) {
        *word &= ~bit;
        return skipped;
    }
    for (; farm->due[destination] < event; farm->due[destination] += farm->destinations) {
        number = farm->due[destination] - farm->first_event;
        farm->skipped[number / 64] |= UINT64_C(1) << number % 64;
    }
    farm->due[destination] += farm->destinations;
    return true;
}

cb_status bench_farm_admit_out_of_turn(bench_rank *me, uint64_t event, size_t destination,
                                       bool *admitted)
{
    bench_farm *farm = me->farm;

    *admitted = false;
    if (event < farm->first_event || event >= farm->end_event ||
        event % farm->destinations != destination)
        return bench_farm_refuse(me, "a note", event);
    if (!first_note(farm, event, destination)) {
        farm->faults.doubled += farm->patient;
        return farm->patient ? CB_OK : bench_farm_refuse(me, "a note", event);
    }
    farm->faults.late += farm->over;
    *admitted = !farm->over;
    return CB_OK;
}

uint64_t bench_farm_fault_count(const bench_farm *farm)
{
    const bench_builder_counts *built = &farm->builder.counts;

    return farm->faults.doubled + farm->faults.foreign + farm->faults.late + built->doubled +
           built->foreign;
}
