/* The control plane in memory: the last member of a call carries it out for all, and wakes them. It
 * takes no time. */
#include "world/plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "control/operations.h"

/* Members of a team, and their collective call under way. */
struct world_meeting {
    world_meeting *next; /* of those that some members have not joined */
    uint32_t *ranks;
    size_t size, joined, left; /* members: all, and that made or freed their teams */
    size_t arrived;            /* members in the call */
    uint64_t calls;            /* that are over */
    const void **mine;         /* of each member in the call */
    void **all;
};

typedef struct {
    control_team base;
    world_rank *me;
    world_meeting *meeting;
    uint64_t maximum; /* number of the call of control_maximum_begin */
} world_team;

typedef struct note {
    struct note *next;
    size_t bytes;
    unsigned char content[];
} note;

struct world_plane {
    control base;
    world_team everyone;
    note *notes, **notes_end; /* for the rank */
};

static world_team *team_of(control_team *team)
{
    return (world_team *)team;
}

static world_rank *rank_of(control *plane)
{
    return ((world_plane *)plane)->everyone.me;
}

world_rank *world_rank_of(control_team *team)
{
    return team_of(team)->me;
}

static void meeting_free(world_meeting *meeting)
{
    if (meeting == NULL)
        return;
    free(meeting->ranks);
    free(meeting->mine);
    free(meeting->all);
    free(meeting);
}

static cb_status meeting_open(size_t size, world_meeting **out)
{
    world_meeting *meeting = cb_allocate(1, sizeof(*meeting), "a team");

    if (meeting == NULL)
        return CB_ERROR_MEMORY;
    meeting->size = size;
    meeting->ranks = cb_allocate(size, sizeof(*meeting->ranks), "a team");
    meeting->mine = cb_allocate(size, sizeof(*meeting->mine), "a team");
    meeting->all = cb_allocate(size, sizeof(*meeting->all), "a team");
    *out = meeting;
    if (meeting->ranks != NULL && meeting->mine != NULL && meeting->all != NULL)
        return CB_OK;
    meeting_free(meeting);
    *out = NULL;
    return CB_ERROR_MEMORY;
}

/* Collective calls */

static void find_maxima(const world_meeting *meeting, size_t count)
{
    double *first = meeting->all[0];

    for (size_t i = 1; i < meeting->size; i++) {
        const double *other = meeting->all[i];

        for (size_t k = 0; k < count; k++)
            first[k] = fmax(first[k], other[k]);
    }
}

static void add_up(const world_meeting *meeting, size_t count)
{
    uint64_t *first = meeting->all[0];

    for (size_t i = 1; i < meeting->size; i++) {
        const uint64_t *other = meeting->all[i];

        for (size_t k = 0; k < count; k++)
            first[k] += other[k];
    }
}

static void carry_out(const world_meeting *meeting, control_meeting what, size_t bytes)
{
    unsigned char *first = meeting->all[0];
    size_t everywhere = bytes; /* what all members get as the first one has it */

    if (what == CONTROL_MAXIMUM)
        find_maxima(meeting, bytes / sizeof(double));
    else if (what == CONTROL_SUM)
        add_up(meeting, bytes / sizeof(uint64_t));
    else if (what == CONTROL_GATHER || what == CONTROL_EXCHANGE)
        for (size_t i = 0; i < meeting->size; i++)
            memcpy(first + i * bytes, meeting->mine[i], bytes);
    if (what == CONTROL_BARRIER || what == CONTROL_GATHER || what == CONTROL_SUM)
        return;
    if (what == CONTROL_EXCHANGE)
        everywhere = meeting->size * bytes;
    for (size_t i = 1; i < meeting->size; i++)
        memcpy(meeting->all[i], first, everywhere);
}

/* Take part. Returns whether the call is over. */
static bool arrive(world_team *team, control_meeting what, const void *mine, size_t bytes,
                   void *all)
{
    world_meeting *meeting = team->meeting;

    meeting->mine[team->base.index] = mine;
    meeting->all[team->base.index] = all;
    if (++meeting->arrived < meeting->size)
        return false;
    carry_out(meeting, what, bytes);
    meeting->arrived = 0;
    meeting->calls++;
    world_call(
        team->me,
        &(ccmod_record){.kind = CCMOD_WAKE, .list = meeting->ranks, .list_count = meeting->size});
    return true;
}

static void await_call(const world_team *team, uint64_t number)
{
    while (team->meeting->calls == number)
        world_wait(team->me);
}

static cb_status meet(control_team *base, control_meeting what, const void *mine, size_t bytes,
                      void *all)
{
    world_team *team = team_of(base);
    const uint64_t number = team->meeting->calls;

    if (!arrive(team, what, mine, bytes, all))
        await_call(team, number);
    if (team->meeting->size == team->me->in->count)
        world_note(team->me, &(ccmod_record){.kind = CCMOD_BARRIER});
    return CB_OK;
}

static cb_status maximum_begin(control_team *base, double *values, size_t count)
{
    world_team *team = team_of(base);

    team->maximum = team->meeting->calls;
    (void)arrive(team, CONTROL_MAXIMUM, values, count * sizeof(*values), values);
    return CB_OK;
}

static cb_status maximum_advance(control_team *base)
{
    (void)base;
    return CB_OK;
}

static cb_status maximum_end(control_team *base)
{
    await_call(team_of(base), team_of(base)->maximum);
    return CB_OK;
}

/* Clocks are one. */
static cb_status synchronise(control *plane, control_clock *clock)
{
    *clock = (control_clock){.at_ns = cb_now_ns()};
    return control_barrier(plane->everyone);
}

/* Teams */

static bool has_members(const world_meeting *meeting, const world_meeting *of, const int *ranks,
                        size_t count)
{
    if (meeting->size != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (meeting->ranks[i] != of->ranks[ranks[i]])
            return false;
    return true;
}

/* The first member makes the meeting, the last one takes it from the list. */
static cb_status join(control *plane, const int *ranks, size_t count, world_team *out)
{
    world_rank *me = rank_of(plane);
    const world_meeting *whole = ((world_plane *)plane)->everyone.meeting;
    world_meeting **at = &me->in->meetings;
    world_meeting *meeting;

    while (*at != NULL && !has_members(*at, whole, ranks, count))
        at = &(*at)->next;
    if (*at == NULL) {
        CB_TRY(meeting_open(count, at));
        for (size_t i = 0; i < count; i++)
            (*at)->ranks[i] = whole->ranks[ranks[i]];
    }
    meeting = *at;
    if (++meeting->joined == count)
        *at = meeting->next;
    *out = (world_team){
        .base = {.operations = plane->operations, .size = count}, .me = me, .meeting = meeting};
    while (meeting->ranks[out->base.index] != me->number)
        out->base.index++;
    return CB_OK;
}

static void leave(const world_team *team)
{
    if (++team->meeting->left == team->meeting->size)
        meeting_free(team->meeting);
}

static cb_status team_create(control *plane, const int *ranks, size_t count, control_team **out)
{
    world_team *team = cb_allocate(1, sizeof(*team), "a team");
    cb_status status = team != NULL ? join(plane, ranks, count, team) : CB_ERROR_MEMORY;

    if (status != CB_OK) {
        free(team);
        return status;
    }
    *out = &team->base;
    return CB_OK;
}

static void team_free(control_team *team)
{
    leave(team_of(team));
    free(team);
}

static cb_status part_create(control *plane, const int *ranks, size_t count, control **out)
{
    world_plane *part = cb_allocate(1, sizeof(*part), "a part of the control plane");
    cb_status status = part != NULL ? join(plane, ranks, count, &part->everyone) : CB_ERROR_MEMORY;

    if (status != CB_OK) {
        free(part);
        return status;
    }
    part->base = *plane;
    part->base.everyone = &part->everyone.base;
    *out = &part->base;
    return CB_OK;
}

static void part_free(control *part)
{
    leave(&((world_plane *)part)->everyone);
    free(part);
}

/* Notes */

static cb_status tell(control *plane, int rank, const void *content, size_t bytes)
{
    world_rank *me = rank_of(plane);
    const uint32_t number = ((world_plane *)plane)->everyone.meeting->ranks[rank];
    world_plane *to = me->in->ranks[number].plane;
    note *told = cb_allocate(1, sizeof(*told) + bytes, "a note");

    if (told == NULL)
        return CB_ERROR_MEMORY;
    told->bytes = bytes;
    memcpy(told->content, content, bytes);
    *to->notes_end = told;
    to->notes_end = &told->next;
    world_call(me, &(ccmod_record){.kind = CCMOD_WAKE, .list = &number, .list_count = 1});
    return CB_OK;
}

static cb_status hear(control *plane, void *out, size_t bytes)
{
    world_plane *mine = rank_of(plane)->plane;
    note *first = mine->notes;

    if (first == NULL)
        return CB_EMPTY;
    mine->notes = first->next;
    if (mine->notes == NULL)
        mine->notes_end = &mine->notes;
    memcpy(out, first->content, bytes < first->bytes ? bytes : first->bytes);
    free(first);
    return CB_OK;
}

static cb_status await(control *plane, void *out, size_t bytes)
{
    while (hear(plane, out, bytes) == CB_EMPTY)
        world_wait(rank_of(plane));
    return CB_OK;
}

/* The plane of a rank */

static const char *library(const control *plane)
{
    (void)plane;
    return NULL;
}

static void settings(const control *plane,
                     void (*visit)(const char *name, const char *value, void *context),
                     void *context)
{
    (void)plane;
    (void)visit;
    (void)context;
}

/* The world closes it. */
static void close_plane(control *plane)
{
    (void)plane;
}

static const control_operations operations = {
    .close = close_plane,
    .library = library,
    .settings = settings,
    .team_create = team_create,
    .team_free = team_free,
    .part_create = part_create,
    .part_free = part_free,
    .tell = tell,
    .hear = hear,
    .await = await,
    .meet = meet,
    .maximum_begin = maximum_begin,
    .maximum_advance = maximum_advance,
    .maximum_end = maximum_end,
    .synchronise = synchronise,
};

control *world_plane_of(world_rank *me)
{
    return &me->plane->base;
}

cb_status world_planes_open(world *all)
{
    world_plane *planes = cb_allocate(all->count, sizeof(*planes), "the control plane");
    world_meeting *everyone = NULL;

    if (planes == NULL)
        return CB_ERROR_MEMORY;
    for (uint32_t rank = 0; rank < all->count; rank++)
        all->ranks[rank].plane = &planes[rank];
    CB_TRY(meeting_open(all->count, &everyone));
    for (uint32_t rank = 0; rank < all->count; rank++) {
        everyone->ranks[rank] = rank;
        planes[rank] = (world_plane){
            .base = {.operations = &operations, .everyone = &planes[rank].everyone.base},
            .everyone = {.base = {&operations, all->count, rank},
                         .me = &all->ranks[rank],
                         .meeting = everyone},
            .notes_end = &planes[rank].notes};
    }
    return CB_OK;
}

/* After an error there are meetings that some ranks have not left. */
void world_planes_close(world *all)
{
    if (all->ranks == NULL || all->ranks[0].plane == NULL)
        return;
    for (size_t rank = 0; rank < all->count; rank++)
        while (all->ranks[rank].plane->notes != NULL) {
            note *first = all->ranks[rank].plane->notes;

            all->ranks[rank].plane->notes = first->next;
            free(first);
        }
    meeting_free(all->ranks[0].plane->everyone.meeting);
    free(all->ranks[0].plane);
}
