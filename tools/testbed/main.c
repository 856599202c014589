/* combench-testbed: options and command; and, called as `agent`, the way of MPI libraries into a
 * host, in the place of rsh. */
#include "config.h"

#include "tools/testbed/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "tools/testbed/control.h"
#include "tools/testbed/hosts.h"

enum { SHELL_BYTES = 1 << 17 };

static void act(const char *action)
{
    if (strcmp(action, "help") == 0)
        cb_options_help(&testbed_options, stdout);
    else if (strcmp(action, "manual") == 0)
        cb_options_manual(&testbed_options, CB_VERSION, CB_DATE, stdout);
    else
        printf("combench-testbed (combench) %s\n", CB_VERSION);
}

/* The words of a command, joined for a shell as rsh does. */
static cb_status join_words(char *const *words, char *line, size_t room)
{
    size_t used = 0;

    line[0] = '\0';
    for (; *words != NULL; words++) {
        size_t length = strlen(*words);

        if (used + length + 2 > room) {
            cb_error("a command of more than %zu bytes cannot be run on a host; shorten it", room);
            return CB_ERROR_USAGE;
        }
        memcpy(line + used, *words, length);
        used += length;
        line[used++] = ' ';
        line[used] = '\0';
    }
    return CB_OK;
}

/* agent [-OPTION]... HOST WORD...: what rsh would be given. */
static cb_status enter_and_run(char **argv)
{
    static char line[SHELL_BYTES];

    do
        argv++;
    while (*argv != NULL && **argv == '-');
    if (*argv == NULL || argv[1] == NULL) {
        cb_error("which command to run on which host is not said; use: agent HOST WORD...");
        return CB_ERROR_USAGE;
    }
    CB_TRY(join_words(argv + 1, line, sizeof(line)));
    CB_TRY(host_enter(*argv));
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    cb_error("cannot start /bin/sh on %s: %s", *argv, strerror(errno));
    return CB_ERROR_SYSTEM;
}

static cb_status run_command(const testbed_settings *settings, char *const *command,
                             int *exit_status)
{
    if (command[0] == NULL) {
        cb_error("which command to run in the testbed is not said; write it behind --, as in "
                 "combench-testbed --hosts 4 -- mpirun -np 4 PROGRAM");
        return CB_ERROR_USAGE;
    }
    if (geteuid() != 0) {
        cb_error("cannot make a testbed as a user: network namespaces are for root; use sudo");
        return CB_ERROR_UNSUPPORTED;
    }
    return testbed_run(settings, command, exit_status);
}

/* How many words come before --, which ends the options; all, where there is none. */
static int own_words(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return i;
    return argc;
}

static cb_status run(int argc, char **argv, int *exit_status)
{
    testbed_settings settings;
    const cb_option *action = NULL;
    int own = own_words(argc, argv);
    char *const *command = argv + own + (own < argc);

    if (own < argc)
        argv[own] = NULL;
    CB_TRY(cb_options_defaults(&testbed_options, &settings));
    CB_TRY(cb_options_parse(&testbed_options, own, argv, &settings, NULL, &action));
    if (action != NULL) {
        act(action->name);
        return CB_OK;
    }
    return settings.tell != NULL ? control_tell(settings.tell)
                                 : run_command(&settings, command, exit_status);
}

static const char *own_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

int main(int argc, char **argv)
{
    int exit_status = 0;
    cb_status status;

    cb_log_identify("combench-testbed", -1);
    status = argc > 0 && strcmp(own_name(argv[0]), TESTBED_AGENT) == 0
                 ? enter_and_run(argv)
                 : run(argc, argv, &exit_status);
    return status == CB_OK ? exit_status : cb_status_exit(status);
}
