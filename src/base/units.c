/* Parsers for numbers with units, and for lists of them. Digits are parsed here instead of by
 * strtoull, which accepts signs, blanks and hexadecimal numbers and wraps negative ones. */
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

enum { NUMBER_BYTES = 24, UNIT_SHOWN = 12, ELEMENT_SHOWN = 24 };

/* A value in `name` is value * multiply / divide in `base`. Division by a power of ten rounds
 * correctly; multiplication by 0.001 does not. */
typedef struct {
    const char *base;
    const char *name;
    uint64_t multiply;
    uint64_t divide;
} unit_row;

static const unit_row units[] = {
    {"B", "B", 1, 1},
    {"B", "kB", 1000, 1},
    {"B", "MB", 1000000, 1},
    {"B", "GB", 1000000000, 1},
    {"B", "KiB", 1u << 10, 1},
    {"B", "MiB", 1u << 20, 1},
    {"B", "GiB", 1u << 30, 1},
    {"s", "s", 1, 1},
    {"s", "ms", 1, 1000},
    {"s", "us", 1, 1000000},
    {"s", "ns", 1, 1000000000},
    {"us", "ns", 1, 1000},
    {"us", "us", 1, 1},
    {"us", "ms", 1000, 1},
    {"us", "s", 1000000, 1},
    {"Hz", "Hz", 1, 1},
    {"Hz", "kHz", 1000, 1},
    {"Hz", "MHz", 1000000, 1},
    {"%", "%", 1, 1},
    {"bit/s", "bit", 1, 1},
    {"bit/s", "kbit", 1000, 1},
    {"bit/s", "Mbit", 1000000, 1},
    {"bit/s", "mbit", 1000000, 1},
    {"bit/s", "Gbit", 1000000000, 1},
    {"bit/s", "gbit", 1000000000, 1},
};

static const unit_row no_unit = {NULL, "", 1, 1};

enum { UNIT_COUNT = sizeof(units) / sizeof(units[0]) };

/* Part of a text: list elements are not terminated. */
typedef struct {
    const char *start;
    size_t length;
} span;

/* Allowed range of a whole number, and the unit that it is in and that may follow; NULL: none. */
typedef struct {
    uint64_t minimum;
    uint64_t maximum;
    const char *unit;
} whole_limits;

/* A list under construction. */
typedef struct {
    cb_list list;
    size_t capacity;
} growing_list;

__attribute__((format(printf, 2, 3))) static bool fail(char *why, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, CB_WHY_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static span span_of(const char *text)
{
    return (span){text, strlen(text)};
}

static bool is_size(const whole_limits *limits)
{
    return limits->unit != NULL && strcmp(limits->unit, "B") == 0;
}

static bool span_equals(span part, const char *text)
{
    return strlen(text) == part.length && memcmp(part.start, text, part.length) == 0;
}

static span span_after(span part, size_t skipped)
{
    return (span){part.start + skipped, part.length - skipped};
}

/* The text before the first `character` at or after `from`; all of it if there is none. */
static size_t span_find(span part, size_t from, char character)
{
    while (from < part.length && part.start[from] != character)
        from++;
    return from < part.length ? from : part.length;
}

/* NULL if `name` is not a unit of `base`. A base that is not in the table is its only unit. */
static const unit_row *find_unit(const char *base, span name)
{
    if (name.length == 0)
        return &no_unit;
    if (base == NULL)
        return NULL;
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (strcmp(units[i].base, base) == 0 && span_equals(name, units[i].name))
            return &units[i];
    }
    return span_equals(name, base) ? &no_unit : NULL;
}

/* "s, ms or us" */
static void list_units(const char *base, char *text, size_t bytes)
{
    size_t last = 0;
    size_t used = 0;

    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (strcmp(units[i].base, base) == 0)
            last = i;
    }
    snprintf(text, bytes, "%s", base);
    for (size_t i = 0; i <= last && used < bytes; i++) {
        const char *separator = used == 0 ? "" : i == last ? " or " : ", ";

        if (strcmp(units[i].base, base) == 0)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", separator, units[i].name);
    }
}

static bool fail_unit(const char *base, span name, char *why)
{
    int shown = name.length < UNIT_SHOWN ? (int)name.length : UNIT_SHOWN;
    char known[64];

    if (base == NULL)
        return fail(why, "'%.*s' after the number; use a number without a unit", shown, name.start);
    list_units(base, known, sizeof(known));
    return fail(why, "unknown unit '%.*s'; use %s", shown, name.start, known);
}

static void format_limit(const whole_limits *limits, uint64_t value, char *text)
{
    if (is_size(limits))
        cb_format_size(value, text);
    else
        snprintf(text, NUMBER_BYTES, "%" PRIu64, value);
}

static bool fail_whole(const whole_limits *limits, const char *problem, char *why)
{
    const bool shows_unit = limits->unit != NULL && !is_size(limits);
    const char *blank = shows_unit ? " " : "", *unit = shows_unit ? limits->unit : "";
    char minimum[NUMBER_BYTES];
    char maximum[NUMBER_BYTES];

    format_limit(limits, limits->minimum, minimum);
    format_limit(limits, limits->maximum, maximum);
    if (limits->maximum == UINT64_MAX)
        return fail(why, "%s; use %s%s%s or more", problem, minimum, blank, unit);
    return fail(why, "%s; use %s to %s%s%s", problem, minimum, maximum, blank, unit);
}

/* Parse the leading digits; *digits is their number. False if the value does not fit. */
static bool read_digits(span text, uint64_t *value, size_t *digits)
{
    *value = 0;
    for (*digits = 0; *digits < text.length && is_digit(text.start[*digits]); ++*digits) {
        uint64_t digit = (uint64_t)(text.start[*digits] - '0');

        if (*value > (UINT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return true;
}

/* Apply the unit after the digits, if one is allowed. */
static bool scale(const whole_limits *limits, span name, uint64_t *value, char *why)
{
    const unit_row *unit = find_unit(limits->unit, name);

    if (name.length > 0 && (limits->unit == NULL || name.start[0] == '.'))
        return fail_whole(limits, "not a whole number", why);
    if (unit == NULL)
        return fail_unit(limits->unit, name, why);
    if (*value > UINT64_MAX / unit->multiply)
        return fail_whole(limits, "too large", why);
    *value *= unit->multiply;
    if (*value % unit->divide != 0)
        return fail_whole(limits, "not a whole number", why);
    *value /= unit->divide;
    return true;
}

static bool parse_whole(span text, const whole_limits *limits, uint64_t *result, char *why)
{
    uint64_t value;
    size_t digits;

    if (text.length == 0)
        return fail_whole(limits, "empty", why);
    if (text.start[0] == '-')
        return fail_whole(limits, "negative", why);
    if (!is_digit(text.start[0]))
        return fail_whole(limits, "not a whole number", why);
    if (!read_digits(text, &value, &digits))
        return fail_whole(limits, "too large", why);
    if (!scale(limits, span_after(text, digits), &value, why))
        return false;
    if (value < limits->minimum)
        return fail_whole(limits, "too small", why);
    if (value > limits->maximum)
        return fail_whole(limits, "too large", why);
    *result = value;
    return true;
}

static bool fail_real(double minimum, double maximum, const char *unit, const char *problem,
                      char *why)
{
    const char *blank = unit != NULL ? " " : "";
    const char *name = unit != NULL ? unit : "";

    if (!isfinite(maximum))
        return fail(why, "%s; use %g%s%s or more", problem, minimum, blank, name);
    return fail(why, "%s; use %g to %g%s%s", problem, minimum, maximum, blank, name);
}

static size_t count_digits(const char *text)
{
    size_t digits = 0;

    while (is_digit(text[digits]))
        digits++;
    return digits;
}

/* Length of an exponent such as "e-3"; 0 if no digit follows, since the e then belongs to a unit.
 */
static size_t exponent_length(const char *text)
{
    size_t sign;
    size_t digits;

    if (text[0] != 'e' && text[0] != 'E')
        return 0;
    sign = text[1] == '+' || text[1] == '-' ? 1 : 0;
    digits = count_digits(text + 1 + sign);
    return digits > 0 ? 1 + sign + digits : 0;
}

/* Length of the decimal number at the start of `text`, 0 if there is none. It limits what strtod
 * sees, which accepts blanks, hexadecimal numbers, inf and nan. */
static size_t decimal_length(const char *text)
{
    size_t whole = count_digits(text);
    size_t point = text[whole] == '.' ? 1 : 0;
    size_t fraction = point > 0 ? count_digits(text + whole + 1) : 0;
    size_t mantissa = whole + point + fraction;

    return whole + fraction > 0 ? mantissa + exponent_length(text + mantissa) : 0;
}

bool cb_parse_size(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *bytes, char *why)
{
    const whole_limits limits = {.minimum = minimum, .maximum = maximum, .unit = "B"};

    return parse_whole(span_of(text), &limits, bytes, why);
}

bool cb_parse_count(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *count,
                    char *why)
{
    const whole_limits limits = {.minimum = minimum, .maximum = maximum};

    return parse_whole(span_of(text), &limits, count, why);
}

bool cb_parse_real(const char *text, double minimum, double maximum, const char *unit_name,
                   double *value, char *why)
{
    size_t length = decimal_length(text);
    const unit_row *unit = find_unit(unit_name, span_of(text + length));
    double number;
    char *end;

    if (text[0] == '\0')
        return fail_real(minimum, maximum, unit_name, "empty", why);
    if (text[0] == '-')
        return fail_real(minimum, maximum, unit_name, "negative", why);
    if (length == 0)
        return fail_real(minimum, maximum, unit_name, "not a number", why);
    if (unit == NULL)
        return fail_unit(unit_name, span_of(text + length), why);
    number = strtod(text, &end);
    if (end != text + length)
        return fail_real(minimum, maximum, unit_name, "not a number", why);
    number = number * (double)unit->multiply / (double)unit->divide;
    if (!(number >= minimum))
        return fail_real(minimum, maximum, unit_name, "too small", why);
    if (!(number <= maximum) || !isfinite(number))
        return fail_real(minimum, maximum, unit_name, "too large", why);
    *value = number;
    return true;
}

static bool reserve(growing_list *growing, size_t more, char *why)
{
    size_t needed = growing->list.count + more;
    size_t capacity = needed > 2 * growing->capacity ? needed : 2 * growing->capacity;
    uint64_t *values;

    if (needed <= growing->capacity)
        return true;
    values = realloc(growing->list.values, capacity * sizeof(*values));
    if (values == NULL)
        return fail(why, "no memory for %zu values; shorten the list", needed);
    growing->list.values = values;
    growing->capacity = capacity;
    return true;
}

static bool append_range(growing_list *growing, uint64_t first, uint64_t last, char *why)
{
    size_t left = CB_LIST_MAXIMUM - growing->list.count;

    if (last - first >= left)
        return fail(why, "more than %d values; shorten the list", CB_LIST_MAXIMUM);
    if (!reserve(growing, (size_t)(last - first) + 1, why))
        return false;
    for (uint64_t i = 0; i <= last - first; i++)
        growing->list.values[growing->list.count++] = first + i;
    return true;
}

/* One value or, for counts, a range such as 7-9. A leading minus is a sign. */
static bool append_element(growing_list *growing, span element, const whole_limits *limits,
                           char *why)
{
    size_t dash = is_size(limits) ? element.length : span_find(element, 1, '-');
    uint64_t first;
    uint64_t last;

    if (!parse_whole((span){element.start, dash}, limits, &first, why))
        return false;
    last = first;
    if (dash < element.length && !parse_whole(span_after(element, dash + 1), limits, &last, why))
        return false;
    if (last < first)
        return fail(why, "a descending range; write the smaller number first");
    return append_range(growing, first, last, why);
}

/* Add the element to the reason, if there are several. */
static bool fail_element(span element, char *why)
{
    int shown = element.length < ELEMENT_SHOWN ? (int)element.length : ELEMENT_SHOWN;
    char reason[CB_WHY_BYTES];

    snprintf(reason, sizeof(reason), "%s", why);
    return fail(why, "element '%.*s': %.110s", shown, element.start, reason);
}

static bool append_elements(growing_list *growing, span text, const whole_limits *limits, char *why)
{
    for (size_t start = 0; start <= text.length;) {
        size_t comma = span_find(text, start, ',');
        span element = {text.start + start, comma - start};
        bool alone = element.length == text.length;

        if (element.length == 0 && !alone)
            return fail(why, "an element is empty; separate the values by single commas");
        if (!append_element(growing, element, limits, why))
            return alone ? false : fail_element(element, why);
        start = comma + 1;
    }
    return true;
}

/* Searches a sorted copy, since the list keeps the user's order. */
static bool has_no_repetition(const cb_list *list, const whole_limits *limits, char *why)
{
    uint64_t *sorted = malloc(list->count * sizeof(*sorted));
    char value[NUMBER_BYTES];
    size_t i = 1;

    if (sorted == NULL)
        return fail(why, "no memory for %zu values; shorten the list", list->count);
    memcpy(sorted, list->values, list->count * sizeof(*sorted));
    qsort(sorted, list->count, sizeof(*sorted), cb_ascending_counts);
    while (i < list->count && sorted[i] != sorted[i - 1])
        i++;
    if (i < list->count)
        format_limit(limits, sorted[i], value);
    free(sorted);
    return i < list->count ? fail(why, "%s is repeated; give each value once", value) : true;
}

static bool parse_list(const char *text, const whole_limits *limits, cb_list *list, char *why)
{
    growing_list growing = {.capacity = 0};

    if (!append_elements(&growing, span_of(text), limits, why) ||
        !has_no_repetition(&growing.list, limits, why)) {
        cb_list_free(&growing.list);
        return false;
    }
    *list = growing.list;
    return true;
}

bool cb_parse_size_list(const char *text, uint64_t minimum, uint64_t maximum, cb_list *list,
                        char *why)
{
    const whole_limits limits = {.minimum = minimum, .maximum = maximum, .unit = "B"};

    return parse_list(text, &limits, list, why);
}

bool cb_parse_count_list(const char *text, uint64_t minimum, uint64_t maximum, const char *unit,
                         cb_list *list, char *why)
{
    const whole_limits limits = {.minimum = minimum, .maximum = maximum, .unit = unit};

    return parse_list(text, &limits, list, why);
}

void cb_list_free(cb_list *list)
{
    free(list->values);
    *list = (cb_list){NULL, 0};
}

void cb_format_size(uint64_t bytes, char *text)
{
    char shortest[NUMBER_BYTES];
    char candidate[NUMBER_BYTES];

    snprintf(shortest, sizeof(shortest), "%" PRIu64, bytes);
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (strcmp(units[i].base, "B") != 0 || bytes % units[i].multiply != 0)
            continue;
        snprintf(candidate, sizeof(candidate), "%" PRIu64 "%s", bytes / units[i].multiply,
                 units[i].name);
        /* of two equally long forms, take the later row: 4096 is 4KiB */
        if (strlen(candidate) <= strlen(shortest))
            memcpy(shortest, candidate, sizeof(shortest));
    }
    memcpy(text, shortest, strlen(shortest) + 1);
}
