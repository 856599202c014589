/* The table of columns: every key of a result row and its properties. The entries are in
 * columns.def; a measuring module names a column by its identifier, REPORT_SKEW_US. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/parameters.h"
#include "report/stream.h"

/* The identifiers, in the order of the table. */
typedef enum {
#define COLUMN(identifier, ...) REPORT_##identifier,
#include "report/columns.def"
#undef COLUMN
    REPORT_COLUMNS
} report_column;

/* What a column holds, and so which function of row.h sets it. */
typedef enum {
    REPORT_TYPE_NUMBER,
    REPORT_TYPE_TEXT,
    REPORT_TYPE_FLAG,
    REPORT_TYPE_SUMMARY,      /* of the values of blocks */
    REPORT_TYPE_DISTRIBUTION, /* percentiles and histogram of many times */
    REPORT_TYPE_NUMBERS,      /* an array */
    REPORT_TYPE_MEMBERS,      /* an object, set member by member */
    REPORT_TYPE_LIST,         /* an array of objects, set member by member */
    REPORT_TYPE_COUNTERS,     /* what the technology counts: an object under the set's name */
    REPORT_TYPES
} report_type;

/* Which values are the better ones, for comparisons. */
typedef enum { REPORT_NEITHER, REPORT_LOWER, REPORT_HIGHER } report_better;

typedef enum {
    REPORT_HIDDEN, /* not in the text form */
    REPORT_TITLE,  /* text form: in the title of a block; a change begins a new one */
    REPORT_CELL    /* text form: a column of its own */
} report_place;

/* Which tables of a report have a figure that has a heading and better values. */
typedef enum {
    REPORT_ALWAYS,       /* those of every benchmark whose rows have it */
    REPORT_BESIDE,       /* those of measurements beside a computing task */
    REPORT_BY_BENCHMARK, /* those of benchmarks that name it as one of theirs */
} report_tabled;

/* How a value stands in the text form. */
typedef struct {
    const char *head;  /* NULL: not in the text form */
    const char *below; /* the second line; NULL: the column's unit */
    int width;
    int rank;   /* 0: always there; where a line grows too wide the highest goes first */
    bool whole; /* printed in full rather than with three digits */
} report_heading;

/* What a cell shows of its column's value. */
typedef enum {
    REPORT_VALUE,         /* what stands at the cell's path */
    REPORT_LEAST,         /* the least number at that path in the elements of an array */
    REPORT_MOST,          /* the largest */
    REPORT_SUM_OF_OTHERS, /* the sum of all members but that one */
    REPORT_HALF_WIDTH_PCT /* of a summary: half the width of its interval against the median */
} report_shown;

/* One single value of a column, for the forms that have cells. */
typedef struct {
    const char *path; /* within the column's value; "": the value itself; NULL: end of the list */
    const char *name; /* after the key in CSV; "": the key alone; NULL: not in CSV */
    report_shown shows;
    report_heading heading; /* of the first cell the column's counts, but for counters */
    bool optional;          /* text form: only where the first row of a block has it */
} report_cell;

typedef struct {
    const char *key; /* in JSON and CSV; ends with the unit */
    report_type type;
    const char *unit;     /* "us", "MB/s"; NULL: a count, a ratio or a text */
    const char *schema;   /* the definition in docs/combench-result-1.schema.json; or */
    const char *values;   /* the texts that it can be, separated by blanks */
    bool required;        /* in every row */
    bool condition;       /* says what was measured, else what was found */
    bool identifies;      /* rows of two runs are the same measurement when they agree in it, or */
    const char *identity; /* in this member */
    report_better better;
    report_place place;
    report_heading heading;
    report_tabled tabled;
    const char *label; /* its name in reports; NULL: that of the heading */
    const char
        *phrase; /* of what identifies rows: its value in words, {} where it stands; NULL: {} */
    const char *members; /* those that are compared between runs; NULL: what the type has */
    const char *follows; /* not compared in rows with one of these columns, from which it follows */
    bool uncompared;     /* not compared: it follows from others, or is of the method */
    const report_cell *cells; /* of types that have no common ones */
    const char *meaning;      /* in words, for docs/reference/results.md and the schema */
} report_column_info;

extern const report_column_info report_columns[REPORT_COLUMNS];

/* Let CSV and text have cells for these sets of counters, which are those of all technologies, so
 * that all results have the same columns. Called once, before the first document is begun; sets and
 * rows have to live as long as the program. */
void report_use_counters(const cb_counter_set *const *sets, size_t count);

/* The cells of a column, ended by one whose path is NULL. */
const report_cell *report_cells_of(report_column column);

/* The heading of a cell of a column. */
const report_heading *report_heading_of(report_column column, const report_cell *cell);

/* The name of a cell in CSV; false where it has none. */
enum { REPORT_CSV_NAME_BYTES = 128 };

bool report_csv_name(report_column column, const report_cell *cell,
                     char name[REPORT_CSV_NAME_BYTES]);

/* Write the table as an array of objects under `key` of an open document. */
void report_describe_columns(report_stream *out, const char *key);

#endif
