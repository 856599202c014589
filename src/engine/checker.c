/* Stamping and checking of the verifying pass. */
#include "engine/checker.h"

#include <string.h>

#include "base/random.h"

enum { HEADER_BYTES = 16, REMEMBERED = 64 };

/* Word k of a packet's content. */
static uint64_t word(uint64_t source, uint64_t number, uint64_t k)
{
    return cb_mix64(cb_mix64(source << 48 ^ number) + k);
}

static void fill_pattern(unsigned char *data, size_t first, size_t size_bytes, uint64_t source,
                         uint64_t number)
{
    for (size_t at = first; at < size_bytes; at += 8) {
        uint64_t content = word(source, number, at / 8);

        memcpy(data + at, &content, size_bytes - at < 8 ? size_bytes - at : 8);
    }
}

static bool pattern_matches(const unsigned char *data, size_t first, size_t size_bytes,
                            uint64_t source, uint64_t number)
{
    for (size_t at = first; at < size_bytes; at += 8) {
        uint64_t content = word(source, number, at / 8);

        if (memcmp(data + at, &content, size_bytes - at < 8 ? size_bytes - at : 8) != 0)
            return false;
    }
    return true;
}

/* The first word of a header: the source, and above it what tells whether the header is intact. A
 * packet of a header alone has nothing else that could tell. */
static uint64_t signed_source(uint64_t source, uint64_t number)
{
    return word(source, number, UINT64_MAX) << 32 | (source & UINT32_MAX);
}

void checker_stamp(void *data, size_t size_bytes, uint64_t source, uint64_t number)
{
    size_t header = size_bytes >= HEADER_BYTES ? HEADER_BYTES : 0;
    uint64_t first = signed_source(source, number);

    if (header > 0) {
        memcpy(data, &first, sizeof(first));
        memcpy((unsigned char *)data + sizeof(first), &number, sizeof(number));
    }
    fill_pattern(data, header, size_bytes, source, number);
}

/* The number that an intact packet carries; a short one can only be held against what is expected.
 */
static bool read_number(const checker_stream *checker, const unsigned char *data, size_t size_bytes,
                        uint64_t *number)
{
    uint64_t first;

    *number = checker->expected;
    if (size_bytes < HEADER_BYTES)
        return pattern_matches(data, 0, size_bytes, checker->source, *number);
    memcpy(&first, data, sizeof(first));
    memcpy(number, data + sizeof(first), sizeof(*number));
    return first == signed_source(checker->source, *number) &&
           pattern_matches(data, HEADER_BYTES, size_bytes, checker->source, *number);
}

bool checker_stamp_matches(const void *data, size_t size_bytes, uint64_t source, uint64_t number)
{
    checker_stream expected = {.source = source, .expected = number};
    uint64_t found;

    return read_number(&expected, data, size_bytes, &found) && found == number;
}

/* A packet from before: one that was counted as lost has come late; any other has come again. */
static void note_earlier(checker_stream *checker, uint64_t number, checker_findings *findings)
{
    uint64_t age = checker->expected - 1 - number;
    uint64_t bit = age < REMEMBERED ? 1ull << age : 0;

    if ((checker->missing & bit) != 0) {
        checker->missing &= ~bit;
        checker->lost--;
        findings->lost--;
        findings->reordered++;
    } else {
        findings->duplicate++;
    }
}

void checker_skip(checker_stream *checker, uint64_t number)
{
    uint64_t ahead = number > checker->expected ? number - checker->expected : 0;

    checker->missing = ahead < REMEMBERED ? checker->missing << ahead : 0;
    checker->expected += ahead;
}

static void note_later(checker_stream *checker, uint64_t number, checker_findings *findings)
{
    uint64_t skipped = number - checker->expected;

    checker->lost += skipped;
    findings->lost += skipped;
    checker_skip(checker, number + 1);
    for (uint64_t k = 1; k <= skipped && k < REMEMBERED; k++)
        checker->missing |= 1ull << k;
}

void checker_check(checker_stream *checker, const void *data, size_t size_bytes,
                   size_t expected_bytes, checker_findings *findings)
{
    uint64_t number;

    findings->messages++;
    if (size_bytes != expected_bytes || !read_number(checker, data, size_bytes, &number)) {
        findings->corrupted++;
        note_later(checker, checker->expected,
                   findings); /* it stands for the one that was expected */
    } else if (number < checker->expected) {
        note_earlier(checker, number, findings);
    } else {
        note_later(checker, number, findings);
    }
}
