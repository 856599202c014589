/* The table of options: defaults, parsing, the text of each refusal, --help and the manual page. */
#include "base/options.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "tests/common/unit.h"

enum { STREAMS = 1, FARMS = 2 };

typedef struct {
    cb_list sizes, sources;
    uint64_t source_count, window, buffer_bytes, seed;
    double max_time_s, rate_hz, precision_pct, factor;
    const char *wait, *output;
    bool verify;
} test_settings;

static const char *const waits[] = {"auto", "spin", "yield", "block", NULL};

static const cb_option rows[] = {
    {"sizes", CB_OPTION_SIZE_LIST, 0, offsetof(test_settings, sizes), "LIST", "0,64,256,1024", NULL,
     0, 4294967296.0, NULL, CB_FILE_NONE, NULL, "sizes_bytes",
     "Sizes of the packets that are measured", NULL},
    {"sources", CB_OPTION_COUNT_LIST, STREAMS, offsetof(test_settings, sources), "LIST", NULL, NULL,
     1, 0x1p64, NULL, CB_FILE_NONE, NULL, "sources", "Numbers of sources, one measurement each",
     NULL},
    {"sources", CB_OPTION_COUNT, FARMS, offsetof(test_settings, source_count), "S", "4", NULL, 1,
     0x1p64, NULL, CB_FILE_NONE, NULL, "sources", "Number of sources of the farm", NULL},
    {"window", CB_OPTION_COUNT, STREAMS, offsetof(test_settings, window), "W", "64", NULL, 1, 65536,
     NULL, CB_FILE_NONE, NULL, "window",
     "Packets to a destination that may be without acknowledgement",
     "Only the manual page says this."},
    {"buffer", CB_OPTION_SIZE, 0, offsetof(test_settings, buffer_bytes), "BYTES", "1MiB", NULL, 0,
     0x1p64, NULL, CB_FILE_NONE, NULL, NULL, "Size of the buffer", NULL},
    {"seed", CB_OPTION_COUNT, 0, offsetof(test_settings, seed), "N", NULL, NULL, 0, 0x1p64, NULL,
     CB_FILE_NONE, NULL, "seed", "Seed of all random numbers", NULL},
    {"max-time", CB_OPTION_REAL, 0, offsetof(test_settings, max_time_s), "S", "1.5", NULL, 0.001,
     3600, "s", CB_FILE_NONE, NULL, "max_time_s",
     "Longest time of one measurement, with its warm-up", NULL},
    {"rate", CB_OPTION_REAL, FARMS, offsetof(test_settings, rate_hz), "R", NULL, NULL, 0.1,
     HUGE_VAL, "Hz", CB_FILE_NONE, NULL, "rate_Hz", "Rate at which events fall due", NULL},
    {"precision", CB_OPTION_REAL, 0, offsetof(test_settings, precision_pct), "PCT", "2%", NULL,
     0.01, 100, "%", CB_FILE_NONE, NULL, "precision_pct",
     "Half width of the confidence interval at which a run ends", NULL},
    {"factor", CB_OPTION_REAL, 0, offsetof(test_settings, factor), "X", "0.5", NULL, 0, 1, NULL,
     CB_FILE_NONE, NULL, NULL, "A bare number", NULL},
    {"wait", CB_OPTION_CHOICE, 0, offsetof(test_settings, wait), "POLICY", "auto", waits, 0, 0,
     NULL, CB_FILE_NONE, NULL, "wait", "How a process waits for a message", NULL},
    {"output", CB_OPTION_TEXT, 0, offsetof(test_settings, output), "FILE", NULL, NULL, 0, 0, NULL,
     CB_FILE_NONE, NULL, "output",
     ".json or .csv file for the results; it's written under a temporary name", NULL},
    {"verify", CB_OPTION_FLAG, 0, offsetof(test_settings, verify), NULL, NULL, NULL, 0, 0, NULL,
     CB_FILE_NONE, NULL, "verify", "Check every byte in a pass of its own that is not timed", NULL},
    {"a-name-of-many-letters", CB_OPTION_FLAG, STREAMS, offsetof(test_settings, verify), NULL, NULL,
     NULL, 0, 0, NULL, CB_FILE_NONE, NULL, NULL, "Show that a long name gets a line of its own",
     NULL},
    {"help", CB_OPTION_ACTION, 0, 0, NULL, NULL, NULL, 0, 0, NULL, CB_FILE_NONE, NULL, NULL,
     "Print this text", NULL},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void name_owners(const cb_option_table *of, const char *name, char *text, size_t bytes)
{
    ck_assert_str_eq(of->program, "cb_test");
    snprintf(text, bytes, "%s", strcmp(name, "rate") == 0 ? "cb_pushfarm, cb_pullfarm" : "others");
}

static const cb_option_table table = {
    .program = "cb_test",
    .summary = "one source, one destination (DAQ note 48, 1.1)",
    .description = "A packet goes from the source to the destination and back, and half of the "
                   "time that this takes is the latency.\n\nThe second paragraph says a \\ and "
                   "a 'quoted' word with a line-break to follow.",
    .synopsis = "mpirun -np N cb_test [OPTION]...",
    .exit_statuses =
        (const char *const[]){"0", "measured", "2", "wrong before the first measurement", "77",
                              "a capability is missing", NULL},
    .options = rows,
    .option_count = ROWS,
    .mask = STREAMS,
    .name_owners = name_owners,
};

static const cb_option *action;
static bool given[ROWS];

/* Parse these words (up to NULL); the options start with their defaults. */
static cb_status parse(test_settings *settings, ...)
{
    char *words[16] = {(char[]){"cb_test"}};
    int count = 1;
    va_list arguments;

    va_start(arguments, settings);
    for (char *word; (word = va_arg(arguments, char *)) != NULL; count++)
        words[count] = word;
    va_end(arguments);
    ck_assert_int_eq(cb_options_defaults(&table, settings), CB_OK);
    return cb_options_parse(&table, count, words, settings, given, &action);
}

static FILE *capture_stderr(void)
{
    FILE *file = tmpfile();

    dup2(fileno(file), STDERR_FILENO);
    cb_log_identify("cb_test", -1);
    return file;
}

/* The text written to the file, in static storage; closes the file. */
static const char *contents(FILE *file)
{
    static char text[16384];
    size_t length;

    rewind(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* Expect that the words are refused with this message and that nothing has to be freed. */
#define check_refusal(message, ...)                                                                \
    do {                                                                                           \
        test_settings refused;                                                                     \
        FILE *captured = capture_stderr();                                                         \
                                                                                                   \
        ck_assert_int_eq(parse(&refused, __VA_ARGS__, NULL), CB_ERROR_USAGE);                      \
        ck_assert_str_eq(contents(captured), "cb_test: error: " message "\n");                     \
    } while (0)

/* Expect that the words are accepted and `expression` holds for the settings in `taken`. */
#define check_taken(expression, ...)                                                               \
    do {                                                                                           \
        test_settings taken;                                                                       \
                                                                                                   \
        ck_assert_int_eq(parse(&taken, __VA_ARGS__, NULL), CB_OK);                                 \
        ck_assert(expression);                                                                     \
        cb_options_free(&table, &taken);                                                           \
    } while (0)

static void check_golden(FILE *file, const char *name)
{
    static char expected[16384];
    const char *folder = getenv("srcdir");
    const char *text = contents(file);
    char path[4096];
    FILE *golden;

    snprintf(path, sizeof(path), "%s/tests/base/golden/%s", folder != NULL ? folder : ".", name);
    golden = fopen(path, "r");
    ck_assert_msg(golden != NULL, "cannot open %s; set srcdir to the top of the sources", path);
    expected[fread(expected, 1, sizeof(expected) - 1, golden)] = '\0';
    fclose(golden);
    ck_assert_str_eq(text, expected);
}

START_TEST(defaults_are_parsed_as_if_typed)
{
    test_settings defaults;

    ck_assert_int_eq(cb_options_defaults(&table, &defaults), CB_OK);
    ck_assert_uint_eq(defaults.sizes.count, 4);
    ck_assert_uint_eq(defaults.sizes.values[3], 1024);
    ck_assert_uint_eq(defaults.window, 64);
    ck_assert_uint_eq(defaults.buffer_bytes, 1 << 20);
    ck_assert_double_eq(defaults.max_time_s, 1.5);
    ck_assert_double_eq(defaults.precision_pct, 2);
    ck_assert_str_eq(defaults.wait, "auto");
    cb_options_free(&table, &defaults);
}
END_TEST

START_TEST(fields_without_default_or_of_other_programs_are_zero)
{
    test_settings defaults;

    memset(&defaults, 0x55, sizeof(defaults));
    ck_assert_int_eq(cb_options_defaults(&table, &defaults), CB_OK);
    ck_assert_ptr_null(defaults.output);
    ck_assert_ptr_null(defaults.sources.values);
    ck_assert_uint_eq(defaults.source_count, 0);
    ck_assert_double_eq(defaults.rate_hz, 0);
    ck_assert(!defaults.verify);
    cb_options_free(&table, &defaults);
}
END_TEST

START_TEST(every_type_is_parsed)
{
    check_taken(taken.sizes.count == 2 && taken.sizes.values[1] == 4096, "--sizes", "1,4KiB");
    check_taken(taken.sources.count == 3 && taken.sources.values[2] == 9, "--sources", "7-9");
    check_taken(taken.window == 8, "--window=8");
    check_taken(taken.buffer_bytes == 2000, "--buffer", "2kB");
    check_taken(fabs(taken.max_time_s - 0.25) < 1e-15, "--max-time", "250ms");
    check_taken(strcmp(taken.wait, "spin") == 0, "--wait", "spin");
    check_taken(strcmp(taken.output, "a.json") == 0, "--output", "a.json");
    check_taken(taken.verify, "--verify");
}
END_TEST

START_TEST(a_choice_points_to_the_text_of_the_table)
{
    check_taken(taken.wait == waits[2], "--wait", "yield");
}
END_TEST

START_TEST(an_unambiguous_abbreviation_is_accepted)
{
    check_taken(taken.window == 8, "--win", "8");
}
END_TEST

START_TEST(the_last_of_repeated_options_counts)
{
    check_taken(taken.sizes.count == 1 && taken.sizes.values[0] == 7, "--sizes", "1,2", "--sizes",
                "7");
}
END_TEST

START_TEST(given_reports_which_options_the_user_typed)
{
    test_settings taken;

    ck_assert_int_eq(parse(&taken, "--window", "64", NULL), CB_OK);
    for (size_t i = 0; i < ROWS; i++)
        ck_assert_int_eq(given[i], strcmp(rows[i].name, "window") == 0);
    cb_options_free(&table, &taken);
}
END_TEST

START_TEST(parsing_can_be_repeated)
{
    check_taken(taken.window == 8, "--window", "8");
    check_refusal("unknown option '--foo'; see cb_test --help", "--verify", "--foo", "--verify");
    check_taken(taken.window == 9, "--window", "9");
}
END_TEST

START_TEST(an_action_ends_the_parsing)
{
    test_settings taken;

    ck_assert_int_eq(parse(&taken, "--verify", "--help", "--nonsense", NULL), CB_OK);
    ck_assert_ptr_eq(action, &rows[ROWS - 1]);
    ck_assert(taken.verify);
    cb_options_free(&table, &taken);
}
END_TEST

START_TEST(no_action_is_reported_without_an_action_option)
{
    check_taken(action == NULL, "--verify");
}
END_TEST

START_TEST(two_dashes_end_the_options)
{
    check_taken(taken.verify, "--verify", "--");
}
END_TEST

START_TEST(an_error_leaves_no_list_allocated)
{
    test_settings refused;
    FILE *captured = capture_stderr();

    ck_assert_int_eq(parse(&refused, "--sources", "1,2", "--foo", NULL), CB_ERROR_USAGE);
    fclose(captured);
    ck_assert_ptr_null(refused.sizes.values);
    ck_assert_ptr_null(refused.sources.values);
}
END_TEST

START_TEST(an_unknown_option_is_refused)
{
    check_refusal("unknown option '--foo'; see cb_test --help", "--foo=5");
}
END_TEST

START_TEST(a_short_option_is_refused)
{
    check_refusal("unknown option '-xv'; options have two dashes and a name, see cb_test --help",
                  "-xv");
}
END_TEST

START_TEST(an_option_without_a_name_is_unknown)
{
    check_refusal("unknown option '--'; see cb_test --help", "--=5");
}
END_TEST

START_TEST(an_ambiguous_abbreviation_is_reported_with_its_candidates)
{
    check_refusal("option '--s' is ambiguous; write one of --sizes, --sources, --seed", "--s", "5");
}
END_TEST

START_TEST(a_missing_argument_is_reported_with_its_name)
{
    check_refusal("--sizes needs an argument; write --sizes=LIST", "--sizes");
}
END_TEST

START_TEST(an_argument_of_a_flag_is_refused)
{
    check_refusal("--verify=yes: --verify takes no argument; write only --verify", "--verify=yes");
}
END_TEST

START_TEST(an_option_of_other_programs_is_reported_with_their_names)
{
    check_refusal("--rate has no meaning for cb_test; leave it out, or run what takes it: "
                  "cb_pushfarm, cb_pullfarm",
                  "--rate", "100kHz");
}
END_TEST

START_TEST(an_option_of_other_programs_is_reported_even_without_its_argument)
{
    check_refusal("--rate has no meaning for cb_test; leave it out, or run what takes it: "
                  "cb_pushfarm, cb_pullfarm",
                  "--rate");
}
END_TEST

START_TEST(a_value_that_does_not_parse_is_reported_with_reason_and_remedy)
{
    check_refusal("--sizes '4KX': unknown unit 'KX'; use B, kB, MB, GB, KiB, MiB or GiB", "--sizes",
                  "4KX");
}
END_TEST

START_TEST(a_value_out_of_range_is_reported_with_the_range)
{
    check_refusal("--window '0': too small; use 1 to 65536", "--window", "0");
    check_refusal("--precision '101%': too large; use 0.01 to 100 %", "--precision", "101%");
}
END_TEST

START_TEST(a_wrong_choice_is_reported_with_the_choices)
{
    check_refusal("--wait 'sleep': not a choice; use auto, spin, yield or block", "--wait",
                  "sleep");
}
END_TEST

START_TEST(an_empty_text_is_refused)
{
    check_refusal("--output '': empty; give FILE, or leave the option out", "--output", "");
}
END_TEST

START_TEST(an_operand_is_refused)
{
    check_refusal("stray operand 'x'; cb_test takes options only, see cb_test --help", "--verify",
                  "x");
    check_refusal("stray operand '-'; cb_test takes options only, see cb_test --help", "-");
    check_refusal("stray operand '--verify'; cb_test takes options only, see cb_test --help", "--",
                  "--verify");
}
END_TEST

typedef struct {
    const char *trace;
    bool verify;
} operand_settings;

static const cb_option operand_rows[] = {
    {.name = "verify",
     .type = CB_OPTION_FLAG,
     .offset = offsetof(operand_settings, verify),
     .help = "Check"},
    {.name = "TRACE",
     .type = CB_OPTION_OPERAND,
     .offset = offsetof(operand_settings, trace),
     .argument = "TRACE",
     .help = "What is read"},
};

static const cb_option_table operand_table = {
    .program = "cb_test", .options = operand_rows, .option_count = 2};

static cb_status parse_operands(operand_settings *settings, int count, char **words)
{
    ck_assert_int_eq(cb_options_defaults(&operand_table, settings), CB_OK);
    return cb_options_parse(&operand_table, count, words, settings, NULL, &action);
}

START_TEST(an_operand_with_a_row_is_accepted_at_any_position)
{
    char program[] = "cb_test", verify[] = "--verify", trace[] = "a.cct", dash[] = "-";
    operand_settings settings;

    ck_assert_int_eq(parse_operands(&settings, 3, (char *[]){program, verify, trace, NULL}), CB_OK);
    ck_assert(settings.verify && strcmp(settings.trace, "a.cct") == 0);
    ck_assert_int_eq(parse_operands(&settings, 3, (char *[]){program, trace, verify, NULL}), CB_OK);
    ck_assert(settings.verify && strcmp(settings.trace, "a.cct") == 0);
    ck_assert_int_eq(parse_operands(&settings, 2, (char *[]){program, dash, NULL}), CB_OK);
    ck_assert_str_eq(settings.trace, "-");
    ck_assert_int_eq(parse_operands(&settings, 2, (char *[]){program, verify, NULL}), CB_OK);
    ck_assert_ptr_null(settings.trace);
}
END_TEST

START_TEST(a_second_operand_is_refused)
{
    char program[] = "cb_test", first[] = "a", second[] = "b";
    FILE *captured = capture_stderr();
    operand_settings settings;

    ck_assert_int_eq(parse_operands(&settings, 3, (char *[]){program, first, second, NULL}),
                     CB_ERROR_USAGE);
    ck_assert_str_eq(contents(captured), "cb_test: error: stray operand 'b'; cb_test takes one "
                                         "TRACE, see cb_test --help\n");
}
END_TEST

START_TEST(help_shows_an_operand_without_dashes)
{
    cb_option_table shown = operand_table;
    FILE *file = tmpfile();

    shown.summary = shown.description = shown.synopsis = "x";
    shown.exit_statuses = (const char *const[]){NULL};
    cb_options_help(&shown, file);
    ck_assert_ptr_nonnull(strstr(contents(file), "\n  TRACE                   What is read\n"));
}
END_TEST

START_TEST(a_long_value_does_not_hide_the_reason)
{
    check_refusal(
        "--wait 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...': "
        "not a choice; use auto, spin, yield or block",
        "--wait",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
}
END_TEST

static const cb_option mistakes[] = {
    {"a", CB_OPTION_COUNT, 0, 0, "N", "x", NULL, 0, 9, NULL, CB_FILE_NONE, NULL, NULL,
     "A default that does not parse", NULL},
    {"b", CB_OPTION_COUNT, 0, 0, "N", NULL, NULL, 9, 9, NULL, CB_FILE_NONE, NULL, NULL,
     "An empty range", NULL},
    {"c", CB_OPTION_COUNT, 0, 0, NULL, NULL, NULL, 0, 9, NULL, CB_FILE_NONE, NULL, NULL,
     "No name of the argument", NULL},
    {"d", CB_OPTION_CHOICE, 0, 0, "C", NULL, NULL, 0, 0, NULL, CB_FILE_NONE, NULL, NULL,
     "No choices", NULL},
    {"e", CB_OPTION_FLAG, 0, 0, NULL, "1", NULL, 0, 0, NULL, CB_FILE_NONE, NULL, NULL,
     "A flag with a default", NULL},
    {"f", CB_OPTION_FLAG, 0, 0, NULL, NULL, NULL, 0, 0, NULL, CB_FILE_NONE, NULL, NULL, NULL, NULL},
};

START_TEST(a_mistake_in_a_row_of_the_table_is_found)
{
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
        cb_option_table wrong = table;
        test_settings defaults;
        FILE *captured = capture_stderr();

        wrong.options = &mistakes[i];
        wrong.option_count = 1;
        ck_assert_int_eq(cb_options_defaults(&wrong, &defaults), CB_ERROR_USAGE);
        ck_assert_ptr_nonnull(strstr(contents(captured), "fix the row"));
    }
}
END_TEST

START_TEST(two_rows_of_one_name_in_a_program_are_a_mistake)
{
    cb_option_table wrong = table;
    test_settings defaults;
    FILE *captured = capture_stderr();

    wrong.mask = STREAMS | FARMS;
    ck_assert_int_eq(cb_options_defaults(&wrong, &defaults), CB_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(contents(captured), "another row with a meaning has its name"));
}
END_TEST

static void note_name(const cb_option *row, const void *value, void *context)
{
    char *names = context;

    ck_assert_ptr_nonnull(value);
    strcat(names, row->key);
    strcat(names, " ");
}

START_TEST(visit_skips_options_that_were_not_given)
{
    test_settings taken;
    char names[512] = "";

    ck_assert_int_eq(parse(&taken, "--seed", "5", NULL), CB_OK);
    cb_options_visit(&table, &taken, note_name, names);
    ck_assert_str_eq(names, "sizes_bytes window seed max_time_s precision_pct wait verify ");
    cb_options_free(&table, &taken);
}
END_TEST

static void note_window(const cb_option *row, const void *value, void *context)
{
    if (strcmp(row->name, "window") == 0)
        *(uint64_t *)context = *(const uint64_t *)value;
}

START_TEST(visit_points_to_the_value)
{
    test_settings taken;
    uint64_t window = 0;

    ck_assert_int_eq(parse(&taken, "--window", "8", NULL), CB_OK);
    cb_options_visit(&table, &taken, note_window, &window);
    ck_assert_uint_eq(window, 8);
    cb_options_free(&table, &taken);
}
END_TEST

START_TEST(help_is_the_golden_text)
{
    FILE *file = tmpfile();

    cb_options_help(&table, file);
    check_golden(file, "options_help.txt");
}
END_TEST

START_TEST(no_line_of_help_is_wider_than_80_columns)
{
    FILE *file = tmpfile();

    cb_options_help(&table, file);
    for (const char *line = contents(file); *line != '\0'; line += strcspn(line, "\n") + 1)
        ck_assert_uint_le(strcspn(line, "\n"), 80);
}
END_TEST

START_TEST(the_manual_page_is_the_golden_text)
{
    FILE *file = tmpfile();

    cb_options_manual(&table, "0.1.0", "2026-11-21", file);
    check_golden(file, "options_manual.1");
}
END_TEST

UNIT_MAIN("options", defaults_are_parsed_as_if_typed,
          fields_without_default_or_of_other_programs_are_zero, every_type_is_parsed,
          a_choice_points_to_the_text_of_the_table, an_unambiguous_abbreviation_is_accepted,
          the_last_of_repeated_options_counts, given_reports_which_options_the_user_typed,
          parsing_can_be_repeated, an_action_ends_the_parsing,
          no_action_is_reported_without_an_action_option, two_dashes_end_the_options,
          an_error_leaves_no_list_allocated, an_unknown_option_is_refused,
          a_short_option_is_refused, an_option_without_a_name_is_unknown,
          an_ambiguous_abbreviation_is_reported_with_its_candidates,
          a_missing_argument_is_reported_with_its_name, an_argument_of_a_flag_is_refused,
          an_option_of_other_programs_is_reported_with_their_names,
          an_option_of_other_programs_is_reported_even_without_its_argument,
          a_value_that_does_not_parse_is_reported_with_reason_and_remedy,
          a_value_out_of_range_is_reported_with_the_range,
          a_wrong_choice_is_reported_with_the_choices, an_empty_text_is_refused,
          an_operand_is_refused, an_operand_with_a_row_is_accepted_at_any_position,
          a_second_operand_is_refused, help_shows_an_operand_without_dashes,
          a_long_value_does_not_hide_the_reason, a_mistake_in_a_row_of_the_table_is_found,
          two_rows_of_one_name_in_a_program_are_a_mistake, visit_skips_options_that_were_not_given,
          visit_points_to_the_value, help_is_the_golden_text,
          no_line_of_help_is_wider_than_80_columns, the_manual_page_is_the_golden_text)
