/* Select a benchmark by its name, which is the first argument of the program. */
#ifndef TESTS_CLI_BY_NAME_H
#define TESTS_CLI_BY_NAME_H

#include "engine/definition.h"
#include "engine/plan_run.h"

/* Remove the name from the arguments. Exits with status 2 if there is no such benchmark. */
const benchmark *by_name(int *argc, char ***argv);

/* Makes the plans of the benchmark: what the build gives to its program as PLAN. There is none for
 * cb_replay, which needs a library of its own. */
plan_maker by_name_plan(const benchmark *definition);

#endif
