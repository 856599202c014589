/* Kinds of generated traffic: which rank sends which share of its bytes to which other one. */
#ifndef TOOLS_CCMOD_TRAFFIC_H
#define TOOLS_CCMOD_TRAFFIC_H

#include <stdbool.h>

#include "tools/ccmod/matrix.h"

enum { TRAFFIC_DIMENSIONS = 3 };

/* The parameters of all kinds. */
typedef struct {
    const char *grid;  /* 4x4 or 4x4x4; NULL: two dimensions, as equal as possible */
    const char *input; /* file with a matrix */
    uint64_t ranks;
    uint64_t bytes;      /* that a rank sends in a step */
    uint64_t pair_bytes; /* mean of the pairs that communicate; 0: `bytes` is given instead */
    uint64_t hot, degree, senders; /* senders 0: all but one */
    double factor, exponent, density;
    uint64_t seed;
} traffic_parameters;

/* Which parameters a kind has; those of the others have no meaning for it. */
enum {
    TRAFFIC_HOT = 1 << 0,
    TRAFFIC_DEGREE = 1 << 1,
    TRAFFIC_EXPONENT = 1 << 2,
    TRAFFIC_DENSITY = 1 << 3,
    TRAFFIC_SENDERS = 1 << 4,
    TRAFFIC_GRID = 1 << 5,
    TRAFFIC_INPUT = 1 << 6,
    TRAFFIC_SEED = 1 << 7,
    TRAFFIC_SIZES = 1 << 8, /* ranks and bytes */
};

typedef struct traffic_kind {
    const char *name;
    const char *help;
    uint32_t parameters;
} traffic_kind;

/* All kinds, NULL-terminated. */
extern const traffic_kind *const traffic_kinds[];

/* NULL if there is none of that name. */
const traffic_kind *traffic_find(const char *name);

/* Make the matrix of a step of one of these kinds: a pure function of the parameters. On success
 * the caller frees it. */
ccmod_status traffic_make(const traffic_kind *kind, const traffic_parameters *parameters,
                          byte_matrix *out, ccmod_error *error);

/* Bytes in all; and the mean over ranks divided by the largest, of what a rank sends and of what it
 * receives: 1 if it is the same for all. */
typedef struct {
    double bytes, sent_balance, received_balance;
} traffic_summary;

traffic_summary traffic_summarise(const byte_matrix *matrix);

#endif
