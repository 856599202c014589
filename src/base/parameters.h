/* The parameters of a technology as rows: reading them from files and from the command line, their
 * defaults and limits, and writing them into a result all go by the same row. A technology gives
 * its rows as a set; its values are a struct of its own whose fields are all uint64_t. The counters
 * of a technology are rows of a set, too. */
#ifndef BASE_PARAMETERS_H
#define BASE_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/units.h"

/* Where a parameter may stand. */
enum {
    CB_SCOPE_TOP = 1u << 0,     /* in network.conf, for all nodes */
    CB_SCOPE_NODE = 1u << 1,    /* in a node, which takes precedence over the top */
    CB_SCOPE_MACHINE = 1u << 2, /* in a machine, for the nodes on it */
    CB_SCOPE_JOB = 1u << 3 /* on the command line, for all nodes; takes precedence over files */
};

/* All values are held as uint64_t; a result has a flag as true or false. */
typedef enum {
    CB_PARAMETER_COUNT,
    CB_PARAMETER_SIZE, /* in bytes */
    CB_PARAMETER_FLAG  /* 0 is false, everything else is true */
} cb_parameter_kind;

/* As a default value: the parameter has none. A result leaves it out while nobody gives it. */
#define CB_PARAMETER_ABSENT UINT64_MAX

typedef struct {
    const char *name;
    cb_parameter_kind kind;
    unsigned scopes;
    size_t offset; /* of the field in the technology's struct */
    uint64_t default_value, minimum, maximum;
    uint64_t multiple; /* the value has to be one of this; 0: any is allowed */
    /* One more condition, or NULL: false, with the reason as a phrase. */
    bool (*accepts)(uint64_t value, char why[CB_WHY_BYTES]);
    const char *unit; /* of a count: s, ms; or NULL */
    const char *help; /* one sentence without a final full stop */
} cb_parameter;

/* What a run needs, which values are derived from or checked against. */
typedef struct {
    size_t ranks;
    size_t largest_bytes; /* of a message */
    size_t held_buffers;  /* most received buffers that a process has and has not given back */
} cb_job;

/* What a limit for one node follows from. */
typedef struct {
    const cb_job *job;
    uint64_t peers;    /* other processes */
    const void *node;  /* the values of the node */
    const void *total; /* the same struct: each field is the sum over all nodes of the job */
} cb_situation;

enum { CB_INVOLVED_MOST = 3, CB_PARAMETERS_MOST = 64 };

/* A parameter that has to be as large as the job or other parameters demand. */
typedef struct {
    size_t parameter; /* index of its row */
    /* The least value, and the reason as a phrase. */
    uint64_t (*needed)(const cb_situation *here, char why[CB_WHY_BYTES]);
    /* Rows that may be to blame: where the parameter itself is not given, the error names the line
     * of the first of these that is. */
    size_t involved[CB_INVOLVED_MOST];
    size_t involved_count;
} cb_limit;

typedef struct {
    const char *context; /* the name of its Context in files */
    const cb_parameter *rows;
    size_t count; /* at most CB_PARAMETERS_MOST */
    size_t bytes; /* of the technology's struct */
    /* Values for a job without files, the same for all nodes. The struct holds the defaults. NULL:
     * these are the values. */
    void (*derive)(const cb_job *job, void *values);
    const cb_limit *limits;
    size_t limit_count;
} cb_parameter_set;

uint64_t cb_parameter_get(const cb_parameter *row, const void *values);
void cb_parameter_set_value(const cb_parameter *row, uint64_t value, void *values);

/* Fill a technology's struct with the defaults. */
void cb_parameter_defaults(const cb_parameter_set *set, void *values);

/* A value as it is written in a Context, where KB, MB and GB are powers of 2. False with the
 * reason, a phrase. */
bool cb_parameter_read(const cb_parameter *row, const char *text, uint64_t *value,
                       char why[CB_WHY_BYTES]);

/* Whether a flag, which is true, was probably meant to be false: false, no, off. */
bool cb_parameter_denies(const cb_parameter *row, const char *text);

/* Whether a word is a unit of a size. */
bool cb_parameter_is_unit(const char *text);

/* A value that is given on the command line. */
typedef struct {
    bool given;
    uint64_t value;
} cb_override;

/* Read "NAME=VALUE,NAME=VALUE" of --parameter for a technology, whose set may be NULL: it has no
 * parameters. *out has a cell for each row of the set, or is NULL where `text` is NULL; the caller
 * frees it. CB_ERROR_USAGE, logged with the names that the technology has. */
cb_status cb_overrides_parse(const char *technology, const cb_parameter_set *set, const char *text,
                             cb_override **out);

/* A value that is too small. */
typedef struct {
    size_t rank;
    const cb_limit *limit;
    uint64_t value, needed;
    char why[CB_WHY_BYTES];
} cb_shortage;

/* Whether the values of all nodes, `set->bytes` for each, meet the limits. Pure; *found is the
 * first value that does not. */
bool cb_limits_hold(const cb_parameter_set *set, const cb_job *job, const void *values,
                    cb_shortage *found);

/* What a technology counts while it works, as rows too: the engine sums the counters over all ranks
 * of a measurement, and a result has them as one object. */

enum { CB_COUNTERS_MOST = 32 };

typedef struct {
    const char *key; /* in the set's object */
    const char *unit;
    const char *meaning; /* a phrase */
    const char *heading; /* of a column of the text table; NULL: it is not shown there */
} cb_counter;

typedef struct {
    const char *group; /* the key of the object in a row of the result: "datagrams" */
    const cb_counter *rows;
    size_t count; /* at most CB_COUNTERS_MOST */
} cb_counter_set;

/* What was counted. */
typedef struct {
    const cb_counter_set *set; /* NULL: nothing */
    uint64_t values[CB_COUNTERS_MOST];
} cb_counts;

#endif
