/* Shadows. The chance that a program stores just the secret pattern is one in 2^32 for each word,
 * and the store would not be seen then. Threads may store while another one pushes: words are read
 * and restored to the pattern by atomic operations, and one that was stored anew meanwhile is left
 * for the next push. */
#include "sisci/shadow.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PATTERN_WORDS = 1024, LINE_WORDS = SISCI_LINE_BYTES / 4 };

struct sisci_shadow {
    pthread_mutex_t lock;
    sisci_wire wire;
    uint32_t *words;
    size_t bytes; /* mapped: whole lines */
    _Alignas(8) uint32_t pattern[PATTERN_WORDS];
};

static size_t line_count(const sisci_shadow *shadow)
{
    return shadow->bytes / SISCI_LINE_BYTES;
}

static uint32_t pattern_of(const sisci_shadow *shadow, size_t word)
{
    return shadow->pattern[word % PATTERN_WORDS];
}

static void choose_pattern(sisci_shadow *shadow)
{
    sisci_dice dice = sisci_dice_make(0x73686164, 0);

    for (size_t i = 0; i < PATTERN_WORDS; i++)
        shadow->pattern[i] = (uint32_t)(sisci_dice_next(&dice) >> 32);
}

sisci_shadow *sisci_shadow_create(const sisci_wire *wire, int mapping_flags, void *where)
{
    sisci_shadow *shadow = calloc(1, sizeof(*shadow));
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
    choose_pattern(shadow);
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

static uint32_t load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Hot where a map is large: all of it is read by each push. */
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

/* Bytes of the last line may lie behind the end of the map. */
static uint64_t mask_within(const sisci_shadow *shadow, size_t line)
{
    size_t left = shadow->wire.size - line * SISCI_LINE_BYTES;

    return left < SISCI_LINE_BYTES ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
}

/* Move the words that were stored out of the shadow. */
static sisci_piece take_line(sisci_shadow *shadow, size_t line)
{
    sisci_piece piece = {.line = line};

    for (size_t i = 0; i < LINE_WORDS; i++) {
        size_t index = line * LINE_WORDS + i;
        uint32_t pattern = pattern_of(shadow, index);
        uint32_t word = load(shadow->words + index);

        if (word == pattern)
            continue;
        memcpy(piece.bytes + 4 * i, &word, sizeof(word));
        piece.mask |= UINT64_C(0xf) << (4 * i);
        __atomic_compare_exchange_n(shadow->words + index, &word, pattern, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
    piece.mask &= mask_within(shadow, line);
    return piece;
}

static size_t find_written(sisci_shadow *shadow)
{
    size_t count = 0;

    for (size_t line = 0; line < line_count(shadow); line++)
        if (line_is_written(shadow, line))
            shadow->wire.order[count++] = line;
    return count;
}

static void push(sisci_shadow *shadow)
{
    size_t count = find_written(shadow);
    bool whole = true;

    sisci_wire_arrange(&shadow->wire, count);
    for (size_t i = 0; i < count; i++) {
        sisci_piece piece = take_line(shadow, shadow->wire.order[i]);

        whole = sisci_wire_send_piece(&shadow->wire, &piece) && whole;
    }
    if (!whole)
        sisci_wire_report(&shadow->wire);
}

void sisci_shadow_push(sisci_shadow *shadow)
{
    pthread_mutex_lock(&shadow->lock);
    push(shadow);
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
