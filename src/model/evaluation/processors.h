/* The accounts of processors: every microsecond of theirs is computing, sending, receiving or
 * waiting. Internal to src/model. */
#ifndef MODEL_EVALUATION_PROCESSORS_H
#define MODEL_EVALUATION_PROCESSORS_H

#include "model/evaluation/engine.h"

/* A send or receive of it is complete; its message started at start_us. */
ccmod_status ccmod_processor_finish(ccmod_engine *engine, uint32_t number, bool blocked,
                                    ccmod_activity activity, double start_us);
/* What kept it busy is over. */
ccmod_status ccmod_processor_resume(ccmod_engine *engine, uint32_t number);
ccmod_status ccmod_processors_leave_barrier(ccmod_engine *engine);

/* A receive of the processor is complete. */
static inline void processor_note_receive(ccmod_engine *engine, uint32_t number)
{
    if (number == engine->traffic.parameters.rate_of)
        ccmod_rate_note(&engine->rate, engine->traffic.now_us);
}

#endif
