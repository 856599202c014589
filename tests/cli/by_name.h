/* Any benchmark by its name, which is the first argument of the program. */
#ifndef TESTS_CLI_BY_NAME_H
#define TESTS_CLI_BY_NAME_H

#include "engine/definition.h"

/* Take the name out of the arguments. Exits with status 2 when there is no such benchmark. */
const benchmark *by_name(int *argc, char ***argv);

#endif
