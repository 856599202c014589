/* Topology files: words in lines, a table of statements. What one line alone can have wrong is said
 * here; topology_graph.c looks at all of them together. */
#include "model/networks/topology_parser.h"

#include <ctype.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum { LINE_BYTES = 1 << 16, QUOTED = 60 };

static const char blanks[] = " \t\r\n";
static const double largest_MBps = 1e9;

typedef struct {
    char name[TOPOLOGY_NAME_BYTES];
    uint32_t vertex;
} name_entry;

/* Words */

ccmod_status ccmod_topology_refuse(const topology_parser *parser, const char *word,
                                   const char *problem)
{
    return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->made->name, parser->line,
                      "'%.*s': %s", (int)QUOTED, word, problem);
}

char *ccmod_topology_next_word(topology_parser *parser)
{
    return strtok_r(NULL, blanks, &parser->rest);
}

static ccmod_status store_option(const topology_parser *parser, const topology_option *option,
                                 const char *word, const char *value)
{
    char why[CB_WHY_BYTES];
    bool good = option->real ? cb_parse_real(value, option->minimum, option->maximum, NULL,
                                             option->field, why)
                             : cb_parse_count(value, (uint64_t)option->minimum,
                                              (uint64_t)option->maximum, option->field, why);

    return good ? CCMOD_OK : ccmod_topology_refuse(parser, word, why);
}

/* The words that are left, each an option of the table. */
ccmod_status ccmod_topology_read_options(topology_parser *parser, const topology_option *options,
                                         size_t count)
{
    bool given[8] = {false};
    char *word;

    while ((word = ccmod_topology_next_word(parser)) != NULL) {
        size_t length = strcspn(word, "=");
        size_t at = 0;

        while (at < count && (strncmp(options[at].key, word, length) != 0 ||
                              options[at].key[length] != '\0' || word[length] != '='))
            at++;
        if (at == count)
            return ccmod_topology_refuse(
                parser, word,
                "no option of this statement; write KEY=VALUE with one of its keys "
                "(docs/model.md)");
        if (given[at])
            return ccmod_topology_refuse(parser, word, "given twice in one line; give it once");
        given[at] = true;
        CCMOD_TRY(store_option(parser, &options[at], word, word + length + 1));
    }
    return CCMOD_OK;
}

/* Statements that may stand once. */
static ccmod_status note_single(const topology_parser *parser, size_t *line, const char *what)
{
    if (*line > 0)
        return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->made->name, parser->line,
                          "'%s' was stated in line %zu already; keep one of the two", what, *line);
    *line = parser->line;
    return CCMOD_OK;
}

ccmod_status ccmod_topology_require_nodes(const topology_parser *parser, const char *what)
{
    if (parser->nodes_line > 0)
        return CCMOD_OK;
    return ccmod_topology_refuse(parser, what,
                                 "how many nodes there are must be known before; write 'nodes N' "
                                 "in the first line behind the head");
}

/* Switches */

static int by_name(const void *left, const void *right)
{
    return strcmp(((const name_entry *)left)->name, ((const name_entry *)right)->name);
}

static bool is_name(const char *word)
{
    if (!isalpha((unsigned char)word[0]) || strlen(word) >= TOPOLOGY_NAME_BYTES)
        return false;
    for (const char *c = word; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c) && strchr("_.-", *c) == NULL)
            return false;
    }
    return true;
}

static ccmod_status add_name(topology_parser *parser, const char *name)
{
    topology *made = parser->made;
    name_entry *entry = calloc(1, sizeof(*entry));
    name_entry **found;

    if (entry == NULL)
        return ccmod_topology_no_memory(made, parser->error);
    strcpy(entry->name, name);
    entry->vertex = made->nodes + made->switches;
    found = tsearch(entry, &parser->names, by_name);
    if (found == NULL || *found != entry)
        free(entry);
    if (found == NULL)
        return ccmod_topology_no_memory(made, parser->error);
    if (*found != entry)
        return ccmod_topology_refuse(parser, name,
                                     "there is a switch of that name already; take another");
    return CCMOD_OK;
}

static ccmod_status add_switch(topology_parser *parser, const char *name)
{
    topology *made = parser->made;
    char(*names)[TOPOLOGY_NAME_BYTES];

    if (!is_name(name))
        return ccmod_topology_refuse(
            parser, name,
            "not the name of a switch; begin with a letter, go on with letters, digits, "
            "'_', '.' and '-', and take at most 63 characters");
    if (made->switches == TOPOLOGY_SWITCHES)
        return ccmod_topology_refuse(parser, name,
                                     "more switches than a topology file may have; use a kind of "
                                     "network that computes its routes");
    names = cb_grow(made->switch_names, made->switches, &made->switch_room, sizeof(*names));
    if (names == NULL)
        return ccmod_topology_no_memory(made, parser->error);
    made->switch_names = names;
    CCMOD_TRY(add_name(parser, name));
    strcpy(names[made->switches++], name);
    return CCMOD_OK;
}

ccmod_status ccmod_topology_find_switch(topology_parser *parser, const char *name, uint32_t *vertex)
{
    name_entry key = {.vertex = 0};
    name_entry **found;

    snprintf(key.name, sizeof(key.name), "%s", name);
    found = tfind(&key, &parser->names, by_name);
    if (found == NULL)
        return ccmod_topology_refuse(
            parser, name,
            "no switch of that name; write 'switch NAME' before, or a node "
            "by its number");
    *vertex = (*found)->vertex;
    return CCMOD_OK;
}

/* The other statements */

static ccmod_status read_nodes(topology_parser *parser)
{
    char *word = ccmod_topology_next_word(parser);
    char why[CB_WHY_BYTES];
    uint64_t nodes;

    CCMOD_TRY(note_single(parser, &parser->nodes_line, "nodes"));
    if (word == NULL)
        return ccmod_topology_refuse(parser, "nodes", "the number is missing; write 'nodes 16'");
    if (!cb_parse_count(word, 1, TOPOLOGY_NODES, &nodes, why))
        return ccmod_topology_refuse(parser, word, why);
    parser->made->nodes = (uint32_t)nodes;
    word = ccmod_topology_next_word(parser);
    return word == NULL ? CCMOD_OK
                        : ccmod_topology_refuse(parser, word, "behind the number; leave it away");
}

static ccmod_status read_switches(topology_parser *parser)
{
    char *word = ccmod_topology_next_word(parser);

    CCMOD_TRY(ccmod_topology_require_nodes(parser, "switch"));
    if (word == NULL)
        return ccmod_topology_refuse(parser, "switch",
                                     "the name is missing; write 'switch NAME...'");
    for (; word != NULL; word = ccmod_topology_next_word(parser))
        CCMOD_TRY(add_switch(parser, word));
    return CCMOD_OK;
}

static ccmod_status read_packet(topology_parser *parser)
{
    const topology_option options[] = {
        {"payload_bytes", false, 1, 1 << 30, &parser->made->payload_bytes},
        {"header_bytes", false, 0, 1 << 30, &parser->made->header_bytes},
    };

    CCMOD_TRY(note_single(parser, &parser->packet_line, "packet"));
    CCMOD_TRY(ccmod_topology_read_options(parser, options, sizeof(options) / sizeof(options[0])));
    return parser->made->payload_bytes > 0
               ? CCMOD_OK
               : ccmod_topology_refuse(parser, "packet",
                                       "its payload is missing; write 'packet "
                                       "payload_bytes=N header_bytes=N'");
}

static ccmod_status read_reference(topology_parser *parser)
{
    const topology_option options[] = {
        {"bandwidth_MBps", true, 0, largest_MBps, &parser->made->reference_MBps},
    };

    CCMOD_TRY(note_single(parser, &parser->reference_line, "reference"));
    CCMOD_TRY(ccmod_topology_read_options(parser, options, 1));
    return parser->made->reference_MBps > 0
               ? CCMOD_OK
               : ccmod_topology_refuse(parser, "reference",
                                       "it needs a bandwidth above 0; write 'reference "
                                       "bandwidth_MBps=X'");
}

static const struct {
    const char *word;
    ccmod_status (*read)(topology_parser *parser);
} statements[] = {
    {"nodes", read_nodes},
    {"switch", read_switches},
    {"link", ccmod_topology_read_link},
    {"route", ccmod_topology_read_route},
    {"packet", read_packet},
    {"reference", read_reference},
};

static ccmod_status read_statement(topology_parser *parser, char *text)
{
    char *word;

    text[strcspn(text, "#")] = '\0';
    word = strtok_r(text, blanks, &parser->rest);
    if (word == NULL)
        return CCMOD_OK;
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        if (strcmp(statements[i].word, word) == 0)
            return statements[i].read(parser);
    }
    return ccmod_topology_refuse(parser, word,
                                 "no statement; use nodes, switch, link, route, packet or "
                                 "reference");
}

/* The file */

/* False at the end of the file. */
static bool read_line(FILE *stream, char *line)
{
    line[0] = '\0';
    return fgets(line, LINE_BYTES, stream) != NULL;
}

static ccmod_status check_line(const topology_parser *parser, FILE *stream, const char *line)
{
    size_t length = strlen(line);

    if (length > 0 && (line[length - 1] == '\n' || feof(stream)))
        return CCMOD_OK;
    return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->made->name, parser->line,
                      "a zero byte, or more than %d characters: this is no topology file; name "
                      "another, or break the line",
                      LINE_BYTES - 2);
}

static ccmod_status check_head(const topology_parser *parser, char *line)
{
    char *rest;
    const char *word = strtok_r(line, blanks, &rest);
    const char *version = word != NULL ? strtok_r(NULL, blanks, &rest) : NULL;

    if (version != NULL && strcmp(word, "%network") == 0 && strcmp(version, "1") == 0 &&
        strtok_r(NULL, blanks, &rest) == NULL)
        return CCMOD_OK;
    return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->made->name, parser->line,
                      "this is no topology file of version 1; its first line must be '%%network "
                      "1'");
}

static ccmod_status read_file(topology_parser *parser, FILE *stream, char *line)
{
    while (read_line(stream, line)) {
        parser->line++;
        CCMOD_TRY(check_line(parser, stream, line));
        if (parser->line == 1)
            CCMOD_TRY(check_head(parser, line));
        else
            CCMOD_TRY(read_statement(parser, line));
    }
    if (ferror(stream))
        return ccmod_fail(parser->error, CCMOD_ERROR_SYSTEM, parser->made->name, 0,
                          "cannot read the topology: %s; name a file that can be read",
                          strerror(errno));
    if (parser->line == 0)
        return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->made->name, 0,
                          "the file is empty; its first line must be '%%network 1'");
    if (parser->nodes_line == 0)
        return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->made->name, 0,
                          "the file names no nodes; write 'nodes N'");
    return CCMOD_OK;
}

ccmod_status ccmod_topology_parse(FILE *stream, const char *name, topology *made,
                                  ccmod_error *error)
{
    topology_parser parser = {.made = made, .error = error};
    char *line = malloc(LINE_BYTES);
    ccmod_status status = CCMOD_OK;

    made->name = strdup(name);
    if (line == NULL || made->name == NULL)
        status = ccmod_topology_no_memory(made, error);
    if (status == CCMOD_OK)
        status = read_file(&parser, stream, line);
    tdestroy(parser.names, free);
    free(line);
    return status;
}
