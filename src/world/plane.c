/* The control plane in memory: the last member of a call carries it out for all, and wakes them. It
 * takes no time. */
#include "world/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

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

cb_status world_meeting_open(size_t size, world_meeting **out)
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
    world_meeting_free(meeting);
    *out = NULL;
    return CB_ERROR_MEMORY;
}

void world_meeting_free(world_meeting *meeting)
{
    if (meeting == NULL)
        return;
    free(meeting->ranks);
    free(meeting->mine);
    free(meeting->all);
    free(meeting);
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
        CB_TRY(world_meeting_open(count, at));
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
        world_meeting_free(team->meeting);
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

static cb_status tell(control *plane, int rank, const void *note, size_t bytes)
{
    world_rank *me = rank_of(plane);
    const uint32_t number = ((world_plane *)plane)->everyone.meeting->ranks[rank];
    world_rank *to = &me->in->ranks[number];
    world_note *told = cb_allocate(1, sizeof(*told) + bytes, "a note");

    if (told == NULL)
        return CB_ERROR_MEMORY;
    told->bytes = bytes;
    memcpy(told->content, note, bytes);
    *to->notes_end = told;
    to->notes_end = &told->next;
    world_call(me, &(ccmod_record){.kind = CCMOD_WAKE, .list = &number, .list_count = 1});
    return CB_OK;
}

static cb_status hear(control *plane, void *note, size_t bytes)
{
    world_rank *me = rank_of(plane);
    world_note *first = me->notes;

    if (first == NULL)
        return CB_EMPTY;
    me->notes = first->next;
    if (me->notes == NULL)
        me->notes_end = &me->notes;
    memcpy(note, first->content, bytes < first->bytes ? bytes : first->bytes);
    free(first);
    return CB_OK;
}

static cb_status await(control *plane, void *note, size_t bytes)
{
    while (hear(plane, note, bytes) == CB_EMPTY)
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

void world_plane_open(world_rank *me, world_meeting *everyone)
{
    me->plane = (world_plane){
        .base = {.operations = &operations, .everyone = &me->plane.everyone.base},
        .everyone = {
            .base = {&operations, everyone->size, me->number}, .me = me, .meeting = everyone}};
    me->notes_end = &me->notes;
}

void world_plane_close(world_rank *me)
{
    while (me->notes != NULL) {
        world_note *first = me->notes;

        me->notes = first->next;
        free(first);
    }
}
