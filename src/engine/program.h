/* A program before MPI starts: its options, and the actions that need nothing else. */
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
    bool technology_given; /* by --technology */
    bool done;             /* an action such as --help was all */
    const transport_technology *technology;
    cb_override *overrides; /* of --parameter; NULL: there are none */
    int argc;
    char **argv;
} engine_program;

/* Parse the options of a benchmark, one of the registry, and carry out an action. Under a launcher,
 * one rank logs rejected options and all ranks return the error, so no rank waits for one that has
 * left. */
cb_status program_begin(engine_program *program, const benchmark *definition,
                        const benchmark *const *registry, int argc, char **argv);

/* Free the options; the exit status for what came of the run. */
int program_end(engine_program *program, cb_status status);

/* All ranks meet, of which some may have refused their options: the worst status. Together. */
cb_status program_agree_on_options(engine_program *program, control *plane, cb_status mine);

/* Find the technology that the options name now, by --technology or by what `named_by` says.
 * CB_ERROR_USAGE, logged, where there is none, or it cannot do what is asked for. */
cb_status program_find_technology(engine_program *program, const char *named_by);

#endif
