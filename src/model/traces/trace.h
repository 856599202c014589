/* A trace in memory: code shared by all processors, and which of them execute which part.
 * trace_parse.c makes it in one pass over the text, trace_workload.c executes it. Internal to
 * src/model. */
#ifndef MODEL_TRACES_TRACE_H
#define MODEL_TRACES_TRACE_H

#include <ccmod/workload.h>

enum { TRACE_LOOPS = 32, TRACE_NESTING = 64, TRACE_WHY_BYTES = 160 };

#define TRACE_LARGEST_RANKS INT64_C(0x3fffffff)
#define TRACE_LARGEST_SIZE (INT64_C(1) << 53)  /* exact as a double */
#define TRACE_LARGEST_COUNT (INT64_C(1) << 62) /* of a loop */
#define TRACE_LARGEST_TIME_US 1e15             /* thirty years */

/* In addition to the records of ccmod.h. */
enum {
    TRACE_LOOP = CCMOD_RECORDS, /* a: count or expression, b: the operation after the loop */
    TRACE_AGAIN,                /* a: the first operation of the loop */
    TRACE_STOP,                 /* end of a section */
    TRACE_MEASURED              /* value: of the preceding operation */
};

/* The meaning of an operation's fields if they are not plain numbers. */
enum {
    TRACE_A_EXPRESSION = 1,     /* a: index of an expression, not a peer or count */
    TRACE_B_EXPRESSION = 2,     /* b: the same, not a size */
    TRACE_ANY = 4,              /* receive from any; a is unused */
    TRACE_DISTRIBUTION = 8,     /* a: index of a distribution, not a time */
    TRACE_TIME_EXPRESSION = 16, /* a: index of an expression, in the trace's unit */
    TRACE_OTHERS = 32,          /* multicast to all others; a is unused */
    TRACE_HAS_MEASURED = 64,    /* a TRACE_MEASURED follows */
    TRACE_ANY_SIZE = 128        /* receive of any size; b is unused */
};

/* One operation: 16 bytes, so that a trace needs little more memory than its text. */
typedef struct {
    uint8_t kind;
    uint8_t flags;
    uint8_t depth; /* number of enclosing loops */
    uint32_t line;
    union {
        struct {
            uint32_t a, b; /* peer or list, and size */
        };
        double value; /* time in microseconds */
    };
} trace_operation;

/* An expression is a list of tokens in postfix order up to an end token. */
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
    unsigned deepest; /* maximum nesting of loops */
    trace_operation *operations;
    size_t operation_count, operation_room;
    trace_section *sections; /* one for each range in a section's head, in order of the file */
    size_t section_count, section_room;
    trace_range *hulls; /* a binary tree over the sections: the smallest interval that contains all
                           ranks below */
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

#endif
