/* Shared by the formats of ccmod convert. For readers: programs in memory (what each rank does),
 * and lines, words and numbers with their place. For writers: the walk over a workload, rank by
 * rank, with loops unrolled. */
#ifndef TOOLS_CCMOD_CONVERT_PROGRAM_H
#define TOOLS_CCMOD_CONVERT_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include <ccmod/ccmod.h>

enum { CONVERT_RANKS = 1 << 22 };

#define CONVERT_ANY_TAG INT64_C(-1)
#define CONVERT_LARGEST_SIZE (UINT64_C(1) << 53)
#define CONVERT_LARGEST_TIME_US 1e15

typedef struct {
    ccmod_record_kind kind;
    uint32_t peer; /* or CCMOD_ANY */
    uint64_t size_bytes;
    double time_us;
    int64_t tag; /* or CONVERT_ANY_TAG; traces have no tags */
    uint32_t line;
} convert_record;

typedef struct {
    convert_record *records;
    size_t count, room;
    size_t next; /* of the workload */
} convert_rank;

typedef struct {
    char *name; /* of the file */
    convert_rank *ranks;
    size_t rank_count, rank_room;
} convert_program;

ccmod_status convert_program_open(const char *name, convert_program **out, ccmod_error *error);
void convert_program_free(convert_program *program); /* NULL is accepted */

/* Make rank `number` and all lower ones exist; at most CONVERT_RANKS. */
ccmod_status convert_program_reach(convert_program *program, size_t number, ccmod_error *error);

/* Append a record to an existing rank. */
ccmod_status convert_program_add(convert_program *program, size_t rank,
                                 const convert_record *record, ccmod_error *error);

/* Returns an error with file and line if a message is with a rank that does not exist, or if tags
 * contradict the matching of a trace: first come, first served for each pair. */
ccmod_status convert_program_check(const convert_program *program, ccmod_error *error);

/* Make a workload of the program, which must outlive it. */
ccmod_workload convert_program_workload(convert_program *program);

enum { CONVERT_LINE_BYTES = 4096 };

/* Walks */

typedef struct {
    ccmod_workload *workload;
    uint64_t left; /* maximum of remaining records */
    double flops_per_us;
} convert_walk;

/* The next record of a rank, CCMOD_END at its end. */
ccmod_status convert_walk_next(convert_walk *walk, uint32_t rank, ccmod_record *record,
                               ccmod_error *error);

/* Report a record that cannot be expressed, and what to do. */
ccmod_status convert_walk_refuse(const convert_walk *walk, const ccmod_record *record,
                                 const char *problem, ccmod_error *error);

/* The problem of a form whose receives state sizes. */
#define CONVERT_SIZED_RECEIVE(form)                                                                \
    "a receive in " form " states its size; write the size of the message in place of *"

#define CONVERT_PLAIN_SEND(form)                                                                   \
    form " has one kind of send, which the library may buffer or not; write s or is in place of "  \
         "ss, iss and bs"

/* Write a number with the fewest digits that preserve it. */
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

/* NULL and an error if `path` cannot be read. */
FILE *convert_open(const char *path, ccmod_error *error);

/* Read the next line into `text`; false at the end and, with *status, on an error. */
bool convert_text_next(convert_text *text, ccmod_status *status);

/* The first word of the line, or the next one; NULL at its end. */
char *convert_text_first(convert_text *text);
char *convert_text_word(convert_text *text);

ccmod_status convert_text_refuse(const convert_text *text, const char *word, const char *problem);

/* Parse `word`, which may be NULL, as a whole number; `what` names it in the error. */
ccmod_status convert_text_count(const convert_text *text, const char *word, const char *what,
                                uint64_t largest, uint64_t *value);

/* The same, for a number of 0 or more. */
ccmod_status convert_text_real(const convert_text *text, const char *word, const char *what,
                               double largest, double *value);

#endif
