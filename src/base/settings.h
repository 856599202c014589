/* What a technology is given at open: for each process of the job the values of its parameters
 * (Bogaerts, "Implementation of the Message Passing Software Layer over SCI", section 10), and the
 * named groups. They come from configuration files (context.h), or are derived from the job, and
 * what the command line gives takes precedence; a technology reads them and does not care which. */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include "base/parameters.h"

/* One process: the node of its rank. */
typedef struct {
    char *name;  /* of the node in nodes.conf; NULL without files */
    uint32_t id; /* the Reference Software's; without files the rank */
} cb_node_settings;

/* A named group: the ranks of its members in the order of the file. A member may lie beyond the
 * job, when nodes.conf has more nodes than the job has ranks. */
typedef struct {
    char *name;
    size_t *members;
    size_t count;
} cb_group_settings;

/* Of a whole job, alike in all its processes. Freed with cb_settings_free. */
typedef struct {
    bool configured;       /* from files; else derived from the job */
    const char *interface; /* of --interface, not owned; NULL: the technology chooses */
    const cb_parameter_set *parameters; /* of the technology; NULL: it has none */
    void *values;                       /* its struct, for each rank */
    cb_node_settings *nodes;            /* by rank */
    size_t node_count;                  /* the ranks of the job */
    cb_group_settings *groups;
    size_t group_count;
} cb_settings;

/* Settings of all processes of a job for a technology with this set, which may be NULL, without
 * files: names and groups there are none, and the id is the rank. `given` has a cell for each row,
 * or is NULL. CB_ERROR_USAGE, logged, where a given value breaks a limit, CB_ERROR_MEMORY; then
 * there is nothing to free. */
cb_status cb_settings_derive(const cb_parameter_set *set, const cb_job *job,
                             const cb_override *given, cb_settings *out);

/* Leaves empty settings; doing so twice is harmless. */
void cb_settings_free(cb_settings *settings);

/* The technology's struct of one rank. */
static inline void *cb_settings_values(const cb_settings *settings, size_t rank)
{
    return (char *)settings->values + rank * settings->parameters->bytes;
}

/* The group of that name, or NULL. */
const cb_group_settings *cb_settings_group(const cb_settings *settings, const char *name);

#endif
