#include "world/rank.h"

#include <math.h>

void world_call(world_rank *me, const ccmod_record *record)
{
    const double rounded_us = 2e-3; /* the clock counts ns, and two waits for a time end together */
    const double due_us = me->in->now_us + record->time_us - rounded_us;

    me->record = *record;
    cb_coroutines_leave(me->in->coroutines);
    /* A wait that something else than the clock has ended is part of what the rank does next. */
    if (record->kind != CCMOD_AWAIT || me->in->now_us >= due_us)
        world_note(me, record);
}

void world_note(world_rank *me, const ccmod_record *done)
{
    if (me->in->recorder != NULL)
        world_recorder_note(me->in->recorder, me->number, done, me->in->now_us);
}

void world_wait_us(world_rank *me, double us)
{
    world_call(me, &(ccmod_record){.kind = CCMOD_AWAIT, .needed = 1, .time_us = us});
}

void world_wait(world_rank *me)
{
    world_wait_us(me, HUGE_VAL);
}
