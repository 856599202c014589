/* Findings of the verification pass on a stream of packets.
 *
 * Packets of 16 bytes and more carry their number: lost, duplicate, reordered and corrupted ones
 * are distinguished exactly, if a late packet arrives before 64 others have overtaken it, and
 * corrupted packets are not also late or duplicate. Shorter packets are compared with the expected
 * one: only a stream in order is found correct, anything else is reported as corrupted packets. Of
 * empty packets only the number is known. */
#include "engine/verification.h"

#include <string.h>

#include "base/random.h"
#include "tests/common/unit.h"

enum { SOURCE = 3, DESTINATION = 5, LARGEST = 4096, MEMORY = 64 };

static const size_t all_sizes[] = {0, 1, 7, 8, 15, 16, 17, 4096};
static const size_t numbered_sizes[] = {16, 17, 24, 4096};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

typedef struct {
    checker_stream checker;
    checker_findings findings;
    size_t size_bytes;
} stream;

/* Packet `number` of the stream. */
static packet_identity packet_of(uint64_t number)
{
    return (packet_identity){SOURCE, DESTINATION, number};
}

static stream stream_of(size_t size_bytes)
{
    return (stream){.checker = {.source = SOURCE, .destination = DESTINATION},
                    .size_bytes = size_bytes};
}

static void arrives(stream *s, uint64_t number)
{
    unsigned char packet[LARGEST];

    checker_stamp(packet, s->size_bytes, packet_of(number));
    checker_check(&s->checker, packet, s->size_bytes, s->size_bytes, &s->findings);
}

static void arrives_flipped(stream *s, uint64_t number, size_t byte, unsigned char mask)
{
    unsigned char packet[LARGEST];

    checker_stamp(packet, s->size_bytes, packet_of(number));
    packet[byte] ^= mask;
    checker_check(&s->checker, packet, s->size_bytes, s->size_bytes, &s->findings);
}

static void assert_found(const stream *s, checker_findings expected)
{
    ck_assert_msg(
        memcmp(&s->findings, &expected, sizeof(expected)) == 0,
        "size %zu: %lu messages, %lu lost, %lu doubled, %lu reordered, %lu corrupted in place "
        "of %lu, %lu, %lu, %lu, %lu",
        s->size_bytes, s->findings.messages, s->findings.lost, s->findings.duplicate,
        s->findings.reordered, s->findings.corrupted, expected.messages, expected.lost,
        expected.duplicate, expected.reordered, expected.corrupted);
}

START_TEST(a_stream_without_faults_has_no_findings)
{
    for (size_t k = 0; k < LENGTH(all_sizes); k++) {
        stream s = stream_of(all_sizes[k]);

        for (uint64_t number = 0; number < 200; number++)
            arrives(&s, number);
        assert_found(&s, (checker_findings){.messages = 200});
    }
}
END_TEST

START_TEST(lost_packets_are_counted_by_the_gap)
{
    for (size_t k = 0; k < LENGTH(numbered_sizes); k++) {
        stream s = stream_of(numbered_sizes[k]);

        arrives(&s, 0);
        arrives(&s, 2);
        arrives(&s, 103);
        arrives(&s, 104);
        assert_found(&s, (checker_findings){.messages = 4, .lost = 101});
    }
}
END_TEST

START_TEST(a_duplicate_packet_is_counted_each_time)
{
    for (size_t k = 0; k < LENGTH(numbered_sizes); k++) {
        stream s = stream_of(numbered_sizes[k]);

        arrives(&s, 0);
        arrives(&s, 0);
        arrives(&s, 1);
        arrives(&s, 2);
        arrives(&s, 0);
        assert_found(&s, (checker_findings){.messages = 5, .duplicate = 2});
    }
}
END_TEST

START_TEST(a_late_packet_is_reordered_and_not_lost)
{
    for (size_t k = 0; k < LENGTH(numbered_sizes); k++) {
        stream s = stream_of(numbered_sizes[k]);

        arrives(&s, 1);
        arrives(&s, 0);
        arrives(&s, 2);
        assert_found(&s, (checker_findings){.messages = 3, .reordered = 1});
    }
}
END_TEST

START_TEST(a_late_packet_that_comes_again_is_a_duplicate)
{
    stream s = stream_of(64);

    arrives(&s, 1);
    arrives(&s, 0);
    arrives(&s, 0);
    assert_found(&s, (checker_findings){.messages = 3, .reordered = 1, .duplicate = 1});
}
END_TEST

/* Packet 0 arrives after `passed` others. */
static stream late_by(uint64_t passed)
{
    stream s = stream_of(64);

    for (uint64_t number = 1; number <= passed; number++)
        arrives(&s, number);
    arrives(&s, 0);
    return s;
}

START_TEST(a_late_packet_is_recognised_until_63_packets_overtook_it)
{
    stream s = late_by(MEMORY - 1);

    assert_found(&s, (checker_findings){.messages = MEMORY, .reordered = 1});
}
END_TEST

START_TEST(a_packet_overtaken_by_more_stays_lost_and_counts_as_duplicate)
{
    stream s = late_by(MEMORY);

    assert_found(&s, (checker_findings){.messages = MEMORY + 1, .lost = 1, .duplicate = 1});
}
END_TEST

START_TEST(any_flipped_bit_is_one_corrupted_packet)
{
    static const size_t sizes[] = {1, 7, 8, 15, 16, 17, 40};

    for (size_t k = 0; k < LENGTH(sizes); k++)
        for (size_t byte = 0; byte < sizes[k]; byte++)
            for (unsigned bit = 0; bit < 8; bit++) {
                stream s = stream_of(sizes[k]);

                arrives(&s, 0);
                arrives_flipped(&s, 1, byte, (unsigned char)(1u << bit));
                arrives(&s, 2);
                assert_found(&s, (checker_findings){.messages = 3, .corrupted = 1});
            }
}
END_TEST

START_TEST(any_flipped_byte_of_a_large_packet_is_detected)
{
    for (size_t byte = 0; byte < LARGEST; byte++) {
        stream s = stream_of(LARGEST);

        arrives_flipped(&s, 0, byte, 0xff);
        assert_found(&s, (checker_findings){.messages = 1, .corrupted = 1});
    }
}
END_TEST

START_TEST(a_packet_of_another_size_is_corrupted)
{
    static const struct {
        size_t arrived, expected;
    } pairs[] = {{0, 1}, {1, 0}, {16, 17}, {17, 16}, {4095, 4096}};

    for (size_t k = 0; k < LENGTH(pairs); k++) {
        stream s = stream_of(pairs[k].arrived);
        unsigned char packet[LARGEST];

        checker_stamp(packet, pairs[k].arrived, packet_of(0));
        checker_check(&s.checker, packet, pairs[k].arrived, pairs[k].expected, &s.findings);
        assert_found(&s, (checker_findings){.messages = 1, .corrupted = 1});
    }
}
END_TEST

START_TEST(a_packet_of_another_source_is_corrupted)
{
    static const size_t sizes[] = {8, 15, 16, 17, 4096};

    for (size_t k = 0; k < LENGTH(sizes); k++) {
        stream s = stream_of(sizes[k]);
        unsigned char packet[LARGEST];

        checker_stamp(packet, sizes[k], (packet_identity){SOURCE + 1, DESTINATION, 0});
        checker_check(&s.checker, packet, sizes[k], sizes[k], &s.findings);
        assert_found(&s, (checker_findings){.messages = 1, .corrupted = 1});
    }
}
END_TEST

/* Of the same source and number: with 16 bytes only the checksum tells. */
START_TEST(a_packet_to_another_destination_is_corrupted)
{
    static const size_t sizes[] = {7, 8, 15, 16, 17, 4096};

    for (size_t k = 0; k < LENGTH(sizes); k++) {
        stream s = stream_of(sizes[k]);
        unsigned char packet[LARGEST];

        checker_stamp(packet, sizes[k], (packet_identity){SOURCE, DESTINATION + 1, 0});
        checker_check(&s.checker, packet, sizes[k], sizes[k], &s.findings);
        assert_found(&s, (checker_findings){.messages = 1, .corrupted = 1});
    }
}
END_TEST

START_TEST(a_corrupted_packet_counts_as_the_expected_one)
{
    stream s = stream_of(64);

    arrives(&s, 0);
    arrives_flipped(&s, 2, 20, 1); /* 1 was lost */
    arrives(&s, 3);
    assert_found(&s, (checker_findings){.messages = 3, .lost = 1, .corrupted = 1});
}
END_TEST

START_TEST(every_byte_of_a_packet_depends_on_its_number)
{
    for (size_t k = 0; k < LENGTH(numbered_sizes); k++) {
        unsigned char one[LARGEST], other[LARGEST];
        size_t size = numbered_sizes[k], same = 0;

        checker_stamp(one, size, packet_of(7));
        checker_stamp(other, size, packet_of(8));
        for (size_t i = 16; i < size; i++)
            same += one[i] == other[i];
        ck_assert_uint_le(same, size / 64 + 1);
    }
}
END_TEST

START_TEST(nothing_is_written_beyond_a_packet)
{
    for (size_t size = 0; size < 64; size++) {
        unsigned char packet[80];

        memset(packet, 0xa5, sizeof(packet));
        checker_stamp(packet, size, packet_of(5));
        for (size_t i = size; i < sizeof(packet); i++)
            ck_assert_uint_eq(packet[i], 0xa5);
    }
}
END_TEST

START_TEST(packets_to_other_ranks_do_not_count_as_lost)
{
    stream s = stream_of(64);

    arrives(&s, 0);
    checker_skip(&s.checker, 5);
    arrives(&s, 5);
    checker_skip(&s.checker, 4); /* it never decreases */
    arrives(&s, 6);
    assert_found(&s, (checker_findings){.messages = 3});
}
END_TEST

START_TEST(a_late_packet_is_recognised_after_packets_to_other_ranks)
{
    stream s = stream_of(64);

    arrives(&s, 1);
    checker_skip(&s.checker, 10);
    arrives(&s, 10);
    arrives(&s, 0);
    assert_found(&s, (checker_findings){.messages = 3, .reordered = 1});
}
END_TEST

START_TEST(reordering_in_a_short_stream_is_reported_as_corruption)
{
    stream s = stream_of(8);

    arrives(&s, 0);
    arrives(&s, 2);
    arrives(&s, 3);
    assert_found(&s, (checker_findings){.messages = 3, .corrupted = 2});
}
END_TEST

START_TEST(the_timeout_of_a_message_grows_with_the_bytes_before_it)
{
    ck_assert_uint_eq(verification_timeout_ns(5, 0, 64, 0), 5);
    ck_assert_uint_eq(verification_timeout_ns(5, 1000, 1, 0), 20005);
    ck_assert_uint_eq(verification_timeout_ns(5, 1000, 64, 0), 5 + 64 * 20000);
    ck_assert_uint_eq(verification_timeout_ns(5000000000, 1u << 30, 65536, 0),
                      5000000000 + (UINT64_C(20) << 46));
}
END_TEST

/* A megabyte at 20 Mbit/s takes 0.4 s: 64 of them take longer than at 50 MB/s. */
START_TEST(the_timeout_of_a_message_follows_the_rate_that_was_measured)
{
    const uint64_t silence_ns = 5000000000, messages = 64, megabyte_ns = 400000000;

    ck_assert_uint_ge(
        verification_timeout_ns(silence_ns, 1000000, messages, (double)(messages * megabyte_ns)),
        silence_ns + 2 * messages * megabyte_ns);
    ck_assert_uint_eq(verification_timeout_ns(silence_ns, 1000000, messages, 1000),
                      verification_timeout_ns(silence_ns, 1000000, messages, 0));
}
END_TEST

START_TEST(empty_packets_are_only_counted)
{
    stream s = stream_of(0);

    arrives(&s, 0);
    arrives(&s, 5);
    arrives(&s, 5);
    assert_found(&s, (checker_findings){.messages = 3});
}
END_TEST

/* Random faults. A corrupted packet counts as the expected one, which is ambiguous while a late
 * packet is missing: so none is corrupted during that time. */

enum { STREAM = 3000, PENDING = 8, LATEST = MEMORY / 2 };

typedef struct {
    uint64_t number, due;
} late_packet;

typedef struct {
    stream s;
    checker_findings injected;
    cb_random random;
    uint64_t highest; /* highest number that has arrived */
    late_packet late[PENDING];
    size_t pending;
} faulty_stream;

static void come(faulty_stream *f, uint64_t number)
{
    arrives(&f->s, number);
    f->injected.messages++;
    if (number > f->highest)
        f->highest = number;
}

static void arrive_intact(faulty_stream *f, uint64_t number)
{
    come(f, number);
}

static void lose(faulty_stream *f, uint64_t number)
{
    (void)number;
    f->injected.lost++;
}

static void repeat(faulty_stream *f, uint64_t number)
{
    come(f, number);
    come(f, number);
    f->injected.duplicate++;
}

static void hold_back(faulty_stream *f, uint64_t number)
{
    if (f->pending == PENDING) {
        come(f, number);
        return;
    }
    f->late[f->pending++] = (late_packet){number, number + 1 + cb_random_below(&f->random, LATEST)};
}

static void corrupt(faulty_stream *f, uint64_t number)
{
    if (f->pending > 0) {
        come(f, number);
        return;
    }
    arrives_flipped(&f->s, number, cb_random_below(&f->random, f->s.size_bytes),
                    (unsigned char)(1u << cb_random_below(&f->random, 8)));
    f->injected.messages++;
    f->injected.corrupted++;
}

/* A held packet is delivered once another one has overtaken it. */
static void release(faulty_stream *f, uint64_t now)
{
    for (size_t i = f->pending; i-- > 0;)
        if (f->late[i].due <= now && f->highest > f->late[i].number) {
            come(f, f->late[i].number);
            f->injected.reordered++;
            f->late[i] = f->late[--f->pending];
        }
}

static void run_faults(uint64_t seed, size_t size_bytes)
{
    static void (*const fates[])(faulty_stream *, uint64_t) = {lose, repeat, hold_back, corrupt};
    faulty_stream f = {.s = stream_of(size_bytes), .random = cb_random_seed(seed)};

    for (uint64_t number = 0; number < STREAM + MEMORY; number++) {
        uint64_t fate = cb_random_below(&f.random, 24);

        (number < STREAM && fate < LENGTH(fates) ? fates[fate] : arrive_intact)(&f, number);
        release(&f, number);
    }
    assert_found(&f.s, f.injected);
}

START_TEST(random_faults_are_counted_as_they_were_injected)
{
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (size_t k = 0; k < LENGTH(numbered_sizes); k++)
            run_faults(seed, numbered_sizes[k]);
}
END_TEST

START_TEST(a_fault_in_a_short_stream_is_always_detected)
{
    static const size_t sizes[] = {7, 8, 15}; /* a single byte may agree by chance */

    for (uint64_t seed = 1; seed <= 40; seed++) {
        cb_random random = cb_random_seed(seed);
        stream s = stream_of(sizes[seed % LENGTH(sizes)]);
        uint64_t lost = cb_random_below(&random, 99);

        for (uint64_t number = 0; number < 100; number++)
            if (number != lost)
                arrives(&s, number);
        ck_assert_uint_eq(s.findings.corrupted, 99 - lost);
    }
}
END_TEST

UNIT_MAIN("checker", a_stream_without_faults_has_no_findings, lost_packets_are_counted_by_the_gap,
          a_duplicate_packet_is_counted_each_time, a_late_packet_is_reordered_and_not_lost,
          a_late_packet_that_comes_again_is_a_duplicate,
          a_late_packet_is_recognised_until_63_packets_overtook_it,
          a_packet_overtaken_by_more_stays_lost_and_counts_as_duplicate,
          any_flipped_bit_is_one_corrupted_packet, any_flipped_byte_of_a_large_packet_is_detected,
          a_packet_of_another_size_is_corrupted, a_packet_of_another_source_is_corrupted,
          a_packet_to_another_destination_is_corrupted,
          a_corrupted_packet_counts_as_the_expected_one,
          every_byte_of_a_packet_depends_on_its_number, packets_to_other_ranks_do_not_count_as_lost,
          a_late_packet_is_recognised_after_packets_to_other_ranks,
          nothing_is_written_beyond_a_packet,
          reordering_in_a_short_stream_is_reported_as_corruption,
          the_timeout_of_a_message_grows_with_the_bytes_before_it,
          the_timeout_of_a_message_follows_the_rate_that_was_measured,
          empty_packets_are_only_counted, random_faults_are_counted_as_they_were_injected,
          a_fault_in_a_short_stream_is_always_detected)
