/* What the forms text, CSV and JSON have in common: each is told of the beginning of a document, of
 * its elements in the order in which they came, and of its end. Internal to src/report. */
#ifndef REPORT_FORM_H
#define REPORT_FORM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/columns.h"

typedef enum { REPORT_ROW, REPORT_FIT, REPORT_SKIPPED, REPORT_ELEMENTS } report_element;

enum { REPORT_TITLE_BYTES = 512, REPORT_BLOCK_LEAVES = 64 };

/* The open block of the text form: rows that agree in their title and have the same columns. */
typedef struct {
    char title[REPORT_TITLE_BYTES]; /* "": none is open */
    uint64_t columns;               /* bit i: report_columns[i] stands in its rows */
    report_leaf leaves[REPORT_BLOCK_LEAVES];
    size_t leaf_count;
    unsigned marks; /* bit i: mark i was used, in this or an earlier block */
} report_block;

/* One pass of one form over one stream. */
typedef struct {
    FILE *stream;
    const char *title; /* of the benchmark */
    report_block block;
} report_writer;

/* Empty slots: the form has nothing to say then. */
typedef struct {
    const char *name;
    void (*begin)(report_writer *writer, json_t *document);
    void (*element[REPORT_ELEMENTS])(report_writer *writer, const json_t *element);
    void (*end)(report_writer *writer, json_t *document);
} report_form;

extern const report_form report_form_text, report_form_csv, report_form_json;

#endif
