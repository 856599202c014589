/* The latest records are in memory, since completions change them; earlier ones are in a file, at
 * their number times their size. */
#include "tracer/records.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"

enum { SPILLED_AT_ONCE = TRACER_IN_MEMORY / 2 };

cb_status tracer_records_open(tracer_records *records, uint64_t limit)
{
    *records = (tracer_records){.limit = limit, .file = -1};
    records->recent = cb_allocate(TRACER_IN_MEMORY, sizeof(*records->recent), "the trace");
    return records->recent != NULL ? CB_OK : CB_ERROR_MEMORY;
}

void tracer_records_close(tracer_records *records)
{
    free(records->recent);
    if (records->file >= 0)
        close(records->file);
    *records = (tracer_records){.file = -1};
}

static cb_status file_failed(const char *what)
{
    cb_error("cannot %s the trace's temporary file: %s; set TMPDIR to a folder with room", what,
             strerror(errno));
    return CB_ERROR_SYSTEM;
}

static off_t offset_of(uint64_t place)
{
    return (off_t)(place * sizeof(tracer_record));
}

/* Move the older half of the records in memory to the file, which is created when first needed. */
static cb_status spill(tracer_records *records)
{
    const size_t bytes = SPILLED_AT_ONCE * sizeof(*records->recent);

    if (records->file < 0) {
        const char *folder = getenv("TMPDIR");
        char path[4096];

        snprintf(path, sizeof(path), "%s/combench-trace-XXXXXX", folder != NULL ? folder : "/tmp");
        records->file = mkostemp(path, O_CLOEXEC);
        if (records->file < 0)
            return file_failed("make");
        unlink(path);
    }
    if (pwrite(records->file, records->recent, bytes, offset_of(records->spilled)) !=
        (ssize_t)bytes)
        return file_failed("write");
    memmove(records->recent, records->recent + SPILLED_AT_ONCE,
            (TRACER_IN_MEMORY - SPILLED_AT_ONCE) * sizeof(*records->recent));
    records->spilled += SPILLED_AT_ONCE;
    return CB_OK;
}

cb_status tracer_records_add(tracer_records *records, const tracer_record *record)
{
    if (records->count >= records->limit)
        return CB_EMPTY;
    if (records->count - records->spilled == TRACER_IN_MEMORY)
        CB_TRY(spill(records));
    records->recent[records->count++ - records->spilled] = *record;
    return CB_OK;
}

cb_status tracer_records_set(tracer_records *records, uint64_t place, const tracer_record *record)
{
    if (place >= records->spilled) {
        records->recent[place - records->spilled] = *record;
        return CB_OK;
    }
    return pwrite(records->file, record, sizeof(*record), offset_of(place)) ==
                   (ssize_t)sizeof(*record)
               ? CB_OK
               : file_failed("write");
}

cb_status tracer_records_get(const tracer_records *records, uint64_t place, tracer_record *out)
{
    if (place >= records->spilled) {
        *out = records->recent[place - records->spilled];
        return CB_OK;
    }
    return pread(records->file, out, sizeof(*out), offset_of(place)) == (ssize_t)sizeof(*out)
               ? CB_OK
               : file_failed("read");
}

size_t tracer_line(const tracer_record *record, char line[TRACER_LINE_BYTES])
{
    static const char *const words[] = {
        [TRACER_SEND] = "s",           [TRACER_SYNCHRONOUS_SEND] = "ss",
        [TRACER_BUFFERED_SEND] = "bs", [TRACER_RECEIVE] = "r",
        [TRACER_START_SEND] = "is",    [TRACER_START_SYNCHRONOUS_SEND] = "iss",
        [TRACER_START_RECEIVE] = "ir", [TRACER_WAIT] = "w",
    };
    size_t used;

    switch (record->kind) {
    case TRACER_NOTHING:
        return 0;
    case TRACER_COMPUTE:
        return (size_t)snprintf(line, TRACER_LINE_BYTES, "c %.3f\n", record->time_us);
    case TRACER_COLLECTIVE:
        used = (size_t)snprintf(line, TRACER_LINE_BYTES, "# %s of %" PRIu64 " bytes", record->name,
                                record->bytes);
        break;
    case TRACER_WAIT:
        used = (size_t)snprintf(line, TRACER_LINE_BYTES, "%s", words[record->kind]);
        break;
    default:
        used = (size_t)snprintf(line, TRACER_LINE_BYTES, "%s %d %" PRIu64, words[record->kind],
                                record->peer, record->bytes);
    }
    if (record->time_us >= 0)
        used += (size_t)snprintf(line + used, TRACER_LINE_BYTES - used,
                                 record->kind == TRACER_COLLECTIVE ? ": %.3f us" : " t=%.3f",
                                 record->time_us);
    line[used++] = '\n';
    line[used] = '\0';
    return used;
}
