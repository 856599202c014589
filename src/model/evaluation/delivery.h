/* The life of a message: it starts, in mode split its overhead and latency pass, its work for the
 * links is done, it arrives, and those that wait for it go on. And the accounts of those that wait:
 * every microsecond of a processor is computing, sending, receiving or waiting. Internal to
 * src/model. */
#ifndef MODEL_EVALUATION_DELIVERY_H
#define MODEL_EVALUATION_DELIVERY_H

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

/* `flags`: EAGER, SENDER_BLOCKED, RECEIVER_BLOCKED, MATCHED. */
ccmod_status ccmod_delivery_start(ccmod_engine *engine, uint32_t source, uint32_t destination,
                                  uint64_t size_bytes, uint32_t line, uint32_t flags,
                                  uint32_t *out);
/* A multicast, whose receivers are all unmatched: an eager one starts, another when the last of
 * them is matched. */
ccmod_status ccmod_delivery_start_fan(ccmod_engine *engine, uint32_t source,
                                      const ccmod_record *record, uint32_t flags, uint32_t *out);
/* A receive for the message was posted by `receiver`, of a multicast the number in its list;
 * *arrived: it is there already. */
ccmod_status ccmod_delivery_match(ccmod_engine *engine, uint32_t message, uint32_t receiver,
                                  bool blocked, bool *arrived);
ccmod_status ccmod_delivery_flow(ccmod_engine *engine, uint32_t message); /* its latency is over */
ccmod_status ccmod_delivery_arrive(ccmod_engine *engine, uint32_t message);

#endif
