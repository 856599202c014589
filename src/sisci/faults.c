/* Faults by rows of a table; random numbers by splitmix64 (Steele, Lea and Flood), which is good
 * enough to choose lines and needs one word of state. */
#include "sisci/faults.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    size_t offset;
    bool whole; /* 0 or 1 only */
} fault_row;

static const fault_row rows[] = {
    {"drop", offsetof(sisci_faults, drop), false},
    {"tear", offsetof(sisci_faults, tear), false},
    {"pending", offsetof(sisci_faults, pending), false},
    {"cut", offsetof(sisci_faults, cut), false},
    {"lose", offsetof(sisci_faults, lose), false},
    {"reorder", offsetof(sisci_faults, reorder), true},
};

static const fault_row *row_of(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

static bool parse_seed(const char *text, sisci_faults *faults, char **end)
{
    errno = 0;
    faults->seed = strtoull(text, end, 0);
    return *end != text && errno == 0 && text[0] != '-';
}

static bool parse_probability(const char *text, const fault_row *row, sisci_faults *faults,
                              char **end)
{
    double value = strtod(text, end);
    char *field = (char *)faults + row->offset;

    memcpy(field, &value, sizeof(value));
    return *end != text && value >= 0 && value <= 1 && (!row->whole || !(value > 0 && value < 1));
}

/* One setting; *end is behind it. */
static bool parse_setting(const char *text, sisci_faults *faults, char **end)
{
    size_t length = strcspn(text, "=,");
    const fault_row *row = row_of(text, length);

    if (text[length] != '=')
        return false;
    if (length == 4 && strncmp(text, "seed", length) == 0)
        return parse_seed(text + length + 1, faults, end);
    return row != NULL && parse_probability(text + length + 1, row, faults, end);
}

bool sisci_faults_parse(const char *text, sisci_faults *faults, char *reason, size_t reason_bytes)
{
    *faults = (sisci_faults){.active = text != NULL && text[0] != '\0'};
    while (text != NULL && *text != '\0') {
        char *end;

        if (!parse_setting(text, faults, &end) || (*end != ',' && *end != '\0')) {
            snprintf(reason, reason_bytes,
                     "'%s' is no setting: use seed=NUMBER, drop, tear, pending, cut or lose with a "
                     "probability from 0 to 1, reorder=0 or 1, with commas between",
                     text);
            return false;
        }
        text = *end == ',' ? end + 1 : end;
    }
    if (faults->drop + faults->tear > 1 || faults->pending + faults->cut + faults->lose > 1) {
        snprintf(reason, reason_bytes,
                 "drop + tear, and pending + cut + lose, must not be more than 1");
        return false;
    }
    return true;
}

static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

sisci_dice sisci_dice_make(uint64_t seed, uint64_t stream)
{
    return (sisci_dice){.state = mix(seed) ^ mix(~stream)};
}

uint64_t sisci_dice_next(sisci_dice *dice)
{
    dice->state += 0x9e3779b97f4a7c15u;
    return mix(dice->state);
}

uint64_t sisci_dice_below(sisci_dice *dice, uint64_t bound)
{
    return sisci_dice_next(dice) % bound;
}

bool sisci_dice_falls(sisci_dice *dice, double probability)
{
    return (double)(sisci_dice_next(dice) >> 11) * 0x1.0p-53 < probability;
}
