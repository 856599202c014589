/* A rank of a world: a coroutine, what the model does for it, and what others left for it. */
#ifndef WORLD_RANK_H
#define WORLD_RANK_H

#include <ccmod/ccmod.h>

#include "base/coroutine.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "transport/buffer.h"
#include "world/record.h"

typedef struct world world;
typedef struct world_rank world_rank;
typedef struct world_meeting world_meeting;
typedef struct world_plane world_plane;

struct world_rank {
    world *in;
    uint32_t number;
    ccmod_record record; /* what it does */
    size_t pending;      /* sends that are not complete */
    bool posted;         /* a receive is posted for the next message */
    cb_random random;
    cb_status status; /* of its part */
    cb_log_context log;
    world_plane *plane;
    transport_factory *listener; /* that gets its messages, or NULL */
};

struct world {
    size_t count;
    bool has_multicasts;     /* the share rule can carry them, or */
    bool multicasts_by_tree; /* they are sends among the members */
    bool multicasts_sent;
    world_recorder *recorder; /* of --emit-trace, or NULL */
    world_rank *ranks;
    cb_coroutines *coroutines;
    world_rank *current;
    double now_us;
    uint64_t messages;              /* sent so far */
    const ccmod_workload *workload; /* what is evaluated, */
    const ccmod_network *network;   /* and where */
    double *work_us;                /* of processors and links when the usage began */
    size_t busiest;                 /* of the last usage: a processor or, after them, a link, */
    double busy_us;                 /* and its work */
    cb_status status;               /* of the first part that failed */
    world_meeting *meetings;        /* of teams that some members have not joined */
    transport_buffer *resting;      /* messages without use, */
    size_t resting_bytes;           /* with room for this number of bytes each */
};

/* Hot. The rank leaves, and comes back when the record is done. */
void world_call(world_rank *me, const ccmod_record *record);

/* Hot. The rank has done this: a record for the trace of --emit-trace. */
void world_note(world_rank *me, const ccmod_record *done);

/* Wait until something happens to the rank: a message arrives, a send is complete, another rank
 * wakes it; for at most `us`. */
void world_wait_us(world_rank *me, double us);
void world_wait(world_rank *me);

#endif
