/* How the text form spells single values. Internal to src/report. */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { REPORT_FIGURE_BYTES = 64 };

/* Three significant digits, all digits of what is 1000 or more: 0.312, 12.3, 1234. */
void report_format_real(double value, char text[REPORT_FIGURE_BYTES]);

/* A number as a cell: `whole` in full, else as report_format_real; "-" for NULL. */
void report_format_cell(const json_t *value, bool whole, char text[REPORT_FIGURE_BYTES]);

/* A value of a document with the words around it; nothing is written when it is absent. */
typedef struct {
    const char *before, *path, *after;
} report_phrase;

/* Write the phrases whose value is there, each but the first after ", ". Returns how many. */
size_t report_write_phrases(FILE *stream, const json_t *root, const report_phrase *phrases,
                            size_t count);

#endif
