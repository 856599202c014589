/* Values of parameters: their text form, values of the command line, and limits. */
#include "base/parameters.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/memory.h"

enum { WORD_BYTES = 48, NAMES_BYTES = 512, OPTION_BYTES = 1024, TEXT_MOST = 255 };

/* The fields of a technology's struct are uint64_t, see parameters.h. */
static uint64_t *field_of(const cb_parameter *row, void *values)
{
    return (uint64_t *)(void *)((char *)values + row->offset);
}

uint64_t cb_parameter_get(const cb_parameter *row, const void *values)
{
    return *(const uint64_t *)(const void *)((const char *)values + row->offset);
}

void cb_parameter_set_value(const cb_parameter *row, uint64_t value, void *values)
{
    *field_of(row, values) = value;
}

void cb_parameter_defaults(const cb_parameter_set *set, void *values)
{
    for (size_t i = 0; i < set->count; i++)
        *field_of(&set->rows[i], values) = set->rows[i].default_value;
}

/* Texts. A text is kept once, as long as the process lives, so that a value is a number like those
 * of all other parameters: it can be copied, compared, and overridden by another. Equal texts have
 * equal numbers, whichever rank of the process asks. */
static struct {
    char **of; /* number n is of[n - 1] */
    size_t count, room;
} texts;

const char *cb_parameter_text(uint64_t number)
{
    return number > 0 && number <= texts.count ? texts.of[number - 1] : "";
}

static bool keep_text(const char *text, uint64_t *number, char *why)
{
    const size_t bytes = strlen(text) + 1;
    char **grown, *copy;

    for (*number = 1; *number <= texts.count; ++*number)
        if (strcmp(texts.of[*number - 1], text) == 0)
            return true;
    grown = cb_grow(texts.of, texts.count, &texts.room, sizeof(*texts.of));
    texts.of = grown != NULL ? grown : texts.of;
    copy = grown != NULL ? malloc(bytes) : NULL;
    if (copy == NULL) {
        snprintf(why, CB_WHY_BYTES, "out of memory; free memory on this host");
        return false;
    }
    texts.of[texts.count++] = memcpy(copy, text, bytes);
    return true;
}

/* An empty text is as none. */
static bool read_text(const char *text, uint64_t *value, char *why)
{
    *value = 0;
    if (strlen(text) > TEXT_MOST) {
        snprintf(why, CB_WHY_BYTES, "too long; use at most %d characters", TEXT_MOST);
        return false;
    }
    for (const char *at = text; *at != '\0'; at++)
        if (*at < ' ' || *at > '~') {
            snprintf(why, CB_WHY_BYTES,
                     "it has the character with the code %d; use printable ones "
                     "of ASCII",
                     (unsigned char)*at);
            return false;
        }
    return text[0] == '\0' || keep_text(text, value, why);
}

static bool read_choice(const cb_parameter *row, const char *text, uint64_t *value, char *why)
{
    size_t used = (size_t)snprintf(why, CB_WHY_BYTES, "unknown; use one of");

    for (*value = 0; row->choices[*value] != NULL; ++*value)
        if (strcmp(row->choices[*value], text) == 0)
            return true;
    for (size_t i = 0; row->choices[i] != NULL && used < CB_WHY_BYTES; i++)
        used += (size_t)snprintf(why + used, CB_WHY_BYTES - used, "%s %s", i > 0 ? "," : "",
                                 row->choices[i]);
    return false;
}

const char *cb_parameter_word(const cb_parameter *row, uint64_t value)
{
    if (row->kind == CB_PARAMETER_CHOICE)
        return row->choices[value];
    return row->kind == CB_PARAMETER_TEXT && value > 0 ? cb_parameter_text(value) : NULL;
}

/* Text form */

/* Units in Contexts, where all are powers of 2, and the same units elsewhere. */
static const struct {
    const char *here, *elsewhere;
} units[] = {{"KB", "KiB"}, {"kB", "KiB"}, {"MB", "MiB"}, {"GB", "GiB"}};

/* "8 KB" is parsed as "8KiB". */
static bool read_size(const cb_parameter *row, const char *text, uint64_t *value, char *why)
{
    char word[WORD_BYTES];
    const size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits + strspn(text + digits, " \t");
    uint64_t above;
    int length;

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(units[i].here, unit) == 0)
            unit = units[i].elsewhere;
    length = snprintf(word, sizeof(word), "%.*s%s", (int)digits, text, unit);
    if (digits >= sizeof(word) || length < 0 || (size_t)length >= sizeof(word)) {
        snprintf(why, CB_WHY_BYTES, "not a size; use a number with B, KB, MB or GB");
        return false;
    }
    if (!cb_parse_size(word, row->minimum, row->maximum, value, why))
        return false;
    if (row->multiple == 0 || *value % row->multiple == 0)
        return true;
    above = *value + row->multiple - *value % row->multiple;
    snprintf(why, CB_WHY_BYTES, "no multiple of %llu bytes; use %llu or %llu",
             (unsigned long long)row->multiple,
             (unsigned long long)(above > row->minimum + row->multiple ? above - row->multiple
                                                                       : row->minimum),
             (unsigned long long)above);
    return false;
}

/* Every form of zero is 0: 0, 00, 0x0, 0.0. */
static uint64_t read_flag(const char *text)
{
    char *end;
    double number = strtod(text, &end);

    return end == text || *end != '\0' || number < 0 || number > 0 || number != number;
}

bool cb_parameter_read(const cb_parameter *row, const char *text, uint64_t *value,
                       char why[CB_WHY_BYTES])
{
    switch (row->kind) {
    case CB_PARAMETER_FLAG:
        *value = read_flag(text);
        return true;
    case CB_PARAMETER_SIZE:
        if (!read_size(row, text, value, why))
            return false;
        break;
    case CB_PARAMETER_COUNT:
        if (!cb_parse_count(text, row->minimum, row->maximum, value, why))
            return false;
        break;
    case CB_PARAMETER_CHOICE:
        if (!read_choice(row, text, value, why))
            return false;
        break;
    case CB_PARAMETER_TEXT:
        if (!read_text(text, value, why))
            return false;
        break;
    }
    return row->accepts == NULL || row->accepts(*value, why);
}

bool cb_parameter_denies(const cb_parameter *row, const char *text)
{
    return row->kind == CB_PARAMETER_FLAG &&
           (strcasecmp(text, "false") == 0 || strcasecmp(text, "no") == 0 ||
            strcasecmp(text, "off") == 0);
}

bool cb_parameter_is_unit(const char *text)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(text, units[i].here) == 0 || strcmp(text, units[i].elsewhere) == 0)
            return true;
    return false;
}

/* The command line */

/* "recv_seg_id, port"; empty if the set has no parameters for the command line. */
static void list_names(const cb_parameter_set *set, char text[NAMES_BYTES])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; set != NULL && i < set->count && used < NAMES_BYTES; i++)
        if ((set->rows[i].scopes & CB_SCOPE_JOB) != 0)
            used += (size_t)snprintf(text + used, NAMES_BYTES - used, "%s%s", used > 0 ? ", " : "",
                                     set->rows[i].name);
}

/* One NAME=VALUE of the list; without a value if there is no '='. */
typedef struct {
    char *name, *value;
    bool closed; /* its quotes are, and a comma or the end follows */
} assignment;

/* Split the next assignment off the list, in place; false at the end. */
static bool next_assignment(char **list, assignment *out)
{
    char *at = *list + strspn(*list, ",");
    size_t length;

    *out = (assignment){.name = at, .closed = true};
    if (*at == '\0')
        return false;
    at += strcspn(at, "=,");
    if (*at == '=') {
        *at++ = '\0';
        out->value = at;
        if (*at == '\'' || *at == '"') {
            const char quote[] = {*at, '\0'};

            out->value++;
            length = strcspn(out->value, quote);
            at = out->value + length;
            out->closed = *at != '\0' && strchr(",", at[1]) != NULL;
            if (out->closed)
                *at++ = '\0';
        } else {
            at += strcspn(at, ",");
        }
    }
    if (*at != '\0')
        *at++ = '\0';
    *list = at;
    return true;
}

static cb_status read_override(const char *technology, const cb_parameter_set *set,
                               const assignment *one, cb_override *out)
{
    char names[NAMES_BYTES], why[CB_WHY_BYTES];

    list_names(set, names);
    if (one->value == NULL)
        snprintf(why, sizeof(why),
                 "write NAME=VALUE, and a value that has commas in quotes, "
                 "NAME='A,B'");
    else if (!one->closed)
        snprintf(why, sizeof(why), "write NAME='VALUE', and a comma between two of them");
    else
        snprintf(why, sizeof(why), "the technology %s has no such parameter", technology);
    for (size_t i = 0; one->value != NULL && one->closed && i < set->count; i++) {
        const cb_parameter *row = &set->rows[i];

        if (strcmp(row->name, one->name) != 0)
            continue;
        if ((row->scopes & CB_SCOPE_JOB) == 0) {
            snprintf(why, sizeof(why), "it differs between machines; write it into machines.conf");
            break;
        }
        if (!cb_parameter_read(row, one->value, &out[i].value, why))
            break;
        if (cb_parameter_denies(row, one->value))
            cb_warning("--parameter %s=%s: it is true, as everything but 0; write 0 for false",
                       one->name, one->value);
        out[i].given = true;
        return CB_OK;
    }
    cb_error("--parameter %s%s%s: %s; the technology %s has %s", one->name,
             one->value != NULL ? "=" : "", one->value != NULL ? one->value : "", why, technology,
             names);
    return CB_ERROR_USAGE;
}

cb_status cb_overrides_parse(const char *technology, const cb_parameter_set *set, const char *text,
                             cb_override **out)
{
    char names[NAMES_BYTES], copy[OPTION_BYTES], *rest = copy;
    assignment one;
    cb_status status = CB_OK;

    *out = NULL;
    if (text == NULL)
        return CB_OK;
    list_names(set, names);
    if (names[0] == '\0') {
        cb_error("--parameter %s: the technology %s has no parameters; leave the option out, or "
                 "use another --technology",
                 text, technology);
        return CB_ERROR_USAGE;
    }
    if (text[0] == '\0' || strlen(text) >= sizeof(copy)) {
        cb_error("--parameter '%s': write NAME=VALUE[,NAME=VALUE...], in less than %d characters; "
                 "the technology %s has %s",
                 text, (int)sizeof(copy), technology, names);
        return CB_ERROR_USAGE;
    }
    *out = cb_allocate(set->count, sizeof(**out), "the parameters of the command line");
    if (*out == NULL)
        return CB_ERROR_MEMORY;
    memcpy(copy, text, strlen(text) + 1);
    while (next_assignment(&rest, &one))
        if ((status = read_override(technology, set, &one, *out)) != CB_OK)
            goto failed;
    return CB_OK;
failed:
    free(*out);
    *out = NULL;
    return status;
}

/* Limits */

bool cb_limits_hold(const cb_parameter_set *set, const cb_job *job, const void *values,
                    cb_shortage *found)
{
    uint64_t total[CB_PARAMETERS_MOST] = {0};

    assert(set->bytes <= sizeof(total)); /* its offsets are used for the totals */
    for (size_t rank = 0; rank < job->ranks; rank++)
        for (size_t i = 0; i < set->count; i++)
            *field_of(&set->rows[i], total) +=
                cb_parameter_get(&set->rows[i], (const char *)values + rank * set->bytes);
    for (size_t rank = 0; rank < job->ranks; rank++) {
        const cb_situation here = {.job = job,
                                   .peers = job->ranks - 1,
                                   .node = (const char *)values + rank * set->bytes,
                                   .total = total};

        for (size_t i = 0; i < set->limit_count; i++) {
            const cb_limit *limit = &set->limits[i];

            *found =
                (cb_shortage){.rank = rank,
                              .limit = limit,
                              .value = cb_parameter_get(&set->rows[limit->parameter], here.node)};
            found->needed = limit->needed(&here, found->why);
            if (found->value < found->needed)
                return false;
        }
    }
    return true;
}
