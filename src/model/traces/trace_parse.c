/* From text to code: the head, sections, loops and records of a trace, each line seen once. What is
 * wrong is told with file, line and remedy. */
#include <ccmod/workload.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/traces/fields.h"
#include "model/traces/ranks.h"

typedef struct {
    const char *name;
    uint8_t kind;
    ccmod_status (*read)(trace_parser *parser); /* the fields after the name */
    const char *form;                           /* for errors */
} record_form;

/* Operations */

static ccmod_status append(trace_parser *parser, trace_operation operation)
{
    ccmod_trace *trace = parser->trace;
    trace_operation *operations = cb_grow(trace->operations, trace->operation_count,
                                          &trace->operation_room, sizeof(*operations));

    if (operations == NULL)
        return ccmod_trace_no_memory(parser);
    trace->operations = operations;
    if (trace->operation_count >= UINT32_MAX - 4)
        return ccmod_trace_refuse(
            parser, parser->scanner.line,
            "the trace has more than 2^32 records; write repetitions as loops");
    trace->operations[trace->operation_count++] = operation;
    return CCMOD_OK;
}

/* Loops */

static ccmod_status read_loop(trace_parser *parser)
{
    if (parser->depth == TRACE_LOOPS)
        return ccmod_trace_refuse(
            parser, parser->scanner.line,
            "loops are nested more than %d deep; write the innermost ones out", (int)TRACE_LOOPS);
    CCMOD_TRY(ccmod_trace_read_count(parser));
    parser->loops[parser->depth++] = (uint32_t)parser->trace->operation_count;
    if (parser->depth > parser->trace->deepest)
        parser->trace->deepest = parser->depth;
    return CCMOD_OK;
}

static ccmod_status read_loop_end(trace_parser *parser)
{
    if (parser->depth == 0)
        return ccmod_trace_refuse(parser, parser->scanner.line,
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
    {"s", CCMOD_SEND, ccmod_trace_read_send, "s DEST SIZE"},
    {"r", CCMOD_RECEIVE, ccmod_trace_read_receive, "r SRC|any SIZE"},
    {"is", CCMOD_START_SEND, ccmod_trace_read_send, "is DEST SIZE"},
    {"ir", CCMOD_START_RECEIVE, ccmod_trace_read_receive, "ir SRC|any SIZE"},
    {"w", CCMOD_WAIT, read_nothing, "w"},
    {"c", CCMOD_COMPUTE, ccmod_trace_read_compute, "c TIME"},
    {"m", CCMOD_MULTICAST, ccmod_trace_read_multicast, "m LIST SIZE"},
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
    uint32_t opened = parser->loops[parser->depth];

    if (parser->operation.kind == TRACE_AGAIN) {
        if (opened + 1 == trace->operation_count) { /* nothing is in the loop: it is forgotten */
            trace->operation_count = opened;
            return CCMOD_OK;
        }
        parser->operation.a = opened + 1;
        CCMOD_TRY(append(parser, parser->operation));
        trace->operations[opened].b = (uint32_t)trace->operation_count;
        return CCMOD_OK;
    }
    if (parser->operation.kind < CCMOD_RECORDS)
        parser->trace->records++;
    CCMOD_TRY(append(parser, parser->operation));
    if ((parser->operation.flags & TRACE_HAS_MEASURED) != 0)
        CCMOD_TRY(append(parser, *measured));
    return CCMOD_OK;
}

/* After blanks, a number of one to nine digits; NULL where there is none. */
static inline const char *take_plain(const char *at, const char *end, uint32_t *number)
{
    const char *first;
    uint32_t value = 0;

    while (at < end && *at == ' ')
        at++;
    for (first = at; at < end && trace_is_digit(*at); at++)
        value = 10 * value + (uint32_t)(*at - '0');
    *number = value;
    return at > first && at - first <= 9 ? at : NULL;
}

/* Two such numbers and the end of the line; nothing is taken where anything else stands. */
static inline bool take_plain_pair(trace_scanner *scanner, uint32_t *first, uint32_t *second)
{
    const char *end = scanner->end;
    const char *at = take_plain(scanner->at, end, first);

    if (at == NULL || at == end || *at != ' ')
        return false;
    at = take_plain(at, end, second);
    if (at == NULL || (at < end && *at != '\n'))
        return false;
    scanner->at = at;
    return true;
}

/* Hot. The lines that traces are full of: a message of a plain rank and a plain size. False, and
 * nothing taken, for all others, and for what has to be refused. */
static bool take_plain_record(trace_parser *parser, trace_operation *operation)
{
    static const uint8_t kinds[2][2] = {{CCMOD_SEND, CCMOD_RECEIVE},
                                        {CCMOD_START_SEND, CCMOD_START_RECEIVE}};
    trace_scanner ahead = parser->scanner;
    bool started = trace_take(&ahead, 'i');
    char name = ahead.at < ahead.end ? *ahead.at++ : '\0';

    if (!parser->in_section || (name != 's' && name != 'r') || ahead.at == ahead.end ||
        *ahead.at != ' ' || !take_plain_pair(&ahead, &operation->a, &operation->b) ||
        operation->a >= parser->trace->ranks)
        return false;
    operation->kind = kinds[started][name == 'r'];
    operation->depth = (uint8_t)parser->depth;
    operation->line = (uint32_t)parser->scanner.line;
    parser->scanner = ahead;
    return true;
}

static ccmod_status read_record(trace_parser *parser)
{
    trace_operation measured = {.line = (uint32_t)parser->scanner.line};
    const record_form *form;

    form = take_form(&parser->scanner);
    if (form == NULL) {
        ccmod_trace_quote(&parser->scanner, parser->quoted);
        return ccmod_trace_refuse(parser, parser->scanner.line,
                                  "cannot read the record '%s': records are s, r, is, ir, w, c, m, "
                                  "b, @ and ;, and a section begins with its ranks, as 0: or 1-15: "
                                  "or *:",
                                  parser->quoted);
    }
    if (!parser->in_section)
        return ccmod_trace_refuse(
            parser, parser->scanner.line,
            "the record '%s' stands before any section; say whose it is by a line "
            "as 0: or *:",
            form->name);
    parser->operation = (trace_operation){.kind = form->kind,
                                          .depth = (uint8_t)parser->depth,
                                          .line = (uint32_t)parser->scanner.line};
    trace_skip_blanks(&parser->scanner);
    CCMOD_TRY(form->read(parser));
    trace_skip_blanks(&parser->scanner);
    CCMOD_TRY(ccmod_trace_read_measured(parser, &measured));
    if (!trace_at_end_of_line(&parser->scanner)) {
        ccmod_trace_quote(&parser->scanner, parser->quoted);
        return ccmod_trace_refuse(parser, parser->scanner.line,
                                  "'%s' stands behind the end of the record; write it as: %s",
                                  parser->quoted, form->form);
    }
    return append_record(parser, &measured);
}

/* Sections */

static ccmod_status end_section(trace_parser *parser)
{
    if (parser->depth > 0) {
        uint32_t opened = parser->trace->operations[parser->loops[parser->depth - 1]].line;

        return ccmod_trace_refuse(
            parser, opened,
            "the loop that opens here is not closed before its section ends; add ';'");
    }
    if (!parser->in_section)
        return CCMOD_OK;
    return append(parser, (trace_operation){.kind = TRACE_STOP});
}

static ccmod_status append_section(trace_parser *parser, trace_range range)
{
    ccmod_trace *trace = parser->trace;
    trace_section *sections =
        cb_grow(trace->sections, trace->section_count, &trace->section_room, sizeof(*sections));

    if (sections == NULL || trace->section_count >= UINT32_MAX)
        return ccmod_trace_no_memory(parser);
    trace->sections = sections;
    sections[trace->section_count++] = (trace_section){range, (uint32_t)trace->operation_count};
    return CCMOD_OK;
}

/* "0:", "1-15,20:" or "*:", and perhaps its first record on the same line. */
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
            return ccmod_trace_refuse_field(parser, status, "ranks of a section", why);
        for (size_t i = 0; i < list.count; i++)
            CCMOD_TRY(append_section(parser, parser->trace->ranges[list.first + i]));
        parser->trace->range_count = list.first; /* the sections have them now */
    }
    if (!trace_take(&parser->scanner, ':'))
        return ccmod_trace_refuse_field(parser, CCMOD_ERROR_USAGE, "head of a section",
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
        return ccmod_trace_refuse(parser, scanner->line,
                                  "the trace is of another version than 1, which is all that is "
                                  "known here; write it in version 1, or use a newer program");
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
    return ccmod_trace_refuse(
        parser, scanner->line,
        "this is no head of a trace; the first line must read '%%cct 1 ranks N unit us', "
        "with N from 1 to %lld, and a unit of us, ns, ms or s",
        (long long)TRACE_LARGEST_RANKS);
}

static ccmod_status read_line(trace_parser *parser)
{
    trace_operation plain = {0};

    if (take_plain_record(parser, &plain)) {
        parser->trace->records++;
        return append(parser, plain);
    }
    trace_skip_blanks(&parser->scanner);
    if (trace_at_end_of_line(&parser->scanner))
        return CCMOD_OK;
    if (parser->trace->ranks == 0)
        return read_head(parser);
    return *parser->scanner.at == '*' || trace_is_digit(*parser->scanner.at) ? read_section(parser)
                                                                             : read_record(parser);
}

static ccmod_status read_lines(trace_parser *parser)
{
    do {
        if (parser->scanner.line > UINT32_MAX - 2)
            return ccmod_trace_refuse(parser, parser->scanner.line,
                                      "the trace has too many lines; write repetitions as loops");
        CCMOD_TRY(read_line(parser));
    } while (next_line(&parser->scanner));
    parser->trace->lines = parser->scanner.line - 1;
    if (parser->trace->ranks == 0)
        return ccmod_trace_refuse(parser, 1,
                                  "the trace is empty; its first line must read '%%cct 1 ranks N "
                                  "unit us'");
    CCMOD_TRY(end_section(parser));
    return ccmod_trace_index_sections(parser->trace) ? CCMOD_OK : ccmod_trace_no_memory(parser);
}

ccmod_status ccmod_trace_parse(const char *name, const char *text, size_t bytes, ccmod_trace **out,
                               ccmod_error *error)
{
    trace_parser parser = {.trace = calloc(1, sizeof(ccmod_trace)),
                           .scanner = {.at = text, .end = text + bytes, .line = 1},
                           .error = error};
    ccmod_status status;

    if (parser.trace != NULL)
        parser.trace->name = strdup(name);
    if (parser.trace == NULL || parser.trace->name == NULL) {
        free(parser.trace);
        return ccmod_fail(error, CCMOD_ERROR_MEMORY, name, 0,
                          "cannot read the trace: no memory left");
    }
    /* a cursor starts at operation 0, which sends it to its first section */
    status = append(&parser, (trace_operation){.kind = TRACE_STOP});
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
