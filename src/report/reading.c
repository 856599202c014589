/* Read result documents. A missing key and one of another type are both treated as absent. */
#include "report/reading.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/log.h"
#include "base/memory.h"
#include "report/values.h"

enum { LARGEST_MB = 256, PATH_BYTES = 256 };

struct report_reading {
    json_t *root;
};

/* A stream that fails at the limit of size. */
typedef struct {
    FILE *stream;
    size_t left;
} bounded_stream;

static size_t read_bounded(void *buffer, size_t bytes, void *context)
{
    bounded_stream *from = context;
    size_t wanted = bytes < from->left ? bytes : from->left;
    size_t came = fread(buffer, 1, wanted, from->stream);

    from->left -= came;
    return from->left == 0 || ferror(from->stream) ? (size_t)-1 : came;
}

static cb_status load(const char *path, json_t **out)
{
    char why[CB_INPUT_WHY_BYTES];
    bounded_stream from = {cb_input_stream(path, (uint64_t)LARGEST_MB << 20, why),
                           (size_t)LARGEST_MB << 20};
    json_error_t fault;

    if (from.stream == NULL) {
        cb_error("cannot read the result '%s': %s; check the path and its permissions", path, why);
        return CB_ERROR_USAGE;
    }
    *out = json_load_callback(read_bounded, &from, 0, &fault);
    if (*out == NULL && from.left == 0)
        cb_error("cannot read the result '%s': it is larger than %d MiB; name the "
                 "document of a single run",
                 path, LARGEST_MB);
    else if (*out == NULL && ferror(from.stream))
        cb_error("cannot read the result '%s': %s; check the path and its permissions", path,
                 strerror(errno));
    else if (*out == NULL)
        cb_error("%s:%d: not a JSON document: %s; name a result written by --format json", path,
                 fault.line, fault.text);
    fclose(from.stream);
    return *out != NULL ? CB_OK : CB_ERROR_USAGE;
}

cb_status report_reading_open(const char *path, report_reading **out)
{
    static const char schema[] = "combench-result/1";
    report_reading *reading = cb_allocate(1, sizeof(*reading), "a result that is read");
    const char *found;

    if (reading == NULL)
        return CB_ERROR_MEMORY;
    if (load(path, &reading->root) != CB_OK) {
        report_reading_close(reading);
        return CB_ERROR_USAGE;
    }
    found = report_reading_text(reading, "schema");
    if (found == NULL || strcmp(found, schema) != 0) {
        cb_error("cannot read '%s' as a result: its schema is '%.64s', not '%s'; name a "
                 "result of a benchmark, written by --format json",
                 path, found != NULL ? found : "nothing", schema);
        report_reading_close(reading);
        return CB_ERROR_USAGE;
    }
    *out = reading;
    return CB_OK;
}

void report_reading_close(report_reading *reading)
{
    if (reading != NULL)
        json_decref(reading->root);
    free(reading);
}

__attribute__((format(printf, 2, 0))) static const json_t *find(const report_reading *reading,
                                                                const char *path, va_list arguments)
{
    char whole[PATH_BYTES];

    vsnprintf(whole, sizeof(whole), path, arguments);
    return report_path_get(reading->root, whole);
}

size_t report_reading_count(const report_reading *reading, const char *path)
{
    return json_array_size(report_path_get(reading->root, path));
}

const char *report_reading_text(const report_reading *reading, const char *path, ...)
{
    va_list arguments;
    const char *text;

    va_start(arguments, path);
    text = json_string_value(find(reading, path, arguments));
    va_end(arguments);
    return text;
}

double report_reading_number(const report_reading *reading, const char *path, ...)
{
    va_list arguments;
    const json_t *value;

    va_start(arguments, path);
    value = find(reading, path, arguments);
    va_end(arguments);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}
