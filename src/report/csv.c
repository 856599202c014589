/* The CSV form (RFC 4180, with plain line feeds): one line for each result, the same columns in
 * every benchmark, empty where a value is absent. */
#include "report/form.h"

#include <string.h>

static bool in_csv(const report_leaf *leaf)
{
    return report_leaf_part(leaf)->name != NULL;
}

static void write_head(FILE *stream, const report_leaf *leaf)
{
    const char *name = report_leaf_part(leaf)->name;

    fprintf(stream, "%s%s%s", report_leaf_column(leaf)->key, name[0] == '\0' ? "" : "_", name);
}

static void write_text(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text != '\0'; text++)
        fprintf(stream, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', stream);
}

static void write_cell(FILE *stream, const json_t *value)
{
    if (json_is_string(value))
        write_text(stream, json_string_value(value));
    else if (json_is_boolean(value))
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
    for (report_leaf leaf = report_leaf_first(); report_leaf_valid(&leaf);
         report_leaf_next(&leaf)) {
        if (!in_csv(&leaf))
            continue;
        fputs(separator, writer->stream);
        write_head(writer->stream, &leaf);
        separator = ",";
    }
    fputc('\n', writer->stream);
}

static void row_csv(report_writer *writer, const json_t *row)
{
    const char *separator = "";

    for (report_leaf leaf = report_leaf_first(); report_leaf_valid(&leaf);
         report_leaf_next(&leaf)) {
        json_t *value = report_leaf_value(&leaf, row);

        if (in_csv(&leaf)) {
            fputs(separator, writer->stream);
            write_cell(writer->stream, value);
            separator = ",";
        }
        json_decref(value);
    }
    fputc('\n', writer->stream);
}

const report_form report_form_csv = {
    .name = "csv",
    .begin = begin_csv,
    .element = {[REPORT_ROW] = row_csv},
};
