/* The fields of a record: ranks, sizes, counts, lists and times, each a number, an expression or
 * what else it may be, and the refusals that name the place. Internal to src/model. */
#ifndef MODEL_TRACES_FIELDS_H
#define MODEL_TRACES_FIELDS_H

#include "model/traces/scanner.h"
#include "model/traces/trace.h"

typedef struct {
    ccmod_trace *trace;
    trace_scanner scanner;
    ccmod_error *error;
    trace_operation operation;   /* that is being read */
    uint32_t loops[TRACE_LOOPS]; /* operations that opened those which are still open */
    unsigned depth;
    bool in_section;
    char quoted[48];
} trace_parser;

/* CCMOD_ERROR_USAGE with a text about `line`. */
ccmod_status ccmod_trace_refuse(trace_parser *parser, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A field that cannot be read: which one, what stands there, why. */
ccmod_status ccmod_trace_refuse_field(trace_parser *parser, ccmod_status status, const char *field,
                                      const char *why);

ccmod_status ccmod_trace_no_memory(trace_parser *parser);

/* The fields after the name of a record; each reads into parser->operation. */
ccmod_status ccmod_trace_read_send(trace_parser *parser);
ccmod_status ccmod_trace_read_receive(trace_parser *parser);
ccmod_status ccmod_trace_read_multicast(trace_parser *parser);
ccmod_status ccmod_trace_read_compute(trace_parser *parser);
ccmod_status ccmod_trace_read_count(trace_parser *parser);

/* "t=12.5" behind a record, where it stands: a second operation with the measured time. */
ccmod_status ccmod_trace_read_measured(trace_parser *parser, trace_operation *measured);

#endif
