/* Time-independent traces of SimGrid: a file that lists one file per rank, or one for all, with one
 * action per line; a single such file can also be read. An action waits for one message, but a rank
 * of a trace for all that it has started, so waits are accepted if they follow each other and cover
 * all. Written as one file per rank; all messages have tag 0, since those of a pair match first
 * come, first served. Computing is counted in floating-point operations. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/input.h"
#include "tools/ccmod/convert_forms.h"

/* MPI_ANY_SOURCE and MPI_ANY_TAG of SimGrid. */
#define CONVERT_TI_ANY_SOURCE "-555"
#define CONVERT_TI_ANY_TAG "-444"

static const char *const written[CCMOD_RECORDS] = {
    [CCMOD_SEND] = "send",
    [CCMOD_RECEIVE] = "recv",
    [CCMOD_START_SEND] = "isend",
    [CCMOD_START_RECEIVE] = "irecv",
};

/* Messages that the rank has started since its last wait. */
typedef struct {
    FILE *stream;
    uint32_t rank;
    uint64_t started;
} ti_writer;

static ccmod_status write_record(ti_writer *writer, const convert_walk *walk,
                                 const ccmod_record *record, ccmod_error *error)
{
    switch (record->kind) {
    case CCMOD_COMPUTE:
        fprintf(writer->stream, "%" PRIu32 " compute ", writer->rank);
        convert_write_number(writer->stream, record->time_us * walk->flops_per_us);
        fputc('\n', writer->stream);
        return CCMOD_OK;
    case CCMOD_WAIT:
        if (writer->started > 0)
            fprintf(writer->stream, "%" PRIu32 " waitall %" PRIu64 "\n", writer->rank,
                    writer->started);
        writer->started = 0;
        return CCMOD_OK;
    case CCMOD_BARRIER:
        fprintf(writer->stream, "%" PRIu32 " barrier\n", writer->rank);
        return CCMOD_OK;
    case CCMOD_MULTICAST:
        return convert_walk_refuse(walk, record,
                                   "a broadcast of SimGrid is for all ranks and matches no "
                                   "receive; write the multicast as messages to each receiver",
                                   error);
    case CCMOD_START_RECEIVE:
        if (record->size_bytes == 0)
            return convert_walk_refuse(walk, record,
                                       "SimGrid waits for the message where the size of a started "
                                       "receive is 0; write a size of 1, at both ends",
                                       error);
        break;
    case CCMOD_SYNCHRONOUS_SEND:
    case CCMOD_START_SYNCHRONOUS_SEND:
    case CCMOD_BUFFERED_SEND:
        return convert_walk_refuse(walk, record, CONVERT_PLAIN_SEND("ti"), error);
    default:
        break;
    }
    if ((record->kind == CCMOD_RECEIVE || record->kind == CCMOD_START_RECEIVE) &&
        record->size_bytes == CCMOD_ANY_SIZE)
        return convert_walk_refuse(walk, record, CONVERT_SIZED_RECEIVE("ti"), error);
    fprintf(writer->stream, "%" PRIu32 " %s ", writer->rank, written[record->kind]);
    if (record->peer == CCMOD_ANY)
        fputs(CONVERT_TI_ANY_SOURCE, writer->stream);
    else
        fprintf(writer->stream, "%" PRIu32, record->peer);
    fprintf(writer->stream, " 0 %" PRIu64 "\n", record->size_bytes);
    if (record->kind == CCMOD_START_SEND || record->kind == CCMOD_START_RECEIVE)
        writer->started++;
    return CCMOD_OK;
}

static ccmod_status write_rank(FILE *stream, convert_walk *walk, uint32_t rank, ccmod_error *error)
{
    ti_writer writer = {.stream = stream, .rank = rank};
    ccmod_record record;

    fprintf(stream, "%" PRIu32 " init\n", rank);
    for (;;) {
        CCMOD_TRY(convert_walk_next(walk, rank, &record, error));
        if (record.kind == CCMOD_END)
            break;
        CCMOD_TRY(write_record(&writer, walk, &record, error));
    }
    fprintf(stream, "%" PRIu32 " finalize\n", rank);
    return CCMOD_OK;
}

/* A message that a rank has started. */
typedef struct {
    uint32_t source, destination;
    int64_t tag;
    bool waited;
} ti_request;

typedef struct {
    ti_request *requests; /* since the last wait for all */
    size_t count, room, waited;
    bool doubles; /* sizes without a datatype count doubles instead of bytes */
} ti_rank;

typedef struct {
    convert_text text;
    convert_program *program;
    double flops_per_us;
    uint32_t number; /* rank of the line */
    ti_rank *ranks;
    size_t rank_count;
} ti_reader;

static ccmod_status no_memory(const ti_reader *reader)
{
    return ccmod_fail(reader->text.error, CCMOD_ERROR_MEMORY, reader->text.name, reader->text.line,
                      "out of memory for the records; convert a shorter trace");
}

static ccmod_status add_record(ti_reader *reader, convert_record record)
{
    record.line = (uint32_t)reader->text.line;
    return convert_program_add(reader->program, reader->number, &record, reader->text.error);
}

/* Words */

static ccmod_status read_rank(ti_reader *reader, bool any, uint32_t *rank)
{
    const char *word = convert_text_word(&reader->text);
    uint64_t number;

    *rank = CCMOD_ANY;
    if (any && word != NULL && strcmp(word, CONVERT_TI_ANY_SOURCE) == 0)
        return CCMOD_OK;
    CCMOD_TRY(convert_text_count(&reader->text, word, "rank", CONVERT_RANKS - 1, &number));
    *rank = (uint32_t)number;
    return CCMOD_OK;
}

static ccmod_status read_tag(ti_reader *reader, int64_t *tag)
{
    const char *word = convert_text_word(&reader->text);
    uint64_t number;

    *tag = CONVERT_ANY_TAG;
    if (word != NULL && strcmp(word, CONVERT_TI_ANY_TAG) == 0)
        return CCMOD_OK;
    CCMOD_TRY(convert_text_count(&reader->text, word, "tag", INT32_MAX, &number));
    *tag = (int64_t)number;
    return CCMOD_OK;
}

/* Size of an element in bytes; datatypes are numbers. */
static ccmod_status read_datatype(ti_reader *reader, double *bytes)
{
    /* double int char short long float byte, long long, signed char, unsigned ones from char to
     * long long, long double, wchar_t, bool, and those of fixed sizes */
    static const double sizes[] = {8, 4,  1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8,
                                   8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8};
    const char *word = convert_text_word(&reader->text);
    uint64_t number;

    *bytes = reader->ranks[reader->number].doubles ? 8 : 1;
    if (word == NULL)
        return CCMOD_OK;
    CCMOD_TRY(convert_text_count(&reader->text, word, "datatype",
                                 sizeof(sizes) / sizeof(sizes[0]) - 1, &number));
    *bytes = sizes[number];
    return CCMOD_OK;
}

static ccmod_status read_size(ti_reader *reader, uint64_t *bytes)
{
    const char *word = convert_text_word(&reader->text);
    double count, each;

    CCMOD_TRY(convert_text_real(&reader->text, word, "size", (double)CONVERT_LARGEST_SIZE, &count));
    CCMOD_TRY(read_datatype(reader, &each));
    if (count > floor(count) || count * each > (double)CONVERT_LARGEST_SIZE)
        return convert_text_refuse(&reader->text, word,
                                   "not a whole number of bytes up to 2^53; "
                                   "write one");
    *bytes = (uint64_t)(count * each);
    return CCMOD_OK;
}

/* Waits */

static ccmod_status note_request(ti_reader *reader, const ti_request *request)
{
    ti_rank *rank = &reader->ranks[reader->number];
    ti_request *requests = cb_grow(rank->requests, rank->count, &rank->room, sizeof(*requests));

    if (requests == NULL)
        return no_memory(reader);
    rank->requests = requests;
    rank->requests[rank->count++] = *request;
    return CCMOD_OK;
}

static ccmod_status add_wait(ti_reader *reader)
{
    ti_rank *rank = &reader->ranks[reader->number];
    bool empty = rank->count == 0;

    rank->count = rank->waited = 0;
    return empty ? CCMOD_OK : add_record(reader, (convert_record){.kind = CCMOD_WAIT});
}

static bool is_request(const ti_request *request, const ti_request *wanted)
{
    return !request->waited && request->source == wanted->source &&
           request->destination == wanted->destination && request->tag == wanted->tag;
}

static ccmod_status read_wait(ti_reader *reader)
{
    ti_rank *rank = &reader->ranks[reader->number];
    ti_request wanted = {.waited = false};
    size_t at = 0;

    CCMOD_TRY(read_rank(reader, true, &wanted.source));
    CCMOD_TRY(read_rank(reader, false, &wanted.destination));
    CCMOD_TRY(read_tag(reader, &wanted.tag));
    while (at < rank->count && !is_request(&rank->requests[at], &wanted))
        at++;
    if (at == rank->count)
        return convert_text_refuse(&reader->text, "wait",
                                   "this rank has started no such message before; leave the wait "
                                   "away");
    rank->requests[at].waited = true;
    return ++rank->waited == rank->count ? add_wait(reader) : CCMOD_OK;
}

static ccmod_status check_waits(const ti_reader *reader, const char *action)
{
    const ti_rank *rank = &reader->ranks[reader->number];

    if (rank->waited == 0 || strcmp(action, "wait") == 0 || strcmp(action, "waitall") == 0)
        return CCMOD_OK;
    return convert_text_refuse(&reader->text, action,
                               "the waits before it are for some of the messages that the rank "
                               "has started, but a rank of a trace waits for all; wait for all");
}

/* Actions */

static ccmod_status read_message(ti_reader *reader, ccmod_record_kind kind)
{
    convert_record record = {.kind = kind};
    bool receive = kind == CCMOD_RECEIVE || kind == CCMOD_START_RECEIVE;
    ti_request request;

    CCMOD_TRY(read_rank(reader, receive, &record.peer));
    CCMOD_TRY(read_tag(reader, &record.tag));
    CCMOD_TRY(read_size(reader, &record.size_bytes));
    if (record.peer == reader->number)
        return convert_text_refuse(&reader->text, receive ? "recv" : "send",
                                   "a rank cannot send to itself; remove the message");
    request = (ti_request){.source = receive ? record.peer : reader->number,
                           .destination = receive ? reader->number : record.peer,
                           .tag = record.tag};
    if (kind == CCMOD_START_SEND || kind == CCMOD_START_RECEIVE)
        CCMOD_TRY(note_request(reader, &request));
    return add_record(reader, record);
}

static ccmod_status read_send(ti_reader *reader)
{
    return read_message(reader, CCMOD_SEND);
}

static ccmod_status read_receive(ti_reader *reader)
{
    return read_message(reader, CCMOD_RECEIVE);
}

static ccmod_status read_started_send(ti_reader *reader)
{
    return read_message(reader, CCMOD_START_SEND);
}

static ccmod_status read_started_receive(ti_reader *reader)
{
    return read_message(reader, CCMOD_START_RECEIVE);
}

static ccmod_status add_time(ti_reader *reader, double largest, double us_per_unit,
                             const char *what)
{
    const char *word = convert_text_word(&reader->text);
    convert_record record = {.kind = CCMOD_COMPUTE};

    CCMOD_TRY(convert_text_real(&reader->text, word, what, largest, &record.time_us));
    record.time_us *= us_per_unit;
    if (record.time_us > CONVERT_LARGEST_TIME_US)
        return convert_text_refuse(&reader->text, word,
                                   "more than 10^15 us; shorten it, or give "
                                   "the speed by --flops-per-us");
    return add_record(reader, record);
}

static ccmod_status read_compute(ti_reader *reader)
{
    return add_time(reader, 1e300, 1 / reader->flops_per_us, "number of operations");
}

static ccmod_status read_sleep(ti_reader *reader)
{
    return add_time(reader, 1e300, 1e6, "time in seconds");
}

static ccmod_status read_barrier(ti_reader *reader)
{
    return add_record(reader, (convert_record){.kind = CCMOD_BARRIER});
}

static ccmod_status read_init(ti_reader *reader)
{
    reader->ranks[reader->number].doubles = convert_text_word(&reader->text) != NULL;
    return CCMOD_OK;
}

static ccmod_status pass_over(ti_reader *reader)
{
    while (convert_text_word(&reader->text) != NULL)
        continue;
    return CCMOD_OK;
}

static ccmod_status read_wait_for_all(ti_reader *reader)
{
    CCMOD_TRY(pass_over(reader)); /* how many there are */
    return add_wait(reader);
}

static const struct {
    const char *name;
    ccmod_status (*read)(ti_reader *reader);
} actions[] = {
    {"init", read_init},          {"finalize", pass_over},
    {"comm_size", pass_over},     {"comm_split", pass_over},
    {"comm_dup", pass_over},      {"location", pass_over},
    {"send", read_send},          {"recv", read_receive},
    {"isend", read_started_send}, {"irecv", read_started_receive},
    {"wait", read_wait},          {"waitall", read_wait_for_all},
    {"barrier", read_barrier},    {"compute", read_compute},
    {"sleep", read_sleep},
};

static ccmod_status read_action(ti_reader *reader)
{
    const char *action = convert_text_word(&reader->text), *more;

    if (action == NULL)
        return convert_text_refuse(&reader->text, "rank",
                                   "no action follows; write "
                                   "'RANK ACTION ARGUMENTS'");
    CCMOD_TRY(check_waits(reader, action));
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (strcmp(actions[i].name, action) != 0)
            continue;
        CCMOD_TRY(actions[i].read(reader));
        more = convert_text_word(&reader->text);
        return more == NULL ? CCMOD_OK
                            : convert_text_refuse(&reader->text, more,
                                                  "unexpected after the action; remove it");
    }
    return convert_text_refuse(&reader->text, action,
                               "an action that a trace does not have; write it as sends, receives, "
                               "waits, barriers and computing");
}

/* Files */

static ccmod_status reach(ti_reader *reader, size_t number)
{
    size_t wider = reader->rank_count > 0 ? reader->rank_count : 64;
    ti_rank *grown;

    CCMOD_TRY(convert_program_reach(reader->program, number, reader->text.error));
    while (wider <= number)
        wider *= 2;
    if (wider == reader->rank_count)
        return CCMOD_OK;
    grown = reallocarray(reader->ranks, wider, sizeof(*grown));
    if (grown == NULL)
        return no_memory(reader);
    memset(grown + reader->rank_count, 0, (wider - reader->rank_count) * sizeof(*grown));
    reader->ranks = grown;
    reader->rank_count = wider;
    return CCMOD_OK;
}

static ccmod_status read_line(ti_reader *reader)
{
    const char *word = convert_text_first(&reader->text);
    uint64_t number;

    if (word == NULL || word[0] == '#')
        return CCMOD_OK;
    CCMOD_TRY(convert_text_count(&reader->text, word, "rank", CONVERT_RANKS - 1, &number));
    CCMOD_TRY(reach(reader, number));
    reader->number = (uint32_t)number;
    return read_action(reader);
}

static ccmod_status read_stream(ti_reader *reader, FILE *stream, const char *name)
{
    ccmod_status status = CCMOD_OK;

    reader->text.stream = stream;
    reader->text.name = name;
    reader->text.line = 0;
    while (status == CCMOD_OK && convert_text_next(&reader->text, &status))
        status = read_line(reader);
    return status;
}

static void close_reader(ti_reader *reader)
{
    for (size_t i = 0; i < reader->rank_count; i++)
        free(reader->ranks[i].requests);
    free(reader->ranks);
}

ccmod_status convert_ti_read(FILE *stream, const char *name, double flops_per_us,
                             convert_program *program, ccmod_error *error)
{
    ti_reader reader = {.text = {.error = error}, .program = program, .flops_per_us = flops_per_us};
    ccmod_status status = read_stream(&reader, stream, name);

    close_reader(&reader);
    return status;
}

static ccmod_status read_part(ti_reader *reader, const char *path)
{
    FILE *stream = convert_open(path, reader->text.error);
    ccmod_status status;

    if (stream == NULL)
        return CCMOD_ERROR_USAGE;
    status = read_stream(reader, stream, path);
    fclose(stream);
    return status;
}

/* Open the files of a list by their names, as SimGrid does. */
static ccmod_status read_list(convert_text *list, ti_reader *reader)
{
    ccmod_status status = CCMOD_OK;

    while (status == CCMOD_OK && convert_text_next(list, &status)) {
        const char *path = convert_text_first(list);

        if (path != NULL)
            status = read_part(reader, path);
    }
    return status;
}

/* A line of a list is one word. */
static bool is_list(FILE *stream)
{
    char line[CONVERT_LINE_BYTES], *rest;
    bool list = false;

    while (fgets(line, sizeof(line), stream) != NULL) {
        if (strtok_r(line, " \t\r\n", &rest) == NULL || line[0] == '#')
            continue;
        list = strtok_r(NULL, " \t\r\n", &rest) == NULL;
        break;
    }
    cb_input_rewind(stream);
    return list;
}

static ccmod_status read_path(const char *path, double flops_per_us, convert_program *program,
                              ccmod_error *error)
{
    ti_reader reader = {.text = {.error = error}, .program = program, .flops_per_us = flops_per_us};
    convert_text list = {.stream = convert_open(path, error), .name = path, .error = error};
    ccmod_status status;

    if (list.stream == NULL)
        return CCMOD_ERROR_USAGE;
    status =
        is_list(list.stream) ? read_list(&list, &reader) : read_stream(&reader, list.stream, path);
    if (status == CCMOD_OK && program->rank_count == 0)
        status = ccmod_fail(error, CCMOD_ERROR_USAGE, path, 0,
                            "the file has no action; name the file that lists those of the ranks");
    fclose(list.stream);
    close_reader(&reader);
    return status;
}

const convert_form convert_ti = {
    .name = "ti",
    .help = "time-independent traces of SimGrid",
    .many = true,
    .read = read_path,
    .write_rank = write_rank,
};
