/* The workload of an evaluation: what each processor does, record after record. It is a table of
 * callbacks, which a program fills itself, or made of a trace: the text format .cct
 * (docs/reference/model.md). */
#ifndef CCMOD_WORKLOAD_H
#define CCMOD_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include <ccmod/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CCMOD_ANY UINT32_MAX /* ccmod_record.peer: receive from whoever comes first */

typedef enum {
    CCMOD_END,           /* of this processor's trace; given again whenever asked again */
    CCMOD_COMPUTE,       /* for time_us */
    CCMOD_SEND,          /* to peer, size_bytes; blocking */
    CCMOD_RECEIVE,       /* from peer or CCMOD_ANY, size_bytes; blocking */
    CCMOD_START_SEND,    /* as SEND, but goes on; WAIT waits for it */
    CCMOD_START_RECEIVE, /* as RECEIVE, but goes on; WAIT waits for it */
    CCMOD_WAIT,          /* for all that this processor has started */
    CCMOD_MULTICAST,     /* one message to list[0..list_count), size_bytes each; blocking */
    CCMOD_BARRIER,       /* of all processors */
    CCMOD_RECORDS
} ccmod_record_kind;

/* One record. Fields that its kind does not name are not read. */
typedef struct {
    ccmod_record_kind kind;
    uint32_t peer;
    uint64_t size_bytes;
    double time_us;
    const uint32_t *list; /* different processors, not the sender; valid until the next call */
    size_t list_count;
    double measured_us; /* how long the record took in reality; negative where that is not known */
    uint32_t line;      /* where it stands in its file, for errors and comparisons; 0: nowhere */
} ccmod_record;

/* A workload, made by the library from a trace or by the caller from whatever it has. An evaluation
 * consumes it: make a new one for the next evaluation. */
typedef struct ccmod_workload ccmod_workload;
struct ccmod_workload {
    const char *name;  /* of the file, for errors */
    size_t processors; /* 1 to 2^30 - 1 */
    /* The next record of `processor`. Called in order of the model's time, and no processor is
     * asked again before its last record is done. The engine checks peers and sizes. */
    ccmod_status (*next)(ccmod_workload *workload, uint32_t processor, ccmod_record *record,
                         ccmod_error *error);
    void (*release)(ccmod_workload *workload); /* NULL: nothing to free */
    void *self;                                /* the implementation's */
};

/* Release, where there is something to; NULL is accepted. */
CCMOD_API void ccmod_workload_free(ccmod_workload *workload);

/* Trace: the text format .cct (docs/reference/trace-format.md) */

typedef struct ccmod_trace ccmod_trace;

/* Read a trace in one pass, loops as loops: memory is in proportion to the text. "-" is standard
 * input. The error names file, line, cause and remedy. */
CCMOD_API ccmod_status ccmod_trace_open(const char *path, ccmod_trace **out, ccmod_error *error);

/* As ccmod_trace_open, from memory, which need not be kept; `name` stands in errors. */
CCMOD_API ccmod_status ccmod_trace_parse(const char *name, const char *text, size_t bytes,
                                         ccmod_trace **out, ccmod_error *error);
CCMOD_API void ccmod_trace_close(ccmod_trace *trace);

CCMOD_API size_t ccmod_trace_ranks(const ccmod_trace *trace);

/* How many lines were read, and into how many records (loops not unrolled). */
CCMOD_API size_t ccmod_trace_lines(const ccmod_trace *trace);
CCMOD_API size_t ccmod_trace_records(const ccmod_trace *trace);

/* A workload from the beginning of the trace, which must outlive it. Times that are distributions
 * are drawn from `seed`. Freed by ccmod_workload_free. */
CCMOD_API ccmod_status ccmod_trace_workload(const ccmod_trace *trace, uint64_t seed,
                                            ccmod_workload **out, ccmod_error *error);

#ifdef __cplusplus
}
#endif

#endif
