/* Expressions are parsed by recursive descent into postfix order and evaluated on a small stack. A
 * tree of rank intervals over the sections finds the sections of a rank without a list per rank. */
#include "model/traces/expressions.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { REAL_BYTES = 64, QUOTED = 40, EXACT_DIGITS = 15 };

bool ccmod_trace_take_word(trace_scanner *scanner, const char *word)
{
    trace_scanner ahead = *scanner;

    while (*word != '\0') {
        if (!trace_take(&ahead, *word++))
            return false;
    }
    if (!trace_at_end_of_word(&ahead))
        return false;
    *scanner = ahead;
    return true;
}

bool ccmod_trace_take_number(trace_scanner *scanner, int64_t largest, int64_t *number)
{
    const char *at = scanner->at;
    int64_t value = 0;

    if (at == scanner->end || !trace_is_digit(*at))
        return false;
    for (; at < scanner->end && trace_is_digit(*at); at++) {
        int64_t digit = *at - '0';

        if (value > (largest - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    scanner->at = at;
    *number = value;
    return true;
}

/* Up to fifteen digits, no exponent: both parts of the quotient are exact, and so the result is
 * correctly rounded. */
static bool take_short_real(trace_scanner *scanner, double *real)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *at = scanner->at;
    int64_t digits = 0;
    int count = 0, decimals = 0;
    bool point = false;

    for (; at < scanner->end && (trace_is_digit(*at) || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        digits = 10 * digits + (*at - '0');
        decimals += point;
        if (++count > EXACT_DIGITS)
            return false;
    }
    if (count == 0 || (at < scanner->end && (*at == 'e' || *at == 'E')))
        return false;
    scanner->at = at;
    *real = (double)digits / powers[decimals];
    return true;
}

bool ccmod_trace_take_real(trace_scanner *scanner, double *real)
{
    char copy[REAL_BYTES], *stop;
    size_t length = 0;

    if (take_short_real(scanner, real))
        return true;
    if (scanner->at == scanner->end || !(trace_is_digit(*scanner->at) || *scanner->at == '.'))
        return false;
    while (scanner->at + length < scanner->end && length < sizeof(copy) - 1 &&
           strchr("0123456789.eE+-", scanner->at[length]) != NULL) {
        copy[length] = scanner->at[length];
        length++;
    }
    copy[length] = '\0';
    *real = strtod(copy, &stop);
    if (stop == copy || !isfinite(*real))
        return false;
    scanner->at += stop - copy;
    return true;
}

void ccmod_trace_quote(const trace_scanner *scanner, char text[static 48])
{
    trace_scanner ahead = *scanner;
    size_t length = 0;

    for (; length < QUOTED && !trace_at_end_of_word(&ahead); ahead.at++)
        text[length++] = isprint((unsigned char)*ahead.at) ? *ahead.at : '?';
    strcpy(text + length, trace_at_end_of_word(&ahead) ? "" : "...");
}

static ccmod_status refuse_list(char *why, const char *text)
{
    snprintf(why, TRACE_WHY_BYTES, "%s", text);
    return CCMOD_ERROR_USAGE;
}

static int by_first(const void *left, const void *right)
{
    const trace_range *a = left, *b = right;

    return (a->first > b->first) - (a->first < b->first);
}

static bool ascending(const trace_range *ranges, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (ranges[i].first <= ranges[i - 1].last)
            return false;
    }
    return true;
}

/* The order of a list has no meaning: sort it to find repetitions. */
static ccmod_status put_in_order(trace_range *ranges, size_t count, char *why)
{
    if (ascending(ranges, count))
        return CCMOD_OK;
    qsort(ranges, count, sizeof(*ranges), by_first);
    return ascending(ranges, count) ? CCMOD_OK
                                    : refuse_list(why, "a rank is listed twice; list each once");
}

static ccmod_status read_range(const ccmod_trace *trace, trace_scanner *scanner, trace_range *range,
                               char *why)
{
    int64_t first, last;

    if (!ccmod_trace_take_number(scanner, TRACE_LARGEST_RANKS, &first))
        return refuse_list(why, "a rank is missing; write ranks and ranges, as 1-15,20");
    last = first;
    if (trace_take(scanner, '-') && !ccmod_trace_take_number(scanner, TRACE_LARGEST_RANKS, &last))
        return refuse_list(why, "the last rank of a range is missing; write 1-15");
    if (last < first)
        return refuse_list(why, "a range runs backwards; write the lower rank first");
    if (last >= trace->ranks) {
        snprintf(why, TRACE_WHY_BYTES,
                 "rank %lld is unknown, the header says %u ranks; correct one of the two",
                 (long long)last, trace->ranks);
        return CCMOD_ERROR_USAGE;
    }
    *range = (trace_range){(uint32_t)first, (uint32_t)last};
    return CCMOD_OK;
}

ccmod_status ccmod_trace_read_ranges(ccmod_trace *trace, trace_scanner *scanner, trace_list *out,
                                     char why[static TRACE_WHY_BYTES])
{
    size_t first = trace->range_count;

    do {
        trace_range range, *ranges;

        CCMOD_TRY(read_range(trace, scanner, &range, why));
        ranges = cb_grow(trace->ranges, trace->range_count, &trace->range_room, sizeof(*ranges));
        if (ranges == NULL)
            return CCMOD_ERROR_MEMORY;
        trace->ranges = ranges;
        ranges[trace->range_count++] = range;
    } while (trace_take(scanner, ','));
    *out = (trace_list){first, trace->range_count - first};
    return put_in_order(trace->ranges + first, out->count, why);
}

static trace_range hull_of(trace_range left, trace_range right)
{
    return (trace_range){left.first < right.first ? left.first : right.first,
                         left.last > right.last ? left.last : right.last};
}

bool ccmod_trace_index_sections(ccmod_trace *trace)
{
    const trace_range no_rank = {UINT32_MAX, 0};
    size_t leaves = 1;

    while (leaves < trace->section_count)
        leaves *= 2;
    trace->hulls = malloc(2 * leaves * sizeof(*trace->hulls));
    if (trace->hulls == NULL)
        return false;
    trace->hull_leaves = leaves;
    for (size_t i = 0; i < leaves; i++)
        trace->hulls[leaves + i] = i < trace->section_count ? trace->sections[i].range : no_rank;
    for (size_t i = leaves - 1; i > 0; i--)
        trace->hulls[i] = hull_of(trace->hulls[2 * i], trace->hulls[2 * i + 1]);
    trace->hulls[0] = no_rank;
    return true;
}

/* The node after `node` and its subtree in order of the sections; 0 at the end. */
static size_t next_node(size_t node)
{
    while (node % 2 == 1)
        node /= 2;
    return node == 0 ? 0 : node + 1;
}

size_t ccmod_trace_find_section(const ccmod_trace *trace, size_t from, uint32_t rank)
{
    size_t node = trace->hull_leaves + from;

    if (from >= trace->section_count)
        return trace->section_count;
    while (node != 0) {
        const trace_range *hull = &trace->hulls[node];

        if (rank < hull->first || rank > hull->last)
            node = next_node(node);
        else if (node < trace->hull_leaves)
            node = 2 * node;
        else
            return node - trace->hull_leaves;
    }
    return trace->section_count;
}

typedef struct {
    ccmod_trace *trace;
    trace_scanner *scanner;
    bool sized, looped;
    unsigned enclosed; /* number of open parentheses, in which blanks are allowed */
    unsigned nesting;  /* of parentheses and signs */
    unsigned height;   /* of the stack so far */
    char *why;
} expression_reader;

static ccmod_status report_expression(const expression_reader *reader, const char *text)
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
        return report_expression(reader,
                                 "it is nested too deeply; write it with fewer parentheses");
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
            return report_expression(reader, "%i is only valid in a loop; use %r or %n");
        return emit(reader, variables[i].kind, 0);
    }
    return report_expression(reader,
                             "a variable must be one of %i (loop index), %r (rank), %n (ranks)");
}

/* The unit after a size, as in 4KiB: its factor, 1 if there is none. */
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
            return report_expression(reader, "the number is too large; it must be below 2^63");
        return report_expression(reader, "a number, %i, %r, %n or a parenthesis must follow");
    }
    if (reader->sized && __builtin_mul_overflow(number, take_unit(reader->scanner), &number))
        return report_expression(reader, "the size is too large; it must be at most 2^53 bytes");
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
        return report_expression(reader,
                                 "it is nested too deeply; write it with fewer parentheses");
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
            status = report_expression(reader, "a closing parenthesis is missing; add it");
    } else {
        status = read_number(reader);
    }
    skip_enclosed_blanks(reader);
    reader->nesting--;
    return status;
}

/* The operator at the scanner, if it is one of `signs`. */
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
        return report_expression(&reader, "the file has too many expressions; use loops");
    CCMOD_TRY(read_sum(&reader));
    CCMOD_TRY(emit(&reader, TRACE_RESULT, 0));
    if (!trace_at_end_of_word(scanner))
        return report_expression(&reader, "unexpected text follows; separate fields by blanks");
    *out = (uint32_t)first;
    return CCMOD_OK;
}

/* C truncates, a trace floors; INT64_MIN / -1 also has no result. */
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
    int64_t stack[TRACE_NESTING + 1]; /* its first element is unused */
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
