/* Time-independent traces of SimGrid, written: one file for each rank, an action a line. All
 * messages have tag 0, since those of a pair match first come, first served. Computing is counted
 * in floating-point operations. */
#include "tools/ccmod/convert_ti.h"

#include <inttypes.h>

static const char *const actions[CCMOD_RECORDS] = {
    [CCMOD_SEND] = "send",
    [CCMOD_RECEIVE] = "recv",
    [CCMOD_START_SEND] = "isend",
    [CCMOD_START_RECEIVE] = "irecv",
};

/* Messages that the rank has started since its last wait. */
typedef struct {
    FILE *stream;
    uint32_t rank;
    uint64_t started;
} ti_writer;

static void write_message(ti_writer *writer, const ccmod_record *record)
{
    fprintf(writer->stream, "%" PRIu32 " %s ", writer->rank, actions[record->kind]);
    if (record->peer == CCMOD_ANY)
        fputs(CONVERT_TI_ANY_SOURCE, writer->stream);
    else
        fprintf(writer->stream, "%" PRIu32, record->peer);
    fprintf(writer->stream, " 0 %" PRIu64 "\n", record->size_bytes);
    if (record->kind == CCMOD_START_SEND || record->kind == CCMOD_START_RECEIVE)
        writer->started++;
}

static void write_wait(ti_writer *writer)
{
    if (writer->started > 0)
        fprintf(writer->stream, "%" PRIu32 " waitall %" PRIu64 "\n", writer->rank, writer->started);
    writer->started = 0;
}

static void write_calculation(const ti_writer *writer, double flops)
{
    fprintf(writer->stream, "%" PRIu32 " compute ", writer->rank);
    convert_write_number(writer->stream, flops);
    fputc('\n', writer->stream);
}

static ccmod_status write_record(ti_writer *writer, const convert_walk *walk,
                                 const ccmod_record *record, ccmod_error *error)
{
    switch (record->kind) {
    case CCMOD_COMPUTE:
        write_calculation(writer, record->time_us * walk->flops_per_us);
        return CCMOD_OK;
    case CCMOD_WAIT:
        write_wait(writer);
        return CCMOD_OK;
    case CCMOD_BARRIER:
        fprintf(writer->stream, "%" PRIu32 " barrier\n", writer->rank);
        return CCMOD_OK;
    case CCMOD_MULTICAST:
        return convert_walk_refuse(walk, record,
                                   "a broadcast of SimGrid is of all ranks, and no receive takes "
                                   "it; write the multicast as messages to each receiver",
                                   error);
    case CCMOD_START_RECEIVE:
        if (record->size_bytes == 0)
            return convert_walk_refuse(walk, record,
                                       "SimGrid waits for the message where the size of a started "
                                       "receive is 0; write a size of 1, at both ends",
                                       error);
        break;
    default:
        break;
    }
    write_message(writer, record);
    return CCMOD_OK;
}

ccmod_status convert_ti_rank(FILE *stream, convert_walk *walk, uint32_t rank, ccmod_error *error)
{
    ti_writer writer = {.stream = stream, .rank = rank};
    ccmod_record record;

    fprintf(stream, "%" PRIu32 " init\n", rank);
    for (;;) {
        CCMOD_TRY(convert_walk_next(walk, rank, &record, error));
        if (record.kind == CCMOD_END)
            break;
        CCMOD_TRY(write_record(&writer, walk, &record, error));
    }
    fprintf(stream, "%" PRIu32 " finalize\n", rank);
    return CCMOD_OK;
}
