/* A program before MPI starts: its options, and actions such as --help. */
#ifndef ENGINE_PROGRAM_H
#define ENGINE_PROGRAM_H

#include "base/options.h"
#include "control/control.h"
#include "engine/options.h"
#include "transport/transport.h"

typedef struct {
    const benchmark *definition;
    options_table options_table;
    bench_options options;
    bool technology_given; /* --technology was given, */
    bool touch_given;      /* and --touch */
    bool done;             /* an action such as --help was done; exit */
    const transport_technology *technology;
    cb_override *overrides; /* of --parameter; NULL: none */
    int argc;
    char **argv;
} engine_program;

/* Parse the options of a benchmark of the registry, and carry out an action. Under a launcher, one
 * rank logs rejected options and all ranks return the error, so that no rank waits for another that
 * has exited. Call program_end in any case. */
cb_status program_begin(engine_program *program, const benchmark *definition,
                        const benchmark *const *registry, int argc, char **argv);

/* Free the options and return the exit status for the status of the run. */
int program_end(engine_program *program, cb_status status);

/* Agree on the worst status of all ranks, of which some may have rejected their options. Collective
 * over all ranks. */
cb_status program_agree_on_options(engine_program *program, control *plane, cb_status mine);

/* Find the technology that the options name; `named_by` ("--technology" or a file) is for error
 * messages. CB_ERROR_USAGE or CB_ERROR_UNSUPPORTED, logged, if it is not built in or cannot do what
 * is requested. */
cb_status program_find_technology(engine_program *program, const char *named_by);

#endif
