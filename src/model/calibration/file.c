/* Calibration files: the lines of the quiet network and related settings, as text that people read
 * and edit. The keywords of settings and of parts of lines are tables here. docs/reference/model.md
 * has the grammar. */
#include <ccmod/calibration.h>
#include <ccmod/evaluation.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/input.h"
#include "base/units.h"

enum { LINE_BYTES = 1024, QUOTED = 60 };

static const char blanks[] = " \t\r\n";

#define LARGEST_TIME_US 1e9
#define LARGEST_BYTES (UINT64_C(1) << 53) /* exact as a double */

typedef struct {
    ccmod_calibration *made;
    const char *name; /* of the file, for errors */
    ccmod_error *error;
    size_t line;
    char *rest;        /* of the line, for strtok_r */
    bool complete[2];  /* for each kind of line: the unlimited one has been read */
    size_t stated[11]; /* line number of each setting; 0: not given */
} calibration_parser;

/* A number in the file: its keyword, its destination and its maximum. */
typedef struct {
    const char *key;
    bool size; /* a uint64_t of bytes; otherwise a double */
    size_t offset;
    double least, largest;
} calibration_number;

static const calibration_number settings[] = {
    {"hop_us", false, offsetof(ccmod_calibration, hop_us), 0, LARGEST_TIME_US},
    {"gap_us", false, offsetof(ccmod_calibration, gap_us), 0, LARGEST_TIME_US},
    {"eager_bytes", true, offsetof(ccmod_calibration, eager_bytes), 0, 0},
    {"barrier_us", false, offsetof(ccmod_calibration, barrier_us), 0, LARGEST_TIME_US},
    {"barrier_round_us", false, offsetof(ccmod_calibration, barrier_round_us), 0, LARGEST_TIME_US},
    {"out_contention", false, offsetof(ccmod_calibration, out_contention), 1, 2},
    {"in_contention", false, offsetof(ccmod_calibration, in_contention), 1, 2},
    {"duplex_contention", false, offsetof(ccmod_calibration, duplex_contention), 1, 2},
    {"acknowledgement_us", false, offsetof(ccmod_calibration, acknowledgement_us), 0,
     LARGEST_TIME_US},
    {"payload_bytes", true, offsetof(ccmod_calibration, payload_bytes), 0, 0},
    {"header_bytes", false, offsetof(ccmod_calibration, header_bytes), 0, 1e6},
};

/* The rules that a calibration can measure, as ccmod_share_name has them. */
static const ccmod_share rules[] = {CCMOD_BOTTLENECK, CCMOD_MAXMIN, CCMOD_FIFO};

/* The parts of a line. All but the first are required. */
enum { TO_BYTES, PARTS_FROM, PARTS = 4 };

static const calibration_number line_parts[PARTS] = {
    [TO_BYTES] = {"to_bytes", true, offsetof(ccmod_line, to_bytes), 0, 0},
    [PARTS_FROM] = {"overhead_us", false, offsetof(ccmod_line, overhead_us), 0, LARGEST_TIME_US},
    {"latency_us", false, offsetof(ccmod_line, latency_us), 0, LARGEST_TIME_US},
    {"us_per_byte", false, offsetof(ccmod_line, us_per_byte), 0, 1e6},
};

static const calibration_number hold_parts[] = {
    [TO_BYTES] = {"to_bytes", true, offsetof(ccmod_line, to_bytes), 0, 0},
    [PARTS_FROM] = {"us", false, offsetof(ccmod_line, latency_us), 0, LARGEST_TIME_US},
    {"us_per_byte", false, offsetof(ccmod_line, us_per_byte), 0, 1e6},
};

typedef struct {
    const char *word;
    const calibration_number *parts;
    size_t part_count;
    const char *names; /* of the parts, for errors */
    size_t lines, count;
} calibration_kind;

static const calibration_kind kinds[] = {
    {"line", line_parts, sizeof(line_parts) / sizeof(line_parts[0]),
     "to_bytes, overhead_us, latency_us or us_per_byte", offsetof(ccmod_calibration, lines),
     offsetof(ccmod_calibration, line_count)},
    {"hold", hold_parts, sizeof(hold_parts) / sizeof(hold_parts[0]), "to_bytes, us or us_per_byte",
     offsetof(ccmod_calibration, holds), offsetof(ccmod_calibration, hold_count)},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };
_Static_assert((size_t)SETTINGS <= sizeof(((calibration_parser *)0)->stated) / sizeof(size_t),
               "each setting has a place for its line");

/* Words */

static ccmod_status report_word(const calibration_parser *parser, const char *word,
                                const char *problem)
{
    return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->name, parser->line, "'%.*s': %s",
                      (int)QUOTED, word, problem);
}

static char *next_word(calibration_parser *parser)
{
    return strtok_r(NULL, blanks, &parser->rest);
}

static ccmod_status store(const calibration_parser *parser, const calibration_number *number,
                          const char *value, void *base)
{
    void *field = (char *)base + number->offset;
    char why[CB_WHY_BYTES];
    bool good = number->size
                    ? cb_parse_size(value, 0, LARGEST_BYTES, field, why)
                    : cb_parse_real(value, number->least, number->largest, NULL, field, why);

    return good ? CCMOD_OK : report_word(parser, value, why);
}

/* Lines */

static const calibration_number *find_part(const calibration_kind *kind, const char *word,
                                           size_t length)
{
    for (size_t i = 0; i < kind->part_count; i++) {
        const char *key = kind->parts[i].key;

        if (strncmp(key, word, length) == 0 && key[length] == '\0')
            return &kind->parts[i];
    }
    return NULL;
}

static ccmod_status refuse_part(const calibration_parser *parser, const calibration_kind *kind,
                                const char *word)
{
    return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->name, parser->line,
                      "'%.*s': not a part of a line; write KEY=VALUE with %s", (int)QUOTED, word,
                      kind->names);
}

static ccmod_status read_part(const calibration_parser *parser, const calibration_kind *kind,
                              const char *word, ccmod_line *line, bool given[PARTS])
{
    size_t length = strcspn(word, "=");
    const calibration_number *part = word[length] == '=' ? find_part(kind, word, length) : NULL;

    if (part == NULL)
        return refuse_part(parser, kind, word);
    if (given[part - kind->parts])
        return report_word(parser, word, "given twice in one line; give it once");
    given[part - kind->parts] = true;
    return store(parser, part, word + length + 1, line);
}

/* Lines are ordered by size; the last one has no upper limit. */
static ccmod_status check_order(calibration_parser *parser, size_t kind, const ccmod_line *lines,
                                size_t count, const ccmod_line *line)
{
    bool ends = line->to_bytes < UINT64_MAX;

    if (parser->complete[kind])
        return report_word(parser, kinds[kind].word,
                           "an earlier line without to_bytes holds for all larger messages; give "
                           "that line a to_bytes, or put it last");
    parser->complete[kind] = !ends;
    if (!ends || count == 0 || line->to_bytes > lines[count - 1].to_bytes)
        return CCMOD_OK;
    return report_word(parser, "to_bytes",
                       "not larger than that of the previous line; order the lines by size");
}

static ccmod_status read_parts(calibration_parser *parser, const calibration_kind *kind,
                               ccmod_line *line)
{
    bool given[PARTS] = {false};
    char *word;

    while ((word = next_word(parser)) != NULL)
        CCMOD_TRY(read_part(parser, kind, word, line, given));
    for (size_t i = PARTS_FROM; i < kind->part_count; i++) {
        if (!given[i])
            return report_word(parser, kind->parts[i].key, "missing in this line; give it, or 0");
    }
    return CCMOD_OK;
}

static ccmod_status read_line(calibration_parser *parser, size_t kind)
{
    ccmod_line *lines = (ccmod_line *)(void *)((char *)parser->made + kinds[kind].lines);
    size_t *count = (size_t *)(void *)((char *)parser->made + kinds[kind].count);
    ccmod_line line = {.to_bytes = UINT64_MAX};

    if (*count == CCMOD_LINES)
        return report_word(parser, kinds[kind].word,
                           "more than the maximum of 16 lines; merge some");
    CCMOD_TRY(read_parts(parser, &kinds[kind], &line));
    CCMOD_TRY(check_order(parser, kind, lines, *count, &line));
    lines[(*count)++] = line;
    return CCMOD_OK;
}

/* Statements */

static ccmod_status read_setting(calibration_parser *parser, size_t number)
{
    const char *key = settings[number].key;
    const char *value = next_word(parser);
    const char *more = value != NULL ? next_word(parser) : NULL;

    if (parser->stated[number] > 0)
        return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->name, parser->line,
                          "'%s' is already set in line %zu; keep one of the two", key,
                          parser->stated[number]);
    parser->stated[number] = parser->line;
    if (value == NULL)
        return report_word(parser, key, "its value is missing; write it after the word");
    if (more != NULL)
        return report_word(parser, more, "unexpected after the value; remove it");
    return store(parser, &settings[number], value, parser->made);
}

static ccmod_status read_share(calibration_parser *parser)
{
    const char *value = next_word(parser);
    const char *more = value != NULL ? next_word(parser) : NULL;

    if (parser->made->share_rule > 0)
        return report_word(parser, "share", "already set in an earlier line; keep one of the two");
    for (size_t i = 0; value != NULL && more == NULL && i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (strcmp(value, ccmod_share_name(rules[i])) == 0) {
            parser->made->share_rule = 1 + (unsigned)rules[i];
            return CCMOD_OK;
        }
    }
    return report_word(parser, value != NULL ? value : "share",
                       "not a rule for sharing links; write share and one of bottleneck, maxmin or "
                       "fifo");
}

static ccmod_status read_statement(calibration_parser *parser, char *text)
{
    const char *word;

    text[strcspn(text, "#")] = '\0';
    word = strtok_r(text, blanks, &parser->rest);
    if (word == NULL)
        return CCMOD_OK;
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(word, kinds[i].word) == 0)
            return read_line(parser, i);
    }
    for (size_t i = 0; i < SETTINGS; i++) {
        if (strcmp(word, settings[i].key) == 0)
            return read_setting(parser, i);
    }
    if (strcmp(word, "share") == 0)
        return read_share(parser);
    return report_word(
        parser, word,
        "not a statement; use line, hold, hop_us, gap_us, eager_bytes, barrier_us, "
        "barrier_round_us, out_contention, in_contention, duplex_contention, acknowledgement_us, "
        "payload_bytes, header_bytes or share");
}

/* The file */

static ccmod_status check_text(const calibration_parser *parser, FILE *stream, const char *text)
{
    size_t length = strlen(text);

    if (length > 0 && (text[length - 1] == '\n' || feof(stream)))
        return CCMOD_OK;
    return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->name, parser->line,
                      "a zero byte, or more than %d characters: not a calibration; name "
                      "another file, or break the line",
                      LINE_BYTES - 2);
}

static ccmod_status check_head(const calibration_parser *parser, char *text)
{
    char *rest;
    const char *word = strtok_r(text, blanks, &rest);
    const char *version = word != NULL ? strtok_r(NULL, blanks, &rest) : NULL;

    if (version != NULL && strcmp(word, "%calibration") == 0 && strcmp(version, "1") == 0 &&
        strtok_r(NULL, blanks, &rest) == NULL)
        return CCMOD_OK;
    return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->name, parser->line,
                      "not a calibration of version 1, whose first line is '%%calibration "
                      "1'; make one from measurements with ccmod calibrate");
}

static ccmod_status check_whole(const calibration_parser *parser, FILE *stream)
{
    if (ferror(stream))
        return ccmod_fail(parser->error, CCMOD_ERROR_SYSTEM, parser->name, 0,
                          "cannot read the calibration: %s; name a file that can be read",
                          strerror(errno));
    if (parser->line == 0)
        return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->name, 0,
                          "the file is empty; make a calibration with ccmod calibrate");
    if (!parser->complete[0] || (parser->made->hold_count > 0 && !parser->complete[1]))
        return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->name, parser->line,
                          "the line for the largest messages is missing; end with a line without "
                          "to_bytes");
    return CCMOD_OK;
}

ccmod_status ccmod_calibration_read(FILE *stream, const char *name, ccmod_calibration *out,
                                    ccmod_error *error)
{
    ccmod_calibration made = {.line_count = 0};
    calibration_parser parser = {.made = &made, .name = name, .error = error};
    char text[LINE_BYTES];

    while (text[0] = '\0', fgets(text, sizeof(text), stream) != NULL) {
        parser.line++;
        CCMOD_TRY(check_text(&parser, stream, text));
        CCMOD_TRY(parser.line == 1 ? check_head(&parser, text) : read_statement(&parser, text));
    }
    CCMOD_TRY(check_whole(&parser, stream));
    *out = made;
    return CCMOD_OK;
}

ccmod_status ccmod_calibration_open(const char *path, ccmod_calibration *out, ccmod_error *error)
{
    char why[CB_INPUT_WHY_BYTES];
    FILE *stream = cb_input_stream(path, CB_INPUT_LARGEST_TABLE_BYTES, why);
    ccmod_status status;

    if (stream == NULL)
        return ccmod_fail(error,
                          errno == ENOENT || errno == EINVAL || errno == EFBIG ? CCMOD_ERROR_USAGE
                                                                               : CCMOD_ERROR_SYSTEM,
                          NULL, 0,
                          "cannot read the calibration '%.200s': %s; name a file that can be "
                          "read, as ccmod calibrate makes it",
                          path, why);
    status = ccmod_calibration_read(stream, path, out, error);
    fclose(stream);
    return status;
}

/* Writing */

static void write_size(FILE *stream, const char *word, const ccmod_line *line, bool last)
{
    fputs(word, stream);
    if (!last)
        fprintf(stream, " to_bytes=%" PRIu64, line->to_bytes);
}

static void write_known(FILE *stream, const char *key, double value)
{
    if (value > 0)
        fprintf(stream, "%s %.9g\n", key, value);
}

void ccmod_calibration_write(const ccmod_calibration *calibration, FILE *stream)
{
    fputs("%calibration 1\n", stream);
    for (size_t i = 0; i < calibration->line_count; i++) {
        const ccmod_line *line = &calibration->lines[i];

        write_size(stream, "line", line, i + 1 == calibration->line_count);
        fprintf(stream, " overhead_us=%.9g latency_us=%.9g us_per_byte=%.9g\n", line->overhead_us,
                line->latency_us, line->us_per_byte);
    }
    for (size_t i = 0; i < calibration->hold_count; i++) {
        const ccmod_line *hold = &calibration->holds[i];

        write_size(stream, "hold", hold, i + 1 == calibration->hold_count);
        fprintf(stream, " us=%.9g us_per_byte=%.9g\n", hold->latency_us, hold->us_per_byte);
    }
    fprintf(stream, "hop_us %.9g\ngap_us %.9g\neager_bytes %" PRIu64 "\nbarrier_us %.9g\n",
            calibration->hop_us, calibration->gap_us, calibration->eager_bytes,
            calibration->barrier_us);
    write_known(stream, "barrier_round_us", calibration->barrier_round_us);
    write_known(stream, "out_contention", calibration->out_contention);
    write_known(stream, "in_contention", calibration->in_contention);
    write_known(stream, "duplex_contention", calibration->duplex_contention);
    write_known(stream, "acknowledgement_us", calibration->acknowledgement_us);
    if (calibration->payload_bytes > 0)
        fprintf(stream, "payload_bytes %" PRIu64 "\nheader_bytes %.9g\n",
                calibration->payload_bytes, calibration->header_bytes);
    if (calibration->share_rule > 0)
        fprintf(stream, "share %s\n", ccmod_share_name((ccmod_share)(calibration->share_rule - 1)));
}
