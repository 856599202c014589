/* Expressions are read by recursive descent into postfix order, and evaluated on a small stack. */
#include "model/traces/expressions.h"

#include <stdio.h>

#include "base/grow.h"

typedef struct {
    ccmod_trace *trace;
    trace_scanner *scanner;
    bool sized, looped;
    unsigned enclosed; /* number of open parentheses, in which blanks are allowed */
    unsigned nesting;  /* of parentheses and signs */
    unsigned height;   /* of the stack, so far */
    char *why;
} expression_reader;

static ccmod_status refuse(const expression_reader *reader, const char *text)
{
    snprintf(reader->why, TRACE_WHY_BYTES, "%s", text);
    return CCMOD_ERROR_USAGE;
}

static ccmod_status emit(expression_reader *reader, trace_token_kind kind, int64_t number)
{
    ccmod_trace *trace = reader->trace;
    trace_token *tokens =
        cb_grow(trace->tokens, trace->token_count, &trace->token_room, sizeof(*tokens));

    if (tokens == NULL)
        return CCMOD_ERROR_MEMORY;
    trace->tokens = tokens;
    tokens[trace->token_count++] = (trace_token){kind, number};
    if (kind <= TRACE_RANKS && ++reader->height > TRACE_NESTING)
        return refuse(reader, "it is nested too deeply; write it with fewer parentheses");
    if (kind >= TRACE_ADD && kind <= TRACE_MODULO)
        reader->height--;
    return CCMOD_OK;
}

static ccmod_status read_variable(expression_reader *reader)
{
    static const struct {
        char name;
        trace_token_kind kind;
    } variables[] = {{'i', TRACE_INDEX}, {'r', TRACE_RANK}, {'n', TRACE_RANKS}};

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        if (!trace_take(reader->scanner, variables[i].name))
            continue;
        if (variables[i].kind == TRACE_INDEX && !reader->looped)
            return refuse(reader, "%i has no meaning outside of a loop; use %r or %n");
        return emit(reader, variables[i].kind, 0);
    }
    return refuse(reader, "a variable must be one of %i (loop index), %r (rank), %n (ranks)");
}

/* The unit after the number of a size, as 4KiB: what it multiplies by, 1 where there is none. */
static int64_t take_unit(trace_scanner *scanner)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } units[] = {{"kB", 1000},
                 {"MB", 1000000},
                 {"GB", 1000000000},
                 {"KiB", INT64_C(1) << 10},
                 {"MiB", INT64_C(1) << 20},
                 {"GiB", INT64_C(1) << 30},
                 {"B", 1}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        trace_scanner ahead = *scanner;
        const char *name = units[i].name;

        while (*name != '\0' && trace_take(&ahead, *name))
            name++;
        if (*name == '\0') {
            *scanner = ahead;
            return units[i].bytes;
        }
    }
    return 1;
}

static ccmod_status read_number(expression_reader *reader)
{
    int64_t number;

    if (!ccmod_trace_take_number(reader->scanner, INT64_MAX, &number)) {
        if (reader->scanner->at < reader->scanner->end && *reader->scanner->at >= '0' &&
            *reader->scanner->at <= '9')
            return refuse(reader, "the number is too large; it must be below 2^63");
        return refuse(reader, "a number, %i, %r, %n or a parenthesis must stand here");
    }
    if (reader->sized && __builtin_mul_overflow(number, take_unit(reader->scanner), &number))
        return refuse(reader, "the size is too large; it must be at most 2^53 bytes");
    return emit(reader, TRACE_NUMBER, number);
}

static void skip_enclosed_blanks(expression_reader *reader)
{
    if (reader->enclosed > 0)
        trace_skip_blanks(reader->scanner);
}

static ccmod_status read_sum(expression_reader *reader);
static ccmod_status read_operand(expression_reader *reader);

static ccmod_status read_operand(expression_reader *reader)
{
    ccmod_status status;

    if (reader->nesting >= TRACE_NESTING)
        return refuse(reader, "it is nested too deeply; write it with fewer parentheses");
    reader->nesting++;
    skip_enclosed_blanks(reader);
    if (trace_take(reader->scanner, '%')) {
        status = read_variable(reader);
    } else if (trace_take(reader->scanner, '-')) {
        CCMOD_TRY(read_operand(reader));
        status = emit(reader, TRACE_NEGATE, 0);
    } else if (trace_take(reader->scanner, '(')) {
        reader->enclosed++;
        status = read_sum(reader);
        reader->enclosed--;
        if (status == CCMOD_OK && !trace_take(reader->scanner, ')'))
            status = refuse(reader, "a closing parenthesis is missing; add it");
    } else {
        status = read_number(reader);
    }
    skip_enclosed_blanks(reader);
    reader->nesting--;
    return status;
}

/* The operator at the scanner, when it is one of `signs`. */
static bool take_operator(trace_scanner *scanner, const char *signs, trace_token_kind *kind)
{
    static const trace_token_kind kinds[] = {['+'] = TRACE_ADD,
                                             ['-'] = TRACE_SUBTRACT,
                                             ['*'] = TRACE_MULTIPLY,
                                             ['/'] = TRACE_DIVIDE,
                                             ['%'] = TRACE_MODULO};

    for (; *signs != '\0'; signs++) {
        if (trace_take(scanner, *signs)) {
            *kind = kinds[(unsigned char)*signs];
            return true;
        }
    }
    return false;
}

static ccmod_status read_product(expression_reader *reader)
{
    trace_token_kind kind;

    CCMOD_TRY(read_operand(reader));
    while (take_operator(reader->scanner, "*/%", &kind)) {
        CCMOD_TRY(read_operand(reader));
        CCMOD_TRY(emit(reader, kind, 0));
    }
    return CCMOD_OK;
}

static ccmod_status read_sum(expression_reader *reader)
{
    trace_token_kind kind;

    CCMOD_TRY(read_product(reader));
    while (take_operator(reader->scanner, "+-", &kind)) {
        CCMOD_TRY(read_product(reader));
        CCMOD_TRY(emit(reader, kind, 0));
    }
    return CCMOD_OK;
}

ccmod_status ccmod_trace_read_expression(ccmod_trace *trace, trace_scanner *scanner, bool sized,
                                         bool looped, uint32_t *out,
                                         char why[static TRACE_WHY_BYTES])
{
    expression_reader reader = {
        .trace = trace, .scanner = scanner, .sized = sized, .looped = looped, .why = why};
    size_t first = trace->token_count;

    if (first > UINT32_MAX - TRACE_NESTING)
        return refuse(&reader, "the file has too many expressions; use loops");
    CCMOD_TRY(read_sum(&reader));
    CCMOD_TRY(emit(&reader, TRACE_RESULT, 0));
    if (!trace_at_end_of_word(scanner))
        return refuse(&reader, "something stands behind it; a blank must separate fields");
    *out = (uint32_t)first;
    return CCMOD_OK;
}

/* C truncates, a trace floors; the least number divided by -1 has no result either. */
static bool divide(int64_t left, int64_t right, int64_t *quotient, int64_t *remainder)
{
    if (right == 0 || (left == INT64_MIN && right == -1))
        return false;
    *quotient = left / right;
    *remainder = left % right;
    if (*remainder != 0 && (*remainder < 0) != (right < 0)) {
        *quotient -= 1;
        *remainder += right;
    }
    return true;
}

/* left = left `kind` right. */
static bool apply(trace_token_kind kind, int64_t *left, int64_t right)
{
    int64_t other;

    switch (kind) {
    case TRACE_ADD:
        return !__builtin_add_overflow(*left, right, left);
    case TRACE_SUBTRACT:
        return !__builtin_sub_overflow(*left, right, left);
    case TRACE_MULTIPLY:
        return !__builtin_mul_overflow(*left, right, left);
    case TRACE_DIVIDE:
        return divide(*left, right, left, &other);
    default:
        return divide(*left, right, &other, left);
    }
}

bool ccmod_trace_evaluate(const ccmod_trace *trace, uint32_t expression, int64_t index,
                          uint32_t rank, int64_t *value)
{
    const int64_t variables[] = {
        [TRACE_INDEX] = index, [TRACE_RANK] = rank, [TRACE_RANKS] = trace->ranks};
    int64_t stack[TRACE_NESTING + 1]; /* its first cell stays empty */
    int64_t *top = stack;

    *top = 0;
    for (const trace_token *token = trace->tokens + expression;; token++) {
        if (token->kind == TRACE_NUMBER) {
            *++top = token->number;
        } else if (token->kind <= TRACE_RANKS) {
            *++top = variables[token->kind];
        } else if (token->kind == TRACE_NEGATE) {
            if (__builtin_sub_overflow((int64_t)0, *top, top))
                return false;
        } else if (token->kind == TRACE_RESULT) {
            *value = *top;
            return true;
        } else {
            top--;
            if (!apply(token->kind, top, top[1]))
                return false;
        }
    }
}
