/* Words and numbers of a trace's text, which is mapped memory without a terminating zero. Internal
 * to src/model. */
#ifndef MODEL_TRACES_SCANNER_H
#define MODEL_TRACES_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the reader is. The text is not terminated: `at` may be compared with `end` alone. */
typedef struct {
    const char *at, *end;
    const char *start; /* of the line */
    size_t line;
} trace_scanner;

/* Scanner. None passes the end of the line. */

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

/* A whole number without sign, at most `largest`; false, and nothing taken, when there is none or
 * when it is larger. */
bool ccmod_trace_take_number(trace_scanner *scanner, int64_t largest, int64_t *number);

/* A decimal number, 0 or more, as 12, 12.5 or 1e6. */
bool ccmod_trace_take_real(trace_scanner *scanner, double *real);

/* A copy of the word at the scanner for an error, cut and printable. */
void ccmod_trace_quote(const trace_scanner *scanner, char text[static 48]);

#endif
