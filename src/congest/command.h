/* The benchmark that --victim or --aggressor names, with its options. */
#ifndef CONGEST_COMMAND_H
#define CONGEST_COMMAND_H

#include "engine/plan.h"
#include "engine/program.h"

enum { CONGEST_WORDS = 64, CONGEST_TEXT_BYTES = 1024 };

/* Aggressors that send nothing. */
typedef enum {
    CONGEST_SENDS,   /* a benchmark */
    CONGEST_SLEEPS,  /* "none" */
    CONGEST_COMPUTES /* "busy" */
} congest_kind;

typedef struct {
    const char *text; /* as given */
    congest_kind kind;
    benchmark definition; /* without the measurements at a reference count and those for a fit */
    options_table table;
    bench_options options; /* its own, and those of the program that it shares */
    char words[CONGEST_TEXT_BYTES];
    char *argv[CONGEST_WORDS + 1]; /* parts of `words` */
    int argc;
    bool parsed; /* options have to be freed */
} congest_command;

/* The names of aggressors that send nothing, ended by NULL. */
extern const char *const congest_quiet[];

/* Split a text into words at blanks: NULL-terminated argv into `words`. CB_ERROR_USAGE, logged, if
 * it is empty or too long, or has too many words. */
cb_status congest_split(const char *text, char words[CONGEST_TEXT_BYTES],
                        char *argv[CONGEST_WORDS + 1], int *argc);

/* Parse "NAME [OPTION]...": a benchmark of the program's registry or, with `quiet`, a name of
 * congest_quiet. Options that the program itself has are refused, and so are those that change what
 * is measured beside the messages. CB_ERROR_USAGE, logged. Free with congest_command_free in any
 * case; `out` has to be zero-initialised and stay where it is. */
cb_status congest_command_parse(const engine_program *program, const char *text, bool quiet,
                                congest_command *out);
void congest_command_free(congest_command *command);

#endif
