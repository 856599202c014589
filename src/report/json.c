/* The JSON form: written when the document ends, one line for each result, so that documents can be
 * compared and searched by line. */
#include "report/form.h"

/* Figures are measured to a per cent: nine digits lose nothing and keep documents small. */
static void write_value(FILE *stream, const json_t *value)
{
    json_dumpf(value, stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
}

static void write_name(FILE *stream, const char *name)
{
    json_t *text = json_string(name);

    write_value(stream, text);
    fputs(": ", stream);
    json_decref(text);
}

static void write_elements(FILE *stream, const json_t *array)
{
    size_t index;
    json_t *element;

    json_array_foreach(array, index, element)
    {
        fputs(index == 0 ? "[\n    " : ",\n    ", stream);
        write_value(stream, element);
    }
    fputs("\n  ]", stream);
}

static void write_members(FILE *stream, json_t *object)
{
    const char *key, *before = "{\n    ";
    json_t *value;

    json_object_foreach(object, key, value)
    {
        fputs(before, stream);
        write_name(stream, key);
        write_value(stream, value);
        before = ",\n    ";
    }
    fputs("\n  }", stream);
}

static void end_json(report_writer *writer, json_t *document)
{
    const char *key, *before = "{\n  ";
    json_t *value;

    json_object_foreach(document, key, value)
    {
        fputs(before, writer->stream);
        write_name(writer->stream, key);
        if (json_object_size(value) > 0)
            write_members(writer->stream, value);
        else if (json_is_object(json_array_get(value, 0)))
            write_elements(writer->stream, value);
        else
            write_value(writer->stream, value);
        before = ",\n  ";
    }
    fputs("\n}\n", writer->stream);
}

const report_form report_form_json = {.name = "json", .end = end_json};
