/* The meaning of traces: records, sections, ranges, loops, expressions, lists, times. */
#include <stdio.h>
#include <string.h>

#include "tests/model/trace_text.h"
#include "tests/common/unit.h"

#define HEAD "%cct 1 ranks 4 unit us\n"

/* Expect these records of a rank. */
static void expect(const char *text, uint32_t rank, const char *expected)
{
    char played[PLAYED_BYTES];

    text_play(text, rank, played);
    ck_assert_str_eq(played, expected);
}

START_TEST(every_record_is_read)
{
    expect(HEAD "1:\ns 0 8\nr 2 9\nis 3 10\nir 0 11\nr any 12\nir any 13\nw\nc 5\nm 0,2-3 14\nb\n",
           1, "s 0 8; r 2 9; is 3 10; ir 0 11; r any 12; ir any 13; w; c 5; m 0,2,3 14; b; end");
}
END_TEST

START_TEST(a_receive_may_be_of_any_size)
{
    expect(HEAD "0:\nr 1 *\nr any *\nir 2 *\nir any *  t=3\nr %r+3 * # busy\nm * 5\n", 0,
           "r 1 *; r any *; ir 2 *; ir any * t=3; r 3 *; m 1,2,3 5; end");
}
END_TEST

START_TEST(sections_of_a_rank_are_joined_in_file_order)
{
    const char *text = HEAD "0: c 1\n*: c 2\n1-2,0: c 3\n3: c 4\n0: c 5\n";

    expect(text, 0, "c 1; c 2; c 3; c 5; end");
    expect(text, 2, "c 2; c 3; end");
    expect(text, 3, "c 2; c 4; end");
}
END_TEST

START_TEST(a_rank_without_section_has_no_records)
{
    expect(HEAD "0: c 1\n", 2, "end");
    expect(HEAD, 0, "end");
}
END_TEST

START_TEST(in_nested_loops_the_index_is_that_of_the_innermost)
{
    expect(HEAD "0:\n@ 2\nc %i\n@ 3\nc 10+%i\n;\nc %i\n;\nc 99\n", 0,
           "c 0; c 10; c 11; c 12; c 0; c 1; c 10; c 11; c 12; c 1; c 99; end");
}
END_TEST

START_TEST(a_count_may_use_the_index_of_the_enclosing_loop)
{
    expect(HEAD "*:\n@ %r\n@ %i+1\nc %i\n;\n;\n", 3, "c 0; c 0; c 1; c 0; c 1; c 2; end");
}
END_TEST

START_TEST(an_empty_loop_has_no_records)
{
    expect(HEAD "*:\n@ 0\nc 1\n;\n@ 1000000000000\n;\n@ 5\n@ 7\n;\n;\nc 2\n", 0, "c 2; end");
}
END_TEST

START_TEST(loops_are_not_unrolled)
{
    ccmod_trace *trace = text_trace(HEAD "*:\n@ 1000000000\n@ 1000000000\nb\n;\n;\n");

    ck_assert_uint_eq(ccmod_trace_records(trace), 1);
    ccmod_trace_close(trace);
}
END_TEST

START_TEST(expressions_have_the_usual_precedence)
{
    expect(
        HEAD
        "2:\nc 2+3*4\nc (2+3)*4\nc 20-3-4\nc 7/2*2\nc 2*%n+%r\nc -(2-5)\nc 9%%n\nc ( 1 + 2 )*2\n",
        2, "c 14; c 20; c 13; c 6; c 10; c 3; c 1; c 6; end");
}
END_TEST

START_TEST(division_and_remainder_are_floored)
{
    expect(HEAD "0:\ns (%r-1)%%n 8\nc 10+(0-7)/2\nc (0-7)%2\nc 10+7/(0-2)\nc 10+7%(0-2)\n", 0,
           "s 3 8; c 6; c 1; c 6; c 9; end");
}
END_TEST

START_TEST(sizes_have_units)
{
    expect(HEAD "0:\ns 1 4KiB\ns 1 2kB\ns 1 1MiB+1\ns 1 3*1kB\ns 1 5B\ns 1 5000000000\n", 0,
           "s 1 4096; s 1 2000; s 1 1048577; s 1 3000; s 1 5; s 1 5000000000; end");
}
END_TEST

START_TEST(times_are_decimal_in_the_unit_of_the_header)
{
    expect("%cct 1 ranks 1 unit us\n0: c 12.5\nc 1e3\nc 0.125\n", 0,
           "c 12.5; c 1000; c 0.125; end");
    expect("%cct 1 ranks 1 unit ms\n0: c 12.5\nc %n*2 t=2\n", 0, "c 12500; c 2000 t=2000; end");
    expect("%cct 1 ranks 1 unit ns\n0: c 1500\n", 0, "c 1.5; end");
    expect("%cct 1 ranks 1 unit s\n0: c 2\n", 0, "c 2e+06; end");
}
END_TEST

START_TEST(measured_times_belong_to_their_records)
{
    expect(HEAD "0: s 1 8 t=48.9\nr 1 8 t=0 # why\nb t=1e1\n", 0,
           "s 1 8 t=48.9; r 1 8 t=0; b t=10; end");
}
END_TEST

START_TEST(blanks_comments_and_carriage_returns_are_ignored)
{
    expect("# first\n\n  %cct 1 ranks 4 unit us # head\r\n\t0:\r\n  s   1\t8 # to one\r\n\r\n#\nb",
           0, "s 1 8; b; end");
}
END_TEST

/* A line followed by others is read by the fast path; one with blanks at its end is not. */
START_TEST(a_plain_line_means_what_it_means_with_blanks)
{
    static const char *const lines[] = {"s 1 8",         "is 2 0",
                                        "r 3 123456789", "ir 1 1234567890",
                                        "r any 5",       "w",
                                        "c 0",           "c 5.",
                                        "c .5",          "c 123.456789",
                                        "c 1e3",         "c 123456789",
                                        "c 1234567890",  "c 12345.6789012345",
                                        "c 0.000000001", "s 0-0+1 8",
                                        "s 1 1KiB",      "b"};
    char text[256], plain[PLAYED_BYTES], other[PLAYED_BYTES];

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        snprintf(text, sizeof(text), "%%cct 1 ranks 4 unit ms\n0:\n%s\nw\n#%040d\n", lines[i], 0);
        text_play(text, 0, plain);
        snprintf(text, sizeof(text), "%%cct 1 ranks 4 unit ms\n0:\n%s  \nw \n", lines[i]);
        text_play(text, 0, other);
        ck_assert_str_eq(plain, other);
    }
}
END_TEST

START_TEST(a_multicast_to_all_excludes_the_sender)
{
    expect(HEAD "*: m * 8\n", 2, "m 0,1,3 8; end");
}
END_TEST

static double mean_of_times(const char *text, size_t count)
{
    ccmod_trace *trace = text_trace(text);
    ccmod_workload *workload = NULL;
    ccmod_record record;
    double sum = 0;

    ck_assert_int_eq(ccmod_trace_workload(trace, 7, &workload, NULL), CCMOD_OK);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(workload->next(workload, 0, &record, NULL), CCMOD_OK);
        ck_assert_int_eq(record.kind, CCMOD_COMPUTE);
        ck_assert_msg(record.time_us >= 0, "record %d lasts %g us", (int)i, record.time_us);
        sum += record.time_us;
    }
    ccmod_workload_free(workload);
    ccmod_trace_close(trace);
    return sum / (double)count;
}

START_TEST(distributions_have_their_means)
{
    /* 4 standard errors of 100000 draws are 1.3 % for the first and less for the others */
    ck_assert_double_eq_tol(mean_of_times(HEAD "0:\n@ 100000\nc exp(250)\n;\n", 100000), 250, 3.2);
    ck_assert_double_eq_tol(mean_of_times(HEAD "0:\n@ 100000\nc uniform(10,30)\n;\n", 100000), 20,
                            0.1);
    ck_assert_double_eq_tol(mean_of_times(HEAD "0:\n@ 100000\nc normal(50,5)\n;\n", 100000), 50,
                            0.1);
}
END_TEST

static double first_time(uint64_t seed, uint32_t rank)
{
    ccmod_trace *trace = text_trace(HEAD "*:\nc exp(250)\n");
    ccmod_workload *workload = NULL;
    ccmod_record record;

    ck_assert_int_eq(ccmod_trace_workload(trace, seed, &workload, NULL), CCMOD_OK);
    ck_assert_int_eq(workload->next(workload, rank, &record, NULL), CCMOD_OK);
    ccmod_workload_free(workload);
    ccmod_trace_close(trace);
    return record.time_us;
}

START_TEST(draws_depend_on_seed_and_rank_only)
{
    ck_assert_double_eq(first_time(1, 2), first_time(1, 2));
    ck_assert_double_ne(first_time(1, 2), first_time(2, 2));
    ck_assert_double_ne(first_time(1, 2), first_time(1, 3));
}
END_TEST

/* Many sections of all kinds: each rank finds exactly its own. */
START_TEST(the_index_finds_all_sections_of_a_rank)
{
    char text[8192] = "%cct 1 ranks 40 unit us\n", expected[PLAYED_BYTES] = "";

    for (unsigned i = 0; i < 300; i++) {
        unsigned first = i * 7 % 40, last = first + i % 5 < 40 ? first + i % 5 : 39;

        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u-%u: c %u\n", first, last, i);
        if (first <= 17 && last >= 17)
            snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "c %u; ", i);
    }
    strcat(expected, "end");
    expect(text, 17, expected);
}
END_TEST

UNIT_MAIN("trace", every_record_is_read, a_receive_may_be_of_any_size,
          sections_of_a_rank_are_joined_in_file_order, a_rank_without_section_has_no_records,
          in_nested_loops_the_index_is_that_of_the_innermost,
          a_count_may_use_the_index_of_the_enclosing_loop, an_empty_loop_has_no_records,
          loops_are_not_unrolled, expressions_have_the_usual_precedence,
          division_and_remainder_are_floored, sizes_have_units,
          times_are_decimal_in_the_unit_of_the_header, measured_times_belong_to_their_records,
          blanks_comments_and_carriage_returns_are_ignored,
          a_plain_line_means_what_it_means_with_blanks, a_multicast_to_all_excludes_the_sender,
          distributions_have_their_means, draws_depend_on_seed_and_rank_only,
          the_index_finds_all_sections_of_a_rank)
