/* The one table of columns: every key of a result row, where its value comes from and how each form
 * shows it. Adding a figure to the results is a field in report_row and a row of this table.
 * Internal to src/report. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

typedef enum {
    COLUMN_NUMBER,      /* double */
    COLUMN_TEXT,        /* const char * */
    COLUMN_FLAG,        /* bool */
    COLUMN_COUNT,       /* size_t, absent when 0 */
    COLUMN_SUMMARY,     /* stats_summary, in us */
    COLUMN_BLOCKS,      /* the values of the blocks */
    COLUMN_STEPS,       /* the distribution of single steps */
    COLUMN_SHARES,      /* of each source */
    COLUMN_WAIT,        /* the wait policy, requested and effective */
    COLUMN_VERIFY,      /* report_verification */
    COLUMN_DATAGRAMS,   /* report_datagrams */
    COLUMN_SLOWDOWNS,   /* double by side of the computing */
    COLUMN_LEFT,        /* the same, with another face */
    COLUMN_FLAGS,       /* bool by side, absent where false */
    COLUMN_ANSWER,      /* report_answer */
    COLUMN_EVENTS,      /* the distribution of event latencies */
    COLUMN_FOUND,       /* report_found */
    COLUMN_ROLES,       /* how many ranks of each role are on each host */
    COLUMN_DESTINATIONS /* of each destination of a farm */
} report_column_type;

typedef enum {
    COLUMN_HIDDEN, /* not in the text form */
    COLUMN_TITLE,  /* text form: in the title of a block; a change begins a new one */
    COLUMN_CELL    /* text form: a column of its own */
} report_column_place;

/* How a value stands in the text form. */
typedef struct {
    const char *head, *unit;
    int width;
    int rank;   /* 0: always there; where a line grows too wide the highest goes first */
    bool whole; /* printed in full rather than with three digits */
} report_face;

typedef struct {
    const char *key; /* in JSON and CSV, with the unit */
    report_column_type type;
    size_t offset; /* of the field in report_row */
    report_column_place place;
    report_face face; /* of the first part */
} report_column;

/* One value of a column that has several. The first part of a type wears its column's face. */
typedef struct {
    const char *path;                       /* within the column's JSON value; "": that itself */
    const char *name;                       /* after the key in CSV; "": the key; NULL: not there */
    double (*derive)(const json_t *column); /* made from the column's value instead; or NULL */
    report_face face;                       /* head NULL: not in the text form */
    bool optional; /* text form: only where the first row of a block has it */
} report_part;

/* What all columns of one type share. */
typedef struct {
    json_t *(*value)(const report_row *row, size_t offset); /* new reference; NULL when absent */
    const report_part *parts;
    size_t part_count;
} report_type;

const report_type *report_type_of(const report_column *column);

extern const report_column report_columns[];
extern const size_t report_column_count;

/* The row as a JSON object, without what is absent. The caller owns the reference. */
json_t *report_row_json(const report_row *row);

/* Walk over the single values of all columns, in order:
 * for (leaf = report_leaf_first(); report_leaf_valid(&leaf); report_leaf_next(&leaf)) */
typedef struct {
    size_t column, part;
} report_leaf;

report_leaf report_leaf_first(void);
bool report_leaf_valid(const report_leaf *leaf);
void report_leaf_next(report_leaf *leaf);

const report_column *report_leaf_column(const report_leaf *leaf);
const report_part *report_leaf_part(const report_leaf *leaf);
const report_face *report_leaf_face(const report_leaf *leaf);

/* The value of a leaf in a row made by report_row_json: a new reference, or NULL when absent. */
json_t *report_leaf_value(const report_leaf *leaf, const json_t *row);

#endif
