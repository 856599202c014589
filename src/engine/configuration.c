/* The settings of a run: files that rank 0 reads for all, so that they need not be on other hosts
 * and all ranks make the same of them; or, without files, what the job suggests. */
#include "engine/session.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "farm/farm.h"

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

/* All technologies that are known, as the files may name them. The caller frees *out. */
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

cb_status bench_read_config(control *plane, const char *directory, cb_config **out)
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

/* What a farm says to its processors may be larger than its data. */
static cb_job job_of(const bench_session *session, const bench_plan *plan)
{
    size_t largest = plan->largest_bytes;

    if (session->definition->counted == BENCH_FARM && largest < sizeof(bench_note))
        largest = sizeof(bench_note);
    return (cb_job){.ranks = (size_t)control_size(session->plane),
                    .largest_bytes = largest,
                    .held_buffers = HELD_BUFFERS};
}

cb_status bench_make_settings(bench_session *session, const transport_technology *technology,
                              const cb_config *config, const cb_override *given,
                              const bench_plan *plan)
{
    const cb_parameter_set *set = technology->parameters;
    const cb_job job = job_of(session, plan);

    CB_TRY(config != NULL ? cb_config_settings(config, &job, set, given, &session->settings)
                          : cb_settings_derive(set, &job, given, &session->settings));
    session->settings.interface = session->options->interface;
    return CB_OK;
}

/* Into the document */

static bool is_uniform(const cb_settings *settings, const cb_parameter *row)
{
    uint64_t first = cb_parameter_get(row, cb_settings_values(settings, 0));

    for (size_t rank = 1; rank < settings->node_count; rank++)
        if (cb_parameter_get(row, cb_settings_values(settings, rank)) != first)
            return false;
    return true;
}

/* The value of a rank; one that is absent is left out. */
static void put_value(const bench_session *session, const cb_parameter *row, size_t rank,
                      const char *place)
{
    uint64_t value = cb_parameter_get(row, cb_settings_values(&session->settings, rank));

    if (row->kind == CB_PARAMETER_FLAG)
        report_put_flag(session->document, value != 0, "%s.%s", place, row->name);
    else if (value != CB_PARAMETER_ABSENT)
        report_put_number(session->document, (double)value, "%s.%s", place, row->name);
}

static void put_parameter(const bench_session *session, const cb_parameter *row)
{
    char place[96];

    if (is_uniform(&session->settings, row)) {
        put_value(session, row, 0, "environment.technology_settings");
        return;
    }
    for (size_t rank = 0; rank < session->settings.node_count; rank++) {
        snprintf(place, sizeof(place), "environment.ranks.%zu.technology_settings", rank);
        put_value(session, row, rank, place);
    }
}

static void put_nodes(const bench_session *session)
{
    const cb_settings *settings = &session->settings;

    for (size_t rank = 0; rank < settings->node_count; rank++) {
        report_put_text(session->document, settings->nodes[rank].name, "environment.ranks.%zu.node",
                        rank);
        report_put_number(session->document, settings->nodes[rank].id, "environment.ranks.%zu.id",
                          rank);
    }
}

void bench_put_settings(const bench_session *session)
{
    const cb_parameter_set *set = session->settings.parameters;

    for (size_t i = 0; set != NULL && i < set->count; i++)
        put_parameter(session, &set->rows[i]);
    if (set != NULL)
        report_put_text(session->document, session->settings.configured ? "files" : "job",
                        "environment.technology_settings.made_from");
    if (session->settings.configured)
        put_nodes(session);
}
