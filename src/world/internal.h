/* Between the modules of this folder. */
#ifndef WORLD_INTERNAL_H
#define WORLD_INTERNAL_H

#include "base/coroutine.h"
#include "base/log.h"
#include "base/random.h"
#include "control/operations.h"
#include "world/mailbox.h"
#include "world/world.h"

/* A message under way, received, or without use. */
typedef struct world_message {
    transport_buffer base; /* base.next: without use */
    mailbox_item item;
} world_message;

/* Members of a team, and their collective call under way. */
typedef struct world_meeting {
    struct world_meeting *next; /* of those that some members have not joined */
    uint32_t *ranks;
    size_t size, joined, left; /* members: all, and that made or freed their teams */
    size_t arrived;            /* members in the call */
    uint64_t calls;            /* that are over */
    const void **mine;         /* of each member in the call */
    void **all;
} world_meeting;

typedef struct {
    control_team base;
    world_rank *me;
    world_meeting *meeting;
    uint64_t maximum; /* number of the call of control_maximum_begin */
} world_team;

typedef struct world_note {
    struct world_note *next;
    size_t bytes;
    unsigned char content[];
} world_note;

typedef struct {
    control base;
    world_team everyone;
} world_plane;

struct world_rank {
    world *in;
    uint32_t number;
    ccmod_record record; /* what it does */
    size_t pending;      /* sends that are not complete */
    bool posted;         /* a receive is posted for the next message */
    cb_random random;
    cb_status status; /* of its part */
    cb_log_context log;
    world_plane plane;
    world_note *notes, **notes_end;
    transport_factory *listener; /* that gets its messages, or NULL */
};

struct world {
    const world_setting *setting;
    cb_coroutines *coroutines;
    world_rank *ranks;
    world_rank *current;
    double now_us;
    cb_status status; /* of the first part that failed */
    world_meeting *meetings;
    transport_buffer *resting; /* messages without use, */
    size_t resting_bytes;      /* with room for so many bytes each */
};

/* Hot. The rank leaves, and comes back when the record is done. */
void world_call(world_rank *me, const ccmod_record *record);

/* Wait until something happens to the rank: a message arrives, a send is complete, another rank
 * wakes it; without end. */
void world_wait(world_rank *me);

/* All members are in the meeting's team of the world's ranks. CB_ERROR_MEMORY, logged. */
cb_status world_meeting_open(size_t size, world_meeting **out);
void world_meeting_free(world_meeting *meeting);
void world_plane_open(world_rank *me, world_meeting *everyone);
void world_plane_close(world_rank *me);

/* The rank whose team it is. */
world_rank *world_rank_of(control_team *team);

/* A message for the rank has arrived. CB_ERROR_MEMORY, logged. */
cb_status world_deliver(world_rank *me, uint32_t from, world_message *message);

#endif
