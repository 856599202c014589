/* The settings of a run: files that rank 0 reads for all, so that they need not be on other hosts
 * and all ranks make the same of them; or, without files, what the job suggests. */
#include "engine/configuration.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/derive.h"
#include "base/memory.h"

/* Received buffers that a benchmark has at one time: one in hand, which goes back with the next
 * step, and one that is being looked at. */
enum { HELD_BUFFERS = 2 };

/* Rank 0's news of the files: plain data. */
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
    return bytes > 0 ? control_broadcast(team, *text, (size_t)bytes) : CB_OK;
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

cb_status bench_read_config(control *plane, const char *directory, cb_config **out)
{
    cb_config_texts texts = {0};
    cb_status status = share_texts(plane, directory, &texts);

    if (status == CB_OK)
        status = control_agree(control_everyone(plane), cb_config_parse(directory, &texts, out));
    cb_config_texts_free(&texts);
    return status;
}

cb_status bench_make_settings(const cb_config *config, size_t ranks, size_t largest_bytes,
                              const char *interface, cb_settings *out)
{
    const cb_job job = {
        .ranks = ranks, .largest_bytes = largest_bytes, .held_buffers = HELD_BUFFERS};

    CB_TRY(config != NULL ? cb_config_settings(config, &job, out) : cb_derive_settings(&job, out));
    out->interface = interface;
    return CB_OK;
}

/* Into the document */

static bool serves(const cb_parameter *row, const char *technology)
{
    return strcmp(cb_context_technology(row->context), technology) == 0;
}

static bool is_uniform(const cb_settings *settings, const cb_parameter *row)
{
    uint64_t first = cb_parameter_get(row, &settings->nodes[0]);

    for (size_t rank = 1; rank < settings->node_count; rank++)
        if (cb_parameter_get(row, &settings->nodes[rank]) != first)
            return false;
    return true;
}

/* A node_id that nobody configured is absent. */
static void put_value(report_document *document, const cb_parameter *row,
                      const cb_node_settings *node, const char *place)
{
    uint64_t value = cb_parameter_get(row, node);

    if (row->kind == CB_PARAMETER_FLAG)
        report_put_flag(document, value != 0, "%s.%s", place, row->name);
    else if (row->kind != CB_PARAMETER_ID || value != CB_NODE_ID_UNKNOWN)
        report_put_number(document, (double)value, "%s.%s", place, row->name);
}

static void put_parameter(report_document *document, const cb_settings *settings,
                          const cb_parameter *row)
{
    char place[96];

    if (is_uniform(settings, row)) {
        put_value(document, row, &settings->nodes[0], "environment.technology_settings");
        return;
    }
    for (size_t rank = 0; rank < settings->node_count; rank++) {
        snprintf(place, sizeof(place), "environment.ranks.%zu.technology_settings", rank);
        put_value(document, row, &settings->nodes[rank], place);
    }
}

static void put_nodes(report_document *document, const cb_settings *settings)
{
    for (size_t rank = 0; rank < settings->node_count; rank++) {
        report_put_text(document, settings->nodes[rank].name, "environment.ranks.%zu.node", rank);
        report_put_number(document, settings->nodes[rank].id, "environment.ranks.%zu.id", rank);
    }
}

void bench_put_settings(report_document *document, const transport_factory *factory,
                        const cb_settings *settings)
{
    const char *technology = factory->ops.name;
    bool any = false;

    for (size_t i = 0; i < CB_PARAMETERS; i++)
        if (serves(&cb_parameters[i], technology)) {
            put_parameter(document, settings, &cb_parameters[i]);
            any = true;
        }
    if (any)
        report_put_text(document, settings->configured ? "files" : "job",
                        "environment.technology_settings.made_from");
    if (settings->configured)
        put_nodes(document, settings);
}
