/* The workload of an evaluation: the records of each processor. A table of callbacks, filled by a
 * program, or made from a trace in the text format .cct (docs/reference/trace-format.md). A
 * program's processors may react to what happens: what came, from whom, and when. */
#ifndef CCMOD_WORKLOAD_H
#define CCMOD_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ccmod/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CCMOD_ANY UINT32_MAX      /* ccmod_record.peer: receive from the first sender */
#define CCMOD_ANY_SIZE UINT64_MAX /* ccmod_record.size_bytes: receive whatever arrives */

typedef enum {
    CCMOD_END,              /* of this processor's trace; returned again by later calls */
    CCMOD_COMPUTE,          /* for time_us */
    CCMOD_SEND,             /* to peer, size_bytes; blocking; eager below the calibration's size */
    CCMOD_RECEIVE,          /* from peer or CCMOD_ANY, size_bytes or CCMOD_ANY_SIZE; blocking */
    CCMOD_START_SEND,       /* as SEND, but non-blocking; WAIT waits for it */
    CCMOD_START_RECEIVE,    /* as RECEIVE, but non-blocking; WAIT waits for it */
    CCMOD_WAIT,             /* for everything that this processor has started */
    CCMOD_MULTICAST,        /* one message to list[0..list_count), size_bytes each; blocking */
    CCMOD_BARRIER,          /* by all processors */
    CCMOD_SYNCHRONOUS_SEND, /* as SEND, but never eager: it waits for its receive */
    CCMOD_START_SYNCHRONOUS_SEND, /* as START_SEND, but never eager */
    CCMOD_BUFFERED_SEND,          /* as SEND, but always eager */
    CCMOD_AWAIT, /* of processors that react: for `needed` of the requests in list[0..list_count),
                    or of all that are pending if list_count is 0; for at most time_us (HUGE_VAL:
                    without end; 0: a test) */
    CCMOD_WAKE,  /* of processors that react: CCMOD_AWAIT of the processors in
                    list[0..list_count) is over, as if they had heard it without a network */
    CCMOD_RECORDS
} ccmod_record_kind;

/* Whether a record of this kind sends a message to its peer. */
static inline bool ccmod_sends(ccmod_record_kind kind)
{
    return kind == CCMOD_SEND || kind == CCMOD_START_SEND || kind == CCMOD_SYNCHRONOUS_SEND ||
           kind == CCMOD_START_SYNCHRONOUS_SEND || kind == CCMOD_BUFFERED_SEND;
}

/* One record. Members that its kind does not use are ignored. */
typedef struct {
    ccmod_record_kind kind;
    uint32_t peer;
    uint64_t size_bytes;
    double time_us;
    const uint32_t *list; /* different processors, not the sender; or names of requests. Valid until
                             the next call */
    size_t list_count;
    size_t needed;      /* at least 1 */
    uint32_t request;   /* name of a send or receive, for processors that react: any number, best of
                           one that is not pending */
    uint64_t cargo;     /* of a message: a number that its receiver gets */
    double measured_us; /* actual duration of the record; negative: unknown */
    uint32_t line;      /* in its file, for errors and comparisons; 0: none */
} ccmod_record;

/* A send or a receive is complete: the data of the send may be changed, the message has arrived. */
typedef struct {
    uint32_t request; /* its name */
    uint32_t peer;    /* of a send its receiver (of a multicast the first one), of a receive the
                         sender */
    uint64_t size_bytes, cargo; /* of the message */
    double time_us;             /* when */
    bool received;              /* it is a receive */
} ccmod_completion;

/* What has happened to a processor since its last record. */
typedef struct {
    double now_us;
    const ccmod_completion *done; /* in order of time; valid until the next call */
    size_t done_count;
} ccmod_outcome;

/* A workload, made by the library from a trace or by a program. An evaluation consumes it: make a
 * new one for each evaluation. */
typedef struct ccmod_workload ccmod_workload;
struct ccmod_workload {
    const char *name;  /* of the file, for errors */
    size_t processors; /* 1 to 2^30 - 1 */
    /* The next record of `processor`. Calls are in order of model time; a processor's next record
     * is read after its last one is done. The engine checks peers and sizes. */
    ccmod_status (*next)(ccmod_workload *workload, uint32_t processor, ccmod_record *record,
                         ccmod_error *error);
    /* Processors that react: called in place of `next`, which may be NULL. The outcome has all
     * sends and receives that are complete, each once, whether its record waited for them or not.
     * So CCMOD_AWAIT with needed 1 waits for any or some, with list_count for all, and with time 0
     * tests. It differs from `next` in the following.
     *
     * A receive takes messages in the order in which they arrive, those of one sender in the order
     * of its sends; of those that arrive at the same instant, and of processors that continue at
     * the same instant, the seed draws which comes first. Each processor has posted a receive for
     * whatever comes when it is created: also a message above the eager size is under way when it
     * is sent, and its send is complete when it has arrived. Multicasts keep no order with other
     * messages. A test costs no time: a processor that makes 10^6 calls at one instant ends the
     * evaluation. Messages that no record receives are no error. */
    ccmod_status (*react)(ccmod_workload *workload, uint32_t processor,
                          const ccmod_outcome *outcome, ccmod_record *record, ccmod_error *error);
    void (*release)(ccmod_workload *workload); /* NULL: nothing to free */
    void *self;                                /* of the implementation */
    /* Set by ccmod_evaluate while it runs: what the processors and links have done up to now, for
     * ccmod_result_processor and ccmod_result_cell; its other members are not valid yet. */
    const struct ccmod_result *so_far;
};

/* Release the workload, if it has a release function; NULL is accepted. */
CCMOD_API void ccmod_workload_free(ccmod_workload *workload);

/* Trace: the text format .cct (docs/reference/trace-format.md) */

typedef struct ccmod_trace ccmod_trace;

/* Read a trace in one pass, without unrolling loops: memory is proportional to the text. "-" is
 * standard input. Errors have file, line, cause and remedy. */
CCMOD_API ccmod_status ccmod_trace_open(const char *path, ccmod_trace **out, ccmod_error *error);

/* As ccmod_trace_open, from memory, which may be freed afterwards; `name` is used in errors. */
CCMOD_API ccmod_status ccmod_trace_parse(const char *name, const char *text, size_t bytes,
                                         ccmod_trace **out, ccmod_error *error);
CCMOD_API void ccmod_trace_close(ccmod_trace *trace);

CCMOD_API size_t ccmod_trace_ranks(const ccmod_trace *trace);

/* Number of lines read, and of records made from them (loops not unrolled). */
CCMOD_API size_t ccmod_trace_lines(const ccmod_trace *trace);
CCMOD_API size_t ccmod_trace_records(const ccmod_trace *trace);

/* Make a workload from the trace, which must outlive it. Random times are drawn from `seed`. The
 * caller frees it with ccmod_workload_free. */
CCMOD_API ccmod_status ccmod_trace_workload(const ccmod_trace *trace, uint64_t seed,
                                            ccmod_workload **out, ccmod_error *error);

#ifdef __cplusplus
}
#endif

#endif
