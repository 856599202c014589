/* Parameters as words, in the order of their table, with as many in a line as it has room for. */
#include "report/settings.h"

#include <string.h>

#include "base/parameters.h"

/* " recv_seg_size 1048576 bytes"; empty for a value that is of another kind than it can be. */
static void describe(const cb_parameter *row, const json_t *value, char *text, size_t bytes)
{
    const char *unit = row->kind == CB_PARAMETER_SIZE ? " bytes" : "";

    text[0] = '\0';
    if (json_is_boolean(value))
        snprintf(text, bytes, " %s %s", row->name, json_is_true(value) ? "true" : "false");
    else if (json_is_number(value))
        snprintf(text, bytes, " %s %.0f%s", row->name, json_number_value(value), unit);
}

/* The next of a list in which `used` columns of the line are taken; gives how many are then. */
static size_t write_next(FILE *stream, const char *text, size_t used, size_t columns)
{
    const size_t length = strlen(text) + 1;

    if (used + length > columns) {
        fprintf(stream, "\n   %s", text);
        return 3 + length;
    }
    fputs(text, stream);
    return used + length;
}

void report_write_settings(FILE *stream, const json_t *document, const cb_parameter_set *parameters,
                           size_t columns)
{
    const json_t *environment = json_object_get(document, "environment");
    const json_t *settings = json_object_get(environment, "technology_settings");
    const char *source = json_string_value(json_object_get(settings, "made_from"));
    const char *between = "";
    size_t used;

    if (source == NULL || parameters == NULL)
        return;
    used = (size_t)fprintf(stream, "settings made from the %s:", source);
    for (size_t i = 0; i < parameters->count; i++) {
        const cb_parameter *row = &parameters->rows[i];
        char text[96];

        describe(row, json_object_get(settings, row->name), text, sizeof(text));
        if (text[0] == '\0')
            continue;
        fputs(between, stream);
        used = write_next(stream, text, used, columns);
        between = ",";
    }
    fputc('\n', stream);
}
