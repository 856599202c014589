/* Configuration files: network.conf, nodes.conf and machines.conf of one directory, in libconfuse
 * syntax, with the Contexts of section 10 of the SCI note. combench-config(5) describes them.
 *
 * Three separate steps, so that one process can read the files and all processes parse the same
 * bytes: load the texts, parse them, make settings for a job. Errors are logged with file and line.
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

/* "network.conf", "nodes.conf", "machines.conf", NULL. */
extern const char *const cb_file_names[CB_FILES + 1];

enum { CB_FILE_LARGEST_BYTES = 4 << 20 };

/* The texts of the files of a directory; a text may be NULL if empty. Free with
 * cb_config_texts_free, which may be called twice. */
typedef struct {
    char *text[CB_FILES];
    size_t bytes[CB_FILES];
} cb_config_texts;

/* A technology that the files may name, and the Context of its parameters. */
typedef struct {
    const char *name;                   /* value of Technology, case-insensitive */
    const cb_parameter_set *parameters; /* NULL: it has no Context */
    bool is_default;                    /* used if the files name no technology or an unknown one */
} cb_config_technology;

/* The parsed files of a directory. */
typedef struct cb_config cb_config;

/* Read the three files of a directory, or make those of the preset `note`, which has the defaults
 * of the SCI note; a directory of that name takes precedence. Returns CB_ERROR_USAGE, logged, when
 * a file is missing, cannot be read or exceeds CB_FILE_LARGEST_BYTES; then nothing has to be freed.
 */
cb_status cb_config_load(const char *directory, cb_config_texts *out);
void cb_config_texts_free(cb_config_texts *texts);

/* Parse texts. `directory` is used in messages only. The technologies' names and sets must outlive
 * the configuration. Returns CB_ERROR_USAGE and logs file and line of the first error in the files
 * themselves: syntax, unknown names, ranges, nodes without an id, missing machines and members. The
 * caller frees *out. */
cb_status cb_config_parse(const char *directory, const cb_config_texts *texts,
                          const cb_config_technology *technologies, size_t count, cb_config **out);
void cb_config_free(cb_config *config);

/* The name of the technology of the files, or of the default if they name none or an unknown one;
 * NULL: there is no default. The place is "DIR/network.conf:LINE" or, if no technology is named,
 * "DIR/network.conf, which names none,". */
const char *cb_config_technology_name(const cb_config *config);
const char *cb_config_technology_place(const cb_config *config);

/* A named group from the file: ids of nodes, and the ranks of these nodes, which may exceed the
 * ranks of a job. Belongs to the configuration. */
typedef struct {
    const char *name;
    const uint32_t *ids;
    const size_t *ranks;
    size_t count;
} cb_config_group;

/* Group `index` in the order of network.conf; false if there are fewer groups. */
bool cb_config_group_at(const cb_config *config, size_t index, cb_config_group *out);

/* Make the settings of a job over a technology with this set, which may be NULL. Rank r is the r-th
 * node. Precedence, highest first: command line (`given`, one cell per row, or NULL), node, its
 * machine, top of network.conf, default. Returns CB_ERROR_USAGE, and logs the parameter, its file
 * and line and the value needed, when there are fewer nodes than ranks or a limit of any technology
 * is violated: the whole configuration is checked, whichever technology will use it. */
cb_status cb_config_settings(const cb_config *config, const cb_job *job,
                             const cb_parameter_set *set, const cb_override *given,
                             cb_settings *out);

#endif
