/* What all subcommands share: how they begin, fail and end. */
#include "config.h"

#include "tools/ccmod/tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

const char *const tool_exit_statuses[] = {
    "0",
    "Done.",
    "1",
    "The workload cannot end (a deadlock, a message that nobody receives), or the system refused "
    "something; the reason is on standard error.",
    "2",
    "Wrong before the evaluation: an option, the trace, the network.",
    NULL,
};

cb_status tool_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CB_OK;
    cb_error("cannot write to standard output: %s; make room where it goes, or direct it to "
             "another place",
             strerror(errno));
    return CB_ERROR_SYSTEM;
}

cb_status tool_parse(const cb_option_table *which, int argc, char **argv, void *parameters,
                     bool *given, bool *done)
{
    const cb_option *action = NULL;

    CB_TRY(cb_options_defaults(which, parameters));
    CB_TRY(cb_options_parse(which, argc, argv, parameters, given, &action));
    *done = action != NULL;
    if (action == NULL)
        return CB_OK;
    if (strcmp(action->name, "help") == 0)
        cb_options_help(which, stdout);
    else if (strcmp(action->name, "manual") == 0)
        cb_options_manual(which, CB_VERSION, CB_DATE, stdout);
    else
        printf("%s (combench) %s\n", which->program, CB_VERSION);
    return tool_flush();
}

cb_status tool_status(ccmod_status status)
{
    static const cb_status statuses[] = {
        [CCMOD_OK] = CB_OK,
        [CCMOD_ERROR_USAGE] = CB_ERROR_USAGE,
        [CCMOD_ERROR_MEMORY] = CB_ERROR_MEMORY,
        [CCMOD_ERROR_SYSTEM] = CB_ERROR_SYSTEM,
        [CCMOD_ERROR_DATA] = CB_ERROR_DATA,
        [CCMOD_ERROR_INTERRUPTED] = CB_ERROR_INTERRUPTED,
    };

    return statuses[status];
}

cb_status tool_fail(const ccmod_error *error)
{
    cb_error("%s", error->text);
    return tool_status(error->status);
}

cb_status tool_refuse(const ccmod_error *error)
{
    return tool_fail(error) == CB_ERROR_MEMORY ? CB_ERROR_MEMORY : CB_ERROR_USAGE;
}

int tool_exit(cb_status status)
{
    return cb_status_exit(status);
}
