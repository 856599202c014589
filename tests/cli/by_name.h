/* Select a benchmark by its name, which is the first argument of the program. */
#ifndef TESTS_CLI_BY_NAME_H
#define TESTS_CLI_BY_NAME_H

#include "engine/definition.h"

/* Remove the name from the arguments. Exits with status 2 if there is no such benchmark. */
const benchmark *by_name(int *argc, char ***argv);

#endif
