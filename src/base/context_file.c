/* From the tree of one file to what it says: numbers from texts, and nodes, machines and groups
 * with what belongs to them. */
#include "base/context_tree.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/memory.h"

_Static_assert((int)CONTEXT_WHY_BYTES >= (int)CB_WHY_BYTES, "the parsers' reasons have to fit");

/* What a file is read into. */
typedef struct {
    cb_config *config;
    cb_file file;
    const cb_config_technology *technologies;
    size_t technology_count;
} reader;

static context_place place_of(const reader *from, const cfg_t *section, const char *name)
{
    return (context_place){from->file, cb_tree_line(section, name)};
}

static cb_status read_parameter(const reader *from, const cfg_t *section, const cb_parameter *row,
                                context_value *out)
{
    const char *text = cb_tree_text(section, row->name, 0);
    context_place place = place_of(from, section, row->name);
    char why[CONTEXT_WHY_BYTES], place_text[CONTEXT_PLACE_BYTES];

    if (text == NULL)
        return CB_OK;
    if (!cb_parameter_read(row, text, &out->value, why))
        return cb_context_fail(from->config, place, "%s = %s: %s", row->name, text, why);
    out->place = place;
    if (cb_parameter_denies(row, text)) {
        cb_context_place_text(from->config, place, place_text);
        cb_warning("%s: %s = %s is true, as everything but 0; write 0 for false", place_text,
                   row->name, text);
    }
    return CB_OK;
}

static cb_status read_contexts(const reader *from, const cfg_t *section, unsigned scope,
                               context_scope *out)
{
    const context_vocabulary *known = &from->config->vocabulary;

    out->values = cb_allocate(known->row_count, sizeof(*out->values), "the parameters of a scope");
    if (out->values == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < known->context_count; i++) {
        const cb_parameter_set *set = known->contexts[i];
        const size_t count = cb_tree_count(section, set->context);

        if (count > 1)
            return cb_context_fail(
                from->config,
                (context_place){from->file, cb_tree_section(section, set->context, 1)->line},
                "the Context %s that ends here is the second one in the same place; "
                "put both together",
                set->context);
        for (size_t k = 0; count == 1 && k < known->row_count; k++)
            if (known->rows[k].set == set && (known->rows[k].row->scopes & scope) != 0)
                CB_TRY(read_parameter(from, cb_tree_section(section, set->context, 0),
                                      known->rows[k].row, &out->values[k]));
    }
    return CB_OK;
}

/* network.conf */

/* "one, another, third" */
static void list_technologies(const reader *from, char *text, size_t bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < from->technology_count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i > 0 ? ", " : "",
                                 from->technologies[i].name);
}

static void choose_technology(const reader *from, const cfg_t *root)
{
    cb_config *config = from->config;
    const char *text = cb_tree_text(root, "Technology", 0);
    char names[CONTEXT_WHY_BYTES];

    for (size_t i = 0; i < from->technology_count; i++)
        if (from->technologies[i].is_default)
            config->technology = from->technologies[i].name;
    cb_context_place_text(config, place_of(from, root, "Technology"), config->technology_place);
    if (text == NULL) {
        strncat(config->technology_place, ", which names none,",
                sizeof(config->technology_place) - strlen(config->technology_place) - 1);
        return;
    }
    for (size_t i = 0; i < from->technology_count; i++)
        if (strcasecmp(from->technologies[i].name, text) == 0) {
            config->technology = from->technologies[i].name;
            return;
        }
    list_technologies(from, names, sizeof(names));
    cb_warning("%s: Technology = %s is not known and taken for %s; write one of %s, or use "
               "--technology",
               config->technology_place, text,
               config->technology != NULL ? config->technology : "none", names);
}

static bool read_id(const char *text, uint32_t *id, char why[CONTEXT_WHY_BYTES])
{
    uint64_t value;

    if (!cb_parse_count(text, 0, UINT32_MAX, &value, why))
        return false;
    *id = (uint32_t)value;
    return true;
}

static cb_status read_member(const reader *from, const cfg_t *section, size_t index, uint32_t *id)
{
    const char *text = cb_tree_text(section, "members", index);
    char why[CONTEXT_WHY_BYTES];

    return read_id(text, id, why)
               ? CB_OK
               : cb_context_fail(from->config, place_of(from, section, "members"),
                                 "member '%s' of the group '%s' is no id of a node: %s", text,
                                 section->title, why);
}

static cb_status read_group(const reader *from, const cfg_t *section, context_group *out)
{
    size_t count = cb_tree_count(section, "members");

    out->place = place_of(from, section, "members");
    if (count == 0)
        return cb_context_fail(from->config, (context_place){from->file, section->line},
                               "the group '%s' that ends here has no members; write members = {1, "
                               "2} with the ids of nodes",
                               section->title);
    out->name = cb_context_copy(section->title);
    out->ids = cb_allocate(count, sizeof(*out->ids), "the members of a group");
    out->ranks = cb_allocate(count, sizeof(*out->ranks), "the members of a group");
    if (out->name == NULL || out->ids == NULL || out->ranks == NULL)
        return CB_ERROR_MEMORY;
    for (out->count = 0; out->count < count; out->count++)
        CB_TRY(read_member(from, section, out->count, &out->ids[out->count]));
    return CB_OK;
}

static cb_status take_network(const reader *from, const cfg_t *root)
{
    cb_config *config = from->config;
    size_t count = cb_tree_count(root, "group");

    choose_technology(from, root);
    CB_TRY(read_contexts(from, root, CB_SCOPE_TOP, &config->top));
    config->groups = cb_allocate(count, sizeof(*config->groups), "the groups");
    if (config->groups == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        config->group_count = i + 1;
        CB_TRY(read_group(from, cb_tree_section(root, "group", i), &config->groups[i]));
    }
    return CB_OK;
}

/* nodes.conf */

static cb_status read_node(const reader *from, const cfg_t *section, context_node *out)
{
    const char *id = cb_tree_text(section, "id", 0), *machine = cb_tree_text(section, "machine", 0);
    char why[CONTEXT_WHY_BYTES];

    out->id_place = place_of(from, section, "id");
    out->machine_place = place_of(from, section, "machine");
    if (id == NULL)
        return cb_context_fail(from->config, (context_place){from->file, section->line},
                               "the node '%s' that ends here has no id; write id = N",
                               section->title);
    if (!read_id(id, &out->id, why))
        return cb_context_fail(from->config, out->id_place, "id = %s of the node '%s': %s", id,
                               section->title, why);
    out->name = cb_context_copy(section->title);
    if (machine != NULL)
        out->machine = cb_context_copy(machine);
    if (out->name == NULL || (machine != NULL && out->machine == NULL))
        return CB_ERROR_MEMORY;
    return read_contexts(from, section, CB_SCOPE_NODE, &out->scope);
}

static cb_status take_nodes(const reader *from, const cfg_t *root)
{
    cb_config *config = from->config;
    size_t count = cb_tree_count(root, "node");

    config->nodes = cb_allocate(count, sizeof(*config->nodes), "the nodes");
    if (config->nodes == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        config->node_count = i + 1;
        CB_TRY(read_node(from, cb_tree_section(root, "node", i), &config->nodes[i]));
    }
    return CB_OK;
}

/* machines.conf */

static cb_status take_machines(const reader *from, const cfg_t *root)
{
    cb_config *config = from->config;
    size_t count = cb_tree_count(root, "machine");

    config->machines = cb_allocate(count, sizeof(*config->machines), "the machines");
    if (config->machines == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const cfg_t *section = cb_tree_section(root, "machine", i);

        config->machine_count = i + 1;
        config->machines[i].name = cb_context_copy(section->title);
        if (config->machines[i].name == NULL)
            return CB_ERROR_MEMORY;
        CB_TRY(read_contexts(from, section, CB_SCOPE_MACHINE, &config->machines[i].scope));
    }
    return CB_OK;
}

/* A file as a whole */

cb_status cb_context_read_file(cb_config *config, const cb_config_technology *technologies,
                               size_t technology_count, cb_file file, char *text, size_t bytes)
{
    static cb_status (*const take[])(const reader *from, const cfg_t *root) = {
        [CB_FILE_NETWORK] = take_network,
        [CB_FILE_NODES] = take_nodes,
        [CB_FILE_MACHINES] = take_machines,
    };
    const reader from = {.config = config,
                         .file = file,
                         .technologies = technologies,
                         .technology_count = technology_count};
    char why[CONTEXT_WHY_BYTES], path[CONTEXT_PLACE_BYTES];
    long line;
    cfg_t *tree;
    cb_status status;

    if (!cb_context_blank(text, bytes, &line, why))
        return cb_context_fail(config, (context_place){file, line}, "%s", why);
    cb_context_place_text(config, (context_place){file, 0}, path);
    CB_TRY(cb_tree_parse(&config->vocabulary, file, path, text, bytes, &tree));
    status = take[file](&from, tree);
    cfg_free(tree);
    return status;
}
