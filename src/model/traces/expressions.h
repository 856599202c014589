/* Expressions of a trace: whole numbers, %i, %r, %n, + - * / % and parentheses. Division and
 * remainder are floored, so that (%r - 1) % %n is a rank for every %r. Internal to src/model. */
#ifndef MODEL_TRACES_EXPRESSIONS_H
#define MODEL_TRACES_EXPRESSIONS_H

#include "model/traces/scanner.h"
#include "model/traces/trace.h"

/* Read one without blanks and append its tokens to the trace;
 * `sized`: numbers may have a unit of size; `looped`: %i has a meaning. *out is the index of the
 * first token. On failure CCMOD_ERROR_USAGE with a phrase in `why`, or CCMOD_ERROR_MEMORY. */
ccmod_status ccmod_trace_read_expression(ccmod_trace *trace, trace_scanner *scanner, bool sized,
                                         bool looped, uint32_t *out,
                                         char why[static TRACE_WHY_BYTES]);

/* Hot. The value; false when a step overflows or divides by zero. */
bool ccmod_trace_evaluate(const ccmod_trace *trace, uint32_t expression, int64_t index,
                          uint32_t rank, int64_t *value);

#endif
