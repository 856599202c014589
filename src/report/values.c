/* Numbers, texts and dotted paths, so that code that describes the environment needs one call per
 * value and does not see the JSON library. */
#include "report/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Single values */

/* Well-formed UTF-8 by first byte; bytes after the second are always 80 to BF. Overlong forms,
 * surrogates and values above U+10FFFF are not in the table. */
static const struct {
    unsigned char first_low, first_high, second_low, second_high;
    size_t length;
} utf8_rows[] = {
    {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static const char replacement[] = "\xef\xbf\xbd";

/* Length of the well-formed sequence at `text`, or 0. The terminating zero is not a continuation
 * byte, so nothing beyond it is read. */
static size_t sequence_length(const unsigned char *text)
{
    size_t row = 0, length;

    while (row < sizeof(utf8_rows) / sizeof(utf8_rows[0]) &&
           (text[0] < utf8_rows[row].first_low || text[0] > utf8_rows[row].first_high))
        row++;
    if (row == sizeof(utf8_rows) / sizeof(utf8_rows[0]))
        return 0;
    length = utf8_rows[row].length;
    if (length > 1 && (text[1] < utf8_rows[row].second_low || text[1] > utf8_rows[row].second_high))
        return 0;
    for (size_t i = 2; i < length; i++)
        if (text[i] < 0x80 || text[i] > 0xbf)
            return 0;
    return length;
}

json_t *report_value_number(double value)
{
    const double exact = 9007199254740992.0; /* 2^53: doubles hold every whole number up to here */

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

/* Paths */

enum { INDEX_DIGITS = 6, PART_BYTES = 256 }; /* arrays up to 10^6 elements, keys up to 255 bytes */

typedef struct {
    char name[PART_BYTES];
    bool is_index;
    size_t index;
} path_part;

/* Parse the part at `path`; returns what follows it and its dot, "" at the end. */
static const char *take_part(const char *path, path_part *part)
{
    const char *bracket = path[0] == '[' ? strchr(path, ']') : NULL;
    const char *start = bracket != NULL ? path + 1 : path;
    const char *end = bracket != NULL ? bracket : strchrnul(path, '.');
    size_t digits;

    snprintf(part->name, sizeof(part->name), "%.*s", (int)(end - start), start);
    digits = strspn(part->name, "0123456789");
    part->is_index =
        bracket == NULL && digits > 0 && digits <= INDEX_DIGITS && part->name[digits] == '\0';
    part->index = part->is_index ? strtoul(part->name, NULL, 10) : 0;
    if (bracket != NULL)
        end++;
    return *end == '.' ? end + 1 : end;
}

static json_t *child_of(const json_t *parent, const path_part *part)
{
    if (json_is_array(parent))
        return part->is_index ? json_array_get(parent, part->index) : NULL;
    return json_object_get(parent, part->name);
}

/* Takes the reference to `value`, also on failure. Indices may come in any order: missing elements
 * are null. */
static bool set_child(json_t *parent, const path_part *part, json_t *value)
{
    if (json_is_object(parent))
        return json_object_set_new(parent, part->name, value) == 0;
    if (json_is_array(parent) && part->is_index) {
        while (json_array_size(parent) <= part->index)
            if (json_array_append_new(parent, json_null()) != 0)
                break;
        return json_array_set_new(parent, part->index, value) == 0;
    }
    json_decref(value);
    return false;
}

/* Creates missing parents: an array if the next part is an index. */
bool report_path_set(json_t *root, const char *path, json_t *value)
{
    json_t *node = root;
    path_part part, next;

    for (path = take_part(path, &part); *path != '\0'; part = next) {
        json_t *child = child_of(node, &part);

        path = take_part(path, &next);
        if (child == NULL || json_is_null(child)) {
            child = next.is_index ? json_array() : json_object();
            if (!set_child(node, &part, child)) {
                json_decref(value);
                return false;
            }
        }
        node = child;
    }
    return set_child(node, &part, value);
}

json_t *report_path_get(const json_t *root, const char *path)
{
    json_t *node = NULL;
    path_part part;

    do {
        path = take_part(path, &part);
        node = child_of(root, &part);
        root = node;
    } while (node != NULL && *path != '\0');
    return node;
}
