/* libconfuse's part: which names there may be where, and a text made into a tree of sections. All
 * values are kept as text with their line, which stands in a field of the option that a text does
 * not use; numbers are made of them afterwards. Sections may come several times for libconfuse,
 * since it gives those that may not no name of a file; two of a kind are refused by the reader. */
#include "base/context_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/nearest.h"

/* Rows of a section beside its Contexts, with an end. */
enum { OWN_ROWS = 4 };

/* What may stand in the text that is being parsed: libconfuse gives its callbacks nothing of the
 * caller's. */
static const context_vocabulary *vocabulary;

/* Where other names than those of parameters belong. */
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

/* Messages */

/* Empty where a name is none of ours. */
static void say_home(const char *name, char *text, size_t bytes)
{
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++)
        if (strcmp(homes[i].name, name) == 0)
            snprintf(text, bytes, "it belongs into %s", homes[i].where);
    for (size_t i = 0; i < vocabulary->context_count; i++)
        if (strcmp(vocabulary->contexts[i]->context, name) == 0)
            snprintf(text, bytes, "a Context belongs into network.conf, a node or a machine");
    for (size_t i = 0; i < vocabulary->row_count; i++)
        if (strcmp(vocabulary->rows[i].row->name, name) == 0)
            snprintf(text, bytes, "it belongs into a Context %s %s",
                     vocabulary->rows[i].set->context,
                     vocabulary->rows[i].row->scopes == CB_SCOPE_MACHINE
                         ? "of a machine, in machines.conf"
                         : "in network.conf or of a node, in nodes.conf");
}

/* Which of two names is nearer to `name`; NULL is farther than any. */
static const char *nearer(const char *name, const char *one, const char *other)
{
    return one == NULL || (other != NULL && cb_distance(name, other) < cb_distance(name, one))
               ? other
               : one;
}

/* A name that is nearer is preferred, if it belongs elsewhere or not. */
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

/* libconfuse's own words, but for unknown names, which have one argument: the name. */
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

/* The options that libconfuse knows, made from the rows of parameters */

/* Called for each value, the second and later ones of a list included. */
static int note_line(cfg_t *section, cfg_opt_t *row, const char *value, void *result)
{
    if (row->nvalues == 1 && row->def.number != 0) {
        cfg_error(section, "%s was given before, in line %ld; take one of the two away", row->name,
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

/* Puts a section for each Context that a scope may have to `rows`, whose parameters are kept in
 * `room`. */
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

/* The tree */

/* libconfuse keeps copies of all rows. `rows` and `titled` have room for all Contexts and OWN_ROWS,
 * `room` for the parameters and ends of all Contexts. */
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

/* A stream of no bytes cannot be opened, and is the same as one of a blank. */
static cb_status parse_tree(const char *path, cfg_t *tree, char *text, size_t bytes)
{
    char nothing[] = " ";
    FILE *stream = bytes > 0 ? fmemopen(text, bytes, "r") : fmemopen(nothing, 1, "r");
    int parsed;

    tree->filename = strdup(path);
    if (stream == NULL || tree->filename == NULL) {
        cb_error("cannot read the text of %s: out of memory; free memory on this host", path);
        if (stream != NULL)
            fclose(stream);
        return CB_ERROR_MEMORY;
    }
    cfg_set_error_function(tree, complain);
    parsed = cfg_parse_fp(tree, stream);
    fclose(stream);
    return parsed == CFG_SUCCESS ? CB_OK : CB_ERROR_USAGE;
}

cb_status cb_tree_parse(const context_vocabulary *known, cb_file file, const char *path, char *text,
                        size_t bytes, cfg_t **out)
{
    cfg_t *tree;
    cb_status status;

    vocabulary = known;
    tree = create_tree(file);
    if (tree == NULL) {
        cb_error("cannot prepare reading %s: out of memory; free memory on this host", path);
        return CB_ERROR_MEMORY;
    }
    status = parse_tree(path, tree, text, bytes);
    if (status != CB_OK) {
        cfg_free(tree);
        return status;
    }
    *out = tree;
    return CB_OK;
}

/* An empty row for a name that is not there, which a reader never asks for. */
static const cfg_opt_t *row_of(const cfg_t *section, const char *name)
{
    static const cfg_opt_t none = CFG_END();

    for (const cfg_opt_t *row = section->opts; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return &none;
}

size_t cb_tree_count(const cfg_t *section, const char *name)
{
    return row_of(section, name)->nvalues;
}

const cfg_t *cb_tree_section(const cfg_t *section, const char *name, size_t index)
{
    return row_of(section, name)->values[index]->section;
}

const char *cb_tree_text(const cfg_t *section, const char *name, size_t index)
{
    const cfg_opt_t *row = row_of(section, name);

    return index < row->nvalues ? row->values[index]->string : NULL;
}

long cb_tree_line(const cfg_t *section, const char *name)
{
    return row_of(section, name)->def.number;
}
