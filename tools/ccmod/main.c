/* ccmod: the table of subcommands. */
#include "config.h"

#include "tools/ccmod/tool.h"

#include <signal.h>
#include <string.h>

#include "base/log.h"

static const ccmod_command *const commands[] = {
    &ccmod_command_run,  &ccmod_command_info,      &ccmod_command_timeline, &ccmod_command_signals,
    &ccmod_command_knee, &ccmod_command_calibrate, &ccmod_command_convert,  &ccmod_command_generate,
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const cb_option rows[] = {
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Print this text"},
    {.name = "manual", .type = CB_OPTION_ACTION, .help = "Print the manual page's source"},
    {.name = "version", .type = CB_OPTION_ACTION, .help = "Print the version"},
};

static const cb_option_table table = {
    .program = "ccmod",
    .summary = "predict communication and its bottleneck",
    .description =
        "ccmod predicts, from a trace of what every rank computes, sends and receives, and a "
        "description of the network, when each rank is done, and names the link that limits. "
        "Nothing is sent, so the number of ranks is limited only by memory.\n\n"
        "Subcommands, each with --help and a manual page: ccmod run evaluates a trace; ccmod info "
        "describes a trace, or lists the known networks; ccmod timeline draws a space-time "
        "diagram; ccmod signals prints every step of an evaluation; ccmod knee finds the load at "
        "which the network limits; ccmod calibrate makes a calibration from measurements; ccmod "
        "convert converts workloads from and to LogGOPSim and SimGrid; ccmod generate writes "
        "traffic of a kind as a trace or a matrix.\n\n"
        "docs/reference/model.md describes the model and its result, trace-format.md the traces.",
    .synopsis = "ccmod run|info|timeline|signals|knee|calibrate|convert|generate ...",
    .exit_statuses = tool_exit_statuses,
    .options = rows,
    .option_count = sizeof(rows) / sizeof(rows[0]),
};

/* Options of ccmod, or an unknown subcommand. */
static int run_itself(int argc, char **argv)
{
    bool done = false;
    char nothing;
    cb_status status;

    if (argc > 1 && argv[1][0] != '-') {
        cb_error("unknown subcommand '%.64s'; use run, info, timeline, signals, knee, calibrate, "
                 "convert or generate, see ccmod --help",
                 argv[1]);
        return tool_exit(CB_ERROR_USAGE);
    }
    status = tool_parse(&table, argc, argv, &nothing, NULL, &done);
    if (status == CB_OK && !done) {
        cb_error("the subcommand is missing; write ccmod run TRACE, or see ccmod --help");
        status = CB_ERROR_USAGE;
    }
    return tool_exit(status);
}

int main(int argc, char **argv)
{
    cb_streams_hold_closed();
    cb_log_identify("ccmod", -1);
    /* report a closed pipe as a write error */
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; argc > 1 && i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(argc - 1, argv + 1);
    }
    return run_itself(argc, argv);
}
