/* Settings of a technology at open: the values of its parameters for each process of the job
 * (Bogaerts, "Implementation of the Message Passing Software Layer over SCI", section 10), and the
 * named groups. They come from configuration files (context.h) or are derived from the job; values
 * of the command line take precedence. */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include "base/parameters.h"

/* One process: the node of this rank. */
typedef struct {
    char *name;  /* of the node in nodes.conf; NULL without files */
    uint32_t id; /* as in the Reference Software; without files, the rank */
} cb_node_settings;

/* A named group: the ranks of its members in the order of the file. Members may exceed the ranks of
 * the job, if nodes.conf has more nodes than the job has ranks. */
typedef struct {
    char *name;
    size_t *members;
    size_t count;
} cb_group_settings;

/* Settings of a whole job, the same in all processes. Free with cb_settings_free. */
typedef struct {
    bool configured;       /* from files; otherwise derived from the job */
    const char *interface; /* value of --interface, not owned; NULL: the technology chooses */
    const cb_parameter_set *parameters; /* NULL: the technology has none */
    void *values;                       /* the technology's struct for each rank */
    cb_node_settings *nodes;            /* by rank */
    size_t node_count;                  /* number of ranks of the job */
    cb_group_settings *groups;
    size_t group_count;
} cb_settings;

/* Derive the settings of a job without files. The set may be NULL. There are no names and no
 * groups, and the id is the rank. `given` has one cell per row, or is NULL. Returns CB_ERROR_USAGE,
 * logged, if a given value violates a limit, or CB_ERROR_MEMORY; then nothing has to be freed. */
cb_status cb_settings_derive(const cb_parameter_set *set, const cb_job *job,
                             const cb_override *given, cb_settings *out);

/* Free the contents and leave empty settings; may be called twice. */
void cb_settings_free(cb_settings *settings);

/* The technology's struct of one rank. */
static inline void *cb_settings_values(const cb_settings *settings, size_t rank)
{
    return (char *)settings->values + rank * settings->parameters->bytes;
}

/* The group of that name; NULL if unknown. */
const cb_group_settings *cb_settings_group(const cb_settings *settings, const char *name);

#endif
