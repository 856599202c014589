/* Fuzz target for the texts that --victim and --aggressor of cb_congest get: a benchmark and its
 * options. What is accepted names a benchmark of the registry, or sends nothing where that is
 * allowed; what is refused has a reason. */
#include <string.h>

#include "base/log.h"
#include "benchmarks/registry.h"
#include "congest/command.h"
#include "tests/fuzz/fuzz.h"

static const char no_reason[] = "no reason";

static void try_split(const char *text)
{
    static char words[CONGEST_TEXT_BYTES];
    char *argv[CONGEST_WORDS + 1];
    int argc;
    cb_status status = congest_split(text, words, argv, &argc);

    FUZZ_REQUIRE(status == CB_OK || status == CB_ERROR_USAGE);
    if (status != CB_OK)
        return;
    FUZZ_REQUIRE(argc >= 1 && argc <= CONGEST_WORDS && argv[argc] == NULL);
    for (int i = 0; i < argc; i++)
        FUZZ_REQUIRE(argv[i][0] != '\0' && strpbrk(argv[i], " \t\n") == NULL);
}

static void require_benchmark(const congest_command *command)
{
    const benchmark *const *one = benchmarks_registry;

    while (*one != NULL && strcmp((*one)->name, command->definition.name) != 0)
        one++;
    FUZZ_REQUIRE(*one != NULL && *one != &cb_congest);
    FUZZ_REQUIRE(strcmp(command->argv[0], command->definition.name) == 0);
    FUZZ_REQUIRE(command->options.max_time_s > 0);
}

static void try_command(const engine_program *program, const char *text, bool quiet)
{
    static congest_command command;
    cb_status status;

    memset(&command, 0, sizeof(command));
    cb_error("%s", no_reason);
    status = congest_command_parse(program, text, quiet, &command);
    FUZZ_REQUIRE(status == CB_OK || status == CB_ERROR_USAGE);
    if (status != CB_OK)
        FUZZ_REQUIRE(strcmp(cb_last_error(), no_reason) != 0);
    else if (command.kind == CONGEST_SENDS)
        require_benchmark(&command);
    else
        FUZZ_REQUIRE(quiet && command.argc == 1);
    congest_command_free(&command);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static engine_program program = {.definition = &cb_congest};
    char *text = malloc(size + 1);

    FUZZ_REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    cb_log_silence(1);
    if (program.options_table.registry == NULL) {
        options_table_make(&cb_congest, benchmarks_registry, &program.options_table);
        FUZZ_REQUIRE(cb_options_defaults(&program.options_table.table, &program.options) == CB_OK);
    }
    try_split(text);
    if (strstr(text, "file:") == NULL) { /* no files of the machine */
        try_command(&program, text, false);
        try_command(&program, text, true);
    }
    free(text);
    return 0;
}
