/* Bunch structure of an accelerator: which slots of an orbit are filled. Read from a file; the
 * format is in docs/reference/arrivals.md. */
#ifndef RATE_TRAIN_H
#define RATE_TRAIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct {
    uint32_t *filled; /* numbers of the filled slots, ascending from 0 */
    size_t count;     /* of them; at least 1 */
    uint32_t slots;   /* of an orbit */
    double slot_ns;   /* length of a slot; 0: it follows from the rate */
} rate_train;

enum { RATE_TRAIN_SLOTS_MOST = 1000000, RATE_TRAIN_BYTES_MOST = 1 << 20 };

/* Parse the text of a file; `name` is for messages. CB_ERROR_USAGE, logged, with the line and the
 * remedy; CB_ERROR_MEMORY. Free with rate_train_free. */
cb_status rate_train_parse(const char *name, const char *text, size_t bytes, rate_train *out);

/* The same for a file. CB_ERROR_USAGE as well, logged, if it cannot be read. */
cb_status rate_train_read(const char *path, rate_train *out);

void rate_train_free(rate_train *train);

#endif
