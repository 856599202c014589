/* Control words: one signed for a message is accepted for no other, and not partially. */
#include "transport/sci/word.h"

#include <string.h>

#include "base/random.h"
#include "tests/common/unit.h"

static sci_line line_of(uint64_t number, uint32_t bytes)
{
    sci_line line = {.words = {0}};
    const sci_announcement what = {.bytes = bytes, .more = number % 3 == 0};
    const size_t words = bytes <= SCI_PAYLOAD_BYTES ? (bytes + 7) / 8 : 0;

    for (size_t i = 0; i < words; i++)
        line.words[i] = cb_mix64(number * 8 + i);
    line.words[SCI_PAYLOAD_WORDS] = sci_line_control(line.words, number, what);
    return line;
}

START_TEST(a_line_carries_the_announced_message)
{
    static const uint32_t sizes[] = {0, 1, 8, 55, 56, 57, 8192, SCI_LINE_MOST_BYTES};

    for (uint64_t number = 0; number < 40; number++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
            sci_line line = line_of(number, sizes[i]);
            uint64_t control = line.words[SCI_PAYLOAD_WORDS];

            ck_assert_msg(sci_line_is_due(control, number) && sci_line_is_whole(&line, number),
                          "a line of %d bytes is not there", (int)sizes[i]);
            ck_assert_uint_eq(sci_line_announcement(control).bytes, sizes[i]);
            ck_assert_int_eq(sci_line_announcement(control).more, number % 3 == 0);
        }
}
END_TEST

/* The slot contained a message of up to 15 numbers before, or none yet. */
START_TEST(an_earlier_line_in_the_same_slot_is_not_accepted)
{
    for (uint64_t number = 0; number < 100; number++) {
        if (number < 15)
            ck_assert_msg(!sci_line_is_due(0, number), "an empty line is due as %d", (int)number);
        for (uint64_t back = 1; back <= 15 && back <= number; back++) {
            sci_line line = line_of(number - back, 24);

            ck_assert_msg(!sci_line_is_due(line.words[SCI_PAYLOAD_WORDS], number),
                          "line %d is due for %d", (int)number, (int)(number - back));
        }
    }
}
END_TEST

/* Words of 4 bytes arrive or do not: every mixture of an old and a new line is tested, for some
 * pairs. */
static sci_line mixture(const sci_line *old, const sci_line *new, uint32_t mask)
{
    uint32_t words[16], newer[16];
    sci_line mixed;

    memcpy(words, old, sizeof(words));
    memcpy(newer, new, sizeof(newer));
    for (int i = 0; i < 16; i++)
        if ((mask >> i & 1) != 0)
            words[i] = newer[i];
    memcpy(&mixed, words, sizeof(mixed));
    return mixed;
}

START_TEST(a_partially_arrived_line_is_not_accepted)
{
    for (uint64_t number = 15; number < 20; number++) {
        const sci_line old = line_of(number - 15, 56), new = line_of(number, 56);

        for (uint32_t mask = 0; mask < 0xffff; mask++) {
            const sci_line mixed = mixture(&old, &new, mask);

            if (sci_line_is_due(mixed.words[SCI_PAYLOAD_WORDS], number) &&
                sci_line_is_whole(&mixed, number))
                ck_abort_msg("with the words %x of it line %d is taken", mask, (int)number);
        }
    }
}
END_TEST

/* A ring has at most 15 slots, so these are all values that a slot can contain. */
START_TEST(successive_notices_and_credits_differ_for_all_patterns)
{
    const sci_announcement what = {.bytes = 100, .more = true};

    for (uint64_t number = 0; number < 3 * SCI_NOTICE_PATTERNS; number++) {
        uint32_t notice = sci_notice(number, what), credit = sci_credit(number, 77);

        ck_assert_msg(sci_notice_is_due(notice, number) && sci_credit_is_due(credit, number),
                      "number %d is not due", (int)number);
        ck_assert_msg(!sci_notice_is_due(0, number) && !sci_credit_is_due(0, number),
                      "an empty word is due as %d", (int)number);
        ck_assert_uint_eq(sci_notice_announcement(notice).bytes, 100);
        ck_assert_msg(sci_notice_announcement(notice).more, "notice %d announces no more",
                      (int)number);
        ck_assert_uint_eq(sci_credit_buffer(credit), 77);
        for (uint64_t ahead = 1; ahead <= 15; ahead++)
            ck_assert_msg(!sci_notice_is_due(notice, number + ahead) &&
                              !sci_credit_is_due(credit, number + ahead),
                          "number %d is due %d ahead", (int)number, (int)ahead);
    }
}
END_TEST

START_TEST(the_count_of_consumed_messages_survives_its_wrap_around)
{
    const uint64_t wrap = UINT64_C(1) << SCI_CONSUMED_BITS;

    for (uint64_t count = wrap - 3; count < wrap + 3; count++)
        for (uint32_t ahead = 0; ahead <= 8; ahead++)
            ck_assert_uint_eq(sci_unconsumed(sci_consumed(5, false, count), 5, count + ahead),
                              ahead);
}
END_TEST

START_TEST(a_member_that_left_does_not_block_the_root)
{
    const uint32_t consumed = sci_consumed(5, true, 3);

    ck_assert(sci_has_left(consumed, 5));
    ck_assert(!sci_has_left(sci_consumed(5, false, 3), 5));
    ck_assert_uint_eq(sci_unconsumed(consumed, 5, 11), 0);
}
END_TEST

START_TEST(acknowledgements_of_an_earlier_group_are_ignored)
{
    ck_assert_uint_eq(sci_unconsumed(sci_consumed(4, false, 3), 5, 7), 7);
    ck_assert_uint_eq(sci_unconsumed(sci_consumed(4, true, 3), 5, 7), 7);
    ck_assert(!sci_has_left(sci_consumed(4, true, 3), 5));
}
END_TEST

UNIT_MAIN("words of sci", a_line_carries_the_announced_message,
          an_earlier_line_in_the_same_slot_is_not_accepted,
          a_partially_arrived_line_is_not_accepted,
          successive_notices_and_credits_differ_for_all_patterns,
          the_count_of_consumed_messages_survives_its_wrap_around,
          a_member_that_left_does_not_block_the_root,
          acknowledgements_of_an_earlier_group_are_ignored)
