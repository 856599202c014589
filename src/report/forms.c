/* CSV and JSON. CSV has a line per row, the same columns in every benchmark, and empty cells for
 * absent values. JSON is written as a whole when the document ends. */
#include "report/forms.h"

#include <string.h>

/* As in RFC 4180, but with plain line feeds: text with a comma, quote or line feed is quoted. */
static void write_csv_cell(FILE *stream, const json_t *value)
{
    const char *text = json_string_value(value);

    if (text != NULL && strpbrk(text, ",\"\r\n") == NULL)
        fputs(text, stream);
    else if (text != NULL) {
        fputc('"', stream);
        for (; *text != '\0'; text++)
            fprintf(stream, *text == '"' ? "\"\"" : "%c", *text);
        fputc('"', stream);
    } else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", stream);
    else if (json_is_integer(value))
        fprintf(stream, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(stream, "%.9g", json_real_value(value));
}

static void begin_csv(report_writer *writer, json_t *document)
{
    const char *separator = "";

    (void)document;
    for (report_column column = 0; column < REPORT_COLUMNS; column++)
        for (const report_cell *cell = report_cells_of(column); cell->path != NULL; cell++) {
            char name[REPORT_CSV_NAME_BYTES];

            if (!report_csv_name(column, cell, name))
                continue;
            fprintf(writer->stream, "%s%s", separator, name);
            separator = ",";
        }
    fputc('\n', writer->stream);
}

static void row_csv(report_writer *writer, const report_row *row)
{
    const char *separator = "";

    for (report_column column = 0; column < REPORT_COLUMNS; column++)
        for (const report_cell *cell = report_cells_of(column); cell->path != NULL; cell++) {
            json_t *value;

            if (cell->name == NULL)
                continue;
            value = report_row_cell(row, column, cell);
            fputs(separator, writer->stream);
            write_csv_cell(writer->stream, value);
            separator = ",";
            json_decref(value);
        }
    fputc('\n', writer->stream);
}

const report_form report_form_csv = {.name = "csv", .begin = begin_csv, .row = row_csv};

/* Figures have a precision of about 1 %, so nine digits lose nothing and keep documents small. */
static void write_json_value(FILE *stream, const json_t *value)
{
    json_dumpf(value, stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
}

static void write_json_key(FILE *stream, const char *key)
{
    json_t *text = json_string(key);

    write_json_value(stream, text);
    fputs(": ", stream);
    json_decref(text);
}

/* Members of the document, members of its objects, and elements of its arrays have a line each;
 * deeper values do not. So documents can be compared and searched by line. */
static void end_json(report_writer *writer, json_t *document)
{
    FILE *stream = writer->stream;
    const char *key, *before = "{\n  ";
    json_t *value;

    json_object_foreach(document, key, value)
    {
        fputs(before, stream);
        before = ",\n  ";
        write_json_key(stream, key);
        if (json_object_size(value) > 0) {
            const char *name, *begin = "{\n    ";
            json_t *member;

            json_object_foreach(value, name, member)
            {
                fputs(begin, stream);
                begin = ",\n    ";
                write_json_key(stream, name);
                write_json_value(stream, member);
            }
            fputs("\n  }", stream);
        } else if (json_is_object(json_array_get(value, 0))) {
            for (size_t i = 0; i < json_array_size(value); i++) {
                fputs(i == 0 ? "[\n    " : ",\n    ", stream);
                write_json_value(stream, json_array_get(value, i));
            }
            fputs("\n  ]", stream);
        } else {
            write_json_value(stream, value);
        }
    }
    fputs("\n}\n", stream);
}

const report_form report_form_json = {.name = "json", .end = end_json};
