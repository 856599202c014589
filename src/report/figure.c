/* How the text form spells single values: as many digits as a measurement supports and an eye
 * compares. */
#include "report/figure.h"

#include <stdlib.h>
#include <string.h>

#include "report/path.h"

void report_format_real(double value, char text[REPORT_FIGURE_BYTES])
{
    const char *exponent_text;
    int exponent, decimals;

    /* The exponent after rounding to three digits: 9.996 is printed as 10.0. */
    snprintf(text, REPORT_FIGURE_BYTES, "%.2e", value);
    exponent_text = strchr(text, 'e');
    exponent = exponent_text != NULL ? (int)strtol(exponent_text + 1, NULL, 10) : 0;
    decimals = exponent >= 2 ? 0 : 2 - exponent;
    if (value == 0.0)
        snprintf(text, REPORT_FIGURE_BYTES, "0");
    else if (decimals <= 6)
        snprintf(text, REPORT_FIGURE_BYTES, "%.*f", decimals, value);
    else
        snprintf(text, REPORT_FIGURE_BYTES, "%.0e", value);
}

void report_format_cell(const json_t *value, bool whole, char text[REPORT_FIGURE_BYTES])
{
    if (!json_is_number(value))
        snprintf(text, REPORT_FIGURE_BYTES, "-");
    else if (whole)
        snprintf(text, REPORT_FIGURE_BYTES, "%.0f", json_number_value(value));
    else
        report_format_real(json_number_value(value), text);
}

static void write_phrase_value(FILE *stream, const json_t *value)
{
    char text[REPORT_FIGURE_BYTES];

    if (json_is_string(value)) {
        fputs(json_string_value(value), stream);
        return;
    }
    report_format_cell(value, json_is_integer(value), text);
    fputs(text, stream);
}

size_t report_write_phrases(FILE *stream, const json_t *root, const report_phrase *phrases,
                            size_t count)
{
    size_t written = 0;

    for (size_t i = 0; i < count; i++) {
        const json_t *value = report_path_get(root, phrases[i].path);

        if (value == NULL)
            continue;
        fprintf(stream, "%s%s", written++ > 0 ? ", " : "", phrases[i].before);
        write_phrase_value(stream, value);
        fputs(phrases[i].after, stream);
    }
    return written;
}
