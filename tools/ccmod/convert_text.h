/* What readers and writers of forms share: lines and words with their place, numbers, and the walk
 * over a workload, rank by rank, with its loops unrolled. */
#ifndef TOOLS_CCMOD_CONVERT_TEXT_H
#define TOOLS_CCMOD_CONVERT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include <ccmod/ccmod.h>

enum { CONVERT_LINE_BYTES = 4096 };

/* Walks */

typedef struct {
    ccmod_workload *workload;
    uint64_t left; /* records, before it is too many */
    double flops_per_us;
} convert_walk;

/* The next record of a rank, CCMOD_END at its end. */
ccmod_status convert_walk_next(convert_walk *walk, uint32_t rank, ccmod_record *record,
                               ccmod_error *error);

/* An error in a record: what cannot be expressed, and what to do. */
ccmod_status convert_walk_refuse(const convert_walk *walk, const ccmod_record *record,
                                 const char *problem, ccmod_error *error);

/* A number in as few digits as keep it. */
void convert_write_number(FILE *stream, double value);

/* Text, line by line and word by word */

typedef struct {
    FILE *stream;
    const char *name;
    ccmod_error *error;
    size_t line;
    char text[CONVERT_LINE_BYTES];
    char *rest;
} convert_text;

/* NULL, with an error, where `path` cannot be read. */
FILE *convert_open(const char *path, ccmod_error *error);

/* The next line is in `text`, false at the end and, with *status, where it cannot be read. */
bool convert_text_next(convert_text *text, ccmod_status *status);

/* The first word of the line, or the next; NULL at its end. */
char *convert_text_first(convert_text *text);
char *convert_text_word(convert_text *text);

ccmod_status convert_text_refuse(const convert_text *text, const char *word, const char *problem);

/* `word`, which may be NULL, as a whole number; `what` it is stands in the error. */
ccmod_status convert_text_count(const convert_text *text, const char *word, const char *what,
                                uint64_t largest, uint64_t *value);

/* The same as a number of 0 or more. */
ccmod_status convert_text_real(const convert_text *text, const char *word, const char *what,
                               double largest, double *value);

#endif
