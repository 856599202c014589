/* Configuration in files: network.conf, nodes.conf and machines.conf of one directory, in the
 * syntax of libconfuse, with the Contexts of section 10 of the SCI note. combench-config(5)
 * describes them.
 *
 * Three steps, so that one process can read for a whole job and all make the same of it: load the
 * texts, parse them, and make settings for a job. Errors are logged with file and line.
 */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include "base/settings.h"

typedef enum {
    CB_FILE_NETWORK,  /* Technology, Contexts for all nodes, groups */
    CB_FILE_NODES,    /* the nodes in the order of ranks */
    CB_FILE_MACHINES, /* the machines */
    CB_FILES
} cb_file;

/* "network.conf", "nodes.conf", "machines.conf". */
const char *cb_file_name(cb_file file);

enum { CB_FILE_LARGEST_BYTES = 4 << 20 };

/* The texts of the files of a directory; empty ones may be NULL. Freed with cb_config_texts_free,
 * which may be done twice. */
typedef struct {
    char *text[CB_FILES];
    size_t bytes[CB_FILES];
} cb_config_texts;

/* A technology that files may name, and whose Context they may have. */
typedef struct {
    const char *name;                   /* for Technology, in any case of letters */
    const cb_parameter_set *parameters; /* NULL: there is no such Context */
    bool is_default;                    /* taken where files name none, or one that is not known */
} cb_config_technology;

/* What stands in the files of a directory. */
typedef struct cb_config cb_config;

/* Read the three files of a directory; each has to be there. CB_ERROR_USAGE, logged, when one
 * cannot be read or is larger than CB_FILE_LARGEST_BYTES; then there is nothing to free. */
cb_status cb_config_load(const char *directory, cb_config_texts *out);
void cb_config_texts_free(cb_config_texts *texts);

/* Parse texts; `directory` is for messages and not opened. The names of the technologies and their
 * sets have to live as long as the configuration. CB_ERROR_USAGE, logged, with the file and line
 * of the first thing that is wrong by itself: syntax, unknown names, ranges, nodes without an id,
 * machines and members that do not exist. The caller frees *out. */
cb_status cb_config_parse(const char *directory, const cb_config_texts *texts,
                          const cb_config_technology *technologies, size_t count, cb_config **out);
void cb_config_free(cb_config *config);

/* The name of the technology that the files ask for, of the default where they name none or one
 * that is not known; NULL: there is no default. And "DIR/network.conf:LINE" or, where none is
 * named, "DIR/network.conf, which names none,". */
const char *cb_config_technology_name(const cb_config *config);
const char *cb_config_technology_place(const cb_config *config);

/* A named group as its file has it: ids of nodes, and the ranks of these nodes, which may lie
 * beyond a job. Belongs to the configuration. */
typedef struct {
    const char *name;
    const uint32_t *ids;
    const size_t *ranks;
    size_t count;
} cb_config_group;

/* Group `index` in the order of network.conf; false: there are fewer. */
bool cb_config_group_at(const cb_config *config, size_t index, cb_config_group *out);

/* Settings for a job over a technology with this set, which may be NULL: rank r is the r-th node;
 * what is given on the command line (`given`, a cell for each row, or NULL) takes precedence over
 * the node, the node over its machine, that over the top, the top over the default. CB_ERROR_USAGE,
 * logged with the parameter, its file and line and the value that is needed, when there are fewer
 * nodes than ranks or a limit of any technology does not hold: the configuration is checked whole,
 * whichever technology will use it. */
cb_status cb_config_settings(const cb_config *config, const cb_job *job,
                             const cb_parameter_set *set, const cb_override *given,
                             cb_settings *out);

#endif
