/* GOAL, written: each record an operation that requires what is before it. What was started goes
 * on, so the next operation requires only that it has started; a wait is an empty calculation that
 * requires all of them. */
#include "tools/ccmod/convert_goal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"

/* What of a rank has been written. Labels are numbers from 1. */
typedef struct {
    FILE *stream;
    size_t last;       /* operation, 0: none yet */
    bool last_started; /* it goes on */
    size_t *started;   /* labels since the last wait */
    size_t count, room;
} goal_writer;

void convert_goal_head(FILE *stream, const ccmod_workload *workload)
{
    fprintf(stream, "num_ranks %zu\n", workload->processors);
}

/* After the text of the operation: what it requires. */
static void require_last(goal_writer *writer, bool goes_on)
{
    size_t label = writer->last + 1;

    if (writer->last > 0)
        fprintf(writer->stream, "l%zu %s l%zu\n", label,
                writer->last_started ? "irequires" : "requires", writer->last);
    writer->last = label;
    writer->last_started = goes_on;
}

static ccmod_status note_started(goal_writer *writer, ccmod_error *error)
{
    size_t *started = cb_grow(writer->started, writer->count, &writer->room, sizeof(*started));

    if (started == NULL)
        return ccmod_fail(error, CCMOD_ERROR_MEMORY, NULL, 0,
                          "no memory for what a rank has started; convert a shorter trace");
    writer->started = started;
    writer->started[writer->count++] = writer->last;
    return CCMOD_OK;
}

static void write_wait(goal_writer *writer)
{
    if (writer->count == 0)
        return;
    fprintf(writer->stream, "l%zu: calc 0\n", writer->last + 1);
    for (size_t i = 0; i < writer->count; i++) {
        if (writer->started[i] != writer->last)
            fprintf(writer->stream, "l%zu requires l%zu\n", writer->last + 1, writer->started[i]);
    }
    writer->last_started = false; /* the last one has to be done, too */
    writer->count = 0;
    require_last(writer, false);
}

/* Less than a nanosecond is nothing. */
static void write_calculation(goal_writer *writer, double time_us)
{
    double ns = round(1000 * time_us);

    if (!(ns > 0))
        return;
    fprintf(writer->stream, "l%zu: calc %.0f\n", writer->last + 1, ns);
    require_last(writer, false);
}

static ccmod_status write_message(goal_writer *writer, const ccmod_record *record,
                                  ccmod_error *error)
{
    bool send = record->kind == CCMOD_SEND || record->kind == CCMOD_START_SEND;
    bool goes_on = record->kind == CCMOD_START_SEND || record->kind == CCMOD_START_RECEIVE;

    fprintf(writer->stream, "l%zu: %s %" PRIu64 "b %s ", writer->last + 1, send ? "send" : "recv",
            record->size_bytes, send ? "to" : "from");
    if (record->peer == CCMOD_ANY)
        fputs("-1\n", writer->stream);
    else
        fprintf(writer->stream, "%" PRIu32 "\n", record->peer);
    require_last(writer, goes_on);
    return goes_on ? note_started(writer, error) : CCMOD_OK;
}

static ccmod_status write_record(goal_writer *writer, const convert_walk *walk,
                                 const ccmod_record *record, ccmod_error *error)
{
    switch (record->kind) {
    case CCMOD_COMPUTE:
        write_calculation(writer, record->time_us);
        return CCMOD_OK;
    case CCMOD_WAIT:
        write_wait(writer);
        return CCMOD_OK;
    case CCMOD_MULTICAST:
        return convert_walk_refuse(
            walk, record, "GOAL has no multicast; write it as messages to each receiver", error);
    case CCMOD_BARRIER:
        return convert_walk_refuse(walk, record,
                                   "GOAL has no barrier; write the messages that make one", error);
    default:
        return write_message(writer, record, error);
    }
}

static ccmod_status write_records(goal_writer *writer, convert_walk *walk, uint32_t rank,
                                  ccmod_error *error)
{
    ccmod_record record;

    for (;;) {
        CCMOD_TRY(convert_walk_next(walk, rank, &record, error));
        if (record.kind == CCMOD_END)
            return CCMOD_OK;
        CCMOD_TRY(write_record(writer, walk, &record, error));
    }
}

ccmod_status convert_goal_rank(FILE *stream, convert_walk *walk, uint32_t rank, ccmod_error *error)
{
    goal_writer writer = {.stream = stream};
    ccmod_status status;

    fprintf(stream, "rank %" PRIu32 " {\n", rank);
    status = write_records(&writer, walk, rank, error);
    fputs("}\n", stream);
    free(writer.started);
    return status;
}
