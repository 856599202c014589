#include "model/traces/fields.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/grow.h"
#include "model/traces/expressions.h"
#include "model/traces/ranks.h"

/* Errors */

__attribute__((format(printf, 3, 4))) ccmod_status
ccmod_trace_refuse(trace_parser *parser, size_t line, const char *format, ...)
{
    char text[CCMOD_ERROR_BYTES / 2];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->trace->name, line, "%s", text);
}

ccmod_status ccmod_trace_no_memory(trace_parser *parser)
{
    return ccmod_fail(parser->error, CCMOD_ERROR_MEMORY, parser->trace->name, parser->scanner.line,
                      "cannot keep the trace: no memory left; write repetitions as loops");
}

/* A field that cannot be read: which one, what stands there, why. */
ccmod_status ccmod_trace_refuse_field(trace_parser *parser, ccmod_status status, const char *field,
                                      const char *why)
{
    if (status != CCMOD_ERROR_USAGE)
        return ccmod_trace_no_memory(parser);
    if (trace_at_end_of_line(&parser->scanner))
        return ccmod_trace_refuse(parser, parser->scanner.line,
                                  "the %s ends too early, at the end of the line: %s", field, why);
    ccmod_trace_quote(&parser->scanner, parser->quoted);
    return ccmod_trace_refuse(parser, parser->scanner.line, "cannot read the %s at '%s': %s", field,
                              parser->quoted, why);
}

/* Numbers */

/* An expression without variables is checked at once, and kept as the number that it is. */
static ccmod_status fold(trace_parser *parser, uint8_t flag, int64_t largest, uint32_t *out,
                         char *why)
{
    ccmod_trace *trace = parser->trace;
    trace_token *tokens = trace->tokens + *out;
    int64_t value;

    for (const trace_token *token = tokens; token->kind != TRACE_RESULT; token++) {
        if (token->kind >= TRACE_INDEX && token->kind <= TRACE_RANKS)
            return CCMOD_OK;
    }
    if (!ccmod_trace_evaluate(trace, *out, 0, 0, &value) || value < 0 || value > largest) {
        snprintf(why, TRACE_WHY_BYTES, "it must be between 0 and %lld", (long long)largest);
        return CCMOD_ERROR_USAGE;
    }
    if (value < UINT32_MAX) {
        trace->token_count = *out;
        parser->operation.flags &= (uint8_t)~flag;
        *out = (uint32_t)value;
        return CCMOD_OK;
    }
    tokens[0] = (trace_token){TRACE_NUMBER, value};
    tokens[1] = (trace_token){TRACE_RESULT, 0};
    trace->token_count = *out + 2;
    return CCMOD_OK;
}

/* A number that may be an expression: a plain one below 2^32 goes into the operation itself. */
static ccmod_status read_number(trace_parser *parser, bool sized, uint8_t flag, int64_t largest,
                                const char *field, uint32_t *out)
{
    trace_scanner before = parser->scanner;
    char why[TRACE_WHY_BYTES] = "";
    ccmod_status status;
    int64_t number;

    if (ccmod_trace_take_number(&parser->scanner, UINT32_MAX - 1, &number) &&
        trace_at_end_of_word(&parser->scanner) && number <= largest) {
        *out = (uint32_t)number;
        return CCMOD_OK;
    }
    parser->scanner = before;
    parser->operation.flags |= flag;
    status = ccmod_trace_read_expression(parser->trace, &parser->scanner, sized, parser->depth > 0,
                                         out, why);
    if (status != CCMOD_OK)
        return ccmod_trace_refuse_field(parser, status, field, why);
    status = fold(parser, flag, largest, out, why);
    if (status == CCMOD_OK)
        return CCMOD_OK;
    parser->scanner = before;
    return ccmod_trace_refuse_field(parser, status, field, why);
}

static ccmod_status read_peer(trace_parser *parser)
{
    ccmod_status status = read_number(parser, false, TRACE_A_EXPRESSION, TRACE_LARGEST_RANKS,
                                      "rank", &parser->operation.a);

    if (status != CCMOD_OK)
        return status;
    if ((parser->operation.flags & TRACE_A_EXPRESSION) == 0 &&
        parser->operation.a >= parser->trace->ranks)
        return ccmod_trace_refuse(
            parser, parser->scanner.line,
            "rank %u is unknown, the header says %u ranks; correct one of the two",
            parser->operation.a, parser->trace->ranks);
    return CCMOD_OK;
}

static ccmod_status read_size(trace_parser *parser)
{
    trace_skip_blanks(&parser->scanner);
    return read_number(parser, true, TRACE_B_EXPRESSION, TRACE_LARGEST_SIZE, "size",
                       &parser->operation.b);
}

ccmod_status ccmod_trace_read_send(trace_parser *parser)
{
    CCMOD_TRY(read_peer(parser));
    return read_size(parser);
}

ccmod_status ccmod_trace_read_receive(trace_parser *parser)
{
    if (ccmod_trace_take_word(&parser->scanner, "any"))
        parser->operation.flags |= TRACE_ANY;
    else
        CCMOD_TRY(read_peer(parser));
    return read_size(parser);
}

ccmod_status ccmod_trace_read_multicast(trace_parser *parser)
{
    ccmod_trace *trace = parser->trace;
    char why[TRACE_WHY_BYTES] = "";
    trace_list list, *lists;
    ccmod_status status;

    if (ccmod_trace_take_word(&parser->scanner, "*")) {
        parser->operation.flags |= TRACE_OTHERS;
        return read_size(parser);
    }
    status = ccmod_trace_read_ranges(parser->trace, &parser->scanner, &list, why);
    if (status != CCMOD_OK)
        return ccmod_trace_refuse_field(parser, status, "list", why);
    lists = cb_grow(trace->lists, trace->list_count, &trace->list_room, sizeof(*lists));
    if (lists == NULL || trace->list_count >= UINT32_MAX)
        return ccmod_trace_no_memory(parser);
    trace->lists = lists;
    parser->operation.a = (uint32_t)trace->list_count;
    lists[trace->list_count++] = list;
    return read_size(parser);
}

ccmod_status ccmod_trace_read_count(trace_parser *parser)
{
    return read_number(parser, false, TRACE_A_EXPRESSION, TRACE_LARGEST_COUNT, "count",
                       &parser->operation.a);
}

/* Times */

static ccmod_status read_bounded_time(trace_parser *parser, const char *field, double *time_us)
{
    if (!ccmod_trace_take_real(&parser->scanner, time_us))
        return ccmod_trace_refuse_field(parser, CCMOD_ERROR_USAGE, field,
                                        "a time must be a number of 0 or more, as 12 or 12.5");
    *time_us *= parser->trace->unit_us;
    if (*time_us > TRACE_LARGEST_TIME_US)
        return ccmod_trace_refuse(parser, parser->scanner.line,
                                  "the %s is longer than 1e15 us, thirty years; correct it", field);
    return CCMOD_OK;
}

static const struct {
    const char *name;
    trace_distribution_kind kind;
    unsigned parameters;
} distributions[] = {
    {"exp(", TRACE_EXPONENTIAL, 1}, {"uniform(", TRACE_UNIFORM, 2}, {"normal(", TRACE_NORMAL, 2}};

static ccmod_status append_distribution(trace_parser *parser, trace_distribution distribution)
{
    ccmod_trace *trace = parser->trace;
    trace_distribution *all = cb_grow(trace->distributions, trace->distribution_count,
                                      &trace->distribution_room, sizeof(*all));

    if (all == NULL || trace->distribution_count >= UINT32_MAX)
        return ccmod_trace_no_memory(parser);
    trace->distributions = all;
    parser->operation.flags |= TRACE_DISTRIBUTION;
    parser->operation.a = (uint32_t)trace->distribution_count;
    all[trace->distribution_count++] = distribution;
    return CCMOD_OK;
}

static ccmod_status read_distribution(trace_parser *parser, size_t number)
{
    trace_distribution read = {.kind = distributions[number].kind};

    CCMOD_TRY(read_bounded_time(parser, "time of a distribution", &read.first));
    if (distributions[number].parameters == 2) {
        if (!trace_take(&parser->scanner, ','))
            return ccmod_trace_refuse_field(
                parser, CCMOD_ERROR_USAGE, "distribution",
                "two times must stand in it, as uniform(10,20) or normal(50,5)");
        CCMOD_TRY(read_bounded_time(parser, "time of a distribution", &read.second));
    }
    if (!trace_take(&parser->scanner, ')'))
        return ccmod_trace_refuse_field(
            parser, CCMOD_ERROR_USAGE, "distribution",
            "its closing parenthesis is missing; it contains no blanks");
    if (read.kind == TRACE_UNIFORM && read.second < read.first)
        return ccmod_trace_refuse(parser, parser->scanner.line,
                                  "uniform(LOW,HIGH) runs backwards; write the shorter time first");
    return append_distribution(parser, read);
}

static bool take_beginning(trace_scanner *scanner, const char *text)
{
    trace_scanner ahead = *scanner;

    while (*text != '\0') {
        if (!trace_take(&ahead, *text++))
            return false;
    }
    *scanner = ahead;
    return true;
}

/* A decimal number, a distribution, or else an expression of whole numbers. */
ccmod_status ccmod_trace_read_compute(trace_parser *parser)
{
    trace_scanner ahead = parser->scanner;
    char why[TRACE_WHY_BYTES] = "";
    ccmod_status status;
    double ignored;

    for (size_t i = 0; i < sizeof(distributions) / sizeof(distributions[0]); i++) {
        if (take_beginning(&parser->scanner, distributions[i].name))
            return read_distribution(parser, i);
    }
    if (ccmod_trace_take_real(&ahead, &ignored) && trace_at_end_of_word(&ahead))
        return read_bounded_time(parser, "time", &parser->operation.value);
    parser->operation.flags |= TRACE_TIME_EXPRESSION;
    status = ccmod_trace_read_expression(parser->trace, &parser->scanner, false, parser->depth > 0,
                                         &parser->operation.a, why);
    return status == CCMOD_OK ? CCMOD_OK : ccmod_trace_refuse_field(parser, status, "time", why);
}

ccmod_status ccmod_trace_read_measured(trace_parser *parser, trace_operation *measured)
{
    if (!take_beginning(&parser->scanner, "t="))
        return CCMOD_OK;
    if (parser->operation.kind >= CCMOD_RECORDS)
        return ccmod_trace_refuse(parser, parser->scanner.line,
                                  "a loop has no measured time; put t= behind the records in it");
    parser->operation.flags |= TRACE_HAS_MEASURED;
    measured->kind = TRACE_MEASURED;
    CCMOD_TRY(read_bounded_time(parser, "measured time", &measured->value));
    trace_skip_blanks(&parser->scanner);
    return CCMOD_OK;
}
