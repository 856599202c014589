/* Options as rows of one table. Parsing, defaults, ranges, --help, the manual page and the
 * parameter list of a result all come from the same row.
 *
 * A program has one table of rows for all that the project knows, and a mask that says which of
 * them have a meaning for it: a known option without meaning is refused with a text of its own.
 * Several rows may have one name where no program gives a meaning to two of them: --sources is a
 * list here and a number there. */
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
    CB_OPTION_CHOICE,     /* const char *: one of `choices`, its own spelling there */
    CB_OPTION_SIZE_LIST,  /* cb_list, sizes with units */
    CB_OPTION_COUNT_LIST, /* cb_list, counts with ranges, in `unit` */
    CB_OPTION_OPERAND,    /* const char *: the word that stands without dashes; one row at most */
    CB_OPTION_ACTION      /* no argument and no field: --help and the like, see cb_options_parse */
} cb_option_type;

/* One option. Minimum and maximum count for numbers alone, and none is negative; a maximum of 2^64
 * or above, of a real HUGE_VAL, is no bound. */
typedef struct {
    const char *name; /* long form without the dashes; of an operand its argument */
    cb_option_type type;
    uint32_t scope;           /* bit(s): has a meaning where (scope & mask) != 0; 0 is everywhere */
    size_t offset;            /* of the field in the parameter structure */
    const char *argument;     /* how --help names the argument: LIST, S, FILE; NULL where none */
    const char *default_text; /* parsed as if typed; NULL: field stays zero ("not given") */
    const char *const *choices; /* CB_OPTION_CHOICE: NULL-terminated */
    double minimum, maximum;    /* of each number, in `unit` or bytes */
    const char *unit;           /* s, us, Hz, % (see cb_parse_real); NULL: a bare number */
    const char *key;            /* in the result: max_time_s, with the unit; NULL: not there */
    const char *help;           /* one sentence or two, no line breaks, no final full stop */
} cb_option;

typedef struct cb_option_table cb_option_table;

struct cb_option_table {
    const char *program;     /* its name as users type it */
    const char *summary;     /* one line */
    const char *description; /* paragraphs separated by \n\n; for --help and the manual page */
    const char *synopsis;    /* "mpirun -np N PROGRAM [OPTION]..." */
    const char *const *exit_statuses; /* "0", "measured", "2", "..."; NULL-terminated pairs */
    const cb_option *options;
    size_t option_count;
    uint32_t mask; /* which scopes this program has */
    /* Write into `text` who takes the options of a name, for the message that this program does
     * not; or NULL. */
    void (*name_owners)(const cb_option_table *table, const char *name, char *text, size_t bytes);
};

/* Whether a row has a meaning for the table's program. */
static inline bool cb_option_applies(const cb_option_table *table, const cb_option *row)
{
    return row->scope == 0 || (row->scope & table->mask) != 0;
}

/* Fill `parameters` with the defaults of all rows that have a meaning, and the fields of the others
 * with zeros. Logs and fails only on a mistake in the table; nothing is left to free then. */
cb_status cb_options_defaults(const cb_option_table *table, void *parameters);

/* Parse argv (getopt_long; abbreviations of names allowed; no operands but the row's) over what
 * `parameters` holds, from cb_options_defaults at least. An option given twice counts as given
 * last. A CB_OPTION_ACTION ends the parsing: *action is its row, else NULL. `given`, where not
 * NULL, has option_count cells and says which rows the user gave. On error: one message naming
 * option, value, reason and remedy; CB_ERROR_USAGE, and nothing is left to free. Else give the
 * parameters back with cb_options_free. */
cb_status cb_options_parse(const cb_option_table *table, int argc, char **argv, void *parameters,
                           bool *given, const cb_option **action);

/* Free the lists that parsing or the defaults allocated; doing so twice is harmless. */
void cb_options_free(const cb_option_table *table, void *parameters);

/* --help: synopsis, description, one entry a row with argument, default, range, unit and choices,
 * wrapped to 80 columns. */
void cb_options_help(const cb_option_table *table, FILE *stream);

/* The manual page (man(7) macros), section 1. `version` is 0.1.0, `date` YYYY-MM-DD. */
void cb_options_manual(const cb_option_table *table, const char *version, const char *date,
                       FILE *stream);

/* Call `visit` for each row that has a key and a meaning, in order of the table; a row whose value
 * is "not given" (no default, and zero, NULL or empty; never a flag) is passed over. `value` points
 * to the field. For the result's parameters. */
void cb_options_visit(const cb_option_table *table, const void *parameters,
                      void (*visit)(const cb_option *row, const void *value, void *context),
                      void *context);

#endif
