/* Fault settings, sessions, wires with and without faults, and shadows.
 *
 * An aligned word of 8 or 4 bytes arrives as a whole, and the words of a line in order, so that the
 * last one can sign the others; each store is a release, which pairs with any acquire of the
 * reader.
 *
 * A program stores just the secret pattern of a shadow with a probability of 2^-32 per word, and
 * that store would not be noticed. Threads may store while another one pushes: words are read and
 * reset to the pattern by atomic operations, and a word that was stored again meanwhile is left for
 * the next push. */
#include "sisci/wire.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    WORD_BYTES = 4,
    LINE_WORDS = SISCI_LINE_BYTES / WORD_BYTES,
    PATTERN_WORDS = 1024,
    PAUSE_ODDS = 16,
    LONGEST_PENDING = 4, /* calls of SCIStartSequence() */
    LONGEST_OUTAGE = 8
};

typedef struct {
    size_t line;                           /* its number, counted from the start of the targets */
    uint64_t mask;                         /* bit n: byte n is sent */
    unsigned char bytes[SISCI_LINE_BYTES]; /* valid if their bit is set */
} sisci_piece;

struct sisci_shadow {
    pthread_mutex_t lock;
    sisci_wire wire;
    uint32_t *words;
    size_t bytes; /* mapped: whole lines */
    _Alignas(8) uint32_t pattern[PATTERN_WORDS];
};

typedef struct {
    const char *name;
    size_t offset;
    bool whole; /* only 0 or 1 */
} fault_row;

static const fault_row rows[] = {
    {"drop", offsetof(sisci_faults, drop), false},
    {"tear", offsetof(sisci_faults, tear), false},
    {"pending", offsetof(sisci_faults, pending), false},
    {"cut", offsetof(sisci_faults, cut), false},
    {"lose", offsetof(sisci_faults, lose), false},
    {"reorder", offsetof(sisci_faults, reorder), true},
};

/* Parse one setting; *end is the first character after it. */
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

/* splitmix64 (Steele, Lea and Flood): good enough to choose lines, with one word of state. */
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

/* In [0, 1). */
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

/* Change the count last: a sequence that sees the new count then also sees the reason. */
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

bool sisci_wire_initialise(sisci_wire *wire, size_t room, size_t before, size_t size,
                           sisci_session *session, const sisci_faults *faults, uint64_t stream)
{
    size_t lines = (size + SISCI_LINE_BYTES - 1) / SISCI_LINE_BYTES;

    *wire = (sisci_wire){.targets = calloc(room, sizeof(*wire->targets)),
                         .size = size,
                         .before = before,
                         .session = session,
                         .faults = faults,
                         .dice = sisci_dice_make(faults->seed, stream),
                         .order = calloc(lines, sizeof(*wire->order))};
    if (wire->targets != NULL && wire->order != NULL)
        return true;
    sisci_wire_destroy(wire);
    return false;
}

void sisci_wire_add(sisci_wire *wire, void *mapping)
{
    wire->targets[wire->count++] = (unsigned char *)mapping + wire->before;
}

void sisci_wire_destroy(sisci_wire *wire)
{
    for (size_t i = 0; i < wire->count; i++)
        munmap(wire->targets[i] - wire->before, wire->before + wire->size);
    free(wire->targets);
    free(wire->order);
    *wire = (sisci_wire){0};
}

/* In a random order (Fisher and Yates), or ascending. */
void sisci_wire_arrange(sisci_wire *wire, size_t count)
{
    if (wire->faults->reorder > 0)
        for (size_t i = count; i > 1; i--) {
            size_t other = sisci_dice_below(&wire->dice, i);
            size_t line = wire->order[i - 1];

            wire->order[i - 1] = wire->order[other];
            wire->order[other] = line;
        }
}

static void store_word(unsigned char *target, const unsigned char *bytes, unsigned mask)
{
    uint32_t word;

    if (mask == 0xf) {
        memcpy(&word, bytes, sizeof(word));
        __atomic_store_n((uint32_t *)(void *)target, word, __ATOMIC_RELEASE);
        return;
    }
    for (int i = 0; i < WORD_BYTES; i++)
        if ((mask >> i & 1) != 0)
            __atomic_store_n(target + i, bytes[i], __ATOMIC_RELEASE);
}

static void store_line(unsigned char *target, const unsigned char *bytes, uint64_t mask)
{
    for (int i = 0; i < SISCI_LINE_BYTES; i += 8) {
        unsigned eight = (unsigned)(mask >> i & 0xff);
        uint64_t word;

        if (eight == 0xff) {
            memcpy(&word, bytes + i, sizeof(word));
            __atomic_store_n((uint64_t *)(void *)(target + i), word, __ATOMIC_RELEASE);
        } else {
            store_word(target + i, bytes + i, eight & 0xf);
            store_word(target + i + WORD_BYTES, bytes + i + WORD_BYTES, eight >> 4);
        }
    }
}

/* The bytes of the mask that arrive. */
static uint64_t arriving(sisci_wire *wire, uint64_t mask)
{
    const sisci_faults *faults = wire->faults;
    uint64_t kept = 0;

    if (!faults->active)
        return mask;
    if (sisci_session_is_down(wire->session))
        return 0;
    if (sisci_dice_falls(&wire->dice, faults->drop))
        return 0;
    /* Probability given that the line was not dropped: drop and tear exclude each other. */
    if (faults->drop >= 1 || !sisci_dice_falls(&wire->dice, faults->tear / (1 - faults->drop)))
        return mask;
    for (int i = 0; i < LINE_WORDS; i++) /* a random part of its words */
        if (sisci_dice_below(&wire->dice, 2) == 0)
            kept |= UINT64_C(0xf) << (i * WORD_BYTES);
    kept &= mask;
    return kept != mask ? kept : 0;
}

/* Send one piece to all targets; false: at least one did not get all of it. */
static bool send_piece(sisci_wire *wire, const sisci_piece *piece)
{
    bool whole = true;

    for (size_t i = 0; i < wire->count; i++) {
        uint64_t mask = arriving(wire, piece->mask);

        store_line(wire->targets[i] + piece->line * SISCI_LINE_BYTES, piece->bytes, mask);
        whole = whole && mask == piece->mask;
    }
    /* Let other threads see what has arrived so far: on a real wire, lines are further apart in
     * time than copies in memory. */
    if (wire->faults->reorder > 0 && (!whole || sisci_dice_below(&wire->dice, PAUSE_ODDS) == 0))
        sched_yield();
    return whole;
}

/* The bytes [from, to) of a line. */
static uint64_t mask_of(size_t from, size_t to)
{
    uint64_t below_to = to == SISCI_LINE_BYTES ? UINT64_MAX : (UINT64_C(1) << to) - 1;

    return below_to & ~((UINT64_C(1) << from) - 1);
}

bool sisci_wire_send(sisci_wire *wire, size_t offset, const void *source, size_t size)
{
    size_t first = offset / SISCI_LINE_BYTES, count;
    bool whole = true;

    if (size == 0)
        return true;
    if (!wire->faults->active) {
        for (size_t i = 0; i < wire->count; i++)
            memcpy(wire->targets[i] + offset, source, size);
        atomic_thread_fence(memory_order_release);
        return true;
    }
    count = (offset + size - 1) / SISCI_LINE_BYTES - first + 1;
    for (size_t i = 0; i < count; i++)
        wire->order[i] = first + i;
    sisci_wire_arrange(wire, count);
    for (size_t i = 0; i < count; i++) {
        /* The part of [offset, offset + size) that lies in this line. */
        size_t start = wire->order[i] * SISCI_LINE_BYTES;
        size_t from = offset > start ? offset - start : 0;
        size_t end = offset + size - start;
        size_t to = end < SISCI_LINE_BYTES ? end : SISCI_LINE_BYTES;
        sisci_piece piece = {.line = wire->order[i], .mask = mask_of(from, to)};

        memcpy(piece.bytes + from, (const unsigned char *)source + (start + from - offset),
               to - from);
        whole = send_piece(wire, &piece) && whole;
    }
    if (!whole)
        sisci_session_fault(wire->session, wire->faults, &wire->dice);
    return whole;
}

static uint32_t pattern_of(const sisci_shadow *shadow, size_t word)
{
    return shadow->pattern[word % PATTERN_WORDS];
}

sisci_shadow *sisci_shadow_create(const sisci_wire *wire, int mapping_flags, void *where)
{
    sisci_shadow *shadow = calloc(1, sizeof(*shadow));
    sisci_dice dice = sisci_dice_make(0x73686164, 0);
    void *memory;

    if (shadow == NULL)
        return NULL;
    shadow->bytes = (wire->size + SISCI_LINE_BYTES - 1) / SISCI_LINE_BYTES * SISCI_LINE_BYTES;
    memory = mmap(where, shadow->bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | mapping_flags, -1, 0);
    if (memory == MAP_FAILED) {
        int error = errno;

        free(shadow);
        errno = error;
        return NULL;
    }
    pthread_mutex_init(&shadow->lock, NULL);
    shadow->wire = *wire;
    shadow->words = memory;
    for (size_t i = 0; i < PATTERN_WORDS; i++)
        shadow->pattern[i] = (uint32_t)(sisci_dice_next(&dice) >> 32);
    for (size_t i = 0; i < shadow->bytes / 4; i++)
        shadow->words[i] = pattern_of(shadow, i);
    return shadow;
}

void sisci_shadow_destroy(sisci_shadow *shadow)
{
    munmap(shadow->words, shadow->bytes);
    sisci_wire_destroy(&shadow->wire);
    pthread_mutex_destroy(&shadow->lock);
    free(shadow);
}

void *sisci_shadow_memory(sisci_shadow *shadow)
{
    return shadow->words;
}

/* Hot for large maps: each push reads all of them. */
static bool line_is_written(const sisci_shadow *shadow, size_t line)
{
    const uint64_t *pairs = (const uint64_t *)(const void *)(shadow->words + line * LINE_WORDS);
    const uint64_t *pattern =
        (const uint64_t *)(const void *)(shadow->pattern + line * LINE_WORDS % PATTERN_WORDS);
    uint64_t difference = 0;

    for (size_t i = 0; i < LINE_WORDS / 2; i++)
        difference |= __atomic_load_n(&pairs[i], __ATOMIC_RELAXED) ^ pattern[i];
    return difference != 0;
}

/* Move the stored words out of the shadow. */
static sisci_piece take_line(sisci_shadow *shadow, size_t line)
{
    const size_t left = shadow->wire.size - line * SISCI_LINE_BYTES;
    sisci_piece piece = {.line = line};

    for (size_t i = 0; i < LINE_WORDS; i++) {
        size_t index = line * LINE_WORDS + i;
        uint32_t pattern = pattern_of(shadow, index);
        uint32_t word = __atomic_load_n(shadow->words + index, __ATOMIC_RELAXED);

        if (word == pattern)
            continue;
        memcpy(piece.bytes + WORD_BYTES * i, &word, sizeof(word));
        piece.mask |= UINT64_C(0xf) << (WORD_BYTES * i);
        __atomic_compare_exchange_n(shadow->words + index, &word, pattern, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
    if (left < SISCI_LINE_BYTES) /* the map may end within its last line */
        piece.mask &= mask_of(0, left);
    return piece;
}

void sisci_shadow_push(sisci_shadow *shadow)
{
    sisci_wire *wire = &shadow->wire;
    size_t count = 0;
    bool whole = true;

    pthread_mutex_lock(&shadow->lock);
    for (size_t line = 0; line < shadow->bytes / SISCI_LINE_BYTES; line++)
        if (line_is_written(shadow, line))
            wire->order[count++] = line;
    sisci_wire_arrange(wire, count);
    for (size_t i = 0; i < count; i++) {
        sisci_piece piece = take_line(shadow, wire->order[i]);

        whole = send_piece(wire, &piece) && whole;
    }
    if (!whole)
        sisci_session_fault(wire->session, wire->faults, &wire->dice);
    pthread_mutex_unlock(&shadow->lock);
}

bool sisci_shadow_send(sisci_shadow *shadow, size_t offset, const void *source, size_t size)
{
    bool whole;

    pthread_mutex_lock(&shadow->lock);
    whole = sisci_wire_send(&shadow->wire, offset, source, size);
    pthread_mutex_unlock(&shadow->lock);
    return whole;
}

void sisci_shadow_read(sisci_shadow *shadow, size_t offset, void *destination, size_t size)
{
    memcpy(destination, shadow->wire.targets[0] + offset, size);
}
