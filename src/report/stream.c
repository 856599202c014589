/* Write objects, arrays and values at once; only the open brackets are stored. */
#include "report/stream.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "report/values.h"

enum { LINES_UP_TO = 2 }; /* deeper values share a line */

static void write_text(FILE *stream, const char *text)
{
    char *clean = report_clean_utf8(text);
    json_t *value = clean != NULL ? json_string(clean) : NULL;

    if (value == NULL || json_dumpf(value, stream, JSON_ENCODE_ANY) != 0)
        fputs("\"\"", stream);
    json_decref(value);
    free(clean);
}

static void begin_line(const report_stream *out)
{
    fputc('\n', out->stream);
    for (unsigned i = 0; i < out->depth; i++)
        fputs("  ", out->stream);
}

/* Write a comma if needed, a new line at this depth, and the key. */
static void begin_value(report_stream *out, const char *key)
{
    bool *filled = &out->filled[out->depth - 1];

    if (*filled)
        fputs(out->depth <= LINES_UP_TO ? "," : ", ", out->stream);
    *filled = true;
    if (out->depth <= LINES_UP_TO)
        begin_line(out);
    if (key != NULL) {
        write_text(out->stream, key);
        fputs(": ", out->stream);
    }
}

static void open_bracket(report_stream *out, char opening, char closing)
{
    fputc(opening, out->stream);
    out->filled[out->depth] = false;
    out->closing[out->depth++] = closing;
}

report_stream report_stream_begin(FILE *stream)
{
    report_stream out = {.stream = stream};

    open_bracket(&out, '{', '}');
    return out;
}

void report_stream_object(report_stream *out, const char *key)
{
    begin_value(out, key);
    open_bracket(out, '{', '}');
}

void report_stream_array(report_stream *out, const char *key)
{
    begin_value(out, key);
    open_bracket(out, '[', ']');
}

void report_stream_end(report_stream *out)
{
    bool lines = out->depth <= LINES_UP_TO && out->filled[out->depth - 1];

    out->depth--;
    if (lines)
        begin_line(out);
    fputc(out->closing[out->depth], out->stream);
    if (out->depth == 0)
        fputc('\n', out->stream);
}

void report_stream_number(report_stream *out, const char *key, double value)
{
    if (!isfinite(value))
        return;
    begin_value(out, key);
    fprintf(out->stream, "%.15g", value);
}

void report_stream_text(report_stream *out, const char *key, const char *value)
{
    if (value == NULL)
        return;
    begin_value(out, key);
    write_text(out->stream, value);
}

void report_stream_flag(report_stream *out, const char *key, bool value)
{
    begin_value(out, key);
    fputs(value ? "true" : "false", out->stream);
}
