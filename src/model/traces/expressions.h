/* Words of a trace's text, which is mapped memory without a terminating zero, and their contents:
 * numbers, expressions, lists of ranks.
 *
 * Expressions have whole numbers, %i, %r, %n, + - * / % and parentheses. Division and remainder are
 * floored, so that (%r - 1) % %n is a rank for every %r. Internal to src/model. */
#ifndef MODEL_TRACES_EXPRESSIONS_H
#define MODEL_TRACES_EXPRESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/traces/trace.h"

/* Position of the reader. The text is not terminated: compare `at` with `end`. */
typedef struct {
    const char *at, *end;
    const char *start; /* of the line */
    size_t line;
} trace_scanner;

/* Scanner. No function passes the end of the line. */

static inline bool trace_is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\r';
}

static inline bool trace_is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static inline void trace_skip_blanks(trace_scanner *scanner)
{
    while (scanner->at < scanner->end && trace_is_blank(*scanner->at))
        scanner->at++;
}

/* Or at a comment. */
static inline bool trace_at_end_of_line(const trace_scanner *scanner)
{
    return scanner->at == scanner->end || *scanner->at == '\n' || *scanner->at == '#';
}

/* At a blank, or the end of the line. */
static inline bool trace_at_end_of_word(const trace_scanner *scanner)
{
    return trace_at_end_of_line(scanner) || trace_is_blank(*scanner->at);
}

static inline bool trace_take(trace_scanner *scanner, char character)
{
    if (scanner->at == scanner->end || *scanner->at != character)
        return false;
    scanner->at++;
    return true;
}

bool ccmod_trace_take_word(trace_scanner *scanner, const char *word);

/* Parse a whole number without sign, at most `largest`; false, with nothing consumed, if there is
 * none or it is larger. */
bool ccmod_trace_take_number(trace_scanner *scanner, int64_t largest, int64_t *number);

/* A decimal number, 0 or more, as 12, 12.5 or 1e6. */
bool ccmod_trace_take_real(trace_scanner *scanner, double *real);

/* Copy the word at the scanner for an error, cut and printable. */
void ccmod_trace_quote(const trace_scanner *scanner, char text[static 48]);

/* Parse an expression without blanks and append its tokens to the trace; `sized`: numbers may have
 * a unit of size; `looped`: %i is allowed. *out is the index of the first token. On failure
 * CCMOD_ERROR_USAGE with a phrase in `why`, or CCMOD_ERROR_MEMORY. */
ccmod_status ccmod_trace_read_expression(ccmod_trace *trace, trace_scanner *scanner, bool sized,
                                         bool looped, uint32_t *out,
                                         char why[static TRACE_WHY_BYTES]);

/* Hot. Evaluate; false on overflow or division by zero. */
bool ccmod_trace_evaluate(const ccmod_trace *trace, uint32_t expression, int64_t index,
                          uint32_t rank, int64_t *value);

/* Parse "1-15,20" and append its ranges to the trace. On failure CCMOD_ERROR_USAGE with a phrase in
 * `why`, or CCMOD_ERROR_MEMORY. */
ccmod_status ccmod_trace_read_ranges(ccmod_trace *trace, trace_scanner *scanner, trace_list *out,
                                     char why[static TRACE_WHY_BYTES]);

/* Build the tree over the sections, once all are known; false if out of memory. */
bool ccmod_trace_index_sections(ccmod_trace *trace);

/* The first section from number `from` on that includes `rank`, or section_count. */
size_t ccmod_trace_find_section(const ccmod_trace *trace, size_t from, uint32_t rank);

#endif
