#include "world/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"

struct world_recorder {
    FILE *stream;
    char *target;     /* the file; NULL: standard output */
    cb_output output; /* of the file */
    int cause;        /* errno of the write that failed; 0: none */
    uint64_t eager_bytes;
    size_t ranks;
    uint32_t section; /* rank whose section is being written; CCMOD_ANY: none */
    double *until_us; /* by rank: the end of its last record */
};

static const cb_output_use trace_use = {.what = "the trace", .option = "--emit-trace"};

/* The temporary file, for a signal handler. */
static char *volatile temporary;

void world_recorder_abandon(void)
{
    if (temporary != NULL)
        (void)unlink(temporary);
}

static cb_status open_file(const char *path, world_recorder *recorder)
{
    recorder->target = cb_output_target(path, &trace_use);
    if (recorder->target == NULL ||
        cb_output_begin(recorder->target, &trace_use, &recorder->output) != CB_OK)
        return CB_ERROR_USAGE;
    temporary = recorder->output.temporary;
    recorder->stream = recorder->output.stream;
    return CB_OK;
}

cb_status world_recorder_open(const char *path, const char *program, size_t ranks,
                              uint64_t eager_bytes, world_recorder **out)
{
    world_recorder *recorder = cb_allocate(1, sizeof(*recorder), "the trace");
    cb_status status = CB_ERROR_MEMORY;

    if (recorder == NULL)
        return CB_ERROR_MEMORY;
    *recorder =
        (world_recorder){.stream = cb_streams_output(),
                         .eager_bytes = eager_bytes,
                         .ranks = ranks,
                         .section = CCMOD_ANY,
                         .until_us = cb_allocate(ranks, sizeof(*recorder->until_us), "the trace")};
    if (recorder->until_us != NULL)
        status = strcmp(path, "-") != 0 ? open_file(path, recorder) : CB_OK;
    if (status != CB_OK) {
        free(recorder->target);
        free(recorder->until_us);
        free(recorder);
        return status;
    }
    fprintf(recorder->stream, "%%cct 1 ranks %zu unit us\n# cb_%s in a model\n", ranks, program);
    *out = recorder;
    return CB_OK;
}

/* "1-4,7" */
static void write_list(FILE *stream, const uint32_t *ranks, size_t count)
{
    for (size_t i = 0, last; i < count; i = last + 1) {
        for (last = i; last + 1 < count && ranks[last + 1] == ranks[last] + 1;)
            last++;
        fprintf(stream, "%s%" PRIu32, i > 0 ? "," : "", ranks[i]);
        if (last > i)
            fprintf(stream, "-%" PRIu32, ranks[last]);
    }
}

static void write_record(const world_recorder *to, const ccmod_record *done, double idle_us)
{
    FILE *stream = to->stream;

    switch (done->kind) {
    case CCMOD_START_SEND:
        fprintf(stream, "%s %" PRIu32 " %" PRIu64 "\n",
                done->size_bytes >= to->eager_bytes ? "bs" : "is", done->peer, done->size_bytes);
        break;
    case CCMOD_MULTICAST:
        fputs("m ", stream);
        write_list(stream, done->list, done->list_count);
        fprintf(stream, " %" PRIu64 "\n", done->size_bytes);
        break;
    case CCMOD_RECEIVE:
        if (done->size_bytes == CCMOD_ANY_SIZE)
            fprintf(stream, "r %" PRIu32 " *\n", done->peer);
        else
            fprintf(stream, "r %" PRIu32 " %" PRIu64 "\n", done->peer, done->size_bytes);
        break;
    case CCMOD_BARRIER:
        fputs("b\n", stream);
        break;
    default:
        fprintf(stream, "c %.10g\n", done->kind == CCMOD_COMPUTE ? done->time_us : idle_us);
    }
}

void world_recorder_note(world_recorder *to, uint32_t rank, const ccmod_record *done, double now_us)
{
    const double idle_us = now_us - to->until_us[rank];

    if (to->cause != 0 || done->kind == CCMOD_WAKE || (done->kind == CCMOD_AWAIT && idle_us <= 0))
        return;
    if (to->section != rank)
        fprintf(to->stream, "%" PRIu32 ":\n", rank);
    to->section = rank;
    errno = 0;
    write_record(to, done, idle_us);
    if (ferror(to->stream))
        to->cause = errno != 0 ? errno : EIO;
    to->until_us[rank] = now_us;
}

cb_status world_recorder_close(world_recorder *recorder, double now_us, bool keep)
{
    cb_status status = CB_OK;

    if (recorder == NULL)
        return CB_OK;
    errno = recorder->cause;
    if (keep && recorder->cause == 0)
        fprintf(recorder->stream, "*:\nw\n# The run took %.10g us.\n", now_us);
    if (recorder->target != NULL)
        status = cb_output_end(&recorder->output, keep);
    else if (keep)
        status = cb_streams_flush(recorder->stream, "the trace", ", or name one with --emit-trace");
    temporary = NULL;
    free(recorder->target);
    free(recorder->until_us);
    free(recorder);
    return status;
}
