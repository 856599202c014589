/* What the parts of test_report share: documents that are written into memory, rows to put there,
 * and what came of them. One file for each theme:
 *
 *   report_golden.c  documents as a whole, against golden files
 *   report_lines.c   rows as lines of text and of CSV
 *   report_rows.c    rows in JSON
 *   report_values.c  what is put into a document by its path
 *   report_farms.c   what rows of farms have besides
 */
#ifndef TESTS_REPORT_REPORT_H
#define TESTS_REPORT_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "report/report.h"
#include "tests/common/unit.h"

enum { BLOCKS = 8 };

extern const double even_blocks[BLOCKS];

typedef struct {
    report_document *document;
    FILE *stream;
    char *output;
    size_t length;
} capture;

#define REPORT_PARTS                                                                               \
    report_golden, report_lines, report_rows, report_values, report_farms, report_misuse

unit_part REPORT_PARTS;

/* A document that is written in this form, to `path` (NULL: nowhere) and into c->output. The stream
 * keeps pointers into `c`, which therefore must stay where it is. */
void capture_open(capture *c, report_format format, const char *path);
void capture_close(capture *c);

/* The finished document, parsed. */
json_t *capture_json(capture *c, const char *reason);

/* The first result row of a JSON document that has only this row. */
json_t *written_row(report_row *row);

/* What rows have in common; of two processors, with the times of blocks, at most BLOCKS, as
 * `figure`, and what follows from them; and both, of even_blocks as a latency, with the cost of
 * touching. */
report_row basic_row(const char *mode, double size_bytes, const char *occupation);
void set_times(report_row *row, report_column figure, const double *blocks, size_t count);
report_row typical_row(const char *mode, double size_bytes);

/* Steps of 600 to 649 ns; one of a hundred takes 3 us more. */
void fill_histogram(stats_histogram *steps, unsigned samples);

/* The path of a file in the source tree. */
void source_path(char *path, size_t bytes, const char *name);

/* The number of occurrences of `part`. */
size_t count_of(const char *text, const char *part);

#endif
