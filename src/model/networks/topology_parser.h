/* A topology file while it is read: what its statements share. Internal to src/model. */
#ifndef MODEL_NETWORKS_TOPOLOGY_PARSER_H
#define MODEL_NETWORKS_TOPOLOGY_PARSER_H

#include "model/networks/topology.h"

#define TOPOLOGY_BLANKS " \t\r\n"

typedef struct {
    topology *made;
    ccmod_error *error;
    size_t line;
    char *rest;  /* of the line, for strtok_r */
    void *names; /* of switches, a tree */
    size_t nodes_line, packet_line, reference_line;
} topology_parser;

/* "KEY=VALUE" */
typedef struct {
    const char *key;
    bool real;
    double minimum, maximum;
    void *field; /* double or uint64_t */
} topology_option;

/* An error in the present line: what is wrong with a word of it, and what to do. */
ccmod_status ccmod_topology_refuse(const topology_parser *parser, const char *word,
                                   const char *problem);

/* NULL at the end of the line. */
char *ccmod_topology_next_word(topology_parser *parser);

/* The words that are left, each an option of the table (of at most 8), each at most once. */
ccmod_status ccmod_topology_read_options(topology_parser *parser, const topology_option *options,
                                         size_t count);

/* An error unless the number of nodes is known already. */
ccmod_status ccmod_topology_require_nodes(const topology_parser *parser, const char *what);

/* The vertex of a switch; an error when there is none of that name. */
ccmod_status ccmod_topology_find_switch(topology_parser *parser, const char *name,
                                        uint32_t *vertex);

/* An error unless this is the first statement of its kind; *line is where that stands. */
ccmod_status ccmod_topology_note_single(const topology_parser *parser, size_t *line,
                                        const char *what);

/* One more switch, with a name that no other has. */
ccmod_status ccmod_topology_add_switch(topology_parser *parser, const char *name);

typedef struct {
    uint32_t first, last;
} topology_range;

/* Takes the first range off a list of nodes, as 0-7,12; *list is NULL after the last one. */
ccmod_status ccmod_topology_take_range(const topology_parser *parser, char **list,
                                       topology_range *range);

#endif
