/* Parameters and counters of a technology as rows of a table. Files, command line, defaults, limits
 * and results all follow from the same row. A technology gives its rows as a set; its values are a
 * struct whose fields are all uint64_t. */
#ifndef BASE_PARAMETERS_H
#define BASE_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/units.h"

/* Where a parameter may be given. */
enum {
    CB_SCOPE_TOP = 1u << 0,     /* in network.conf, for all nodes */
    CB_SCOPE_NODE = 1u << 1,    /* in a node; takes precedence over the top */
    CB_SCOPE_MACHINE = 1u << 2, /* in a machine, for the nodes on it */
    CB_SCOPE_JOB = 1u << 3 /* on the command line, for all nodes; takes precedence over files */
};

/* All values are stored as uint64_t. A result shows a flag as true or false, and the word of a
 * choice or text. */
typedef enum {
    CB_PARAMETER_COUNT,
    CB_PARAMETER_SIZE,   /* in bytes */
    CB_PARAMETER_FLAG,   /* 0 is false, anything else true */
    CB_PARAMETER_CHOICE, /* the index of one of `choices` */
    CB_PARAMETER_TEXT    /* the number of a text in this process (cb_parameter_text); 0: none, which
                            is the default */
} cb_parameter_kind;

/* As a default: no value. A result then omits the parameter unless it is given. */
#define CB_PARAMETER_ABSENT UINT64_MAX

typedef struct {
    const char *name;
    cb_parameter_kind kind;
    unsigned scopes;
    size_t offset; /* of the field in the technology's struct */
    uint64_t default_value, minimum, maximum;
    uint64_t multiple;          /* the value must be a multiple of this; 0: any */
    const char *const *choices; /* the words of a choice, terminated by NULL */
    /* An additional condition, or NULL. Returns false and sets the reason, a phrase. */
    bool (*accepts)(uint64_t value, char why[CB_WHY_BYTES]);
    const char *unit; /* of a count: s, ms; NULL: none */
    const char *help; /* one sentence without a final full stop */
} cb_parameter;

/* The needs of a job, from which values are derived and against which they are checked. */
typedef struct {
    size_t ranks;
    size_t largest_bytes; /* of a message */
    size_t held_buffers;  /* maximum number of received buffers that a process holds before it
                             releases them */
} cb_job;

/* Input of a limit for one node. */
typedef struct {
    const cb_job *job;
    uint64_t peers;    /* other processes */
    const void *node;  /* the values of the node */
    const void *total; /* the same struct: each field is the sum over all nodes of the job */
} cb_situation;

enum { CB_INVOLVED_MOST = 3, CB_PARAMETERS_MOST = 64 };

/* A parameter whose minimum depends on the job or on other parameters. */
typedef struct {
    size_t parameter; /* index of its row */
    /* The minimum value, and the reason as a phrase. */
    uint64_t (*needed)(const cb_situation *here, char why[CB_WHY_BYTES]);
    /* Rows that may have caused the violation: if the parameter itself was not given, the error
     * names the line of the first of these that was. */
    size_t involved[CB_INVOLVED_MOST];
    size_t involved_count;
} cb_limit;

typedef struct {
    const char *context; /* name of its Context in files */
    const cb_parameter *rows;
    size_t count; /* at most CB_PARAMETERS_MOST */
    size_t bytes; /* of the technology's struct */
    /* Derive the values for a job without files, the same for all nodes. On entry the struct holds
     * the defaults. NULL: use the defaults. */
    void (*derive)(const cb_job *job, void *values);
    const cb_limit *limits;
    size_t limit_count;
} cb_parameter_set;

uint64_t cb_parameter_get(const cb_parameter *row, const void *values);
void cb_parameter_set_value(const cb_parameter *row, uint64_t value, void *values);

/* Fill a technology's struct with the defaults. */
void cb_parameter_defaults(const cb_parameter_set *set, void *values);

/* The text with this number, which a value of CB_PARAMETER_TEXT holds; "" for 0. Equal texts have
 * the same number, different in other processes. The texts last as long as the process. */
const char *cb_parameter_text(uint64_t number);

/* The value of a choice or of a text as a word; NULL for a text that is not given, and for other
 * kinds, whose values are numbers. */
const char *cb_parameter_word(const cb_parameter *row, uint64_t value);

/* Parse a value of a Context, where KB, MB and GB are powers of 2. Returns false and sets the
 * reason, a phrase. One thread at a time. */
bool cb_parameter_read(const cb_parameter *row, const char *text, uint64_t *value,
                       char why[CB_WHY_BYTES]);

/* Whether a flag that reads as true was probably meant to be false: "false", "no", "off". */
bool cb_parameter_denies(const cb_parameter *row, const char *text);

/* Whether a word is a unit of a size. */
bool cb_parameter_is_unit(const char *text);

/* A value that is given on the command line. */
typedef struct {
    bool given;
    uint64_t value;
} cb_override;

/* Parse "NAME=VALUE,NAME=VALUE" of --parameter. A value in single or double quotes may have commas:
 * transports='posix,self'. The set is NULL if the technology has no parameters. *out has one cell
 * per row of the set, or is NULL if `text` is; the caller frees it. Returns CB_ERROR_USAGE, logged
 * with the technology's parameters. */
cb_status cb_overrides_parse(const char *technology, const cb_parameter_set *set, const char *text,
                             cb_override **out);

/* A value below its minimum. */
typedef struct {
    size_t rank;
    const cb_limit *limit;
    uint64_t value, needed;
    char why[CB_WHY_BYTES];
} cb_shortage;

/* Whether the values of all nodes, `set->bytes` each, meet the limits. Pure. *found is the first
 * violation. */
bool cb_limits_hold(const cb_parameter_set *set, const cb_job *job, const void *values,
                    cb_shortage *found);

/* Counters of a technology, as rows too. The engine combines them over all ranks of a measurement;
 * a result has them as one object. */

enum { CB_COUNTERS_MOST = 32 };

/* CB_COUNTER_INCREASE: the sum of the increases in the row. The others are readings at its end, of
 * which the least or the most of all ranks counts. */
typedef enum { CB_COUNTER_INCREASE, CB_COUNTER_LEAST, CB_COUNTER_MOST } cb_counter_kind;

/* A reading that a process does not have. The row has it if any process does; an increase, only if
 * all do. */
#define CB_COUNTER_ABSENT UINT64_MAX

typedef struct {
    const char *key; /* in the object of the set */
    const char *unit;
    const char *meaning; /* a phrase */
    const char *heading; /* of its column in the text table; NULL: not shown */
    cb_counter_kind kind;
    bool is_marked; /* a row of the text table in which it is not 0 has a mark */
} cb_counter;

typedef struct {
    const char *group; /* key of the object in a row of the result: "datagrams" */
    const cb_counter *rows;
    size_t count;       /* at most CB_COUNTERS_MOST */
    bool in_timed_only; /* count what happens in timed passes; otherwise in all passes of the row */
} cb_counter_set;

/* The connection of a process with the largest increase or the extreme reading of a counter. */
typedef struct {
    uint64_t value; /* its own increase or reading, or CB_COUNTER_ABSENT */
    int rank, peer; /* the process, and the other end */
} cb_counter_worst;

/* Values of the counters. */
typedef struct {
    const cb_counter_set *set;                /* NULL: no counters */
    uint64_t values[CB_COUNTERS_MOST];        /* or CB_COUNTER_ABSENT */
    cb_counter_worst worst[CB_COUNTERS_MOST]; /* of all processes, if the technology knows them */
    bool has_worst;
} cb_counts;

/* Whether the value of a connection is worse than another: larger, or smaller where the least
 * counts. An absent one never is. */
static inline bool cb_counter_is_worse(cb_counter_kind kind, uint64_t value, uint64_t than)
{
    if (value == CB_COUNTER_ABSENT || than == CB_COUNTER_ABSENT)
        return value != CB_COUNTER_ABSENT;
    return kind == CB_COUNTER_LEAST ? value < than : value > than;
}

#endif
