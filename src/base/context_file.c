/* Parse the text of one configuration file. libconfuse builds a tree of sections in which every
 * value is kept as text with its line (in a field of the option that text values do not use).
 * Numbers are then parsed from the values, and nodes, machines and groups made from the sections.
 * all sections may repeat for libconfuse, since it does not report the file name for one
 * that may not; duplicates are rejected here. */
#include "base/context_internal.h"

#include <confuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/memory.h"

_Static_assert((int)CONTEXT_WHY_BYTES >= (int)CB_WHY_BYTES, "the parsers' reasons have to fit");

/* Rows of a section besides its Contexts, including the terminator. */
enum { OWN_ROWS = 4 };

/* What the text being parsed may contain; set by parse_tree as long as it runs. A global, since
 * libconfuse passes no user pointer to its callbacks. */
static _Thread_local const context_vocabulary *vocabulary;

/* The file and section of each name that is not a parameter. */
static const struct {
    const char *name, *where;
} homes[] = {
    {"Technology", "network.conf, outside of all braces"},
    {"group", "network.conf"},
    {"members", "a group, in network.conf"},
    {"node", "nodes.conf"},
    {"id", "a node, in nodes.conf"},
    {"machine", "machines.conf or, as the name of one, in a node"},
};

/* Which Contexts may have a parameter. */
static const char *say_scopes(unsigned scopes)
{
    if ((scopes & CB_SCOPE_TOP) == 0)
        return "of a machine, in machines.conf";
    if ((scopes & CB_SCOPE_NODE) == 0)
        return "in network.conf";
    return (scopes & CB_SCOPE_MACHINE) == 0 ? "in network.conf or of a node, in nodes.conf"
                                            : "in network.conf, of a node or of a machine";
}

/* Empty for an unknown name. */
static void say_home(const char *name, char *text, size_t bytes)
{
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++)
        if (strcmp(homes[i].name, name) == 0)
            snprintf(text, bytes, "it belongs in %s", homes[i].where);
    for (size_t i = 0; i < vocabulary->context_count; i++)
        if (strcmp(vocabulary->contexts[i]->context, name) == 0)
            snprintf(text, bytes, "a Context belongs in network.conf, a node or a machine");
    for (size_t i = 0; i < vocabulary->row_count; i++)
        if (strcmp(vocabulary->rows[i].row->name, name) == 0)
            snprintf(text, bytes, "it belongs in a Context %s %s", vocabulary->rows[i].set->context,
                     say_scopes(vocabulary->rows[i].row->scopes));
}

/* Which of two names is nearer to `name`; NULL counts as infinitely far. */
static const char *nearer(const char *name, const char *one, const char *other)
{
    return one == NULL || (other != NULL && cb_distance(name, other) < cb_distance(name, one))
               ? other
               : one;
}

/* Prefer the nearer name, whether or not it belongs in this section. */
static void say_nearest(const cfg_t *section, const char *name, char *text, size_t bytes)
{
    const char *here = NULL, *anywhere = NULL;
    char home[CONTEXT_WHY_BYTES];

    for (const cfg_opt_t *row = section->opts; row->name != NULL; row++)
        here = nearer(name, here, row->name);
    for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++)
        anywhere = nearer(name, anywhere, homes[i].name);
    for (size_t i = 0; i < vocabulary->context_count; i++)
        anywhere = nearer(name, anywhere, vocabulary->contexts[i]->context);
    for (size_t i = 0; i < vocabulary->row_count; i++)
        anywhere = nearer(name, anywhere, vocabulary->rows[i].row->name);
    if (here != NULL && cb_distance(name, here) <= cb_distance(name, anywhere)) {
        snprintf(text, bytes, "the nearest name that is known here is '%s'", here);
        return;
    }
    say_home(anywhere, home, sizeof(home));
    snprintf(text, bytes, "the nearest name is '%s', but %s", anywhere, home);
}

static void refuse_name(const cfg_t *section, const char *name)
{
    char advice[2 * CONTEXT_WHY_BYTES];

    if (cb_parameter_is_unit(name))
        snprintf(advice, sizeof(advice), "write a size without a blank (8KB) or in quotes");
    else
        say_home(name, advice, sizeof(advice));
    if (advice[0] == '\0')
        say_nearest(section, name, advice, sizeof(advice));
    cb_error("%s:%d: unknown name '%s'; %s", section->filename, section->line, name, advice);
}

/* Pass on libconfuse's message, except for unknown names, where the only argument is the name. */
__attribute__((format(printf, 2, 0))) static void complain(cfg_t *section, const char *format,
                                                           va_list arguments)
{
    char text[CONTEXT_WHY_BYTES];

    if (strcmp(format, "no such option '%s'") == 0) {
        refuse_name(section, va_arg(arguments, const char *));
        return;
    }
    vsnprintf(text, sizeof(text), format, arguments);
    cb_error("%s:%d: %s; combench-config(5) shows what such a file looks like", section->filename,
             section->line, text);
}

/* Called for each value, including the second and later ones of a list. */
static int note_line(cfg_t *section, cfg_opt_t *row, const char *value, void *result)
{
    if (row->nvalues == 1 && row->def.number != 0) {
        cfg_error(section, "%s was given before, in line %ld; remove one of them", row->name,
                  row->def.number);
        return -1;
    }
    if (row->nvalues == 1)
        row->def.number = section->line;
    *(const char **)result = value;
    return 0;
}

static cfg_opt_t text_row(const char *name)
{
    return (cfg_opt_t)CFG_STR_CB(name, NULL, CFGF_NODEFAULT, note_line);
}

static cfg_opt_t list_row(const char *name)
{
    return (cfg_opt_t)CFG_STR_LIST_CB(name, NULL, CFGF_NODEFAULT, note_line);
}

static cfg_opt_t section_row(const char *name, cfg_opt_t *rows)
{
    return (cfg_opt_t)CFG_SEC(name, rows, CFGF_MULTI);
}

static cfg_opt_t titled_row(const char *name, cfg_opt_t *rows)
{
    return (cfg_opt_t)CFG_SEC(name, rows, CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES);
}

/* Append to `rows` a section for each Context that the scope may have; `room` holds their
 * parameters. */
static size_t add_contexts(unsigned scope, cfg_opt_t *room, cfg_opt_t *rows)
{
    for (size_t i = 0; i < vocabulary->context_count; i++) {
        const cb_parameter_set *set = vocabulary->contexts[i];

        rows[i] = section_row(set->context, room);
        for (size_t k = 0; k < set->count; k++)
            if ((set->rows[k].scopes & scope) != 0)
                *room++ = text_row(set->rows[k].name);
        *room++ = (cfg_opt_t)CFG_END();
    }
    return vocabulary->context_count;
}

/* Build the options of a file. libconfuse copies all rows. `rows` and `titled` have room for all
 * Contexts and OWN_ROWS, `room` for the parameters and terminators of all Contexts. */
static cfg_t *describe_tree(cb_file file, cfg_opt_t *rows, cfg_opt_t *titled, cfg_opt_t *room)
{
    size_t count = 0, titled_count = 0;

    switch (file) {
    case CB_FILE_NETWORK:
        count = add_contexts(CB_SCOPE_TOP, room, rows);
        rows[count++] = text_row("Technology");
        titled[titled_count++] = list_row("members");
        rows[count++] = titled_row("group", titled);
        break;
    case CB_FILE_NODES:
        titled_count = add_contexts(CB_SCOPE_NODE, room, titled);
        titled[titled_count++] = text_row("id");
        titled[titled_count++] = text_row("machine");
        rows[count++] = titled_row("node", titled);
        break;
    case CB_FILE_MACHINES:
    case CB_FILES:
        titled_count = add_contexts(CB_SCOPE_MACHINE, room, titled);
        rows[count++] = titled_row("machine", titled);
        break;
    }
    rows[count] = titled[titled_count] = (cfg_opt_t)CFG_END();
    return cfg_init(rows, CFGF_NONE);
}

static cfg_t *create_tree(cb_file file)
{
    const size_t rows = vocabulary->context_count + OWN_ROWS;
    const size_t parameters = vocabulary->context_count + vocabulary->row_count;
    cfg_opt_t *all = calloc(2 * rows + parameters, sizeof(*all));
    cfg_t *tree = all != NULL ? describe_tree(file, all, all + rows, all + 2 * rows) : NULL;

    free(all);
    return tree;
}

/* Parse a text prepared by cb_context_blank; the text is not changed. Returns CB_ERROR_USAGE,
 * logged with `path`, for a syntax error, an unknown name or a duplicate. The caller frees *out
 * with cfg_free. */
static cb_status parse_tree(const context_vocabulary *known, cb_file file, const char *path,
                            char *text, size_t bytes, cfg_t **out)
{
    /* fmemopen rejects zero bytes; a blank is equivalent */
    char nothing[] = " ";
    FILE *stream = bytes > 0 ? fmemopen(text, bytes, "r") : fmemopen(nothing, 1, "r");
    cb_status status = CB_ERROR_MEMORY;
    cfg_t *tree;

    vocabulary = known;
    tree = create_tree(file);
    if (tree != NULL)
        tree->filename = strdup(path);
    if (stream == NULL || tree == NULL || tree->filename == NULL) {
        cb_error("cannot read the text of %s: out of memory; free memory on this host", path);
        goto done;
    }
    cfg_set_error_function(tree, complain);
    status = cfg_parse_fp(tree, stream) == CFG_SUCCESS ? CB_OK : CB_ERROR_USAGE;
done:
    if (stream != NULL)
        fclose(stream);
    if (status == CB_OK)
        *out = tree;
    else if (tree != NULL)
        cfg_free(tree);
    vocabulary = NULL;
    return status;
}

/* Returns an empty row for a name that is missing, which callers never ask for. */
static const cfg_opt_t *row_of(const cfg_t *section, const char *name)
{
    static const cfg_opt_t none = CFG_END();

    for (const cfg_opt_t *row = section->opts; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return &none;
}

/* Number of values or sections with that name. */
static size_t tree_count(const cfg_t *section, const char *name)
{
    return row_of(section, name)->nvalues;
}

/* One of these sections; `index` is below tree_count. */
static const cfg_t *tree_section(const cfg_t *section, const char *name, size_t index)
{
    return row_of(section, name)->values[index]->section;
}

/* A value as text; NULL if missing. */
static const char *tree_text(const cfg_t *section, const char *name, size_t index)
{
    const cfg_opt_t *row = row_of(section, name);

    return index < row->nvalues ? row->values[index]->string : NULL;
}

/* The line of the first value; 0 if missing. */
static long tree_line(const cfg_t *section, const char *name)
{
    return row_of(section, name)->def.number;
}

/* Destination of the contents of a file. */
typedef struct {
    cb_config *config;
    cb_file file;
    const cb_config_technology *technologies;
    size_t technology_count;
} reader;

static context_place place_of(const reader *from, const cfg_t *section, const char *name)
{
    return (context_place){from->file, tree_line(section, name)};
}

static cb_status read_parameter(const reader *from, const cfg_t *section, const cb_parameter *row,
                                context_value *out)
{
    const char *text = tree_text(section, row->name, 0);
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
        const size_t count = tree_count(section, set->context);

        if (count > 1)
            return cb_context_fail(
                from->config,
                (context_place){from->file, tree_section(section, set->context, 1)->line},
                "the Context %s that ends here is the second one in the same place; "
                "put both together",
                set->context);
        for (size_t k = 0; count == 1 && k < known->row_count; k++)
            if (known->rows[k].set == set && (known->rows[k].row->scopes & scope) != 0)
                CB_TRY(read_parameter(from, tree_section(section, set->context, 0),
                                      known->rows[k].row, &out->values[k]));
    }
    return CB_OK;
}

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
    const char *text = tree_text(root, "Technology", 0);
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
    cb_warning("%s: Technology = %s is unknown, so %s is used; write one of %s, or use "
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

static cb_status read_group(const reader *from, const cfg_t *section, context_group *out)
{
    const size_t count = tree_count(section, "members");
    char why[CONTEXT_WHY_BYTES];

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
    for (; out->count < count; out->count++) {
        const char *text = tree_text(section, "members", out->count);

        if (!read_id(text, &out->ids[out->count], why))
            return cb_context_fail(from->config, out->place,
                                   "member '%s' of the group '%s' is no id of a node: %s", text,
                                   section->title, why);
    }
    return CB_OK;
}

static cb_status take_network(const reader *from, const cfg_t *root)
{
    cb_config *config = from->config;
    size_t count = tree_count(root, "group");

    choose_technology(from, root);
    CB_TRY(read_contexts(from, root, CB_SCOPE_TOP, &config->top));
    config->groups = cb_allocate(count, sizeof(*config->groups), "the groups");
    if (config->groups == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        config->group_count = i + 1;
        CB_TRY(read_group(from, tree_section(root, "group", i), &config->groups[i]));
    }
    return CB_OK;
}

static cb_status read_node(const reader *from, const cfg_t *section, context_node *out)
{
    const char *id = tree_text(section, "id", 0), *machine = tree_text(section, "machine", 0);
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
    size_t count = tree_count(root, "node");

    config->nodes = cb_allocate(count, sizeof(*config->nodes), "the nodes");
    if (config->nodes == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        config->node_count = i + 1;
        CB_TRY(read_node(from, tree_section(root, "node", i), &config->nodes[i]));
    }
    return CB_OK;
}

static cb_status take_machines(const reader *from, const cfg_t *root)
{
    cb_config *config = from->config;
    size_t count = tree_count(root, "machine");

    config->machines = cb_allocate(count, sizeof(*config->machines), "the machines");
    if (config->machines == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const cfg_t *section = tree_section(root, "machine", i);

        config->machine_count = i + 1;
        config->machines[i].name = cb_context_copy(section->title);
        if (config->machines[i].name == NULL)
            return CB_ERROR_MEMORY;
        CB_TRY(read_contexts(from, section, CB_SCOPE_MACHINE, &config->machines[i].scope));
    }
    return CB_OK;
}

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
    CB_TRY(parse_tree(&config->vocabulary, file, path, text, bytes, &tree));
    status = take[file](&from, tree);
    cfg_free(tree);
    return status;
}
