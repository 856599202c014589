/* Sizes of the fragments of events: fixed, drawn from a distribution, or replayed from a file.
 *
 * The size of a fragment is a pure function of specification, seed, event and source, so every rank
 * can compute any of them, in any order. Events repeat after a period. Sizes of one event are
 * correlated by a Gaussian copula: a fraction of the variance of the normal deviate from which each
 * size is made is common to all sources. */
#ifndef BASE_FRAGMENTS_H
#define BASE_FRAGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum {
    CB_FRAGMENT_FIXED,
    CB_FRAGMENT_UNIFORM,
    CB_FRAGMENT_LOGNORMAL,
    CB_FRAGMENT_GAMMA,
    CB_FRAGMENT_FILE
} cb_fragment_kind;

typedef struct {
    cb_fragment_kind kind;
    double low, high; /* fixed: the size in both; uniform: first and last size */
    double scale;     /* lognormal: the median; gamma: the mean */
    double shape;     /* lognormal: standard deviation of the logarithm; gamma: the shape */
} cb_fragment_law;

enum {
    CB_FRAGMENT_LAWS = 64,
    CB_FRAGMENT_EVENTS = 1 << 14, /* period of sizes that are drawn */
    CB_FRAGMENT_LARGEST = 1 << 30 /* bytes */
};

/* Zero-initialised: no fragments were asked for. */
typedef struct {
    cb_fragment_law laws[CB_FRAGMENT_LAWS]; /* source s has law s modulo law_count */
    size_t law_count;
    double correlation; /* 0: sources are independent; 1: all draw the same deviate */
    uint64_t seed;
    const char *path; /* of the file, within the text that was parsed; NULL: none */
    uint32_t *table;  /* of the file: a row for each event; owned */
    size_t rows, columns;
} cb_fragments;

/* Parse SPEC, or several for successive sources as SPEC+SPEC:
 *   fixed:SIZE  uniform:SIZE-SIZE  lognormal:MEDIAN,SIGMA  gamma:MEAN,SHAPE  file:PATH
 * `file:` stands alone and is read by cb_fragments_read. Returns false and the reason in `why` (of
 * CB_WHY_BYTES). `text` has to outlive *out. */
bool cb_fragments_parse(const char *text, double correlation, uint64_t seed, cb_fragments *out,
                        char *why);

/* Whether each source always sends the same size. */
bool cb_fragments_is_fixed(const cb_fragments *fragments);

/* Whether a correlation has an effect: the sizes are drawn. */
bool cb_fragments_is_drawn(const cb_fragments *fragments);

/* Read the file of sizes: a line for each event with one size for all sources or one for each,
 * separated by blanks or commas; `#` starts a comment. Logs file, line and remedy. No effect
 * without a file. */
cb_status cb_fragments_read(cb_fragments *fragments);

/* Largest number of sources: columns of the file; SIZE_MAX if there is no limit. */
size_t cb_fragments_sources(const cb_fragments *fragments);

/* Number of events after which sizes repeat. At least 1. */
uint64_t cb_fragments_period(const cb_fragments *fragments);

/* The size of a fragment in bytes. */
uint64_t cb_fragments_size(const cb_fragments *fragments, uint64_t event, size_t source);

/* Upper limit of the sizes of the first `sources` sources. Deviates are cut at 4.75 standard
 * deviations, which one in 500,000 exceeds, so that a distribution has one. */
uint64_t cb_fragments_largest(const cb_fragments *fragments, size_t sources);

/* Lower limit of the same. */
uint64_t cb_fragments_smallest(const cb_fragments *fragments, size_t sources);

/* Expected size, over the first `sources` sources; of a file the mean. */
double cb_fragments_mean(const cb_fragments *fragments, size_t sources);

/* Release the table. The object may be used again after another parse. */
void cb_fragments_free(cb_fragments *fragments);

#endif
