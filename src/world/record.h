/* What the ranks of a job in a model do, written as a trace (docs/reference/trace-format.md) while
 * they do it: a section whenever another rank does something. */
#ifndef WORLD_RECORD_H
#define WORLD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ccmod/ccmod.h>

#include "base/status.h"

typedef struct world_recorder world_recorder;

/* Begin the trace of `ranks` ranks of `program`. `path` "-" is standard output; a file is replaced
 * when the trace is complete. Messages from `eager_bytes` on are written as sends that do not wait
 * for their receive, since in the model no receiver is late. CB_ERROR_USAGE (it cannot be written)
 * or CB_ERROR_MEMORY, logged. */
cb_status world_recorder_open(const char *path, const char *program, size_t ranks,
                              uint64_t eager_bytes, world_recorder **out);

/* Hot. Rank `rank` has done this, a record of any kind, at `now_us`. Awaiting counts as computing
 * since the last record that was written; the caller leaves out what a message has ended. */
void world_recorder_note(world_recorder *to, uint32_t rank, const ccmod_record *done,
                         double now_us);

/* Complete the trace of a run that ended at `now_us`, or with `keep` false drop it; NULL is
 * accepted. CB_ERROR_SYSTEM, logged: not all was written. */
cb_status world_recorder_close(world_recorder *recorder, double now_us, bool keep);

/* Remove what is written so far: the process ends, or a signal has come. */
void world_recorder_abandon(void);

#endif
