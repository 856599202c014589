/* The JSON form: written when the document ends, one line for each result, so that documents can be
 * compared and searched by line. */
#include "report/forms.h"

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

/* Members of the document, the members of an object in it, and results and the like each stand on
 * a line of their own; what is deeper has none. */
static void end_json(report_writer *writer, json_t *document)
{
    FILE *stream = writer->stream;
    const char *key, *before = "{\n  ";
    json_t *value;

    json_object_foreach(document, key, value)
    {
        fputs(before, stream);
        before = ",\n  ";
        write_name(stream, key);
        if (json_object_size(value) > 0) {
            const char *name, *begin = "{\n    ";
            json_t *member;

            json_object_foreach(value, name, member)
            {
                fputs(begin, stream);
                begin = ",\n    ";
                write_name(stream, name);
                write_value(stream, member);
            }
            fputs("\n  }", stream);
        } else if (json_is_object(json_array_get(value, 0))) {
            for (size_t i = 0; i < json_array_size(value); i++) {
                fputs(i == 0 ? "[\n    " : ",\n    ", stream);
                write_value(stream, json_array_get(value, i));
            }
            fputs("\n  ]", stream);
        } else {
            write_value(stream, value);
        }
    }
    fputs("\n}\n", stream);
}

const report_form report_form_json = {.name = "json", .end = end_json};
