/* Lines and words, walks, and programs as workloads whose messages match as in a trace. */
#include "tools/ccmod/convert_program.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/input.h"
#include "base/units.h"

enum { QUOTED = 60 };

static const char blanks[] = " \t\r\n";

/* Reading */

FILE *convert_open(const char *path, ccmod_error *error)
{
    char why[CB_INPUT_WHY_BYTES];
    FILE *stream = cb_input_stream(path, CB_INPUT_LARGEST_TRACE_BYTES, why);

    if (stream == NULL)
        ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                   "cannot read '%.200s': %s; name a file that can be read", path, why);
    return stream;
}

bool convert_text_next(convert_text *text, ccmod_status *status)
{
    size_t length;

    *status = CCMOD_OK;
    text->text[0] = '\0';
    if (fgets(text->text, sizeof(text->text), text->stream) == NULL) {
        if (ferror(text->stream))
            *status = ccmod_fail(text->error, CCMOD_ERROR_SYSTEM, text->name, 0,
                                 "cannot read: %s; name a file that can be read", strerror(errno));
        return false;
    }
    text->line++;
    length = strlen(text->text);
    if (length > 0 && (text->text[length - 1] == '\n' || feof(text->stream)))
        return true;
    *status =
        ccmod_fail(text->error, CCMOD_ERROR_USAGE, text->name, text->line,
                   "a zero byte, or more than %d characters: this is not text of this format; "
                   "name another file, or another format with --from",
                   CONVERT_LINE_BYTES - 2);
    return false;
}

char *convert_text_first(convert_text *text)
{
    return strtok_r(text->text, blanks, &text->rest);
}

char *convert_text_word(convert_text *text)
{
    return strtok_r(NULL, blanks, &text->rest);
}

ccmod_status convert_text_refuse(const convert_text *text, const char *word, const char *problem)
{
    return ccmod_fail(text->error, CCMOD_ERROR_USAGE, text->name, text->line, "'%.*s': %s",
                      (int)QUOTED, word, problem);
}

static ccmod_status refuse_missing(const convert_text *text, const char *what)
{
    return ccmod_fail(text->error, CCMOD_ERROR_USAGE, text->name, text->line,
                      "the %s is missing at the end of the line; add it", what);
}

static ccmod_status refuse_number(const convert_text *text, const char *word, const char *what,
                                  const char *why)
{
    return ccmod_fail(text->error, CCMOD_ERROR_USAGE, text->name, text->line,
                      "'%.*s' is not a %s: %s; correct it", (int)QUOTED, word, what, why);
}

ccmod_status convert_text_count(const convert_text *text, const char *word, const char *what,
                                uint64_t largest, uint64_t *value)
{
    char why[CB_WHY_BYTES];

    if (word == NULL)
        return refuse_missing(text, what);
    return cb_parse_count(word, 0, largest, value, why) ? CCMOD_OK
                                                        : refuse_number(text, word, what, why);
}

ccmod_status convert_text_real(const convert_text *text, const char *word, const char *what,
                               double largest, double *value)
{
    char why[CB_WHY_BYTES];

    if (word == NULL)
        return refuse_missing(text, what);
    return cb_parse_real(word, 0, largest, NULL, value, why) ? CCMOD_OK
                                                             : refuse_number(text, word, what, why);
}

/* Writing */

ccmod_status convert_walk_next(convert_walk *walk, uint32_t rank, ccmod_record *record,
                               ccmod_error *error)
{
    CCMOD_TRY(walk->workload->next(walk->workload, rank, record, error));
    if (record->kind == CCMOD_END)
        return CCMOD_OK;
    if (walk->left == 0)
        return convert_walk_refuse(walk, record,
                                   "with unrolled loops the trace has more records than "
                                   "--records allows; allow more, or shorten its loops",
                                   error);
    walk->left--;
    return CCMOD_OK;
}

ccmod_status convert_walk_refuse(const convert_walk *walk, const ccmod_record *record,
                                 const char *problem, ccmod_error *error)
{
    return ccmod_fail(error, CCMOD_ERROR_USAGE, walk->workload->name, record->line, "%s", problem);
}

void convert_write_number(FILE *stream, double value)
{
    char text[40];

    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (!(strtod(text, NULL) < value) && !(strtod(text, NULL) > value))
            break;
    }
    fputs(text, stream);
}

static ccmod_status no_memory(const convert_program *program, ccmod_error *error)
{
    return ccmod_fail(error, CCMOD_ERROR_MEMORY, program != NULL ? program->name : NULL, 0,
                      "cannot convert: out of memory for its records; convert a shorter one");
}

ccmod_status convert_program_open(const char *name, convert_program **out, ccmod_error *error)
{
    convert_program *program = calloc(1, sizeof(*program));

    if (program != NULL)
        program->name = strdup(name);
    if (program == NULL || program->name == NULL) {
        free(program);
        return no_memory(NULL, error);
    }
    *out = program;
    return CCMOD_OK;
}

void convert_program_free(convert_program *program)
{
    if (program == NULL)
        return;
    for (size_t i = 0; i < program->rank_count; i++)
        free(program->ranks[i].records);
    free(program->ranks);
    free(program->name);
    free(program);
}

ccmod_status convert_program_reach(convert_program *program, size_t number, ccmod_error *error)
{
    size_t wider = program->rank_room > 0 ? program->rank_room : 64;
    convert_rank *grown;

    if (number >= CONVERT_RANKS)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, program->name, 0,
                          "rank %zu: more than %d ranks; write a trace with loops instead", number,
                          (int)CONVERT_RANKS);
    while (wider <= number)
        wider *= 2;
    if (wider > program->rank_room) {
        grown = reallocarray(program->ranks, wider, sizeof(*grown));
        if (grown == NULL)
            return no_memory(program, error);
        memset(grown + program->rank_room, 0, (wider - program->rank_room) * sizeof(*grown));
        program->ranks = grown;
        program->rank_room = wider;
    }
    if (program->rank_count <= number)
        program->rank_count = number + 1;
    return CCMOD_OK;
}

ccmod_status convert_program_add(convert_program *program, size_t rank,
                                 const convert_record *record, ccmod_error *error)
{
    convert_rank *to = &program->ranks[rank];
    convert_record *records = cb_grow(to->records, to->count, &to->room, sizeof(*records));

    if (records == NULL)
        return no_memory(program, error);
    to->records = records;
    to->records[to->count++] = *record;
    return CCMOD_OK;
}

/* Workload */

static ccmod_status next(ccmod_workload *workload, uint32_t processor, ccmod_record *record,
                         ccmod_error *error)
{
    convert_program *program = workload->self;
    convert_rank *rank = &program->ranks[processor];
    const convert_record *from;

    (void)error;
    *record = (ccmod_record){.kind = CCMOD_END, .measured_us = -1};
    if (rank->next == rank->count)
        return CCMOD_OK;
    from = &rank->records[rank->next++];
    record->kind = from->kind;
    record->peer = from->peer;
    record->size_bytes = from->size_bytes;
    record->time_us = from->time_us;
    record->line = from->line;
    return CCMOD_OK;
}

ccmod_workload convert_program_workload(convert_program *program)
{
    for (size_t i = 0; i < program->rank_count; i++)
        program->ranks[i].next = 0;
    return (ccmod_workload){
        .name = program->name, .processors = program->rank_count, .next = next, .self = program};
}

/* Tags */

/* One end of a message. */
typedef struct {
    uint32_t source, destination; /* CCMOD_ANY as the source of a receive from any rank */
    int64_t tag;
    size_t order;
    uint32_t line;
} message_end;

typedef struct {
    message_end *sends, *receives;
    size_t send_count, receive_count;
} message_ends;

static bool is_send(ccmod_record_kind kind)
{
    return kind == CCMOD_SEND || kind == CCMOD_START_SEND;
}

static bool is_receive(ccmod_record_kind kind)
{
    return kind == CCMOD_RECEIVE || kind == CCMOD_START_RECEIVE;
}

static int by_pair(const void *left, const void *right)
{
    const message_end *a = left, *b = right;

    if (a->destination != b->destination)
        return a->destination < b->destination ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void note_end(message_ends *ends, uint32_t rank, size_t order, const convert_record *record)
{
    message_end end = {.tag = record->tag, .order = order, .line = record->line};

    if (is_send(record->kind)) {
        end.source = rank;
        end.destination = record->peer;
        ends->sends[ends->send_count++] = end;
    } else if (is_receive(record->kind)) {
        end.source = record->peer;
        end.destination = rank;
        ends->receives[ends->receive_count++] = end;
    }
}

static bool collect_ends(const convert_program *program, message_ends *ends)
{
    size_t records = 1;

    for (size_t i = 0; i < program->rank_count; i++)
        records += program->ranks[i].count;
    *ends = (message_ends){.sends = calloc(records, sizeof(message_end)),
                           .receives = calloc(records, sizeof(message_end))};
    if (ends->sends == NULL || ends->receives == NULL)
        return false;
    for (size_t i = 0; i < program->rank_count; i++) {
        for (size_t k = 0; k < program->ranks[i].count; k++)
            note_end(ends, (uint32_t)i, k, &program->ranks[i].records[k]);
    }
    qsort(ends->sends, ends->send_count, sizeof(message_end), by_pair);
    qsort(ends->receives, ends->receive_count, sizeof(message_end), by_pair);
    return true;
}

static ccmod_status refuse_tag(const convert_program *program, const message_end *receive,
                               ccmod_error *error)
{
    return ccmod_fail(error, CCMOD_ERROR_USAGE, program->name, receive->line,
                      "the tag of this receive selects a message that is not the first, but "
                      "a trace has no tags; receive messages of a pair in the order in which they "
                      "are sent");
}

/* The ends at one destination: ranges from `send` and `receive`. */
typedef struct {
    size_t send, send_end, receive, receive_end;
} destination_ends;

/* A receive from any rank takes the first message, so all tags must be equal. */
static ccmod_status check_any(const convert_program *program, const message_ends *ends,
                              const destination_ends *of, ccmod_error *error)
{
    const message_end *first = &ends->sends[of->send];

    for (size_t i = of->send; i < of->send_end; i++) {
        if (ends->sends[i].tag != first->tag)
            return refuse_tag(program, &ends->receives[of->receive_end - 1], error);
    }
    for (size_t i = of->receive; of->send < of->send_end && i < of->receive_end; i++) {
        if (ends->receives[i].tag != CONVERT_ANY_TAG && ends->receives[i].tag != first->tag)
            return refuse_tag(program, &ends->receives[i], error);
    }
    return CCMOD_OK;
}

/* The tags of each pair must have the same order at both ends. */
static ccmod_status check_pairs(const convert_program *program, const message_ends *ends,
                                destination_ends of, ccmod_error *error)
{
    while (of.receive < of.receive_end && of.send < of.send_end) {
        const message_end *to = &ends->receives[of.receive], *from = &ends->sends[of.send];

        if (to->source < from->source) {
            of.receive++;
        } else if (to->source > from->source) {
            of.send++;
        } else {
            if (to->tag != CONVERT_ANY_TAG && to->tag != from->tag)
                return refuse_tag(program, to, error);
            of.receive++;
            of.send++;
        }
    }
    return CCMOD_OK;
}

static size_t end_of_destination(const message_end *ends, size_t from, size_t count)
{
    size_t at = from;

    while (at < count && ends[at].destination == ends[from].destination)
        at++;
    return at;
}

static ccmod_status check_ends(const convert_program *program, const message_ends *ends,
                               ccmod_error *error)
{
    destination_ends of = {0};

    for (; of.receive < ends->receive_count; of.receive = of.receive_end) {
        uint32_t destination = ends->receives[of.receive].destination;
        bool any;

        of.receive_end = end_of_destination(ends->receives, of.receive, ends->receive_count);
        while (of.send < ends->send_count && ends->sends[of.send].destination < destination)
            of.send++;
        of.send_end = of.send;
        if (of.send < ends->send_count && ends->sends[of.send].destination == destination)
            of.send_end = end_of_destination(ends->sends, of.send, ends->send_count);
        any = ends->receives[of.receive_end - 1].source == CCMOD_ANY;
        CCMOD_TRY(any ? check_any(program, ends, &of, error)
                      : check_pairs(program, ends, of, error));
        of.send = of.send_end;
    }
    return CCMOD_OK;
}

static ccmod_status check_peers(const convert_program *program, ccmod_error *error)
{
    for (size_t i = 0; i < program->rank_count; i++) {
        for (size_t k = 0; k < program->ranks[i].count; k++) {
            const convert_record *record = &program->ranks[i].records[k];
            bool message = is_send(record->kind) || is_receive(record->kind);

            if (message && record->peer != CCMOD_ANY && record->peer >= program->rank_count)
                return ccmod_fail(error, CCMOD_ERROR_USAGE, program->name, record->line,
                                  "a message with rank %u, but there are only %zu ranks; correct "
                                  "its number, or add that rank",
                                  record->peer, program->rank_count);
        }
    }
    return CCMOD_OK;
}

ccmod_status convert_program_check(const convert_program *program, ccmod_error *error)
{
    message_ends ends;
    ccmod_status status = check_peers(program, error);

    if (status != CCMOD_OK)
        return status;

    status = collect_ends(program, &ends) ? check_ends(program, &ends, error)
                                          : no_memory(program, error);
    free(ends.sends);
    free(ends.receives);
    return status;
}
