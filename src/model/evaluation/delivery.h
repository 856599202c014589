/* The life of a message: it starts; in mode split its overhead and latency pass; its work on the
 * links is done; it arrives; waiting processors continue. Also the accounts of processors: every
 * microsecond is computing, sending, receiving or waiting. Internal to src/model. */
#ifndef MODEL_EVALUATION_DELIVERY_H
#define MODEL_EVALUATION_DELIVERY_H

#include "model/evaluation/engine.h"

/* One of its sends or receives is complete; the message started at start_us. */
ccmod_status ccmod_processor_finish(ccmod_engine *engine, uint32_t number, bool blocked,
                                    ccmod_activity activity, double start_us);
/* Continue a processor whose computing or overhead has ended. */
ccmod_status ccmod_processor_resume(ccmod_engine *engine, uint32_t number);
/* Of a processor that reacts: it need not wait longer; a timer has expired. */
ccmod_status ccmod_processor_wake(ccmod_engine *engine, uint32_t number);
ccmod_status ccmod_processor_expire(ccmod_engine *engine, uint32_t number);
ccmod_status ccmod_processors_leave_barrier(ccmod_engine *engine);

/* Count a completed receive of the processor. */
static inline void processor_note_receive(ccmod_engine *engine, uint32_t number)
{
    if (number == engine->traffic.parameters.rate_of)
        ccmod_rate_note(&engine->rate, engine->traffic.now_us);
}

/* `flags`: EAGER, SENDER_BLOCKED, RECEIVER_BLOCKED, MATCHED. */
ccmod_status ccmod_delivery_start(ccmod_engine *engine, uint32_t source, uint32_t destination,
                                  uint64_t size_bytes, uint32_t line, uint32_t flags,
                                  uint32_t *out);
/* Start a multicast whose receivers are all unmatched: an eager one starts at once, or if
 * processors react, another when the last receiver is matched. */
ccmod_status ccmod_delivery_start_multicast(ccmod_engine *engine, uint32_t source,
                                            const ccmod_record *record, uint32_t flags,
                                            uint32_t *out);
/* Tell the sender of a message, which reacts, that its send is complete. */
ccmod_status ccmod_delivery_tell_sender(ccmod_engine *engine, uint32_t message);
/* `receiver` has posted a receive for the message; for a multicast it is the index in its list.
 * *arrived: the message has already arrived. */
ccmod_status ccmod_delivery_match(ccmod_engine *engine, uint32_t message, uint32_t receiver,
                                  bool blocked, bool *arrived);
ccmod_status ccmod_delivery_flow(ccmod_engine *engine,
                                 uint32_t message); /* its latency has passed */
/* The event of its arrival: it leaves its links, if it is on any; or the event is void. */
ccmod_status ccmod_delivery_event(ccmod_engine *engine, uint32_t message);
/* The void event of a MESSAGE_JOINED has been removed from the queue. */
void ccmod_delivery_forget_event(ccmod_engine *engine, uint32_t message);
ccmod_status ccmod_delivery_arrive(ccmod_engine *engine, uint32_t message);

#endif
