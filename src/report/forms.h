/* Interface of the forms text, CSV and JSON: callbacks for the start of a document, its elements in
 * order, and its end. Internal to src/report. */
#ifndef REPORT_FORMS_H
#define REPORT_FORMS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/parameters.h"
#include "report/row.h"

enum { REPORT_TITLE_BYTES = 512, REPORT_BLOCK_CELLS = REPORT_COLUMNS + 32 };

/* A column and one of its cells. */
typedef struct {
    report_column column;
    const report_cell *cell;
} report_block_cell;

/* The open block of the text form: rows with the same title and the same columns. */
typedef struct {
    bool open;
    char title[REPORT_TITLE_BYTES];
    bool columns[REPORT_COLUMNS]; /* columns shown in its rows */
    report_block_cell cells[REPORT_BLOCK_CELLS];
    size_t cell_count;
    unsigned marks; /* bit i: mark i was used in this or an earlier block */
} report_block;

/* One form writing to one stream. */
typedef struct {
    FILE *stream;
    const char *title;                  /* of the benchmark */
    const cb_parameter_set *parameters; /* of the technology, or NULL */
    report_block block;
} report_writer;

/* Slots may be NULL if the form writes nothing. */
typedef struct {
    const char *name;
    void (*begin)(report_writer *writer, json_t *document);
    void (*row)(report_writer *writer, const report_row *row);
    void (*fit)(report_writer *writer, const json_t *fit);
    void (*skipped)(report_writer *writer, const json_t *skipped);
    void (*end)(report_writer *writer, json_t *document);
} report_form;

extern const report_form report_form_text, report_form_csv, report_form_json;

#endif
