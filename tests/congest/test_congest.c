/* Victims and aggressors: the ratio and its interval, the ranks, and the texts that name
 * benchmarks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "benchmarks/registry.h"
#include "congest/command.h"
#include "congest/impact.h"
#include "congest/members.h"
#include "tests/common/unit.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const double tolerance = 1e-9;

START_TEST(an_idle_aggressor_has_the_impact_one)
{
    const double alone[] = {3, 3, 3, 3}, beside[] = {3, 3, 3};
    const congest_impact impact = congest_impact_of(alone, beside, 3);

    ck_assert_double_eq_tol(impact.ratio, 1, tolerance);
    ck_assert_double_eq_tol(impact.low, 1, tolerance);
    ck_assert_double_eq_tol(impact.high, 1, tolerance);
}
END_TEST

START_TEST(a_steady_drift_cancels_out)
{
    const double alone[] = {1, 4, 16}, beside[] = {2 * 2, 2 * 8};
    const congest_impact impact = congest_impact_of(alone, beside, 2);

    ck_assert_double_eq_tol(impact.ratio, 2, tolerance);
    ck_assert_double_eq_tol(impact.high / impact.low, 1, tolerance);
}
END_TEST

/* Ratios of 1 and 4: their logarithms are log 2 -+ log 2, with a standard error of log 2; the 97.5
 * % quantile of t with one degree of freedom is 12.706. */
START_TEST(the_interval_is_that_of_students_t)
{
    const double alone[] = {1, 1, 1}, beside[] = {1, 4};
    const congest_impact impact = congest_impact_of(alone, beside, 2);

    ck_assert_double_eq_tol(impact.ratio, 2, tolerance);
    ck_assert_double_eq_tol(log(impact.high / 2) / log(2), 12.70620474, 1e-6);
    ck_assert_double_eq_tol(impact.low * impact.high, 4, tolerance);
}
END_TEST

START_TEST(one_round_has_no_interval)
{
    const double alone[] = {1, 1}, beside[] = {3};
    const congest_impact impact = congest_impact_of(alone, beside, 1);

    ck_assert_double_eq_tol(impact.ratio, 3, tolerance);
    ck_assert(isnan(impact.low) && isnan(impact.high));
}
END_TEST

START_TEST(a_phase_without_a_figure_leaves_no_impact)
{
    static const double bad[] = {0, -1, (double)NAN};

    for (size_t i = 0; i < LENGTH(bad); i++) {
        const double fine[] = {1, 1, 1}, alone[] = {1, bad[i], 1}, beside[] = {1, bad[i]};

        ck_assert(isnan(congest_impact_of(alone, fine, 2).ratio));
        ck_assert(isnan(congest_impact_of(fine, beside, 2).ratio));
        ck_assert(isnan(congest_mean(beside, 2)));
    }
    ck_assert(isnan(congest_impact_of(bad, bad, 0).ratio));
    ck_assert(isnan(congest_mean(bad, 0)));
}
END_TEST

static const int two_each[] = {0, 0, 1, 1,
                               2, 2, 3, 3}; /* slots of hosts, filled one after another */
static const int cyclic[] = {0, 1, 2, 3, 0, 1, 2, 3};

static void check_ranks(const int *found, const int *expected, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(found[i] == expected[i], "%s %zu: rank %d expected, found %d", what, i,
                      expected[i], found[i]);
}

START_TEST(ranks_are_interleaved_in_proportion)
{
    static const int halves[2][4] = {{0, 2, 4, 6}, {1, 3, 5, 7}};
    static const int few[] = {0, 4}, many[] = {1, 2, 3, 5, 6, 7};
    int victims[8], aggressors[8];

    ck_assert_int_eq(congest_place(true, two_each, 8, 4, 4, victims, aggressors), CB_OK);
    check_ranks(victims, halves[0], 4, "victim");
    check_ranks(aggressors, halves[1], 4, "aggressor");
    ck_assert_uint_eq(congest_shared_hosts(two_each, victims, 4, aggressors, 4), 4);
    ck_assert_uint_eq(congest_shared_hosts(cyclic, victims, 4, aggressors, 4), 0);
    ck_assert_int_eq(congest_place(true, two_each, 8, 2, 6, victims, aggressors), CB_OK);
    check_ranks(victims, few, 2, "victim");
    check_ranks(aggressors, many, 6, "aggressor");
}
END_TEST

/* Each rank once, and rank 0 a victim, whatever the numbers are. */
START_TEST(every_rank_is_taken_once)
{
    for (size_t victims = 1; victims < 8; victims++)
        for (size_t aggressors = 1; victims + aggressors <= 8; aggressors++)
            for (int interleaved = 0; interleaved <= 1; interleaved++) {
                int one[8], other[8], taken[8] = {0};

                ck_assert_int_eq(
                    congest_place(interleaved, cyclic, 8, victims, aggressors, one, other), CB_OK);
                ck_assert_int_eq(one[0], 0);
                for (size_t i = 0; i < victims; i++)
                    UNIT_REQUIRE(taken[one[i]]++ == 0, "rank %d twice", one[i]);
                for (size_t i = 0; i < aggressors; i++)
                    UNIT_REQUIRE(taken[other[i]]++ == 0, "rank %d twice", other[i]);
            }
}
END_TEST

START_TEST(apart_means_other_hosts_if_there_are_enough)
{
    static const int first[] = {0, 4, 1}, next[] = {2, 6, 3, 7};
    int victims[8], aggressors[8];

    ck_assert_int_eq(congest_place(false, cyclic, 8, 3, 4, victims, aggressors), CB_OK);
    check_ranks(victims, first, 3, "victim");
    check_ranks(aggressors, next, 4, "aggressor");
    ck_assert_uint_eq(congest_shared_hosts(cyclic, victims, 3, aggressors, 4), 0);
    ck_assert_int_eq(congest_place(false, cyclic, 8, 3, 5, victims, aggressors), CB_OK);
    ck_assert_int_eq(aggressors[0], 5);
    ck_assert_uint_eq(congest_shared_hosts(cyclic, victims, 3, aggressors, 5), 1);
}
END_TEST

/* A program as cb_congest has parsed its options. */
static engine_program program_with_defaults(void)
{
    return (engine_program){.definition = &cb_congest};
}

static void make_table(engine_program *program)
{
    options_table_make(&cb_congest, benchmarks_registry, &program->options_table);
    ck_assert_int_eq(cb_options_defaults(&program->options_table.table, &program->options), CB_OK);
}

START_TEST(a_command_has_its_own_options_and_those_of_the_job)
{
    static congest_command command;
    engine_program program = program_with_defaults();

    make_table(&program);
    program.options.max_time_s = 0.25;
    program.options.technology = "tcp";
    ck_assert_int_eq(
        congest_command_parse(&program, " funnel\t--sizes 64,1KiB --mode free ", false, &command),
        CB_OK);
    ck_assert_str_eq(command.definition.name, "funnel");
    ck_assert_uint_eq(command.options.sizes.count, 2);
    ck_assert_uint_eq(command.options.sizes.values[1], 1024);
    ck_assert_str_eq(command.options.mode, "free");
    ck_assert_double_eq_tol(command.options.max_time_s, 0.25, tolerance);
    ck_assert_str_eq(command.options.technology, "tcp");
    ck_assert_uint_gt(command.options.window, 0);
    congest_command_free(&command);
    cb_options_free(&program.options_table.table, &program.options);
}
END_TEST

START_TEST(every_benchmark_can_be_a_victim_but_those_without_messages)
{
    engine_program program = program_with_defaults();

    cb_log_silence(true);
    make_table(&program);
    for (const benchmark *const *one = benchmarks_registry; *one != NULL; one++) {
        /* cb_linkmap measures all ranks of the job by itself. */
        const bool none = *one == &cb_replay || *one == &cb_congest || *one == &cb_linkmap;
        congest_command *command = calloc(1, sizeof(*command));

        ck_assert_ptr_nonnull(command);
        ck_assert_msg((congest_command_parse(&program, (*one)->name, false, command) == CB_OK) ==
                          !none,
                      "%s", (*one)->name);
        congest_command_free(command);
        free(command);
    }
    cb_options_free(&program.options_table.table, &program.options);
}
END_TEST

START_TEST(other_texts_are_refused_with_a_reason)
{
    static const struct {
        const char *text, *reason;
        bool quiet;
    } cases[] = {
        {"", "empty", true},
        {"  ", "empty", true},
        {"cb_oneway", "'cb_oneway'", true},
        {"none", "'none'", false},
        {"none --sizes 8", "'none' has no options", true},
        {"busy now", "'busy' has no options", true},
        {"oneway --size", "--size", true},
        {"oneway --sizes x", "'x'", true},
        {"oneway 64", "64", true},
        {"oneway --destinations 4", "--destinations", true},
        {"oneway --help", "cb_oneway --help", true},
        {"oneway --max-time 1", "--max-time holds for the whole job", true},
        {"oneway --output x", "--output holds for the whole job", true},
        {"oneway --technology tcp", "--technology holds for the whole job", true},
        {"oneway --compute both", "--compute", true},
        {"oneway --emit-trace x", "--emit-trace", true},
        {"pairs --threads 2", "--threads", true},
        {"pushfarm --timeline x", "--timeline", true},
        {"pushfarm --find-rate", "--find-rate", true},
        {"pushfarm --load-curve auto", "--load-curve", true},
        {"funnel --fragments fixed:0,", "--fragments", true},
    };
    engine_program program = program_with_defaults();

    cb_log_silence(true);
    make_table(&program);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        congest_command *command = calloc(1, sizeof(*command));

        ck_assert_ptr_nonnull(command);
        ck_assert_msg(congest_command_parse(&program, cases[i].text, cases[i].quiet, command) ==
                          CB_ERROR_USAGE,
                      "'%s' was accepted", cases[i].text);
        ck_assert_msg(strstr(cb_last_error(), cases[i].reason) != NULL, "'%s': %s", cases[i].text,
                      cb_last_error());
        congest_command_free(command);
        free(command);
    }
    cb_options_free(&program.options_table.table, &program.options);
}
END_TEST

START_TEST(a_text_has_limits)
{
    static char words[CONGEST_TEXT_BYTES], text[2 * CONGEST_TEXT_BYTES];
    char *argv[CONGEST_WORDS + 1];
    int argc;

    cb_log_silence(true);
    memset(text, 'x', CONGEST_TEXT_BYTES - 1);
    ck_assert_int_eq(congest_split(text, words, argv, &argc), CB_OK);
    ck_assert_int_eq(argc, 1);
    text[CONGEST_TEXT_BYTES - 1] = 'x';
    ck_assert_int_eq(congest_split(text, words, argv, &argc), CB_ERROR_USAGE);
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = i % 2 == 0 ? 'x' : ' ';
    text[2 * CONGEST_WORDS] = '\0';
    ck_assert_int_eq(congest_split(text, words, argv, &argc), CB_OK);
    ck_assert_int_eq(argc, CONGEST_WORDS);
    ck_assert_ptr_null(argv[argc]);
    text[2 * CONGEST_WORDS] = 'x';
    text[2 * CONGEST_WORDS + 1] = '\0';
    ck_assert_int_eq(congest_split(text, words, argv, &argc), CB_ERROR_USAGE);
}
END_TEST

UNIT_MAIN("victims and aggressors", an_idle_aggressor_has_the_impact_one,
          a_steady_drift_cancels_out, the_interval_is_that_of_students_t, one_round_has_no_interval,
          a_phase_without_a_figure_leaves_no_impact, ranks_are_interleaved_in_proportion,
          every_rank_is_taken_once, apart_means_other_hosts_if_there_are_enough,
          a_command_has_its_own_options_and_those_of_the_job,
          every_benchmark_can_be_a_victim_but_those_without_messages,
          other_texts_are_refused_with_a_reason, a_text_has_limits)
