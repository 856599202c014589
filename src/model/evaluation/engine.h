/* The state of one evaluation. The modules of this folder call each other downwards only:
 * evaluation.c goes from one instant to the next, records.c takes records from the workload,
 * matching.c brings sends and receives together, and delivery.c follows a message from its start to
 * its arrival and keeps each processor's accounts. Internal to src/model. */
#ifndef MODEL_EVALUATION_ENGINE_H
#define MODEL_EVALUATION_ENGINE_H

#include "model/evaluation/queue.h"
#include "model/evaluation/rate.h"
#include "model/sharing/flows.h"
#include "model/sharing/traffic.h"

/* Matching */

/* A table of the pairs that have items: where the first of a pair is, and enough of the pair's hash
 * to move entries about without looking there. */
typedef struct {
    uint32_t hash;
    uint32_t item; /* TRAFFIC_NONE: empty */
} pair_entry;

typedef struct {
    pair_entry *entries;
    size_t count, room; /* room is a power of two */
} pair_table;

/* Of each processor as receiver. */
typedef struct {
    uint32_t arrivals; /* first of the sends in a ring; with open 0 the only one, in no table */
    uint32_t open;     /* how many items it has in the table */
    uint32_t direct;   /* a blocked sender that came first and is in neither, or TRAFFIC_NONE */
} match_place;

/* Processors */

typedef enum {
    PROCESSOR_RUNNING,
    PROCESSOR_BUSY, /* computing, or with the overhead of a send: an event will resume it */
    PROCESSOR_IN_SEND,
    PROCESSOR_IN_RECEIVE,
    PROCESSOR_IN_MULTICAST,
    PROCESSOR_IN_WAIT,
    PROCESSOR_IN_BARRIER,
    PROCESSOR_ENDED
} processor_state;

typedef struct {
    double clock_us;                   /* up to where its time is accounted for */
    double spent_us[CCMOD_ACTIVITIES]; /* of it, on each activity */
    uint64_t size_bytes;               /* of the send or receive with which it waits directly */
    uint32_t peer;                     /* of the send or receive that blocks it */
    uint32_t line;                     /* of its record */
    uint32_t outstanding;              /* sends and receives that it has started */
    uint8_t state;
    uint8_t activity; /* of what keeps it busy */
    bool direct;      /* its receive is in no table */
} engine_processor;

/* Of a processor whose record has a measured time. */
typedef struct {
    double measured_us, since_us;
} engine_measured;

typedef struct {
    ccmod_workload *workload;
    ccmod_error *error;
    ccmod_traffic traffic;
    const flow_operations *flows;
    event_queue queue;
    uint64_t messages, finished;
    rate_record rate; /* of the receives that are counted */

    engine_processor *processors;
    size_t processor_count;
    traffic_list ready; /* processors that go on in this instant */
    size_t ended_count, in_barrier;
    engine_measured *measured; /* NULL until a record has a measured time */
    ccmod_comparison comparison;

    match_place *places; /* of each processor */
    pair_table pairs;
    uint64_t posted; /* receives so far */
} ccmod_engine;

static inline ccmod_status engine_push(ccmod_engine *engine, double time_us, event_kind kind,
                                       uint32_t subject)
{
    return ccmod_queue_push(&engine->queue, time_us, kind, subject)
               ? CCMOD_OK
               : ccmod_traffic_no_memory(&engine->traffic);
}

#endif
