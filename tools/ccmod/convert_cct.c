/* The format .cct of ccmod convert: a trace with one section per rank, without loops. The library
 * reads it. */
#include "tools/ccmod/convert_forms.h"

#include <inttypes.h>

static const char *const words[CCMOD_RECORDS] = {
    [CCMOD_COMPUTE] = "c",           [CCMOD_SEND] = "s",
    [CCMOD_RECEIVE] = "r",           [CCMOD_START_SEND] = "is",
    [CCMOD_START_RECEIVE] = "ir",    [CCMOD_WAIT] = "w",
    [CCMOD_MULTICAST] = "m",         [CCMOD_BARRIER] = "b",
    [CCMOD_SYNCHRONOUS_SEND] = "ss", [CCMOD_START_SYNCHRONOUS_SEND] = "iss",
    [CCMOD_BUFFERED_SEND] = "bs",
};

static void write_head(FILE *stream, const ccmod_workload *workload)
{
    fprintf(stream, "%%cct 1 ranks %zu unit us\n", workload->processors);
}

static void write_list(FILE *stream, const ccmod_record *record)
{
    for (size_t i = 0; i < record->list_count; i++)
        fprintf(stream, "%c%" PRIu32, i == 0 ? ' ' : ',', record->list[i]);
}

static void write_record(FILE *stream, const ccmod_record *record)
{
    fputs(words[record->kind], stream);
    switch (record->kind) {
    case CCMOD_COMPUTE:
        fputc(' ', stream);
        convert_write_number(stream, record->time_us);
        break;
    case CCMOD_MULTICAST:
        write_list(stream, record);
        fprintf(stream, " %" PRIu64, record->size_bytes);
        break;
    case CCMOD_WAIT:
    case CCMOD_BARRIER:
        break;
    default:
        if (record->peer == CCMOD_ANY)
            fputs(" any", stream);
        else
            fprintf(stream, " %" PRIu32, record->peer);
        if (record->size_bytes == CCMOD_ANY_SIZE)
            fputs(" *", stream);
        else
            fprintf(stream, " %" PRIu64, record->size_bytes);
        break;
    }
    if (record->measured_us >= 0) {
        fputs(" t=", stream);
        convert_write_number(stream, record->measured_us);
    }
    fputc('\n', stream);
}

static ccmod_status write_rank(FILE *stream, convert_walk *walk, uint32_t rank, ccmod_error *error)
{
    ccmod_record record;
    bool begun = false;

    for (;;) {
        CCMOD_TRY(convert_walk_next(walk, rank, &record, error));
        if (record.kind == CCMOD_END)
            return CCMOD_OK;
        if (!begun)
            fprintf(stream, "%" PRIu32 ":\n", rank);
        begun = true;
        write_record(stream, &record);
    }
}

const convert_form convert_cct = {
    .name = "cct",
    .help = "the trace format of ccmod",
    .write_head = write_head,
    .write_rank = write_rank,
};
