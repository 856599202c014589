/* Values of parameters as they are written in a Context. */
#include "base/context_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"

enum { WORD_BYTES = 48 };

_Static_assert((int)CONTEXT_WHY_BYTES >= (int)CB_WHY_BYTES, "the parsers' reasons have to fit");

/* What a unit is called in Contexts, where all are powers of 2, and elsewhere. */
static const struct {
    const char *here, *elsewhere;
} units[] = {{"KB", "KiB"}, {"kB", "KiB"}, {"MB", "MiB"}, {"GB", "GiB"}};

static const char *unit_elsewhere(const char *unit)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(units[i].here, unit) == 0)
            return units[i].elsewhere;
    return unit;
}

/* "8 KB" becomes "8KiB". */
static bool read_size(const cb_parameter *row, const char *text, uint64_t *value, char *why)
{
    char word[WORD_BYTES];
    size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits + strspn(text + digits, " \t");
    int length = snprintf(word, sizeof(word), "%.*s%s", (int)digits, text, unit_elsewhere(unit));

    if (digits >= sizeof(word) || length < 0 || (size_t)length >= sizeof(word)) {
        snprintf(why, CONTEXT_WHY_BYTES, "not a size; use a number with B, KB, MB or GB");
        return false;
    }
    return cb_parse_size(word, row->minimum, row->maximum, value, why);
}

static bool is_multiple(const cb_parameter *row, uint64_t value, char *why)
{
    uint64_t above;

    if (row->multiple == 0 || value % row->multiple == 0)
        return true;
    above = value + row->multiple - value % row->multiple;
    snprintf(why, CONTEXT_WHY_BYTES, "no multiple of %llu bytes; use %llu or %llu",
             (unsigned long long)row->multiple,
             (unsigned long long)(above > row->minimum + row->multiple ? above - row->multiple
                                                                       : row->minimum),
             (unsigned long long)above);
    return false;
}

static bool read_sci_node(const cb_parameter *row, const char *text, uint64_t *value, char *why)
{
    if (!cb_parse_count(text, row->minimum, row->maximum, value, why))
        return false;
    if (*value % row->multiple == 0 && *value != CB_SCI_ALL_NODES)
        return true;
    snprintf(why, CONTEXT_WHY_BYTES,
             "no SCI node has this id; use a multiple of %llu, and not %d, which means all nodes",
             (unsigned long long)row->multiple, CB_SCI_ALL_NODES);
    return false;
}

/* Every zero is 0: 0, 00, 0x0, 0.0. */
static uint64_t read_flag(const char *text)
{
    char *end;
    double number = strtod(text, &end);

    return end == text || *end != '\0' || number < 0 || number > 0 || number != number;
}

bool cb_context_read_value(const cb_parameter *row, const char *text, uint64_t *value,
                           char why[CONTEXT_WHY_BYTES])
{
    switch (row->kind) {
    case CB_PARAMETER_FLAG:
        *value = read_flag(text);
        return true;
    case CB_PARAMETER_SIZE:
        return read_size(row, text, value, why) && is_multiple(row, *value, why);
    case CB_PARAMETER_ID:
        return read_sci_node(row, text, value, why);
    case CB_PARAMETER_COUNT:
        break;
    }
    return cb_parse_count(text, row->minimum, row->maximum, value, why);
}

bool cb_context_denies(const char *text)
{
    static const char *const words[] = {"false", "no", "off"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

bool cb_context_is_unit(const char *text)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(text, units[i].here) == 0 || strcmp(text, units[i].elsewhere) == 0)
            return true;
    return false;
}

bool cb_context_read_id(const char *text, uint32_t *id, char why[CONTEXT_WHY_BYTES])
{
    uint64_t value;

    if (!cb_parse_count(text, 0, UINT32_MAX, &value, why))
        return false;
    *id = (uint32_t)value;
    return true;
}
