/* A trace as a workload: a cursor for each processor into the shared code. Loops are executed, not
 * unrolled, so a processor needs only a cursor and the indices of its loops. */
#include <ccmod/workload.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/traces/expressions.h"
#include "model/traces/trace.h"

enum {
    IDLE_JUMPS = 1 << 20
}; /* iterations of loops without a record that are considered a mistake */

typedef struct {
    uint32_t at;      /* next operation; 0 before the first section */
    uint32_t section; /* where the search for the next section starts */
    uint32_t draws;   /* number of random numbers used */
} trace_cursor;

typedef struct {
    ccmod_workload workload;
    const ccmod_trace *trace;
    uint64_t seed;
    trace_cursor *cursors;
    int64_t *loops; /* loop indices: trace->deepest per processor */
    uint32_t *list; /* of the last multicast */
    size_t list_room;
} trace_player;

/* Context of the evaluation of a field. */
typedef struct {
    trace_player *player;
    uint32_t processor;
    const trace_operation *operation;
    ccmod_error *error;
} record_place;

static int64_t *loops_of(const record_place *place)
{
    return place->player->loops + (size_t)place->processor * place->player->trace->deepest;
}

static ccmod_status report_field(const record_place *place, const char *field, int64_t largest)
{
    int64_t index = place->operation->depth > 0 ? loops_of(place)[place->operation->depth - 1] : 0;

    return ccmod_fail(place->error, CCMOD_ERROR_USAGE, place->player->trace->name,
                      place->operation->line,
                      "the %s of rank %u, at index %lld of its loop, is not between 0 and %lld, or "
                      "cannot be computed; correct the expression",
                      field, place->processor, (long long)index, (long long)largest);
}

static ccmod_status evaluate(const record_place *place, uint32_t expression, const char *field,
                             int64_t largest, int64_t *value)
{
    const trace_operation *operation = place->operation;
    int64_t index = operation->depth > 0 ? loops_of(place)[operation->depth - 1] : 0;

    if (!ccmod_trace_evaluate(place->player->trace, expression, index, place->processor, value) ||
        *value < 0 || *value > largest)
        return report_field(place, field, largest);
    return CCMOD_OK;
}

/* Fields of a record */

static ccmod_status fill_peer(const record_place *place, ccmod_record *record)
{
    const trace_operation *operation = place->operation;
    int64_t peer;

    if ((operation->flags & (TRACE_ANY | TRACE_A_EXPRESSION)) == 0) {
        record->peer = operation->a;
        return CCMOD_OK;
    }
    if ((operation->flags & TRACE_ANY) != 0) {
        record->peer = CCMOD_ANY;
        return CCMOD_OK;
    }
    CCMOD_TRY(
        evaluate(place, operation->a, "peer", (int64_t)place->player->trace->ranks - 1, &peer));
    record->peer = (uint32_t)peer;
    return CCMOD_OK;
}

static ccmod_status fill_size(const record_place *place, ccmod_record *record)
{
    int64_t size = place->operation->b;

    if ((place->operation->flags & TRACE_ANY_SIZE) != 0) {
        record->size_bytes = CCMOD_ANY_SIZE;
        return CCMOD_OK;
    }
    if ((place->operation->flags & TRACE_B_EXPRESSION) != 0)
        CCMOD_TRY(evaluate(place, place->operation->b, "size", TRACE_LARGEST_SIZE, &size));
    record->size_bytes = (uint64_t)size;
    return CCMOD_OK;
}

static ccmod_status fill_message(const record_place *place, ccmod_record *record)
{
    CCMOD_TRY(fill_peer(place, record));
    return fill_size(place, record);
}

/* Uniform in (0, 1]: a pure function of seed, processor and number of the draw. */
static double draw(const record_place *place)
{
    uint64_t number = place->player->cursors[place->processor].draws++;
    cb_random random = cb_random_seed(cb_mix64(place->player->seed ^ cb_mix64(place->processor)) ^
                                      cb_mix64(number + 1));

    return 1 - cb_random_unit(&random);
}

static double draw_time(const record_place *place, const trace_distribution *distribution)
{
    const double turn = 6.283185307179586;
    double first = draw(place), radius;

    switch (distribution->kind) {
    case TRACE_EXPONENTIAL:
        return -distribution->first * log(first);
    case TRACE_UNIFORM:
        return distribution->second - first * (distribution->second - distribution->first);
    default: /* normal, truncated at 0: times are not negative */
        radius = sqrt(-2 * log(first)) * distribution->second;
        return fmax(0, distribution->first + radius * cos(turn * draw(place)));
    }
}

static ccmod_status fill_time(const record_place *place, ccmod_record *record)
{
    const trace_operation *operation = place->operation;
    const ccmod_trace *trace = place->player->trace;
    int64_t time;

    if ((operation->flags & TRACE_DISTRIBUTION) != 0) {
        record->time_us = draw_time(place, &trace->distributions[operation->a]);
        return CCMOD_OK;
    }
    if ((operation->flags & TRACE_TIME_EXPRESSION) == 0) {
        record->time_us = operation->value;
        return CCMOD_OK;
    }
    CCMOD_TRY(evaluate(place, operation->a, "time",
                       (int64_t)(TRACE_LARGEST_TIME_US / trace->unit_us), &time));
    record->time_us = (double)time * trace->unit_us;
    return CCMOD_OK;
}

/* The members of a list except for the sender. */
static size_t expand(const record_place *place, const trace_range *ranges, size_t count,
                     uint32_t *list)
{
    size_t length = 0;

    for (size_t i = 0; i < count; i++) {
        for (uint32_t rank = ranges[i].first; rank <= ranges[i].last; rank++) {
            if (rank != place->processor)
                list[length++] = rank;
        }
    }
    return length;
}

static bool contains(const trace_range *ranges, size_t count, uint32_t rank)
{
    for (size_t i = 0; i < count; i++) {
        if (rank >= ranges[i].first && rank <= ranges[i].last)
            return true;
    }
    return false;
}

static size_t length_of(const trace_range *ranges, size_t count)
{
    size_t length = 0;

    for (size_t i = 0; i < count; i++)
        length += (size_t)ranges[i].last - ranges[i].first + 1;
    return length;
}

static ccmod_status make_room(const record_place *place, size_t length)
{
    trace_player *player = place->player;
    uint32_t *wider;

    if (length <= player->list_room)
        return CCMOD_OK;
    wider = realloc(player->list, length * sizeof(*wider));
    if (wider == NULL)
        return ccmod_fail(place->error, CCMOD_ERROR_MEMORY, player->trace->name,
                          place->operation->line, "cannot list %zu receivers: out of memory",
                          length);
    player->list = wider;
    player->list_room = length;
    return CCMOD_OK;
}

static ccmod_status fill_multicast(const record_place *place, ccmod_record *record)
{
    const ccmod_trace *trace = place->player->trace;
    const trace_operation *operation = place->operation;
    bool others = (operation->flags & TRACE_OTHERS) != 0;
    const trace_range all = {0, trace->ranks - 1};
    const trace_range *ranges = others ? &all : trace->ranges + trace->lists[operation->a].first;
    size_t count = others ? 1 : trace->lists[operation->a].count;

    if (!others && contains(ranges, count, place->processor))
        return ccmod_fail(place->error, CCMOD_ERROR_USAGE, trace->name, operation->line,
                          "rank %u is in the list of its own multicast; remove it, or write * "
                          "for all others",
                          place->processor);
    CCMOD_TRY(make_room(place, length_of(ranges, count)));
    record->list = place->player->list;
    record->list_count = expand(place, ranges, count, place->player->list);
    return fill_size(place, record);
}

static ccmod_status fill_nothing(const record_place *place, ccmod_record *record)
{
    (void)place;
    (void)record;
    return CCMOD_OK;
}

static ccmod_status (*const fillers[CCMOD_RECORDS])(const record_place *place,
                                                    ccmod_record *record) = {
    [CCMOD_END] = fill_nothing,
    [CCMOD_COMPUTE] = fill_time,
    [CCMOD_SEND] = fill_message,
    [CCMOD_RECEIVE] = fill_message,
    [CCMOD_START_SEND] = fill_message,
    [CCMOD_START_RECEIVE] = fill_message,
    [CCMOD_WAIT] = fill_nothing,
    [CCMOD_MULTICAST] = fill_multicast,
    [CCMOD_BARRIER] = fill_nothing,
    [CCMOD_SYNCHRONOUS_SEND] = fill_message,
    [CCMOD_START_SYNCHRONOUS_SEND] = fill_message,
    [CCMOD_BUFFERED_SEND] = fill_message,
};

/* Loops and sections */

/* The number of iterations of a loop; it does not change within one iteration of the enclosing
 * loop. */
static ccmod_status count_of(const record_place *place, int64_t *count)
{
    *count = place->operation->a;
    if ((place->operation->flags & TRACE_A_EXPRESSION) == 0)
        return CCMOD_OK;
    return evaluate(place, place->operation->a, "count", TRACE_LARGEST_COUNT, count);
}

/* False if there is none. */
static bool enter_section(const record_place *place, trace_cursor *cursor)
{
    const ccmod_trace *trace = place->player->trace;
    size_t section = ccmod_trace_find_section(trace, cursor->section, place->processor);

    if (section == trace->section_count)
        return false;
    cursor->at = trace->sections[section].start;
    cursor->section = (uint32_t)section + 1;
    return true;
}

/* Hot: most records are a message with a plain rank and a plain size, a computation of a plain
 * time, or a wait. All are given the fields of each, which share memory in the operation. */
static bool give_plain_record(const trace_operation *operation, trace_cursor *cursor,
                              ccmod_record *record)
{
    if (operation->flags != 0 || operation->kind < CCMOD_COMPUTE || operation->kind > CCMOD_WAIT)
        return false;
    record->kind = (ccmod_record_kind)operation->kind;
    record->peer = operation->a;
    record->size_bytes = operation->b;
    record->time_us = operation->value;
    record->line = operation->line;
    record->measured_us = -1;
    cursor->at++;
    /* prefetch two cache lines ahead: there are more streams, one per rank, than the hardware
     * prefetcher tracks */
    __builtin_prefetch(operation + 8);
    return true;
}

/* Separate from `next`, so that a plain record needs no callee-saved registers. */
static __attribute__((noinline)) ccmod_status next_slowly(trace_player *player, uint32_t processor,
                                                          ccmod_record *record, ccmod_error *error)
{
    trace_cursor *cursor = &player->cursors[processor];
    record_place place = {player, processor, NULL, error};

    for (size_t jumps = 0;; jumps++) {
        place.operation = &player->trace->operations[cursor->at];
        if (place.operation->kind < CCMOD_RECORDS) {
            const trace_operation *operation = place.operation;
            bool measured = (operation->flags & TRACE_HAS_MEASURED) != 0;

            record->kind = (ccmod_record_kind)operation->kind;
            record->line = operation->line;
            record->measured_us = measured ? operation[1].value : -1;
            cursor->at += measured ? 2 : 1;
            return fillers[operation->kind](&place, record);
        }
        if (jumps == IDLE_JUMPS)
            return ccmod_fail(error, CCMOD_ERROR_USAGE, player->trace->name, place.operation->line,
                              "the loops of rank %u iterated %d times without a record; correct "
                              "their counts",
                              processor, (int)IDLE_JUMPS);
        if (place.operation->kind == TRACE_LOOP) {
            int64_t count = 0;

            CCMOD_TRY(count_of(&place, &count));
            loops_of(&place)[place.operation->depth] = 0;
            cursor->at = count > 0 ? cursor->at + 1 : place.operation->b;
        } else if (place.operation->kind == TRACE_AGAIN) {
            record_place opening = place;
            int64_t count = 0;

            opening.operation = &place.player->trace->operations[place.operation->a - 1];
            CCMOD_TRY(count_of(&opening, &count));
            cursor->at = ++loops_of(&place)[place.operation->depth] < count ? place.operation->a
                                                                            : cursor->at + 1;
        } else if (!enter_section(&place, cursor)) {
            record->kind = CCMOD_END;
            record->line = 0;
            record->measured_us = -1;
            return CCMOD_OK;
        }
    }
}

/* Hot. */
static ccmod_status next(ccmod_workload *workload, uint32_t processor, ccmod_record *record,
                         ccmod_error *error)
{
    trace_player *player = workload->self;
    trace_cursor *cursor = &player->cursors[processor];

    if (give_plain_record(&player->trace->operations[cursor->at], cursor, record))
        return CCMOD_OK;
    return next_slowly(player, processor, record, error);
}

static void player_release(ccmod_workload *workload)
{
    trace_player *player = workload->self;

    free(player->cursors);
    free(player->loops);
    free(player->list);
    free(player);
}

ccmod_status ccmod_trace_workload(const ccmod_trace *trace, uint64_t seed, ccmod_workload **out,
                                  ccmod_error *error)
{
    trace_player *made = calloc(1, sizeof(*made));
    size_t loops = (size_t)trace->ranks * trace->deepest;

    if (made != NULL) {
        made->workload = (ccmod_workload){.name = trace->name,
                                          .processors = trace->ranks,
                                          .next = next,
                                          .release = player_release,
                                          .self = made};
        made->trace = trace;
        made->seed = seed;
        made->cursors = calloc(trace->ranks, sizeof(*made->cursors));
        made->loops = calloc(loops > 0 ? loops : 1, sizeof(*made->loops));
    }
    if (made == NULL || made->cursors == NULL || made->loops == NULL) {
        if (made != NULL)
            player_release(&made->workload);
        return ccmod_fail(error, CCMOD_ERROR_MEMORY, trace->name, 0,
                          "cannot allocate cursors in the trace for %u ranks: out of memory",
                          trace->ranks);
    }
    *out = &made->workload;
    return CCMOD_OK;
}

void ccmod_workload_free(ccmod_workload *workload)
{
    if (workload != NULL && workload->release != NULL)
        workload->release(workload);
}

size_t ccmod_trace_ranks(const ccmod_trace *trace)
{
    return trace->ranks;
}

size_t ccmod_trace_lines(const ccmod_trace *trace)
{
    return trace->lines;
}

size_t ccmod_trace_records(const ccmod_trace *trace)
{
    return trace->records;
}
