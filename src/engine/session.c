/* Open, start and close a run, and end one that is interrupted. */
#include "engine/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/environment.h"
#include "engine/fragments.h"

volatile sig_atomic_t session_signal_seen;

/* Technology to clean up in the signal handler; NULL: none was opened so far. */
static const transport_technology *volatile technology_at_signal;

/* Signals */

/* A launcher sends SIGKILL soon after SIGTERM, and this rank may be waiting inside a block for a
 * rank that has exited. So resources that outlast the process are removed in the handler. */
static void note_signal(int number)
{
    session_signal_seen = number;
    transport_abandon(technology_at_signal);
}

/* A closed pipe and the limit on file sizes are reported as write errors, not as signals. */
void session_catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

static _Noreturn void end_job(const engine_session *session, int exit_status)
{
    transport_abandon(session->job->program->technology);
    control_abort(exit_status);
}

/* Collective calls might not return in the time that is left, and the document has what was
 * measured. MPI_Abort is still needed: MPICH's launcher ignores that a rank has exited, and ranks
 * on other hosts would wait without end. Rank 0, if it got the signal, exits first, and the
 * launcher ends the others. */
void session_leave_if_interrupted(engine_session *session)
{
    const uint64_t moment_ns = 3000000000;
    const char *output = session->job->options->output;
    int seen = session_signal_seen;
    const char *name = seen == SIGINT ? "SIGINT" : "SIGTERM";
    uint64_t now_ns;

    if (seen == 0)
        return;
    if (session->document != NULL) {
        if (report_finish(session->document, name) == CB_OK)
            cb_error("%s ends the run; the measurements made so far are %s%s; run again for "
                     "the rest",
                     name, output != NULL ? "in " : "on standard output",
                     output != NULL ? output : "");
        end_job(session, EXIT_FAILURE);
    }
    if (cb_virtual != NULL) /* one process: rank 0 sees the signal as well */
        return;
    now_ns = cb_now_ns();
    if (session->interrupted_ns == 0)
        session->interrupted_ns = now_ns;
    if (now_ns - session->interrupted_ns < moment_ns)
        return;
    cb_error("%s came to this rank and ends the job; the result has the measurements"
             " made so far; run again for the rest",
             name);
    end_job(session, EXIT_FAILURE);
}

/* Called while a rank waits for others. */
static void look_for_signal(void *session)
{
    session_leave_if_interrupted(session);
}

wait_watch session_watch(engine_session *session)
{
    return (wait_watch){&session_signal_seen, look_for_signal, session};
}

/* How ranks wait */

static bool ranks_share_cores(const host *machine)
{
    host_environment environment;

    /* The hosts of combench-testbed share the cores of one machine. */
    if (getenv("CB_TESTBED") != NULL)
        return true;
    host_capture(machine, &environment);
    return control_launch_local_size() > (int)environment.cores;
}

/* Spin if each rank of this host has a core, otherwise yield. MPI reads the setting only when it
 * starts. */
static transport_wait choose_wait(const bench_options *options, const host *machine)
{
    for (transport_wait wait = TRANSPORT_WAIT_SPIN; wait <= TRANSPORT_WAIT_BLOCK; wait++)
        if (strcmp(options->wait, transport_wait_name(wait)) == 0)
            return wait;
    return ranks_share_cores(machine) ? TRANSPORT_WAIT_YIELD : TRANSPORT_WAIT_SPIN;
}

/* Opening */

static cb_status read_configuration(engine_session *session, engine_job *job)
{
    engine_program *program = job->program;

    if (program->options.config == NULL)
        return CB_OK;
    CB_TRY(configuration_read(session->plane, program->options.config, &job->config));
    if (program->technology_given)
        return CB_OK;
    if (cb_config_technology_name(job->config) == NULL) {
        cb_error("%s names no technology, and this program has no default; use "
                 "--technology",
                 cb_config_technology_place(job->config));
        return CB_ERROR_USAGE;
    }
    program->options.technology = cb_config_technology_name(job->config);
    return program_find_technology(program, cb_config_technology_place(job->config));
}

/* A failure of this rank ends the job: the other ranks may be waiting for it in MPI. */
static void open_plane(engine_session *out, const bench_options *options)
{
    const bool threads =
        options->threads > 1 || (out->method != NULL && out->method->makes_threads);
    cb_status status = host_open(&out->host);

    if (status == CB_OK) {
        out->wait = choose_wait(options, out->host);
        /* MPI must not yield in its own wait if the poll sleeps. But ranks that share cores need it
         * to start in reasonable time. */
        control_request_yield(out->wait == TRANSPORT_WAIT_YIELD ||
                              (out->wait == TRANSPORT_WAIT_BLOCK && ranks_share_cores(out->host)));
    }
    session_catch_signals();
    cb_streams_keep_output();
    if (control_open(threads, &out->plane) != CB_OK || status != CB_OK)
        control_abort(EXIT_FAILURE);
}

cb_status session_open(engine_session *out, engine_job *job, engine_program *program)
{
    const bench_options *options = &program->options;
    cb_status status;

    *job = (engine_job){.program = program, .definition = program->definition, .options = options};
    *out = (engine_session){.job = job, .method = plan_method(program->definition, options)};
    cb_log_silence(false); /* errors from here on may occur in this rank only */
    open_plane(out, options);
    job->ranks = (size_t)control_size(out->plane);
    CB_TRY(control_check_launcher(out->plane));
    cb_log_identify(program->options_table.program, job->ranks > 1 ? control_rank(out->plane) : -1);
    CB_TRY(program_agree_on_options(program, out->plane, CB_OK));
    cb_log_silence(control_rank(out->plane) != 0);
    CB_TRY(fragments_share(out->plane, &program->options));
    status = read_configuration(out, job);
    if (status == CB_OK)
        status = configuration_choose_group(program->definition, job->config, job->ranks,
                                            &program->options);
    return session_agree_on_plan(out, status);
}

void session_open_in_model(engine_session *out, const engine_job *job, control *plane)
{
    *out = (engine_session){
        .job = job, .method = plan_method(job->definition, job->options), .plane = plane};
    cb_log_identify(job->program->options_table.program, control_rank(plane));
    cb_log_silence(control_rank(plane) != 0);
}

cb_status session_agree_on_plan(engine_session *session, cb_status mine)
{
    const int rank = control_rank(session->plane), size = control_size(session->plane);
    double first = mine == CB_OK ? 0 : size - rank; /* largest in the first rank that fails */

    CB_TRY(control_maximum(control_everyone(session->plane), &first, 1));
    if (mine != CB_OK && rank > 0 && first == size - rank) {
        char text[CB_LAST_ERROR_BYTES];

        snprintf(text, sizeof(text), "%s", cb_last_error());
        cb_log_silence(false);
        cb_error("%s", text);
    }
    return control_agree(control_everyone(session->plane), mine);
}

cb_status session_plan(engine_session *session, bench_plan *out)
{
    const engine_job *job = session->job;

    return session_agree_on_plan(session,
                                 plan_make(job->definition, job->options, job->ranks, out));
}

/* Starting */

/* Rank 0 opens the document, and all ranks learn the result. Other output files are opened after
 * it, and detect there if they are the same file. */
static cb_status open_document(engine_session *session)
{
    const benchmark *definition = session->job->definition;
    const bench_options *options = session->job->options;
    const bool has_trace_there =
        options->emit_trace != NULL && strcmp(options->emit_trace, "-") == 0;
    report_format format = options->output != NULL ? REPORT_JSON : REPORT_TEXT;
    cb_status status = CB_OK;

    if (control_rank(session->plane) == 0) {
        if (options->format != NULL)
            (void)report_format_named(options->format, &format);
        status = report_create(definition->name, definition->id, definition->title,
                               session->job->program->technology->name, &session->document);
        if (status == CB_OK) {
            report_use_parameters(session->document, session->job->program->technology->parameters);
            status = report_direct(session->document, format, options->output,
                                   has_trace_there ? stderr : cb_streams_output());
        }
    }
    if (status == CB_OK && session->method != NULL && session->method->open != NULL)
        status = session->method->open(session, &session->method_state);
    return control_agree(control_everyone(session->plane), status);
}

static cb_status exchange_all(void *context, const void *mine, size_t bytes, void *all)
{
    return control_exchange(context, mine, bytes, all);
}

static cb_status open_technologies(engine_session *session)
{
    const engine_program *program = session->job->program;
    transport_bootstrap bootstrap = {.rank = control_rank(session->plane),
                                     .size = control_size(session->plane),
                                     .many_senders = program->options.threads > 1,
                                     .connect_all = strcmp(program->options.connect, "all") == 0,
                                     .settings = &session->job->settings,
                                     .context = control_everyone(session->plane),
                                     .exchange = exchange_all};
    transport_wait ignored;

    technology_at_signal = program->technology;
    CB_TRY(transport_open(program->technology, &bootstrap, &session->technology));
    CB_TRY(transport_open(transport_find("null"), &bootstrap, &session->null));
    CB_TRY(transport_set_wait(session->technology, session->wait, &session->effective_wait));
    return transport_set_wait(session->null, session->wait, &ignored);
}

cb_status session_oversubscribed(const engine_session *session,
                                 const bench_measurement *measurement, const int *ranks,
                                 size_t count, bool *out)
{
    const size_t threads =
        session->job->options->threads > 1 ? (size_t)session->job->options->threads : 1;
    int *busy;
    size_t found;

    busy = cb_allocate(count * threads, sizeof(*busy), "the busy threads of a measurement");
    if (busy == NULL)
        return CB_ERROR_MEMORY;
    found = plan_busy_threads(session->job->definition, session->job->options, measurement,
                              session->job->ranks, ranks, count, busy);
    *out = machines_oversubscribed(&session->job->machines, busy, found);
    free(busy);
    return CB_OK;
}

/* The launcher may not have given the number of ranks per host; now it is known, and which ranks
 * send with several threads. */
static cb_status reconsider_wait(engine_session *session, const bench_plan *plan)
{
    size_t ranks = session->job->ranks, count;
    cb_status status = CB_OK;
    bool shared;
    int *some;

    if (cb_virtual != NULL)
        return CB_OK;
    some = cb_allocate(ranks, sizeof(*some), "the ranks of the job");
    if (some == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < ranks; rank++)
        some[rank] = (int)rank;
    shared = machines_oversubscribed(&session->job->machines, some, ranks);
    for (size_t i = 0; session->job->options->threads > 1 && i < plan->count && !shared; i++) {
        const bench_measurement *planned = &plan->measurements[i];

        status = plan_place(session->job->definition, session->job->options, planned,
                            session->job->machines.hosts, ranks, some, &count);
        if (status != CB_OK ||
            (status = session_oversubscribed(session, planned, some, count, &shared)) != CB_OK)
            break;
    }
    free(some);
    CB_TRY(status);
    if (!shared || strcmp(session->job->options->wait, "auto") != 0 ||
        session->effective_wait != TRANSPORT_WAIT_SPIN)
        return CB_OK;
    return transport_set_wait(session->technology, TRANSPORT_WAIT_YIELD, &session->effective_wait);
}

static cb_status describe_environment(engine_session *session, engine_job *job)
{
    const engine_program *program = session->job->program;
    const environment_sources from = {.plane = session->plane,
                                      .machine = session->host,
                                      .technology = session->technology,
                                      .effective_wait = session->effective_wait,
                                      .table = &program->options_table.table,
                                      .options = session->job->options,
                                      .argc = program->argc,
                                      .argv = program->argv,
                                      .document = session->document};

    if (cb_virtual != NULL) {
        if (session->document != NULL)
            environment_describe_model(&from, session->job->calibration);
        return CB_OK;
    }
    CB_TRY(environment_describe(&from, &session->clock, &session->cache_bytes, &job->machines));
    CB_TRY(preflight_describe(&from, &session->job->machines));
    if (session->document != NULL)
        configuration_put(session->document, &session->job->settings);
    return CB_OK;
}

cb_status session_start(engine_session *session, engine_job *job, const bench_plan *plan)
{
    const measurement_method *method = session->method;
    size_t largest_bytes = method_message_bytes(method, plan->largest_bytes);
    cb_status status = CB_OK;

    /* In a model the ranks have one job. */
    if (cb_virtual == NULL || control_rank(session->plane) == 0)
        status = configuration_make_settings(session->job->program, session->job->config,
                                             session->job->ranks, largest_bytes, &job->settings);
    CB_TRY(session_agree_on_plan(session, status));
    cb_log_silence(false);
    if (method != NULL && method->check_job != NULL)
        CB_TRY(method->check_job(session, &session->method_state));
    CB_TRY(open_document(session));
    session->started = true;
    control_look_while_waiting(session->plane, look_for_signal, session);
    CB_TRY(open_technologies(session));
    CB_TRY(describe_environment(session, job));
    if (method != NULL && method->start != NULL)
        CB_TRY(method->start(session->method_state, session, job));
    return reconsider_wait(session, plan);
}

/* Closing */

/* Finish the document before anything collective and before the job is ended. */
static cb_status finish_document(const engine_session *session, cb_status status)
{
    const session_verdict *verdict = &session->verdict;
    cb_status finished;

    if (session->document == NULL)
        return status;
    finished = report_finish(session->document, status == CB_OK ? NULL : cb_status_text(status));
    if (status != CB_OK || finished != CB_OK)
        return status != CB_OK ? status : finished;
    if (verdict->verification_failed || verdict->nothing_arrived)
        return CB_ERROR_DATA;
    if (verdict->search_failed)
        return CB_ERROR_DEADLINE;
    return verdict->all_skipped ? CB_ERROR_UNSUPPORTED : CB_OK;
}

/* A failure that other ranks may not know about ends the job, also one of agreeing and of closing,
 * which others may wait in. Rank 0's document is finished by then; while it may not be, any other
 * rank waits a second so that rank 0 can finish it. */
cb_status session_close(engine_session *session, cb_status status)
{
    const uint64_t moment_ns = 1000000000;

    cb_log_silence(false);
    if (session->started) {
        cb_status finished, closed, null_closed;

        control_look_while_waiting(session->plane, NULL, NULL);
        finished = finish_document(session, status);
        if (status != CB_OK && status != CB_ERROR_UNSUPPORTED) {
            if (session->document == NULL)
                cb_sleep_ns(moment_ns);
            end_job(session, cb_status_exit(status));
        }
        status = control_agree(control_everyone(session->plane), finished);
        if (status == CB_ERROR_CONTROL)
            end_job(session, cb_status_exit(status));
        closed = transport_close(session->technology);
        null_closed = transport_close(session->null);
        if (closed != CB_OK || null_closed != CB_OK)
            end_job(session, cb_status_exit(closed != CB_OK ? closed : null_closed));
    } else if (status == CB_ERROR_CONTROL) {
        (void)finish_document(session, status);
        end_job(session, cb_status_exit(status));
    }
    if (session->method != NULL && session->method->close != NULL)
        session->method->close(session->method_state);
    report_free(session->document);
    counting_free(&session->counting);
    control_close(session->plane);
    host_close(session->host);
    return status;
}

void session_free_job(engine_job *job)
{
    cb_config_free(job->config);
    cb_settings_free(&job->settings);
    machines_free(&job->machines);
    free(job->who.ranks);
}

/* Read and broadcast configuration files, make settings, choose the ranks of --group. Errors are
 * found before the first measurement. */

/* Receive buffers that a benchmark holds at a time: one that it sends back in the next step, and
 * one that it reads. */
enum { HELD_BUFFERS = 2 };

/* What rank 0 broadcasts about the files. Plain data. */
typedef struct {
    cb_status status;
    uint64_t bytes[CB_FILES];
} file_sizes;

static cb_status receive_text(control_team *team, bool reader, uint64_t bytes, char **text)
{
    cb_status status = CB_OK;

    if (!reader) {
        *text = cb_allocate((size_t)bytes, 1, "a configuration file");
        if (*text == NULL)
            status = CB_ERROR_MEMORY;
    }
    CB_TRY(control_agree(team, status));
    return control_broadcast(team, *text, (size_t)bytes);
}

static cb_status share_texts(control *plane, const char *directory, cb_config_texts *texts)
{
    control_team *everyone = control_everyone(plane);
    const bool reader = control_rank(plane) == 0;
    file_sizes sizes = {.status = CB_OK};

    if (reader) {
        sizes.status = cb_config_load(directory, texts);
        for (size_t file = 0; file < CB_FILES; file++)
            sizes.bytes[file] = texts->bytes[file];
    }
    CB_TRY(control_broadcast(everyone, &sizes, sizeof(sizes)));
    CB_TRY(sizes.status);
    for (size_t file = 0; file < CB_FILES; file++) {
        texts->bytes[file] = (size_t)sizes.bytes[file];
        CB_TRY(receive_text(everyone, reader, sizes.bytes[file], &texts->text[file]));
    }
    return CB_OK;
}

/* All technologies that files may name, including those not built in. The caller frees *out. */
static cb_status list_technologies(cb_config_technology **out, size_t *count)
{
    *count = 0;
    while (transport_technologies[*count] != NULL)
        ++*count;
    *out = cb_allocate(*count, sizeof(**out), "the technologies");
    if (*out == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < *count; i++) {
        const transport_technology *technology = transport_technologies[i];

        (*out)[i] = (cb_config_technology){.name = technology->name,
                                           .parameters = technology->parameters,
                                           .is_default = technology->is_default_of_files};
    }
    return CB_OK;
}

cb_status configuration_read(control *plane, const char *directory, cb_config **out)
{
    cb_config_texts texts = {0};
    cb_config_technology *technologies = NULL;
    size_t count = 0;
    control_team *everyone = control_everyone(plane);
    cb_status status = share_texts(plane, directory, &texts);

    if (status != CB_OK ||
        (status = control_agree(everyone, list_technologies(&technologies, &count))) != CB_OK)
        goto done;
    status = control_agree(everyone, cb_config_parse(directory, &texts, technologies, count, out));
done:
    cb_config_texts_free(&texts);
    free(technologies);
    return status;
}

cb_status configuration_make_settings(const engine_program *program, const cb_config *config,
                                      size_t ranks, size_t largest_bytes, cb_settings *out)
{
    const cb_parameter_set *set = program->technology->parameters;
    const cb_job job = {
        .ranks = ranks, .largest_bytes = largest_bytes, .held_buffers = HELD_BUFFERS};

    CB_TRY(config != NULL ? cb_config_settings(config, &job, set, program->overrides, out)
                          : cb_settings_derive(set, &job, program->overrides, out));
    out->interface = program->options.interface;
    return CB_OK;
}

static bool is_uniform(const cb_settings *settings, const cb_parameter *row)
{
    uint64_t first = cb_parameter_get(row, cb_settings_values(settings, 0));

    for (size_t rank = 1; rank < settings->node_count; rank++)
        if (cb_parameter_get(row, cb_settings_values(settings, rank)) != first)
            return false;
    return true;
}

/* Write the value of a parameter at a rank, if it is set. */
static void put_value(report_document *document, const cb_settings *settings,
                      const cb_parameter *row, size_t rank, const char *place)
{
    uint64_t value = cb_parameter_get(row, cb_settings_values(settings, rank));
    const char *word = cb_parameter_word(row, value);

    if (word != NULL)
        report_put_text(document, word, "%s.%s", place, row->name);
    else if (row->kind == CB_PARAMETER_FLAG)
        report_put_flag(document, value != 0, "%s.%s", place, row->name);
    else if (row->kind != CB_PARAMETER_TEXT && value != CB_PARAMETER_ABSENT)
        report_put_number(document, (double)value, "%s.%s", place, row->name);
}

static void put_parameter(report_document *document, const cb_settings *settings,
                          const cb_parameter *row)
{
    char place[96];

    if (is_uniform(settings, row)) {
        put_value(document, settings, row, 0, "environment.technology_settings");
        return;
    }
    for (size_t rank = 0; rank < settings->node_count; rank++) {
        snprintf(place, sizeof(place), "environment.ranks.%zu.technology_settings", rank);
        put_value(document, settings, row, rank, place);
    }
}

static void put_nodes(report_document *document, const cb_settings *settings)
{
    for (size_t rank = 0; rank < settings->node_count; rank++) {
        report_put_text(document, settings->nodes[rank].name, "environment.ranks.%zu.node", rank);
        report_put_number(document, settings->nodes[rank].id, "environment.ranks.%zu.id", rank);
    }
}

void configuration_put(report_document *document, const cb_settings *settings)
{
    const cb_parameter_set *set = settings->parameters;

    for (size_t i = 0; set != NULL && i < set->count; i++)
        put_parameter(document, settings, &set->rows[i]);
    if (set != NULL)
        report_put_text(document, settings->configured ? "files" : "job",
                        "environment.technology_settings.made_from");
    if (settings->configured)
        put_nodes(document, settings);
}

/* Find the group that --group names. The error message lists the groups of the configuration. */
static cb_status find_group(const cb_config *config, const bench_options *options,
                            cb_config_group *out)
{
    char names[256] = "no group";
    size_t length = 0;

    for (size_t i = 0; cb_config_group_at(config, i, out); i++) {
        if (strcmp(out->name, options->group) == 0)
            return CB_OK;
        if (length < sizeof(names))
            length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                       i > 0 ? ", " : "", out->name);
    }
    cb_error("--group %s: %s/network.conf has no group of that name; it has %s", options->group,
             options->config, names);
    return CB_ERROR_USAGE;
}

/* Each member has to be a rank of the job, may occur once, and must not be the rank that all others
 * talk to. */
static cb_status check_members(const benchmark *definition, const bench_options *options,
                               const cb_config_group *group, size_t ranks)
{
    for (size_t i = 0; i < group->count; i++) {
        size_t rank = group->ranks[i];
        char cause[128] = "";

        if (rank == 0)
            snprintf(cause, sizeof(cause), "which is the %s of this benchmark",
                     definition->roles[0].name);
        else if (rank >= ranks)
            snprintf(cause, sizeof(cause), "but the job has only %zu ranks", ranks);
        for (size_t k = 0; k < i && cause[0] == '\0'; k++)
            if (group->ranks[k] == rank)
                snprintf(cause, sizeof(cause), "which is already a member");
        if (cause[0] == '\0')
            continue;
        cb_error("--group %s: member %lu is the node of rank %zu, %s; change the group "
                 "in %s/network.conf, or choose another group",
                 group->name, (unsigned long)group->ids[i], rank, cause, options->config);
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

static cb_status list_resize(cb_list *list, size_t count)
{
    cb_list_free(list);
    list->values = cb_allocate(count, sizeof(*list->values), "a list of ranks");
    if (list->values == NULL)
        return CB_ERROR_MEMORY;
    list->count = count;
    return CB_OK;
}

cb_status configuration_choose_group(const benchmark *definition, const cb_config *config,
                                     size_t ranks, bench_options *options)
{
    cb_list *counts = (void *)((char *)options + definition->counted->list);
    cb_config_group group;

    if (options->group == NULL)
        return CB_OK;
    if (config == NULL) {
        cb_error("--group %s: groups are defined in network.conf; use --config DIR with "
                 "the directory that has it",
                 options->group);
        return CB_ERROR_USAGE;
    }
    if (options->receivers.count > 0) {
        cb_error("--group %s: --receivers also chooses ranks; use only one of them",
                 options->group);
        return CB_ERROR_USAGE;
    }
    CB_TRY(find_group(config, options, &group));
    CB_TRY(check_members(definition, options, &group, ranks));
    CB_TRY(list_resize(&options->receivers, group.count));
    for (size_t i = 0; i < group.count; i++)
        options->receivers.values[i] = group.ranks[i];
    if (counts->count > 0)
        return CB_OK;
    CB_TRY(list_resize(counts, 1));
    counts->values[0] = group.count;
    return CB_OK;
}
