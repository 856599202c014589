/* The control words of the protocol, as pure functions, and lines in memory. A word is signed with
 * a pattern that changes with each message, so that a repeated transfer is not mistaken for a new
 * one.
 *
 * A line has 64 bytes: 56 of payload, then a control word of 8. Its lower half has a turn of 4
 * bits, 1 bit "more pieces follow" and 27 bits of size; its upper half a signature over number,
 * lower half and payload, so that a partly received line is rejected.
 *
 * A notice, used without lines, has 32 bits: 9 of pattern, 1 of "more", 22 of size.
 *
 * A credit has 32 bits: 8 of pattern, 24 of the number of a receive buffer.
 *
 * Zeroed memory is none of these. Numbers count the messages of one sender to one receiver from 0.
 */
#ifndef TRANSPORT_SCI_WORD_H
#define TRANSPORT_SCI_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    SCI_LINE_WORDS = 8,
    SCI_PAYLOAD_WORDS = 7,
    SCI_PAYLOAD_BYTES = 56,
    SCI_TURN_MASK = 15,
    SCI_TURN_BITS = 4,
    SCI_LINE_MOST_BYTES = (1 << 27) - 64, /* maximum size that a line can announce */
    SCI_NOTICE_MOST_BYTES = (1 << 22) - 64,
    SCI_NOTICE_PATTERNS = 511,
    SCI_NOTICE_BITS = 23, /* below the pattern */
    SCI_CREDIT_PATTERNS = 255,
    SCI_CREDIT_BITS = 24
};

typedef struct {
    uint64_t words[SCI_LINE_WORDS]; /* the last is the control word */
} sci_line;

typedef struct {
    uint32_t bytes;
    bool more; /* another piece of the same message follows */
} sci_announcement;

/* Lines. A line is reused after at most 15 messages, so that 4 bits distinguish the turns. */

static inline uint32_t sci_line_turn(uint64_t number)
{
    return (uint32_t)(number + 1) & SCI_TURN_MASK;
}

/* Whether the control word may belong to message `number`; a quick test. */
static inline bool sci_line_is_due(uint64_t control, uint64_t number)
{
    return ((uint32_t)control & SCI_TURN_MASK) == sci_line_turn(number);
}

/* Index of the half of a control word with the turn, in words of 32 bits. */
static inline size_t sci_line_turn_word(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 1;
}

static inline sci_announcement sci_line_announcement(uint64_t control)
{
    return (sci_announcement){.bytes = (uint32_t)control >> (SCI_TURN_BITS + 1),
                              .more = ((uint32_t)control >> SCI_TURN_BITS & 1) != 0};
}

/* Hot. Products of pairs of words are independent, so that they execute in parallel. The payload of
 * a line is excluded if the message is larger than a line. */
static inline uint32_t sci_line_signature(const uint64_t *payload, uint64_t number, uint32_t low)
{
    static const uint64_t keys[SCI_LINE_WORDS] = {
        0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu, 0xd6e8feb86659fd93u,
        0xa0761d6478bd642fu, 0xe7037ed1a0b428dbu, 0x8ebc6af09c88c6e3u, 0x589965cc75374cc3u};
    uint64_t sum = (number + keys[7]) * keys[0] + ((uint64_t)low + keys[1]) * keys[2];

    if (sci_line_announcement(low).bytes <= SCI_PAYLOAD_BYTES)
        sum += (payload[0] + keys[0]) * (payload[1] + keys[1]) +
               (payload[2] + keys[2]) * (payload[3] + keys[3]) +
               (payload[4] + keys[4]) * (payload[5] + keys[5]) + (payload[6] + keys[6]) * keys[7];
    return (uint32_t)(sum >> 32) ^ (uint32_t)sum;
}

static inline uint64_t sci_line_control(const uint64_t *payload, uint64_t number,
                                        sci_announcement what)
{
    uint32_t low = what.bytes << (SCI_TURN_BITS + 1) | (uint32_t)what.more << SCI_TURN_BITS |
                   sci_line_turn(number);

    return (uint64_t)sci_line_signature(payload, number, low) << 32 | low;
}

static inline bool sci_line_is_whole(const sci_line *line, uint64_t number)
{
    uint64_t control = line->words[SCI_PAYLOAD_WORDS];

    return sci_line_signature(line->words, number, (uint32_t)control) == (uint32_t)(control >> 32);
}

/* Notices */

static inline uint32_t sci_notice_pattern(uint64_t number)
{
    return (uint32_t)(number % SCI_NOTICE_PATTERNS + 1) << SCI_NOTICE_BITS;
}

static inline uint32_t sci_notice(uint64_t number, sci_announcement what)
{
    return sci_notice_pattern(number) | (uint32_t)what.more << (SCI_NOTICE_BITS - 1) | what.bytes;
}

static inline bool sci_notice_is_due(uint32_t notice, uint64_t number)
{
    return notice >> SCI_NOTICE_BITS == number % SCI_NOTICE_PATTERNS + 1;
}

static inline sci_announcement sci_notice_announcement(uint32_t notice)
{
    return (sci_announcement){.bytes = notice & ((1u << (SCI_NOTICE_BITS - 1)) - 1),
                              .more = (notice >> (SCI_NOTICE_BITS - 1) & 1) != 0};
}

/* Credits: the receive buffer for message `number`. */

static inline uint32_t sci_credit(uint64_t number, uint32_t buffer)
{
    return (uint32_t)(number % SCI_CREDIT_PATTERNS + 1) << SCI_CREDIT_BITS | buffer;
}

static inline bool sci_credit_is_due(uint32_t credit, uint64_t number)
{
    return credit >> SCI_CREDIT_BITS == number % SCI_CREDIT_PATTERNS + 1;
}

static inline uint32_t sci_credit_buffer(uint32_t credit)
{
    return credit & ((1u << SCI_CREDIT_BITS) - 1);
}

/* A member's consumption in a multicast group: 7 bits distinguish the group from earlier ones in
 * its slot, 1 bit says that the member has left, 24 bits count messages. */

enum { SCI_CONSUMED_BITS = 24 };

static inline uint32_t sci_consumed(uint32_t generation, bool left, uint64_t count)
{
    return (generation & 127) << (SCI_CONSUMED_BITS + 1) | (uint32_t)left << SCI_CONSUMED_BITS |
           ((uint32_t)count & ((1u << SCI_CONSUMED_BITS) - 1));
}

static inline bool sci_has_left(uint32_t consumed, uint32_t generation)
{
    return consumed >> SCI_CONSUMED_BITS == sci_consumed(generation, true, 0) >> SCI_CONSUMED_BITS;
}

/* Number of the `sent` messages that a member has not consumed: all if the word belongs to an
 * earlier group; none if it has left. */
static inline uint32_t sci_unconsumed(uint32_t consumed, uint32_t generation, uint64_t sent)
{
    const uint32_t mask = (1u << SCI_CONSUMED_BITS) - 1;

    if (sci_has_left(consumed, generation))
        return 0;
    if (consumed >> SCI_CONSUMED_BITS != sci_consumed(generation, false, 0) >> SCI_CONSUMED_BITS)
        consumed = 0;
    return ((uint32_t)sent - consumed) & mask;
}

/* Lines in memory: storing one in a remote segment, and looking for one in a local segment. */

/* Hot. Word by word, the control word last; a line is the unit of a transfer. If `bytes` exceeds
 * the payload of a line, only the control word counts. */
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

/* Hot. Find the line of message `number`, and its payload if it has one; false: not arrived, or
 * only in part. Pairs with the release of sci_line_store. */
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

/* Hot. Copy the whole payload of a line to a buffer of at least a cache line: the words come from
 * registers, and bytes after the message are unused. */
static inline void sci_line_give_payload(const sci_line *line, void *buffer)
{
    unsigned char *at = buffer;

#pragma GCC unroll 7
    for (int i = 0; i < SCI_PAYLOAD_WORDS; i++)
        memcpy(at + (size_t)i * sizeof(line->words[i]), &line->words[i], sizeof(line->words[i]));
}

#endif
