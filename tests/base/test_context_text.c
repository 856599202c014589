/* Texts made fit for libconfuse: comments become blanks and lines stay where they are; what is not
 * closed is found, with the line where it was opened. */
#include "base/context_internal.h"

#include <string.h>

#include "tests/common/unit.h"

static char text[256];
static char why[CONTEXT_WHY_BYTES];
static long line;

static bool blank(const char *source)
{
    size_t bytes = strlen(source);

    ck_assert_uint_lt(bytes, sizeof(text));
    memcpy(text, source, bytes + 1);
    why[0] = '\0';
    return cb_context_blank(text, bytes, &line, why);
}

START_TEST(comments_become_blanks_and_line_numbers_stay)
{
    static const struct {
        const char *source, *result;
    } texts[] = {
        {"", ""},
        {"# x\na = 1 # y", "   \na = 1    "},
        {"#\n", " \n"},
        {"// x\na=1//y\n", "    \na=1//y\n"},
        {"a = 1 //y\n", "a = 1    \n"},
        {"/* x\n y */ a = 1", "    \n      a = 1"},
        {"a/**/b", "a    b"},
        {"/*/ */a", "      a"},
        {"# /* x\na = 1", "      \na = 1"},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(blank(texts[i].source), "%s: %s", texts[i].source, why);
        ck_assert_str_eq(text, texts[i].result);
    }
}
END_TEST

START_TEST(text_in_strings_and_variables_is_kept)
{
    static const char *const texts[] = {
        "a = \"# { /* * \"", "a = '// } '",         "a = \"\\\"#\"",     "a = '\\'#'",
        "a = ${X}",          "a = \"${X:-\"#\"}\"", "a = \"x\n# y\nz\"", "a = http://b/c",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(blank(texts[i]), "%s: %s", texts[i], why);
        ck_assert_str_eq(text, texts[i]);
    }
}
END_TEST

START_TEST(unbalanced_text_is_reported_where_it_starts)
{
    static const struct {
        const char *source;
        long line;
        const char *why;
    } texts[] = {
        {"\n\na { b {\n }\n", 3, "{"},
        {"\na = \"b\n\n", 2, "string"},
        {"a = 'b\\'", 1, "string"},
        {"\n\n/* b\n\n", 3, "comment"},
        {"/*/", 1, "comment"},
        {"a {\n}\n}", 3, "}"},
        {"a = \"${x\"\nb = \"", 2, "string"},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(!blank(texts[i].source), "%s", texts[i].source);
        ck_assert_int_eq(line, texts[i].line);
        ck_assert_ptr_nonnull(strstr(why, texts[i].why));
    }
}
END_TEST

START_TEST(unexpected_characters_are_refused)
{
    static const char bytes[] = {'a', '\0', '\n'};

    ck_assert(!blank("\na = 1*"));
    ck_assert_int_eq(line, 2);
    ck_assert(!blank("a = \001"));
    ck_assert(blank("a = 1\r\n\tb = 2"));
    memcpy(text, bytes, sizeof(bytes));
    ck_assert(!cb_context_blank(text, sizeof(bytes), &line, why));
}
END_TEST

UNIT_MAIN("context_text", comments_become_blanks_and_line_numbers_stay,
          text_in_strings_and_variables_is_kept, unbalanced_text_is_reported_where_it_starts,
          unexpected_characters_are_refused)
