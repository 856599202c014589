/* Matrices of bytes between ranks: a square table, as CSV and as a trace. The row is the rank that
 * sends, the column the rank that receives. */
#ifndef TOOLS_CCMOD_MATRIX_H
#define TOOLS_CCMOD_MATRIX_H

#include <stdio.h>

#include <ccmod/ccmod.h>

/* Of a dense matrix: 128 MiB. */
enum { MATRIX_LARGEST_RANKS = 4096 };

/* The largest number of bytes of a pair, which is that of a message in a trace. */
#define MATRIX_LARGEST_BYTES (UINT64_C(1) << 53)

typedef struct {
    size_t ranks;
    uint64_t *bytes; /* ranks * ranks, row by row; the diagonal is 0 */
} byte_matrix;

static inline uint64_t matrix_at(const byte_matrix *matrix, size_t source, size_t destination)
{
    return matrix->bytes[source * matrix->ranks + destination];
}

/* A matrix of zeros; `name` is used in the error. Freed with matrix_free. */
ccmod_status matrix_make(const char *name, size_t ranks, byte_matrix *out, ccmod_error *error);
void matrix_free(byte_matrix *matrix);

/* Read the CSV form: lines of sizes separated by commas, with comments from # to the end of a line.
 * Errors have file, line, cause and remedy. On success the caller frees the matrix. */
ccmod_status matrix_read(FILE *stream, const char *name, byte_matrix *out, ccmod_error *error);

/* The same, of a file. */
ccmod_status matrix_open(const char *path, byte_matrix *out, ccmod_error *error);

/* Write one row, and all rows. */
void matrix_write_row(FILE *stream, const uint64_t *bytes, size_t ranks);
void matrix_write(FILE *stream, const byte_matrix *matrix);

/* A message between a rank and its peer. */
typedef struct {
    uint32_t peer;
    uint64_t bytes;
} matrix_message;

/* Call `visit` for the messages that a rank receives, or those that it sends. Ranks take their
 * peers in order of distance, so that not all begin with the same one. Ends at the first error. */
ccmod_status matrix_visit_receives(const byte_matrix *matrix, size_t rank,
                                   ccmod_status (*visit)(void *context, matrix_message message),
                                   void *context);
ccmod_status matrix_visit_sends(const byte_matrix *matrix, size_t rank,
                                ccmod_status (*visit)(void *context, matrix_message message),
                                void *context);

/* The steps of a trace, all alike: computing (none if 0), then the messages of the matrix. */
typedef struct {
    uint64_t count;
    double compute_us;
} matrix_steps;

/* Write the sections of a trace: in each step every rank starts its receives and its sends and
 * waits for all. If the bytes depend on the distance of two ranks only, one section is for all
 * ranks. */
void matrix_write_trace(FILE *stream, const byte_matrix *matrix, const matrix_steps *steps);

#endif
