/* Processors that react: what they learn, what they await, and the calls of the workload.
 * Internal to src/model. */
#ifndef MODEL_EVALUATION_REACTIONS_H
#define MODEL_EVALUATION_REACTIONS_H

#include "model/evaluation/engine.h"

/* If the workload reacts. Close in any case. */
ccmod_status ccmod_reactors_open(ccmod_engine *engine);
void ccmod_reactors_close(ccmod_engine *engine);

/* Tell a processor that a send or receive is complete; *done's time is now. */
ccmod_status ccmod_reactor_tell(ccmod_engine *engine, uint32_t number,
                                const ccmod_completion *done);

/* Begin to await what the record names. */
ccmod_status ccmod_reactor_await(ccmod_engine *engine, uint32_t number, const ccmod_record *record);

/* A timer of the processor has expired: *over if it awaits something and has waited long enough. */
ccmod_status ccmod_reactor_expire(ccmod_engine *engine, uint32_t number, bool *over);

/* The processor's next record. */
ccmod_status ccmod_reactor_call(ccmod_engine *engine, uint32_t number, ccmod_record *record);

/* Put simultaneous processors or messages in an order that the seed draws. */
void ccmod_reactors_shuffle(ccmod_engine *engine, traffic_list *list);

/* Whether a processor in PROCESSOR_IN_AWAIT has what it needs. */
static inline bool reactor_has_enough(const ccmod_engine *engine, uint32_t number)
{
    return engine->reactors[number].needed == 0;
}

#endif
