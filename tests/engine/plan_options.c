/* An option that a program does not have is refused with the names of the programs that have it. */
#include "tests/engine/plans.h"

#include <stdio.h>
#include <string.h>

/* Whether a list such as "cb_one, cb_two and cb_three" contains a program. */
static bool names(const char *owners, const char *program)
{
    size_t length = strlen(program);

    for (const char *at = owners; (at = strstr(at, program)) != NULL; at += length)
        if (at[length] == '\0' || at[length] == ',' || at[length] == ' ')
            return true;
    return false;
}

static bool takes(const cb_option_table *table, const char *option)
{
    for (size_t i = 0; i < table->option_count; i++)
        if (strcmp(table->options[i].name, option) == 0 &&
            cb_option_applies(table, &table->options[i]))
            return true;
    return false;
}

START_TEST(an_option_of_other_benchmarks_is_refused_with_their_names)
{
    for (const benchmark *const *one = benchmarks_registry; *one != NULL; one++) {
        options_table of;

        options_table_make(*one, benchmarks_registry, &of);
        for (size_t i = 0; i < of.table.option_count; i++) {
            const char *option = of.rows[i].name;
            char owners[512];

            of.table.name_owners(&of.table, option, owners, sizeof(owners));
            ck_assert_msg(of.rows[i].scope == 0 || owners[0] != '\0', "--%s has no owners", option);
            if (of.rows[i].scope != 0)
                ck_assert_msg(names(owners, of.program) == takes(&of.table, option),
                              "--%s, which %s may have or not, says: %s", option, of.program,
                              owners);
        }
    }
}
END_TEST

START_TEST(names_of_owners_are_joined_by_commas_and_and)
{
    static const benchmark *const few[] = {&cb_oneway,    &cb_alltoall, &cb_pairs, &cb_outfarm,
                                           &cb_multicast, &cb_comms3,   NULL};
    options_table of;
    char owners[512];

    options_table_make(&cb_oneway, few, &of);
    of.table.name_owners(&of.table, "processors", owners, sizeof(owners));
    ck_assert_str_eq(owners, "cb_alltoall, cb_pairs and cb_comms3");
    of.table.name_owners(&of.table, "receivers", owners, sizeof(owners));
    ck_assert_str_eq(owners, "cb_outfarm and cb_multicast");
    of.table.name_owners(&of.table, "list", owners, sizeof(owners));
    ck_assert_str_eq(owners, "cb_multicast");
}
END_TEST

/* Whether an earlier benchmark of the registry has the same table of own options. */
static bool shares_options(const benchmark *const *one)
{
    const benchmark *const *earlier = benchmarks_registry;

    while (earlier != one && (*earlier)->options != (*one)->options)
        earlier++;
    return earlier != one;
}

/* Own options fill separate members of a program's struct, and the table has room for all of
 * them, each once. */
START_TEST(the_table_has_room_for_own_options)
{
    for (const benchmark *const *one = benchmarks_registry; *one != NULL; one++) {
        options_table of;
        size_t own = 0, all_own = 0;

        options_table_make(*one, benchmarks_registry, &of);
        for (const benchmark *const *other = benchmarks_registry; *other != NULL; other++)
            all_own += shares_options(other) ? 0 : (*other)->option_count;
        for (size_t i = 0; i < of.table.option_count; i++)
            own += of.rows[i].offset >= offsetof(bench_options, own);
        ck_assert_uint_eq(own, all_own);
        ck_assert_uint_le(of.table.option_count, OPTIONS_ROWS);
        for (size_t i = 0; i < (*one)->option_count; i++)
            ck_assert_uint_lt((*one)->options[i].offset, BENCH_OWN_BYTES);
    }
}
END_TEST

START_TEST(an_own_option_is_stored_in_the_struct_of_the_benchmark)
{
    char *arguments[] = {(char[]){"cb_test"}, (char[]){"--list"}, (char[]){"rotate"}, NULL};
    bench_options options;
    const bench_list_options *own = (const void *)options.own;
    const cb_option *action;
    options_table of;

    options_table_make(&cb_multicast, benchmarks_registry, &of);
    ck_assert_int_eq(cb_options_defaults(&of.table, &options), CB_OK);
    ck_assert_int_eq(cb_options_parse(&of.table, 3, arguments, &options, NULL, &action), CB_OK);
    ck_assert_str_eq(own->list, "rotate");
    ck_assert_ptr_null(own->multicast);
    cb_options_free(&of.table, &options);
}
END_TEST

UNIT_PART(part_options, an_option_of_other_benchmarks_is_refused_with_their_names,
          names_of_owners_are_joined_by_commas_and_and, the_table_has_room_for_own_options,
          an_own_option_is_stored_in_the_struct_of_the_benchmark)
