/* Invalid traces: each is refused with file, line, mistake and remedy, without a crash and
 * without an evaluation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/trace_text.h"
#include "tests/common/unit.h"

#define HEAD "%cct 1 ranks 4 unit us\n"

typedef struct {
    const char *text;
    size_t line;
    const char *says; /* part of the error */
} wrong_trace;

/* Mistakes that are found when the trace is read. */
static const wrong_trace unreadable[] = {
    {"", 1, "empty"},
    {"\n\n# nothing\n", 1, "empty"},
    {"s 1 8\n", 1, "not the head"},
    {"%cct 2 ranks 4 unit us\n", 1, "the version of the trace"},
    {"%cct 1 ranks 0 unit us\n", 1, "not the head"},
    {"%cct 1 ranks -1 unit us\n", 1, "not the head"},
    {"%cct 1 ranks 3000000000 unit us\n", 1, "not the head"},
    {"%cct 1 ranks 4 unit hours\n", 1, "not the head"},
    {"%cct 1 ranks 4 unit us us\n", 1, "not the head"},
    {"%cct 1 ranks 4\n", 1, "not the head"},
    {"\x7f\x45LF\x02\x01\x01", 1, "not the head"},
    {HEAD "s 1 8\n", 2, "precedes the first section"},
    {HEAD "%cut it ended early\n0:\ns 1 8\n", 2, "the trace is cut: it ended early; "},
    {HEAD "0:\ns 1 8\n%cut\x1b[31m", 4, "cannot read the record"},
    {HEAD "0:\ns 1 8\n%cut \x1b[31m\n", 4, "the trace is cut: ; "},
    {HEAD "0:\nx 1 8\n", 3, "cannot read the record 'x'"},
    {HEAD "0:\n\x80\xff\x01\n", 3, "cannot read the record"},
    {HEAD "0:\ns\n", 3, "the rank is incomplete"},
    {HEAD "0:\ns 1\n", 3, "the size is incomplete"},
    {HEAD "0:\ns 1 8 9\n", 3, "unexpected after the record"},
    {HEAD "0:\ns 4 8\n", 3, "rank 4 is unknown"},
    {HEAD "0:\nr 99 8\n", 3, "rank 99 is unknown"},
    {HEAD "0:\ns -1 8\n", 3, "must be between 0 and"},
    {HEAD "0:\ns 1 -8\n", 3, "must be between 0 and"},
    {HEAD "0:\ns 1 99999999999999999999\n", 3, "too large"},
    {HEAD "0:\ns 1 9007199254740993\n", 3, "must be between 0 and"},
    {HEAD "0:\ns 1 9999999999GiB\n", 3, "too large"},
    {HEAD "0:\ns 1 8XB\n", 3, "separate fields by blanks"},
    {HEAD "0:\ns 1 8/0\n", 3, "must be between 0 and"},
    {HEAD "0:\ns any 8\n", 3, "cannot read the rank at 'any'"},
    {HEAD "0:\nr anyone 8\n", 3, "cannot read the rank"},
    {HEAD "0:\nc -5\n", 3, "time"},
    {HEAD "0:\nc\n", 3, "the time is incomplete"},
    {HEAD "0:\nc 1e400\n", 3, "time"},
    {HEAD "0:\nc 1e16\n", 3, "thirty years"},
    {HEAD "0:\nc nan\n", 3, "time"},
    {HEAD "0:\nc exp(-1)\n", 3, "time of a distribution"},
    {HEAD "0:\nc exp(1\n", 3, "closing parenthesis"},
    {HEAD "0:\nc uniform(5)\n", 3, "two times"},
    {HEAD "0:\nc uniform(5,4)\n", 3, "LOW above HIGH"},
    {HEAD "0:\nc 5 t=x\n", 3, "measured time"},
    {HEAD "0:\nc 5 t=-1\n", 3, "measured time"},
    {HEAD "0:\n@ 3 t=1\n;\n", 3, "no measured time"},
    {HEAD "0:\ns 1 *\n", 3, "size"},
    {HEAD "0:\nm 1 *\n", 3, "size"},
    {HEAD "0:\nr 1 **\n", 3, "size"},
    {HEAD "0:\nr * 8\n", 3, "rank"},
    {HEAD "0:\nr 1 * 8\n", 3, "unexpected after the record"},
    {HEAD "0:\ns %i 8\n", 3, "only valid in a loop"},
    {HEAD "0:\ns %q 8\n", 3, "one of %i"},
    {HEAD "0:\ns (1 8\n", 3, "closing parenthesis"},
    {HEAD "0:\ns 1+ 8\n", 3, "must follow"},
    {HEAD "0:\nm 1-9 8\n", 3, "rank 9 is unknown"},
    {HEAD "0:\nm 3-1 8\n", 3, "backwards"},
    {HEAD "0:\nm 1,2,1 8\n", 3, "twice"},
    {HEAD "0:\nm 1- 8\n", 3, "last rank"},
    {HEAD "0:\nm , 8\n", 3, "a rank is missing"},
    {HEAD "0-9:\n", 2, "rank 9 is unknown"},
    {HEAD "1,1:\n", 2, "twice"},
    {HEAD "0\nb\n", 2, "a ':' must follow"},
    {HEAD "0:\nb\n;\n", 4, "closes no loop"},
    {HEAD "0:\n@ 2\nb\n", 3, "not closed"},
    {HEAD "0:\n@ 2\nb\n1:\nb\n", 3, "not closed"},
    {HEAD "0:\n@ -1\nb\n;\n", 3, "must be between 0 and"},
    {HEAD "0:\n@ x\nb\n;\n", 3, "count"},
};

/* Mistakes that are found when a rank plays the record. */
static const wrong_trace unplayable[] = {
    {HEAD "0:\ns %r-1 8\n", 3, "the peer of rank 0"},
    {HEAD "0:\ns %r+%n 8\n", 3, "the peer of rank 0"},
    {HEAD "0:\n@ 3\nc 2-%i*2\n;\n", 4, "the time of rank 0, at index 2"},
    {HEAD "0:\ns 1 8/%r\n", 3, "the size of rank 0"},
    {HEAD "0:\ns 1 9000000000000000000*(%n+1)\n", 3, "the size of rank 0"},
    {HEAD "0:\n@ 0-%n\nb\n;\n", 3, "the count of rank 0"},
    {HEAD "0:\ns %r 8\n", 3, "itself"},
    {HEAD "0:\nr 0 8\n", 3, "itself"},
    {HEAD "0:\nm 0-2 8\n", 3, "its own multicast"},
    {HEAD "0:\n@ 9999999\n@ %i*0\nb\n;\n;\n", 4, "without a record"},
    {HEAD "0:\ns 1 8\n1:\nc 1\nr 0 9\n", 6, "line 3 and has 8 bytes"},
    {HEAD "1:\nr 0 9\n0:\nc 1\nis 1 8\n", 3, "line 6 and has 8 bytes"},
    {HEAD "0:\nm 1,2 8\n1:\nr 0 9\n", 5, "line 3 and has 8 bytes"},
    {HEAD "0:\nr any 9\n1:\ns 0 8\n", 3, "line 5 and has 8 bytes"},
};

/* Mistakes that are found at the end of the evaluation. */
static const wrong_trace endless[] = {
    {HEAD "0:\nr 1 8\n", 3, "receives from rank 1; rank 1 has ended"},
    {HEAD "0:\ns 1 8\n", 3, "sends to rank 1; rank 1 has ended"},
    {HEAD "0:\nr any 8\n", 3, "receives from any rank"},
    {HEAD "0:\nis 1 8\n", 3, "no rank receives"},
    {HEAD "*:\nis (%r+3)%%n 8\n", 3, "rank 1 sends 8 bytes to rank 0"},
    {HEAD "0:\nis 1 8\nis 1 8\n1:\nr 0 8\n", 4, "no rank receives"},
    {HEAD "0:\nir 1 8\n", 3, "no rank sends"},
    {HEAD "0:\nir any 8\n", 3, "no rank sends"},
    {HEAD "0:\nir 1 *\n", 3, "receives a message from rank 1 here, which no rank sends"},
    {HEAD "0:\nir 1 8\nw\n", 4, "waits for what it started with rank 1; rank 1 has ended"},
    {HEAD "0:\nis 1 8\nw\n", 4, "waits for what it started with rank 1; rank 1 has ended"},
    {HEAD "0:\nm 1,2 8\n1:\nr 0 8\n", 3, "not yet received by rank 2; rank 2 has ended"},
    {HEAD "0-2:\nb\n", 3, "barrier without rank 3; rank 3 has ended"},
    {HEAD "0:\nr 1 8\ns 1 8\n1:\nr 0 8\ns 0 8\n", 3,
     "rank 0 (line 3) receives from rank 1; rank 1 (line 6) receives from rank 0"},
    {HEAD "3:\nr 0 8\n0-2:\ns (%r+1)%3 8\nr (%r+2)%3 8\n", 5, "4 of 4 ranks wait"},
};

static void expect_error(const wrong_trace *wrong, ccmod_status wanted, ccmod_status status,
                         const ccmod_error *error)
{
    char place[64];

    ck_assert_msg(status == wanted, "status %d for:\n%s", (int)status, wrong->text);
    snprintf(place, sizeof(place), "test.cct:%zu: ", wrong->line);
    ck_assert_msg(strncmp(error->text, place, strlen(place)) == 0 && error->line == wrong->line,
                  "'%s' does not name line %zu for:\n%s", error->text, wrong->line, wrong->text);
    ck_assert_msg(strstr(error->text, wrong->says) != NULL, "'%s' does not say '%s' for:\n%s",
                  error->text, wrong->says, wrong->text);
    ck_assert_msg(strchr(error->text, ';') != NULL || strstr(error->text, "must") != NULL,
                  "'%s' has no remedy", error->text);
}

static void expect_errors(const wrong_trace *table, size_t count, ccmod_status wanted)
{
    const ccmod_calibration calibration = ccmod_calibration_line(1, 1, 1000);
    const ccmod_parameters parameters = ccmod_parameters_default();

    for (size_t i = 0; i < count; i++) {
        ccmod_result *result = NULL;
        ccmod_error error = {.text = ""};
        ccmod_status status =
            text_evaluate(table[i].text, &calibration, &parameters, &result, &error);

        expect_error(&table[i], wanted, status, &error);
    }
}

START_TEST(an_invalid_trace_is_refused_with_its_line)
{
    expect_errors(unreadable, sizeof(unreadable) / sizeof(unreadable[0]), CCMOD_ERROR_USAGE);
}
END_TEST

START_TEST(an_invalid_record_is_refused_with_its_line_when_it_is_played)
{
    expect_errors(unplayable, sizeof(unplayable) / sizeof(unplayable[0]), CCMOD_ERROR_USAGE);
}
END_TEST

START_TEST(a_deadlock_is_explained)
{
    expect_errors(endless, sizeof(endless) / sizeof(endless[0]), CCMOD_ERROR_DATA);
}
END_TEST

/* Every prefix of a trace is read or refused, without reading beyond its end. */
START_TEST(a_truncated_trace_is_read_or_refused)
{
    static const char whole[] =
        HEAD "0:\n@ 3\ns (%r+1)%%n 4KiB t=1.5\nm 1-3 8\n;\nc exp(5)\nr any 8";

    for (size_t length = 0; length < sizeof(whole); length++) {
        char *copy = malloc(length > 0 ? length : 1);
        ccmod_trace *trace = NULL;
        ccmod_error error = {.text = ""};

        ck_assert_ptr_nonnull(copy);
        memcpy(copy, whole, length);
        if (ccmod_trace_parse("cut.cct", copy, length, &trace, &error) == CCMOD_OK)
            ccmod_trace_close(trace);
        else
            ck_assert_msg(strstr(error.text, "cut.cct:") == error.text, "'%s'", error.text);
        free(copy);
    }
}
END_TEST

START_TEST(a_line_of_a_million_characters_is_refused_with_a_short_message)
{
    size_t length = 1000000;
    char *text = malloc(length);
    ccmod_trace *trace = NULL;
    ccmod_error error;

    ck_assert_ptr_nonnull(text);
    memset(text, '(', length);
    memcpy(text, HEAD "0:\ns ", strlen(HEAD "0:\ns "));
    ck_assert_int_eq(ccmod_trace_parse("long.cct", text, length, &trace, &error),
                     CCMOD_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "nested too deeply"));
    ck_assert_uint_eq(error.line, 3);
    free(text);
}
END_TEST

START_TEST(loops_nested_too_deeply_are_refused)
{
    char text[512] = HEAD "0:\n";
    ccmod_trace *trace = NULL;
    ccmod_error error;

    for (int i = 0; i < 33; i++)
        strcat(text, "@ 2\n");
    ck_assert_int_eq(ccmod_trace_parse("deep.cct", text, strlen(text), &trace, &error),
                     CCMOD_ERROR_USAGE);
    ck_assert_uint_eq(error.line, 35);
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_named)
{
    ccmod_trace *trace = NULL;
    ccmod_error error;

    ck_assert_int_eq(ccmod_trace_open("/nonexistent/a.cct", &trace, &error), CCMOD_ERROR_SYSTEM);
    ck_assert_ptr_nonnull(strstr(error.text, "/nonexistent/a.cct"));
    ck_assert_int_eq(ccmod_trace_open("/", &trace, &error), CCMOD_ERROR_SYSTEM);
}
END_TEST

UNIT_MAIN("trace_errors", an_invalid_trace_is_refused_with_its_line,
          an_invalid_record_is_refused_with_its_line_when_it_is_played, a_deadlock_is_explained,
          a_truncated_trace_is_read_or_refused,
          a_line_of_a_million_characters_is_refused_with_a_short_message,
          loops_nested_too_deeply_are_refused, a_file_that_cannot_be_read_is_named)
