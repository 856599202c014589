/* What the parts of the configuration share: the files as they stand, before they are a job's. */
#ifndef BASE_CONTEXT_INTERNAL_H
#define BASE_CONTEXT_INTERNAL_H

#include "base/context.h"

enum { CONTEXT_WHY_BYTES = 256, CONTEXT_PLACE_BYTES = 512 };

/* A line of a file; line 0: it stands in none. */
typedef struct {
    cb_file file;
    long line;
} context_place;

typedef struct {
    uint64_t value;
    context_place place;
} context_value;

/* What one scope gives; a value whose place has line 0 is not given. */
typedef struct {
    context_value values[CB_PARAMETERS];
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
    cb_context technology;
    char technology_place[CONTEXT_PLACE_BYTES]; /* see cb_config_technology_place */
    context_scope top;
    context_node *nodes;
    size_t node_count;
    context_machine *machines;
    size_t machine_count;
    context_group *groups;
    size_t group_count;
};

/* context_text.c: make a text fit for libconfuse, which counts lines wrongly where there are
 * comments, and takes it silently when a string, comment or brace is not closed: comments become
 * blanks. The text has `bytes` bytes and is changed in place. False, with the line and the reason,
 * when something is not closed, or a character has no meaning. */
bool cb_context_blank(char *text, size_t bytes, long *line, char why[CONTEXT_WHY_BYTES]);

/* "DIR/nodes.conf:12", or without the line where there is none. */
void cb_context_place_text(const cb_config *config, context_place place,
                           char text[CONTEXT_PLACE_BYTES]);

/* Log what is wrong at a place; gives CB_ERROR_USAGE. */
cb_status cb_context_fail(const cb_config *config, context_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A copy to be freed; NULL, logged, when there is no memory. */
char *cb_context_copy(const char *text);

/* context_value.c: the value of a parameter as it is written. False with the reason, a phrase. */
bool cb_context_read_value(const cb_parameter *row, const char *text, uint64_t *value,
                           char why[CONTEXT_WHY_BYTES]);

/* Whether a flag, which is true, was meant to be false: false, no, off. Whether a word is a unit.
 */
bool cb_context_denies(const char *text);
bool cb_context_is_unit(const char *text);

/* A whole number of 32 bits. */
bool cb_context_read_id(const char *text, uint32_t *id, char why[CONTEXT_WHY_BYTES]);

/* context_file.c: fill *config with what one file says; `text` is blanked. Logged. */
cb_status cb_context_read_file(cb_config *config, cb_file file, char *text, size_t bytes);

/* context_check.c: the effective value of a parameter for a node, and the limits that a job sets
 * to the Context SCI. */
context_value cb_context_effective(const cb_config *config, const context_node *node,
                                   cb_parameter_id parameter);
cb_status cb_context_check_job(const cb_config *config, const cb_job *job);

#endif
