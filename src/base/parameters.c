/* Values of parameters: their text form, values of the command line, and limits. */
#include "base/parameters.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/memory.h"

enum { WORD_BYTES = 48, NAMES_BYTES = 512, OPTION_BYTES = 1024 };

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

/* Parse one "NAME=VALUE", which is split in place. */
static cb_status read_override(const char *technology, const cb_parameter_set *set, char *part,
                               cb_override *out)
{
    char *value = strchr(part, '=');
    char names[NAMES_BYTES], why[CB_WHY_BYTES] = "write NAME=VALUE";

    list_names(set, names);
    if (value != NULL) {
        *value++ = '\0';
        snprintf(why, sizeof(why), "the technology %s has no such parameter", technology);
    }
    for (size_t i = 0; value != NULL && i < set->count; i++) {
        const cb_parameter *row = &set->rows[i];

        if (strcmp(row->name, part) != 0)
            continue;
        if ((row->scopes & CB_SCOPE_JOB) == 0) {
            snprintf(why, sizeof(why), "it differs between machines; write it into machines.conf");
            break;
        }
        if (!cb_parameter_read(row, value, &out[i].value, why))
            break;
        if (cb_parameter_denies(row, value))
            cb_warning("--parameter %s=%s: it is true, as everything but 0; write 0 for false",
                       part, value);
        out[i].given = true;
        return CB_OK;
    }
    cb_error("--parameter %s%s%s: %s; the technology %s has %s", part, value != NULL ? "=" : "",
             value != NULL ? value : "", why, technology, names);
    return CB_ERROR_USAGE;
}

cb_status cb_overrides_parse(const char *technology, const cb_parameter_set *set, const char *text,
                             cb_override **out)
{
    char names[NAMES_BYTES], copy[OPTION_BYTES], *rest = NULL;
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
    for (char *part = strtok_r(copy, ",", &rest); part != NULL && status == CB_OK;
         part = strtok_r(NULL, ",", &rest))
        status = read_override(technology, set, part, *out);
    if (status != CB_OK) {
        free(*out);
        *out = NULL;
    }
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
