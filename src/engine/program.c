/* Parse options before MPI starts, with the same result in all ranks. */
#include "config.h"

#include "engine/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "engine/describe.h"
#include "engine/fragments.h"
#include "engine/method.h"

static bool has_empty_name(const char *names)
{
    return names[0] == '\0' || names[0] == ',' || names[strlen(names) - 1] == ',' ||
           strstr(names, ",,") != NULL;
}

cb_status program_find_technology(engine_program *program, const char *named_by)
{
    char names[256];

    program->technology = transport_find(program->options.technology);
    if (program->technology == NULL) {
        const transport_technology *known = transport_find_known(program->options.technology);
        const char *needs = known != NULL ? known->needs : NULL;

        transport_list(0, names, sizeof(names));
        cb_error("the technology '%s' (from %s) is not built into this program; %s%suse "
                 "--technology with one of %s",
                 program->options.technology, named_by, needs != NULL ? needs : "",
                 needs != NULL ? ", or " : "", names);
        return CB_ERROR_USAGE;
    }
    if (program->options.interface != NULL &&
        (program->technology->capabilities & TRANSPORT_INTERFACE) == 0) {
        transport_list(TRANSPORT_INTERFACE, names, sizeof(names));
        cb_error("--interface %s: the technology %s chooses its network itself; leave "
                 "the option out, or use --technology with one of %s",
                 program->options.interface, program->technology->name, names);
        return CB_ERROR_USAGE;
    }
    if (program->options.interface != NULL && has_empty_name(program->options.interface)) {
        cb_error("--interface '%s': a name is empty; write names of interfaces separated by single "
                 "commas, such as eth0,eth1",
                 program->options.interface);
        return CB_ERROR_USAGE;
    }
    if (program->options.verify && (program->technology->capabilities & TRANSPORT_DELIVERS) == 0) {
        cb_error("--verify: the technology %s delivers no data to check; use another "
                 "--technology",
                 program->technology->name);
        return CB_ERROR_UNSUPPORTED;
    }
    if (program->options.threads > 1 && program->options.emit_trace == NULL &&
        (program->technology->capabilities & OPTIONS_THREADS_NEED) != OPTIONS_THREADS_NEED) {
        transport_list(OPTIONS_THREADS_NEED, names, sizeof(names));
        cb_error("--threads %llu: the technology %s allows one sending thread in a process; leave "
                 "the option out, or use --technology with one of %s",
                 (unsigned long long)program->options.threads, program->technology->name, names);
        return CB_ERROR_UNSUPPORTED;
    }
    return cb_overrides_parse(program->technology->name, program->technology->parameters,
                              program->options.parameter, &program->overrides);
}

/* What --technology list does, as an action. */
static const char list_technologies[] = "technology list";

static cb_status carry_out(const engine_program *program, const char *action)
{
    const options_table *of = &program->options_table;

    if (strcmp(action, "describe") == 0)
        return describe_benchmark(program->definition, of->registry, stdout);
    if (strcmp(action, list_technologies) == 0) {
        cb_streams_keep_output(); /* libraries are started */
        describe_technologies(cb_streams_output());
    } else if (strcmp(action, "help") == 0)
        cb_options_help(&of->table, stdout);
    else if (strcmp(action, "manual") == 0)
        cb_options_manual(&of->table, CB_VERSION, CB_DATE, stdout);
    else
        printf("%s (combench) %s, revision %s\n", of->program, CB_VERSION, CB_COMMIT);
    return CB_OK;
}

static bool is_given(const cb_option_table *table, const bool *given, const char *name)
{
    for (size_t i = 0; i < table->option_count; i++)
        if (given[i] && strcmp(table->options[i].name, name) == 0)
            return true;
    return false;
}

/* Options that say how --emit-trace writes, or what --model is. */
static cb_status check_details(const cb_option_table *table, const bool *given)
{
    static const struct {
        const char *name, *of;
        bool begins; /* the name is the beginning of several */
    } details[] = {{"trace-", "emit-trace", true},    {"network", "model", false},
                   {"share", "model", false},         {"group-send", "model", false},
                   {"switch-buffer", "model", false}, {"background", "model", false},
                   {"ranks", "model", false},         {"messages", "model", false}};

    for (size_t i = 0; i < table->option_count; i++)
        for (size_t k = 0; given[i] && k < sizeof(details) / sizeof(details[0]); k++) {
            const char *name = table->options[i].name;

            if (is_given(table, given, details[k].of) ||
                (details[k].begins ? strncmp(name, details[k].name, strlen(details[k].name))
                                   : strcmp(name, details[k].name)) != 0)
                continue;
            cb_error("--%s has no effect without --%s; leave it out, or add the other", name,
                     details[k].of);
            return CB_ERROR_USAGE;
        }
    return CB_OK;
}

/* The computing task and all threads of its rank would be bound to one core. */
static cb_status check_threads(const bench_options *options)
{
    if (options->threads < 2 || bench_occupation_named(options->compute) == BENCH_UNOCCUPIED)
        return CB_OK;
    cb_error("--threads %llu cannot be combined with --compute %s, which binds each rank to one "
             "core; leave one of them out",
             (unsigned long long)options->threads, options->compute);
    return CB_ERROR_USAGE;
}

/* Methods have sends and receives of their own, and several threads would take the same packet. */
static cb_status check_buffers(const benchmark *definition, const bench_options *options)
{
    const char *other = options->threads > 1 ? "--threads" : "--fragments";

    if (options->buffers == NULL || strcmp(options->buffers, BENCH_SEPARATE) != 0)
        return CB_OK;
    if (definition->method != NULL && !definition->method->plain_traffic) {
        cb_error("--buffers %s has no meaning for cb_%s, whose messages do not return; use hot or "
                 "rotate",
                 options->buffers, definition->name);
        return CB_ERROR_USAGE;
    }
    if (options->threads < 2 && !fragments_vary(options))
        return CB_OK;
    cb_error("--buffers %s cannot be combined with %s, whose packets have buffers of their own; "
             "leave one of them out",
             options->buffers, other);
    return CB_ERROR_USAGE;
}

/* With --config, the technology may be named in a file that is read later. */
static cb_status parse_command_line(engine_program *program)
{
    const cb_option *action = NULL;
    const char *name;
    bool given[OPTIONS_ROWS];
    char what[64];

    CB_TRY(cb_options_defaults(&program->options_table.table, &program->options));
    CB_TRY(cb_options_parse(&program->options_table.table, program->argc, program->argv,
                            &program->options, given, &action));
    program->technology_given = is_given(&program->options_table.table, given, "technology");
    program->touch_given = is_given(&program->options_table.table, given, "touch");
    name = action != NULL ? action->name : NULL;
    if (name == NULL && strcmp(program->options.technology, "list") == 0)
        name = list_technologies;
    if (name == NULL) {
        CB_TRY(check_details(&program->options_table.table, given));
        CB_TRY(check_threads(&program->options));
        CB_TRY(fragments_parse(&program->options,
                               is_given(&program->options_table.table, given, "sizes"),
                               is_given(&program->options_table.table, given, "correlation")));
        CB_TRY(check_buffers(program->definition, &program->options));
        return program->options.config == NULL || program->technology_given
                   ? program_find_technology(program, "--technology")
                   : CB_OK;
    }
    program->done = true;
    if (control_launch_rank() == 0)
        CB_TRY(carry_out(program, name));
    snprintf(what, sizeof(what), "the output of --%s", name);
    return cb_streams_flush(cb_streams_output(), what, "");
}

/* Usually all ranks have the same options, and rank 0 has logged the error before MPI starts. If a
 * launcher gives ranks different options and rank 0's are valid, the first rank that rejects its
 * options logs the error here. So no rank waits for one that has exited, and no launcher ends the
 * job before the reason is logged. */
cb_status program_agree_on_options(engine_program *program, control *plane, cb_status mine)
{
    const int rank = control_rank(plane), size = control_size(plane);
    double first = mine == CB_OK ? 0 : size - rank; /* largest in the first rank that rejects */

    CB_TRY(control_maximum(control_everyone(plane), &first, 1));
    if (rank > 0 && first == size - rank) {
        cb_log_identify(program->options_table.program, rank);
        cb_log_silence(false);
        cb_options_free(&program->options_table.table, &program->options);
        (void)parse_command_line(program);
    }
    return control_agree(control_everyone(plane), mine);
}

cb_status program_begin(engine_program *program, const benchmark *definition,
                        const benchmark *const *registry, int argc, char **argv)
{
    control *plane;
    cb_status status;

    *program = (engine_program){.definition = definition, .argc = argc, .argv = argv};
    cb_streams_hold_closed();
    options_table_make(definition, registry, &program->options_table);
    describe_counters();
    cb_log_identify(program->options_table.program, -1);
    cb_log_silence(control_launch_rank() != 0);
    status = parse_command_line(program);
    if (status != CB_OK && !program->done && control_launched()) {
        control_request_yield(true);
        if (control_open(false, &plane) != CB_OK ||
            program_agree_on_options(program, plane, status) == CB_ERROR_CONTROL)
            control_abort(cb_status_exit(status));
        control_close(plane);
    }
    return status;
}

int program_end(engine_program *program, cb_status status)
{
    cb_fragments_free(&program->options.sizes_of_fragments);
    cb_options_free(&program->options_table.table, &program->options);
    free(program->overrides);
    return cb_status_exit(status);
}
