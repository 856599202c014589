/* The statements of topology files that join vertices: links, and given routes. Both take lists of
 * nodes and stand for as many links or routes as there are nodes in them. */
#include "model/networks/topology_parser.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static const double largest_MBps = 1e9, largest_latency_us = 1e9;

/* An end of a link: a list of nodes, or one switch. */
typedef struct {
    char *list; /* NULL: a switch */
    uint32_t vertex;
} link_end;

typedef struct {
    uint32_t first, last;
} node_range;

/* Lists of nodes: 0-7,12 */

/* Takes the first range of *list off. */
static ccmod_status take_range(const topology_parser *parser, char **list, node_range *range)
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
    *range = (node_range){(uint32_t)first, (uint32_t)last};
    return CCMOD_OK;
}

static bool names_one_node(const char *list)
{
    return strpbrk(list, ",-") == NULL;
}

/* Links */

static ccmod_status read_end(topology_parser *parser, link_end *end)
{
    char *word = ccmod_topology_next_word(parser);

    if (word == NULL)
        return ccmod_topology_refuse(parser, "link",
                                     "a link needs two ends; write 'link NODES SWITCH', 'link "
                                     "SWITCH SWITCH' or 'link NODE NODE'");
    end->list = isdigit((unsigned char)word[0]) ? word : NULL;
    return end->list != NULL ? CCMOD_OK : ccmod_topology_find_switch(parser, word, &end->vertex);
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
            return ccmod_topology_refuse(parser, "link",
                                         "more links than a topology file may have; use a kind of "
                                         "network that computes its routes");
        link.copy = i;
        links[made->link_count++] = link;
    }
    return CCMOD_OK;
}

/* One link for each node of the list, or the one between two switches. */
static ccmod_status add_links(topology_parser *parser, char *list, topology_link link,
                              uint64_t copies)
{
    if (list == NULL)
        return add_link(parser, link, copies);
    while (list != NULL) {
        node_range range;

        CCMOD_TRY(take_range(parser, &list, &range));
        for (uint32_t node = range.first; node <= range.last; node++) {
            link.from = node;
            if (link.from == link.to)
                return ccmod_topology_refuse(parser, "link",
                                             "from a node to itself; name two different ends");
            CCMOD_TRY(add_link(parser, link, copies));
        }
    }
    return CCMOD_OK;
}

/* The end that stays the same for all links of the statement. */
static ccmod_status fix_end(topology_parser *parser, link_end *fixed, link_end *other)
{
    char *list = fixed->list;
    node_range range;

    if (fixed->list != NULL && (other->list == NULL || !names_one_node(fixed->list))) {
        link_end swapped = *fixed;

        *fixed = *other;
        *other = swapped;
        list = fixed->list;
    }
    if (list == NULL)
        return CCMOD_OK;
    if (!names_one_node(list))
        return ccmod_topology_refuse(
            parser, list,
            "a list of nodes on both sides; name one node or switch on one "
            "of them");
    CCMOD_TRY(take_range(parser, &list, &range));
    fixed->vertex = range.first;
    return CCMOD_OK;
}

ccmod_status ccmod_topology_read_link(topology_parser *parser)
{
    topology_link link = {.line = (uint32_t)parser->line, .bandwidth_MBps = (double)NAN};
    uint64_t copies = 1;
    const topology_option options[] = {
        {"bandwidth_MBps", true, 0, largest_MBps, &link.bandwidth_MBps},
        {"latency_us", true, 0, largest_latency_us, &link.latency_us},
        {"count", false, 1, 65536, &copies},
    };
    link_end other, fixed;

    CCMOD_TRY(ccmod_topology_require_nodes(parser, "link"));
    CCMOD_TRY(read_end(parser, &other));
    CCMOD_TRY(read_end(parser, &fixed));
    CCMOD_TRY(ccmod_topology_read_options(parser, options, sizeof(options) / sizeof(options[0])));
    if (link.bandwidth_MBps <= 0)
        return ccmod_topology_refuse(parser, "bandwidth_MBps=0",
                                     "nothing could pass the link; give it a "
                                     "bandwidth, or leave the link away");
    if (isnan(link.bandwidth_MBps))
        link.bandwidth_MBps = 0;
    CCMOD_TRY(fix_end(parser, &fixed, &other));
    link.to = fixed.vertex;
    link.from = other.vertex;
    if (other.list == NULL && link.from == link.to)
        return ccmod_topology_refuse(parser, "link",
                                     "from a switch to itself; name two different ends");
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
            return ccmod_topology_refuse(parser, made->switch_names[vertex - made->nodes],
                                         "the route passes it twice; name each switch once");
    }
    path[made->path_count++] = vertex;
    route->count++;
    return CCMOD_OK;
}

static ccmod_status read_path(topology_parser *parser, topology_route *route)
{
    char *word = ccmod_topology_next_word(parser);

    if (word == NULL || strcmp(word, "via") != 0)
        return ccmod_topology_refuse(
            parser, word != NULL ? word : "route",
            "'via' is missing; write 'route SOURCES DESTINATIONS via SWITCH...'");
    while ((word = ccmod_topology_next_word(parser)) != NULL) {
        uint32_t vertex;

        CCMOD_TRY(ccmod_topology_find_switch(parser, word, &vertex));
        CCMOD_TRY(add_path(parser, vertex, route));
    }
    return route->count > 0 ? CCMOD_OK
                            : ccmod_topology_refuse(parser, "via",
                                                    "no switch behind it; name those that the "
                                                    "route passes, in order");
}

static ccmod_status add_route(topology_parser *parser, const topology_route *route)
{
    topology *made = parser->made;
    topology_route *routes;

    if (route->source == route->destination)
        return CCMOD_OK;
    if (made->route_count == TOPOLOGY_ROUTES)
        return ccmod_topology_refuse(parser, "route",
                                     "routes for more pairs than a topology file may give; leave "
                                     "away those that are shortest paths");
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
        node_range range;

        CCMOD_TRY(take_range(parser, &destinations, &range));
        for (route->destination = range.first; route->destination <= range.last;
             route->destination++)
            CCMOD_TRY(add_route(parser, route));
    }
    return CCMOD_OK;
}

ccmod_status ccmod_topology_read_route(topology_parser *parser)
{
    topology_route route = {.first = (uint32_t)parser->made->path_count,
                            .line = (uint32_t)parser->line};
    char *sources = ccmod_topology_next_word(parser);
    char *destinations = sources != NULL ? ccmod_topology_next_word(parser) : NULL;

    CCMOD_TRY(ccmod_topology_require_nodes(parser, "route"));
    if (destinations == NULL)
        return ccmod_topology_refuse(parser, "route",
                                     "sources and destinations are missing; write 'route SOURCES "
                                     "DESTINATIONS via SWITCH...'");
    CCMOD_TRY(read_path(parser, &route));
    while (sources != NULL) {
        node_range range;

        CCMOD_TRY(take_range(parser, &sources, &range));
        for (route.source = range.first; route.source <= range.last; route.source++)
            CCMOD_TRY(add_routes_from(parser, &route, destinations));
    }
    return CCMOD_OK;
}
