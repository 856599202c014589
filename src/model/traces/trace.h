/* A trace in memory: code that all processors share, and which of them runs which part. Made by
 * trace_parse.c in one pass over the text, run by trace_workload.c. Internal to src/model. */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include "base/grow.h"
#include <ccmod/ccmod.h>

enum { TRACE_LOOPS = 32, TRACE_NESTING = 64, TRACE_WHY_BYTES = 160 };

#define TRACE_LARGEST_RANKS INT64_C(0x3fffffff)
#define TRACE_LARGEST_SIZE (INT64_C(1) << 53)  /* exact as a double */
#define TRACE_LARGEST_COUNT (INT64_C(1) << 62) /* of a loop */
#define TRACE_LARGEST_TIME_US 1e15             /* thirty years */

/* Beside the records of ccmod.h. */
enum {
    TRACE_LOOP = CCMOD_RECORDS, /* a: count or expression, b: the operation behind the loop */
    TRACE_AGAIN,                /* a: the first operation of the loop */
    TRACE_STOP,                 /* end of a section */
    TRACE_MEASURED              /* value: belongs to the operation before it */
};

/* What the fields of an operation are, where they are no plain numbers. */
enum {
    TRACE_A_EXPRESSION = 1,     /* a: index of an expression, not a peer or count */
    TRACE_B_EXPRESSION = 2,     /* b: the same, not a size */
    TRACE_ANY = 4,              /* receive from any; a is unused */
    TRACE_DISTRIBUTION = 8,     /* a: index of a distribution, not a time */
    TRACE_TIME_EXPRESSION = 16, /* a: index of an expression, in the trace's unit */
    TRACE_OTHERS = 32,          /* multicast to all others; a is unused */
    TRACE_HAS_MEASURED = 64     /* a TRACE_MEASURED follows */
};

/* One operation: 16 bytes, so that a trace takes little more memory than its text. */
typedef struct {
    uint8_t kind;
    uint8_t flags;
    uint8_t depth; /* how many loops it stands in */
    uint32_t line;
    union {
        struct {
            uint32_t a, b; /* peer or list, and size */
        };
        double value; /* time in microseconds */
    };
} trace_operation;

/* An expression is a row of tokens in postfix order, up to one that ends it. */
typedef enum {
    TRACE_NUMBER,
    TRACE_INDEX, /* %i */
    TRACE_RANK,  /* %r */
    TRACE_RANKS, /* %n */
    TRACE_ADD,
    TRACE_SUBTRACT,
    TRACE_MULTIPLY,
    TRACE_DIVIDE,
    TRACE_MODULO,
    TRACE_NEGATE,
    TRACE_RESULT
} trace_token_kind;

typedef struct {
    trace_token_kind kind;
    int64_t number;
} trace_token;

typedef enum { TRACE_EXPONENTIAL, TRACE_UNIFORM, TRACE_NORMAL } trace_distribution_kind;

typedef struct {
    trace_distribution_kind kind;
    double first, second; /* mean; low, high; mean, standard deviation: in microseconds */
} trace_distribution;

typedef struct {
    uint32_t first, last; /* inclusive */
} trace_range;

typedef struct {
    size_t first, count; /* in ranges */
} trace_list;

/* Operations from `start` on are for the processors of `range`. */
typedef struct {
    trace_range range;
    uint32_t start;
} trace_section;

struct ccmod_trace {
    char *name;
    uint32_t ranks;
    double unit_us;
    size_t lines, records;
    unsigned deepest; /* loop */
    trace_operation *operations;
    size_t operation_count, operation_room;
    trace_section *sections; /* one for each range of a section's head, in order of the file */
    size_t section_count, section_room;
    trace_range *hulls; /* a binary tree over the sections: the hull of all ranges below */
    size_t hull_leaves; /* hulls[hull_leaves + i] is section i */
    trace_token *tokens;
    size_t token_count, token_room;
    trace_distribution *distributions;
    size_t distribution_count, distribution_room;
    trace_list *lists;
    size_t list_count, list_room;
    trace_range *ranges;
    size_t range_count, range_room;
};

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

/* Expressions (trace_expression.c). Read one without blanks and append its tokens to the trace;
 * `sized`: numbers may have a unit of size; `looped`: %i has a meaning. *out is the index of the
 * first token. On failure CCMOD_ERROR_USAGE with a phrase in `why`, or CCMOD_ERROR_MEMORY. */
ccmod_status ccmod_trace_read_expression(ccmod_trace *trace, trace_scanner *scanner, bool sized,
                                         bool looped, uint32_t *out,
                                         char why[static TRACE_WHY_BYTES]);

/* Hot. The value; false when a step overflows or divides by zero. */
bool ccmod_trace_evaluate(const ccmod_trace *trace, uint32_t expression, int64_t index,
                          uint32_t rank, int64_t *value);

/* "1-15,20": append its ranges to the trace. `why` as above. */
ccmod_status ccmod_trace_read_ranges(ccmod_trace *trace, trace_scanner *scanner, trace_list *out,
                                     char why[static TRACE_WHY_BYTES]);

/* The tree over the sections, once all are known; false without memory. */
bool ccmod_trace_index_sections(ccmod_trace *trace);

/* The first section from number `from` on that `rank` is in, or section_count. */
size_t ccmod_trace_find_section(const ccmod_trace *trace, size_t from, uint32_t rank);

#endif
