/* What the parts of the configuration (context.h) share: the files as they stand, before settings
 * for a job are made of them. Texts are in context_text.c, one file in context_file.c, all of them
 * and a job in context_job.c. */
#ifndef BASE_CONTEXT_INTERNAL_H
#define BASE_CONTEXT_INTERNAL_H

#include "base/context.h"

enum { CONTEXT_WHY_BYTES = 256, CONTEXT_PLACE_BYTES = 512 };

/* Of the command line, in place of a file. */
#define CONTEXT_COMMAND_LINE CB_FILES

/* A line of a file; line 0: it stands in none. */
typedef struct {
    cb_file file;
    long line;
} context_place;

typedef struct {
    uint64_t value;
    context_place place;
} context_value;

/* What may stand in Contexts: the rows of all technologies in one list. */
typedef struct {
    const cb_parameter_set *set;
    const cb_parameter *row;
} context_row;

typedef struct {
    const cb_parameter_set **contexts;
    size_t context_count;
    context_row *rows;
    size_t row_count;
} context_vocabulary;

/* What one scope gives, in the order of the vocabulary's rows; a value whose place has line 0 is
 * not given. */
typedef struct {
    context_value *values;
} context_scope;

typedef struct {
    char *name;
    uint32_t id;
    context_place id_place;
    char *machine; /* NULL: none is named */
    context_place machine_place;
    size_t machine_index; /* where one is named */
    context_scope scope;
} context_node;

typedef struct {
    char *name;
    context_scope scope;
} context_machine;

typedef struct {
    char *name;
    context_place place;
    uint32_t *ids;
    size_t *ranks; /* of the nodes with these ids */
    size_t count;
} context_group;

struct cb_config {
    char *directory;
    context_vocabulary vocabulary;
    const char *technology;                     /* see cb_config_technology_name */
    char technology_place[CONTEXT_PLACE_BYTES]; /* see cb_config_technology_place */
    context_scope top;
    context_node *nodes;
    size_t node_count;
    context_machine *machines;
    size_t machine_count;
    context_group *groups;
    size_t group_count;
};

/* "DIR/nodes.conf:12", or without the line where there is none. */
void cb_context_place_text(const cb_config *config, context_place place,
                           char text[CONTEXT_PLACE_BYTES]);

/* Log what is wrong at a place; gives CB_ERROR_USAGE. */
cb_status cb_context_fail(const cb_config *config, context_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A copy to be freed; NULL, logged, when there is no memory. */
char *cb_context_copy(const char *text);

/* How many letters have to be changed, added or left out to make one word of the other; letters
 * after the first 63 of a word do not count. */
size_t cb_distance(const char *left, const char *right);

/* Of `count` names, the one with the smallest distance to `name`, the first of several; NULL when
 * there are none. */
const char *cb_nearest(const char *name, const char *const *names, size_t count);

/* Make a text fit for libconfuse, which counts lines wrongly where there are comments, and takes it
 * silently when a string, comment or brace is not closed: comments become blanks. The text has
 * `bytes` bytes and is changed in place. False, with the line and the reason, when something is not
 * closed, or a character has no meaning. */
bool cb_context_blank(char *text, size_t bytes, long *line, char why[CONTEXT_WHY_BYTES]);

/* Fill *config with what one file says; `text` is blanked. Logged. */
cb_status cb_context_read_file(cb_config *config, const cb_config_technology *technologies,
                               size_t technology_count, cb_file file, char *text, size_t bytes);

#endif
