/* Words in lines, and what they name. */
#include "model/networks/topology_parser.h"

#include <ctype.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/units.h"

enum { QUOTED = 60 };

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
    return strtok_r(NULL, TOPOLOGY_BLANKS, &parser->rest);
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
        const topology_option *option;
        const char *value;
        char why[CB_WHY_BYTES];

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
        option = &options[at];
        value = word + length + 1;
        if (!(option->real
                  ? cb_parse_real(value, option->minimum, option->maximum, NULL, option->field, why)
                  : cb_parse_count(value, (uint64_t)option->minimum, (uint64_t)option->maximum,
                                   option->field, why)))
            return ccmod_topology_refuse(parser, word, why);
    }
    return CCMOD_OK;
}

ccmod_status ccmod_topology_note_single(const topology_parser *parser, size_t *line,
                                        const char *what)
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

ccmod_status ccmod_topology_add_switch(topology_parser *parser, const char *name)
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

/* Lists of nodes: 0-7,12 */

ccmod_status ccmod_topology_take_range(const topology_parser *parser, char **list,
                                       topology_range *range)
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
        return ccmod_topology_refuse(parser, element, why);
    last = first;
    if (dash != NULL && !cb_parse_count(dash + 1, first, parser->made->nodes - 1, &last, why))
        return ccmod_topology_refuse(parser, dash + 1, why);
    if (dash != NULL)
        *dash = '-';
    if (comma != NULL)
        *comma = ',';
    *list = comma != NULL ? comma + 1 : NULL;
    *range = (topology_range){(uint32_t)first, (uint32_t)last};
    return CCMOD_OK;
}
