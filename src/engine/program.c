/* The program of every benchmark: options before MPI, then control plane, technologies,
 * environment, plan, result; and one exit status for all ranks. */
#include "config.h"

#include "occupation/computing.h"
#include "emit/emit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/streams.h"
#include "engine/counters.h"
#include "engine/describe.h"
#include "engine/groups.h"
#include "engine/parkbench.h"
#include "report/trace.h"

typedef struct {
    const benchmark *definition, *const *registry;
    options_table table;
    bench_options options;
    bool technology_given; /* by --technology */
    const transport_technology *technology;
    cb_config *config;      /* of --config, until the settings are made */
    cb_override *overrides; /* of --parameter; NULL: there are none */
    bench_plan plan;
    int argc;
    char **argv;
} bench_program;

/* Before MPI */

static cb_status find_technology(bench_program *program)
{
    char names[256];

    program->technology = transport_find(program->options.technology);
    if (program->technology == NULL) {
        transport_list(0, names, sizeof(names));
        cb_error("the technology '%s' of %s is not built into this program; use --technology with "
                 "one of %s",
                 program->options.technology,
                 program->config != NULL ? cb_config_technology_place(program->config)
                                         : "--technology",
                 names);
        return CB_ERROR_USAGE;
    }
    if (program->options.interface != NULL &&
        (program->technology->capabilities & TRANSPORT_INTERFACE) == 0) {
        transport_list(TRANSPORT_INTERFACE, names, sizeof(names));
        cb_error("--interface %s: the technology %s chooses its network itself; leave the option "
                 "out, or use --technology with one of %s",
                 program->options.interface, program->technology->name, names);
        return CB_ERROR_USAGE;
    }
    if (program->options.verify && (program->technology->capabilities & TRANSPORT_DELIVERS) == 0) {
        cb_error("--verify: the technology %s delivers nothing that could be checked; use another",
                 program->technology->name);
        return CB_ERROR_UNSUPPORTED;
    }
    return cb_overrides_parse(program->technology->name, program->technology->parameters,
                              program->options.parameter, &program->overrides);
}

static cb_status act(const bench_program *program, const char *action)
{
    if (strcmp(action, "describe") == 0)
        return describe_benchmark(program->definition, program->registry, stdout);
    if (strcmp(action, "help") == 0)
        cb_options_help(&program->table.table, stdout);
    else if (strcmp(action, "manual") == 0)
        cb_options_manual(&program->table.table, CB_VERSION, CB_DATE, stdout);
    else
        printf("%s (combench) %s, revision %s\n", program->table.program, CB_VERSION, CB_COMMIT);
    return CB_OK;
}

static bool is_given(const cb_option_table *table, const bool *given, const char *name)
{
    for (size_t i = 0; i < table->option_count; i++)
        if (given[i] && strcmp(table->options[i].name, name) == 0)
            return true;
    return false;
}

/* What is said about something else means nothing without that. */
static cb_status check_companions(const cb_option_table *table, const bool *given)
{
    static const struct {
        const char *name, *of;
    } pairs[] = {{"trace-steps", "emit-trace"}, {"trace-ranks", "emit-trace"}};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (is_given(table, given, pairs[i].name) && !is_given(table, given, pairs[i].of)) {
            cb_error("--%s means nothing without --%s; leave it out, or give both", pairs[i].name,
                     pairs[i].of);
            return CB_ERROR_USAGE;
        }
    return CB_OK;
}

/* Which technology files ask for is known later. */
static cb_status parse(bench_program *program, bool *done)
{
    const cb_option *action = NULL;
    bool given[OPTIONS_ROWS];

    CB_TRY(cb_options_defaults(&program->table.table, &program->options));
    CB_TRY(cb_options_parse(&program->table.table, program->argc, program->argv, &program->options,
                            given, &action));
    *done = action != NULL;
    if (action == NULL)
        CB_TRY(check_companions(&program->table.table, given));
    program->technology_given = is_given(&program->table.table, given, "technology");
    if (action == NULL)
        return program->options.config == NULL || program->technology_given
                   ? find_technology(program)
                   : CB_OK;
    if (control_launch_rank() == 0)
        CB_TRY(act(program, action->name));
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CB_OK;
    cb_error("cannot write --%s to standard output: %s; make room where it goes, or direct it to "
             "another place",
             action->name, strerror(errno));
    return CB_ERROR_SYSTEM;
}

static bool ranks_share_cores(const host *machine)
{
    host_environment environment;

    /* combench-testbed makes hosts that share the cores of one machine, and says so. */
    if (getenv("CB_TESTBED") != NULL)
        return true;
    host_capture(machine, &environment);
    return control_launch_local_size() > (int)environment.cores;
}

/* Spin where every rank of this host has a core, else yield; MPI takes it at its start only. */
static transport_wait choose_wait(const bench_options *options, const host *machine)
{
    for (transport_wait wait = TRANSPORT_WAIT_SPIN; wait <= TRANSPORT_WAIT_BLOCK; wait++)
        if (strcmp(options->wait, transport_wait_name(wait)) == 0)
            return wait;
    return ranks_share_cores(machine) ? TRANSPORT_WAIT_YIELD : TRANSPORT_WAIT_SPIN;
}

/* Whether the MPI library shall yield in its own waiting. A poll that sleeps shall not yield as
 * well, or it would be neither the one nor the other; but ranks that share cores could hardly start
 * without. */
static bool library_yields(transport_wait wait, const host *machine)
{
    return wait == TRANSPORT_WAIT_YIELD ||
           (wait == TRANSPORT_WAIT_BLOCK && ranks_share_cores(machine));
}

static void note_signal(int number)
{
    bench_signal_seen = number;
}

/* A reader that went away and a limit on the size of files are to be seen as errors of writing. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* With MPI */

static cb_status exchange_all(void *context, const void *mine, size_t bytes, void *all)
{
    return control_exchange(context, mine, bytes, all);
}

static cb_status open_technologies(bench_session *session, const bench_program *program,
                                   transport_wait wait)
{
    transport_bootstrap bootstrap = {.rank = control_rank(session->plane),
                                     .size = control_size(session->plane),
                                     .connect_all = strcmp(program->options.connect, "all") == 0,
                                     .settings = &session->settings,
                                     .context = control_everyone(session->plane),
                                     .exchange = exchange_all};
    transport_wait ignored;

    CB_TRY(transport_open(program->technology, &bootstrap, &session->technology));
    CB_TRY(transport_open(transport_find("null"), &bootstrap, &session->null));
    CB_TRY(transport_set_wait(session->technology, wait, &session->effective_wait));
    return transport_set_wait(session->null, wait, &ignored);
}

static cb_status close_technologies(bench_session *session)
{
    cb_status closed = transport_close(session->technology);
    cb_status null_closed = transport_close(session->null);

    return closed != CB_OK ? closed : null_closed;
}

/* The document comes first: where both names lead to one file, that is seen then. */
static cb_status direct(bench_session *session, report_format format)
{
    const bench_options *options = session->options;

    CB_TRY(report_direct(session->document, format, options->output, stdout));
    return options->timeline == NULL
               ? CB_OK
               : report_trace_direct(options->timeline, options->output, &session->recording.path);
}

/* Rank 0 opens the document; all learn whether it could. */
static cb_status open_document(bench_session *session, const bench_program *program)
{
    const benchmark *definition = session->definition;
    const bench_options *options = session->options;
    report_format format = options->output != NULL ? REPORT_JSON : REPORT_TEXT;
    cb_status status = CB_OK;

    if (control_rank(session->plane) == 0) {
        if (options->format != NULL)
            (void)report_format_named(options->format, &format);
        status = report_create(definition->name, definition->id, definition->title,
                               program->technology->name, &session->document);
        if (status == CB_OK) {
            bench_use_counters();
            report_use_parameters(session->document, program->technology->parameters);
            status = direct(session, format);
        }
    }
    return control_agree(control_everyone(session->plane), status);
}

static const char *reason_for(cb_status status)
{
    return status == CB_OK ? NULL : cb_status_text(status);
}

/* The document is finished before anything collective, and before the job is ended. */
static cb_status finish_document(const bench_session *session, cb_status status)
{
    cb_status finished;

    if (session->document == NULL)
        return status;
    finished = report_finish(session->document, reason_for(status));
    if (status != CB_OK || finished != CB_OK)
        return status != CB_OK ? status : finished;
    if (session->verification_failed)
        return CB_ERROR_DATA;
    if (session->search_failed)
        return CB_ERROR_DEADLINE;
    return session->all_skipped ? CB_ERROR_UNSUPPORTED : CB_OK;
}

/* A launcher need not have told how many ranks a host has; now it is known. */
static cb_status reconsider_wait(bench_session *session)
{
    size_t ranks = (size_t)control_size(session->plane);
    int *everyone = cb_allocate(ranks, sizeof(*everyone), "the ranks of the job");
    bool shared;

    if (everyone == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < ranks; rank++)
        everyone[rank] = (int)rank;
    shared = bench_oversubscribed(session, everyone, ranks);
    free(everyone);
    if (!shared || strcmp(session->options->wait, "auto") != 0 ||
        session->effective_wait != TRANSPORT_WAIT_SPIN)
        return CB_OK;
    return transport_set_wait(session->technology, TRANSPORT_WAIT_YIELD, &session->effective_wait);
}

/* End the job after a failure that the other ranks may not know of. Rank 0's document is finished;
 * any other rank leaves it a moment to do the same. */
_Noreturn static void surrender(const bench_session *session, cb_status status)
{
    const uint64_t moment_ns = 1000000000;

    if (session->document == NULL)
        cb_sleep_ns(moment_ns);
    control_abort(session->plane, cb_status_exit(status));
}

/* A rank without a part in a measurement does nothing but wait. */
static void look_for_signal(void *session)
{
    bench_leave_if_interrupted(session);
}

static cb_status run_plan(bench_session *session, const bench_plan *plan)
{
    cb_status status;

    control_look_while_waiting(session->plane, look_for_signal, session);
    status = bench_run_plan(session, plan);
    control_look_while_waiting(session->plane, NULL, NULL);
    return status;
}

static cb_status measure_all(bench_session *session, const bench_program *program,
                             transport_wait wait)
{
    cb_status status = open_technologies(session, program, wait), finished;

    if (status == CB_OK)
        status = bench_describe(session, &program->table.table, program->argc, program->argv);
    if (status == CB_OK && session->definition->group == BENCH_GROUP_PARKBENCH)
        bench_put_ticks(session);
    if (status == CB_OK)
        status = bench_computing_open(session);
    if (status == CB_OK)
        status = reconsider_wait(session);
    if (status == CB_OK)
        status = run_plan(session, &program->plan);
    finished = finish_document(session, status);
    if (status != CB_OK && status != CB_ERROR_UNSUPPORTED)
        surrender(session, status);
    finished = control_agree(control_everyone(session->plane), finished);
    CB_TRY(close_technologies(session));
    return finished;
}

static cb_status configure(bench_session *session, bench_program *program)
{
    if (program->options.config == NULL)
        return CB_OK;
    CB_TRY(bench_read_config(session->plane, program->options.config, &program->config));
    if (program->technology_given)
        return CB_OK;
    if (cb_config_technology_name(program->config) == NULL) {
        cb_error("%s no technology; use --technology", cb_config_technology_place(program->config));
        return CB_ERROR_USAGE;
    }
    program->options.technology = cb_config_technology_name(program->config);
    return find_technology(program);
}

/* Configuration, plan and settings are the same in all ranks, and so is what is wrong with them:
 * the first one speaks. */
static cb_status prepare(bench_session *session, bench_program *program)
{
    size_t ranks = (size_t)control_size(session->plane);
    cb_status status;

    cb_log_silence(control_rank(session->plane) != 0);
    status = configure(session, program);
    if (status == CB_OK)
        status = groups_choose(session->definition, program->config, ranks, &program->options);
    if (status == CB_OK)
        status = plan_make(session->definition, session->options, ranks, &program->plan);
    if (status == CB_OK)
        status = bench_make_settings(session, program->technology, program->config,
                                     program->overrides, &program->plan);
    cb_log_silence(false);
    return status;
}

static cb_status run_session(bench_session *session, bench_program *program, transport_wait wait)
{
    cb_status status;

    cb_log_identify(program->table.program,
                    control_size(session->plane) > 1 ? control_rank(session->plane) : -1);
    status = prepare(session, program);
    if (status == CB_OK && session->definition->group == BENCH_GROUP_PARKBENCH)
        status = bench_check_clock(session);
    if (status == CB_OK)
        status = open_document(session, program);
    if (status == CB_OK)
        status = measure_all(session, program, wait);
    bench_computing_close(session);
    report_free(session->document);
    free(session->recording.path);
    plan_free(&program->plan);
    cb_config_free(program->config);
    free(program->overrides);
    cb_settings_free(&session->settings);
    free(session->hosts);
    free(session->machines);
    free(session->cores);
    free(session->bindings);
    free(session->host_cores);
    return status;
}

/* Mostly all ranks have the same options, and what is wrong with them the first one has said as it
 * started. Where a launcher gives ranks options of their own, and not the first one refuses, the
 * first of those that do speaks now. So nobody waits for a rank that has left, and no launcher ends
 * the job before it was said why. Together. */
static cb_status agree_on_options(control *plane, bench_program *program, cb_status mine)
{
    const int rank = control_rank(plane), size = control_size(plane);
    double first = mine == CB_OK ? 0 : size - rank; /* largest in the first that refuses */
    bool done;

    CB_TRY(control_maximum(control_everyone(plane), &first, 1));
    if (rank > 0 && first == size - rank) {
        cb_log_identify(program->table.program, rank);
        cb_log_silence(false);
        cb_options_free(&program->table.table, &program->options);
        (void)parse(program, &done);
    }
    return control_agree(control_everyone(plane), mine);
}

static cb_status run(const benchmark *definition, bench_program *program)
{
    /* Neither a benchmark nor mpi makes any. */
    const bool other_threads = bench_occupation_named(program->options.compute) != BENCH_UNOCCUPIED;
    bench_session session = {.definition = definition,
                             .options = &program->options,
                             .recording.due = program->options.timeline != NULL};
    transport_wait wait;
    cb_status status;

    cb_log_silence(false); /* what fails from here on may fail in this rank alone */
    CB_TRY(host_open(&session.machine));
    wait = choose_wait(&program->options, session.machine);
    control_request_yield(library_yields(wait, session.machine));
    catch_signals();
    status = control_open(other_threads, &session.plane);
    if (status == CB_OK)
        status = agree_on_options(session.plane, program, CB_OK);
    if (status == CB_OK)
        status = run_session(&session, program, wait);
    control_close(session.plane);
    host_close(session.machine);
    return status;
}

/* Without MPI, by the launcher's first rank alone. */
static cb_status emit(const benchmark *definition, const bench_program *program)
{
    return control_launch_rank() == 0 ? bench_emit_trace(definition, &program->options) : CB_OK;
}

/* With options that this rank refuses. */
static cb_status refuse(bench_program *program, cb_status refused)
{
    control *plane;

    if (!control_launched())
        return refused;
    control_request_yield(true);
    if (control_open(false, &plane) == CB_OK) {
        (void)agree_on_options(plane, program, refused);
        control_close(plane);
    }
    return refused;
}

int bench_main(const benchmark *definition, const benchmark *const *registry, int argc, char **argv)
{
    bench_program program = {
        .definition = definition, .registry = registry, .argc = argc, .argv = argv};
    bool done = false;
    cb_status status;

    cb_streams_hold_closed();
    options_table_make(definition, registry, &program.table);
    cb_log_identify(program.table.program, -1);
    cb_log_silence(control_launch_rank() != 0);
    status = parse(&program, &done);
    if (status != CB_OK && !done)
        status = refuse(&program, status);
    else if (!done)
        status = program.options.emit_trace != NULL ? emit(definition, &program)
                                                    : run(definition, &program);
    cb_options_free(&program.table.table, &program.options);
    return cb_status_exit(status);
}
