/* Lines in memory: storing one in a remote segment, and looking for one in a local segment. */
#ifndef TRANSPORT_SCI_LINE_H
#define TRANSPORT_SCI_LINE_H

#include <string.h>

#include "transport/sci/word.h"

/* Hot. Word by word, the control word last; a line is the unit of a transfer. Of a line that
 * announces more `bytes` than it carries only that word counts. */
static inline void sci_line_store(volatile unsigned char *target, const sci_line *line,
                                  uint32_t bytes)
{
    volatile uint64_t *words = (volatile uint64_t *)(volatile void *)target;

    if (bytes <= SCI_PAYLOAD_BYTES)
#pragma GCC unroll 7
        for (int i = 0; i < SCI_PAYLOAD_WORDS; i++)
            __atomic_store_n(&words[i], line->words[i], __ATOMIC_RELAXED);
    __atomic_store_n(&words[SCI_PAYLOAD_WORDS], line->words[SCI_PAYLOAD_WORDS], __ATOMIC_RELEASE);
}

/* Hot. The line of message `number`, and its payload where it has one; false: it has not come, or
 * not whole. Pairs with the release of sci_line_store. */
static inline bool sci_line_find(const uint64_t *words, uint64_t number, sci_line *line)
{
    const uint64_t control = __atomic_load_n(&words[SCI_PAYLOAD_WORDS], __ATOMIC_ACQUIRE);

    if (!sci_line_is_due(control, number))
        return false;
    line->words[SCI_PAYLOAD_WORDS] = control;
    if (sci_line_announcement(control).bytes <= SCI_PAYLOAD_BYTES)
#pragma GCC unroll 7
        for (int i = 0; i < SCI_PAYLOAD_WORDS; i++)
            line->words[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
    return sci_line_is_whole(line, number);
}

/* Hot. The payload of a line to a buffer of at least a cache line, whole: the words come from
 * registers, and what is behind the payload is nobody's. */
static inline void sci_line_give_payload(const sci_line *line, void *buffer)
{
    unsigned char *at = buffer;

#pragma GCC unroll 7
    for (int i = 0; i < SCI_PAYLOAD_WORDS; i++)
        memcpy(at + (size_t)i * sizeof(line->words[i]), &line->words[i], sizeof(line->words[i]));
}

#endif
