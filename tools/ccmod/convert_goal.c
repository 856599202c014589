/* GOAL, the schedules of LogGOPSim. Reading: lines of words, rank by rank; convert_goal_order.c
 * turns a rank's schedule into a sequence. Writing: each record is an operation that requires the
 * previous one. A started operation is pending, so the next one requires only its start; a wait is
 * an empty calculation that requires all pending ones. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "tools/ccmod/convert_forms.h"
#include "tools/ccmod/convert_goal_order.h"

/* State of writing a rank. Labels are numbers from 1. */
typedef struct {
    FILE *stream;
    size_t last;       /* label of the last operation; 0: none yet */
    bool last_started; /* it is pending */
    size_t *started;   /* labels since the last wait */
    size_t count, room;
} goal_writer;

static void write_head(FILE *stream, const ccmod_workload *workload)
{
    fprintf(stream, "num_ranks %zu\n", workload->processors);
}

/* Write the requirements after the text of the operation. */
static void require_last(goal_writer *writer, bool goes_on)
{
    size_t label = writer->last + 1;

    if (writer->last > 0)
        fprintf(writer->stream, "l%zu %s l%zu\n", label,
                writer->last_started ? "irequires" : "requires", writer->last);
    writer->last = label;
    writer->last_started = goes_on;
}

static ccmod_status note_started(goal_writer *writer, ccmod_error *error)
{
    size_t *started = cb_grow(writer->started, writer->count, &writer->room, sizeof(*started));

    if (started == NULL)
        return ccmod_fail(
            error, CCMOD_ERROR_MEMORY, NULL, 0,
            "out of memory for the pending messages of a rank; convert a shorter trace");
    writer->started = started;
    writer->started[writer->count++] = writer->last;
    return CCMOD_OK;
}

static void write_wait(goal_writer *writer)
{
    if (writer->count == 0)
        return;
    fprintf(writer->stream, "l%zu: calc 0\n", writer->last + 1);
    for (size_t i = 0; i < writer->count; i++) {
        if (writer->started[i] != writer->last)
            fprintf(writer->stream, "l%zu requires l%zu\n", writer->last + 1, writer->started[i]);
    }
    writer->last_started = false; /* the last operation must be complete as well */
    writer->count = 0;
    require_last(writer, false);
}

/* Times below a nanosecond are omitted. */
static void write_calculation(goal_writer *writer, double time_us)
{
    double ns = round(1000 * time_us);

    if (!(ns > 0))
        return;
    fprintf(writer->stream, "l%zu: calc %.0f\n", writer->last + 1, ns);
    require_last(writer, false);
}

static ccmod_status write_record(goal_writer *writer, const convert_walk *walk,
                                 const ccmod_record *record, ccmod_error *error)
{
    switch (record->kind) {
    case CCMOD_COMPUTE:
        write_calculation(writer, record->time_us);
        return CCMOD_OK;
    case CCMOD_WAIT:
        write_wait(writer);
        return CCMOD_OK;
    case CCMOD_MULTICAST:
        return convert_walk_refuse(
            walk, record, "GOAL has no multicast; write it as messages to each receiver", error);
    case CCMOD_BARRIER:
        return convert_walk_refuse(walk, record,
                                   "GOAL has no barrier; write the messages that make one", error);
    case CCMOD_SYNCHRONOUS_SEND:
    case CCMOD_START_SYNCHRONOUS_SEND:
    case CCMOD_BUFFERED_SEND:
        return convert_walk_refuse(walk, record, CONVERT_PLAIN_SEND("GOAL"), error);
    default: {
        bool send = record->kind == CCMOD_SEND || record->kind == CCMOD_START_SEND;
        bool goes_on = record->kind == CCMOD_START_SEND || record->kind == CCMOD_START_RECEIVE;

        if (!send && record->size_bytes == CCMOD_ANY_SIZE)
            return convert_walk_refuse(walk, record, CONVERT_SIZED_RECEIVE("GOAL"), error);
        fprintf(writer->stream, "l%zu: %s %" PRIu64 "b %s ", writer->last + 1,
                send ? "send" : "recv", record->size_bytes, send ? "to" : "from");
        if (record->peer == CCMOD_ANY)
            fputs("-1\n", writer->stream);
        else
            fprintf(writer->stream, "%" PRIu32 "\n", record->peer);
        require_last(writer, goes_on);
        return goes_on ? note_started(writer, error) : CCMOD_OK;
    }
    }
}

static ccmod_status write_records(goal_writer *writer, convert_walk *walk, uint32_t rank,
                                  ccmod_error *error)
{
    ccmod_record record;

    for (;;) {
        CCMOD_TRY(convert_walk_next(walk, rank, &record, error));
        if (record.kind == CCMOD_END)
            return CCMOD_OK;
        CCMOD_TRY(write_record(writer, walk, &record, error));
    }
}

static ccmod_status write_rank(FILE *stream, convert_walk *walk, uint32_t rank, ccmod_error *error)
{
    goal_writer writer = {.stream = stream};
    ccmod_status status;

    fprintf(stream, "rank %" PRIu32 " {\n", rank);
    status = write_records(&writer, walk, rank, error);
    fputs("}\n", stream);
    free(writer.started);
    return status;
}

enum { NS_PER_US = 1000 };

typedef struct {
    convert_text text;
    convert_program *program;
    goal_rank rank;
    uint64_t ranks; /* 0: not yet stated */
    bool in_comment;
    bool *seen; /* for each rank */
} goal_reader;

/* Labels */

static ccmod_status no_memory(const goal_reader *reader)
{
    return ccmod_fail(reader->text.error, CCMOD_ERROR_MEMORY, reader->text.name, reader->text.line,
                      "out of memory for the operations of a rank; convert a shorter schedule");
}

static int by_label(const void *left, const void *right)
{
    const goal_operation *const *a = left, *const *b = right;
    int order = strcmp((*a)->label, (*b)->label);

    return order != 0 ? order : ((*a)->number > (*b)->number) - ((*a)->number < (*b)->number);
}

static const goal_operation *find_label(const goal_rank *rank, const char *label)
{
    size_t low = 0, high = rank->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(rank->by_label[middle]->label, label) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rank->count && strcmp(rank->by_label[low]->label, label) == 0 ? rank->by_label[low]
                                                                               : NULL;
}

static ccmod_status sort_labels(goal_reader *reader)
{
    goal_rank *rank = &reader->rank;

    rank->by_label = calloc(rank->count + 1, sizeof(*rank->by_label));
    if (rank->by_label == NULL)
        return no_memory(reader);
    for (size_t i = 0; i < rank->count; i++)
        rank->by_label[i] = &rank->operations[i];
    qsort(rank->by_label, rank->count, sizeof(*rank->by_label), by_label);
    for (size_t i = 1; i < rank->count; i++) {
        const goal_operation *again = rank->by_label[i];

        if (again->label[0] != '\0' && strcmp(rank->by_label[i - 1]->label, again->label) == 0)
            return ccmod_fail(
                reader->text.error, CCMOD_ERROR_USAGE, reader->text.name, again->record.line,
                "'%s': another operation of this rank has this label; use a new one", again->label);
    }
    return CCMOD_OK;
}

static ccmod_status resolve(const goal_reader *reader, goal_requirement *requirement)
{
    const goal_operation *operation = find_label(&reader->rank, requirement->label);
    const goal_operation *target = find_label(&reader->rank, requirement->on);

    if (operation == NULL || target == NULL)
        return ccmod_fail(reader->text.error, CCMOD_ERROR_USAGE, reader->text.name,
                          requirement->line,
                          "'%s': no operation of this rank has this label; name one that has",
                          operation == NULL ? requirement->label : requirement->on);
    requirement->operation = operation->number;
    requirement->target = target->number;
    return CCMOD_OK;
}

/* Statements */

static void forget_rank(goal_rank *rank)
{
    free(rank->operations);
    free(rank->by_label);
    free(rank->requirements);
    *rank = (goal_rank){.open = false};
}

static ccmod_status expect_end(goal_reader *reader)
{
    const char *more = convert_text_word(&reader->text);

    return more == NULL ? CCMOD_OK
                        : convert_text_refuse(&reader->text, more,
                                              "unexpected after the statement; remove it, or "
                                              "write it on its own line");
}

static ccmod_status read_ranks(goal_reader *reader)
{
    if (reader->ranks > 0)
        return convert_text_refuse(&reader->text, "num_ranks", "stated twice; state it once");
    CCMOD_TRY(convert_text_count(&reader->text, convert_text_word(&reader->text), "number of ranks",
                                 CONVERT_RANKS, &reader->ranks));
    if (reader->ranks == 0)
        return convert_text_refuse(&reader->text, "num_ranks", "there must be at least one rank");
    reader->seen = calloc(reader->ranks, sizeof(*reader->seen));
    if (reader->seen == NULL)
        return no_memory(reader);
    CCMOD_TRY(convert_program_reach(reader->program, reader->ranks - 1, reader->text.error));
    return expect_end(reader);
}

static ccmod_status open_rank(goal_reader *reader)
{
    uint64_t number;
    const char *brace;

    if (reader->ranks == 0)
        return convert_text_refuse(&reader->text, "rank", "write num_ranks before the first rank");
    if (reader->rank.open)
        return convert_text_refuse(&reader->text, "rank",
                                   "the previous rank is not closed; write "
                                   "'}' after its last line");
    CCMOD_TRY(convert_text_count(&reader->text, convert_text_word(&reader->text), "rank",
                                 reader->ranks - 1, &number));
    brace = convert_text_word(&reader->text);
    if (brace == NULL || strcmp(brace, "{") != 0)
        return convert_text_refuse(&reader->text, "rank", "write 'rank NUMBER {'");
    if (reader->seen[number])
        return convert_text_refuse(&reader->text, "rank",
                                   "this rank already has a schedule; write "
                                   "one per rank");
    reader->seen[number] = true;
    reader->rank.number = (uint32_t)number;
    reader->rank.open = true;
    return expect_end(reader);
}

static ccmod_status close_rank(goal_reader *reader)
{
    ccmod_status status;

    if (!reader->rank.open)
        return convert_text_refuse(&reader->text, "}", "no rank is open; remove it");
    CCMOD_TRY(expect_end(reader));
    status = sort_labels(reader);
    for (size_t i = 0; status == CCMOD_OK && i < reader->rank.requirement_count; i++)
        status = resolve(reader, &reader->rank.requirements[i]);
    if (status == CCMOD_OK)
        status = convert_goal_order(reader->program, &reader->rank, &reader->text);
    forget_rank(&reader->rank);
    return status;
}

/* "100b", with or without a blank before the b. */
static ccmod_status read_size(goal_reader *reader, uint64_t *bytes)
{
    char *word = convert_text_word(&reader->text);
    size_t length = word != NULL ? strlen(word) : 0;

    if (length > 1 && word[length - 1] == 'b') {
        word[length - 1] = '\0';
    } else {
        const char *unit = convert_text_word(&reader->text);

        if (word != NULL && (unit == NULL || strcmp(unit, "b") != 0))
            return convert_text_refuse(&reader->text, word, "a size ends in 'b'; write '100b'");
    }
    return convert_text_count(&reader->text, word, "size", CONVERT_LARGEST_SIZE, bytes);
}

static ccmod_status read_peer(goal_reader *reader, const char *preposition, uint32_t *peer)
{
    const char *word = convert_text_word(&reader->text);
    uint64_t number;

    if (word == NULL || strcmp(word, preposition) != 0)
        return convert_text_refuse(&reader->text, word != NULL ? word : preposition,
                                   "write 'send SIZEb to RANK' or 'recv SIZEb from RANK'");
    word = convert_text_word(&reader->text);
    *peer = CCMOD_ANY;
    if (word != NULL && strcmp(word, "-1") == 0 && strcmp(preposition, "from") == 0)
        return CCMOD_OK;
    CCMOD_TRY(convert_text_count(&reader->text, word, "rank", reader->ranks - 1, &number));
    if (number == reader->rank.number)
        return convert_text_refuse(&reader->text, word,
                                   "a rank cannot send to itself; "
                                   "remove the message");
    *peer = (uint32_t)number;
    return CCMOD_OK;
}

/* "tag N", "cpu N" and "nic N"; a trace supports only one value of each. */
static ccmod_status read_places(goal_reader *reader, convert_record *record)
{
    const char *word;
    uint64_t number;

    while ((word = convert_text_word(&reader->text)) != NULL) {
        bool tag = strcmp(word, "tag") == 0;
        const char *value;

        if (!tag && strcmp(word, "cpu") != 0 && strcmp(word, "nic") != 0)
            return convert_text_refuse(&reader->text, word,
                                       "not a part of an operation; use tag, cpu "
                                       "or nic");
        value = convert_text_word(&reader->text);
        if (tag && value != NULL && strcmp(value, "-1") == 0) {
            record->tag = CONVERT_ANY_TAG;
            continue;
        }
        CCMOD_TRY(convert_text_count(&reader->text, value, word, UINT32_MAX, &number));
        if (tag)
            record->tag = (int64_t)number;
        else if (number > 0)
            return convert_text_refuse(&reader->text, word,
                                       "a rank of a trace has one processor "
                                       "and one link; use only number 0");
    }
    return CCMOD_OK;
}

static ccmod_status read_calculation(goal_reader *reader, convert_record *record)
{
    uint64_t ns;

    CCMOD_TRY(convert_text_count(&reader->text, convert_text_word(&reader->text),
                                 "time in nanoseconds", UINT64_C(1000000000000000000), &ns));
    record->kind = CCMOD_COMPUTE;
    record->time_us = (double)ns / NS_PER_US;
    return read_places(reader, record);
}

static ccmod_status read_send(goal_reader *reader, convert_record *record)
{
    record->kind = CCMOD_SEND;
    CCMOD_TRY(read_size(reader, &record->size_bytes));
    CCMOD_TRY(read_peer(reader, "to", &record->peer));
    return read_places(reader, record);
}

static ccmod_status read_receive(goal_reader *reader, convert_record *record)
{
    record->kind = CCMOD_RECEIVE;
    CCMOD_TRY(read_size(reader, &record->size_bytes));
    CCMOD_TRY(read_peer(reader, "from", &record->peer));
    return read_places(reader, record);
}

typedef ccmod_status operation_reader(goal_reader *reader, convert_record *record);

static operation_reader *find_operation(const char *word)
{
    static const struct {
        const char *word;
        operation_reader *read;
    } operations[] = {{"send", read_send}, {"recv", read_receive}, {"calc", read_calculation}};

    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strcmp(operations[i].word, word) == 0)
            return operations[i].read;
    }
    return NULL;
}

static ccmod_status read_operation(goal_reader *reader, const char *label, const char *word)
{
    goal_rank *rank = &reader->rank;
    operation_reader *read = word != NULL ? find_operation(word) : NULL;
    goal_operation *grown;
    goal_operation made = {.number = rank->count, .record = {.line = (uint32_t)reader->text.line}};

    if (read == NULL)
        return convert_text_refuse(&reader->text, word != NULL ? word : label,
                                   "not an operation; use send, recv or calc");
    snprintf(made.label, sizeof(made.label), "%s", label);
    CCMOD_TRY(read(reader, &made.record));
    grown = cb_grow(rank->operations, rank->count, &rank->room, sizeof(*grown));
    if (grown == NULL)
        return no_memory(reader);
    rank->operations = grown;
    rank->operations[rank->count++] = made;
    return CCMOD_OK;
}

static bool is_label(const char *word)
{
    if (!isalpha((unsigned char)word[0]) || strlen(word) >= LABEL_BYTES)
        return false;
    for (; *word != '\0'; word++) {
        if (!isalnum((unsigned char)*word) && *word != '_')
            return false;
    }
    return true;
}

static ccmod_status read_requirement(goal_reader *reader, const char *label, const char *word)
{
    goal_rank *rank = &reader->rank;
    goal_requirement made = {.line = (uint32_t)reader->text.line, .start = word[0] == 'i'};
    const char *on = convert_text_word(&reader->text);
    goal_requirement *grown;

    if (on == NULL || !is_label(on))
        return convert_text_refuse(&reader->text, on != NULL ? on : word,
                                   "write 'LABEL requires LABEL' or 'LABEL irequires LABEL'");
    snprintf(made.label, sizeof(made.label), "%s", label);
    snprintf(made.on, sizeof(made.on), "%s", on);
    grown = cb_grow(rank->requirements, rank->requirement_count, &rank->requirement_room,
                    sizeof(*grown));
    if (grown == NULL)
        return no_memory(reader);
    rank->requirements = grown;
    rank->requirements[rank->requirement_count++] = made;
    return expect_end(reader);
}

/* "LABEL : OPERATION", "LABEL requires LABEL" or an operation without a label. */
static ccmod_status read_in_rank(goal_reader *reader, const char *word)
{
    const char *next;

    if (!reader->rank.open)
        return convert_text_refuse(&reader->text, word,
                                   "outside of a rank; write 'num_ranks N' and "
                                   "'rank NUMBER {' before");
    if (find_operation(word) != NULL)
        return read_operation(reader, "", word);
    if (!is_label(word))
        return convert_text_refuse(&reader->text, word,
                                   "neither a statement nor a label of letters, digits and '_'");
    next = convert_text_word(&reader->text);
    if (next != NULL && strcmp(next, ":") == 0)
        return read_operation(reader, word, convert_text_word(&reader->text));
    if (next != NULL && (strcmp(next, "requires") == 0 || strcmp(next, "irequires") == 0))
        return read_requirement(reader, word, next);
    return convert_text_refuse(&reader->text, next != NULL ? next : word,
                               "write ':' and an operation after a label, or 'requires'");
}

static ccmod_status read_statement(goal_reader *reader)
{
    static const struct {
        const char *word;
        ccmod_status (*read)(goal_reader *reader);
    } statements[] = {{"num_ranks", read_ranks}, {"rank", open_rank}, {"}", close_rank}};
    const char *word = convert_text_first(&reader->text);

    if (word == NULL)
        return CCMOD_OK;
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        if (strcmp(statements[i].word, word) == 0)
            return statements[i].read(reader);
    }
    return read_in_rank(reader, word);
}

/* Replace comments by blanks, and make operators separate words. */
static ccmod_status spread(goal_reader *reader)
{
    char spread[CONVERT_LINE_BYTES];
    size_t used = 0;

    for (const char *at = reader->text.text; *at != '\0'; at++) {
        bool sign = !reader->in_comment && strchr(":{}", *at) != NULL;

        if (used + 4 > sizeof(spread))
            return convert_text_refuse(&reader->text, "", "the line is too long; break it");
        if (reader->in_comment && strncmp(at, "*/", 2) == 0) {
            reader->in_comment = false;
            at++;
            continue;
        }
        if (reader->in_comment)
            continue;
        if (strncmp(at, "//", 2) == 0)
            break;
        if (strncmp(at, "/*", 2) == 0) {
            reader->in_comment = true;
            at++;
            continue;
        }
        if (sign)
            spread[used++] = ' ';
        spread[used++] = *at;
        if (sign)
            spread[used++] = ' ';
    }
    spread[used] = '\0';
    memcpy(reader->text.text, spread, used + 1);
    return CCMOD_OK;
}

static ccmod_status check_whole(const goal_reader *reader)
{
    if (reader->in_comment || reader->rank.open)
        return ccmod_fail(reader->text.error, CCMOD_ERROR_USAGE, reader->text.name,
                          reader->text.line, "the schedule ends within a %s; close it",
                          reader->in_comment ? "comment" : "rank");
    if (reader->ranks == 0)
        return ccmod_fail(reader->text.error, CCMOD_ERROR_USAGE, reader->text.name, 0,
                          "the file has no schedule, which begins with 'num_ranks N'; name another "
                          "file, or another format with --from");
    return CCMOD_OK;
}

ccmod_status convert_goal_read(FILE *stream, const char *name, convert_program *program,
                               ccmod_error *error)
{
    goal_reader reader = {.text = {.stream = stream, .name = name, .error = error},
                          .program = program};
    ccmod_status status = CCMOD_OK;

    while (status == CCMOD_OK && convert_text_next(&reader.text, &status)) {
        status = spread(&reader);
        if (status == CCMOD_OK)
            status = read_statement(&reader);
    }
    if (status == CCMOD_OK)
        status = check_whole(&reader);
    forget_rank(&reader.rank);
    free(reader.seen);
    return status;
}

static ccmod_status read_path(const char *path, double flops_per_us, convert_program *program,
                              ccmod_error *error)
{
    FILE *stream = convert_open(path, error);
    ccmod_status status;

    (void)flops_per_us;
    if (stream == NULL)
        return error->status;
    status = convert_goal_read(stream, path, program, error);
    fclose(stream);
    return status;
}

const convert_form convert_goal = {
    .name = "goal",
    .help = "GOAL, the schedules of LogGOPSim",
    .read = read_path,
    .write_head = write_head,
    .write_rank = write_rank,
};
