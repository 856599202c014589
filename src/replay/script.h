/* A trace as the records that this rank plays: read and checked at rank 0, unrolled in memory. */
#ifndef REPLAY_SCRIPT_H
#define REPLAY_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "control/control.h"
#include "host/work.h"

typedef enum {
    SCRIPT_COMPUTE,       /* for `value` ns; after script_set_work, units of host_work */
    SCRIPT_SEND,          /* `value` bytes to `peer`, blocking */
    SCRIPT_START_SEND,    /* the same, non-blocking */
    SCRIPT_RECEIVE,       /* `value` bytes from `peer`, blocking */
    SCRIPT_START_RECEIVE, /* the same, non-blocking */
    SCRIPT_WAIT,          /* for all that was started */
    SCRIPT_BARRIER        /* of all ranks */
} script_kind;

enum { SCRIPT_ANY = UINT32_MAX }; /* peer: receive from the first sender */

/* Size of a receive that takes a message of any size. */
#define SCRIPT_ANY_SIZE UINT64_MAX /* as CCMOD_ANY_SIZE */

typedef struct {
    uint64_t value;
    uint32_t peer;
    uint32_t kind; /* a script_kind */
} script_record;

/* A record with a recorded time (t=). */
typedef struct {
    size_t record, last; /* indices in the script; a multicast has several records */
    double recorded_us;
    uint32_t line;
} script_mark;

/* Messages from one rank to another. */
typedef struct {
    uint64_t messages, bytes;
    uint64_t sum;      /* of the words of their content (traffic_expected_sum) */
    uint64_t unbroken; /* largest number sent without a receive from the other rank between */
    uint64_t named;    /* receives of the other rank that name this one */
} script_flow;

typedef struct {
    char *path;
    uint64_t file_bytes;
    uint32_t crc32;
    size_t ranks, self;
    size_t lines;
    script_record *records;
    size_t count, room;
    script_mark *marks;
    size_t mark_count, mark_room;
    uint64_t largest_bytes;             /* of all ranks' messages */
    uint64_t token_bytes;               /* a size that no message of the trace has; 0: no barrier */
    bool may_flush;                     /* the trace ends even if each send waits for its receive */
    bool computes;                      /* some rank has a time to compute, ... */
    bool multicasts;                    /* ... or a multicast */
    script_flow *sent;                  /* by rank: messages of this rank to it */
    uint64_t summed_bytes, content_sum; /* while it is made: a size, and the sum of its content */
    script_flow *incoming; /* by rank: messages from it to this rank; `named` of this rank */
} script;

typedef struct {
    const char *path;
    uint64_t seed;
    uint64_t records_most; /* of one rank */
} script_setting;

/* Read the file at rank 0, check there that the job can play it, and unroll this rank's records.
 * CB_ERROR_USAGE, logged, if it cannot be played: a line that is wrong, another number of ranks, a
 * deadlock or unmatched message, too many records. Collective over all ranks, with the same status.
 * Free with script_free, also after an error. */
cb_status script_load(const script_setting *setting, control *plane, script *out);
void script_free(script *played);

/* Convert the times to compute, in ns, to units of work of this core. Once. */
void script_set_work(script *played, const host_work_rate *rate);

/* Memory of the unrolled records, in bytes. */
size_t script_memory(const script *played);

#endif
