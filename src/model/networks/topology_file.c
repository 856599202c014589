/* Parser of topology files: words in lines, names, and a table of statements. Errors of one line
 * are reported here; topology.c checks all lines together. Links and routes with lists of nodes
 * stand for one link or route per node. */
#include "model/networks/topology_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/units.h"
#include "model/networks/topology.h"

#define TOPOLOGY_BLANKS " \t\r\n"

typedef struct {
    topology *made;
    ccmod_error *error;
    size_t line;
    char *rest;  /* of the line, for strtok_r */
    void *names; /* of switches, as a tree */
    size_t nodes_line, packet_line, reference_line;
} topology_parser;

/* "KEY=VALUE" */
typedef struct {
    const char *key;
    bool real;
    double minimum, maximum;
    void *field; /* double or uint64_t */
} topology_option;

typedef struct {
    uint32_t first, last;
} topology_range;

enum { QUOTED = 60 };

typedef struct {
    char name[TOPOLOGY_NAME_BYTES];
    uint32_t vertex;
} name_entry;

/* Words */

/* Report an error in the current line: the wrong word, the reason, and what to do. */
static ccmod_status report_word(const topology_parser *parser, const char *word,
                                const char *problem)
{
    return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->made->name, parser->line,
                      "'%.*s': %s", (int)QUOTED, word, problem);
}

/* NULL at the end of the line. */
static char *next_word(topology_parser *parser)
{
    return strtok_r(NULL, TOPOLOGY_BLANKS, &parser->rest);
}

/* Parse the remaining words: options of the table (at most 8), each at most once. */
static ccmod_status read_options(topology_parser *parser, const topology_option *options,
                                 size_t count)
{
    bool given[8] = {false};
    char *word;

    while ((word = next_word(parser)) != NULL) {
        size_t length = strcspn(word, "=");
        size_t at = 0;
        const topology_option *option;
        const char *value;
        char why[CB_WHY_BYTES];

        while (at < count && (strncmp(options[at].key, word, length) != 0 ||
                              options[at].key[length] != '\0' || word[length] != '='))
            at++;
        if (at == count)
            return report_word(
                parser, word,
                "not an option of this statement; write KEY=VALUE with one of its keys "
                "(docs/reference/model.md)");
        if (given[at])
            return report_word(parser, word, "given twice in one line; give it once");
        given[at] = true;
        option = &options[at];
        value = word + length + 1;
        if (!(option->real
                  ? cb_parse_real(value, option->minimum, option->maximum, NULL, option->field, why)
                  : cb_parse_count(value, (uint64_t)option->minimum, (uint64_t)option->maximum,
                                   option->field, why)))
            return report_word(parser, word, why);
    }
    return CCMOD_OK;
}

/* An error if the statement is repeated; *line is the line of its first occurrence. */
static ccmod_status note_single(const topology_parser *parser, size_t *line, const char *what)
{
    if (*line > 0)
        return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->made->name, parser->line,
                          "'%s' is already stated in line %zu; keep one of the two", what, *line);
    *line = parser->line;
    return CCMOD_OK;
}

/* An error if the number of nodes is not yet known. */
static ccmod_status require_nodes(const topology_parser *parser, const char *what)
{
    if (parser->nodes_line > 0)
        return CCMOD_OK;
    return report_word(parser, what,
                       "the number of nodes must be known before; write 'nodes N' "
                       "in the first line after the head");
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
        return report_word(parser, name, "a switch of that name already exists; use another name");
    return CCMOD_OK;
}

/* Add a switch; its name must be new. */
static ccmod_status add_switch(topology_parser *parser, const char *name)
{
    topology *made = parser->made;
    char(*names)[TOPOLOGY_NAME_BYTES];

    if (!is_name(name))
        return report_word(parser, name,
                           "not the name of a switch; use a letter followed by letters, digits, "
                           "'_', '.' and '-', at most 63 characters");
    if (made->switches == TOPOLOGY_SWITCHES)
        return report_word(parser, name,
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

/* Find the vertex of a switch by name; an error if there is none. */
static ccmod_status find_switch(topology_parser *parser, const char *name, uint32_t *vertex)
{
    name_entry key = {.vertex = 0};
    name_entry **found;

    snprintf(key.name, sizeof(key.name), "%s", name);
    found = tfind(&key, &parser->names, by_name);
    if (found == NULL)
        return report_word(parser, name,
                           "unknown switch; write 'switch NAME' before, or a node "
                           "by its number");
    *vertex = (*found)->vertex;
    return CCMOD_OK;
}

/* Lists of nodes: 0-7,12 */

/* Remove the first range of a list of nodes such as 0-7,12; *list is NULL after the last. */
static ccmod_status take_range(const topology_parser *parser, char **list, topology_range *range)
{
    char *element = *list, *comma = strchr(element, ','), *dash;
    char why[CB_WHY_BYTES];
    uint64_t first, last;

    if (comma != NULL)
        *comma = '\0';
    dash = strchr(element, '-');
    if (dash != NULL)
        *dash = '\0';
    if (!cb_parse_count(element, 0, parser->made->nodes - 1, &first, why))
        return report_word(parser, element, why);
    last = first;
    if (dash != NULL && !cb_parse_count(dash + 1, first, parser->made->nodes - 1, &last, why))
        return report_word(parser, dash + 1, why);
    if (dash != NULL)
        *dash = '-';
    if (comma != NULL)
        *comma = ',';
    *list = comma != NULL ? comma + 1 : NULL;
    *range = (topology_range){(uint32_t)first, (uint32_t)last};
    return CCMOD_OK;
}

enum { LINE_BYTES = 1 << 16 };

static const double largest_MBps = 1e9, largest_latency_us = 1e9;

/* One end of a link: a list of nodes, or a switch. */
typedef struct {
    char *list; /* NULL: a switch */
    uint32_t vertex;
} link_end;

static bool names_one_node(const char *list)
{
    return strpbrk(list, ",-") == NULL;
}

/* Links */

static ccmod_status read_end(topology_parser *parser, link_end *end)
{
    char *word = next_word(parser);

    if (word == NULL)
        return report_word(parser, "link",
                           "a link needs two ends; write 'link NODES SWITCH', 'link "
                           "SWITCH SWITCH' or 'link NODE NODE'");
    end->list = isdigit((unsigned char)word[0]) ? word : NULL;
    return end->list != NULL ? CCMOD_OK : find_switch(parser, word, &end->vertex);
}

static ccmod_status add_link(topology_parser *parser, topology_link link, uint64_t copies)
{
    topology *made = parser->made;

    for (uint32_t i = 0; i < copies; i++) {
        topology_link *links =
            cb_grow(made->links, made->link_count, &made->link_room, sizeof(*links));

        if (links == NULL)
            return ccmod_topology_no_memory(made, parser->error);
        made->links = links;
        if (made->link_count == TOPOLOGY_LINKS)
            return report_word(parser, "link",
                               "more links than a topology file may have; use a kind of "
                               "network that computes its routes");
        link.copy = i;
        links[made->link_count++] = link;
    }
    return CCMOD_OK;
}

/* Add a link for each node of the list, or the single link between two switches. */
static ccmod_status add_links(topology_parser *parser, char *list, topology_link link,
                              uint64_t copies)
{
    if (list == NULL)
        return add_link(parser, link, copies);
    while (list != NULL) {
        topology_range range;

        CCMOD_TRY(take_range(parser, &list, &range));
        for (uint32_t node = range.first; node <= range.last; node++) {
            link.from = node;
            if (link.from == link.to)
                return report_word(parser, "link",
                                   "from a node to itself; name two different ends");
            CCMOD_TRY(add_link(parser, link, copies));
        }
    }
    return CCMOD_OK;
}

/* The end that all links of the statement share. */
static ccmod_status fix_end(topology_parser *parser, link_end *fixed, link_end *other)
{
    char *list = fixed->list;
    topology_range range;

    if (fixed->list != NULL && (other->list == NULL || !names_one_node(fixed->list))) {
        link_end swapped = *fixed;

        *fixed = *other;
        *other = swapped;
        list = fixed->list;
    }
    if (list == NULL)
        return CCMOD_OK;
    if (!names_one_node(list))
        return report_word(parser, list,
                           "a list of nodes on both sides; name one node or switch on one "
                           "of them");
    CCMOD_TRY(take_range(parser, &list, &range));
    fixed->vertex = range.first;
    return CCMOD_OK;
}

static ccmod_status read_link(topology_parser *parser)
{
    topology_link link = {.line = (uint32_t)parser->line, .bandwidth_MBps = (double)NAN};
    uint64_t copies = 1;
    const topology_option options[] = {
        {"bandwidth_MBps", true, 0, largest_MBps, &link.bandwidth_MBps},
        {"latency_us", true, 0, largest_latency_us, &link.latency_us},
        {"count", false, 1, 65536, &copies},
    };
    link_end other, fixed;

    CCMOD_TRY(require_nodes(parser, "link"));
    CCMOD_TRY(read_end(parser, &other));
    CCMOD_TRY(read_end(parser, &fixed));
    CCMOD_TRY(read_options(parser, options, sizeof(options) / sizeof(options[0])));
    if (link.bandwidth_MBps <= 0)
        return report_word(parser, "bandwidth_MBps=0",
                           "its bandwidth must be above 0; give it a "
                           "bandwidth, or remove the link");
    if (isnan(link.bandwidth_MBps))
        link.bandwidth_MBps = 0;
    CCMOD_TRY(fix_end(parser, &fixed, &other));
    link.to = fixed.vertex;
    link.from = other.vertex;
    if (other.list == NULL && link.from == link.to)
        return report_word(parser, "link", "from a switch to itself; name two different ends");
    return add_links(parser, other.list, link, copies);
}

/* Routes */

static ccmod_status add_path(topology_parser *parser, uint32_t vertex, topology_route *route)
{
    topology *made = parser->made;
    uint32_t *path = cb_grow(made->path, made->path_count, &made->path_room, sizeof(*path));

    if (path == NULL)
        return ccmod_topology_no_memory(made, parser->error);
    made->path = path;
    for (size_t i = route->first; i < made->path_count; i++) {
        if (path[i] == vertex)
            return report_word(parser, made->switch_names[vertex - made->nodes],
                               "the route passes it twice; name each switch once");
    }
    path[made->path_count++] = vertex;
    route->count++;
    return CCMOD_OK;
}

static ccmod_status read_path(topology_parser *parser, topology_route *route)
{
    char *word = next_word(parser);

    if (word == NULL || strcmp(word, "via") != 0)
        return report_word(parser, word != NULL ? word : "route",
                           "'via' is missing; write 'route SOURCES DESTINATIONS via SWITCH...'");
    while ((word = next_word(parser)) != NULL) {
        uint32_t vertex;

        CCMOD_TRY(find_switch(parser, word, &vertex));
        CCMOD_TRY(add_path(parser, vertex, route));
    }
    return route->count > 0 ? CCMOD_OK
                            : report_word(parser, "via",
                                          "no switch follows; name those that the "
                                          "route passes, in order");
}

static ccmod_status add_route(topology_parser *parser, const topology_route *route)
{
    topology *made = parser->made;
    topology_route *routes;

    if (route->source == route->destination)
        return CCMOD_OK;
    if (made->route_count == TOPOLOGY_ROUTES)
        return report_word(parser, "route",
                           "routes for more pairs than a topology file may give; remove "
                           "those that are shortest paths");
    routes = cb_grow(made->routes, made->route_count, &made->route_room, sizeof(*routes));
    if (routes == NULL)
        return ccmod_topology_no_memory(made, parser->error);
    made->routes = routes;
    routes[made->route_count++] = *route;
    return CCMOD_OK;
}

/* To every node of the list. */
static ccmod_status add_routes_from(topology_parser *parser, topology_route *route,
                                    char *destinations)
{
    while (destinations != NULL) {
        topology_range range;

        CCMOD_TRY(take_range(parser, &destinations, &range));
        for (route->destination = range.first; route->destination <= range.last;
             route->destination++)
            CCMOD_TRY(add_route(parser, route));
    }
    return CCMOD_OK;
}

static ccmod_status read_route(topology_parser *parser)
{
    topology_route route = {.first = (uint32_t)parser->made->path_count,
                            .line = (uint32_t)parser->line};
    char *sources = next_word(parser);
    char *destinations = sources != NULL ? next_word(parser) : NULL;

    CCMOD_TRY(require_nodes(parser, "route"));
    if (destinations == NULL)
        return report_word(parser, "route",
                           "sources and destinations are missing; write 'route SOURCES "
                           "DESTINATIONS via SWITCH...'");
    CCMOD_TRY(read_path(parser, &route));
    while (sources != NULL) {
        topology_range range;

        CCMOD_TRY(take_range(parser, &sources, &range));
        for (route.source = range.first; route.source <= range.last; route.source++)
            CCMOD_TRY(add_routes_from(parser, &route, destinations));
    }
    return CCMOD_OK;
}
/* The other statements */

static ccmod_status read_nodes(topology_parser *parser)
{
    char *word = next_word(parser);
    char why[CB_WHY_BYTES];
    uint64_t nodes;

    CCMOD_TRY(note_single(parser, &parser->nodes_line, "nodes"));
    if (word == NULL)
        return report_word(parser, "nodes", "the number is missing; write 'nodes 16'");
    if (!cb_parse_count(word, 1, TOPOLOGY_NODES, &nodes, why))
        return report_word(parser, word, why);
    parser->made->nodes = (uint32_t)nodes;
    word = next_word(parser);
    return word == NULL ? CCMOD_OK
                        : report_word(parser, word, "unexpected after the number; remove it");
}

static ccmod_status read_switches(topology_parser *parser)
{
    char *word = next_word(parser);

    CCMOD_TRY(require_nodes(parser, "switch"));
    if (word == NULL)
        return report_word(parser, "switch", "the name is missing; write 'switch NAME...'");
    for (; word != NULL; word = next_word(parser))
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
    CCMOD_TRY(read_options(parser, options, sizeof(options) / sizeof(options[0])));
    return parser->made->payload_bytes > 0 ? CCMOD_OK
                                           : report_word(parser, "packet",
                                                         "its payload is missing; write 'packet "
                                                         "payload_bytes=N header_bytes=N'");
}

static ccmod_status read_reference(topology_parser *parser)
{
    const topology_option options[] = {
        {"bandwidth_MBps", true, 0, largest_MBps, &parser->made->reference_MBps},
    };

    CCMOD_TRY(note_single(parser, &parser->reference_line, "reference"));
    CCMOD_TRY(read_options(parser, options, 1));
    return parser->made->reference_MBps > 0
               ? CCMOD_OK
               : report_word(parser, "reference",
                             "it needs a bandwidth above 0; write 'reference "
                             "bandwidth_MBps=X'");
}

static const struct {
    const char *word;
    ccmod_status (*read)(topology_parser *parser);
} statements[] = {
    {"nodes", read_nodes}, {"switch", read_switches}, {"link", read_link},
    {"route", read_route}, {"packet", read_packet},   {"reference", read_reference},
};

static ccmod_status read_statement(topology_parser *parser, char *text)
{
    char *word;

    text[strcspn(text, "#")] = '\0';
    word = strtok_r(text, TOPOLOGY_BLANKS, &parser->rest);
    if (word == NULL)
        return CCMOD_OK;
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        if (strcmp(statements[i].word, word) == 0)
            return statements[i].read(parser);
    }
    return report_word(parser, word,
                       "not a statement; use nodes, switch, link, route, packet or "
                       "reference");
}

/* The file */

static ccmod_status check_head(const topology_parser *parser, char *line)
{
    char *rest;
    const char *word = strtok_r(line, TOPOLOGY_BLANKS, &rest);
    const char *version = word != NULL ? strtok_r(NULL, TOPOLOGY_BLANKS, &rest) : NULL;

    if (version != NULL && strcmp(word, "%network") == 0 && strcmp(version, "1") == 0 &&
        strtok_r(NULL, TOPOLOGY_BLANKS, &rest) == NULL)
        return CCMOD_OK;
    return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->made->name, parser->line,
                      "not a topology file of version 1; its first line must be '%%network "
                      "1'");
}

static ccmod_status read_file(topology_parser *parser, FILE *stream, char *line)
{
    while (line[0] = '\0', fgets(line, LINE_BYTES, stream) != NULL) {
        size_t length = strlen(line);

        parser->line++;
        if (length == 0 || (line[length - 1] != '\n' && !feof(stream)))
            return ccmod_fail(parser->error, CCMOD_ERROR_USAGE, parser->made->name, parser->line,
                              "a zero byte, or more than %d characters: not a topology file; "
                              "name another, or break the line",
                              LINE_BYTES - 2);
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
                          "the file has no nodes; write 'nodes N'");
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
