/* Parser of traces: head, sections, loops and records, each line read once; the fields of records:
 * ranks, sizes, counts, lists and times, each a number, an expression or a special word. Errors
 * have file, line and remedy. */
#include <ccmod/workload.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/grow.h"
#include "base/input.h"
#include "model/traces/expressions.h"
#include "model/traces/plain_lines.h"
#include "model/traces/trace.h"

#define LARGEST_OPERATIONS (UINT32_MAX - 4)

typedef struct {
    ccmod_trace *trace;
    trace_scanner scanner;
    ccmod_error *error;
    trace_operation operation;   /* being parsed */
    uint32_t loops[TRACE_LOOPS]; /* the operations of the open loops */
    unsigned depth;
    bool in_section;
    char quoted[48];
} trace_parser;

/* Errors */

/* CCMOD_ERROR_USAGE with a text about `line`. */
__attribute__((format(printf, 3, 4))) static ccmod_status refuse(trace_parser *parser, size_t line,
                                                                 const char *format, ...)
{
    char text[CCMOD_ERROR_BYTES / 2];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->trace->name, line, "%s", text);
}

static ccmod_status no_memory(trace_parser *parser)
{
    return ccmod_fail(parser->error, CCMOD_ERROR_MEMORY, parser->trace->name, parser->scanner.line,
                      "cannot store the trace: out of memory; write repetitions as loops");
}

/* Report an invalid field: its name, its text, the reason. */
static ccmod_status refuse_field(trace_parser *parser, ccmod_status status, const char *field,
                                 const char *why)
{
    if (status != CCMOD_ERROR_USAGE)
        return no_memory(parser);
    if (trace_at_end_of_line(&parser->scanner))
        return refuse(parser, parser->scanner.line,
                      "the %s is incomplete at the end of the line: %s", field, why);
    ccmod_trace_quote(&parser->scanner, parser->quoted);
    return refuse(parser, parser->scanner.line, "cannot read the %s at '%s': %s", field,
                  parser->quoted, why);
}

/* Numbers */

/* Evaluate an expression without variables at once, check it, and keep its value. */
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

/* A number that may be an expression: a plain one below 2^32 is stored in the operation. */
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
        return refuse_field(parser, status, field, why);
    status = fold(parser, flag, largest, out, why);
    if (status == CCMOD_OK)
        return CCMOD_OK;
    parser->scanner = before;
    return refuse_field(parser, status, field, why);
}

static ccmod_status read_peer(trace_parser *parser)
{
    ccmod_status status = read_number(parser, false, TRACE_A_EXPRESSION, TRACE_LARGEST_RANKS,
                                      "rank", &parser->operation.a);

    if (status != CCMOD_OK)
        return status;
    if ((parser->operation.flags & TRACE_A_EXPRESSION) == 0 &&
        parser->operation.a >= parser->trace->ranks)
        return refuse(parser, parser->scanner.line,
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

/* The fields after the name of a record; each is parsed into parser->operation. */
static ccmod_status read_send(trace_parser *parser)
{
    CCMOD_TRY(read_peer(parser));
    return read_size(parser);
}

static ccmod_status read_receive(trace_parser *parser)
{
    if (ccmod_trace_take_word(&parser->scanner, "any"))
        parser->operation.flags |= TRACE_ANY;
    else
        CCMOD_TRY(read_peer(parser));
    trace_skip_blanks(&parser->scanner);
    if (!ccmod_trace_take_word(&parser->scanner, "*"))
        return read_size(parser);
    parser->operation.flags |= TRACE_ANY_SIZE;
    return CCMOD_OK;
}

static ccmod_status read_multicast(trace_parser *parser)
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
        return refuse_field(parser, status, "list", why);
    lists = cb_grow(trace->lists, trace->list_count, &trace->list_room, sizeof(*lists));
    if (lists == NULL || trace->list_count >= UINT32_MAX)
        return no_memory(parser);
    trace->lists = lists;
    parser->operation.a = (uint32_t)trace->list_count;
    lists[trace->list_count++] = list;
    return read_size(parser);
}

/* Times */

static ccmod_status read_bounded_time(trace_parser *parser, const char *field, double *time_us)
{
    if (!ccmod_trace_take_real(&parser->scanner, time_us))
        return refuse_field(parser, CCMOD_ERROR_USAGE, field,
                            "a time must be a number of 0 or more, as 12 or 12.5");
    *time_us *= parser->trace->unit_us;
    if (*time_us > TRACE_LARGEST_TIME_US)
        return refuse(parser, parser->scanner.line,
                      "the %s is longer than 1e15 us, thirty years; correct it", field);
    return CCMOD_OK;
}

static const struct {
    const char *name;
    trace_distribution_kind kind;
    unsigned parameters;
} distributions[] = {
    {"exp(", TRACE_EXPONENTIAL, 1}, {"uniform(", TRACE_UNIFORM, 2}, {"normal(", TRACE_NORMAL, 2}};

static ccmod_status read_distribution(trace_parser *parser, size_t number)
{
    trace_distribution read = {.kind = distributions[number].kind};
    ccmod_trace *trace = parser->trace;
    trace_distribution *all;

    CCMOD_TRY(read_bounded_time(parser, "time of a distribution", &read.first));
    if (distributions[number].parameters == 2) {
        if (!trace_take(&parser->scanner, ','))
            return refuse_field(parser, CCMOD_ERROR_USAGE, "distribution",
                                "it must have two times, as uniform(10,20) or normal(50,5)");
        CCMOD_TRY(read_bounded_time(parser, "time of a distribution", &read.second));
    }
    if (!trace_take(&parser->scanner, ')'))
        return refuse_field(parser, CCMOD_ERROR_USAGE, "distribution",
                            "its closing parenthesis is missing; it contains no blanks");
    if (read.kind == TRACE_UNIFORM && read.second < read.first)
        return refuse(parser, parser->scanner.line,
                      "uniform(LOW,HIGH) has LOW above HIGH; write the shorter time first");
    all = cb_grow(trace->distributions, trace->distribution_count, &trace->distribution_room,
                  sizeof(*all));
    if (all == NULL || trace->distribution_count >= UINT32_MAX)
        return no_memory(parser);
    trace->distributions = all;
    parser->operation.flags |= TRACE_DISTRIBUTION;
    parser->operation.a = (uint32_t)trace->distribution_count;
    all[trace->distribution_count++] = read;
    return CCMOD_OK;
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

/* A decimal number, a distribution, or an expression of whole numbers. */
static ccmod_status read_compute(trace_parser *parser)
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
    return status == CCMOD_OK ? CCMOD_OK : refuse_field(parser, status, "time", why);
}

/* "t=12.5" after a record: a second operation with the measured time. */
static ccmod_status read_measured(trace_parser *parser, trace_operation *measured)
{
    if (!take_beginning(&parser->scanner, "t="))
        return CCMOD_OK;
    if (parser->operation.kind >= CCMOD_RECORDS)
        return refuse(parser, parser->scanner.line,
                      "a loop has no measured time; put t= after the records in it");
    parser->operation.flags |= TRACE_HAS_MEASURED;
    measured->kind = TRACE_MEASURED;
    CCMOD_TRY(read_bounded_time(parser, "measured time", &measured->value));
    trace_skip_blanks(&parser->scanner);
    return CCMOD_OK;
}

typedef struct {
    const char *name;
    uint8_t kind;
    ccmod_status (*read)(trace_parser *parser); /* the fields after the name */
    const char *form;                           /* for errors */
} record_form;

/* Operations */

/* Not inlined: the first call always allocates, which the compiler takes for cold code. */
static __attribute__((noinline)) ccmod_status widen_operations(trace_parser *parser)
{
    ccmod_trace *trace = parser->trace;
    trace_operation *operations = cb_grow(trace->operations, trace->operation_count,
                                          &trace->operation_room, sizeof(*operations));

    if (operations == NULL)
        return no_memory(parser);
    trace->operations = operations;
    return CCMOD_OK;
}

/* Make room for one more operation. */
static inline ccmod_status make_room(trace_parser *parser)
{
    return parser->trace->operation_count < parser->trace->operation_room
               ? CCMOD_OK
               : widen_operations(parser);
}

static ccmod_status append_operation(trace_parser *parser, trace_operation operation)
{
    ccmod_trace *trace = parser->trace;

    CCMOD_TRY(make_room(parser));
    if (trace->operation_count >= LARGEST_OPERATIONS)
        return refuse(parser, parser->scanner.line,
                      "the trace has more than 2^32 records; write repetitions as loops");
    trace->operations[trace->operation_count++] = operation;
    return CCMOD_OK;
}

/* Loops */

static ccmod_status read_loop(trace_parser *parser)
{
    if (parser->depth == TRACE_LOOPS)
        return refuse(parser, parser->scanner.line,
                      "loops are nested more than %d deep; write the innermost ones out",
                      (int)TRACE_LOOPS);
    CCMOD_TRY(read_number(parser, false, TRACE_A_EXPRESSION, TRACE_LARGEST_COUNT, "count",
                          &parser->operation.a));
    parser->loops[parser->depth++] = (uint32_t)parser->trace->operation_count;
    if (parser->depth > parser->trace->deepest)
        parser->trace->deepest = parser->depth;
    return CCMOD_OK;
}

static ccmod_status read_loop_end(trace_parser *parser)
{
    if (parser->depth == 0)
        return refuse(parser, parser->scanner.line,
                      "this ';' closes no loop; remove it, or open one with '@ COUNT'");
    parser->depth--;
    parser->operation.depth--;
    return CCMOD_OK;
}

/* Records */

static ccmod_status read_nothing(trace_parser *parser)
{
    (void)parser;
    return CCMOD_OK;
}

static const record_form forms[] = {
    {"s", CCMOD_SEND, read_send, "s DEST SIZE"},
    {"r", CCMOD_RECEIVE, read_receive, "r SRC|any SIZE|*"},
    {"is", CCMOD_START_SEND, read_send, "is DEST SIZE"},
    {"ss", CCMOD_SYNCHRONOUS_SEND, read_send, "ss DEST SIZE"},
    {"iss", CCMOD_START_SYNCHRONOUS_SEND, read_send, "iss DEST SIZE"},
    {"bs", CCMOD_BUFFERED_SEND, read_send, "bs DEST SIZE"},
    {"ir", CCMOD_START_RECEIVE, read_receive, "ir SRC|any SIZE|*"},
    {"w", CCMOD_WAIT, read_nothing, "w"},
    {"c", CCMOD_COMPUTE, read_compute, "c TIME"},
    {"m", CCMOD_MULTICAST, read_multicast, "m LIST SIZE"},
    {"b", CCMOD_BARRIER, read_nothing, "b"},
    {"@", TRACE_LOOP, read_loop, "@ COUNT"},
    {";", TRACE_AGAIN, read_loop_end, ";"},
};

static const record_form *take_form(trace_scanner *scanner)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (*scanner->at == forms[i].name[0] && ccmod_trace_take_word(scanner, forms[i].name))
            return &forms[i];
    }
    return NULL;
}

static ccmod_status append_record(trace_parser *parser, const trace_operation *measured)
{
    ccmod_trace *trace = parser->trace;

    if (parser->operation.kind == TRACE_AGAIN) {
        uint32_t opened = parser->loops[parser->depth];

        if (opened + 1 == trace->operation_count) { /* remove an empty loop */
            trace->operation_count = opened;
            return CCMOD_OK;
        }
        parser->operation.a = opened + 1;
        CCMOD_TRY(append_operation(parser, parser->operation));
        trace->operations[opened].b = (uint32_t)trace->operation_count;
        return CCMOD_OK;
    }
    if (parser->operation.kind < CCMOD_RECORDS)
        trace->records++;
    CCMOD_TRY(append_operation(parser, parser->operation));
    if ((parser->operation.flags & TRACE_HAS_MEASURED) != 0)
        CCMOD_TRY(append_operation(parser, *measured));
    return CCMOD_OK;
}

/* Hot. Read plain lines into the operations that there is room for, up to another line or near the
 * end of the text. Returns how many. */
static size_t fill_operations(trace_parser *parser)
{
    ccmod_trace *trace = parser->trace;
    trace_scanner *scanner = &parser->scanner;
    trace_operation *first = trace->operations + trace->operation_count;
    size_t room = trace->operation_room - trace->operation_count, count = 0;
    const char *at = scanner->at, *next = at, *end = scanner->end;
    const uint8_t depth = (uint8_t)parser->depth;
    const uint32_t line = (uint32_t)scanner->line;

    if (room > LARGEST_OPERATIONS - trace->operation_count)
        room = LARGEST_OPERATIONS - trace->operation_count;
    if (room > UINT32_MAX - scanner->line)
        room = UINT32_MAX - scanner->line;
    for (; count < room && end - at >= PLAIN_LINE_BYTES; count++, at = next) {
        next = take_plain_line(trace, at, &first[count]);
        if (next == NULL)
            break;
        first[count].flags = 0;
        first[count].depth = depth;
        first[count].line = line + (uint32_t)count;
    }
    scanner->at = at;
    scanner->line += count;
    trace->operation_count += count;
    trace->records += count;
    return count;
}

static ccmod_status read_plain_lines(trace_parser *parser)
{
    if (!parser->in_section)
        return CCMOD_OK;
    do
        CCMOD_TRY(make_room(parser));
    while (fill_operations(parser) > 0);
    return CCMOD_OK;
}

static ccmod_status read_record(trace_parser *parser)
{
    trace_operation measured = {.line = (uint32_t)parser->scanner.line};
    const record_form *form;

    form = take_form(&parser->scanner);
    if (form == NULL) {
        ccmod_trace_quote(&parser->scanner, parser->quoted);
        return refuse(
            parser, parser->scanner.line,
            "cannot read the record '%s': records are s, r, is, ir, ss, iss, "
            "bs, w, c, m, b, @ and ;, and a section begins with its ranks, as 0: or 1-15: "
            "or *:",
            parser->quoted);
    }
    if (!parser->in_section)
        return refuse(parser, parser->scanner.line,
                      "the record '%s' precedes the first section; name its ranks by a line "
                      "such as 0: or *:",
                      form->name);
    parser->operation = (trace_operation){.kind = form->kind,
                                          .depth = (uint8_t)parser->depth,
                                          .line = (uint32_t)parser->scanner.line};
    trace_skip_blanks(&parser->scanner);
    CCMOD_TRY(form->read(parser));
    trace_skip_blanks(&parser->scanner);
    CCMOD_TRY(read_measured(parser, &measured));
    if (!trace_at_end_of_line(&parser->scanner)) {
        ccmod_trace_quote(&parser->scanner, parser->quoted);
        return refuse(parser, parser->scanner.line,
                      "'%s' is unexpected after the record; write it as: %s", parser->quoted,
                      form->form);
    }
    return append_record(parser, &measured);
}

/* Sections */

static ccmod_status end_section(trace_parser *parser)
{
    if (parser->depth > 0) {
        uint32_t opened = parser->trace->operations[parser->loops[parser->depth - 1]].line;

        return refuse(parser, opened,
                      "the loop that opens here is not closed before its section ends; add ';'");
    }
    if (!parser->in_section)
        return CCMOD_OK;
    return append_operation(parser, (trace_operation){.kind = TRACE_STOP});
}

static ccmod_status append_section(trace_parser *parser, trace_range range)
{
    ccmod_trace *trace = parser->trace;
    trace_section *sections =
        cb_grow(trace->sections, trace->section_count, &trace->section_room, sizeof(*sections));

    if (sections == NULL || trace->section_count >= UINT32_MAX)
        return no_memory(parser);
    trace->sections = sections;
    sections[trace->section_count++] = (trace_section){range, (uint32_t)trace->operation_count};
    return CCMOD_OK;
}

/* "0:", "1-15,20:" or "*:", and optionally its first record on the same line. */
static ccmod_status read_section(trace_parser *parser)
{
    const trace_range all = {0, parser->trace->ranks - 1};
    char why[TRACE_WHY_BYTES] = "";
    trace_list list;
    ccmod_status status;

    CCMOD_TRY(end_section(parser));
    parser->in_section = true;
    if (trace_take(&parser->scanner, '*')) {
        CCMOD_TRY(append_section(parser, all));
    } else {
        status = ccmod_trace_read_ranges(parser->trace, &parser->scanner, &list, why);
        if (status != CCMOD_OK)
            return refuse_field(parser, status, "ranks of a section", why);
        for (size_t i = 0; i < list.count; i++)
            CCMOD_TRY(append_section(parser, parser->trace->ranges[list.first + i]));
        parser->trace->range_count = list.first; /* the sections own them now */
    }
    if (!trace_take(&parser->scanner, ':'))
        return refuse_field(parser, CCMOD_ERROR_USAGE, "head of a section",
                            "a ':' must follow the ranks, as 1-15,20:");
    trace_skip_blanks(&parser->scanner);
    return trace_at_end_of_line(&parser->scanner) ? CCMOD_OK : read_record(parser);
}

/* Lines */

static bool next_line(trace_scanner *scanner)
{
    const char *newline = scanner->at;

    if (newline < scanner->end && *newline != '\n')
        newline = memchr(newline, '\n', (size_t)(scanner->end - newline));
    scanner->at = newline != NULL && newline < scanner->end ? newline + 1 : scanner->end;
    scanner->line++;
    return scanner->at < scanner->end;
}

static ccmod_status read_head(trace_parser *parser)
{
    static const struct {
        const char *name;
        double us;
    } units[] = {{"us", 1}, {"ns", 1e-3}, {"ms", 1e3}, {"s", 1e6}};
    trace_scanner *scanner = &parser->scanner;
    int64_t ranks = 0;
    bool begun = ccmod_trace_take_word(scanner, "%cct");

    trace_skip_blanks(scanner);
    if (begun && !ccmod_trace_take_word(scanner, "1"))
        return refuse(parser, scanner->line,
                      "the version of the trace is not 1, the only one supported here; "
                      "write it in version 1, or use a newer program");
    trace_skip_blanks(scanner);
    begun = begun && ccmod_trace_take_word(scanner, "ranks");
    trace_skip_blanks(scanner);
    begun = begun && ccmod_trace_take_number(scanner, TRACE_LARGEST_RANKS, &ranks) && ranks > 0;
    trace_skip_blanks(scanner);
    begun = begun && ccmod_trace_take_word(scanner, "unit");
    trace_skip_blanks(scanner);
    parser->trace->ranks = (uint32_t)ranks;
    for (size_t i = 0; begun && i < sizeof(units) / sizeof(units[0]); i++) {
        if (ccmod_trace_take_word(scanner, units[i].name)) {
            parser->trace->unit_us = units[i].us;
            trace_skip_blanks(scanner);
            if (trace_at_end_of_line(scanner))
                return CCMOD_OK;
        }
    }
    return refuse(parser, scanner->line,
                  "not the head of a trace; the first line must be '%%cct 1 ranks N unit us', "
                  "with N from 1 to %lld, and a unit of us, ns, ms or s",
                  (long long)TRACE_LARGEST_RANKS);
}

/* "%cut REASON": what is in the file was not written to its end. */
static ccmod_status refuse_cut(trace_parser *parser)
{
    const trace_scanner *scanner = &parser->scanner;
    char reason[128];
    size_t length = 0;

    while (length < sizeof(reason) - 1 && scanner->at + length < scanner->end &&
           scanner->at[length] >= ' ' && scanner->at[length] <= '~') {
        reason[length] = scanner->at[length];
        length++;
    }
    reason[length] = '\0';
    return refuse(parser, scanner->line,
                  "the trace is cut: %s; messages are missing in it, and its times mean little. "
                  "Record it again, or remove this line to use what is there",
                  reason);
}

static ccmod_status read_line(trace_parser *parser)
{
    trace_skip_blanks(&parser->scanner);
    if (trace_at_end_of_line(&parser->scanner))
        return CCMOD_OK;
    if (parser->trace->ranks == 0)
        return read_head(parser);
    if (ccmod_trace_take_word(&parser->scanner, "%cut")) {
        trace_skip_blanks(&parser->scanner);
        return refuse_cut(parser);
    }
    return *parser->scanner.at == '*' || trace_is_digit(*parser->scanner.at) ? read_section(parser)
                                                                             : read_record(parser);
}

static ccmod_status read_lines(trace_parser *parser)
{
    do {
        CCMOD_TRY(read_plain_lines(parser));
        if (parser->scanner.line > UINT32_MAX - 2)
            return refuse(parser, parser->scanner.line,
                          "the trace has too many lines; write repetitions as loops");
        CCMOD_TRY(read_line(parser));
    } while (next_line(&parser->scanner));
    parser->trace->lines = parser->scanner.line - 1;
    if (parser->trace->ranks == 0)
        return refuse(parser, 1,
                      "the trace is empty; its first line must be '%%cct 1 ranks N "
                      "unit us'");
    CCMOD_TRY(end_section(parser));
    return ccmod_trace_index_sections(parser->trace) ? CCMOD_OK : no_memory(parser);
}

enum { SAMPLE_BYTES = 1 << 16, HUGE_PAGE_BYTES = 1 << 21 };

/* Allocate as many operations as the text probably has, if there are many: from its first lines.
 * In huge pages, since the kernel takes 4 us and more to provide a small one, which has room for
 * 256. Without effect if that is impossible; the array grows then. */
static void expect_operations(ccmod_trace *trace, const char *text, size_t bytes)
{
    size_t lines = 0, room;

    if (bytes < HUGE_PAGE_BYTES)
        return;
    for (size_t i = 0; i < SAMPLE_BYTES; i++)
        lines += text[i] == '\n';
    room = (lines + lines / 8) * (bytes / SAMPLE_BYTES + 1);
    trace->operations =
        aligned_alloc(HUGE_PAGE_BYTES,
                      (room * sizeof(*trace->operations) / HUGE_PAGE_BYTES + 1) * HUGE_PAGE_BYTES);
    if (trace->operations == NULL)
        return;
    trace->operation_room = room;
    (void)madvise(trace->operations, room * sizeof(*trace->operations), MADV_HUGEPAGE);
}

ccmod_status ccmod_trace_parse(const char *name, const char *text, size_t bytes, ccmod_trace **out,
                               ccmod_error *error)
{
    const size_t mark_bytes = cb_input_mark_bytes(text, bytes);
    trace_parser parser = {.trace = calloc(1, sizeof(ccmod_trace)),
                           .scanner = {.at = text + mark_bytes, .end = text + bytes, .line = 1},
                           .error = error};
    ccmod_status status;

    if (parser.trace != NULL)
        parser.trace->name = strdup(name);
    if (parser.trace == NULL || parser.trace->name == NULL) {
        free(parser.trace);
        return ccmod_fail(error, CCMOD_ERROR_MEMORY, name, 0,
                          "cannot read the trace: out of memory");
    }
    expect_operations(parser.trace, text, bytes);
    /* a cursor starts at operation 0, which leads to its first section */
    status = append_operation(&parser, (trace_operation){.kind = TRACE_STOP});
    if (status == CCMOD_OK)
        status = read_lines(&parser);
    if (status != CCMOD_OK)
        ccmod_trace_close(parser.trace);
    else
        *out = parser.trace;
    return status;
}

void ccmod_trace_close(ccmod_trace *trace)
{
    if (trace == NULL)
        return;
    free(trace->name);
    free(trace->operations);
    free(trace->sections);
    free(trace->hulls);
    free(trace->tokens);
    free(trace->distributions);
    free(trace->lists);
    free(trace->ranges);
    free(trace);
}
