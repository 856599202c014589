/* Transfers with and without faults. An aligned word of 8 or 4 bytes arrives at once, and the words
 * of a line in their order, so that the last one can sign the others; each store is a release,
 * which pairs with whatever acquire the reader of the memory uses. */
#include "sisci/wire.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WORD_BYTES = 4, WORDS = SISCI_LINE_BYTES / WORD_BYTES, PAUSE_ODDS = 16 };

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

/* By Fisher and Yates; in ascending order otherwise, as they are found. */
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

static void store_partly(unsigned char *target, const unsigned char *bytes, unsigned mask)
{
    for (int i = 0; i < WORD_BYTES; i++)
        if ((mask >> i & 1) != 0)
            __atomic_store_n(target + i, bytes[i], __ATOMIC_RELEASE);
}

static void store_word(unsigned char *target, const unsigned char *bytes, unsigned mask)
{
    uint32_t word;

    if (mask == 0xf) {
        memcpy(&word, bytes, sizeof(word));
        __atomic_store_n((uint32_t *)(void *)target, word, __ATOMIC_RELEASE);
    } else
        store_partly(target, bytes, mask);
}

static void store(unsigned char *target, const unsigned char *bytes, uint64_t mask)
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

/* Some of the words that were to travel, and not all of them. */
static uint64_t torn(sisci_wire *wire, uint64_t mask)
{
    uint64_t kept = 0;

    for (int i = 0; i < WORDS; i++)
        if (sisci_dice_below(&wire->dice, 2) == 0)
            kept |= UINT64_C(0xf) << (i * WORD_BYTES);
    kept &= mask;
    return kept != mask ? kept : 0;
}

/* What arrives of the bytes that travel. */
static uint64_t fate(sisci_wire *wire, uint64_t mask)
{
    const sisci_faults *faults = wire->faults;

    if (!faults->active)
        return mask;
    if (sisci_session_is_down(wire->session))
        return 0;
    if (sisci_dice_falls(&wire->dice, faults->drop))
        return 0;
    /* The probability of the rest: drop and tear exclude each other. */
    if (faults->drop < 1 && sisci_dice_falls(&wire->dice, faults->tear / (1 - faults->drop)))
        return torn(wire, mask);
    return mask;
}

/* Let others see what has arrived so far: lines on a wire are apart, copies in memory hardly. */
static void pause_after(sisci_wire *wire, bool whole)
{
    if (wire->faults->reorder > 0 && (!whole || sisci_dice_below(&wire->dice, PAUSE_ODDS) == 0))
        sched_yield();
}

bool sisci_wire_send_piece(sisci_wire *wire, const sisci_piece *piece)
{
    bool whole = true;

    for (size_t i = 0; i < wire->count; i++) {
        uint64_t mask = fate(wire, piece->mask);

        store(wire->targets[i] + piece->line * SISCI_LINE_BYTES, piece->bytes, mask);
        whole = whole && mask == piece->mask;
    }
    pause_after(wire, whole);
    return whole;
}

void sisci_wire_report(sisci_wire *wire)
{
    sisci_session_fault(wire->session, wire->faults, &wire->dice);
}

/* The bytes [from, to) of a line. */
static uint64_t mask_of(size_t from, size_t to)
{
    uint64_t below_to = to == SISCI_LINE_BYTES ? UINT64_MAX : (UINT64_C(1) << to) - 1;

    return below_to & ~((UINT64_C(1) << from) - 1);
}

static bool send_line(sisci_wire *wire, size_t line, size_t offset, const unsigned char *source,
                      size_t size)
{
    size_t start = line * SISCI_LINE_BYTES;
    size_t from = offset > start ? offset - start : 0;
    size_t end = offset + size - start;
    size_t to = end < SISCI_LINE_BYTES ? end : SISCI_LINE_BYTES;
    sisci_piece piece = {.line = line, .mask = mask_of(from, to)};

    memcpy(piece.bytes + from, source + (start + from - offset), to - from);
    return sisci_wire_send_piece(wire, &piece);
}

static bool send_by_lines(sisci_wire *wire, size_t offset, const void *source, size_t size)
{
    size_t first = offset / SISCI_LINE_BYTES;
    size_t count = (offset + size - 1) / SISCI_LINE_BYTES - first + 1;
    bool whole = true;

    for (size_t i = 0; i < count; i++)
        wire->order[i] = first + i;
    sisci_wire_arrange(wire, count);
    for (size_t i = 0; i < count; i++)
        whole = send_line(wire, wire->order[i], offset, source, size) && whole;
    if (!whole)
        sisci_wire_report(wire);
    return whole;
}

bool sisci_wire_send(sisci_wire *wire, size_t offset, const void *source, size_t size)
{
    if (size == 0)
        return true;
    if (wire->faults->active)
        return send_by_lines(wire, offset, source, size);
    for (size_t i = 0; i < wire->count; i++)
        memcpy(wire->targets[i] + offset, source, size);
    atomic_thread_fence(memory_order_release);
    return true;
}
