/* Whoever takes an option is named where another program is refused it. */
#include "tests/unit/plans.h"

#include <stdio.h>
#include <string.h>

#include "engine/options.h"

/* The scopes of all rows of that name: what the table is asked for when it is refused. */
static uint32_t scope_of_name(const cb_option_table *table, const char *name)
{
    uint32_t scope = 0;

    for (size_t i = 0; i < table->option_count; i++)
        if (strcmp(table->options[i].name, name) == 0)
            scope |= table->options[i].scope;
    return scope;
}

/* The modes' own are too many to be named one by one. */
START_TEST(who_takes_an_option_is_named_with_all_that_do)
{
    const bench_definition *const all[] = {
        programs.oneway,   programs.twoway,       programs.alltoall,  programs.pairs,
        programs.outfarm,  programs.multicasting, programs.funnel,    programs.pushfarm,
        programs.pullfarm, programs.pipeline,     programs.calibrate, programs.comms1,
        programs.comms2,   programs.comms3};

    for (size_t p = 0; p < LENGTH(all); p++) {
        cb_option_table table = bench_option_table(all[p], "cb_test", "cb_test");
        char program[32];

        snprintf(program, sizeof(program), "cb_%s", all[p]->name);
        for (size_t i = 0; i < table.option_count; i++) {
            const cb_option *row = &table.options[i];
            uint32_t scope = scope_of_name(&table, row->name);
            const char *owners = scope != 0 ? table.owners(scope) : NULL;

            if (scope == 0 || strcmp(row->name, "mode") == 0)
                continue;
            ck_assert_msg(owners != NULL, "--%s has no owners", row->name);
            ck_assert_msg((strstr(owners, program) != NULL) == ((scope & table.mask) != 0),
                          "--%s, which %s may have or not, says: %s", row->name, program, owners);
        }
    }
}
END_TEST

UNIT_PART(plan_options, who_takes_an_option_is_named_with_all_that_do)
