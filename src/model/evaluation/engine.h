/* The state of one evaluation. The modules of this folder call downwards only: evaluation.c
 * advances from one instant to the next, records.c takes records from the workload, matching.c
 * matches sends and receives, and delivery.c moves a message from start to arrival and keeps the
 * processors' accounts. Internal to src/model. */
#ifndef MODEL_EVALUATION_ENGINE_H
#define MODEL_EVALUATION_ENGINE_H

#include "base/random.h"
#include "model/evaluation/pairs.h"
#include "model/evaluation/queue.h"
#include "model/evaluation/rate.h"
#include "model/sharing/flows.h"
#include "model/sharing/traffic.h"

/* Matching */

/* For each processor as a receiver. */
typedef struct {
    uint32_t arrivals;      /* first in its ring of sends, or TRAFFIC_NONE */
    uint32_t sends;         /* number in the ring */
    uint32_t receives : 31; /* number of its receives that are items; all are in the table */
    uint32_t tabled : 1;    /* its sends are in the table, since there were many */
    uint32_t direct;        /* a blocked sender that came first and has no item, or TRAFFIC_NONE */
} match_place;

/* Processors */

typedef enum {
    PROCESSOR_RUNNING,
    PROCESSOR_BUSY, /* computing, or in the overhead of a send: an event will resume it */
    PROCESSOR_IN_SEND,
    PROCESSOR_IN_RECEIVE,
    PROCESSOR_IN_MULTICAST,
    PROCESSOR_IN_WAIT,
    PROCESSOR_IN_AWAIT,
    PROCESSOR_IN_BARRIER,
    PROCESSOR_ENDED
} processor_state;

typedef struct {
    double clock_us;                   /* its time is accounted up to here */
    double spent_us[CCMOD_ACTIVITIES]; /* of this time, for each activity */
    uint64_t size_bytes;  /* of the send or receive in which it waits without an item */
    uint32_t peer;        /* of the send or receive in which it is blocked */
    uint32_t line;        /* of its record */
    uint32_t outstanding; /* number of its pending sends and receives */
    uint8_t state;
    uint8_t activity; /* what it is busy with */
    bool direct;      /* its receive has no item */
} engine_processor;

/* For a processor whose record has a measured time. */
typedef struct {
    double measured_us, since_us;
} engine_measured;

/* A processor that reacts. */
typedef struct {
    ccmod_completion *done; /* since its last record */
    size_t done_count, done_room;
    uint32_t *names; /* of the requests that it awaits; none: any */
    size_t name_count, name_room;
    size_t needed;      /* of these */
    double deadline_us; /* of its waiting */
    double *timers_us;  /* of its EVENT_TIMERs, each earlier than the one before */
    size_t timer_count, timer_room;
    double called_us; /* its last record, */
    uint32_t calls;   /* and number of them at that instant */
    uint32_t request; /* name of the receive in which it is blocked */
} engine_reactor;

typedef struct {
    ccmod_workload *workload;
    ccmod_error *error;
    ccmod_traffic traffic;
    const flow_operations *flows;
    event_queue queue;
    uint64_t messages, finished;
    rate_record rate; /* of the receives counted for rate_of */

    engine_processor *processors;
    size_t processor_count;
    traffic_list entering; /* messages that enter the links in this instant */
    traffic_list ready;    /* processors that continue in this instant */
    size_t ended_count, in_barrier;
    engine_measured *measured; /* NULL until a record has a measured time */
    ccmod_comparison comparison;

    engine_reactor *reactors; /* of each processor, if they react; */
    cb_random random;         /* draws what comes first; */
    traffic_list landed;      /* messages that arrived in this instant; */
    pair_table under_way;     /* the last message of each pair */

    match_place *places; /* of each processor */
    pair_table pairs;    /* with open items: the first of each */
    uint64_t posted;     /* number of receives posted so far */
} ccmod_engine;

static inline ccmod_status engine_push(ccmod_engine *engine, double time_us, event_kind kind,
                                       uint32_t subject)
{
    return queue_push(&engine->queue, time_us, kind, subject)
               ? CCMOD_OK
               : ccmod_traffic_no_memory(&engine->traffic);
}

#endif
