/* The CSV form of a matrix, and the trace that sends its bytes. */
#include "tools/ccmod/matrix.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/units.h"
#include "tools/ccmod/convert_program.h"

enum { QUOTED = 60 };

ccmod_status matrix_make(const char *name, size_t ranks, byte_matrix *out, ccmod_error *error)
{
    *out = (byte_matrix){.ranks = ranks, .bytes = calloc(ranks * ranks, sizeof(uint64_t))};
    return out->bytes != NULL
               ? CCMOD_OK
               : ccmod_fail(error, CCMOD_ERROR_MEMORY, name, 0,
                            "out of memory for a matrix of %zu ranks; use fewer", ranks);
}

void matrix_free(byte_matrix *matrix)
{
    free(matrix->bytes);
    *matrix = (byte_matrix){.bytes = NULL};
}

/* Reading */

typedef struct {
    FILE *stream;
    const char *name;
    ccmod_error *error;
    size_t line, first_line; /* the current one, and that of the first row */
    size_t rows, columns;    /* read so far; of the first row */
    uint64_t *cells;
    size_t count, room;
} matrix_reader;

static ccmod_status read_cell(matrix_reader *reader, char *word)
{
    const size_t column = reader->count - reader->rows * reader->columns;
    char why[CB_WHY_BYTES];
    uint64_t bytes, *cells;

    word += strspn(word, " \t");
    for (size_t end = strlen(word); end > 0 && strchr(" \t\r\n", word[end - 1]) != NULL; end--)
        word[end - 1] = '\0';
    if (word[0] == '\0')
        return ccmod_fail(reader->error, CCMOD_ERROR_USAGE, reader->name, reader->line,
                          "column %zu is empty; write the bytes, or 0 for none", column + 1);
    if (!cb_parse_size(word, 0, MATRIX_LARGEST_BYTES, &bytes, why))
        return ccmod_fail(
            reader->error, CCMOD_ERROR_USAGE, reader->name, reader->line,
            "column %zu, '%.*s': %s; write bytes as 4096 or 4KiB, separated by commas", column + 1,
            (int)QUOTED, word, why);
    if (column == reader->rows && bytes > 0)
        return ccmod_fail(
            reader->error, CCMOD_ERROR_USAGE, reader->name, reader->line,
            "column %zu: rank %zu sends to itself, which takes no network; write 0 on "
            "the diagonal",
            column + 1, reader->rows);
    cells = cb_grow(reader->cells, reader->count, &reader->room, sizeof(*cells));
    if (cells == NULL)
        return ccmod_fail(reader->error, CCMOD_ERROR_MEMORY, reader->name, reader->line,
                          "out of memory for the matrix; use fewer ranks");
    reader->cells = cells;
    reader->cells[reader->count++] = bytes;
    return CCMOD_OK;
}

static ccmod_status check_row(const matrix_reader *reader, size_t columns)
{
    if (columns > MATRIX_LARGEST_RANKS)
        return ccmod_fail(reader->error, CCMOD_ERROR_USAGE, reader->name, reader->line,
                          "a row of %zu numbers, of at most %d ranks; use fewer, or write a trace",
                          columns, (int)MATRIX_LARGEST_RANKS);
    if (columns != reader->columns)
        return ccmod_fail(
            reader->error, CCMOD_ERROR_USAGE, reader->name, reader->line,
            "a row of %zu numbers, but that of line %zu has %zu; all rows need as many "
            "numbers as there are ranks",
            columns, reader->first_line, reader->columns);
    if (reader->rows == reader->columns)
        return ccmod_fail(
            reader->error, CCMOD_ERROR_USAGE, reader->name, reader->line,
            "more than %zu rows of %zu numbers; a matrix has as many rows as columns: "
            "remove a row, or add a number to each",
            reader->rows, reader->columns);
    return CCMOD_OK;
}

static size_t count_columns(const char *line)
{
    size_t columns = 1;

    for (; *line != '\0'; line++)
        columns += *line == ',';
    return columns;
}

static ccmod_status read_row(matrix_reader *reader, char *line)
{
    char *rest = line;
    size_t columns;

    line[strcspn(line, "#")] = '\0';
    if (line[strspn(line, " \t\r\n")] == '\0')
        return CCMOD_OK;
    columns = count_columns(line);
    if (reader->columns == 0) {
        reader->columns = columns;
        reader->first_line = reader->line;
    }
    CCMOD_TRY(check_row(reader, columns));
    while (rest != NULL)
        CCMOD_TRY(read_cell(reader, strsep(&rest, ",")));
    reader->rows++;
    return CCMOD_OK;
}

static ccmod_status read_rows(matrix_reader *reader)
{
    ccmod_status status = CCMOD_OK;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    while (status == CCMOD_OK && (length = getline(&line, &room, reader->stream)) >= 0) {
        reader->line++;
        status = memchr(line, '\0', (size_t)length) == NULL
                     ? read_row(reader, line)
                     : ccmod_fail(reader->error, CCMOD_ERROR_USAGE, reader->name, reader->line,
                                  "a zero byte: this is not text; name a file of numbers separated "
                                  "by commas");
    }
    free(line);
    if (status == CCMOD_OK && ferror(reader->stream))
        status = ccmod_fail(reader->error, CCMOD_ERROR_SYSTEM, reader->name, 0,
                            "cannot read: %s; name a file that can be read", strerror(errno));
    return status;
}

ccmod_status matrix_read(FILE *stream, const char *name, byte_matrix *out, ccmod_error *error)
{
    matrix_reader reader = {.stream = stream, .name = name, .error = error};
    ccmod_status status = read_rows(&reader);

    if (status == CCMOD_OK && reader.rows == 0)
        status = ccmod_fail(error, CCMOD_ERROR_USAGE, name, 0,
                            "there is no row; write a line of numbers for each rank");
    else if (status == CCMOD_OK && reader.rows < reader.columns)
        status =
            ccmod_fail(error, CCMOD_ERROR_USAGE, name, reader.line,
                       "the file ends after %zu rows of %zu numbers; a matrix has as many rows "
                       "as columns: add those that are missing",
                       reader.rows, reader.columns);
    if (status != CCMOD_OK) {
        free(reader.cells);
        return status;
    }
    *out = (byte_matrix){.ranks = reader.rows, .bytes = reader.cells};
    return CCMOD_OK;
}

ccmod_status matrix_open(const char *path, byte_matrix *out, ccmod_error *error)
{
    FILE *stream = convert_open(path, error);
    ccmod_status status;

    if (stream == NULL)
        return CCMOD_ERROR_USAGE;
    status = matrix_read(stream, path, out, error);
    fclose(stream);
    return status;
}

/* Writing */

void matrix_write_row(FILE *stream, const uint64_t *bytes, size_t ranks)
{
    for (size_t i = 0; i < ranks; i++)
        fprintf(stream, "%s%" PRIu64, i == 0 ? "" : ",", bytes[i]);
    fputc('\n', stream);
}

void matrix_write(FILE *stream, const byte_matrix *matrix)
{
    for (size_t i = 0; i < matrix->ranks; i++)
        matrix_write_row(stream, matrix->bytes + i * matrix->ranks, matrix->ranks);
}

ccmod_status matrix_visit_receives(const byte_matrix *matrix, size_t rank,
                                   ccmod_status (*visit)(void *context, matrix_message message),
                                   void *context)
{
    for (size_t distance = 1; distance < matrix->ranks; distance++) {
        size_t source = (rank + matrix->ranks - distance) % matrix->ranks;
        uint64_t bytes = matrix_at(matrix, source, rank);

        if (bytes > 0)
            CCMOD_TRY(visit(context, (matrix_message){(uint32_t)source, bytes}));
    }
    return CCMOD_OK;
}

ccmod_status matrix_visit_sends(const byte_matrix *matrix, size_t rank,
                                ccmod_status (*visit)(void *context, matrix_message message),
                                void *context)
{
    for (size_t distance = 1; distance < matrix->ranks; distance++) {
        size_t destination = (rank + distance) % matrix->ranks;
        uint64_t bytes = matrix_at(matrix, rank, destination);

        if (bytes > 0)
            CCMOD_TRY(visit(context, (matrix_message){(uint32_t)destination, bytes}));
    }
    return CCMOD_OK;
}

static void begin_steps(FILE *stream, const matrix_steps *steps)
{
    if (steps->count > 1)
        fprintf(stream, "@ %" PRIu64 "\n", steps->count);
    if (steps->compute_us > 0) {
        fputs("c ", stream);
        convert_write_number(stream, steps->compute_us);
        fputc('\n', stream);
    }
}

static void end_steps(FILE *stream, const matrix_steps *steps)
{
    fputs(steps->count > 1 ? "w\n;\n" : "w\n", stream);
}

static ccmod_status write_receive(void *context, matrix_message message)
{
    fprintf(context, "ir %" PRIu32 " %" PRIu64 "\n", message.peer, message.bytes);
    return CCMOD_OK;
}

static ccmod_status write_send(void *context, matrix_message message)
{
    fprintf(context, "is %" PRIu32 " %" PRIu64 "\n", message.peer, message.bytes);
    return CCMOD_OK;
}

static void write_rank(FILE *stream, const byte_matrix *matrix, const matrix_steps *steps,
                       size_t rank)
{
    fprintf(stream, "%zu:\n", rank);
    begin_steps(stream, steps);
    matrix_visit_receives(matrix, rank, write_receive, stream);
    matrix_visit_sends(matrix, rank, write_send, stream);
    end_steps(stream, steps);
}

/* Whether all ranks send the same to the ranks at a distance. */
static bool depends_on_distance(const byte_matrix *matrix)
{
    for (size_t rank = 1; rank < matrix->ranks; rank++) {
        for (size_t distance = 1; distance < matrix->ranks; distance++) {
            if (matrix_at(matrix, rank, (rank + distance) % matrix->ranks) !=
                matrix_at(matrix, 0, distance))
                return false;
        }
    }
    return true;
}

/* The messages of any rank at distances `from` to `to` - 1, which have the same bytes. */
static void write_distances(FILE *stream, const char *record, char sign, size_t from, size_t to,
                            uint64_t bytes)
{
    if (to - from == 1)
        fprintf(stream, "%s (%%r%c%zu)%%%%n %" PRIu64 "\n", record, sign, from, bytes);
    else
        fprintf(stream, "@ %zu\n%s (%%r%c%zu%c%%i)%%%%n %" PRIu64 "\n;\n", to - from, record, sign,
                from, sign, bytes);
}

static void write_all_distances(FILE *stream, const byte_matrix *matrix, const char *record,
                                char sign)
{
    size_t to;

    for (size_t from = 1; from < matrix->ranks; from = to) {
        const uint64_t bytes = matrix_at(matrix, 0, from);

        for (to = from + 1; to < matrix->ranks && matrix_at(matrix, 0, to) == bytes;)
            to++;
        if (bytes > 0)
            write_distances(stream, record, sign, from, to, bytes);
    }
}

void matrix_write_trace(FILE *stream, const byte_matrix *matrix, const matrix_steps *steps)
{
    if (!depends_on_distance(matrix)) {
        for (size_t rank = 0; rank < matrix->ranks && !ferror(stream); rank++)
            write_rank(stream, matrix, steps, rank);
        return;
    }
    fputs("*:\n", stream);
    begin_steps(stream, steps);
    write_all_distances(stream, matrix, "ir", '-');
    write_all_distances(stream, matrix, "is", '+');
    end_steps(stream, steps);
}
