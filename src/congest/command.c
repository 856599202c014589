/* Parse the options of another benchmark over those of this program. */
#include "congest/command.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "engine/method.h"
#include "engine/fragments.h"

const char *const congest_quiet[] = {"none", "busy", NULL};

/* Options of benchmarks that are measured by themselves only, and what to do instead. */
static const struct {
    const char *name, *instead;
} alone[] = {
    {"compute", "use --aggressor busy"},
    {"threads", "leave it out"},
    {"timeline", "run the benchmark itself for a timeline"},
    {"timeline-events", "run the benchmark itself for a timeline"},
    {"find-rate", "give a --rate"},
    {"load-curve", "give a --rate"},
    {"group", "give the numbers of ranks"},
    {"emit-trace", "run the benchmark itself for its trace"},
};

cb_status congest_split(const char *text, char words[CONGEST_TEXT_BYTES],
                        char *argv[CONGEST_WORDS + 1], int *argc)
{
    char *rest, *word;

    *argc = 0;
    if (strlen(text) >= CONGEST_TEXT_BYTES) {
        cb_error("it is longer than %d characters; leave out options", CONGEST_TEXT_BYTES - 1);
        return CB_ERROR_USAGE;
    }
    strcpy(words, text);
    for (word = strtok_r(words, " \t\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\n", &rest)) {
        if (*argc == CONGEST_WORDS) {
            cb_error("it has more than %d words; leave out options", CONGEST_WORDS);
            return CB_ERROR_USAGE;
        }
        argv[(*argc)++] = word;
    }
    argv[*argc] = NULL;
    if (*argc > 0)
        return CB_OK;
    cb_error("it is empty; give the name of a benchmark, and its options");
    return CB_ERROR_USAGE;
}

/* Not benchmarks that have no messages of their own, nor those whose measurement meets all ranks of
 * the job. */
static bool can_be_beside(const benchmark *one)
{
    return bench_has_steps(one) &&
           (one->method == NULL || one->method->measure == NULL || one->method->load != NULL);
}

static cb_status unknown_name(const engine_program *program, const char *name, bool quiet)
{
    char names[512] = "";

    for (const benchmark *const *one = program->options_table.registry; *one != NULL; one++)
        if (can_be_beside(*one))
            snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
                     names[0] != '\0' ? ", " : "", (*one)->name);
    for (size_t i = 0; quiet && congest_quiet[i] != NULL; i++)
        snprintf(names + strlen(names), sizeof(names) - strlen(names), ", %s", congest_quiet[i]);
    cb_error("'%s' is no benchmark that can be measured beside another; use one of %s", name,
             names);
    return CB_ERROR_USAGE;
}

static const benchmark *find(const engine_program *program, const char *name)
{
    for (const benchmark *const *one = program->options_table.registry; *one != NULL; one++)
        if (strcmp((*one)->name, name) == 0 && can_be_beside(*one))
            return *one;
    return NULL;
}

static const cb_option *row_named(const cb_option_table *table, const char *name)
{
    for (size_t i = 0; i < table->option_count; i++)
        if (cb_option_applies(table, &table->options[i]) &&
            strcmp(table->options[i].name, name) == 0)
            return &table->options[i];
    return NULL;
}

static size_t field_bytes(cb_option_type type)
{
    switch (type) {
    case CB_OPTION_FLAG:
        return sizeof(bool);
    case CB_OPTION_COUNT:
    case CB_OPTION_SIZE:
        return sizeof(uint64_t);
    case CB_OPTION_REAL:
        return sizeof(double);
    case CB_OPTION_TEXT:
    case CB_OPTION_CHOICE:
        return sizeof(const char *);
    case CB_OPTION_SIZE_LIST:
    case CB_OPTION_COUNT_LIST: /* owned by one table only */
    case CB_OPTION_OPERAND:
    case CB_OPTION_ACTION:
        break;
    }
    return 0;
}

/* What the program has, it has for both. */
static cb_status share_options(const engine_program *program, const bool *given,
                               congest_command *command)
{
    const cb_option_table *own = &program->options_table.table, *table = &command->table.table;

    for (size_t i = 0; i < table->option_count; i++) {
        const cb_option *row = &table->options[i], *same;

        if (!cb_option_applies(table, row))
            continue;
        same = row_named(own, row->name);
        if (same != NULL && given[i]) {
            cb_error("--%s holds for the whole job; give it to cb_%s itself", row->name,
                     program->definition->name);
            return CB_ERROR_USAGE;
        }
        if (same != NULL && same->offset == row->offset)
            memcpy((char *)&command->options + row->offset,
                   (const char *)&program->options + row->offset, field_bytes(row->type));
        for (size_t k = 0; given[i] && k < sizeof(alone) / sizeof(alone[0]); k++)
            if (strcmp(alone[k].name, row->name) == 0) {
                cb_error("--%s cannot be measured beside another benchmark; %s", row->name,
                         alone[k].instead);
                return CB_ERROR_USAGE;
            }
    }
    return CB_OK;
}

static bool was_given(const cb_option_table *table, const bool *given, const char *name)
{
    const cb_option *row = row_named(table, name);

    return row != NULL && given[row - table->options];
}

cb_status congest_command_parse(const engine_program *program, const char *text, bool quiet,
                                congest_command *out)
{
    const cb_option *action = NULL;
    const benchmark *definition;
    const cb_option_table *table;
    bool given[OPTIONS_ROWS];

    out->text = text;
    CB_TRY(congest_split(text, out->words, out->argv, &out->argc));
    for (int kind = 0; quiet && congest_quiet[kind] != NULL; kind++)
        if (strcmp(out->argv[0], congest_quiet[kind]) == 0) {
            out->kind = kind == 0 ? CONGEST_SLEEPS : CONGEST_COMPUTES;
            if (out->kind == CONGEST_COMPUTES && program->options.model != NULL) {
                cb_error("'%s': a model has no cores; use an aggressor that sends",
                         congest_quiet[kind]);
                return CB_ERROR_USAGE;
            }
            if (out->argc == 1)
                return CB_OK;
            cb_error("'%s' has no options; remove '%s'", out->argv[0], out->argv[1]);
            return CB_ERROR_USAGE;
        }
    definition = find(program, out->argv[0]);
    if (definition == NULL)
        return unknown_name(program, out->argv[0], quiet);
    out->definition = *definition;
    out->definition.fit = false;
    out->definition.ratio = (bench_ratio){0};
    options_table_make(definition, program->options_table.registry, &out->table);
    table = &out->table.table;
    CB_TRY(cb_options_defaults(table, &out->options));
    out->parsed = true;
    CB_TRY(cb_options_parse(table, out->argc, out->argv, &out->options, given, &action));
    if (action != NULL) {
        cb_error("--%s says nothing here; run cb_%s --%s", action->name, definition->name,
                 action->name);
        return CB_ERROR_USAGE;
    }
    CB_TRY(share_options(program, given, out));
    return fragments_parse(&out->options, was_given(table, given, "sizes"),
                           was_given(table, given, "correlation"));
}

void congest_command_free(congest_command *command)
{
    if (!command->parsed)
        return;
    cb_fragments_free(&command->options.sizes_of_fragments);
    cb_options_free(&command->table.table, &command->options);
    command->parsed = false;
}
