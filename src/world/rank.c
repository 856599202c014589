#include "world/rank.h"

#include <math.h>

void world_call(world_rank *me, const ccmod_record *record)
{
    me->record = *record;
    cb_coroutines_leave(me->in->coroutines);
}

void world_wait_us(world_rank *me, double us)
{
    world_call(me, &(ccmod_record){.kind = CCMOD_AWAIT, .needed = 1, .time_us = us});
}

void world_wait(world_rank *me)
{
    world_wait_us(me, HUGE_VAL);
}
