/* The table of columns: every key of a result row and its properties.
 *
 * The entries are in columns.def. Code refers to a column by its identifier, such as
 * REPORT_SKEW_US. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/parameters.h"
#include "report/stream.h"

/* Identifiers, in the order of the table. */
typedef enum {
#define COLUMN(identifier, ...) REPORT_##identifier,
#include "report/columns.def"
#undef COLUMN
    REPORT_COLUMNS
} report_column;

/* Type of a column's value; determines which function of row.h sets it. */
typedef enum {
    REPORT_TYPE_NUMBER,
    REPORT_TYPE_TEXT,
    REPORT_TYPE_FLAG,
    REPORT_TYPE_SUMMARY,      /* summary of the values of blocks */
    REPORT_TYPE_DISTRIBUTION, /* percentiles and histogram */
    REPORT_TYPE_NUMBERS,      /* an array */
    REPORT_TYPE_MEMBERS,      /* an object, set member by member */
    REPORT_TYPE_LIST,         /* an array of objects, set member by member */
    REPORT_TYPE_COUNTERS,     /* counters of the technology: an object named after the set */
    REPORT_TYPES
} report_type;

/* Which values are better, for comparisons. */
typedef enum { REPORT_NEITHER, REPORT_LOWER, REPORT_HIGHER } report_better;

typedef enum {
    REPORT_HIDDEN, /* not in the text form */
    REPORT_TITLE,  /* text form: in the title of a block; a new value starts a new block */
    REPORT_CELL    /* text form: a column */
} report_place;

/* Which tables of a report show a figure that has a heading and better values. */
typedef enum {
    REPORT_ALWAYS,       /* of every benchmark that has it in a row */
    REPORT_BESIDE,       /* of measurements beside a computing task */
    REPORT_BY_BENCHMARK, /* of benchmarks whose definition lists it */
} report_tabled;

/* Heading of a value in the text form. */
typedef struct {
    const char *head;  /* NULL: not in the text form */
    const char *below; /* second line; NULL: the column's unit */
    int width;
    int rank;   /* 0: always shown; if a line is too long, the highest rank is left out first */
    bool whole; /* printed with all digits instead of three */
} report_heading;

/* How a cell is computed from its column's value. */
typedef enum {
    REPORT_VALUE,         /* the value at the cell's path */
    REPORT_LEAST,         /* smallest number at that path in the elements of an array */
    REPORT_MOST,          /* largest number */
    REPORT_SUM_OF_OTHERS, /* sum of all members except that one */
    REPORT_FIGURE,        /* of a summary: the mean if it has one, else the median */
    REPORT_HALF_WIDTH_PCT /* of a summary: half the width of its interval, in % of the figure */
} report_shown;

/* A single value of a column, for CSV and text. */
typedef struct {
    const char *path; /* path in the column's value; "": the value; NULL: end of the list */
    const char *name; /* CSV: appended to the key; "": nothing; NULL: not in CSV */
    report_shown shows;
    report_heading heading; /* for the first cell the column's heading is used, except for counters
                             */
    bool optional;          /* text form: only if the first row of a block has it */
    bool marked;            /* counters: a row in which it is above 0 has a mark */
} report_cell;

typedef struct {
    const char *key; /* in JSON and CSV; ends with the unit */
    report_type type;
    const char *unit;     /* such as "us", "MB/s"; NULL: a count, a ratio or a text */
    const char *schema;   /* definition in docs/combench-result-1.schema.json, or */
    const char *values;   /* possible texts, separated by blanks */
    bool required;        /* present in every row */
    bool condition;       /* says what was measured, not a result */
    bool identifies;      /* part of the identity of a measurement across runs, or */
    const char *identity; /* only this member of it */
    report_better better;
    report_place place;
    report_heading heading;
    report_tabled tabled;
    const char *label;   /* name in reports; NULL: from the heading */
    const char *phrase;  /* if it identifies: its value in words, written at {}; NULL: {} */
    const char *members; /* members to compare between runs; NULL: those of the type */
    const char *follows; /* not compared in rows that have one of these columns, from which it
                          * follows */
    bool uncompared;     /* not compared: it follows from other columns, or belongs to the method */
    const report_cell *cells; /* for types without common cells */
    const char *meaning;      /* for docs/reference/results.md and the schema */
} report_column_info;

extern const report_column_info report_columns[REPORT_COLUMNS];

/* Declare sets of counters as columns of CSV and text. Use the sets of all technologies, so that
 * all results have the same columns. Call once before the first document; sets and rows have to
 * live as long as the program. */
void report_use_counters(const cb_counter_set *const *sets, size_t count);

/* The cells of a column; the last has the path NULL. */
const report_cell *report_cells_of(report_column column);

/* The heading of a cell of a column. */
const report_heading *report_heading_of(report_column column, const report_cell *cell);

/* Write the name of a cell in CSV; false if it has none. */
enum { REPORT_CSV_NAME_BYTES = 128 };

bool report_csv_name(report_column column, const report_cell *cell,
                     char name[REPORT_CSV_NAME_BYTES]);

/* Write the table as an array of objects under `key` of an open document. */
void report_describe_columns(report_stream *out, const char *key);

#endif
