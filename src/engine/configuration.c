/* Read and broadcast configuration files, make settings, choose the ranks of --group. Errors are
 * found before the first measurement. */
#include "engine/configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

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
    cb_status status = share_texts(plane, directory, &texts);

    if (status == CB_OK)
        status = control_agree(control_everyone(plane), list_technologies(&technologies, &count));
    if (status == CB_OK)
        status = control_agree(control_everyone(plane),
                               cb_config_parse(directory, &texts, technologies, count, out));
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
    cb_list *counts =
        definition->counted == BENCH_SOURCES ? &options->sources : &options->destinations;
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
