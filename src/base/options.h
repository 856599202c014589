/* Options as rows of one table. Parsing, defaults, ranges, --help, the manual page and the
 * parameter list of a result all follow from the same row.
 *
 * A program has one table with all rows of the project and a mask of the rows that apply to it; a
 * known option that does not apply is rejected with its own message. Several rows may share a name
 * if no program has more than one of them: --sources is a list in one program and a number in
 * another. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

typedef enum {
    CB_OPTION_FLAG,       /* bool, no argument */
    CB_OPTION_COUNT,      /* uint64_t */
    CB_OPTION_SIZE,       /* uint64_t, bytes, with units */
    CB_OPTION_REAL,       /* double, in `unit` */
    CB_OPTION_TEXT,       /* const char * into argv or the default */
    CB_OPTION_CHOICE,     /* const char *: one of `choices`, in the spelling of that list */
    CB_OPTION_SIZE_LIST,  /* cb_list, sizes with units */
    CB_OPTION_COUNT_LIST, /* cb_list, counts with ranges, in `unit` */
    CB_OPTION_OPERAND,    /* const char *: the word without dashes; at most one such row */
    CB_OPTION_ACTION      /* no argument and no field: --help and the like, see cb_options_parse */
} cb_option_type;

/* Whether a text or an operand names a file. What is read may follow a colon, as in train:FILE. */
typedef enum { CB_FILE_NONE, CB_FILE_READ, CB_FILE_WRITTEN } cb_option_file;

/* One option. Minimum and maximum apply to numbers only and are not negative; a maximum of 2^64 or
 * more (HUGE_VAL for a real) means no upper bound. */
typedef struct {
    const char *name; /* long form without the dashes; for an operand, its argument */
    cb_option_type type;
    uint32_t scope;       /* bits: the option applies if (scope & mask) != 0; 0: to all programs */
    size_t offset;        /* of the field in the parameter structure */
    const char *argument; /* name of the argument in --help: LIST, S, FILE; NULL: no argument */
    const char *default_text;   /* parsed as if typed; NULL: the field is zero ("not given") */
    const char *const *choices; /* CB_OPTION_CHOICE: NULL-terminated */
    double minimum, maximum;    /* of each number, in `unit` or bytes */
    const char *unit;           /* s, us, Hz, % (see cb_parse_real); NULL: a bare number */
    cb_option_file file; /* no file may be written that is read or written by another option */
    const char *const *inside; /* names a directory, of which these are read; NULL-terminated */
    const char *key;  /* key in the result, with its unit: max_time_s; NULL: not in the result */
    const char *help; /* at most two lines of --help with the facts; no final full stop */
    const char *more; /* further sentences, for the manual page only; NULL: none */
} cb_option;

typedef struct cb_option_table cb_option_table;

struct cb_option_table {
    const char *program;     /* as users type it */
    const char *summary;     /* one line */
    const char *description; /* paragraphs separated by \n\n; for --help and the manual page */
    const char *synopsis;    /* "mpirun -np N PROGRAM [OPTION]..." */
    const char *const *exit_statuses; /* "0", "measured", "2", "..."; NULL-terminated pairs */
    const cb_option *options;
    size_t option_count;
    uint32_t mask; /* scopes of this program */
    /* Write to `text` the programs that take the option `name`, for the message that this one does
     * not. May be NULL. */
    void (*name_owners)(const cb_option_table *table, const char *name, char *text, size_t bytes);
};

/* Whether a row applies to the table's program. */
static inline bool cb_option_applies(const cb_option_table *table, const cb_option *row)
{
    return row->scope == 0 || (row->scope & table->mask) != 0;
}

/* Set the fields of all rows that apply to their defaults, and all others to zero. Fails, logged,
 * only if the table is wrong; then nothing has to be freed. */
cb_status cb_options_defaults(const cb_option_table *table, void *parameters);

/* Parse argv (with getopt_long; abbreviations are allowed) over `parameters`, which
 * cb_options_defaults has filled. If an option is repeated, the last one counts. A CB_OPTION_ACTION
 * ends parsing: *action is its row, otherwise NULL. `given`, if not NULL, has option_count cells
 * that say which rows the user gave. On error: logs one message with option, value, reason and
 * remedy and returns CB_ERROR_USAGE; nothing has to be freed. Otherwise free with cb_options_free.
 */
cb_status cb_options_parse(const cb_option_table *table, int argc, char **argv, void *parameters,
                           bool *given, const cb_option **action);

/* Free the lists that parsing or the defaults allocated; may be called twice. */
void cb_options_free(const cb_option_table *table, void *parameters);

/* Print --help: synopsis, description, one entry per row with argument, default, range, unit and
 * choices, wrapped to 80 columns. */
void cb_options_help(const cb_option_table *table, FILE *stream);

/* Print the manual page (man(7) macros), section 1. `version` is like 0.1.0, `date` YYYY-MM-DD. */
void cb_options_manual(const cb_option_table *table, const char *version, const char *date,
                       FILE *stream);

/* Call `visit` for each row that applies and has a key, in order of the table, for the parameters
 * of a result. Skips values that are not given (no default, and zero, NULL or empty; never a flag).
 * `value` points to the field. */
void cb_options_visit(const cb_option_table *table, const void *parameters,
                      void (*visit)(const cb_option *row, const void *value, void *context),
                      void *context);

#endif
