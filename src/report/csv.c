/* The CSV form (RFC 4180, with plain line feeds): one line for each result, the same columns in
 * every benchmark, empty where a value is absent. */
#include "report/forms.h"

#include <string.h>

/* Texts are quoted where a reader would take them for something else. */
static void write_cell(FILE *stream, const json_t *value)
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
            write_cell(writer->stream, value);
            separator = ",";
            json_decref(value);
        }
    fputc('\n', writer->stream);
}

const report_form report_form_csv = {.name = "csv", .begin = begin_csv, .row = row_csv};
