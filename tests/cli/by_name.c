/* PROGRAM NAME [OPTION]... runs the benchmark of that name with the technologies that it is
 * linked with. */
#include "tests/cli/by_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/registry.h"
#include "congest/congest.h"

const benchmark *by_name(int *argc, char ***argv)
{
    for (const benchmark *const *one = benchmarks_registry; *argc > 1 && *one != NULL; one++)
        if (strcmp((*one)->name, (*argv)[1]) == 0) {
            --*argc;
            ++*argv;
            return *one;
        }
    fprintf(stderr, "usage: %s NAME [OPTION]..., with the name of a benchmark\n", (*argv)[0]);
    exit(2);
}

plan_maker by_name_plan(const benchmark *definition)
{
    return definition == &cb_congest ? congest_plan : session_plan;
}
