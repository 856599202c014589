/* Texts of configuration files: read them, name places in them, find the known name nearest to a
 * wrong one, and prepare them for libconfuse. libconfuse 3.3 counts one line too many for every
 * comment, and accepts an unclosed comment, brace or (in places) string: error messages would name
 * the wrong line or be missing. */
#include "base/context_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input.h"
#include "base/log.h"
#include "base/memory.h"

const char *const cb_file_names[CB_FILES + 1] = {
    [CB_FILE_NETWORK] = "network.conf",
    [CB_FILE_NODES] = "nodes.conf",
    [CB_FILE_MACHINES] = "machines.conf",
};

void cb_context_place_text(const cb_config *config, context_place place,
                           char text[CONTEXT_PLACE_BYTES])
{
    const char *name;

    if (place.file == CONTEXT_COMMAND_LINE) {
        snprintf(text, CONTEXT_PLACE_BYTES, "--parameter");
        return;
    }
    name = cb_file_names[place.file];
    if (place.line > 0)
        snprintf(text, CONTEXT_PLACE_BYTES, "%s/%s:%ld", config->directory, name, place.line);
    else
        snprintf(text, CONTEXT_PLACE_BYTES, "%s/%s", config->directory, name);
}

cb_status cb_context_fail(const cb_config *config, context_place place, const char *format, ...)
{
    char where[CONTEXT_PLACE_BYTES], what[2 * CONTEXT_WHY_BYTES];
    va_list arguments;

    cb_context_place_text(config, place, where);
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    cb_error("%s: %s", where, what);
    return CB_ERROR_USAGE;
}

char *cb_context_copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = cb_allocate(bytes, 1, "a name");

    return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

/* Presets: an empty network.conf gives every parameter the value of the SCI note. */

enum { PRESET_NODES = 1024, PRESET_NODE_BYTES = 48 };

static const char preset_note[] = "note";

static cb_status make_preset(cb_config_texts *out)
{
    char *nodes = cb_allocate(PRESET_NODES, PRESET_NODE_BYTES, "the nodes of a preset");

    if (nodes == NULL)
        return CB_ERROR_MEMORY;
    out->text[CB_FILE_NODES] = nodes;
    for (int id = 1; id <= PRESET_NODES; id++)
        out->bytes[CB_FILE_NODES] +=
            (size_t)snprintf(nodes + out->bytes[CB_FILE_NODES], PRESET_NODE_BYTES,
                             "node node%d { id = %d }\n", id, id);
    return CB_OK;
}

static cb_status fail_file(const char *directory, cb_file file, const char *cause)
{
    cb_error("cannot read %s/%s: %s; --config needs a directory with network.conf, nodes.conf and "
             "machines.conf, which may be empty but for the nodes, or the name of the preset %s",
             directory, cb_file_names[file], cause, preset_note);
    return CB_ERROR_USAGE;
}

static cb_status read_stream(FILE *stream, const char *directory, cb_file file, char **text,
                             size_t *bytes)
{
    const size_t room = CB_FILE_LARGEST_BYTES + 1;
    char *content = cb_allocate(room, 1, "a configuration file");

    if (content == NULL)
        return CB_ERROR_MEMORY;
    *text = content;
    *bytes = fread(content, 1, room, stream);
    if (ferror(stream))
        return fail_file(directory, file, strerror(errno));
    if (*bytes == room)
        return fail_file(directory, file, "it has more than 4 MiB");
    /* A blank is nothing to the parser, and keeps columns and the text's memory as they are. */
    memset(content, ' ', cb_input_mark_bytes(content, *bytes));
    return CB_OK;
}

static cb_status load_file(const char *directory, cb_file file, char **text, size_t *bytes)
{
    char path[CONTEXT_PLACE_BYTES];
    int length = snprintf(path, sizeof(path), "%s/%s", directory, cb_file_names[file]);
    FILE *stream;
    cb_status status;

    if (length < 0 || (size_t)length >= sizeof(path))
        return fail_file(directory, file, "the path is too long");
    stream = fopen(path, "re");
    if (stream == NULL)
        return fail_file(directory, file, strerror(errno));
    status = read_stream(stream, directory, file, text, bytes);
    fclose(stream);
    return status;
}

cb_status cb_config_load(const char *directory, cb_config_texts *out)
{
    cb_status status = CB_OK;

    *out = (cb_config_texts){0};
    if (strcmp(directory, preset_note) == 0 && access(directory, F_OK) != 0)
        return make_preset(out);
    for (size_t file = 0; file < CB_FILES && status == CB_OK; file++)
        status = load_file(directory, (cb_file)file, &out->text[file], &out->bytes[file]);
    if (status != CB_OK)
        cb_config_texts_free(out);
    return status;
}

void cb_config_texts_free(cb_config_texts *texts)
{
    for (size_t file = 0; file < CB_FILES; file++)
        free(texts->text[file]);
    *texts = (cb_config_texts){0};
}

enum { LETTERS = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

/* Levenshtein distance, with one row of its table at a time. */
size_t cb_distance(const char *left, const char *right)
{
    size_t rows = strnlen(left, LETTERS), columns = strnlen(right, LETTERS);
    size_t row[LETTERS + 1];

    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t above = row[j];

            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (left[i - 1] != right[j - 1]));
            diagonal = above;
        }
    }
    return row[columns];
}

const char *cb_nearest(const char *name, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t smallest = 0;

    for (size_t i = 0; i < count; i++) {
        size_t distance = cb_distance(name, names[i]);

        if (nearest == NULL || distance < smallest) {
            nearest = names[i];
            smallest = distance;
        }
    }
    return nearest;
}

/* State of the scanner that prepares a text: its position, and what is open there. */
typedef struct {
    char *at, *end;
    long line;
    size_t depth;   /* of braces */
    long open_line; /* of the outermost open brace */
    char *why;
} scanner;

__attribute__((format(printf, 3, 4))) static bool refuse(scanner *scan, long line,
                                                         const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(scan->why, CONTEXT_WHY_BYTES, format, arguments);
    va_end(arguments);
    scan->line = line;
    return false;
}

static bool begins(const scanner *scan, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, text, length) == 0;
}

static void pass(scanner *scan)
{
    scan->line += *scan->at == '\n';
    scan->at++;
}

static void blank(scanner *scan)
{
    if (*scan->at != '\n')
        *scan->at = ' ';
    pass(scan);
}

static bool blank_line(scanner *scan)
{
    while (scan->at < scan->end && *scan->at != '\n')
        blank(scan);
    return true;
}

static bool blank_comment(scanner *scan)
{
    long opened = scan->line;

    blank(scan);
    blank(scan);
    while (scan->at < scan->end && !begins(scan, "*/"))
        blank(scan);
    if (scan->at == scan->end)
        return refuse(scan, opened, "the comment that begins here has no end; close it by */");
    blank(scan);
    blank(scan);
    return true;
}

/* ${NAME} is a variable of the environment; its contents have no syntax. */
static bool pass_variable(scanner *scan)
{
    const char *closed = memchr(scan->at, '}', (size_t)(scan->end - scan->at));

    while (closed != NULL && scan->at < closed)
        pass(scan);
    pass(scan);
    return true;
}

static bool pass_string(scanner *scan)
{
    const char quote = *scan->at;
    long opened = scan->line;

    pass(scan);
    while (scan->at < scan->end && *scan->at != quote) {
        if (quote == '"' && begins(scan, "${")) {
            pass_variable(scan);
            continue;
        }
        if (*scan->at == '\\' && scan->at + 1 < scan->end)
            pass(scan);
        pass(scan);
    }
    if (scan->at == scan->end)
        return refuse(scan, opened, "the string that begins here has no end; close it by %c",
                      quote);
    pass(scan);
    return true;
}

static bool pass_brace(scanner *scan)
{
    if (*scan->at == '{' && scan->depth++ == 0)
        scan->open_line = scan->line;
    if (*scan->at == '}' && scan->depth-- == 0)
        return refuse(scan, scan->line, "this } closes nothing; remove it");
    pass(scan);
    return true;
}

/* A // inside a word, as in a path, does not begin a comment. */
static bool starts_word(const scanner *scan, const char *text)
{
    return scan->at == text || strchr(" \t\n\r={}()+,\"'", scan->at[-1]) != NULL;
}

static bool step(scanner *scan, const char *text)
{
    const char character = *scan->at;

    if (character == '#' || (begins(scan, "//") && starts_word(scan, text)))
        return blank_line(scan);
    if (begins(scan, "/*"))
        return blank_comment(scan);
    if (character == '"' || character == '\'')
        return pass_string(scan);
    if (begins(scan, "${"))
        return pass_variable(scan);
    if (character == '{' || character == '}')
        return pass_brace(scan);
    if (character == '*' || ((unsigned char)character < ' ' && strchr("\t\n\r", character) == NULL))
        return refuse(scan, scan->line,
                      "the character with the code %d is not allowed here; remove "
                      "it, or write the value in quotes",
                      (unsigned char)character);
    pass(scan);
    return true;
}

bool cb_context_blank(char *text, size_t bytes, long *line, char why[CONTEXT_WHY_BYTES])
{
    scanner scan = {.at = text, .end = text + bytes, .line = 1, .why = why};
    bool fit = memchr(text, '\0', bytes) == NULL ||
               refuse(&scan, 1, "the file has a byte 0, so it is not text; write it again");

    while (fit && scan.at < scan.end)
        fit = step(&scan, text);
    if (fit && scan.depth > 0)
        fit = refuse(&scan, scan.open_line, "the { here is not closed; close it by }");
    *line = scan.line;
    return fit;
}
