/* The table of settings, and random numbers by splitmix64 (Steele, Lea and Flood), which is good
 * enough to choose lines and needs one word of state. */
#include "sisci/faults.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PENDING = 4, LONGEST_OUTAGE = 8 };

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

/* One setting; *end is the first character after it. */
static bool parse_setting(const char *text, sisci_faults *faults, char **end)
{
    size_t length = strcspn(text, "=,");
    const char *number = text + length + 1;
    const fault_row *row = NULL;
    double value;

    if (text[length] != '=')
        return false;
    if (length == 4 && strncmp(text, "seed", length) == 0) {
        errno = 0;
        faults->seed = strtoull(number, end, 0);
        return *end != number && errno == 0 && number[0] != '-';
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, text, length) == 0)
            row = &rows[i];
    if (row == NULL)
        return false;
    value = strtod(number, end);
    memcpy((char *)faults + row->offset, &value, sizeof(value));
    return *end != number && value >= 0 && value <= 1 && (!row->whole || !(value > 0 && value < 1));
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

/* From 0 to 1, without 1. */
static double dice_fraction(sisci_dice *dice)
{
    return (double)(sisci_dice_next(dice) >> 11) * 0x1.0p-53;
}

bool sisci_dice_falls(sisci_dice *dice, double probability)
{
    return dice_fraction(dice) < probability;
}

void sisci_session_initialise(sisci_session *session)
{
    *session = (sisci_session){0};
    pthread_mutex_init(&session->lock, NULL);
}

void sisci_session_destroy(sisci_session *session)
{
    pthread_mutex_destroy(&session->lock);
}

/* The count changes last: a sequence that sees the new count also sees the reason for it. */
static void count_fault(sisci_session *session)
{
    atomic_fetch_add_explicit(&session->faults, 1, memory_order_release);
}

void sisci_session_lose(sisci_session *session)
{
    atomic_store(&session->lost, 1);
    count_fault(session);
}

uint32_t sisci_session_seen(const sisci_session *session)
{
    uint32_t faults = atomic_load(&session->faults);

    return atomic_load(&session->lost) ? faults - 1 : faults;
}

bool sisci_session_is_down(sisci_session *session)
{
    bool down;

    pthread_mutex_lock(&session->lock);
    down = atomic_load(&session->lost) || session->outage > 0;
    pthread_mutex_unlock(&session->lock);
    return down;
}

void sisci_session_fault(sisci_session *session, const sisci_faults *faults, sisci_dice *dice)
{
    double fate = dice_fraction(dice);

    pthread_mutex_lock(&session->lock);
    if (fate < faults->lose)
        atomic_store(&session->lost, 1);
    else if (fate < faults->lose + faults->cut)
        session->outage = 1 + (unsigned)sisci_dice_below(dice, LONGEST_OUTAGE);
    else if (fate < faults->lose + faults->cut + faults->pending)
        session->pending = 1 + (unsigned)sisci_dice_below(dice, LONGEST_PENDING);
    count_fault(session);
    pthread_mutex_unlock(&session->lock);
}

static sci_sequence_status_t status_of(const sisci_session *session)
{
    if (atomic_load(&session->lost) || session->outage > 0)
        return SCI_SEQ_NOT_RETRIABLE;
    return session->pending > 0 ? SCI_SEQ_PENDING : SCI_SEQ_OK;
}

sci_sequence_status_t sisci_session_start(sisci_session *session, _Atomic uint32_t *seen)
{
    sci_sequence_status_t status;

    pthread_mutex_lock(&session->lock);
    status = status_of(session);
    if (status == SCI_SEQ_OK)
        atomic_store(seen, atomic_load(&session->faults));
    if (session->outage > 0)
        session->outage--;
    else if (session->pending > 0)
        session->pending--;
    pthread_mutex_unlock(&session->lock);
    return status;
}

sci_sequence_status_t sisci_session_check(sisci_session *session, _Atomic uint32_t *seen)
{
    sci_sequence_status_t status;
    uint32_t faults;

    pthread_mutex_lock(&session->lock);
    status = status_of(session);
    faults = atomic_load(&session->faults);
    if (status == SCI_SEQ_OK && faults != atomic_load(seen)) {
        status = SCI_SEQ_RETRIABLE;
        atomic_store(seen, faults);
    }
    pthread_mutex_unlock(&session->lock);
    return status;
}
