/* The evaluation engine from inside: what one evaluation consists of. Internal to src/model.
 *
 * processors.c takes records from the workload, matching.c brings sends and receives together,
 * messages.c follows a message from its start to its end, and a `flow_operations` shares the links:
 * ccmod_flows_clock.c in time that hardly depends on the number of live messages,
 * ccmod_flows_fifo.c one packet after the other,
 * ccmod_flows_plain.c by recomputing everything at each horizon, as the article does. queue.c keeps
 * what happens at a known time, and engine.c goes from one instant to the next. */
#ifndef MODEL_ENGINE_H
#define MODEL_ENGINE_H

#include <float.h>
#include <math.h>

#include "base/grow.h"
#include "model/evaluation/rate.h"

#define ENGINE_NONE UINT32_MAX

/* Events closer than 1 ns are one instant; beyond a clock of thirteen days, those within a few
 * steps of a double (engine_instant_us). */
#define ENGINE_INSTANT_US 1e-3

/* The clock goes no farther: 30 000 years. Intervals of the background can be counted up to there.
 */
#define ENGINE_LARGEST_US 1e18

/* So many messages may be under way or wait to be received, 1 GiB of them, or so many for each
 * processor where that is more: a trace that starts without end ends with an error, not with all of
 * the machine's memory. */
#define ENGINE_LARGEST_OPEN ((size_t)1 << 24)
#define ENGINE_LARGEST_OPEN_EACH ((size_t)64)

/* Background loads stay below 1, so that every message moves. */
#define ENGINE_LARGEST_LOAD 0.99

/* Events at a known time */

typedef enum {
    EVENT_RESUME,  /* processor: its computing or its overhead is over */
    EVENT_FLOW,    /* message: its latency is over, its bytes enter the links */
    EVENT_ARRIVE,  /* message without work for the links: it is there */
    EVENT_BARRIER, /* all processors go on */
    EVENT_KINDS
} event_kind;

/* 12 bytes: there may be one for every processor, and one for every message. */
typedef struct __attribute__((packed, aligned(4))) {
    double time_us;
    uint32_t kind : 2;
    uint32_t subject : 30;
} engine_event;

enum { ENGINE_LARGEST_SUBJECT = (1 << 30) - 1 };

/* A heap, and beside it a run in ascending order, into which the starts of flows go: they come in
 * order of time wherever all messages have the same overhead and latency. */
typedef struct {
    engine_event *heap;
    size_t count, room;
    engine_event *run;                     /* a ring */
    size_t run_first, run_count, run_room; /* run_room is a power of two */
} event_queue;

/* Messages */

enum {
    MESSAGE_LIVE = 1,
    MESSAGE_EAGER = 2, /* its sender does not wait for it */
    MESSAGE_SENDER_BLOCKED = 4,
    MESSAGE_RECEIVER_BLOCKED = 8,
    MESSAGE_MATCHED = 16, /* there is a receive for it */
    MESSAGE_ARRIVED = 32,
    MESSAGE_FAN = 64, /* a multicast: destination is the index of its fan */
    MESSAGE_STARTED = 128
};

/* A send or a receive that waits for its other half, or a receiver that waits for an eager message.
 */
typedef struct {
    uint64_t size_bytes;
    uint64_t order; /* in which receives were posted; of a multicast's send its place in the list */
    uint32_t source, receiver;
    uint32_t next, last; /* of the same pair, first come first; last in the first of them alone */
    uint32_t earlier, later; /* of sends to the same receiver */
    uint32_t message;        /* of a send that is a message already, or ENGINE_NONE */
    uint32_t line;
    uint32_t flags; /* ITEM_... */
} match_item;

enum { ITEM_SEND = 1, ITEM_BLOCKED = 2 };

/* A message that has started, or a multicast from its send on; or, in the same place, a send or a
 * receive that is yet to become one. 64 bytes: there may be millions. */
typedef union {
    struct {
        uint32_t source;
        uint32_t destination;
        uint64_t size_bytes;
        double start_us;
        double finish;  /* reading of its owner's clock at which it ends; plain: quiet us left;
                           before it  flows: the work that waits for it on the links */
        uint32_t line;  /* of the send */
        uint32_t slots; /* its first slot */
        uint32_t slot_count;
        uint32_t owner; /* its bottleneck: which of its slots; plain: its place among the live */
        uint32_t child, sibling, back; /* in its owner's heap of messages */
        uint32_t flags;
    };
    match_item item;
} engine_message;

/* The receivers of a multicast. */
typedef struct {
    uint32_t *destinations;
    uint8_t *flags; /* MESSAGE_MATCHED, MESSAGE_RECEIVER_BLOCKED */
    size_t count, unmatched, hops;
    double latency_us; /* of the links of the longest route */
    uint32_t next;     /* in the list of those that are free */
} engine_fan;

/* A message's place on a cell of its route, in one of the cell's two heaps: guests, or own. */
typedef struct {
    uint32_t cell;
    uint32_t message;
    uint32_t child, sibling, back; /* in that heap; back is the slot itself while it is in none */
    int32_t mark;                  /* when the message wants to be asked (clock_marks.h) */
} engine_slot;

/* Links */

/* A link in one direction. All messages that have their bottleneck here, its own, progress alike:
 * the clock runs at that rate, and a message ends at a certain reading of it. 68 bytes: a node has
 * two of them at least. */
typedef struct __attribute__((packed, aligned(4))) {
    double clock; /* reading at since_us */
    double since_us;
    double work_us, lost_us;
    uint64_t packets;
    uint32_t count;  /* of messages that pass */
    uint32_t own;    /* of those, how many have their bottleneck here */
    uint32_t heap;   /* root of the own messages' heap, by finish */
    uint32_t guests; /* root of the heap of the others' slots, by mark */
    uint32_t asking; /* root of the heap of those own slots that may have to be asked, by mark */
    uint32_t place;  /* in the heap of cells */
    uint32_t peak;
} engine_cell;

/* Matching */

/* A table of the pairs that have items: where the first of a pair is, and enough of the pair's hash
 * to move entries about without looking there. */
typedef struct {
    uint32_t hash;
    uint32_t item; /* ENGINE_NONE: empty */
} pair_entry;

typedef struct {
    pair_entry *entries;
    size_t count, room; /* room is a power of two */
} pair_table;

/* Of each processor as receiver. */
typedef struct {
    uint32_t arrivals; /* first of the sends in a ring; with open 0 the only one, in no table */
    uint32_t open;     /* how many items it has in the table */
    uint32_t direct;   /* a blocked sender that came first and is in neither, or ENGINE_NONE */
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

typedef struct ccmod_engine ccmod_engine;

/* How messages share the links. */
typedef struct {
    ccmod_status (*open)(ccmod_engine *engine);
    void (*close)(ccmod_engine *engine);
    /* The message, with its slots made, has `work_us` of quiet time to do from now on. */
    ccmod_status (*start)(ccmod_engine *engine, uint32_t message, double work_us);
    /* All that starts in this instant has started. */
    ccmod_status (*settle)(ccmod_engine *engine);
    /* When the traffic changes by itself: the next end of a message or change of background;
     * infinite when nothing moves. */
    double (*next)(ccmod_engine *engine);
    /* Go to engine->now_us. Messages that end within an instant are taken off the links and put
     * behind engine->ended, after the rates before any of them was taken off. */
    ccmod_status (*pass)(ccmod_engine *engine);
    /* In mode split the latency passes behind the links and not before them: messages come to their
     * first link in the order of their sends. */
    bool latency_behind;
} flow_operations;

extern const flow_operations ccmod_flows_clock, ccmod_flows_plain, ccmod_flows_fifo;

/* An array of 32-bit numbers. */
typedef struct {
    uint32_t *values;
    size_t count, room;
} engine_list;

struct ccmod_engine {
    ccmod_workload *workload;
    const ccmod_network *network;
    const ccmod_calibration *calibration;
    ccmod_parameters parameters;
    const ccmod_observer *observers;
    size_t observer_count;
    uint32_t wanted; /* by any observer */
    ccmod_error *error;

    double now_us;
    event_queue queue;
    engine_list ready; /* processors that go on in this instant */
    uint64_t *bits;    /* of processors, all zero: scratch of sorting */
    engine_list ended; /* messages that left the links in this instant */
    size_t live;       /* messages on links */
    uint64_t cycles, messages, finished;
    rate_record rate;    /* of the receives that are counted */
    uint64_t next_check; /* with how many of them the rate is looked at again */
    ccmod_stop stopped_by;

    engine_processor *processors;
    size_t processor_count;
    size_t ended_count, in_barrier;
    engine_measured *measured; /* NULL until a record has a measured time */
    ccmod_comparison comparison;

    engine_message *pool; /* of messages and items */
    size_t message_count, message_room;
    uint32_t free_message; /* list by sibling */
    uint64_t *ids;         /* of the messages, for observers; NULL without */
    engine_fan *fans;
    size_t fan_count, fan_room;
    uint32_t free_fan; /* list by next */
    engine_slot *slots;
    size_t slot_count, slot_room;
    uint32_t free_slots[32]; /* lists by sibling: blocks of 1, 2, 4... slots */
    size_t known_hops; /* of a message whose delay is known, since many are alike; 0: none is */
    uint64_t known_bytes;
    ccmod_delay known_delay;
    uint32_t *route; /* scratch */
    size_t route_room;

    match_place *places;
    pair_table pairs;
    uint64_t posted;

    const flow_operations *flows;
    engine_cell *cells;
    size_t cell_count;
    double *loads;     /* of each cell, in `interval`; NULL without background */
    uint32_t *drawn;   /* the interval that the load belongs to, plus 1; NULL when constant */
    uint64_t interval; /* of background */
    void *flow;        /* the share's own */
};

ccmod_status ccmod_engine_append_slowly(ccmod_engine *engine, engine_list *list, uint32_t value);
ccmod_status ccmod_engine_no_memory(ccmod_engine *engine);

static inline ccmod_status engine_append(ccmod_engine *engine, engine_list *list, uint32_t value)
{
    if (list->count == list->room)
        return ccmod_engine_append_slowly(engine, list, value);
    list->values[list->count++] = value;
    return CCMOD_OK;
}

/* Queue */
ccmod_status ccmod_queue_push(ccmod_engine *engine, double time_us, event_kind kind,
                              uint32_t subject);
double ccmod_queue_next(const event_queue *queue); /* infinite when it is empty */
engine_event ccmod_queue_pop(ccmod_engine *engine);
void ccmod_queue_free(event_queue *queue);

/* A place in the pool, for a message or an item; and back. Hot. Of a million messages none is in a
 * cache: the place that is taken next is fetched ahead. */
ccmod_status ccmod_pool_take_new(ccmod_engine *engine, uint32_t *out);

static inline ccmod_status engine_pool_take(ccmod_engine *engine, uint32_t *out)
{
    if (engine->free_message == ENGINE_NONE)
        return ccmod_pool_take_new(engine, out);
    *out = engine->free_message;
    engine->free_message = engine->pool[*out].sibling;
    if (engine->free_message != ENGINE_NONE)
        __builtin_prefetch(&engine->pool[engine->free_message], 1);
    return CCMOD_OK;
}

static inline void engine_pool_give(ccmod_engine *engine, uint32_t number)
{
    engine->pool[number].sibling = engine->free_message;
    engine->free_message = number;
}

/* Messages. `flags`: EAGER, SENDER_BLOCKED, RECEIVER_BLOCKED, MATCHED. */
ccmod_status ccmod_message_start(ccmod_engine *engine, uint32_t source, uint32_t destination,
                                 uint64_t size_bytes, uint32_t line, uint32_t flags, uint32_t *out);
/* A multicast, not started; its fan has all receivers unmatched. */
ccmod_status ccmod_message_make_fan(ccmod_engine *engine, uint32_t source,
                                    const ccmod_record *record, uint32_t flags, uint32_t *out);
ccmod_status ccmod_message_start_fan(ccmod_engine *engine, uint32_t message);
/* A receive for it was posted by `receiver`; *arrived: it is there already. */
ccmod_status ccmod_message_match(ccmod_engine *engine, uint32_t message, uint32_t receiver,
                                 bool blocked, bool *arrived);
ccmod_status ccmod_message_flow(ccmod_engine *engine, uint32_t message); /* its latency is over */
ccmod_status ccmod_message_arrive(ccmod_engine *engine,
                                  uint32_t message); /* its last byte is there */
/* The parts of its delay on the quiet network; what links add to it is in the latency. */
ccmod_delay ccmod_message_delay(ccmod_engine *engine, const engine_message *message);
double ccmod_message_links_latency(const ccmod_engine *engine, const engine_message *message);
void ccmod_messages_free(ccmod_engine *engine);

/* Matching: the message starts when both halves are there. */
ccmod_status ccmod_match_send(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                              uint32_t flags);
ccmod_status ccmod_match_fan(ccmod_engine *engine, uint32_t source, const ccmod_record *record,
                             uint32_t flags);
/* *done: the message had arrived already. */
ccmod_status ccmod_match_receive(ccmod_engine *engine, uint32_t receiver,
                                 const ccmod_record *record, bool blocked, bool *done);
/* The first send or receive that nobody answered, as an error; CCMOD_OK when there is none. */
ccmod_status ccmod_match_check_empty(ccmod_engine *engine);

/* Processors */
ccmod_status ccmod_processor_run(ccmod_engine *engine, uint32_t processor);
/* A send or receive of it is complete; its message started at start_us. */
ccmod_status ccmod_processor_finish(ccmod_engine *engine, uint32_t processor, bool blocked,
                                    ccmod_activity activity, double start_us);
ccmod_status ccmod_processor_resume(ccmod_engine *engine, uint32_t processor);
ccmod_status ccmod_processors_leave_barrier(ccmod_engine *engine);

/* Who waits for whom, when nothing can happen any more: always an error. */
ccmod_status ccmod_engine_explain_standstill(ccmod_engine *engine);

/* Background */

/* Loads that never change are filled in; others are drawn for a cell when a message comes to it. */
ccmod_status ccmod_background_open(ccmod_engine *engine);
bool ccmod_background_varies(const ccmod_engine *engine);
/* A message comes to the links: its cells have the load of this interval. */
void ccmod_background_admit(ccmod_engine *engine, const engine_message *message);
/* engine->interval has gone on: so have the loads of the message's cells. */
void ccmod_background_refresh(ccmod_engine *engine, const engine_message *message);
/* When the interval ends, as far as anybody cares: without drawn loads and without messages on the
 * links never. */
static inline double engine_background_boundary(const ccmod_engine *engine)
{
    if (engine->drawn == NULL || engine->live == 0)
        return HUGE_VAL;
    return (double)(engine->interval + 1) * engine->parameters.background_interval_us;
}

/* How much faster a message would be on the quiet network: messages a width, at least 1. */
static inline double cell_pressure_of(const ccmod_engine *engine, uint32_t cell, double count)
{
    if (engine->network->widths != NULL)
        count /= engine->network->widths[cell];
    return count > 1 ? count : 1;
}

static inline double cell_pressure(const ccmod_engine *engine, uint32_t cell)
{
    return cell_pressure_of(engine, cell, engine->cells[cell].count);
}

static inline double cell_load(const ccmod_engine *engine, uint32_t cell)
{
    return engine->loads != NULL ? engine->loads[cell] : 0;
}

/* How long `work_us` of quiet time take here. */
static inline double cell_time(const ccmod_engine *engine, uint32_t cell, double work_us)
{
    double time_us = work_us * cell_pressure(engine, cell);

    return engine->loads != NULL ? time_us / (1 - engine->loads[cell]) : time_us;
}

/* BA of the messages whose bottleneck is here. */
static inline double cell_availability(const ccmod_engine *engine, uint32_t cell)
{
    return (1 - cell_load(engine, cell)) / cell_pressure(engine, cell);
}

/* Whether a message on both has its bottleneck on `left`: more contention, or as much and a higher
 * background load. */
static inline bool cell_presses_more(const ccmod_engine *engine, uint32_t left, uint32_t right)
{
    double a, b;

    if (engine->network->widths == NULL && engine->loads == NULL)
        return engine->cells[left].count > engine->cells[right].count &&
               engine->cells[left].count > 1;
    a = cell_pressure(engine, left);
    b = cell_pressure(engine, right);
    return a > b || (!(a < b) && cell_load(engine, left) > cell_load(engine, right));
}

/* Hot. The delay of a message on the quiet network but for what its links add; until the next call.
 */
static inline const ccmod_delay *engine_quiet_delay(ccmod_engine *engine, size_t hops,
                                                    uint64_t bytes)
{
    if (bytes != engine->known_bytes || hops != engine->known_hops) {
        engine->known_bytes = bytes;
        engine->known_hops = hops;
        engine->known_delay = ccmod_quiet_delay(engine->network, engine->calibration, hops, bytes);
    }
    return &engine->known_delay;
}

/* How long after its start a message comes to its first link, and how long behind its last one it
 * is there. In mode paper the links have it all the time. */
static inline double engine_before_links_us(const ccmod_engine *engine, const ccmod_delay *delay)
{
    if (engine->parameters.mode != CCMOD_SPLIT)
        return 0;
    return engine->flows->latency_behind ? delay->overhead_us
                                         : delay->overhead_us + delay->latency_us;
}

static inline double engine_behind_links_us(const ccmod_engine *engine, const ccmod_delay *delay)
{
    bool behind = engine->flows->latency_behind && engine->parameters.mode == CCMOD_SPLIT;

    return behind ? delay->latency_us : 0;
}

/* A receive of the processor is complete. */
static inline void engine_note_receive(ccmod_engine *engine, uint32_t processor)
{
    if (processor == engine->parameters.rate_of)
        ccmod_rate_note(&engine->rate, engine->now_us);
}

/* Of numbers that are none of them NaN; fmax, which looks for those, would be a call. */
static inline double engine_larger(double left, double right)
{
    return left > right ? left : right;
}

static inline double engine_smaller(double left, double right)
{
    return left < right ? left : right;
}

/* How far apart events may be and still be one instant. Never less than what the clock can tell
 * apart, else a time that is left could be too short for it to advance at all. */
static inline double engine_instant_us(const ccmod_engine *engine)
{
    return engine_larger(ENGINE_INSTANT_US, engine->now_us * 4 * DBL_EPSILON);
}

static inline bool engine_wants(const ccmod_engine *engine, ccmod_signal_kind kind)
{
    return (engine->wanted & CCMOD_WANTS(kind)) != 0;
}

/* Signals */

ccmod_status ccmod_signal_send(ccmod_engine *engine, ccmod_signal *signal, ccmod_signal_kind kind);
ccmod_status ccmod_signal_send_event(ccmod_engine *engine, ccmod_signal_kind kind,
                                     uint32_t processor, const ccmod_record *record);

static inline ccmod_status signal_event(ccmod_engine *engine, ccmod_signal_kind kind,
                                        uint32_t processor, const ccmod_record *record)
{
    return engine_wants(engine, kind) ? ccmod_signal_send_event(engine, kind, processor, record)
                                      : CCMOD_OK;
}

/* `message` as it is now; the caller may fill in the steady state before it sends it. */
void ccmod_signal_describe(ccmod_engine *engine, uint32_t message, ccmod_signal *signal);

#endif
