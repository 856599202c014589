/* Single values of a document: numbers without a needless fraction, texts that are valid UTF-8
 * whatever the operating system or the user put into them. */
#include "report/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Well-formed UTF-8 by first byte; bytes after the second are always 80 to BF. Overlong forms,
 * surrogates and what lies above U+10FFFF fall outside of the rows. */
typedef struct {
    unsigned char first_low, first_high, second_low, second_high;
    size_t length;
} utf8_row;

static const utf8_row utf8_rows[] = {
    {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static const char replacement[] = "\xef\xbf\xbd";

static const utf8_row *row_of(unsigned char first)
{
    for (size_t i = 0; i < sizeof(utf8_rows) / sizeof(utf8_rows[0]); i++) {
        if (first >= utf8_rows[i].first_low && first <= utf8_rows[i].first_high)
            return &utf8_rows[i];
    }
    return NULL;
}

/* Length of the well-formed sequence at `text`, 0 when there is none. The terminating zero is no
 * continuation byte, so that nothing is read beyond it. */
static size_t sequence_length(const unsigned char *text)
{
    const utf8_row *row = row_of(text[0]);

    if (row == NULL)
        return 0;
    if (row->length > 1 && (text[1] < row->second_low || text[1] > row->second_high))
        return 0;
    for (size_t i = 2; i < row->length; i++) {
        if (text[i] < 0x80 || text[i] > 0xbf)
            return 0;
    }
    return row->length;
}

json_t *report_value_number(double value)
{
    const double exact = 9007199254740992.0; /* 2^53: every whole number up to here is a double */

    if (!isfinite(value))
        return NULL;
    if (fabs(value) <= exact && value == floor(value))
        return json_integer((json_int_t)value);
    return json_real(value);
}

char *report_clean_utf8(const char *text)
{
    const unsigned char *from = (const unsigned char *)text;
    char *clean = malloc(strlen(text) * (sizeof(replacement) - 1) + 1);
    char *to = clean;

    if (clean == NULL)
        return NULL;
    while (*from != '\0') {
        size_t length = sequence_length(from);

        if (length > 0) {
            memcpy(to, from, length);
            to += length;
            from += length;
        } else {
            memcpy(to, replacement, sizeof(replacement) - 1);
            to += sizeof(replacement) - 1;
            from++;
        }
    }
    *to = '\0';
    return clean;
}

json_t *report_value_text(const char *text)
{
    json_t *value;
    char *clean;

    if (text == NULL || text[0] == '\0')
        return NULL;
    clean = report_clean_utf8(text);
    if (clean == NULL)
        return NULL;
    value = json_string(clean);
    free(clean);
    return value;
}
