/* Internals of the configuration (context.h): the parsed files, before settings for a job are made.
 * context_text.c handles texts, context_file.c one file, context_job.c all files and a job. */
#ifndef BASE_CONTEXT_INTERNAL_H
#define BASE_CONTEXT_INTERNAL_H

#include "base/context.h"

enum { CONTEXT_WHY_BYTES = 256, CONTEXT_PLACE_BYTES = 512 };

/* As the file of a value: it was given on the command line. */
#define CONTEXT_COMMAND_LINE CB_FILES

/* A line of a file; line 0: in no file. */
typedef struct {
    cb_file file;
    long line;
} context_place;

typedef struct {
    uint64_t value;
    context_place place;
} context_value;

/* The known Contexts and their parameters: the rows of all technologies in one list. */
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

/* The values given in one scope, indexed as the vocabulary's rows; line 0 in the place: not given.
 */
typedef struct {
    context_value *values;
} context_scope;

typedef struct {
    char *name;
    uint32_t id;
    context_place id_place;
    char *machine; /* NULL: not named */
    context_place machine_place;
    size_t machine_index; /* valid if machine is not NULL */
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

/* "DIR/nodes.conf:12", or without the line if it is 0. */
void cb_context_place_text(const cb_config *config, context_place place,
                           char text[CONTEXT_PLACE_BYTES]);

/* Log an error with its place; returns CB_ERROR_USAGE. */
cb_status cb_context_fail(const cb_config *config, context_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A copy of the text, which the caller frees; NULL, logged, if out of memory. */
char *cb_context_copy(const char *text);

/* Edit distance of two words: letters changed, added or removed. Letters after the 63rd are
 * ignored. */
size_t cb_distance(const char *left, const char *right);

/* The name with the smallest distance to `name`, the first of equals; NULL if `count` is 0. */
const char *cb_nearest(const char *name, const char *const *names, size_t count);

/* Prepare a text for libconfuse: replace comments by blanks, in place, and check that strings,
 * comments and braces are closed. libconfuse miscounts lines after comments and silently accepts
 * what is not closed. Returns false and sets the line and the reason if something is not closed or
 * a character is not allowed. */
bool cb_context_blank(char *text, size_t bytes, long *line, char why[CONTEXT_WHY_BYTES]);

/* Add the contents of one file to *config; the text is changed (cb_context_blank). Errors are
 * logged. */
cb_status cb_context_read_file(cb_config *config, const cb_config_technology *technologies,
                               size_t technology_count, cb_file file, char *text, size_t bytes);

#endif
