/* The configuration as a whole: references between its files, and the settings of a job. */
#include "base/context_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

/* A node's id, for a sorted search. */
typedef struct {
    uint32_t id;
    size_t rank;
} identity;

static int by_id(const void *left, const void *right)
{
    const identity *a = left, *b = right;

    return (a->id > b->id) - (a->id < b->id);
}

static cb_status refuse_same_id(const cb_config *config, identity one, identity other)
{
    const context_node *first = &config->nodes[one.rank < other.rank ? one.rank : other.rank];
    const context_node *second = &config->nodes[one.rank < other.rank ? other.rank : one.rank];

    return cb_context_fail(
        config, second->id_place,
        "id = %lu of the node '%s' is also that of the node '%s' in line %ld; give "
        "each node a different id",
        (unsigned long)one.id, second->name, first->name, first->id_place.line);
}

static cb_status sort_identities(const cb_config *config, identity *all)
{
    for (size_t rank = 0; rank < config->node_count; rank++)
        all[rank] = (identity){config->nodes[rank].id, rank};
    qsort(all, config->node_count, sizeof(*all), by_id);
    for (size_t i = 1; i < config->node_count; i++)
        if (all[i].id == all[i - 1].id)
            return refuse_same_id(config, all[i - 1], all[i]);
    return CB_OK;
}

static cb_status find_members(const cb_config *config, const identity *all, context_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        identity wanted = {.id = group->ids[i]};
        const identity *found = bsearch(&wanted, all, config->node_count, sizeof(*all), by_id);

        if (found == NULL)
            return cb_context_fail(config, group->place,
                                   "member %lu of the group '%s' is the id of no node in "
                                   "nodes.conf; add such a node, or remove the member",
                                   (unsigned long)wanted.id, group->name);
        group->ranks[i] = found->rank;
    }
    return CB_OK;
}

static cb_status link_groups(cb_config *config)
{
    identity *all = cb_allocate(config->node_count, sizeof(*all), "the ids of the nodes");
    cb_status status;

    if (all == NULL)
        return CB_ERROR_MEMORY;
    status = sort_identities(config, all);
    for (size_t i = 0; i < config->group_count && status == CB_OK; i++)
        status = find_members(config, all, &config->groups[i]);
    free(all);
    return status;
}

static cb_status refuse_machine(const cb_config *config, const context_node *node)
{
    const char **names = cb_allocate(config->machine_count, sizeof(*names), "names of machines");
    const char *nearest;

    if (names == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < config->machine_count; i++)
        names[i] = config->machines[i].name;
    nearest = cb_nearest(node->machine, names, config->machine_count);
    free(names);
    return cb_context_fail(config, node->machine_place,
                           "machine = %s of the node '%s' is not in machines.conf, %s%s%s; add it "
                           "there, or name one of that file",
                           node->machine, node->name,
                           nearest != NULL ? "where the nearest name is '" : "which has none",
                           nearest != NULL ? nearest : "", nearest != NULL ? "'" : "");
}

static cb_status link_machines(cb_config *config)
{
    for (size_t rank = 0; rank < config->node_count; rank++) {
        context_node *node = &config->nodes[rank];
        size_t i = 0;

        if (node->machine == NULL)
            continue;
        while (i < config->machine_count && strcmp(config->machines[i].name, node->machine) != 0)
            i++;
        if (i == config->machine_count)
            return refuse_machine(config, node);
        node->machine_index = i;
    }
    return CB_OK;
}

/* Several technologies may share a set. */
static cb_status learn_vocabulary(const cb_config_technology *technologies, size_t count,
                                  context_vocabulary *out)
{
    size_t rows = 0;

    for (size_t i = 0; i < count; i++)
        rows += technologies[i].parameters != NULL ? technologies[i].parameters->count : 0;
    out->contexts = cb_allocate(count, sizeof(*out->contexts), "the Contexts");
    out->rows = cb_allocate(rows, sizeof(*out->rows), "the parameters");
    if (out->contexts == NULL || out->rows == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const cb_parameter_set *set = technologies[i].parameters;
        size_t known = 0;

        while (known < out->context_count && out->contexts[known] != set)
            known++;
        if (set == NULL || known < out->context_count)
            continue;
        out->contexts[out->context_count++] = set;
        for (size_t k = 0; k < set->count; k++)
            out->rows[out->row_count++] = (context_row){set, &set->rows[k]};
    }
    return CB_OK;
}

/* Copies the text: libconfuse needs one that may be changed. */
static cb_status parse_file(cb_config *config, const cb_config_technology *technologies,
                            size_t count, cb_file file, const cb_config_texts *texts)
{
    const size_t bytes = texts->bytes[file];
    char *text = cb_allocate(bytes, 1, "a configuration file");
    cb_status status;

    if (text == NULL)
        return CB_ERROR_MEMORY;
    if (bytes > 0)
        memcpy(text, texts->text[file], bytes);
    status = cb_context_read_file(config, technologies, count, file, text, bytes);
    free(text);
    return status;
}

cb_status cb_config_parse(const char *directory, const cb_config_texts *texts,
                          const cb_config_technology *technologies, size_t count, cb_config **out)
{
    cb_config *config = cb_allocate(1, sizeof(*config), "the configuration");
    cb_status status = CB_ERROR_MEMORY;

    if (config == NULL)
        return CB_ERROR_MEMORY;
    config->directory = cb_context_copy(directory);
    if (config->directory == NULL ||
        (status = learn_vocabulary(technologies, count, &config->vocabulary)) != CB_OK)
        goto failed;
    for (size_t file = 0; file < CB_FILES; file++)
        if ((status = parse_file(config, technologies, count, (cb_file)file, texts)) != CB_OK)
            goto failed;
    if ((status = link_groups(config)) != CB_OK || (status = link_machines(config)) != CB_OK)
        goto failed;
    *out = config;
    return CB_OK;
failed:
    cb_config_free(config);
    return status;
}

void cb_config_free(cb_config *config)
{
    if (config == NULL)
        return;
    for (size_t i = 0; i < config->node_count; i++) {
        free(config->nodes[i].name);
        free(config->nodes[i].machine);
        free(config->nodes[i].scope.values);
    }
    for (size_t i = 0; i < config->machine_count; i++) {
        free(config->machines[i].name);
        free(config->machines[i].scope.values);
    }
    for (size_t i = 0; i < config->group_count; i++) {
        free(config->groups[i].name);
        free(config->groups[i].ids);
        free(config->groups[i].ranks);
    }
    free(config->nodes);
    free(config->machines);
    free(config->groups);
    free(config->top.values);
    free(config->vocabulary.contexts);
    free(config->vocabulary.rows);
    free(config->directory);
    free(config);
}

const char *cb_config_technology_name(const cb_config *config)
{
    return config->technology;
}

const char *cb_config_technology_place(const cb_config *config)
{
    return config->technology_place;
}

bool cb_config_group_at(const cb_config *config, size_t index, cb_config_group *out)
{
    const context_group *group;

    if (index >= config->group_count)
        return false;
    group = &config->groups[index];
    *out = (cb_config_group){group->name, group->ids, group->ranks, group->count};
    return true;
}

/* The value in effect for a node, by precedence: command line, node, its machine, top, default.
 * `index` is a row of the vocabulary. */
static context_value effective_value(const cb_config *config, const context_node *node,
                                     size_t index, const cb_override *given)
{
    const context_scope *scopes[] = {
        &node->scope,
        node->machine != NULL ? &config->machines[node->machine_index].scope : &config->top,
        &config->top,
    };
    const context_row *known = &config->vocabulary.rows[index];
    const cb_override *option = given != NULL ? &given[known->row - known->set->rows] : NULL;

    if (option != NULL && option->given)
        return (context_value){option->value, {.file = CONTEXT_COMMAND_LINE, .line = 1}};
    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++)
        if (scopes[i]->values[index].place.line != 0)
            return scopes[i]->values[index];
    return (context_value){.value = known->row->default_value};
}

/* The index of a set's first row in the vocabulary. */
static size_t first_row(const cb_config *config, const cb_parameter_set *set)
{
    size_t index = 0;

    while (config->vocabulary.rows[index].set != set)
        index++;
    return index;
}

/* Memory of each receiver serves the senders' parameters, so the need of one node may follow from
 * the parameters of others. */
static cb_status report_shortage(const cb_config *config, const cb_parameter_set *set,
                                 const cb_override *given, const cb_shortage *found)
{
    const size_t first = first_row(config, set);
    const context_node *node = &config->nodes[found->rank];
    const cb_limit *limit = found->limit;
    const char *name = set->rows[limit->parameter].name;
    context_place place = effective_value(config, node, first + limit->parameter, given).place;
    const bool is_default = place.line == 0;

    for (size_t i = 0; place.line == 0 && i < limit->involved_count; i++)
        place = effective_value(config, node, first + limit->involved[i], given).place;
    return cb_context_fail(config, place,
                           "%s = %llu%s is too small for the node '%s': %s; write %s = %llu or "
                           "more in a Context %s",
                           name, (unsigned long long)found->value,
                           is_default ? ", the default," : "", node->name, found->why, name,
                           (unsigned long long)found->needed, set->context);
}

/* Values of a set for all nodes of the job, which the caller frees. NULL, logged, with the cause in
 * *status, if a limit is violated or memory is short. */
static void *make_values(const cb_config *config, const cb_job *job, const cb_parameter_set *set,
                         const cb_override *given, cb_status *status)
{
    char *values = cb_allocate(job->ranks, set->bytes, "the parameters of all nodes");
    const size_t first = set->count > 0 ? first_row(config, set) : 0;
    cb_shortage found;

    *status = CB_ERROR_MEMORY;
    if (values == NULL)
        return NULL;
    for (size_t rank = 0; rank < job->ranks; rank++)
        for (size_t i = 0; i < set->count; i++)
            cb_parameter_set_value(
                &set->rows[i],
                effective_value(config, &config->nodes[rank], first + i, given).value,
                values + rank * set->bytes);
    *status = cb_limits_hold(set, job, values, &found)
                  ? CB_OK
                  : report_shortage(config, set, given, &found);
    if (*status == CB_OK)
        return values;
    free(values);
    return NULL;
}

static cb_status set_group(const context_group *group, cb_group_settings *out)
{
    out->name = cb_context_copy(group->name);
    out->members = cb_allocate(group->count, sizeof(*out->members), "the members of a group");
    if (out->name == NULL || out->members == NULL)
        return CB_ERROR_MEMORY;
    out->count = group->count;
    memcpy(out->members, group->ranks, group->count * sizeof(*out->members));
    return CB_OK;
}

static cb_status set_all(const cb_config *config, const cb_job *job, cb_settings *out)
{
    out->nodes = cb_allocate(job->ranks, sizeof(*out->nodes), "the settings of all nodes");
    out->groups = cb_allocate(config->group_count, sizeof(*out->groups), "the groups");
    if (out->nodes == NULL || out->groups == NULL)
        return CB_ERROR_MEMORY;
    for (; out->node_count < job->ranks; out->node_count++) {
        const context_node *node = &config->nodes[out->node_count];

        out->nodes[out->node_count] =
            (cb_node_settings){.name = cb_context_copy(node->name), .id = node->id};
        if (out->nodes[out->node_count].name == NULL)
            return CB_ERROR_MEMORY;
    }
    for (size_t i = 0; i < config->group_count; i++) {
        out->group_count = i + 1;
        CB_TRY(set_group(&config->groups[i], &out->groups[i]));
    }
    return CB_OK;
}

cb_status cb_config_settings(const cb_config *config, const cb_job *job,
                             const cb_parameter_set *set, const cb_override *given,
                             cb_settings *out)
{
    cb_status status = CB_OK;

    if (job->ranks > config->node_count) {
        cb_error("%s/%s has %zu nodes, and rank r is the r-th of them: a job of %zu ranks needs "
                 "%zu nodes; add nodes, or start fewer ranks",
                 config->directory, cb_file_names[CB_FILE_NODES], config->node_count, job->ranks,
                 job->ranks);
        return CB_ERROR_USAGE;
    }
    *out = (cb_settings){.configured = true, .parameters = set};
    for (size_t i = 0; i < config->vocabulary.context_count; i++) {
        const cb_parameter_set *one = config->vocabulary.contexts[i];
        void *values = make_values(config, job, one, one == set ? given : NULL, &status);

        if (one == set)
            out->values = values;
        else
            free(values);
        if (status != CB_OK)
            goto failed;
    }
    if ((status = set_all(config, job, out)) == CB_OK)
        return CB_OK;
failed:
    cb_settings_free(out);
    return status;
}
